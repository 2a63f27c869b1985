/* SPDX-License-Identifier: MIT */
/* Draws distributions as text: a histogram, ranges on one axis, or strips of time. */
#ifndef OUT_PLOT_H
#define OUT_PLOT_H

#include "rows/row.h"
#include "rows/text.h"

/* Appends a histogram of a row with logarithmic counts, as lines of text no wider than width columns. It has about 20
 * bins (10 to 25 where the values allow) over the range of the events, each printed as "low .. high unit count |####";
 * low is included, high is not. The limits are round numbers, evenly spaced, or in even ratios if the highest value is
 * more than 100 times the lowest. A decade of the count has the same length in all lines. If width is too small for
 * bars, only the numbers are printed. Appends nothing when the row has no histogram. */
void plot_histogram(const struct row *row, unsigned width, struct text *out);

/* Returns whether a histogram's pair of position and count has a count above 0, and a position that can be drawn. A
 * file that was edited by hand may contain anything. */
bool plot_is_event(const struct stats_point *pair);
/* Counts the events of a row's histogram in n bins between n + 1 ascending edges; those above the last edge are left
 * out. */
void plot_count(const struct row *row, const double *edges, size_t n, double *counts);

/* A result row that plot_ranges() or plot_strip() draws, and its label. */
struct plot_row {
    const struct row *row;
    char label[80];
};

/* Draws the distributions of n rows of one unit below each other on one logarithmic axis, as lines of plain ASCII no
 * wider than width columns (limited to 40 to 300):
 *
 *     Latency, log scale  10us           100us          1ms            10ms
 *                         +--------------+--------------+--------------+
 *     audio  none         .  [---*==|----]              .              .
 *     [ minimum  * median  | p99  ] maximum
 *
 * The axis consists of the whole decades that contain the values, with a tick at each; the unit "ns" is labelled with
 * durations, any other with plain numbers. Values of `least` or less are drawn at the left edge.
 * Unknown values (NAN) are left out. If marks share a column, the first of these is shown: median, maximum, p99,
 * minimum. For a row without values the name of its status is printed. The title and the labels are cut if they would
 * take more than half of a line; characters other than printable ASCII become '?'. Appends nothing when no row has a
 * value. */
void plot_ranges(const char *title, double least, const struct plot_row *rows, size_t n, unsigned width,
                 struct text *out);

/* Draws the time lost by n rows over the run, below each other, as lines of plain ASCII no wider than width columns
 * (limited to 40 to 300), and a last line, which may be wider, that explains the signs:
 *
 *     Lost time  start            end
 *     CPU 1          .        .
 *     CPU 0      ==-=====#@@+======-=
 *
 * A row's series has a point for each of the equal parts of its time: the start in microseconds, and the nanoseconds
 * lost. A sign stands for one part, or for several if there is not enough room, and shows the decade of the share of
 * time that was lost. Labels and rows without values as in plot_ranges(). Appends nothing when no row has a series of
 * at least two points. */
void plot_strip(const char *title, const struct plot_row *rows, size_t n, unsigned width, struct text *out);

/* Returns the length in microseconds of the equal parts of the run for which a row's series has the time lost; 0 when
 * it has fewer than two. */
double plot_strip_part(const struct row *row);
/* Returns the share of the time that was lost (1: all) in one piece of the run, with the index `piece`, if a row's
 * series is cut into `pieces` pieces, at most as many as it has points. */
double plot_strip_share(const struct row *row, size_t piece, size_t pieces);

#endif
