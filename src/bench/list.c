/* SPDX-License-Identifier: MIT */
#include "bench/list.h"

#define ADDRESS(name) &bench_##name,
const struct bench *const bench_list[] = {BENCHES(ADDRESS) NULL};
