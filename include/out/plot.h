/* SPDX-License-Identifier: MIT */
/* Distributions as text: a histogram, ranges on one axis, or strips of time. */
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

/* The distributions of n rows of one unit below each other on one logarithmic axis, as lines of plain ASCII no wider
 * than width columns (40 to 300; a width beyond is taken as the nearest of these):
 *
 *     Latency, log scale  10us           100us          1ms            10ms
 *                         +--------------+--------------+--------------+
 *     audio  none         .  [---*==|----]              .              .
 *     [ minimum  * median  | p99  ] maximum
 *
 * The axis has the whole decades that hold the values, with a tick at each; a unit of "ns" is labelled as durations,
 * any other as plain numbers. What is below the axis is drawn at its left edge: values of 0 or less, and nanoseconds
 * below 100. Values that are not known (NAN) are left out. Where marks share a column the median is seen before the
 * maximum, that before p99 and that before the minimum. A row without values shows the name of its status. The title
 * and the labels, one a row, are cut where they would take more than half of a line, and what is not printable ASCII in
 * them is a '?'. Nothing when no row has a value. */
void plot_ranges(const char *title, const struct row *const *rows, const char *const *labels, size_t n, unsigned width,
                 struct text *out);

/* How n rows got on over time, below each other, as lines of plain ASCII no wider than width columns (40 to 300; a
 * width beyond is taken as the nearest of these), and a last line, which may be wider, that says what the signs are:
 *
 *     Lost time  start            end
 *     CPU 1          .        .
 *     CPU 0      ==-=====#@@+======-=
 *
 * A row's series are equal parts of its time: where each begins, in microseconds, and the nanoseconds lost in it. A
 * sign is a part, or several where there is no room, and tells the decade of the share that was lost. Labels and
 * rows without values as in plot_ranges(). Nothing when no row has a series of two points or more. */
void plot_strip(const char *title, const struct row *const *rows, const char *const *labels, size_t n, unsigned width,
                struct text *out);

#endif
