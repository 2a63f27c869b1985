/* SPDX-License-Identifier: MIT */
/* Sets of CPUs, and their lists ("0,2-5") and masks in the kernel's formats. */
#ifndef SYS_CPUSET_H
#define SYS_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest CONFIG_NR_CPUS of any architecture; glibc's cpu_set_t ends at 1024. Free of pointers, for shared
 * memory. */
#define CPUSET_MAX   8192u
#define CPUSET_WORDS (CPUSET_MAX / 64u)
#define CPUSET_NONE  CPUSET_MAX

struct cpuset {
    uint64_t word[CPUSET_WORDS];
};

void cpuset_clear(struct cpuset *set);
void cpuset_add(struct cpuset *set, unsigned cpu); /* ignores cpu >= CPUSET_MAX */
void cpuset_remove(struct cpuset *set, unsigned cpu);
bool cpuset_has(const struct cpuset *set, unsigned cpu);
unsigned cpuset_count(const struct cpuset *set);
bool cpuset_is_empty(const struct cpuset *set);
/* Returns the lowest CPU >= from, or CPUSET_NONE. */
unsigned cpuset_next(const struct cpuset *set, unsigned from);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer);
void cpuset_union(struct cpuset *into, const struct cpuset *other);
void cpuset_intersect(struct cpuset *into, const struct cpuset *other);

/* Parses "0,2-5,8-14:2" (ranges with taskset's stride) and the kernel's "0-15:2/4" (2 of each 4), with white space
 * at the end. Returns 0, or -1 with a reason: empty list, reversed range, CPU named twice, number too large, other
 * text. */
int cpuset_parse(const char *text, struct cpuset *out, char *why, size_t why_size);

/* Writes the shortest list, "" for the empty set. Returns its whole length, as snprintf does. */
size_t cpuset_format(const struct cpuset *set, char *buf, size_t size);
/* As cpuset_format(), but cuts a list that does not fit between two ranges, ending in ",...": half a number would
 * name another CPU. Returns true when nothing was left out. */
bool cpuset_format_cut(const struct cpuset *set, char *buf, size_t size);

/* Parses hexadecimal digits, highest CPU first, with a comma before every 8 and white space at the end. Returns the
 * number of digits, or -1. */
int cpuset_parse_mask(const char *text, struct cpuset *out);

/* Writes a mask of at least so many digits. Returns its whole length, as snprintf does. */
size_t cpuset_format_mask(const struct cpuset *set, size_t digits, char *buf, size_t size);

#endif
