/* SPDX-License-Identifier: MIT */
/* Plots as SVG text: scales, ticks, axes and marks. Pure writers, which know neither rows nor benchmarks. Coordinates
 * are pixels from the top left, written with one decimal and '.' whatever the locale. Colours come from the page: a
 * mark has class names, and takes `currentColor`. Text is escaped. Whatever the values, what is written stays bounded:
 * a line by the pixel columns of its plot, dots by its pixels. */
#ifndef OUT_SVG_H
#define OUT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"
#include "engine/text.h"

/* --- Scales. --- */

/* low to high is mapped to the coordinates from and to. */
struct svg_scale {
    double low, high, from, to;
    bool log;
};

/* A scale that holds both values. They may be in any order, equal or not finite: then it is widened, or 0 to 1 (log: 1
 * to 10). A logarithmic scale has no place for 0 or less: low is taken as at most 12 decades below high. */
struct svg_scale svg_scale(double low, double high, double from, double to, bool log);
/* Widens it to round numbers: steps of 1, 2 or 5, of which most fit at most. */
void svg_scale_round(struct svg_scale *scale, unsigned most);
/* The coordinate of a value; what is outside is put on the edge. */
double svg_at(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 24
struct svg_ticks {
    size_t n;
    double at[SVG_TICKS_MAX];
    char label[SVG_TICKS_MAX][32];
    char unit[48]; /* of the labels' numbers, for the axis title; "" where each label has its own, or there is none */
    double widest; /* of the labels, in pixels at the page's font size, generously */
};
/* Ticks at round numbers. Linear: steps of 1, 2 or 5, all in one unit. Logarithmic: decades, or fewer or more (2 and 5)
 * where there is room; labels of time, bytes and frequency have a unit each. unit as in units_choose(). room: the
 * pixels that a label needs along the axis, and 0 when that is its own width. */
void svg_ticks(const struct svg_scale *scale, const char *unit, double room, struct svg_ticks *ticks);

/* How wide a text of the page's small font is, generously. */
double svg_text_width(const char *s);

/* --- The picture. --- */

/* description says in words what is to be seen. */
void svg_open(struct text *out, double width, double height, const char *title, const char *description);
void svg_close(struct text *out);

/* Everything until svg_group_end() has the class. */
void svg_group(struct text *out, const char *classes);
void svg_group_end(struct text *out);

/* --- Marks. tip is what a pointer over it shows; NULL for none. --- */

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes);
void svg_box(struct text *out, double x, double y, double width, double height, const char *classes, const char *tip);
void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip);
/* anchor: "start", "middle" or "end". most: pixels; what does not fit is cut, and the tip has the whole. 0: no limit.
 */
void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
               double most);

/* A line through the points, which rise in `at`. In a column of pixels only the first, the last, the least and the
 * greatest are drawn. What is not finite is left out. */
void svg_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct row_pair *points,
               size_t n, const char *classes);
/* A dot for each point, one where several fall on the same pixel. -1 when out of memory. */
int svg_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct row_pair *points,
                size_t n, const char *classes);
/* The outline of n bars without gaps between the n + 1 edges, down to the low end of y. */
void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const double *edges,
               const double *heights, size_t n, const char *classes);

/* --- Axes. --- */

struct svg_axis {
    const struct svg_scale *scale;
    const struct svg_ticks *ticks;
    const char *title; /* "Cycles"; the unit of the ticks is put behind it, and "log scale" */
};
/* The axis below (y is its height), or at the left of the plot (x), with grid lines across to the other end. Its title
 * stands below the labels, or above the plot at the left end of the picture. */
void svg_axis_below(struct text *out, const struct svg_axis *axis, double y, double grid_top);
void svg_axis_left(struct text *out, const struct svg_axis *axis, double x, double grid_right);

#endif
