/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sys/syscall.h>

#include "sys/cpu.h"
#include "sys/machine.h"
#include "sys/process.h"

unsigned cpuset_next(const struct cpuset *set, unsigned from)
{
    if (from >= CPUSET_MAX)
        return CPUSET_NONE;
    unsigned i = from / 64;
    uint64_t rest = set->word[i] & (UINT64_MAX << (from % 64));
    while (rest == 0) {
        if (++i == CPUSET_WORDS)
            return CPUSET_NONE;
        rest = set->word[i];
    }
    return i * 64 + (unsigned)__builtin_ctzll(rest);
}

/* Parser of lists: text, position, and buffer for the reason of an error. */
struct reader {
    const char *start, *at;
    struct error *why;
};

static int fail_at(const struct reader *r, const char *reason)
{
    return error_set(r->why, "%s at character %zu", reason, (size_t)(r->at - r->start) + 1);
}

static bool accept(struct reader *r, char c)
{
    const bool is_next = *r->at == c;
    r->at += is_next;
    return is_next;
}

static int read_number(struct reader *r, unsigned max, unsigned *out)
{
    if (*r->at < '0' || *r->at > '9')
        return fail_at(r, "a number is expected");
    char *end;
    const unsigned long value = strtoul(r->at, &end, 10);
    if (value > max)
        return error_set(r->why, "the number at character %zu is too large, the largest is %u",
                         (size_t)(r->at - r->start) + 1, max);
    r->at = end;
    *out = (unsigned)value;
    return 0;
}

/* Adds the range's CPUs, or the first `used` of each `group`. Returns 0 or -1. */
static int read_range(struct reader *r, struct cpuset *set)
{
    unsigned first = 0, last, used = 1, group = 1;
    if (read_number(r, CPUSET_MAX - 1, &first))
        return -1;
    last = first;
    const bool range = accept(r, '-');
    if (range && read_number(r, CPUSET_MAX - 1, &last))
        return -1;
    if (last < first)
        return error_set(r->why, "the range %u-%u is reversed", first, last);
    const bool stride = range && accept(r, ':');
    if (stride && read_number(r, CPUSET_MAX, &group))
        return -1;
    if (stride && accept(r, '/')) {
        used = group;
        if (read_number(r, CPUSET_MAX, &group))
            return -1;
    }
    if (used == 0 || group == 0)
        return fail_at(r, "a stride of 0 ends");
    if (used > group)
        return fail_at(r, "a group smaller than its used part ends");
    for (unsigned cpu = first; cpu <= last; cpu++) {
        if ((cpu - first) % group >= used)
            continue;
        if (cpuset_has(set, cpu))
            return error_set(r->why, "CPU %u is named twice", cpu);
        cpuset_add(set, cpu);
    }
    return 0;
}

int cpuset_parse(const char *text, struct cpuset *out, struct error *why)
{
    struct reader r = {.start = text, .at = text, .why = why};
    struct cpuset set = {0};
    if (text[strspn(text, " \t\r\n")] == '\0')
        return error_set(why, "the list is empty");
    do {
        if (read_range(&r, &set))
            return -1;
    } while (accept(&r, ','));
    if (r.at[strspn(r.at, " \t\r\n")] != '\0')
        return fail_at(&r, "unexpected text");
    *out = set;
    return 0;
}

size_t cpuset_format(const struct cpuset *set, char *buf, size_t size)
{
    size_t length = 0;
    if (size > 0)
        buf[0] = '\0';
    for (unsigned cpu = cpuset_next(set, 0); cpu != CPUSET_NONE;) {
        unsigned last = cpu;
        while (cpuset_has(set, last + 1))
            last++;
        const char *comma = length ? "," : "";
        char *to = length < size ? buf + length : NULL;
        const size_t room = to ? size - length : 0;
        int n = last == cpu ? snprintf(to, room, "%s%u", comma, cpu) : snprintf(to, room, "%s%u-%u", comma, cpu, last);
        length += (size_t)n;
        cpu = cpuset_next(set, last + 1);
    }
    return length;
}

bool cpuset_format_cut(const struct cpuset *set, char *buf, size_t size)
{
    static const char more[] = ",...";
    if (cpuset_format(set, buf, size) < size)
        return true;
    if (size <= sizeof more)
        return false;
    buf[size - sizeof more] = '\0';
    char *comma = strrchr(buf, ',');
    snprintf(comma ? comma : buf, sizeof more, "%s", more);
    return false;
}

#define MASK_DIGITS (CPUSET_MAX / 4u)

int cpuset_parse_mask(const char *text, struct cpuset *out)
{
    static const char hex[] = "00112233445566778899aAbBcCdDeEfF";
    size_t length = strlen(text), digits = 0;
    struct cpuset set = {0};
    bool separated = true;
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    for (; length > 0; length--) {
        const char c = text[length - 1], *digit = memchr(hex, c, sizeof hex - 1);
        const uint64_t value = digit ? (uint64_t)(digit - hex) / 2 : 0;
        separated = !separated && digits % 8 == 0;
        if (separated ? c != ',' : !digit || (digits >= MASK_DIGITS && value != 0) || digits > INT16_MAX)
            return -1;
        if (!separated && digits < MASK_DIGITS)
            set.word[digits / 16] |= value << (digits % 16 * 4);
        digits += !separated;
    }
    if (digits == 0 || separated)
        return -1;
    *out = set;
    return (int)digits;
}

static unsigned mask_digit(const struct cpuset *set, size_t digit)
{
    return digit < MASK_DIGITS ? (unsigned)(set->word[digit / 16] >> (digit % 16 * 4)) & 15u : 0;
}

size_t cpuset_format_mask(const struct cpuset *set, size_t digits, char *buf, size_t size)
{
    size_t needed = MASK_DIGITS, length = 0;
    while (needed > 1 && mask_digit(set, needed - 1) == 0)
        needed--;
    if (needed < digits)
        needed = digits;
    for (size_t digit = needed; digit-- > 0;) {
        const char *comma = digit > 0 && digit % 8 == 0 ? "," : "";
        char *to = length < size ? buf + length : NULL;
        length += (size_t)snprintf(to, to ? size - length : 0, "%x%s", mask_digit(set, digit), comma);
    }
    return length;
}

/* --- Distance of CPUs, nodes, huge pages. --- */

const char *const cpu_relation_names[CPU_RELATIONS] = {
    [CPUS_SAME_CORE] = "same-core", [CPUS_SAME_CACHE] = "same-cache", [CPUS_SAME_PACKAGE] = "same-package",
    [CPUS_SAME_NODE] = "same-node", [CPUS_OTHER_NODE] = "other-node", [CPUS_UNKNOWN] = "unknown",
};

#define NOT_KNOWN UINT_MAX

/* Core and cache are identified by the lowest CPU that shares them. */
struct site {
    unsigned cpu, core, cache, package, node;
    bool paired;
};

static struct site read_site(unsigned cpu)
{
    const char *package = CPU_PATH(cpu, "topology/physical_package_id");
    struct cpuset core, cache;
    uint64_t number;
    const bool known = procfs_read_u64(package, &number) && number < NOT_KNOWN; /* some Arm kernels report -1 */

    return (struct site){.cpu = cpu,
                         .core = machine_core_cpus(cpu, &core) ? cpuset_next(&core, 0) : NOT_KNOWN,
                         .cache = machine_last_cache(cpu, &cache) ? cpuset_next(&cache, 0) : NOT_KNOWN,
                         .package = known ? (unsigned)number : NOT_KNOWN,
                         .node = NOT_KNOWN};
}

static void read_nodes(struct site *sites, size_t n)
{
    struct cpuset nodes, cpus;

    if (!procfs_read_cpus(NODE_FOLDER "/online", &nodes))
        return;
    for_each_cpu(node, &nodes) {
        if (!procfs_read_cpus(NODE_CPUS(node), &cpus))
            continue; /* memory, but no CPUs */
        for (size_t i = 0; i < n; i++)
            if (cpuset_has(&cpus, sites[i].cpu))
                sites[i].node = node;
    }
}

static bool known(unsigned a, unsigned b)
{
    return a != NOT_KNOWN && b != NOT_KNOWN;
}

static enum cpu_relation relation(const struct site *a, const struct site *b)
{
    if (known(a->core, b->core) && a->core == b->core)
        return CPUS_SAME_CORE;
    if (known(a->cache, b->cache) && a->cache == b->cache)
        return CPUS_SAME_CACHE;
    if (known(a->node, b->node) && a->node != b->node)
        return CPUS_OTHER_NODE;
    if (known(a->package, b->package))
        return a->package == b->package ? CPUS_SAME_PACKAGE : CPUS_SAME_NODE;
    return known(a->node, b->node) ? CPUS_SAME_NODE : CPUS_UNKNOWN;
}

static size_t pairs_room(size_t n, enum cpu_pairing pairing)
{
    const size_t most = (size_t)smaller(n, PAIRS_ALL_CPUS);

    return pairing == PAIRS_ALL ? most * (most - (most > 0)) / 2 : n;
}

static void add_pair(struct site *a, struct site *b, struct cpu_pairs *out)
{
    out->pair[out->n++] = (struct cpu_pair){.first = a->cpu, .second = b->cpu, .relation = relation(a, b)};
    a->paired = b->paired = true;
}

/* Returns the CPU after sites[i] that is closest (the first of several) and in no pair yet; with far, the most
 * distant one of another package or node. NULL: none. */
static struct site *partner(struct site *sites, size_t n, size_t i, bool far)
{
    struct site *best = NULL;
    enum cpu_relation so_far = CPUS_UNKNOWN;

    for (size_t k = i + 1; k < n; k++) {
        enum cpu_relation r = relation(&sites[i], &sites[k]);
        if (sites[k].paired || (far && !(r == CPUS_SAME_NODE || r == CPUS_OTHER_NODE)))
            continue;
        if (!best || (far ? r > so_far : r < so_far)) {
            best = &sites[k];
            so_far = r;
        }
    }
    return best;
}

static int by_number(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    return ORDER_OF(x->cpu, y->cpu);
}

/* Pairs some CPUs, evenly chosen, each with the next CPU of each relation: at most as many pairs as PAIRS_ALL_CPUS
 * CPUs give with PAIRS_ALL. */
static void pair_relations(struct site *sites, size_t n, struct cpu_pairs *out)
{
    const size_t most = pairs_room(PAIRS_ALL_CPUS, PAIRS_ALL) / CPU_RELATIONS, chosen = n < most ? n : most;

    for (size_t c = 0; c < chosen; c++) {
        const size_t i = c * n / chosen;
        bool seen[CPU_RELATIONS] = {false};
        for (size_t k = i + 1; k < n; k++) {
            const enum cpu_relation r = relation(&sites[i], &sites[k]);
            if (!seen[r])
                add_pair(&sites[i], &sites[k], out);
            seen[r] = true;
        }
    }
}

static void pair_all(struct site *sites, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out)
{
    if (pairing == PAIRS_ALL || pairing == PAIRS_HALVES)
        SORT(sites, n, by_number);
    if (pairing == PAIRS_ALL && n > PAIRS_ALL_CPUS) {
        pair_relations(sites, n, out);
        return;
    }
    for (size_t i = 0; n > 1 && i < (pairing == PAIRS_HALVES ? n / 2 : n); i++) {
        struct site *other = NULL;
        for (size_t k = i + 1; pairing == PAIRS_ALL && k < n; k++)
            add_pair(&sites[i], &sites[k], out);
        if (pairing == PAIRS_NEXT)
            other = &sites[(i + 1) % n];
        else if (pairing == PAIRS_HALVES)
            other = &sites[n / 2 + i];
        else if (pairing != PAIRS_ALL && !sites[i].paired)
            other = partner(sites, n, i, pairing == PAIRS_FAR);
        if (other)
            add_pair(&sites[i], other, out);
    }
}

int topology_pairs(const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out)
{
    FREED struct site *sites = calloc(n ? n : 1, sizeof(*sites));

    out->n = 0;
    out->pair = calloc(pairs_room(n, pairing) + 1, sizeof(*out->pair));
    if (!sites || !out->pair) {
        topology_pairs_free(out);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        sites[i] = read_site(order[i]);
    read_nodes(sites, n);
    pair_all(sites, n, pairing, out);
    return 0;
}

void topology_pairs_free(struct cpu_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct cpu_pairs){0};
}

int huge_pages_read(const void *const *addresses, size_t n, struct huge_pages *out)
{
    uint64_t page = 0, start, end, kib;
    bool ours = false;

    *out = (struct huge_pages){0};
    if (!procfs_read_u64("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &page) || !page)
        return -1;
    FREED char *text = procfs_read_all("/proc/self/smaps");
    char *rest = text;
    if (!text)
        return -1;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
            const uint64_t first = (start + page - 1) / page, behind = end / page; /* huge pages that fit */
            ours = false;
            for (size_t i = 0; i < n; i++)
                ours |= (uintptr_t)addresses[i] >= start && (uintptr_t)addresses[i] < end;
            out->possible_bytes += ours && behind > first ? (behind - first) * page : 0;
            continue;
        }
        const char *value = ours ? procfs_find(line, "AnonHugePages", ':') : NULL;
        if (ours && !value)
            value = procfs_find(line, "Private_Hugetlb", ':');
        if (value && procfs_number(value, &kib))
            out->huge_bytes += kib * 1024;
    }
    return 0;
}

/* POLICY_...: of the kernel's mempolicy.h. PAGES_MAX: pages to inspect. */
#define POLICY_BIND      2
#define POLICY_MAX_NODES 1024u
#define PAGES_MAX        256u

int memory_node_bind(void *start, size_t bytes, unsigned node)
{
    unsigned long mask[POLICY_MAX_NODES / (CHAR_BIT * sizeof(unsigned long))] = {0};
    const unsigned bits = CHAR_BIT * sizeof(mask[0]);

    if (node >= POLICY_MAX_NODES)
        return -EINVAL;
    mask[node / bits] = 1ul << (node % bits);
    return sys_result(syscall(SYS_mbind, start, bytes, POLICY_BIND, mask, (unsigned long)POLICY_MAX_NODES, 0));
}

int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = bytes / page;
    void *address[PAGES_MAX];
    int status[PAGES_MAX];
    const unsigned n = (unsigned)smaller(smaller(most, PAGES_MAX), pages);

    for (unsigned i = 0; i < n; i++)
        address[i] = (char *)start + pages * i / n * page;
    if (syscall(SYS_move_pages, 0, (unsigned long)n, address, NULL, status, 0))
        return -errno;
    *on_node = 0;
    for (unsigned i = 0; i < n; i++)
        *on_node += status[i] == (int)node;
    return (int)n;
}
