/* SPDX-License-Identifier: MIT */
/* Common parts of the figures: caption, legend, size. */
#ifndef REPORT_FIGURE_FRAME_H
#define REPORT_FIGURE_FRAME_H

#include "report/figure.h"
#include "report/html.h"
#include "report/svg.h"

#define FRAME_WIDTH  360.0
#define FRAME_HEIGHT 216.0

/* A range that is extended by each finite value added to it; others are ignored. */
struct frame_range {
    double low, high;
    double least; /* least value above 0; 0: none */
    bool found;
};

struct frame {
    struct svg_scale x, y;
    struct svg_ticks x_ticks, y_ticks;
};

#define FRAME_LEVEL HTML_COLOURS /* colour numbers from here on: the levels of a strip */

/* Returns the class of a colour: a series, or from FRAME_LEVEL on a level. */
const char *frame_class(unsigned colour);
void frame_extend(struct frame_range *range, double value);
/* Begins a figure: caption, legend if there are several keys, and picture. Its description ("<desc>..</desc>") is to
 * follow. Only labels and colours of the keys are used. */
void frame_open(struct text *out, const struct figure *figure, const struct figure_entry *keys, size_t n,
                double height);
#define FRAME_LEGEND "<div class=\"legend\">"
void frame_legend_item(struct text *out, const char *classes, const char *label);
/* Sets the ticks of the x axis; the scale ends earlier where the last label would exceed the right edge. */
void frame_x_ticks(struct frame *f, const char *unit);
void frame_end(struct text *out);

#endif
