/* SPDX-License-Identifier: MIT */
/* Figures of result rows with two axes: lines, dots, histograms, curves, vertical bars. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "out/out.h"
#include "sys/base.h"

#define TICK_ROOM   18.0 /* pixels that a tick needs along the y axis */
#define LOG_FROM    20.0 /* an axis is logarithmic from this ratio of highest to lowest on */
#define BODY        0.999
#define BINS        96
#define LEAST_COUNT 0.5 /* lower end of a logarithmic count axis, so that a count of one has a bar too */
#define WIDEST_BAR  26.0

const char *frame_class(unsigned colour)
{
    static const char *const classes[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                          "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"};
    return classes[colour % (FRAME_LEVEL + HTML_LEVELS)];
}

/* --- the frame -------------------------------------------------------------------------------------------------- */

void frame_legend_item(struct text *out, const char *classes, const char *label)
{
    html_put(out, "<span><i class=\"key %s\"></i>%s</span>", classes, label);
}

void frame_open(struct text *out, const struct figure *figure, const struct figure_entry *keys, size_t n, double height)
{
    html_put(out, "<figure><figcaption>%s", figure->title);
    if (figure->note && figure->note[0])
        html_put(out, "<small>%s</small>", figure->note);
    text_printf(out, "</figcaption>\n");
    if (n > 1) {
        text_printf(out, FRAME_LEGEND);
        for (size_t i = 0; i < n && i < FIGURE_LINES_MAX; i++)
            frame_legend_item(out, frame_class(keys[i].colour), keys[i].label);
        text_printf(out, "</div>\n");
    }
    html_put(out, "<svg role=\"img\" viewBox=\"0 0 %f %f\" preserveAspectRatio=\"xMidYMin meet\"><title>%s</title>",
             FRAME_WIDTH, height, figure->title);
}

void frame_x_ticks(struct frame *f, const char *unit)
{
    svg_ticks(&f->x, unit, 0, &f->x_ticks);
    if (f->x_ticks.n == 0)
        return;
    size_t last = f->x_ticks.n - 1;
    double end = svg_at(&f->x, f->x_ticks.at[last]) + svg_text_width(f->x_ticks.label[last]) / 2;
    if (end > FRAME_WIDTH) {
        f->x.to -= end - FRAME_WIDTH;
        svg_ticks(&f->x, unit, 0, &f->x_ticks);
    }
}

void frame_end(struct text *out)
{
    text_printf(out, "</svg>\n</figure>\n");
}

void frame_extend(struct frame_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = range->found ? fmin(range->low, value) : value;
    range->high = range->found ? fmax(range->high, value) : value;
    if (value > 0)
        range->least = range->least > 0 ? fmin(range->least, value) : value;
    range->found = true;
}

static bool wants_log(const struct frame_range *range)
{
    return range->low > 0 && range->high / range->low > LOG_FROM;
}

/* Ranges are widened to round numbers; the x range is not if x_exact. */
static void frame_begin(struct text *out, const struct figure *figure, const struct figure_entry *keys, size_t n,
                        struct frame *f, bool x_exact)
{
    const double bottom = FRAME_HEIGHT - 38, top = 26;

    f->y.from = bottom;
    f->y.to = top;
    svg_scale_round(&f->y, 6);
    svg_ticks(&f->y, figure->y_unit, TICK_ROOM, &f->y_ticks);
    f->x.from = f->y_ticks.widest + 10;
    f->x.to = FRAME_WIDTH - 22;
    if (!x_exact)
        svg_scale_round(&f->x, 6);
    frame_x_ticks(f, figure->x_unit);
    frame_open(out, figure, keys, n, FRAME_HEIGHT);
    html_put(out, "<desc>Across: %s, %s. Upwards: %s, %s.</desc>", figure->x_title,
             UNITS_RANGE(f->x.low, f->x.high, figure->x_unit), figure->y_title,
             UNITS_RANGE(f->y.low, f->y.high, figure->y_unit));
    svg_axis_left(out, &(struct svg_axis){&f->y, &f->y_ticks, figure->y_title}, f->x.from, f->x.to);
    svg_axis_below(out, &(struct svg_axis){&f->x, &f->x_ticks, figure->x_title}, bottom, top);
}

/* --- series ----------------------------------------------------------------------------------------------------- */

static size_t count_before(const struct row *row, double before)
{
    size_t n = 0;

    while (n < row->n_series && row->series[n].at < before)
        n++;
    return n;
}

bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before, bool dots)
{
    struct frame_range x = {0}, y = {0};
    struct frame f;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0, points = count_before(entries[i].row, before); j < points; j++) {
            frame_extend(&x, entries[i].row->series[j].at);
            frame_extend(&y, entries[i].row->series[j].value);
        }
    if (!y.found)
        return false;
    f.x = svg_scale(dots ? fmin(x.low, 0) : x.low, x.high, 0, 1, false);
    f.y = svg_scale(y.low, y.high, 0, 1, wants_log(&y));
    frame_begin(out, figure, entries, n, &f, false);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        svg_group(out, frame_class(entries[i].colour));
        (dots ? svg_scatter : svg_trace)(out, &f.x, &f.y, row->series, count_before(row, before),
                                         dots ? "dots" : "thin");
        svg_group_end(out);
    }
    frame_end(out);
    return true;
}

/* --- histograms ------------------------------------------------------------------------------------------------- */

static double position_of(const struct row *row, double share)
{
    double sum = 0, so_far = 0;

    for (size_t i = 0; i < row->n_hist; i++)
        sum += plot_is_event(&row->hist[i]) ? row->hist[i].value : 0;
    for (size_t i = 0; i < row->n_hist; i++) {
        so_far += plot_is_event(&row->hist[i]) ? row->hist[i].value : 0;
        if (so_far >= share * sum && so_far > 0)
            return row->hist[i].at;
    }
    return NAN;
}

/* The least distance between two values (up to the limit): usually the resolution of the clock. Narrower bins would
 * alternate with empty ones. */
static double finest(const struct figure_entry *entries, size_t n, double limit)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < entries[i].row->n_hist && entries[i].row->hist[j].at <= limit; j++) {
            double apart = entries[i].row->hist[j].at - entries[i].row->hist[j - 1].at;
            least = apart > 0 ? fmin(least, apart) : least;
        }
    return isfinite(least) ? least : 1;
}

struct bins {
    double edges[BINS + 1], counts[BINS];
    size_t n;
};

static void make_bins(struct bins *bins, const struct svg_scale *x, double grain)
{
    double width = (x->high - x->low) / BINS;

    bins->n = BINS;
    if (!x->log) {
        width = fmax(ceil(width / grain - 1e-6), 1) * grain;
        bins->n = (size_t)ceil((x->high - x->low) / width - 1e-6);
        bins->n = bins->n < 1 ? 1 : bins->n > BINS ? BINS : bins->n;
    }
    for (size_t i = 0; i <= bins->n; i++)
        bins->edges[i] =
            x->log ? x->low * pow(x->high / x->low, (double)i / BINS) : fmin(x->low + width * (double)i, x->high);
}

static double greatest_count(struct bins *bins, const struct figure_entry *entries, size_t n)
{
    double most = 1;

    for (size_t i = 0; i < n; i++) {
        plot_count(entries[i].row, bins->edges, bins->n, bins->counts);
        for (size_t j = 0; j < bins->n; j++)
            most = fmax(most, bins->counts[j]);
    }
    return most;
}

bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body)
{
    struct frame_range x = {0};
    struct frame f;
    struct bins bins;

    for (size_t i = 0; i < n; i++) {
        frame_extend(&x, position_of(entries[i].row, 0));
        frame_extend(&x, position_of(entries[i].row, body ? BODY : 1));
    }
    if (!x.found)
        return false;
    double grain = finest(entries, n, x.high);
    f.x = svg_scale(x.low, x.high + (wants_log(&x) ? 0 : grain), 0, 1, !body && wants_log(&x));
    svg_scale_round(&f.x, 6);
    make_bins(&bins, &f.x, grain);
    f.y = svg_scale(LEAST_COUNT, greatest_count(&bins, entries, n), 0, 1, true);
    frame_begin(out, figure, entries, n, &f, true);
    for (size_t i = 0; i < n; i++) {
        plot_count(entries[i].row, bins.edges, bins.n, bins.counts);
        svg_group(out, frame_class(entries[i].colour));
        svg_steps(out, &f.x, &f.y, bins.edges, bins.counts, bins.n, n < 3 ? "area" : "thin");
        svg_group_end(out);
    }
    frame_end(out);
    return true;
}

/* --- curves ----------------------------------------------------------------------------------------------------- */

static int by_x(const void *a, const void *b)
{
    return ORDER_OF(((const struct figure_value *)a)->x, ((const struct figure_value *)b)->x);
}

static const char *tip_of(const struct figure *figure, const char *label, const struct figure_value *v, char tip[512])
{
    const bool interval = isfinite(v->low) && isfinite(v->high);

    return text_line(tip, 512, interval ? "%s: %s (95 %% of the mean: %s)" : "%s: %s", label,
                     UNITS_VALUE(v->value, figure->y_unit), UNITS_RANGE(v->low, v->high, figure->y_unit));
}

static void put_whisker(struct text *out, const struct frame *f, double x, const struct figure_value *v)
{
    if (!isfinite(v->low) || !isfinite(v->high) || !(v->high > v->low))
        return;
    double low = svg_at(&f->y, v->low), high = svg_at(&f->y, v->high);
    svg_line(out, x, low, x, high, "whisker");
    svg_line(out, x - 2.5, low, x + 2.5, low, "whisker");
    svg_line(out, x - 2.5, high, x + 2.5, high, "whisker");
}

static void put_curve(struct text *out, const struct figure *figure, const struct frame *f,
                      const struct figure_line *line)
{
    struct stats_point points[FIGURE_LINES_MAX];
    char tip[512];
    size_t n = 0;

    for (size_t i = 0; i < line->n && n < FIGURE_LINES_MAX; i++)
        if (isfinite(line->values[i].x) && isfinite(line->values[i].value))
            points[n++] = (struct stats_point){line->values[i].x, line->values[i].value};
    svg_group(out, frame_class(line->colour));
    svg_trace(out, &f->x, &f->y, points, n, "");
    for (size_t i = 0; i < line->n && i < FIGURE_LINES_MAX; i++) {
        const struct figure_value *v = &line->values[i];
        if (!isfinite(v->x) || !isfinite(v->value))
            continue;
        put_whisker(out, f, svg_at(&f->x, v->x), v);
        svg_dot(out, svg_at(&f->x, v->x), svg_at(&f->y, v->value), 3, "mark", tip_of(figure, line->label, v, tip));
    }
    svg_group_end(out);
}

bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n)
{
    struct figure_entry keys[FIGURE_LINES_MAX];
    struct frame_range x = {0}, y = {0};
    struct frame f;

    for (size_t i = 0; i < n; i++) {
        keys[i] = (struct figure_entry){.label = lines[i].label, .colour = lines[i].colour};
        qsort(lines[i].values, lines[i].n, sizeof(*lines[i].values), by_x);
        for (size_t j = 0; j < lines[i].n; j++) {
            const struct figure_value *v = &lines[i].values[j];
            if (!isfinite(v->value))
                continue;
            frame_extend(&x, v->x);
            frame_extend(&y, v->value);
            frame_extend(&y, v->high);
        }
    }
    if (!x.found || !(x.high > x.low)) /* a line of one point shows nothing */
        return false;
    bool log = wants_log(&x) && wants_log(&y);
    f.x = svg_scale(x.low, x.high, 0, 1, log || figure->x_log);
    f.y = svg_scale(log ? y.low : fmin(y.low, figure->y_low), y.high, 0, 1, log);
    frame_begin(out, figure, keys, n, &f, false);
    for (size_t i = 0; i < n; i++)
        put_curve(out, figure, &f, &lines[i]);
    frame_end(out);
    return true;
}

bool figure_levels(struct text *out, const struct figure *figure, const struct stats_point *points, size_t n,
                   const struct figure_level *levels, size_t n_levels)
{
    struct frame_range x = {0}, y = {0};
    struct frame f;

    for (size_t i = 0; i < n; i++)
        frame_extend(&y, points[i].value);
    for (size_t i = 0; i < n_levels; i++) {
        frame_extend(&x, levels[i].from);
        frame_extend(&x, levels[i].to);
    }
    if (!x.found || !y.found)
        return false;
    f.x = svg_scale(x.low, x.high, 0, 1, false);
    f.y = svg_scale(y.low, y.high, 0, 1, wants_log(&y));
    frame_begin(out, figure, NULL, 0, &f, true);
    svg_group(out, "s0");
    svg_scatter(out, &f.x, &f.y, points, n, "dots");
    svg_group_end(out);
    svg_group(out, "s1");
    for (size_t i = 0; i < n_levels; i++) {
        const double from = svg_at(&f.x, levels[i].from), level = svg_at(&f.y, levels[i].value);
        svg_line(out, from, level, svg_at(&f.x, levels[i].to), level, "bold");
        if (i)
            svg_line(out, from, f.y.from, from, f.y.to, "thin");
    }
    svg_group_end(out);
    frame_end(out);
    return true;
}

/* --- vertical bars ---------------------------------------------------------------------------------------------- */

/* Below the bars: every nth name if there is no room for all. */
static void put_categories(struct text *out, const struct figure *figure, const struct figure_bars *bars,
                           const struct frame *f)
{
    double room = (f->x.to - f->x.from) / (double)bars->n_categories, widest = 0;
    size_t every = 1;

    for (size_t i = 0; i < bars->n_categories; i++)
        widest = fmax(widest, fmin(svg_text_width(bars->categories[i]), 90) + 6);
    while (room * (double)every < widest && every < bars->n_categories)
        every++;
    svg_group(out, "axis x");
    for (size_t i = 0; i < bars->n_categories; i += every)
        svg_label(out, f->x.from + room * ((double)i + 0.5), f->y.from + 18, "middle", "tick", bars->categories[i],
                  fmax(room * (double)every, 40));
    svg_line(out, f->x.from, f->y.from, f->x.to, f->y.from, "base");
    svg_label(out, f->x.to, f->y.from + 33, "end", "name", figure->x_title, 0);
    svg_group_end(out);
}

static void put_bar(struct text *out, const struct figure *figure, const struct figure_bars *bars, size_t number,
                    const struct frame *f)
{
    size_t per_category = bars->n_series > 0 ? bars->n_series : 1;
    size_t category = number / per_category, series = number % per_category;
    double room = (f->x.to - f->x.from) / (double)bars->n_categories;
    double width = fmin(room * 0.8 / (double)per_category, WIDEST_BAR);
    double left = f->x.from + room * ((double)category + 0.5) - width * (double)bars->n_series / 2;
    const struct figure_value *v = &bars->values[number];
    char tip[512];

    if (!isfinite(v->value))
        return;
    double x = left + width * (double)series, y = svg_at(&f->y, v->value), foot = f->y.from;
    svg_box(out, x + 0.5, v->value > 0 ? fmin(y, foot - 1) : foot - 0.5, fmax(width - 1, 0.6),
            v->value > 0 ? fmax(foot - y, 1) : 0.5, frame_class(bars->series[series].colour),
            tip_of(figure, TEXT_LINE("%.60s, %.60s", bars->categories[category], bars->series[series].label), v, tip));
    put_whisker(out, f, x + width / 2, v);
}

bool figure_bars(struct text *out, const struct figure *figure, const struct figure_bars *bars)
{
    size_t n = bars->n_categories * bars->n_series;
    struct frame_range y = {0};
    struct frame f;

    for (size_t i = 0; i < n; i++)
        if (isfinite(bars->values[i].value)) {
            frame_extend(&y, bars->values[i].value);
            frame_extend(&y, bars->values[i].high);
        }
    if (!y.found || bars->n_series == 0)
        return false;
    f.y = svg_scale(bars->log ? fmin(y.least > 0 ? y.least / 2 : 1, LEAST_COUNT) : fmin(y.low, 0), y.high,
                    FRAME_HEIGHT - 38, 26, bars->log);
    svg_scale_round(&f.y, 6);
    svg_ticks(&f.y, figure->y_unit, TICK_ROOM, &f.y_ticks);
    f.x = (struct svg_scale){.low = 0, .high = 1, .from = f.y_ticks.widest + 10, .to = FRAME_WIDTH - 6};
    frame_open(out, figure, bars->series, bars->n_series, FRAME_HEIGHT);
    html_put(out, "<desc>Bars of %s by %s.</desc>", figure->y_title, figure->x_title);
    svg_axis_left(out, &(struct svg_axis){&f.y, &f.y_ticks, figure->y_title}, f.x.from, f.x.to);
    put_categories(out, figure, bars, &f);
    for (size_t i = 0; i < n; i++)
        put_bar(out, figure, bars, i, &f);
    frame_end(out);
    return true;
}
