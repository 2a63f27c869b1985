/* SPDX-License-Identifier: MIT */
/* Whetstone: declarations shared by the benchmark and its test. */
#ifndef BENCH_WHETSTONE_H
#define BENCH_WHETSTONE_H

#include <stdint.h>

enum { WHETSTONE_SECTIONS = 8 };

/* State of the benchmark in one process. The constants are variables so that no compiler sees their values, and so that
 * a test can set wrong ones. t is the constant of N1, N2 and N5 and becomes 1 - t after each pass. */
struct whetstone {
    double t0, t1, t2, t;
    double e[4];
    double result[WHETSTONE_SECTIONS]; /* results of N1 .. N8 in the last pass */
    uint64_t passes;                   /* number of passes, without the first */
};

/* Runs section N8: x = sqrt(exp(log(x) / t1)), 9300 times from 0.75. Leaves x in result[7]. */
void whetstone_n8(struct whetstone *w);

#endif
