/* SPDX-License-Identifier: MIT */
/* Prints event counts of rows. */
#ifndef OUT_COUNTERS_H
#define OUT_COUNTERS_H

#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* Prints a table with a line for each measurement, of rows in the order of their plan; columns of events that were
 * never counted are left out, and each reason stands once below. Prints nothing when no row has counts. width: of the
 * table; 0: no limit. */
void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out);

#endif
