/* SPDX-License-Identifier: MIT */
/* Draws the figures of an HTML page from result rows: each figure is a <figure> with one SVG 360 pixels wide. The
 * functions know rows, but no benchmark by name: the caller decides which rows are drawn and what the axes are called.
 * Each returns false, and writes nothing, when there is nothing to draw. The size of a figure is bounded for any rows,
 * and the output is the same for the same rows. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

struct figure {
    const char *title, *note; /* note: small print below the title; NULL for none */
    const char *x_title, *y_title;
    const char *x_unit, *y_unit; /* units as units_choose() takes them */
    double x_low, x_high;        /* figure_ranges(): the x axis includes both values; panels can share it */
    bool x_log;                  /* figure_curve(): the x axis is logarithmic even for a small range */
    double y_low;                /* figure_curve(): a linear y axis starts here or lower */
};

/* A result row with its label in the figure and its colour: 0 to 15 for the CSS classes s0 to s7 and q0 to q7
 * (report/html.h). An entry of the legend has no row. */
struct figure_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

#define FIGURE_LINES_MAX 96u /* most entries of figures with one line for each entry; further entries are left out */

/* Draws each row's series (pairs of position and value) up to the position `before`, as a line; if `dots`, as dots on
 * an x axis that includes 0. */
bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before, bool dots);
/* Draws the rows' histograms with a logarithmic axis for the counts: the whole range, or with `body` only up to the
 * 99.9th percentile. */
bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body);

/* A value with the ends of its confidence interval; NAN: not known. x is its position on the x axis, for figure_curve()
 * only. */
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
/* Draws n lines, at most FIGURE_LINES_MAX, with a dot and an error bar at each point. Returns false also when all
 * points have the same x. */
bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n);

/* A horizontal line from one x to another. */
struct figure_level {
    double from, to, value;
};
/* Draws the points as dots, each level as a horizontal line at its value, and a vertical line between two levels. The x
 * axis ends where the levels do. */
bool figure_levels(struct text *out, const struct figure *figure, const struct stats_point *points, size_t n,
                   const struct figure_level *levels, size_t n_levels);

/* Vertical bars: a group for each category, with a bar for each series, whose value is values[category * n_series +
 * series]. */
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
/* Draws a line for each row, from its minimum to its maximum on a logarithmic axis, thicker from the median to the 99th
 * percentile. */
bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws a line for each row: its samples as dots (at most 300), a bar at the median, and the 95 % interval of the
 * mean. */
bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws a strip of time for each row, whose colours show the share of the time that was lost. The row's series has the
 * time lost in each of equal parts of the run, as for plot_strip(). x_unit is the unit of the series' positions. */
bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);

/* Horizontal stacked bars: entry e has a bar whose pieces are values[e * n_parts] and the n_parts - 1 values after
 * it. */
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
/* The values that many hosts have for one metric; hosts that stand out are named. */
struct figure_dots {
    const double *values; /* all values; NAN: no value */
    size_t n;
    double median;
    const struct figure_dot *named; /* values with a name; at most FIGURE_NAMED_MAX are shown */
    size_t n_named;
};
/* Draws a strip with a dot for each value, and the median as a line. If there are more than 400 values, only the 400 at
 * evenly spaced ranks have a dot. */
bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots);

#endif
