/* SPDX-License-Identifier: MIT */
/* Common code of the CPU tests among the UNIX microbenchmarks. */
#ifndef BENCH_UNIX_CPU_H
#define BENCH_UNIX_CPU_H

#include "bench/unix.h"

/* Compiler flags that the Makefile uses for the CPU tests: the same on every machine, so without -march=native. */
#define UNIX_CPU_FLAGS "-O3,-ffast-math"

/* Implements describe() of struct bench: adds the compiler flags and the parameters of unix_describe() to the result
 * row. */
void unix_describe_cpu(const void *params, const struct clock_info *clock, struct row_params *out);

/* Initialises the common part of the descriptors of the CPU tests, with their stop rules: with --classic ten passes of
 * ten seconds, as UnixBench does for its short tests. */
#define UNIX_CPU_BENCH(name_, title_, parties_, metrics_)                                                              \
    UNIX_BENCH(name_, title_, parties_, metrics_), .sampling = UNIX_SAMPLING(10, 250, 5000, 100, 1000, 10, 10),        \
                                                   .place = unix_place, .describe = unix_describe_cpu

#endif
