/* SPDX-License-Identifier: MIT */
/* Pages of jitbench report. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "out/chart.h"

/* --- HTML without scripts and external resources. --- */

/* Up to <main>. */
void html_begin(struct text *out, const char *title);

/* --- A CSV between marker lines, for consoles. --- */

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Lines end in LF, which terminals make CRLF; the last marker has what cksum prints of the CSV with CRLF. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

/* --- Parts of the page. --- */

/* Drawn, each with a colour; further runs are in tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

struct report_place {
    const struct row *row, *base; /* base: what the row is compared with; NULL: nothing */
    size_t group;                 /* of this measurement and metric, in all runs */
};

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order;              /* of set, in the order of the tables */
    size_t n_runs;                           /* drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* with those without rows in set */
    struct index suites;                     /* known ones in the order of the table of metrics, then others */
    size_t left_out;                         /* judged, but not in set */
    struct gather gather;                    /* of each host, from all rows */
    struct history history;                  /* if all rows are of one machine */
    struct project project;                  /* a run is a host with its letter as name */
    /* The last row's run, while rows are read. */
    struct row_run last_run;
    size_t last_number;
};

/* files_read() adds rows to report->set between begin and finish. report_free() in all cases. */
void report_begin(struct report *report, const struct metrics *metrics);
void report_finish(struct report *report);
void report_put(const struct report *report, struct text *out);
void report_free(struct report *report);

/* n_runs: not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* row NULL: the first; NULL: after the last. */
const struct row *report_next(const struct report *report, size_t run, const struct row *row);
#define for_each_row_of_run(row, report, run) for (const struct row *row = NULL; (row = report_next(report, run, row));)
/* Test, and metrics_put_place(). */
char *report_label(const struct report *report, const struct row *row, char *buf, size_t size);
#define REPORT_LABEL(report, row) report_label(report, row, (char[1024]){0}, 1024)

/* Rows of one measurement and metric together, by run; commands of suite run one after the other. Base: the row of
 * run A; in a page of one run the first command, or the first number of copies. */
void report_sort_rows(struct report *report);
/* all: not only headline rows. Returns the number shown, at most `most`. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, const struct doc *doc);
/* "1.102 (1.021 to 1.189)": 95 % if both are means of five samples or more; a dash: not known. */
char *report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);
#define REPORT_RATIO(row, base) report_ratio(row, base, (char[2 * UNITS_SIZE]){0}, 2 * UNITS_SIZE)

void report_put_summary(const struct report *report, const struct doc *doc);
void report_put_machine(const struct report *report, const struct doc *doc);

void report_put_charts(const struct report *report, const char *suite, const struct doc *doc);

/* For at least four hosts; bounded. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, const struct doc *doc);

#endif
