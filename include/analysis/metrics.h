/* SPDX-License-Identifier: MIT */
/* The table of metrics: titles, units and directions of the metrics of all tests, and which of them are headline
 * metrics. The commands make it from the benchmarks' descriptors (cmd/metrics.c) and hand it to all code that reads
 * rows. */
#ifndef ANALYSIS_METRICS_H
#define ANALYSIS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"

struct metrics_metric {
    const char *id, *title, *unit, *better; /* unit NULL: the unit of the clock ("cycles" or "ns") */
    bool headline;                          /* the metric by which the test is judged */
};

struct metrics_test {
    const char *suite, *name, *title;
    bool row_per_cpu;                    /* the test has a row for each CPU */
    bool named_by_user;                  /* describes all tests of the suite, whose names the user gives */
    const struct metrics_metric *metric; /* NULL: a variant, which has the metrics of other tests of the suite */
    size_t n;
};
/* Initialises a test with its metrics, an array. */
#define METRICS_TEST(suite_, name_, title_, metrics_)                                                                  \
    .suite = suite_, .name = name_, .title = title_, .metric = metrics_, .n = sizeof(metrics_) / sizeof((metrics_)[0])

struct metrics_suite {
    const char *name, *title;
};

struct metrics {
    const struct metrics_suite *suite; /* in the order in which they are shown */
    size_t n_suites;
    const struct metrics_test *test;
    size_t n_tests;
    /* tests that cannot be selected, because their rows are computed from other rows (indices) */
    const struct metrics_test *made;
    size_t n_made;
};

/* All of these functions accept a table that is NULL or empty; they then know no test and no metric. */

/* Returns the entry of the test; in a suite whose tests the user names, the entry that describes all of them; NULL when
 * there is none. */
const struct metrics_test *metrics_test(const struct metrics *metrics, const char *suite, const char *test);
/* Returns the title of a test, or its name when it is not known or given by the user. */
const char *metrics_test_title(const struct metrics *metrics, const char *suite, const char *test);
/* Returns the title of the row's metric in its test, otherwise in the first test of the suite that has it (a test may
 * be a variant of another); otherwise its id. */
const char *metrics_title(const struct metrics *metrics, const struct row *row);
/* Returns the suite's title, or "". */
const char *metrics_suite_title(const struct metrics *metrics, const char *suite);

/* Returns whether the row's metric is a headline metric of its suite and has a direction (better is higher or lower):
 * such rows are compared. A metric that no test of the suite has (an index, or a metric of a newer version) is taken
 * for a headline metric when the row gives its direction. A metric with the core free (measured only while no one else
 * used the core) does not count as one; where it is known, its rows are used in place of those of the metric over the
 * whole time. */
bool metrics_is_compared(const struct metrics *metrics, const struct row *row);
/* Returns whether the row has a headline metric that was measured only while no one else used the core. */
bool metrics_is_compared_alone(const struct metrics *metrics, const struct row *row);

/* Sets `headline` in n rows, because files do not contain it. Of a test that is not in the table, the first metric
 * counts as the headline metric. */
void metrics_mark_headlines(const struct metrics *metrics, struct row *rows, size_t n);

#endif
