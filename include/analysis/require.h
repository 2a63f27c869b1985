/* SPDX-License-Identifier: MIT */
/* Requirements: "TEST/METRIC[.STAT] OPERATOR VALUE[UNIT]" ("prime/cycles.p99<500", "noise/detour.max < 20us"), judged
 * on result rows. STAT is the name of a column of statistics of the CSV, `value` unless given; the operator is <, <=,
 * > or >=. A requirement is met when all rows of its metric meet it; a figure that is not known does not meet it. */
#ifndef ANALYSIS_REQUIRE_H
#define ANALYSIS_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/metrics.h"
#include "rows/row.h"

struct requirement {
    char text[160]; /* as the user wrote it */
    char test[sizeof(((struct row *)0)->test)], metric[sizeof(((struct row *)0)->metric)];
    const struct row_column *stat;
    bool below, or_equal; /* below: the operator is < or <=; or_equal: it is <= or >= */
    double limit;
    char limit_unit[sizeof(((struct row *)0)->unit)]; /* "": the unit of the metric */
    /* Results of judging rows. */
    size_t n_rows, n_failed; /* number of rows of the metric; number of those that do not meet the requirement */
    bool measured;           /* the test has rows of any metric */
    /* The worst row with a figure: figure and limit in `unit`; NAN when there is none. */
    double value, limit_of_row;
    char unit[sizeof(((struct row *)0)->unit)];
    char where[160];  /* load, parameter, copies, CPUs and (if several_runs) host of the worst row; "": none known */
    char reason[256]; /* why the first row without a figure has none; "" when all are known */
};

/* A test that the user may name in addition to those of the table of metrics. */
struct require_name {
    const char *suite, *test;
    const char *metric, *unit; /* metric NULL: all metrics that the table has for suite and test */
};

struct requirements {
    const struct metrics *metrics;
    const struct require_name *names;
    size_t n_names;
    bool several_runs;      /* the rows may be of several hosts */
    bool names_only;        /* only the tests in `names` are measured; requirements of other tests are refused */
    const char *clock_unit; /* unit of metrics in clock ticks; NULL: not known */
    /* Set by the functions below. */
    struct requirement *of;
    size_t n, capacity;
};

/* Adds a requirement. Returns 0; or -1 with one line in error when it cannot be read, when test, metric or statistic
 * are unknown (with the most similar one that exists), or when the unit is not one of the metric. Calls memory_out()
 * when out of memory. */
int requirements_add(struct requirements *set, const char *text, char *error, size_t error_size);
/* Adds the requirement in each line of a text; empty lines, and comments that begin with '#', are ignored. Returns 0;
 * or -1 with one line in error, which begins with the number of the line, also when the text has no requirement. */
int requirements_add_lines(struct requirements *set, const char *lines, char *error, size_t error_size);
void requirements_free(struct requirements *set);

/* Judges a row by all requirements of its test and metric. */
void requirements_row(struct requirements *set, const struct row *row);

/* Returns whether the rows so far meet the requirement. */
bool requirement_met(const struct requirement *requirement);
/* Returns the number of requirements that are not met. */
size_t requirements_failed(const struct requirements *set);
/* Returns why the figure of a requirement is not known; "" when it is. */
const char *requirement_unknown(const struct requirement *requirement);

#endif
