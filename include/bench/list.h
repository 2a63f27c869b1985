/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: the only registry. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine/bench.h"

/* Ends with NULL. */
extern const struct bench *const bench_list[];

/* Finds the description of a row's metric: that of the benchmark called as the test, otherwise that of the first
 * benchmark of the suite that has the metric (a test may be a variant of a benchmark). NULL when there is none. */
const struct metric *bench_find_metric(const char *suite, const char *test, const char *metric);

/* Whether a metric is one that tests of the suite are judged by, and better in one direction. What no benchmark of the
 * suite knows (indices, a newer program's) counts when the row says which direction is better. */
bool bench_is_headline(const char *suite, const char *metric, const char *better);

#endif
