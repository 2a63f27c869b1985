/* SPDX-License-Identifier: MIT */
/* A table of an HTML page whose cells say by colour how far off something is, and to which side: from blue (better) by
 * grey to orange (worse), a scale that the common kinds of colour blindness keep apart. What is far has its distance as
 * text too, and each cell says all in words to whoever points at it or has it read out. */
#ifndef OUT_HEAT_H
#define OUT_HEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/text.h"

#define HEAT_LEVELS 4 /* to each side */

struct heat_cell {
    double worse; /* distance in spreads; positive: worse; NAN: there is no value */
    bool far;     /* is to have its distance as text */
    char tip[320];
};

struct heat {
    const char *row_title;
    const char *const *rows, *const *columns;
    const bool *row_stands_out;
    const bool *column_begins; /* a group: a gap before it */
    size_t n_rows, n_columns;
    void (*cell)(const void *context, size_t row, size_t column, struct heat_cell *cell);
    const void *context;
};

/* Legend and table. */
void heat_put(struct text *out, const struct heat *heat);

#endif
