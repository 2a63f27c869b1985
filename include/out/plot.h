/* SPDX-License-Identifier: MIT */
/* Histograms as text. */
#ifndef OUT_PLOT_H
#define OUT_PLOT_H

#include "engine/row.h"
#include "engine/text.h"

/* A histogram of a row with logarithmic counts, as lines of text no wider than width columns: about 20 bins (10 to 25
 * where the values allow) over the range that holds the events, each "low .. high unit count |####", low included, high
 * not. The limits are round numbers, evenly spaced, or in even ratios where the highest value is more than 100 times
 * the lowest. A decade of the count is the same length in all lines. Where width has no room for a bar the numbers
 * stand alone. Nothing when the row has no histogram. */
void plot_histogram(const struct row *row, unsigned width, struct text *out);

#endif
