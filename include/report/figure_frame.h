/* SPDX-License-Identifier: MIT */
/* Common parts of the figures: caption, legend, size. */
#ifndef REPORT_FIGURE_FRAME_H
#define REPORT_FIGURE_FRAME_H

#include "report/figure.h"
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

/* Returns the class of a series' colour. */
const char *frame_class(unsigned colour);
void frame_extend(struct frame_range *range, double value);
void frame_caption(struct text *out, const struct figure *figure);
void frame_legend_begin(struct text *out);
void frame_legend_item(struct text *out, const char *classes, const char *label);
void frame_legend_end(struct text *out);
/* Sets the ticks of the x axis; the scale ends earlier where the last label would exceed the right edge. */
void frame_x_ticks(struct frame *f, const char *unit);
void frame_end(struct text *out);

#endif
