/* SPDX-License-Identifier: MIT */
/* The array of all benchmarks. */
#include "bench/list.h"

#define ADDRESS(name) &bench_##name,
const struct bench *const bench_list[] = {BENCHES(ADDRESS) NULL};
