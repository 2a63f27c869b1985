/* SPDX-License-Identifier: MIT */
/* Heat map: a table of an HTML page. The colour of a cell shows how far its value is from the usual one, in spreads
 * (robust standard deviations), and in which direction: from blue (better) by grey to orange (worse), which people with
 * the common kinds of colour blindness can distinguish. Cells that are far off show the distance as text too, and each
 * cell has a description for pointers and screen readers. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/text.h"

#define HEAT_LEVELS 4 /* number of colours for better values, and for worse ones */

struct heat_cell {
    double worse; /* distance from the usual value in spreads; positive: worse; NAN: no value */
    bool far;     /* show the distance as text */
    char tip[320];
};

struct heat {
    const char *row_title;
    const char *const *rows, *const *columns;
    const bool *row_stands_out;
    const bool *column_begins; /* the column is the first of a group: there is a gap before it */
    size_t n_rows, n_columns;
    void (*cell)(const void *context, size_t row, size_t column, struct heat_cell *cell);
    const void *context;
};

/* Appends the legend and the table as HTML. */
void heat_put(struct text *out, const struct heat *heat);

#endif
