/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: the only registry. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine/bench.h"

/* Ends with NULL. */
extern const struct bench *const bench_list[];

#endif
