/* SPDX-License-Identifier: MIT */
/* Prints event counts of result rows, and what else ran on their CPUs. */
#ifndef OUT_COUNTERS_H
#define OUT_COUNTERS_H

#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* Prints a table of event counts, with a line for each measurement. The rows must be in the order in which they were
 * measured. Columns of events that were never counted are left out; the reasons why events were not counted are printed
 * below, each once. Prints nothing when no row has counts. width: of the table in characters; 0: no limit. */
void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out);

/* Prints a table of what else ran on the measured CPUs, and for how long, with a line for each measurement. Order of
 * the rows, reasons below the table, and width are as for counters_put(). */
void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out);

#endif
