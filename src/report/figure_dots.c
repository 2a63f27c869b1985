/* SPDX-License-Identifier: MIT */
/* Figure with a dot for each of many hosts at its value of one metric; those that stand out are named. */
#include <math.h>

#include "report/report.h"
#include "sys/base.h"

#define LINE       14.0 /* height of a line with a name */
#define STRIP      34.0
#define BELOW      38.0
#define DOTS_MOST  400u /* more dots are reduced to this many at evenly spaced ranks */
#define LOG_FROM   50.0
#define LABEL_MOST 150.0

static size_t sort_known(const struct figure_dots *dots, double *sorted)
{
    size_t n = 0;

    for (size_t i = 0; i < dots->n; i++)
        if (isfinite(dots->values[i]))
            sorted[n++] = dots->values[i];
    stats_sort(sorted, n);
    return n;
}

/* From 0 to 1: looks random, but is always the same for a number (Knuth's multiplicative hash). */
static double height_of(size_t number)
{
    return (double)((uint32_t)(number + 1) * UINT32_C(2654435761) >> 16) / 65536.0;
}

static void put_dots(struct text *out, const struct svg_scale *x, const double *sorted, size_t n, double top)
{
    const struct svg_scale y = {.low = 0, .high = 1, .from = top + STRIP - 5, .to = top + 5};
    struct stats_point points[DOTS_MOST];
    size_t shown = n < DOTS_MOST ? n : DOTS_MOST;

    for (size_t i = 0; i < shown; i++)
        points[i] = (struct stats_point){sorted[shown < n ? i * (n - 1) / (DOTS_MOST - 1) : i], height_of(i)};
    svg_group(out, "s6");
    svg_scatter(out, x, &y, points, shown, "dots");
    svg_group_end(out);
}

/* Lines between names and dots do not cross: names of the left half come first, from the leftmost down, then those
 * of the right half, from the rightmost down. */
static size_t line_of(const struct figure_dots *dots, size_t n, size_t number, double middle)
{
    const struct figure_dot *own = &dots->named[number];
    bool right = own->value > middle;
    size_t line = 0;

    for (size_t i = 0; i < n; i++) {
        const struct figure_dot *other = &dots->named[i];
        bool other_right = other->value > middle;
        bool before = right ? other->value > own->value : other->value < own->value;
        line += i != number && (other_right != right ? right : before || (other->value == own->value && i < number));
    }
    return line;
}

static void put_named(struct text *out, const struct figure *figure, const struct svg_scale *x,
                      const struct figure_dots *dots, size_t n, double top)
{
    double half = (x->from + x->to) / 2, middle = x->low;

    for (size_t i = 0; i < n; i++)
        if (svg_at(x, dots->named[i].value) < half)
            middle = fmax(middle, dots->named[i].value);
    for (size_t i = 0; i < n; i++) {
        const struct figure_dot *dot = &dots->named[i];
        double at = svg_at(x, dot->value), y = LINE * (double)line_of(dots, n, i, middle) + 11;
        svg_line(out, at, y - 9, at, top + STRIP / 2, "base");
        svg_group(out, dot->worse ? "s1" : "s0");
        svg_dot(out, at, top + STRIP / 2, 4, "mark",
                TEXT_LINE("%.120s: %.60s", dot->name, UNITS_VALUE(dot->value, figure->x_unit)));
        svg_group_end(out);
        svg_label(out, at < half ? at + 5 : at - 5, y, at < half ? "start" : "end", "ink", dot->name, LABEL_MOST);
    }
}

bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots)
{
    FREED_BY(memory_free) double *sorted = memory_get(dots->n, sizeof(*sorted));
    size_t n = sort_known(dots, sorted);
    size_t named = dots->n_named < FIGURE_NAMED_MAX ? dots->n_named : FIGURE_NAMED_MAX;
    double top = LINE * (double)named + 4;
    struct frame f;

    if (!n)
        return false;
    f.x = svg_scale(sorted[0], sorted[n - 1], 20, FRAME_WIDTH - 20,
                    sorted[0] > 0 && sorted[n - 1] / sorted[0] > LOG_FROM);
    svg_scale_round(&f.x, 5);
    frame_x_ticks(&f, figure->x_unit);
    frame_open(out, figure, NULL, 0, top + STRIP + BELOW);
    html_put(out, "<desc>%zu dots; across: %s, %s.</desc>", n, figure->x_title,
             UNITS_RANGE(sorted[0], sorted[n - 1], figure->x_unit));
    svg_axis_below(out, &(struct svg_axis){&f.x, &f.x_ticks, figure->x_title}, top + STRIP, top);
    put_dots(out, &f.x, sorted, n, top);
    if (isfinite(dots->median))
        svg_line(out, svg_at(&f.x, dots->median), top, svg_at(&f.x, dots->median), top + STRIP, "whisker bold");
    put_named(out, figure, &f.x, dots, named, top);
    frame_end(out);
    return true;
}
