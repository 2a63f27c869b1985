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

/* Maximum number of runs that figures draw, each with a colour; other runs appear in the tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

/* A row, and the base: the row that it is compared with. */
struct report_place {
    size_t row, base; /* indices in report.set.rows; base: REPORT_NO_BASE when there is none */
    size_t group;     /* number of this measurement and metric, the same in all runs */
};
#define REPORT_NO_BASE ((size_t)-1)

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order; /* all rows of set in the order of the tables; made by report_sort_rows() */
    size_t n_runs;              /* number of runs that are drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* names of the runs: "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* number of all runs, including those without rows in set */
    size_t left_out;                         /* number of rows that were judged, but are not in set */
    struct gather gather;                    /* headline figures and settings of each host, from all rows */
    struct history history;                  /* changes from run to run, if all rows are of one machine */
    struct projection projection;            /* slow-down on many ranks; each run is a host with its number as name */
    /* Used only while report.c reads rows: the run of the last row, and the number of this run. */
    struct row_run last_run;
    size_t last_number;
};

/* report_begin() prepares a report: files_read() then adds rows to report->set. report_finish() judges and sorts the
 * rows after the last one; then report_put() appends the HTML page. The caller calls report_free() in all cases. */
void report_begin(struct report *report, const struct metrics *metrics);
void report_finish(struct report *report);
void report_put(const struct report *report, struct text *out);
void report_free(struct report *report);

/* Returns the index of the row's run among the runs that are drawn, or n_runs when it is not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* Returns the row after `row` of the drawn run with the index `run`; the first one if `row` is NULL. NULL after the
 * last. */
const struct row *report_next(const struct report *report, size_t run, const struct row *row);
/* Returns the row of the same measurement with another metric; NULL when there is none. Looks at adjacent rows only,
 * because the rows of a measurement are consecutive. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* Formats a short description of what the row measured: test, load, protocol, the words of param that distinguish
 * tests, and the CPU if the test has a row for each CPU, otherwise the number of copies if there are several. */
void report_label(const struct report *report, const struct row *row, char *buf, size_t size);

/* Adds a name to a list of n names unless it is there already, or n is `most`. Returns the new number of names. */
size_t report_distinct(const char **names, size_t n, const char *name, size_t most);
/* Returns whether the row's test has a row for each CPU. */
bool report_one_a_cpu(const struct report *report, const struct row *row);

/* report_rows.c: tables of rows. report_sort_rows() sorts the rows so that those of the same measurement and metric are
 * consecutive, ordered by run, and in suite run the commands follow each other. It sets the base of each row, with
 * which the row is compared: the row of run A; in a page of one run, the first command's row, or the first row of a
 * test that was measured with several numbers of copies. */
void report_sort_rows(struct report *report);
/* Appends the table of a suite's headline rows (those of the metric by which a test is judged), or of all its rows if
 * `all`, limited to `most` rows. Returns the number of rows shown. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out);
/* Formats "1.102 (1.021 to 1.189)": the ratio of the values, with its 95 % interval if both are means of at least five
 * samples; a dash when the ratio is not known. */
void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);

/* report_summary.c: appends the summary, and the table of the machines and settings of the runs. */
void report_put_summary(const struct report *report, struct text *out);
void report_put_machine(const struct report *report, struct text *out);

/* report_figures.c: draws all figures of a suite's rows. */
void report_put_figures(const struct report *report, const char *suite, struct text *out);

/* report_parameters.c: draws the times of commands over each parameter whose values are numbers. */
void report_put_parameters(const struct report *report, struct text *out);

/* report_memory.c: appends a heat map of the latencies between CPUs, for each run that measured them. */
void report_put_cores(const struct report *report, struct text *out);

/* report_scale.c: the slow-down of programs on many ranks by noise. report_scale_begin() sets the lengths of steps and
 * the numbers of ranks that are shown; report_has_scale() returns whether the noise test ran; report_put_scale()
 * appends the section. */
void report_scale_begin(struct report *report);
bool report_has_scale(const struct report *report);
void report_put_scale(const struct report *report, struct text *out);

/* report_fleet.c: comparison of hosts. report_has_fleet() returns whether there are at least four; report_put_fleet()
 * appends the section, whose size is bounded, however many hosts there are. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, struct text *out);

/* report_history.c: each figure over the runs of one machine, and its changes. report_has_history() returns whether
 * there are enough runs; report_put_history() appends the section, whose size is bounded, however many runs there
 * are. */
bool report_has_history(const struct report *report);
void report_put_history(const struct report *report, struct text *out);

#endif
