/* SPDX-License-Identifier: MIT */
/* Prints the tables of a suite's rows, both after measuring and when a file is shown. */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

struct show_how {
    int fd;           /* output descriptor: plots are drawn only on a terminal, in its width */
    bool alone;       /* the run measured only this suite: more is printed, such as plots on a terminal */
    const char *more; /* option that increases the number of samples, for the warnings */
    bool counters;    /* print a table of event counts */
    bool verbose;     /* print a line for each sample, the plots and all columns of the tables in any case */
};

/* Appends the first lines of a run's header: program and time, and the machine, without the end of that line. */
void show_run(const struct row_run *run, struct text *out);

/* Sorts the rows, which are of one suite and one run, by the order of the plan, and appends the suite's tables to out,
 * followed by an empty line, and warnings about doubtful figures to warnings. Rows of an unknown suite are printed in a
 * plain table. Prints nothing for a suite that did not begin because of a signal. */
void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings);

#endif
