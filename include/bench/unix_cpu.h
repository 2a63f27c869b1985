/* SPDX-License-Identifier: MIT */
/* What the CPU tests among the UNIX microbenchmarks have in common. */
#ifndef BENCH_UNIX_CPU_H
#define BENCH_UNIX_CPU_H

#include "bench/unix.h"

/* How the Makefile compiles their files: the same on every machine, so without -march=native. */
#define UNIX_CPU_FLAGS "flags=-O3,-ffast-math"

/* describe: the flags, and what unix_describe says. */
void unix_describe_cpu(const void *params, const struct clock_info *clock, char *buf, size_t size);

/* classic: the original's short tests make ten passes of ten seconds. */
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
