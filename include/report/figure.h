/* SPDX-License-Identifier: MIT */
/* Figures of an HTML page, each a <figure> with one SVG 360 pixels wide. The functions know rows, but no benchmark by
 * name: the caller decides which rows are drawn and what the axes are called. Each returns false, and writes nothing,
 * when there is nothing to draw. The size of a figure is bounded for any rows, and the output is the same for the same
 * rows. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

struct figure {
    const char *title, *note; /* note: a line in small print below; NULL for none */
    const char *x_title, *y_title;
    const char *x_unit, *y_unit; /* units as units_choose() takes them */
    double x_low, x_high;        /* figure_ranges(): the axis includes it, so that several panels have the same axis */
    bool x_log;                  /* figure_curve(): the x axis is logarithmic for all values */
    double y_low;                /* figure_curve(): start of the y axis */
};

/* A row with its label in the figure, and the number of its colour (classes of report/html.h); without a row, a key of
 * the legend. */
struct figure_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

#define FIGURE_LINES_MAX 96u /* most entries of figures with one line for each entry; further entries are left out */

/* Draws the rows' series for events before position `before`, as lines, or as dots on an axis from 0. */
bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before, bool dots);
/* Draws the rows' histograms with logarithmic counts: the whole range, or with `body` only up to the 99.9th
 * percentile. */
bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body);

/* A value with its confidence interval; NAN: not known. */
struct figure_value {
    double x, value, low, high;
};

/* A line through points with error bars; figure_curve() sorts the points by x. */
struct figure_line {
    const char *label;
    unsigned colour;
    struct figure_value *values;
    size_t n;
};
/* n: at most FIGURE_LINES_MAX. */
bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n);

/* A value that holds from one x to another. */
struct figure_level {
    double from, to, value;
};
/* Draws points as dots, each level as a line from its `from` to its `to`, and a vertical line between two levels. The x
 * axis ends where the levels do. */
bool figure_levels(struct text *out, const struct figure *figure, const struct stats_point *points, size_t n,
                   const struct figure_level *levels, size_t n_levels);

/* Vertical bars: a group for each category, with a bar for each series. values[category * n_series + series]. */
struct figure_bars {
    const char *const *categories;
    const struct figure_entry *series; /* label and colour of each */
    size_t n_categories, n_series;
    const struct figure_value *values;
    bool log;
};
bool figure_bars(struct text *out, const struct figure *figure, const struct figure_bars *bars);

/* Draws a horizontal bar for each entry, with the value at its end. */
bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n);
/* Draws the range from minimum to maximum on a logarithmic axis, with emphasis from the median to the 99th
 * percentile. */
bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws each sample as a dot, the median, and the mean with its interval. */
bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws strips of time coloured by the share of time lost in equal parts of the run (a series as in plot_strip()).
 * x_unit is the unit of the time. */
bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);

/* Horizontal stacked bars. values[entry * n_parts + part]. */
struct figure_parts {
    const struct figure_entry *keys; /* label and colour of each part */
    size_t n_parts;
    const double *values;
};
bool figure_stacks(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                   const struct figure_parts *parts);

#define FIGURE_NAMED_MAX 3u
struct figure_dot {
    const char *name;
    double value;
    bool worse;
};
/* Many values of one kind, some of them named. */
struct figure_dots {
    const double *values; /* all values; NAN: no value */
    size_t n;
    double median;
    const struct figure_dot *named; /* values with a name; at most FIGURE_NAMED_MAX are shown */
    size_t n_named;
};
/* Draws a strip with a dot for each value (or for 400 values at evenly spaced ranks) and the median as a line. */
bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots);

#endif
