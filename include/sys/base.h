/* SPDX-License-Identifier: MIT */
/* What all other code uses: the C library's usual headers, memory, failures and order. */
#ifndef SYS_BASE_H
#define SYS_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns reasons of failures to the caller as text. */

/* Of a system call: what it returned, or -errno. */
static inline int sys_result(long returned)
{
    return returned < 0 ? -errno : (int)returned;
}

/* A reason in a line, cut to fit; "": none. */
struct error {
    char text[1280];
};
/* Returns code. */
int fail_because(int code, char *reason, size_t size, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Returns -1. */
#define error_set(error_, ...) fail_because(-1, (error_)->text, sizeof((error_)->text), __VA_ARGS__)

/* Allocates memory, and decides what happens when there is none. Commands that only read files end: they call
 * memory_exits(), memory_get() and memory_grow(). Commands that measure or change settings have results to write or
 * settings to restore: their calls return an error. */

/* Says "jitbench COMMAND: out of memory" and exits with status 1. */
void memory_out(void) __attribute__((noreturn));
/* Sets the command that memory_out() names. From now on grow_array(), and with it struct text, ends the program when
 * out of memory. */
void memory_exits(const char *command);

/* Before a local variable: at the end of its scope, however that is left, the function is called with its address.
 * It must be initialised before the first return: FREED_BY(text_free) struct text out = {0}; */
#define FREED_BY(function) __attribute__((cleanup(function)))
/* For a pointer from malloc(). */
void memory_free(void *pointer);
#define FREED FREED_BY(memory_free)
/* For a descriptor: closes it unless it is negative. Preserves errno. */
void fd_close(const int *fd);

/* Returns zeroed memory, which the caller frees. Ends the program when there is none. */
void *memory_get(size_t n, size_t size);

/* Makes room for element number `wanted` of an array of *capacity elements of size bytes by doubling; new ones are
 * undefined: GROW_ARRAY(set->rows, set->capacity, set->n). Returns false, and changes nothing, when out of memory. */
bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size);
#define GROW_ARRAY(array_, capacity_, wanted_) grow_array(&(array_), &(capacity_), wanted_, sizeof(*(array_)))
/* Ends the program when out of memory. */
void memory_grow(void *array, size_t *capacity, size_t wanted, size_t size);
#define MEMORY_GROW(array_, capacity_, wanted_) memory_grow(&(array_), &(capacity_), wanted_, sizeof(*(array_)))

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Into an array, cut. */
#define TEXT_PRINT(array, ...) snprintf(array, sizeof(array), __VA_ARGS__)

static inline bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#define SORT(array_, n_, compare_) qsort(array_, n_, sizeof(*(array_)), compare_)
/* For its comparison functions. */
#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

/* Arithmetic on structs (or arrays of them, size in bytes) of int64_t counters only; -1: not known. */

/* A difference is -1 when one of the two is, or when the counter (32 bits for an interrupt) has wrapped around. */
static inline void known_subtract(void *counters, const void *before, size_t size)
{
    const int64_t *from = before;
    int64_t *of = counters;

    for (size_t i = 0; i < size / sizeof(*of); i++)
        of[i] = from[i] < 0 || of[i] < from[i] ? -1 : of[i] - from[i];
}

/* A sum becomes -1 when the counter or the sum is, or when it is too large. */
static inline void known_add(void *sums, const void *counters, size_t size)
{
    const int64_t *by = counters;
    int64_t *sum = sums;

    for (size_t i = 0; i < size / sizeof(*sum); i++)
        if (by[i] < 0 || sum[i] < 0 || __builtin_add_overflow(sum[i], by[i], &sum[i]))
            sum[i] = -1;
}

#endif
