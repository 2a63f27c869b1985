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

/* A row, and the number of the row that it is compared with. */
struct report_place {
    size_t row, base; /* base: REPORT_NO_BASE when there is none */
    size_t group;     /* the number of the first row of this measurement and metric, in any run */
};
#define REPORT_NO_BASE ((size_t)-1)

struct report {
    struct row_set set;
    struct report_place *order; /* of all rows of set, as the tables show them; report_sort_rows() makes it */
    size_t n_runs;              /* that are drawn */
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
/* The title of a test, or its name when it is not known here. */
const char *report_test_title(const char *suite, const char *test);
/* What a metric is called in words, or its id. */
const char *report_metric_title(const struct row *row);
/* The work of a row in few words: test, load, first words of param, copies, CPU where rows are one a CPU. */
void report_label(const struct row *row, char *buf, size_t size);
/* What took time from it, and what came in between: "preempted 19.5 ms, 364 switches". "" when nothing is known. */
void report_causes(const struct row *row, char *buf, size_t size);

/* The unit that stands behind a row's figures: "" for what is a plain number. */
const char *report_unit(const struct row *row);
/* Whether rows are metrics of one measurement. */
bool report_same_measurement(const struct row *a, const struct row *b);
/* Whether the row is of one CPU, and its measurement has such a row for each CPU. */
bool report_one_a_cpu(const struct row *row);

/* report_rows.c: tables of rows. Sorts the rows so that those of the same measurement and metric stand together, run
 * by run, and in suite run the commands below each other. Each has as its base the row of run A; in a page of one run
 * that of the first command, or that with the fewest copies. Returns 0, or -1 when out of memory. */
int report_sort_rows(struct report *report);
/* The table of a suite's headline rows, or of all its rows; at most `most`. Returns how many it has. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out);
/* "1.102 (1.021 to 1.189)": the ratio of the values, with its 95 % interval where these are means of five samples or
 * more; a dash where there is none. */
void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);

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

/* report_fleet.c: the hosts beside each other; where there are at least four. What it shows is bounded, however many
 * there are. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, struct text *out);

#endif
