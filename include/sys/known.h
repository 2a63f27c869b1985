/* SPDX-License-Identifier: MIT */
/* Arithmetic on structs that consist of int64_t counters only, as struct machine_counters and struct task_counters. A
 * counter of -1 is not known. */
#ifndef SYS_KNOWN_H
#define SYS_KNOWN_H

#include <stddef.h>
#include <stdint.h>

/* Subtracts the counters of an earlier reading (before). A difference becomes -1, not known, when one of the two is -1,
 * or when the counter (32 bits for an interrupt) has wrapped around. size: bytes of the struct, or of an array of
 * them. */
static inline void known_subtract(void *counters, const void *before, size_t size)
{
    const int64_t *from = before;
    int64_t *of = counters;

    for (size_t i = 0; i < size / sizeof(*of); i++)
        of[i] = from[i] < 0 || of[i] < from[i] ? -1 : of[i] - from[i];
}

/* Adds counters to sums; a sum becomes -1 when the counter or the sum is -1. size: bytes of the struct, or of an array
 * of them. */
static inline void known_add(void *sums, const void *counters, size_t size)
{
    const int64_t *by = counters;
    int64_t *sum = sums;

    for (size_t i = 0; i < size / sizeof(*sum); i++)
        sum[i] = by[i] < 0 || sum[i] < 0 ? -1 : sum[i] + by[i];
}

#endif
