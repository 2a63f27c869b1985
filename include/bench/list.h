/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: the only registry. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine/bench.h"

/* Ends with NULL. */
extern const struct bench *const bench_list[];

/* Returns the metric's descriptor: that of the benchmark whose name is the test, otherwise that of the first benchmark
 * of the suite with such a metric (a test may be a variant of a benchmark). NULL when there is none. */
const struct metric *bench_find_metric(const char *suite, const char *test, const char *metric);

/* Returns whether the metric is a headline metric of the suite and has a direction. A metric that no benchmark of the
 * suite has (an index, or a metric of a newer version) counts as one when the row gives its direction. */
bool bench_is_headline(const char *suite, const char *metric, const char *better);

#endif
