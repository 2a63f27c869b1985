/* SPDX-License-Identifier: MIT */
/* Arithmetic on structs (or arrays of them, size in bytes) of int64_t counters only; -1: not known. */
#ifndef SYS_KNOWN_H
#define SYS_KNOWN_H

#include <stddef.h>
#include <stdint.h>

/* A difference is -1 when one of the two is, or when the counter (32 bits for an interrupt) has wrapped around. */
static inline void known_subtract(void *counters, const void *before, size_t size)
{
    const int64_t *from = before;
    int64_t *of = counters;

    for (size_t i = 0; i < size / sizeof(*of); i++)
        of[i] = from[i] < 0 || of[i] < from[i] ? -1 : of[i] - from[i];
}

/* A sum becomes -1 when the counter or the sum is. */
static inline void known_add(void *sums, const void *counters, size_t size)
{
    const int64_t *by = counters;
    int64_t *sum = sums;

    for (size_t i = 0; i < size / sizeof(*sum); i++)
        sum[i] = by[i] < 0 || sum[i] < 0 ? -1 : sum[i] + by[i];
}

#endif
