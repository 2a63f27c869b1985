/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: a new one is a file of its own and a line here. */
#include "bench/list.h"

#include "bench/prime.h"
#include "bench/stream.h"

const struct bench *const bench_list[] = {
    &bench_prime,
    &bench_array,
    &bench_bandwidth,
    NULL,
};
