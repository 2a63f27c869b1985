/* SPDX-License-Identifier: MIT */
/* Sets of CPUs; parses and formats their lists ("0,2-5") and masks in the kernel's formats, for machines of any size
 * that Linux supports. */
#ifndef SYS_CPUSET_H
#define SYS_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest CONFIG_NR_CPUS of any architecture. A fixed size keeps the set free of pointers, so that it can be passed
 * to another process in shared memory. glibc's cpu_set_t ends at 1024. */
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
/* Returns the lowest CPU of the set that is >= from, or CPUSET_NONE. */
unsigned cpuset_next(const struct cpuset *set, unsigned from);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
/* Returns whether every CPU of inner is in outer. */
bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer);
void cpuset_union(struct cpuset *into, const struct cpuset *other);
void cpuset_intersect(struct cpuset *into, const struct cpuset *other);

/* Parses a list: "0,2-5,8-14:2" (ranges with taskset's stride) and the kernel's "0-15:2/4" (2 of each 4). White space
 * at the end (a newline of /sys) is allowed. Returns 0, or -1 with a reason in why: empty list, reversed range, CPU
 * named twice, number too large, other text. */
int cpuset_parse(const char *text, struct cpuset *out, char *why, size_t why_size);

/* Writes the shortest list ("0,2-5"), always NUL-terminated; "" for the empty set. Returns the length of the whole
 * text, as snprintf does. */
size_t cpuset_format(const struct cpuset *set, char *buf, size_t size);
/* As cpuset_format(), but a list that does not fit is cut between two numbers or ranges and ends in ",...", since half
 * a number would name another CPU. Returns true when nothing was left out. */
bool cpuset_format_cut(const struct cpuset *set, char *buf, size_t size);

/* Parses a mask in the kernel's format: hexadecimal, highest CPU first, a comma before every 8 digits. White space at
 * the end is allowed. Returns the number of digits, or -1 for any other text. */
int cpuset_parse_mask(const char *text, struct cpuset *out);

/* Writes a mask of at least the given number of digits, always NUL-terminated. Returns the length of the whole text, as
 * snprintf does. */
size_t cpuset_format_mask(const struct cpuset *set, size_t digits, char *buf, size_t size);

#endif
