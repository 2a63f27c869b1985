/* SPDX-License-Identifier: MIT */
/* Sets of CPUs and their lists in the kernel's format, for machines of any size that Linux supports. */
#ifndef SYS_CPUSET_H
#define SYS_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest CONFIG_NR_CPUS of any architecture. A fixed size keeps the set plain data, so that it can be
 * handed to a worker through shared memory. glibc's cpu_set_t ends at 1024. */
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
/* Returns the lowest member >= from, or CPUSET_NONE. */
unsigned cpuset_next(const struct cpuset *set, unsigned from);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
/* Returns whether every member of inner is in outer. */
bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer);
void cpuset_union(struct cpuset *into, const struct cpuset *other);
void cpuset_intersect(struct cpuset *into, const struct cpuset *other);

/* Parses "0,2-5,8-14:2" (ranges with taskset's stride) and the kernel's "0-15:2/4" (2 of each 4). White space at the
 * end (a newline of /sys) is allowed. Returns 0, or -1 with a reason in why: empty list, reversed range, CPU named
 * twice, number too large, junk. */
int cpuset_parse(const char *text, struct cpuset *out, char *why, size_t why_size);

/* Writes the shortest list form ("0,2-5"), always terminated; "" for the empty set. Returns the length of the whole
 * text, as snprintf does. */
size_t cpuset_format(const struct cpuset *set, char *buf, size_t size);
/* As cpuset_format(), but leaves out whole numbers and ranges that do not fit and writes ",..." in their place, since
 * half a number would name another CPU. Returns true when nothing was left out. */
bool cpuset_format_cut(const struct cpuset *set, char *buf, size_t size);

/* Parses a mask in the kernel's format: hexadecimal, highest CPU first, a comma before every 8 digits. White space
 * at the end is allowed. Returns the number of digits, or -1. */
int cpuset_parse_mask(const char *text, struct cpuset *out);

/* Writes a mask of at least the given number of digits, always terminated. Returns the length of the whole text. */
size_t cpuset_format_mask(const struct cpuset *set, size_t digits, char *buf, size_t size);

#endif
