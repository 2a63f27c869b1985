/* SPDX-License-Identifier: MIT */
/* Common to the UNIX suite's CPU tests. */
#ifndef BENCH_UNIX_CPU_H
#define BENCH_UNIX_CPU_H

#include "bench/unix.h"

/* The Makefile's: the same on every machine, without -march=native. */
#define UNIX_CPU_FLAGS "-O3,-ffast-math"

/* describe(): also the compiler flags. */
void unix_describe_cpu(const void *params, const struct clock_info *clock, struct row_params *out);

/* --classic: ten passes of ten seconds, as UnixBench's short tests. */
#define UNIX_CPU_BENCH(name_, title_, parties_, metrics_)                                                              \
    UNIX_BENCH(name_, title_, parties_, metrics_), .sampling = UNIX_SAMPLING(10, 250, 5000, 100, 1000, 10, 10),        \
                                                   .place = unix_place, .describe = unix_describe_cpu

#endif
