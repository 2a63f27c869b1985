/* SPDX-License-Identifier: MIT */
/* Charts: marks in the units of two axes, drawn as one SVG with scales, axes and a legend, or as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/chart.h"
#include "sys/base.h"

#define LETTER     7.0 /* pixels of a character, as for svg_text_width() */
#define WIDTH      360.0
#define HEIGHT     216.0
#define TOP        26.0
#define BELOW      38.0 /* pixels from the plot's lower edge to that of the picture */
#define TICK_ROOM  18.0 /* pixels that a tick needs along the y axis */
#define LOG_FROM   20.0 /* an axis is logarithmic from this ratio of highest to lowest on */
#define WIDE       50.0 /* the same in charts with a line for each row or host */
#define WIDEST_BAR 26.0
#define LINE       17.0 /* height of a line */
#define LINE_TOP   6.0
#define LABEL_MOST 118.0
#define LABEL_GAP  12.0

struct frame {
    struct svg_scale x, y;
    struct svg_ticks x_ticks, y_ticks;
};

/* CSS class of a colour. */
static const char *chart_class(unsigned colour)
{
    static const char *const classes[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                          "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"};
    return classes[colour % COUNT(classes)];
}

/* --- Building. --- */

void chart_extend(struct chart_axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->low = axis->found ? fmin(axis->low, value) : value;
    axis->high = axis->found ? fmax(axis->high, value) : value;
    if (value > 0)
        axis->least = axis->least > 0 ? fmin(axis->least, value) : value;
    axis->found = true;
}

void chart_key(struct chart *c, const char *label, unsigned colour)
{
    if (c->n_keys < CHART_LINES_MAX)
        c->key[c->n_keys++] = (struct chart_key){label, colour};
}

struct chart_mark *chart_mark(struct chart *c, struct chart_mark mark, const char *text)
{
    memory_grow(&c->mark, &c->room, c->n_marks + 1, sizeof(*c->mark));
    if (text) {
        text_append(&c->texts, "", 1);
        mark.text = c->texts.length;
        text_append(&c->texts, text, strlen(text));
    }
    c->mark[c->n_marks++] = mark;
    for (size_t i = 0; i < mark.n && mark.shape != CHART_STEPS; i++) {
        chart_extend(&c->x, mark.points[i].at);
        chart_extend(&c->y, mark.points[i].value);
    }
    if (mark.shape < CHART_LINE) {
        chart_extend(&c->x, mark.x);
        chart_extend(&c->y, mark.y);
    }
    if (mark.shape == CHART_BOX || mark.shape == CHART_SEGMENT)
        chart_extend(&c->x, mark.x2);
    else if (mark.shape < CHART_BOX)
        chart_extend(&c->y, mark.high);
    return &c->mark[c->n_marks - 1];
}

/* Adds a mark at the value, with its interval and a tooltip. */
static void mark_value(struct chart *c, struct chart_mark mark, const char *label, const struct chart_value *v)
{
    const bool interval = isfinite(v->low) && isfinite(v->high);

    mark.y = v->value;
    mark.low = v->low;
    mark.high = v->high;
    chart_mark(c, mark,
               TEXT_LINE(interval ? "%s: %s (95 %% of the mean: %s)" : "%s: %s", label,
                         UNITS_VALUE(v->value, c->y.unit), UNITS_RANGE(v->low, v->high, c->y.unit)));
}

static int by_x(const void *a, const void *b)
{
    return ORDER_OF(((const struct chart_value *)a)->x, ((const struct chart_value *)b)->x);
}

void chart_curve(struct chart *c, const char *label, unsigned colour, struct chart_value *values, size_t n)
{
    struct stats_point *points = memory_get(n, sizeof(*points));
    const unsigned group = colour + 1;
    size_t known = 0;

    c->log_together = true;
    c->x.steps = c->y.steps = 6;
    c->x.tight = true;
    c->x.scale = c->x.scale == CHART_LOG ? CHART_LOG : CHART_AUTO;
    c->y.scale = CHART_AUTO;
    chart_key(c, label, colour);
    qsort(values, n, sizeof(*values), by_x);
    for (size_t i = 0; i < n && known < CHART_LINES_MAX; i++)
        if (isfinite(values[i].x) && isfinite(values[i].value)) {
            points[known] = (struct stats_point){values[i].x, values[i].value};
            values[known++] = values[i];
        }
    chart_mark(c, (struct chart_mark){.shape = CHART_LINE, .group = group, .points = points, .n = known, .owned = true},
               NULL);
    for (size_t i = 0; i < known; i++)
        mark_value(
            c, (struct chart_mark){.shape = CHART_DOT, .group = group, .classes = "mark", .x = values[i].x, .size = 3},
            label, &values[i]);
}

void chart_bar(struct chart *c, size_t category, size_t series, const struct chart_value *v)
{
    const char *name = TEXT_LINE("%.60s, %.60s", c->category[category], c->key[series].label);

    if (isfinite(v->value))
        mark_value(c,
                   (struct chart_mark){.shape = CHART_BAR,
                                       .classes = chart_class(c->key[series].colour),
                                       .x = (double)category,
                                       .x2 = (double)series},
                   name, v);
}

/* --- Drawing. --- */

void chart_legend_item(struct text *out, const char *classes, const char *label)
{
    html_put(out, "<span><i class=\"key %s\"></i>%s</span>", classes, label);
}

/* Up to the start of the SVG, `height` pixels high; a legend if there are several keys. The description follows. */
static void put_head(const struct chart *c, double height, struct text *out)
{
    html_put(out, "<figure><figcaption>%s", c->title);
    if (c->note && c->note[0])
        html_put(out, "<small>%s</small>", c->note);
    text_printf(out, "</figcaption>\n");
    if (c->n_keys > 1) {
        text_printf(out, CHART_LEGEND);
        for (size_t i = 0; i < c->n_keys; i++)
            chart_legend_item(out, chart_class(c->key[i].colour), c->key[i].label);
        text_printf(out, "</div>\n");
    }
    html_put(out, "<svg role=\"img\" viewBox=\"0 0 %f %f\" preserveAspectRatio=\"xMidYMin meet\"><title>%s</title>",
             WIDTH, height, c->title);
}

static bool wants_log(const struct chart_axis *axis)
{
    return axis->scale == CHART_LOG || (axis->scale != CHART_LINEAR && axis->low > 0 &&
                                        axis->high / axis->low > (axis->scale == CHART_WIDE ? WIDE : LOG_FROM));
}

/* Without pixels. */
static struct svg_scale scale_of(const struct chart_axis *axis, bool log)
{
    const double low = log ? axis->least : axis->tight ? axis->low : fmin(axis->low, axis->reach);
    struct svg_scale scale = svg_scale(low, axis->high, 0, 1, log);

    if (axis->steps)
        svg_scale_round(&scale, axis->steps);
    return scale;
}

/* Shortens the axis if the label of its last tick would exceed the right edge. */
static void make_x_ticks(struct frame *f, const char *unit)
{
    svg_ticks(&f->x, unit, 0, &f->x_ticks);
    if (f->x_ticks.n == 0)
        return;
    size_t last = f->x_ticks.n - 1;
    double end = svg_at(&f->x, f->x_ticks.at[last]) + svg_text_width(f->x_ticks.label[last]) / 2;
    if (end > WIDTH) {
        f->x.to -= end - WIDTH;
        svg_ticks(&f->x, unit, 0, &f->x_ticks);
    }
}

/* Below the bars: every nth name if there is no room for all. */
static void put_categories(const struct chart *c, const struct frame *f, struct text *out)
{
    double room = (f->x.to - f->x.from) / (double)c->n_categories, widest = 0;
    size_t every = 1;

    for (size_t i = 0; i < c->n_categories; i++)
        widest = fmax(widest, fmin(svg_text_width(c->category[i]), 90) + 6);
    while (room * (double)every < widest && every < c->n_categories)
        every++;
    svg_group(out, "axis x");
    for (size_t i = 0; i < c->n_categories; i += every)
        svg_label(out, f->x.from + room * ((double)i + 0.5), f->y.from + 18, "middle", "tick", c->category[i],
                  fmax(room * (double)every, 40));
    svg_line(out, f->x.from, f->y.from, f->x.to, f->y.from, "base");
    svg_label(out, f->x.to, f->y.from + 33, "end", "name", c->x.title, 0);
    text_printf(out, "</g>");
}

/* With an axis at the left, and another one or categories below. */
static void begin_plot(const struct chart *c, struct frame *f, struct text *out)
{
    const bool together = !c->log_together || (wants_log(&c->x) && wants_log(&c->y));

    f->y = scale_of(&c->y, wants_log(&c->y) && together);
    f->y.from = HEIGHT - BELOW;
    f->y.to = TOP;
    svg_ticks(&f->y, c->y.unit, TICK_ROOM, &f->y_ticks);
    if (!c->n_categories)
        f->x = scale_of(&c->x, wants_log(&c->x) && (together || c->x.scale == CHART_LOG));
    f->x.from = f->y_ticks.widest + 10;
    f->x.to = WIDTH - (c->n_categories ? 6 : 22);
    if (!c->n_categories)
        make_x_ticks(f, c->x.unit);
    put_head(c, HEIGHT, out);
    if (c->n_categories)
        html_put(out, "<desc>Bars of %s by %s.</desc>", c->y.title, c->x.title);
    else
        html_put(out, "<desc>Across: %s, %s. Upwards: %s, %s.</desc>", c->x.title,
                 UNITS_RANGE(f->x.low, f->x.high, c->x.unit), c->y.title, UNITS_RANGE(f->y.low, f->y.high, c->y.unit));
    svg_axis(out, &f->y, &f->y_ticks, c->y.title, true, f->x.from, f->x.to);
    if (c->n_categories)
        put_categories(c, f, out);
    else
        svg_axis(out, &f->x, &f->x_ticks, c->x.title, false, f->y.from, f->y.to);
}

/* With lines one below the other. */
static void begin_lines(const struct chart *c, struct frame *f, struct text *out)
{
    const double end = LINE_TOP + LINE * (double)c->n_lines, bottom = end + 2;

    f->x = scale_of(&c->x, wants_log(&c->x));
    f->x.from = fmin(LETTER * (double)c->label_width, LABEL_MOST) + LABEL_GAP;
    f->x.to = WIDTH - c->right;
    f->y = (struct svg_scale){.low = 0, .high = (double)c->n_lines, .from = LINE_TOP + LINE / 2, .to = end + LINE / 2};
    make_x_ticks(f, c->x.unit);
    put_head(c, bottom + BELOW, out);
    html_put(out, "<desc>%zu lines; across: %s, %s.</desc>", c->n_lines, c->x.title,
             UNITS_RANGE(f->x.low, f->x.high, c->x.unit));
    svg_axis(out, &f->x, &f->x_ticks, c->x.title, false, bottom, LINE_TOP);
}

static void put_whisker(const struct frame *f, double x, const struct chart_mark *mark, struct text *out)
{
    if (!isfinite(mark->low) || !isfinite(mark->high) || !(mark->high > mark->low))
        return;
    double low = svg_at(&f->y, mark->low), high = svg_at(&f->y, mark->high);
    svg_line(out, x, low, x, high, "whisker");
    svg_line(out, x - 2.5, low, x + 2.5, low, "whisker");
    svg_line(out, x - 2.5, high, x + 2.5, high, "whisker");
}

static void put_bar(const struct chart *c, const struct frame *f, const struct chart_mark *mark, const char *tip,
                    struct text *out)
{
    const double n_series = (double)(c->n_keys ? c->n_keys : 1);
    const double room = (f->x.to - f->x.from) / (double)c->n_categories;
    const double width = fmin(room * 0.8 / n_series, WIDEST_BAR);
    const double x = f->x.from + room * (mark->x + 0.5) - width * n_series / 2 + width * mark->x2;
    const double y = svg_at(&f->y, mark->y), foot = f->y.from;

    svg_box(out, x + 0.5, mark->y > 0 ? fmin(y, foot - 1) : foot - 0.5, fmax(width - 1, 0.6),
            mark->y > 0 ? fmax(foot - y, 1) : 0.5, mark->classes, tip);
    put_whisker(f, x + width / 2, mark, out);
}

static void put_mark(const struct chart *c, const struct frame *f, const struct chart_mark *m, struct text *out)
{
    const double x = svg_at(&f->x, m->x) + m->dx, y = svg_at(&f->y, m->y) + m->dy;
    const double x2 = svg_at(&f->x, m->x2) + m->dx2, y2 = y - m->dy + m->dy2;
    const char *text = m->text ? c->texts.data + m->text : NULL;

    switch (m->shape) {
    case CHART_BAR:
        put_bar(c, f, m, text, out);
        break;
    case CHART_DOT:
        put_whisker(f, x, m, out);
        svg_dot(out, x, y, m->size, m->classes, text);
        break;
    case CHART_BOX:
        svg_box(out, x, y, fmax(x2 - x, m->size), y2 - y, m->classes, text);
        break;
    case CHART_SEGMENT:
        svg_line(out, x, y, x2, y2, m->classes);
        break;
    case CHART_LINE:
        svg_trace(out, &f->x, &f->y, m->points, m->n, m->classes);
        break;
    case CHART_POINTS:
        svg_scatter(out, &f->x, &f->y, m->points, m->n, m->classes);
        break;
    case CHART_STEPS:
        svg_steps(out, &f->x, &f->y, m->points, m->n, m->classes);
        break;
    case CHART_UPRIGHT:
        svg_line(out, x, f->y.from, x, f->y.to, m->classes);
        break;
    case CHART_TEXT:
        svg_label(out, x, y, "start", m->classes, text, m->size < 0 ? f->x.to - f->x.from : 0);
        break;
    case CHART_LABEL:
        svg_label(out, 0, y, "start", "ink", text, LABEL_MOST);
        break;
    }
}

static void free_chart(struct chart *c)
{
    for (size_t i = 0; i < c->n_marks; i++)
        if (c->mark[i].owned)
            free((void *)c->mark[i].points);
    free(c->mark);
    text_free(&c->texts);
}

void chart_put(struct chart *c, struct charts *charts, bool folded)
{
    struct text *out = folded ? &charts->folded : &charts->shown;
    struct frame f = {0};
    unsigned group = 0;

    if ((c->x.found || c->n_categories) && (c->n_lines || c->y.found) && (!c->log_together || c->x.high > c->x.low)) {
        charts->n_folded += folded;
        (c->n_lines ? begin_lines : begin_plot)(c, &f, out);
        for (size_t i = 0; i <= c->n_marks; i++) {
            const unsigned own = i < c->n_marks ? c->mark[i].group : 0;
            if (own != group && group)
                text_printf(out, "</g>");
            if (own != group && own)
                svg_group(out, chart_class(own - 1));
            group = own;
            if (i < c->n_marks)
                put_mark(c, &f, &c->mark[i], out);
        }
        text_printf(out, "</svg>\n</figure>\n");
    }
    free_chart(c);
}

void charts_end(struct charts *charts, struct text *out)
{
    if (charts->shown.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", charts->shown.data);
    if (charts->n_folded)
        text_printf(out, "<details><summary>%zu more figure%s</summary>\n<div class=\"grid\">\n%s</div></details>\n",
                    charts->n_folded, PLURAL(charts->n_folded), charts->folded.data);
    text_free(&charts->shown);
    text_free(&charts->folded);
    charts->n_folded = 0;
}

/* --- Charts of rows. --- */

#define BODY        0.999
#define BINS        96
#define LEAST_COUNT 0.5 /* lower end of a logarithmic count axis, so that a count of one has a bar too */

/* Of this share of the events. */
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
static double finest(const struct chart_entry *entries, size_t n, double limit)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < entries[i].row->n_hist && entries[i].row->hist[j].at <= limit; j++) {
            double apart = entries[i].row->hist[j].at - entries[i].row->hist[j - 1].at;
            least = apart > 0 ? fmin(least, apart) : least;
        }
    return isfinite(least) ? least : 1;
}

static size_t make_edges(const struct svg_scale *x, double grain, double edges[BINS + 1])
{
    double width = (x->high - x->low) / BINS;
    size_t n = BINS;

    if (!x->log) {
        width = fmax(ceil(width / grain - 1e-6), 1) * grain;
        n = (size_t)ceil((x->high - x->low) / width - 1e-6);
        n = n < 1 ? 1 : n > BINS ? BINS : n;
    }
    for (size_t i = 0; i <= n; i++)
        edges[i] =
            x->log ? x->low * pow(x->high / x->low, (double)i / BINS) : fmin(x->low + width * (double)i, x->high);
    return n;
}

void chart_histograms(struct chart *c, const struct chart_entry *entries, size_t n, bool body)
{
    double edges[BINS + 1], counts[BINS];

    for (size_t i = 0; i < n; i++) {
        chart_extend(&c->x, position_of(entries[i].row, 0));
        chart_extend(&c->x, position_of(entries[i].row, body ? BODY : 1));
    }
    if (!c->x.found)
        return;
    c->x.scale = CHART_AUTO;
    const bool log = wants_log(&c->x);
    const double grain = finest(entries, n, c->x.high);
    c->x.high += log ? 0 : grain;
    c->x.scale = log && !body ? CHART_LOG : CHART_LINEAR;
    c->x.tight = true;
    c->x.steps = 6;
    c->y.scale = CHART_LOG;
    c->y.steps = 6;
    const struct svg_scale x = scale_of(&c->x, log && !body);
    const size_t bins = make_edges(&x, grain, edges);
    chart_extend(&c->y, LEAST_COUNT);
    chart_extend(&c->y, 1);
    for (size_t i = 0; i < n; i++) {
        struct stats_point *steps = memory_get(bins + 1, sizeof(*steps));
        plot_count(entries[i].row, edges, bins, counts);
        for (size_t j = 0; j <= bins; j++) {
            steps[j] = (struct stats_point){edges[j], j < bins ? counts[j] : 0};
            chart_extend(&c->y, steps[j].value);
        }
        chart_key(c, entries[i].label, entries[i].colour);
        chart_mark(c,
                   (struct chart_mark){.shape = CHART_STEPS,
                                       .group = entries[i].colour + 1,
                                       .classes = n < 3 ? "area" : "thin",
                                       .points = steps,
                                       .n = bins,
                                       .owned = true},
                   NULL);
    }
}

void chart_series(struct chart *c, const struct chart_entry *entries, size_t n, double before, bool dots)
{
    c->x.steps = c->y.steps = 6;
    c->x.tight = !dots;
    c->y.tight = true;
    c->y.scale = CHART_AUTO;
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        size_t points = 0;
        while (points < row->n_series && row->series[points].at < before)
            points++;
        chart_key(c, entries[i].label, entries[i].colour);
        chart_mark(c,
                   (struct chart_mark){.shape = dots ? CHART_POINTS : CHART_LINE,
                                       .group = entries[i].colour + 1,
                                       .classes = dots ? "dots" : "thin",
                                       .points = row->series,
                                       .n = points},
                   NULL);
    }
}

/* --- Charts with a line for each row. --- */

#define STRIP_CELLS 240u

/* Marks on a line, centred on it. */
enum span {
    RANGE,
    MINIMUM,
    MAXIMUM,
    BODY_PART,
    P99,
    MEDIAN,
    TOUCHED,
    BAR,
    PART,
    INTERVAL,
    SAMPLE,
    WHISKER,
    MIDDLE,
    CELL
};
static const struct {
    enum chart_shape shape;
    const char *classes; /* NULL: that of the colour */
    double half, size;   /* half of the height in pixels; least width, or radius */
    char sign;           /* in text; 0: none */
} spans[] = {
    [RANGE] = {CHART_SEGMENT, "", 0, 0, '-'},         [MINIMUM] = {CHART_SEGMENT, "", 3, 0, '['},
    [MAXIMUM] = {CHART_SEGMENT, "bold", 4.5, 0, ']'}, [BODY_PART] = {CHART_BOX, "soft", 3.5, 0, '='},
    [P99] = {CHART_SEGMENT, "", 4.5, 0, '|'},         [MEDIAN] = {CHART_DOT, "mark", 0, 3.6, '*'},
    [TOUCHED] = {CHART_BOX, "hit", 6, 2, 0},          [BAR] = {CHART_BOX, "", 5.5, 0.7, 0},
    [PART] = {CHART_BOX, NULL, 5.5, 0.4, 0},          [INTERVAL] = {CHART_SEGMENT, "bold", 0, 0, 0},
    [SAMPLE] = {CHART_DOT, "faint", 0, 2, 0},         [WHISKER] = {CHART_SEGMENT, "whisker", 0, 0, 0},
    [MIDDLE] = {CHART_BOX, "mark", 6, 0, 0},          [CELL] = {CHART_BOX, NULL, 7, 0, 0},
};

static void begin_line(struct chart *c, const char *label, double right, enum chart_axis_scale scale, unsigned steps)
{
    c->n_lines++;
    c->label_width = text_width(label) > c->label_width ? text_width(label) : c->label_width;
    c->right = right;
    c->x.scale = scale;
    c->x.steps = steps;
    chart_mark(c, (struct chart_mark){.shape = CHART_LABEL, .y = (double)c->n_lines - 1, .dy = 3.5}, label);
}

/* On the last line, upright if from is to. */
static struct chart_mark *put_span(struct chart *c, enum span span, unsigned colour, double from, double to,
                                   const char *tip)
{
    const char *classes = spans[span].classes;

    return chart_mark(c,
                      (struct chart_mark){.shape = spans[span].shape,
                                          .group = classes ? colour + 1 : 0,
                                          .classes = classes ? classes : chart_class(colour),
                                          .x = from,
                                          .x2 = to,
                                          .y = (double)c->n_lines - 1,
                                          .dy = -spans[span].half,
                                          .dy2 = spans[span].half,
                                          .size = spans[span].size,
                                          .sign = spans[span].sign},
                      tip);
}

/* At the left edge if x is NAN. */
static void say(struct chart *c, unsigned group, double x, const char *text)
{
    chart_mark(c,
               (struct chart_mark){.shape = CHART_TEXT,
                                   .group = group,
                                   .classes = isnan(x) ? NULL : "ink",
                                   .x = x,
                                   .dx = 4,
                                   .y = (double)c->n_lines - 1,
                                   .dy = 4,
                                   .size = isnan(x) ? -1 : 0},
               text);
}

static void say_missing(struct chart *c, const struct row *row)
{
    say(c, 0, NAN,
        TEXT_LINE("%s%s%s", row->status == ROW_OK ? "no value" : row_status_name(row->status),
                  row->reason[0] ? ": " : "", row->reason));
}

static const char *range_tip(const struct chart *c, const struct chart_entry *entry, struct text *tip)
{
    const struct stats_summary *s = &entry->row->stats;
    const struct {
        const char *name;
        double value;
    } marks[] = {{"minimum", s->min}, {"median", s->median}, {"mean", s->mean},
                 {"p99", s->p99},     {"p99.9", s->p999},    {"maximum", s->max}};

    const char *before = ": ";
    text_printf(tip, "%s", entry->label);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (isfinite(marks[i].value)) {
            text_printf(tip, "%s%s %s", before, marks[i].name, UNITS_VALUE(marks[i].value, c->x.unit));
            before = ", ";
        }
    if (*before == ':')
        text_printf(tip, ": %s", UNITS_VALUE(entry->row->value, c->x.unit));
    return tip->data;
}

/* Rows have value and interval of the rate, so the interval is scaled to the index. */
void chart_index(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const double low = row->stats.ci95_lo * row->index / row->value,
                 high = row->stats.ci95_hi * row->index / row->value;
    const bool known = isfinite(low) && isfinite(high);
    const char *value = UNITS_VALUE(row->index, c->x.unit);

    begin_line(c, entry->label, 66, CHART_LINEAR, 4);
    put_span(c, BAR, entry->colour, 0, row->index,
             TEXT_LINE(known ? "%s: %s, 95 %% of the mean: %s" : "%s: %s", entry->label, value,
                       UNITS_RANGE(low, high, c->x.unit)));
    if (known)
        put_span(c, WHISKER, entry->colour, low, high, NULL);
    say(c, entry->colour + 1, known ? fmax(row->index, high) : row->index, value);
}

void chart_stack(struct chart *c, const struct chart_entry *entry)
{
    double so_far = 0;

    begin_line(c, entry->label, 66, CHART_LINEAR, 4);
    for (size_t i = 0; i < c->n_keys; i++) {
        const double part = entry->parts[i];
        if (!(part > 0 && isfinite(part)))
            continue;
        put_span(c, PART, c->key[i].colour, so_far, so_far + part,
                 TEXT_LINE("%.60s, %s: %s", entry->label, c->key[i].label, UNITS_VALUE(part, c->x.unit)));
        so_far += part;
    }
    chart_extend(&c->x, so_far);
    say(c, 0, so_far, UNITS_VALUE(so_far, c->x.unit));
}

void chart_range(struct chart *c, const struct chart_entry *entry)
{
    const struct stats_summary *s = &entry->row->stats;
    FREED_BY(text_free) struct text tip = {0};

    begin_line(c, entry->label, 24, CHART_LOG, 6);
    chart_extend(&c->x, s->min);
    chart_extend(&c->x, s->max);
    if (!isfinite(s->min) || !isfinite(s->max) || !isfinite(s->median)) {
        say_missing(c, entry->row);
        return;
    }
    put_span(c, RANGE, entry->colour, s->min, s->max, NULL);
    put_span(c, MINIMUM, entry->colour, s->min, s->min, NULL);
    put_span(c, MAXIMUM, entry->colour, s->max, s->max, NULL);
    if (s->p99 > s->median)
        put_span(c, BODY_PART, entry->colour, s->median, s->p99, NULL);
    if (isfinite(s->p99))
        put_span(c, P99, entry->colour, s->p99, s->p99, NULL);
    put_span(c, MEDIAN, entry->colour, s->median, 0, NULL);
    put_span(c, TOUCHED, entry->colour, s->min, s->max, range_tip(c, entry, &tip));
}

void chart_samples(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const struct stats_summary *s = &row->stats;
    const double at = isfinite(s->median) ? s->median : row->value;
    const size_t every = row->n_samples / CHART_SAMPLES + 1;
    FREED_BY(text_free) struct text tip = {0};

    begin_line(c, entry->label, 24, CHART_WIDE, 5);
    c->x.tight = true;
    chart_extend(&c->x, row->value);
    if (row->n_samples == 0 && !isfinite(row->value)) {
        say_missing(c, row);
        return;
    }
    for (size_t i = 0; i < row->n_samples; i++)
        chart_extend(&c->x, row->samples[i]);
    for (size_t i = 0; i < row->n_samples; i += every)
        if (isfinite(row->samples[i]))
            put_span(c, SAMPLE, entry->colour, row->samples[i], 0, NULL)->dy = ((double)(i / every % 5) - 2) * 1.6;
    if (isfinite(s->ci95_lo) && isfinite(s->ci95_hi))
        put_span(c, INTERVAL, entry->colour, s->ci95_lo, s->ci95_hi, NULL);
    struct chart_mark *middle = put_span(c, MIDDLE, entry->colour, at, at, range_tip(c, entry, &tip));
    middle->dx = -1;
    middle->dx2 = 1;
}

/* Shares of the time: the colours, and the signs in text. Level 0 is for a share of 0. */
static const struct {
    double from;
    char sign;
    const char *name;
} levels[HTML_LEVELS] = {{0, ' ', "nothing"},  {0, '.', "less"},   {1e-5, ':', "0.001 %"}, {1e-4, '-', "0.01 %"},
                         {1e-3, '=', "0.1 %"}, {1e-2, '+', "1 %"}, {1e-1, '#', "10 %"},    {5e-1, '@', "50 % or more"}};

/* Of the series, from `piece` of so many pieces on. In us: the length of a part; 0: fewer than two parts. */
static unsigned level_of(const struct row *row, size_t piece, size_t pieces, double part_us)
{
    const size_t from = piece * row->n_series / pieces, to = (piece + 1) * row->n_series / pieces;
    unsigned level = HTML_LEVELS - 1;
    double ns = 0;

    for (size_t i = from; i < to; i++)
        ns += isfinite(row->series[i].value) ? row->series[i].value : 0;
    const double share = ns / ((double)(to - from) * part_us * 1e3);
    if (!(share > 0))
        return 0;
    while (level > 1 && share < levels[level].from * 0.9999)
        level--;
    return level;
}

void chart_strip(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const size_t cells = row->n_series < STRIP_CELLS ? row->n_series : STRIP_CELLS;
    const double part = row->n_series < 2 ? 0 : row->series[1].at - row->series[0].at;
    const double all = part * (double)row->n_series;
    size_t begun = 0;

    begin_line(c, entry->label, 24, CHART_LINEAR, 0);
    for (unsigned i = 0; i < HTML_LEVELS && c->n_lines == 1; i++)
        chart_key(c, levels[i].name, HTML_COLOURS + i);
    if (!(all > 0 && all < 1e300)) {
        say_missing(c, row);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        const unsigned level = level_of(row, i, cells, part);
        if (i + 1 < cells && level_of(row, i + 1, cells, part) == level)
            continue;
        put_span(c, CELL, HTML_COLOURS + level, all * (double)begun / (double)cells,
                 all * (double)(i + 1) / (double)cells,
                 TEXT_LINE("%.60s: %s%s", entry->label, levels[level].name,
                           level > 1 && level < HTML_LEVELS - 1 ? " or more lost" : " lost"))
            ->sign = levels[level].sign;
        begun = i + 1;
    }
}

/* --- Lines as text. --- */

#define TEXT_LEAST 40u
#define TEXT_MOST  300u
#define TEXT_GAP   2u

struct line {
    char at[TEXT_MOST + 1];
    size_t width;
};

/* Up to the column `end`. */
static void put_at(struct line *line, size_t column, size_t end, const char *s)
{
    for (; *s && column < end; s++)
        line->at[column++] = *s < ' ' || *s > '~' ? '?' : *s;
}

/* And begins it anew. */
static void end_line(struct line *line, struct text *out)
{
    size_t length = line->width;

    while (length > 0 && line->at[length - 1] == ' ')
        length--;
    text_printf(out, "%.*s\n", (int)length, line->at);
    memset(line->at, ' ', sizeof(line->at));
}

static size_t column_of(const struct frame *f, double value)
{
    return (size_t)lround(svg_at(&f->x, value) / LETTER);
}

/* Of signs in one column, one that stands further to the right in `signs` hides the others. */
static void put_signs(const struct frame *f, const struct chart_mark *m, struct line *line)
{
    static const char signs[] = " .:-=+#@[|]*";
    const size_t from = column_of(f, m->x), end = m->shape == CHART_DOT ? from : column_of(f, m->x2);

    for (size_t i = from; m->sign && (i == from || i + (m->shape == CHART_BOX) <= end); i++)
        if (strchr(signs, m->sign) > strchr(signs, line->at[i]))
            line->at[i] = m->sign;
}

static void put_text_axis(const struct chart *c, struct frame *f, size_t left, struct line *line, struct text *out)
{
    size_t end = 0;

    f->x.from = (double)left * LETTER;
    for (unsigned pass = 0; pass < 2; pass++) { /* the second with room for the labels */
        f->x.to = LETTER * ((double)line->width - (double)text_width(f->x_ticks.unit) - 1) - f->x_ticks.widest;
        f->x.to = fmax(f->x.to, f->x.from + LETTER);
        svg_ticks(&f->x, c->x.unit, 0, &f->x_ticks);
    }
    put_at(line, 0, left - TEXT_GAP, c->title);
    for (size_t i = 0; i < f->x_ticks.n; i++) {
        end = column_of(f, f->x_ticks.at[i]);
        put_at(line, end, line->width, units_plain(f->x_ticks.label[i]));
        end += strlen(f->x_ticks.label[i]) + 1;
    }
    put_at(line, end, line->width, units_plain(f->x_ticks.unit));
    end_line(line, out);
    memset(line->at + left, '-', column_of(f, f->x.high) - left + 1);
    for (size_t i = 0; i < f->x_ticks.n; i++)
        line->at[column_of(f, f->x_ticks.at[i])] = '+';
    end_line(line, out);
}

/* And frees it. */
static void put_text(struct chart *c, unsigned width, struct text *out)
{
    struct line line = {.width = width < TEXT_LEAST ? TEXT_LEAST : width > TEXT_MOST ? TEXT_MOST : width};
    const size_t label = c->label_width > strlen(c->title) ? c->label_width : strlen(c->title);
    const size_t most = line.width / 2, left = label + TEXT_GAP < most ? label + TEXT_GAP : most;
    struct frame f = {.x = scale_of(&c->x, wants_log(&c->x))};

    memset(line.at, ' ', sizeof(line.at));
    if (c->x.found)
        put_text_axis(c, &f, left, &line, out);
    for (size_t i = 0; i < c->n_marks && c->x.found; i++) {
        const struct chart_mark *m = &c->mark[i];
        if (m->shape == CHART_LABEL)
            put_at(&line, 0, left - TEXT_GAP, c->texts.data + m->text);
        else if (m->shape == CHART_TEXT)
            put_at(&line, left, line.width, c->texts.data + m->text);
        else
            put_signs(&f, m, &line);
        if (i + 1 == c->n_marks || m[1].shape == CHART_LABEL)
            end_line(&line, out);
    }
    if (c->x.found)
        text_printf(out, "%s\n", c->note);
    free_chart(c);
}

void plot_ranges(const char *title, double least, const struct plot_row *rows, size_t n, unsigned width,
                 struct text *out)
{
    struct chart c = {
        .title = title, .note = "[ minimum  * median  | p99  ] maximum", .x = {.unit = n ? rows[0].row->unit : ""}};

    for (size_t i = 0; i < n; i++)
        chart_range(&c, &(struct chart_entry){.row = rows[i].row, .label = rows[i].label});
    c.x.least = fmax(c.x.least, least);
    put_text(&c, width, out);
}

void plot_strip(const char *title, const struct plot_row *rows, size_t n, unsigned width, struct text *out)
{
    char note[160] = "lost:";
    struct chart c = {.title = title, .note = note, .x = {.unit = "us"}};

    for (size_t i = 0; i < HTML_LEVELS; i++)
        TEXT_ADD(note, i ? "  %c %s" : " '%c' %s", levels[i].sign, levels[i].name);
    for (size_t i = 0; i < n; i++)
        chart_strip(&c, &(struct chart_entry){.row = rows[i].row, .label = rows[i].label});
    put_text(&c, width, out);
}
