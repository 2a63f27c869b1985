/* SPDX-License-Identifier: MIT */
/* Common code of the CPU tests among the UNIX microbenchmarks. */
#ifndef BENCH_UNIX_CPU_H
#define BENCH_UNIX_CPU_H

#include "bench/unix.h"

/* Compiler flags of their files in the Makefile: the same on every machine, so without -march=native. */
#define UNIX_CPU_FLAGS "-O3,-ffast-math"

/* Implements describe: the compiler flags, followed by unix_describe()'s words. */
void unix_describe_cpu(const void *params, const struct clock_info *clock, struct row_params *out);

/* Sampling. The classic protocol makes ten passes of ten seconds, as the original does for its short tests. */
#define UNIX_CPU_SAMPLING                                                                                              \
    {                                                                                                                  \
        [PRESET_DEFAULT] = {.min_samples = 10,                                                                         \
                            .max_samples = 0,                                                                          \
                            .time_ns = 250 * 1000000ull,                                                               \
                            .max_ns = 5 * 1000000000ull,                                                               \
                            .precision_pct = 2},                                                                       \
        [PRESET_QUICK] = {.min_samples = 3,                                                                            \
                          .max_samples = 3,                                                                            \
                          .time_ns = 100 * 1000000ull,                                                                 \
                          .max_ns = 1 * 1000000000ull,                                                                 \
                          .precision_pct = 2},                                                                         \
        [PRESET_CLASSIC] = {.min_samples = 10,                                                                         \
                            .max_samples = 10,                                                                         \
                            .time_ns = 10 * 1000000000ull,                                                             \
                            .max_ns = 3600 * 1000000000ull,                                                            \
                            .precision_pct = 2},                                                                       \
    }

#endif
