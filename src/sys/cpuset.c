/* SPDX-License-Identifier: MIT */
/* CPU sets: a fixed bit set, the parser and the formatter of CPU lists. */
#include "sys/cpuset.h"

#include <stdio.h>
#include <string.h>

static uint64_t bit_of(unsigned cpu)
{
    return UINT64_C(1) << (cpu % 64);
}

void cpuset_clear(struct cpuset *set)
{
    memset(set, 0, sizeof *set);
}

void cpuset_add(struct cpuset *set, unsigned cpu)
{
    if (cpu < CPUSET_MAX)
        set->word[cpu / 64] |= bit_of(cpu);
}

void cpuset_remove(struct cpuset *set, unsigned cpu)
{
    if (cpu < CPUSET_MAX)
        set->word[cpu / 64] &= ~bit_of(cpu);
}

bool cpuset_has(const struct cpuset *set, unsigned cpu)
{
    return cpu < CPUSET_MAX && (set->word[cpu / 64] & bit_of(cpu)) != 0;
}

unsigned cpuset_count(const struct cpuset *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        count += (unsigned)__builtin_popcountll(set->word[i]);
    return count;
}

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

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool cpuset_is_empty(const struct cpuset *set)
{
    return cpuset_next(set, 0) == CPUSET_NONE;
}

bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer)
{
    for (unsigned i = 0; i < CPUSET_WORDS; i++) {
        if (inner->word[i] & ~outer->word[i])
            return false;
    }
    return true;
}

void cpuset_union(struct cpuset *into, const struct cpuset *other)
{
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        into->word[i] |= other->word[i];
}

void cpuset_intersect(struct cpuset *into, const struct cpuset *other)
{
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        into->word[i] &= other->word[i];
}

/* State of the parser: the remaining text, and where the reason of an error goes. */
struct reader {
    const char *start, *at;
    char *why;
    size_t why_size;
};

static int fail_at(const struct reader *r, const char *reason)
{
    snprintf(r->why, r->why_size, "%s at character %zu", reason, (size_t)(r->at - r->start) + 1);
    return -1;
}

static int fail_twice(const struct reader *r, unsigned cpu)
{
    snprintf(r->why, r->why_size, "CPU %u is named twice", cpu);
    return -1;
}

static bool accept(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static int read_number(struct reader *r, unsigned max, unsigned *out)
{
    if (*r->at < '0' || *r->at > '9')
        return fail_at(r, "a number is expected");
    unsigned value = 0;
    const char *p = r->at;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (unsigned)(*p - '0');
        if (value > max) {
            snprintf(r->why, r->why_size, "the number at character %zu is too large, the largest is %u",
                     (size_t)(r->at - r->start) + 1, max);
            return -1;
        }
    }
    r->at = p;
    *out = value;
    return 0;
}

/* The CPUs of a range first-last; of each `group` of them only the first `used`. */
struct range {
    unsigned first, last, used, group;
};

static int read_range(struct reader *r, struct range *out)
{
    *out = (struct range){.used = 1, .group = 1};
    if (read_number(r, CPUSET_MAX - 1, &out->first))
        return -1;
    out->last = out->first;
    if (!accept(r, '-'))
        return 0;
    if (read_number(r, CPUSET_MAX - 1, &out->last))
        return -1;
    if (out->last < out->first) {
        snprintf(r->why, r->why_size, "the range %u-%u is reversed", out->first, out->last);
        return -1;
    }
    if (!accept(r, ':'))
        return 0;
    if (read_number(r, CPUSET_MAX, &out->group))
        return -1;
    if (accept(r, '/')) {
        out->used = out->group;
        if (read_number(r, CPUSET_MAX, &out->group))
            return -1;
    }
    if (out->used == 0 || out->group == 0)
        return fail_at(r, "a stride of 0 ends");
    if (out->used > out->group)
        return fail_at(r, "a group smaller than its used part ends");
    return 0;
}

static int add_range(const struct reader *r, const struct range *range, struct cpuset *set)
{
    for (unsigned cpu = range->first; cpu <= range->last; cpu++) {
        if ((cpu - range->first) % range->group >= range->used)
            continue;
        if (cpuset_has(set, cpu))
            return fail_twice(r, cpu);
        cpuset_add(set, cpu);
    }
    return 0;
}

int cpuset_parse(const char *text, struct cpuset *out, char *why, size_t why_size)
{
    struct reader r = {.start = text, .at = text, .why = why, .why_size = why_size};
    struct cpuset set;
    cpuset_clear(&set);
    if (text[strspn(text, " \t\r\n")] == '\0') {
        snprintf(why, why_size, "the list is empty");
        return -1;
    }
    do {
        struct range range;
        if (read_range(&r, &range) || add_range(&r, &range, &set))
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
        char item[24];
        const char *comma = length ? "," : "";
        int n = last == cpu ? snprintf(item, sizeof item, "%s%u", comma, cpu)
                            : snprintf(item, sizeof item, "%s%u-%u", comma, cpu, last);
        if (length < size)
            snprintf(buf + length, size - length, "%s", item);
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

/* A hexadecimal digit of a mask holds 4 CPUs. */
#define MASK_DIGITS (CPUSET_MAX / 4u)

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int cpuset_parse_mask(const char *text, struct cpuset *out)
{
    size_t length = strlen(text), digits = 0;
    struct cpuset set;
    bool separated = true;
    cpuset_clear(&set);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    for (; length > 0; length--) {
        int value = hex_value(text[length - 1]);
        if (digits % 8 == 0 && !separated) {
            if (text[length - 1] != ',')
                return -1;
            separated = true;
            continue;
        }
        if (value < 0 || (digits >= MASK_DIGITS && value != 0) || digits > INT16_MAX)
            return -1;
        if (digits < MASK_DIGITS)
            set.word[digits / 16] |= (uint64_t)value << (digits % 16 * 4);
        digits++;
        separated = false;
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
        if (length + 1 < size)
            buf[length] = "0123456789abcdef"[mask_digit(set, digit)];
        length++;
        if (digit == 0 || digit % 8 != 0)
            continue;
        if (length + 1 < size)
            buf[length] = ',';
        length++;
    }
    if (size > 0)
        buf[length < size ? length : size - 1] = '\0';
    return length;
}
