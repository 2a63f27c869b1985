/* SPDX-License-Identifier: MIT */
/* What the parts of `jitbench report` know of each other. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cmd/gather.h"
#include "cmd/projection.h"
#include "engine/text.h"
#include "out/html.h"
#include "out/rows.h"

#define REPORT_RUNS_MAX HTML_COLOURS /* in figures, each with a colour; the others have rows in the tables only */
#define REPORT_NAME     24u

struct report {
    struct row_set set;
    size_t n_runs;                           /* that are drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* "A", "B"..; with the host where they differ */
    size_t n_all_runs;                       /* of which set has rows, and others */
    size_t left_out;                         /* rows that set lacks */
    struct gather gather;                    /* of all rows */
    struct projection projection;            /* of all rows; run by run, named by their numbers */
    /* For itself, while reading. */
    struct row_run last_run;
    size_t last_number;
};

/* The number of the row's run, or n_runs when it is not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* The row of the same measurement with another metric; NULL when there is none. Looks at its neighbours only: a
 * measurement's rows come together. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* The title of a suite or test, or its name when it is not known here. */
const char *report_suite_title(const char *suite);
const char *report_test_title(const char *suite, const char *test);
/* What a metric is called in words, or its id. */
const char *report_metric_title(const struct row *row);
/* The work of a row in few words: test, load, first words of param, copies, CPU where rows are one a CPU. */
void report_label(const struct row *row, char *buf, size_t size);
/* What took time from it, and what came in between: "preempted 19.5 ms, 364 switches". "" when nothing is known. */
void report_causes(const struct row *row, char *buf, size_t size);

/* report_summary.c: in short, and where it ran. */
void report_put_summary(const struct report *report, struct text *out);
void report_put_machine(const struct report *report, struct text *out);

/* report_figures.c: all figures of the rows of a suite. */
void report_put_figures(const struct report *report, const char *suite, struct text *out);

/* report_scale.c: what the noise costs on many ranks; nothing where the noise test did not run. The steps and ranks
 * that it shows are report_scale_begin()'s. */
void report_scale_begin(struct report *report);
bool report_has_scale(const struct report *report);
void report_put_scale(const struct report *report, struct text *out);

#endif
