/* SPDX-License-Identifier: MIT */
#include "sys/cpu.h"

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
    struct cpuset set = {{0}};
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
    struct cpuset set = {{0}};
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
