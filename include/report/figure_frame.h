/* SPDX-License-Identifier: MIT */
/* Common parts of the figures of an HTML page (report/figure.h): caption, legend, size, ticks of the x axis. */
#ifndef REPORT_FIGURE_FRAME_H
#define REPORT_FIGURE_FRAME_H

#include "report/figure.h"
#include "report/html.h"
#include "report/svg.h"

#define FRAME_WIDTH  360.0
#define FRAME_HEIGHT 216.0

/* The range of the values given to frame_extend(), which ignores those that are not finite. */
struct frame_range {
    double low, high;
    double least; /* least value above 0; 0: none */
    bool found;
};

struct frame {
    struct svg_scale x, y;
    struct svg_ticks x_ticks, y_ticks;
};

#define FRAME_LEVEL HTML_COLOURS /* colours from this number on are the levels of a strip: CSS classes q0 to q7 */

/* Returns the CSS class of a colour: "s0" to "s7" for a series, "q0" to "q7" for a level (from FRAME_LEVEL on). */
const char *frame_class(unsigned colour);
void frame_extend(struct frame_range *range, double value);
/* Begins a figure: writes its caption, a legend if there are several keys, and the start of its SVG, `height` pixels
 * high. The caller then writes the description ("<desc>..</desc>"). keys: the n entries of the legend, of which only
 * labels and colours are used. */
void frame_open(struct text *out, const struct figure *figure, const struct figure_entry *keys, size_t n,
                double height);
#define FRAME_LEGEND "<div class=\"legend\">"
void frame_legend_item(struct text *out, const char *classes, const char *label);
/* Sets the ticks of the x axis. Shortens the axis if the label of its last tick would exceed the right edge. */
void frame_x_ticks(struct frame *f, const char *unit);
void frame_end(struct text *out);

#endif
