/* SPDX-License-Identifier: MIT */
/* The tables of a suite's rows: the one way in which they are printed, when they are measured and when a file is
 * shown. */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"
#include "engine/text.h"

struct show_how {
    int fd;           /* where it is printed: plots are drawn on a terminal only, as wide as that is */
    bool alone;       /* the run measured no other suite: each run's lines too */
    const char *more; /* the option that brings more samples, for the warnings */
    bool verbose;     /* each run's lines, and plots, everywhere */
};

/* Appends the first lines of a run's header: program and time, and the machine, whose line is left open. */
void show_run(const struct row_run *run, struct text *out);

/* Sorts the rows, which are of one suite and one run, as they were planned, and appends the suite's tables to out, with
 * an empty line behind them, and what a careful reader would notice to warnings. Rows of a suite that this program does
 * not know stand in a plain table. Nothing is printed of a suite that a signal kept from beginning. */
void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings);

/* Marks the rows whose metric is the one that their test is judged by, which files do not tell: from the benchmarks'
 * tables of metrics; of tests that are not known the first metric. */
void show_mark_headlines(struct row *rows, size_t n);

#endif
