/* SPDX-License-Identifier: MIT */
/* Random numbers from a seed that the test sets, by xorshift64* (Vigna 2016). */
#ifndef NORMAL_FIXTURE_H
#define NORMAL_FIXTURE_H

#include <math.h>
#include <stdint.h>

static uint64_t seed;

/* Between 0 and 1, which do not come. */
static inline double uniform(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return ((double)(seed * UINT64_C(2685821657736338717) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal, by Box and Muller 1958. */
static inline double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

#endif
