/* SPDX-License-Identifier: MIT */
/* Figures of result rows with two axes: lines, dots, histograms, curves, vertical bars. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "sys/base.h"

#define TICK_ROOM   18.0 /* pixels that a tick needs along the y axis */
#define LOG_FROM    20.0 /* an axis is logarithmic from this ratio of highest to lowest on */
#define WIDE        50.0 /* the same in figures with a line for each row or host */
#define BODY        0.999
#define BINS        96
#define LEAST_COUNT 0.5 /* lower end of a logarithmic count axis, so that a count of one has a bar too */
#define WIDEST_BAR  26.0

#define FRAME_WIDTH  360.0
#define FRAME_HEIGHT 216.0
#define FRAME_LEVEL  HTML_COLOURS /* colours from this number on are the levels of a strip: CSS classes q0 to q7 */

struct frame_range {
    double low, high;
    double least; /* above 0; 0: none */
    bool found;
};

struct frame {
    struct svg_scale x, y;
    struct svg_ticks x_ticks, y_ticks;
};

static const char *frame_class(unsigned colour)
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

/* Up to the start of the SVG, `height` pixels high; a legend if there are several keys. The description follows. */
static void frame_open(struct text *out, const struct figure *figure, const struct figure_entry *keys, size_t n,
                       double height)
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

/* Shortens the axis if the label of its last tick would exceed the right edge. */
static void frame_x_ticks(struct frame *f, const char *unit)
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

static void frame_end(struct text *out)
{
    text_printf(out, "</svg>\n</figure>\n");
}

/* Ignores values that are not finite. */
static void frame_extend(struct frame_range *range, double value)
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

/* Figures with a line for each result row: bars, ranges, samples, strips of time, stacked bars. */

#define LINE        17.0
#define TOP         6.0
#define BELOW       38.0
#define LABEL_MOST  118.0
#define LABEL_GAP   12.0
#define SAMPLES     300u /* most dots in a line; of more samples every nth is drawn */
#define STRIP_CELLS 240u

/* right: pixels kept free at the right of the axis. keys: entries of the legend. */
static void lines_begin(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                        struct frame *f, double right, const struct figure_entry *keys, size_t n_keys)
{
    double bottom = TOP + LINE * (double)n + 2, widest = 0;

    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, fmin(svg_text_width(entries[i].label), LABEL_MOST));
    f->x.from = widest + LABEL_GAP;
    f->x.to = FRAME_WIDTH - right;
    frame_x_ticks(f, figure->x_unit);
    frame_open(out, figure, keys, n_keys, bottom + BELOW);
    html_put(out, "<desc>%zu lines; across: %s, %s.</desc>", n, figure->x_title,
             UNITS_RANGE(f->x.low, f->x.high, figure->x_unit));
    svg_axis_below(out, &(struct svg_axis){&f->x, &f->x_ticks, figure->x_title}, bottom, TOP);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(entries[i].label, entries[i - 1].label) != 0)
            svg_label(out, 0, TOP + LINE * (double)i + 12, "start", "ink", entries[i].label, LABEL_MOST);
}

static double middle_of(size_t line)
{
    return TOP + LINE * ((double)line + 0.5);
}

static void put_missing(struct text *out, const struct frame *f, size_t line, const struct row *row)
{
    const char *why = TEXT_LINE("%s%s%s", row->status == ROW_OK ? "no value" : row_status_name(row->status),
                                row->reason[0] ? ": " : "", row->reason);

    svg_label(out, f->x.from + 4, middle_of(line) + 4, "start", "", why, f->x.to - f->x.from);
}

static size_t bounded(size_t n)
{
    return n < FIGURE_LINES_MAX ? n : FIGURE_LINES_MAX;
}

/* --- lengths ---------------------------------------------------------------------------------------------------- */

static void put_length(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                       const struct figure_entry *entry, const struct figure_value *v)
{
    double y = middle_of(line), end = svg_at(&f->x, v->value);

    if (!isfinite(v->value)) {
        put_missing(out, f, line, entry->row);
        return;
    }
    const char *value = UNITS_VALUE(v->value, figure->x_unit);
    const char *tip = TEXT_LINE(isfinite(v->low) ? "%s: %s, 95 %% of the mean: %s" : "%s: %s", entry->label, value,
                                UNITS_RANGE(v->low, v->high, figure->x_unit));
    svg_group(out, frame_class(entry->colour));
    svg_box(out, f->x.from, y - 5.5, fmax(end - f->x.from, 0.7), 11, "", tip);
    if (isfinite(v->low) && isfinite(v->high))
        svg_line(out, svg_at(&f->x, v->low), y, svg_at(&f->x, v->high), y, "whisker");
    double behind = isfinite(v->high) ? fmax(end, svg_at(&f->x, v->high)) : end;
    svg_label(out, behind + 4, y + 4, "start", "ink", value, 0);
    svg_group_end(out);
}

bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        frame_extend(&x, values[i].value);
        frame_extend(&x, values[i].high);
    }
    if (!x.found)
        return false;
    f.x = svg_scale(0, fmax(x.high, 0), 0, 1, false);
    svg_scale_round(&f.x, 4);
    lines_begin(out, figure, entries, n, &f, 66, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_length(out, figure, &f, i, &entries[i], &values[i]);
    frame_end(out);
    return true;
}

/* --- ranges ----------------------------------------------------------------------------------------------------- */

static const char *range_tip(const struct figure *figure, const struct figure_entry *entry, struct text *tip)
{
    const struct stats_summary *s = &entry->row->stats;
    const struct {
        const char *name;
        double value;
    } marks[] = {{"minimum", s->min}, {"median", s->median}, {"mean", s->mean},
                 {"p99", s->p99},     {"p99.9", s->p999},    {"maximum", s->max}};

    text_printf(tip, "%s", entry->label);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (isfinite(marks[i].value))
            text_printf(tip, "%s%s %s", i ? ", " : ": ", marks[i].name, UNITS_VALUE(marks[i].value, figure->x_unit));
    return tip->data;
}

static void put_range(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                      const struct figure_entry *entry)
{
    const struct stats_summary *s = &entry->row->stats;
    double y = middle_of(line), from = svg_at(&f->x, s->min), to = svg_at(&f->x, s->max);
    FREED_BY(text_free) struct text tip = {0};

    if (!isfinite(s->min) || !isfinite(s->max) || !isfinite(s->median)) {
        put_missing(out, f, line, entry->row);
        return;
    }
    double middle = svg_at(&f->x, s->median), far = isfinite(s->p99) ? svg_at(&f->x, s->p99) : middle;
    svg_group(out, frame_class(entry->colour));
    svg_line(out, from, y, to, y, "");
    svg_line(out, from, y - 3, from, y + 3, "");
    svg_line(out, to, y - 4.5, to, y + 4.5, "bold");
    if (far > middle)
        svg_box(out, middle, y - 3.5, far - middle, 7, "soft", NULL);
    if (isfinite(s->p99))
        svg_line(out, far, y - 4.5, far, y + 4.5, "");
    svg_dot(out, middle, y, 3.6, "mark", NULL);
    svg_box(out, from, y - 6, fmax(to - from, 2), 12, "hit", range_tip(figure, entry, &tip));
    svg_group_end(out);
}

bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        frame_extend(&x, entries[i].row->stats.min);
        frame_extend(&x, entries[i].row->stats.max);
    }
    if (!x.found)
        return false;
    frame_extend(&x, figure->x_low);
    frame_extend(&x, figure->x_high);
    f.x = svg_scale(x.least, x.high, 0, 1, true);
    svg_scale_round(&f.x, 6);
    lines_begin(out, figure, entries, n, &f, 24, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_range(out, figure, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- samples ---------------------------------------------------------------------------------------------------- */

static void put_samples(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                        const struct figure_entry *entry)
{
    const struct row *row = entry->row;
    const struct stats_summary *s = &row->stats;
    double y = middle_of(line);
    size_t every = row->n_samples / SAMPLES + 1;
    FREED_BY(text_free) struct text tip = {0};

    if (row->n_samples == 0 && !isfinite(row->value)) {
        put_missing(out, f, line, row);
        return;
    }
    svg_group(out, frame_class(entry->colour));
    for (size_t i = 0; i < row->n_samples; i += every)
        if (isfinite(row->samples[i]))
            svg_dot(out, svg_at(&f->x, row->samples[i]), y + ((double)(i / every % 5) - 2) * 1.6, 2, "faint", NULL);
    if (isfinite(s->ci95_lo) && isfinite(s->ci95_hi))
        svg_line(out, svg_at(&f->x, s->ci95_lo), y, svg_at(&f->x, s->ci95_hi), y, "bold");
    double at = svg_at(&f->x, isfinite(s->median) ? s->median : row->value);
    svg_box(out, at - 1, y - 6, 2, 12, "mark", range_tip(figure, entry, &tip));
    svg_group_end(out);
}

bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        for (size_t j = 0; j < row->n_samples; j++)
            frame_extend(&x, row->samples[j]);
        frame_extend(&x, row->value);
        frame_extend(&x, row->stats.ci95_lo);
        frame_extend(&x, row->stats.ci95_hi);
    }
    if (!x.found)
        return false;
    f.x = svg_scale(x.low, x.high, 0, 1, x.low > 0 && x.high / x.low > WIDE);
    svg_scale_round(&f.x, 5);
    lines_begin(out, figure, entries, n, &f, 24, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_samples(out, figure, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- strips ----------------------------------------------------------------------------------------------------- */

/* Lower limits of the colour levels, as shares of the time. Level 0 is for a share of 0. */
static const double level_from[HTML_LEVELS] = {0, 0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 5e-1};
static const struct figure_entry levels[HTML_LEVELS] = {
    {NULL, "nothing", FRAME_LEVEL},    {NULL, "less", FRAME_LEVEL + 1},        {NULL, "0.001 %", FRAME_LEVEL + 2},
    {NULL, "0.01 %", FRAME_LEVEL + 3}, {NULL, "0.1 %", FRAME_LEVEL + 4},       {NULL, "1 %", FRAME_LEVEL + 5},
    {NULL, "10 %", FRAME_LEVEL + 6},   {NULL, "50 % or more", FRAME_LEVEL + 7}};

static unsigned level_of(double share)
{
    unsigned level = HTML_LEVELS - 1;

    if (!(share > 0))
        return 0;
    while (level > 1 && share < level_from[level] * 0.9999)
        level--;
    return level;
}

static void put_strip(struct text *out, const struct frame *f, size_t line, const struct figure_entry *entry)
{
    const struct row *row = entry->row;
    size_t cells = row->n_series < STRIP_CELLS ? row->n_series : STRIP_CELLS, begun = 0;
    const double part = plot_strip_part(row), end = svg_at(&f->x, part * (double)row->n_series);
    const double width = (end - f->x.from) / (double)cells;

    if (part <= 0) {
        put_missing(out, f, line, row);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        unsigned level = level_of(plot_strip_share(row, i, cells));
        if (i + 1 < cells && level_of(plot_strip_share(row, i + 1, cells)) == level)
            continue;
        svg_box(out, f->x.from + width * (double)begun, middle_of(line) - 7, width * (double)(i + 1 - begun), 14,
                frame_class(levels[level].colour),
                TEXT_LINE("%.60s: %s%s", entry->label, levels[level].label,
                          level > 1 && level < HTML_LEVELS - 1 ? " or more lost" : " lost"));
        begun = i + 1;
    }
}

bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++)
        if (plot_strip_part(entries[i].row) > 0)
            frame_extend(&x, plot_strip_part(entries[i].row) * (double)entries[i].row->n_series);
    if (!x.found)
        return false;
    f.x = svg_scale(0, x.high, 0, 1, false);
    lines_begin(out, figure, entries, n, &f, 24, levels, HTML_LEVELS);
    for (size_t i = 0; i < n; i++)
        put_strip(out, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- parts ------------------------------------------------------------------------------------------------------ */

static void put_stack(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                      const struct figure_entry *entry, const struct figure_parts *parts)
{
    double so_far = 0, y = middle_of(line);

    for (size_t i = 0; i < parts->n_parts; i++) {
        double part = parts->values[line * parts->n_parts + i];
        if (!(part > 0) || !isfinite(part))
            continue;
        double from = svg_at(&f->x, so_far), to = svg_at(&f->x, so_far + part);
        svg_box(out, from, y - 5.5, fmax(to - from, 0.4), 11, frame_class(parts->keys[i].colour),
                TEXT_LINE("%.60s, %s: %s", entry->label, parts->keys[i].label, UNITS_VALUE(part, figure->x_unit)));
        so_far += part;
    }
    svg_label(out, svg_at(&f->x, so_far) + 4, y + 4, "start", "ink", UNITS_VALUE(so_far, figure->x_unit), 0);
}

bool figure_stacks(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                   const struct figure_parts *parts)
{
    double most = 0;
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < parts->n_parts; k++) {
            const double part = parts->values[i * parts->n_parts + k];
            sum += isfinite(part) ? fmax(part, 0) : 0;
        }
        most = fmax(most, sum);
    }
    if (n == 0)
        return false;
    f.x = svg_scale(0, most, 0, 1, false);
    svg_scale_round(&f.x, 4);
    lines_begin(out, figure, entries, n, &f, 66, parts->keys, parts->n_parts);
    for (size_t i = 0; i < n; i++)
        put_stack(out, figure, &f, i, &entries[i], parts);
    frame_end(out);
    return true;
}

/* Figure with a dot for each of many hosts at its value of one metric; those that stand out are named. */

#define NAME_LINE 14.0 /* height of a line with a name */
#define STRIP     34.0
#define DOTS_MOST 400u /* more dots are reduced to this many at evenly spaced ranks */
#define NAME_MOST 150.0

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
        double at = svg_at(x, dot->value), y = NAME_LINE * (double)line_of(dots, n, i, middle) + 11;
        svg_line(out, at, y - 9, at, top + STRIP / 2, "base");
        svg_group(out, dot->worse ? "s1" : "s0");
        svg_dot(out, at, top + STRIP / 2, 4, "mark",
                TEXT_LINE("%.120s: %.60s", dot->name, UNITS_VALUE(dot->value, figure->x_unit)));
        svg_group_end(out);
        svg_label(out, at < half ? at + 5 : at - 5, y, at < half ? "start" : "end", "ink", dot->name, NAME_MOST);
    }
}

bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots)
{
    FREED_BY(memory_free) double *sorted = memory_get(dots->n, sizeof(*sorted));
    size_t n = sort_known(dots, sorted);
    size_t named = dots->n_named < FIGURE_NAMED_MAX ? dots->n_named : FIGURE_NAMED_MAX;
    double top = NAME_LINE * (double)named + 4;
    struct frame f;

    if (!n)
        return false;
    f.x = svg_scale(sorted[0], sorted[n - 1], 20, FRAME_WIDTH - 20, sorted[0] > 0 && sorted[n - 1] / sorted[0] > WIDE);
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
