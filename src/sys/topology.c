/* SPDX-License-Identifier: MIT */
#include "sys/cpu.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "sys/base.h"
#include "sys/machine.h"
#include "sys/process.h"

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

static void read_site(const char *root, unsigned cpu, struct site *site)
{
    struct cpuset shared;
    uint64_t package;

    *site = (struct site){.cpu = cpu, .cache = NOT_KNOWN, .package = NOT_KNOWN, .node = NOT_KNOWN};
    site->core = machine_core_cpus(root, cpu, &shared) ? cpuset_next(&shared, 0) : NOT_KNOWN;
    if (machine_last_cache(root, cpu, &shared))
        site->cache = cpuset_next(&shared, 0);
    const char *path = CPU_PATH(cpu, "topology/physical_package_id");
    if (procfs_read_u64(root, path, &package) && package < NOT_KNOWN) /* some Arm kernels report -1 */
        site->package = (unsigned)package;
}

static void read_nodes(const char *root, struct site *sites, size_t n)
{
    struct cpuset nodes, cpus;

    if (!memory_nodes_read(root, "online", &nodes))
        return;
    for_each_cpu(node, &nodes) {
        if (!memory_node_cpus(root, node, &cpus))
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
    const size_t most = n < PAIRS_ALL_CPUS ? n : PAIRS_ALL_CPUS;

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
    switch (pairing) {
    case PAIRS_NEXT:
        for (size_t i = 0; n > 1 && i < n; i++)
            add_pair(&sites[i], &sites[(i + 1) % n], out);
        break;
    case PAIRS_NEAR:
    case PAIRS_FAR:
        for (size_t i = 0; i < n; i++) {
            struct site *other = sites[i].paired ? NULL : partner(sites, n, i, pairing == PAIRS_FAR);
            if (other)
                add_pair(&sites[i], other, out);
        }
        break;
    case PAIRS_ALL:
        qsort(sites, n, sizeof(*sites), by_number);
        for (size_t i = 0; n <= PAIRS_ALL_CPUS && i < n; i++)
            for (size_t k = i + 1; k < n; k++)
                add_pair(&sites[i], &sites[k], out);
        if (n > PAIRS_ALL_CPUS)
            pair_relations(sites, n, out);
        break;
    case PAIRS_HALVES:
        qsort(sites, n, sizeof(*sites), by_number);
        for (size_t i = 0; i < n / 2; i++)
            add_pair(&sites[i], &sites[n / 2 + i], out);
        break;
    }
}

int topology_pairs(const char *root, const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out)
{
    FREED_BY(memory_free) struct site *sites = calloc(n ? n : 1, sizeof(*sites));

    out->n = 0;
    out->pair = calloc(pairs_room(n, pairing) + 1, sizeof(*out->pair));
    if (!sites || !out->pair) {
        topology_pairs_free(out);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        read_site(root, order[i], &sites[i]);
    read_nodes(root, sites, n);
    pair_all(sites, n, pairing, out);
    return 0;
}

void topology_pairs_free(struct cpu_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct cpu_pairs){.n = 0};
}
