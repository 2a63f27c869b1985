/* SPDX-License-Identifier: MIT */
/* Declarations shared by the parts of `jitbench report`. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "analysis/fleet_gather.h"
#include "analysis/history.h"
#include "analysis/scale_projection.h"
#include "report/html.h"
#include "rows/rows.h"
#include "rows/text.h"

/* Most runs drawn in figures, each with a colour; other runs appear in the tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

/* A row, and the row that it is compared with. */
struct report_place {
    size_t row, base; /* base: REPORT_NO_BASE when there is none */
    size_t group;     /* number of this measurement and metric, the same in all runs */
};
#define REPORT_NO_BASE ((size_t)-1)

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order; /* all rows of set in the order of the tables; made by report_sort_rows() */
    size_t n_runs;              /* number of runs that are drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* all runs, including those without rows in set */
    size_t left_out;                         /* number of rows that are not in set */
    struct gather gather;                    /* figures and settings of all rows */
    struct history history;                  /* runs of all rows, if they are of one machine */
    struct projection projection;            /* detours of all rows for each run; runs are named by their numbers */
    /* Used by report.c only, while rows are read. */
    struct row_run last_run;
    size_t last_number;
};

/* Begins a report; its set then takes rows (files_read()). report_finish() computes what all rows together say;
 * then report_put() appends the page. report_free() follows in all cases. */
void report_begin(struct report *report, const struct metrics *metrics);
void report_finish(struct report *report);
void report_put(const struct report *report, struct text *out);
void report_free(struct report *report);

/* Returns the number of the row's run, or n_runs when it is not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* Returns the next row of a run that is drawn: the first one if row is NULL. NULL after the last. */
const struct row *report_next(const struct report *report, size_t run, const struct row *row);
/* Returns the row of the same measurement with another metric; NULL when there is none. Looks at adjacent rows only,
 * because the rows of a measurement are consecutive. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* Formats a short description of the row's work: test, load, first words of param, copies, and CPU if there is a row
 * for each CPU. */
void report_label(const struct report *report, const struct row *row, char *buf, size_t size);

/* Adds a name to a list of n different names in order of appearance, unless it has `most`. Returns their number. */
size_t report_distinct(const char **names, size_t n, const char *name, size_t most);
/* Returns whether the row is for one CPU, and its measurement has such a row for each CPU. */
bool report_one_a_cpu(const struct report *report, const struct row *row);

/* report_rows.c: tables of rows. Sorts the rows so that those of the same measurement and metric are consecutive,
 * ordered by run, and in suite run the commands follow each other. Sets the base of each row, with which it is
 * compared: the row of run A; in a page of one run that of the first command, or the one with the fewest copies. */
void report_sort_rows(struct report *report);
/* Appends the table of a suite's headline rows, or of all its rows, limited to `most` rows. Returns how many it
 * shows. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out);
/* Formats "1.102 (1.021 to 1.189)": the ratio of the values, with its 95 % interval if both are means of at least five
 * samples; a dash when there is none. */
void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);

/* report_summary.c: the summary, and where the runs were made. */
void report_put_summary(const struct report *report, struct text *out);
void report_put_machine(const struct report *report, struct text *out);

/* report_figures.c: all figures of a suite's rows. */
void report_put_figures(const struct report *report, const char *suite, struct text *out);

/* report_parameters.c: curves of the times of commands over each parameter whose values are numbers. */
void report_put_parameters(const struct report *report, struct text *out);

/* report_memory.c: the heat map of the times that data take between CPUs, for each run that has them. */
void report_put_cores(const struct report *report, struct text *out);

/* report_scale.c: the cost of noise on many ranks; nothing if the noise test did not run. report_scale_begin() sets the
 * steps and ranks that are shown. */
void report_scale_begin(struct report *report);
bool report_has_scale(const struct report *report);
void report_put_scale(const struct report *report, struct text *out);

/* report_fleet.c: comparison of hosts, if there are at least four. Its size is bounded, however many hosts there
 * are. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, struct text *out);

/* report_history.c: the curve of each figure over the runs of one machine, and its changes, if there are enough runs.
 * Its size is bounded, however many runs there are. */
bool report_has_history(const struct report *report);
void report_put_history(const struct report *report, struct text *out);

#endif
