/* SPDX-License-Identifier: MIT */
/* Whetstone, for the benchmark and its test. */
#ifndef BENCH_WHETSTONE_H
#define BENCH_WHETSTONE_H

#include <stdint.h>

enum { WHETSTONE_SECTIONS = 8 };

/* The constants are variables: no compiler sees their values, and a test can set wrong ones. t, of N1, N2 and N5,
 * becomes 1 - t after each pass. */
struct whetstone {
    double t0, t1, t2, t;
    double e[4];
    double result[WHETSTONE_SECTIONS]; /* of N1 .. N8 in the last pass */
    uint64_t passes;                   /* without the first */
};

/* N8: x = sqrt(exp(log(x) / t1)), 9300 times from 0.75, into result[7]. */
void whetstone_n8(struct whetstone *w);

#endif
