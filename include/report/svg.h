/* SPDX-License-Identifier: MIT */
/* Draws plots as SVG text: scales, ticks, axes and marks. The functions know neither rows nor benchmarks. Coordinates
 * are pixels from the top left, written with one decimal. Marks have class names, and get their
 * colours from the page's style (`currentColor`). Text is escaped. The size of the output is bounded for any values: a
 * line by the pixel columns of its plot, dots by its pixels. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* --- Scales. --- */

/* Maps the values low to high to the coordinates from and to. */
struct svg_scale {
    double low, high, from, to;
    bool log;
};

/* Returns a scale that includes both values, in any order. Equal values are widened to a range. Values that are not
 * finite are ignored; if both are, the scale is 0 to 1 (log: 1 to 10). A logarithmic scale cannot include 0 or less:
 * low is at most 12 decades below high. */
struct svg_scale svg_scale(double low, double high, double from, double to, bool log);
/* Widens the scale to round numbers: a linear one to whole steps of 1, 2 or 5 times a power of ten, about `most` of
 * them; a logarithmic one to 1, 2 or 5 times a power of ten. */
void svg_scale_round(struct svg_scale *scale, unsigned most);
/* Returns the coordinate of a value; values outside are placed at the edge. */
double svg_at(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 24
struct svg_ticks {
    size_t n;
    double at[SVG_TICKS_MAX];
    char label[SVG_TICKS_MAX][32];
    char unit[48]; /* unit of the labels' numbers, for the axis title; "" when each label has its own unit, or there is
                    * none */
    double widest; /* width of the widest label in pixels at the page's font size, rounded up generously */
};
/* Chooses ticks at round numbers. On a linear scale they are 1, 2 or 5 times a power of ten apart, with labels in one
 * unit. On a logarithmic scale they are at each power of ten, at fewer of them, or also at 2 and 5 times each, as there
 * is room; labels of times, bytes and frequencies have a unit each. unit: as for units_choose(). room: pixels that a
 * label needs along the axis; 0: the width of its text. */
void svg_ticks(const struct svg_scale *scale, const char *unit, double room, struct svg_ticks *ticks);

/* Returns an upper estimate of a text's width in the page's small font. */
double svg_text_width(const char *s);

/* --- The picture. --- */

/* Begins an SVG group: everything until svg_group_end() has these CSS classes. */
void svg_group(struct text *out, const char *classes);
void svg_group_end(struct text *out);

/* --- Marks. tip is the tooltip; NULL for none. --- */

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes);
void svg_box(struct text *out, double x, double y, double width, double height, const char *classes, const char *tip);
void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip);
/* Writes a label. anchor: "start", "middle" or "end". most: width in pixels to which it is cut; the tooltip then has
 * the whole text. 0: no limit. */
void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
               double most);

/* Draws a line through the points, which are in ascending order of `at`. Of the points in one pixel column only the
 * first, last, least and greatest are drawn. Values that are not finite are left out. */
void svg_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes);
/* Draws a dot for each point; points on the same pixel share one. */
void svg_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                 const struct stats_point *points, size_t n, const char *classes);
/* Draws the outline of n bars without gaps between the n + 1 edges, down to the low end of y. */
void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const double *edges,
               const double *heights, size_t n, const char *classes);

/* --- Axes. --- */

struct svg_axis {
    const struct svg_scale *scale;
    const struct svg_ticks *ticks;
    const char *title; /* "Cycles"; the unit of the ticks and "log scale" are appended to it */
};
/* Draw the x axis (y is its vertical position), or the y axis (x is its horizontal position), with grid lines across
 * the plot. The title is below the labels, or above the plot at the left edge of the picture. */
void svg_axis_below(struct text *out, const struct svg_axis *axis, double y, double grid_top);
void svg_axis_left(struct text *out, const struct svg_axis *axis, double x, double grid_right);

#endif
