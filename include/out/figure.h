/* SPDX-License-Identifier: MIT */
/* Figures of an HTML page, each a <figure> with one SVG of 360 pixels' width. They know rows and no benchmark by name:
 * what is drawn of which rows, and how the axes are called, is the caller's. Each returns false, and writes nothing,
 * when there is nothing to draw. What a figure writes is bounded, whatever the rows hold, and the same for the same
 * rows. */
#ifndef OUT_FIGURE_H
#define OUT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"
#include "engine/text.h"

struct figure {
    const char *title, *note; /* note: a line in small print below; NULL for none */
    const char *x_title, *y_title;
    const char *x_unit, *y_unit; /* as units_choose() takes them */
    double x_low, x_high;        /* ranges: what the axis is to hold as well, so that several panels share it */
    bool x_log;                  /* curve: across always, whatever the values are */
    double y_low;                /* curve: what the axis upwards begins at */
};

/* A row with what it is called in the figure, and the number of its colour (classes of out/html.h). */
struct figure_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

#define FIGURE_LINES_MAX 96u /* entries of figures that have a line for each: what is more is left out */

/* The rows' series as lines, of the events before position `before`. */
bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before);
/* The rows' series as dots over their whole length. x_scale: positions are multiplied by it. */
bool figure_scatter(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                    double x_scale);
/* The rows' histograms with logarithmic counts: whole, or only up to what 99.9 % of the events keep below. */
bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body);

/* A figure with its interval; NAN: not known. */
struct figure_value {
    double x, value, low, high;
};

/* Lines through points with whiskers; values in rising x. */
struct figure_line {
    const char *label;
    unsigned colour;
    const struct figure_value *values;
    size_t n;
};
bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n);

/* Upright bars: a group for each category, in it a bar for each series. values[category * n_series + series]. */
struct figure_bars {
    const char *const *categories, *const *series;
    const unsigned *colours; /* of the series */
    size_t n_categories, n_series;
    const struct figure_value *values;
    bool log;
};
bool figure_bars(struct text *out, const struct figure *figure, const struct figure_bars *bars);

/* A bar to the right for each entry, with the value at its end. */
bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n);
/* From minimum to maximum on a logarithmic axis, strong from median to 99th percentile. */
bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Each sample as a dot, the median, and the mean with its interval. */
bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Over time: the share that was lost in equal parts of it (a series as plot_strip() takes it). x_unit is that of time.
 */
bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);

/* Bars to the right made of parts. values[entry * n_parts + part]. */
struct figure_parts {
    const char *const *names;
    const unsigned *colours;
    size_t n_parts;
    const double *values;
};
bool figure_stacks(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                   const struct figure_parts *parts);

#endif
