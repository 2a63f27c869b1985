/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: the only registry. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine/bench.h"

/* Ends with NULL. */
extern const struct bench *const bench_list[];

/* Whether a metric is one that tests of the suite are judged by, and better in one direction. What no benchmark of the
 * suite knows (indices, a newer program's) counts when the row says which direction is better. */
bool bench_is_headline(const char *suite, const char *metric, const char *better);

#endif
