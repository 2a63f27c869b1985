/* SPDX-License-Identifier: MIT */
/* Charts: marks in the units of two axes, drawn as one SVG. */

#include "out/chart.h"

#define WIDTH        360.0
#define HEIGHT       216.0
#define TOP          26.0
#define BELOW        38.0 /* pixels from the plot's lower edge to that of the picture */
#define TICK_ROOM    18.0 /* pixels that a tick needs along the y axis */
#define LOG_FROM     20.0 /* an axis is logarithmic from this ratio of highest to lowest on */
#define WIDE         50.0 /* the same in charts with a line for each row or host */
#define WIDEST_BAR   26.0
#define LINE         17.0 /* height of a line */
#define LINE_TOP     6.0
#define LABEL_MOST   118.0
#define LABEL_GAP    12.0
#define MOST_DECADES 12
#define HUGE_VALUE   1e290 /* powers of ten of larger values would not stay finite */
#define LETTER_GAP   12.0  /* pixels between the labels of neighbouring ticks */
#define LABEL_BELOW  18.0  /* distance from an axis to the baseline of its labels */
#define TITLE_BELOW  33.0

/* --- Scales. --- */

double plot_decimal(double mantissa, int power)
{
    return power < 0 ? mantissa / pow(10, -power) : mantissa * pow(10, power);
}

struct svg_scale svg_scale(double low, double high, double from, double to, bool log)
{
    struct svg_scale scale = {.from = from, .to = to, .log = log};
    double a = isfinite(low) ? low : high, b = isfinite(high) ? high : low;

    a = isfinite(a) ? fmax(fmin(a, HUGE_VALUE), -HUGE_VALUE) : log ? 1 : 0;
    b = isfinite(b) ? fmax(fmin(b, HUGE_VALUE), -HUGE_VALUE) : a;
    low = fmin(a, b);
    b = fmax(a, b);
    a = low;
    if (log) {
        b = b > 1 / HUGE_VALUE ? b : 1;
        a = fmin(fmax(a, b / plot_decimal(1, MOST_DECADES)), b);
        a = a < b ? a : a / sqrt(10);
        b = b / a > 1.001 ? b : a * 10;
    } else if (b - a <= 1e-9 * fmax(fabs(a), fabs(b)) || b - a < 1 / HUGE_VALUE) {
        double room = fmax(fabs(a), fabs(b)) * 0.1;
        a -= a > 0 || a < 0 ? room : 0;
        b += room > 1 / HUGE_VALUE ? room : 1;
    }
    scale.low = a;
    scale.high = b;
    return scale;
}

double svg_step(double span, unsigned most)
{
    static const double mantissas[] = {1, 2, 5, 10};
    double least = span / most, power = plot_decimal(1, (int)floor(log10(least)));

    for (size_t i = 0; i < COUNT(mantissas); i++)
        if (mantissas[i] * power >= least * (1 - 1e-9))
            return mantissas[i] * power;
    return 10 * power;
}

/* 1, 2 or 5 times a power of ten. */
static double round_log(double value, bool up)
{
    double power = plot_decimal(1, (int)floor(log10(value))), m = value / power;

    if (up)
        return power * (m <= 1.000001 ? 1 : m <= 2.000001 ? 2 : m <= 5.000001 ? 5 : 10);
    return power * (m >= 9.999999 ? 10 : m >= 4.999999 ? 5 : m >= 1.999999 ? 2 : 1);
}

void svg_scale_round(struct svg_scale *scale, unsigned most)
{
    if (scale->log) {
        scale->low = round_log(scale->low, false);
        scale->high = round_log(scale->high, true);
        return;
    }
    double step = svg_step(scale->high - scale->low, most > 1 ? most : 2);
    scale->low = floor(scale->low / step + 1e-9) * step;
    scale->high = ceil(scale->high / step - 1e-9) * step;
}

double svg_at(const struct svg_scale *scale, double value)
{
    double share;

    if (isnan(value))
        return scale->from;
    if (scale->log)
        share = value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : 0;
    else
        share = (value - scale->low) / (scale->high - scale->low);
    return scale->from + (scale->to - scale->from) * fmin(fmax(share, 0), 1);
}

/* --- Ticks. --- */

static double svg_text_width(const char *s)
{
    return CHART_LETTER * (double)text_width(s);
}

static void put_tick(struct svg_ticks *ticks, double at, const char *label)
{
    if (ticks->n == SVG_TICKS_MAX)
        return;
    ticks->at[ticks->n] = at;
    text_copy(ticks->label[ticks->n], sizeof(ticks->label[0]), label);
    ticks->widest = fmax(ticks->widest, svg_text_width(label));
    ticks->n++;
}

static bool ticks_fit(const struct svg_scale *scale, const struct svg_ticks *ticks, double room)
{
    for (size_t i = 1; i < ticks->n; i++) {
        double apart = fabs(svg_at(scale, ticks->at[i]) - svg_at(scale, ticks->at[i - 1]));
        double half = (svg_text_width(ticks->label[i]) + svg_text_width(ticks->label[i - 1])) / 2 + LETTER_GAP;
        if (apart < (room > 0 ? room : half))
            return false;
    }
    return true;
}

int svg_step_decimals(double step)
{
    int decimals = (int)ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
}

static void linear_ticks(const struct svg_scale *scale, const char *unit, unsigned most, struct svg_ticks *ticks)
{
    struct units units = units_choose(unit, fmax(fabs(scale->low), fabs(scale->high)));
    double step = svg_step((scale->high - scale->low) * units.factor, most) / units.factor;
    double first = ceil(scale->low / step - 1e-6);
    char label[UNITS_SIZE];

    memset(ticks, 0, sizeof(*ticks));
    TEXT_SET(ticks->unit, units.name);
    for (size_t i = 0; i < SVG_TICKS_MAX && (first + (double)i) * step <= scale->high + step * 1e-6; i++) {
        double at = (first + (double)i) * step;
        units_number(at * units.factor, svg_step_decimals(step * units.factor), label, sizeof(label));
        put_tick(ticks, at, label);
    }
}

/* Returns whether the unit is one of a family (ns, us, ms..), each with a name of its own. */
static bool has_family(const char *unit)
{
    return units_choose(unit, 1e30).name[0] && !strstr(units_choose(unit, 1e30).name, unit);
}

/* Times with their unit, large counts with a prefix only. */
static void log_label(double at, const char *unit, char *label, size_t size)
{
    char number[UNITS_SIZE];
    struct units prefix = units_choose("", at);

    if (has_family(unit)) {
        units_value(at, unit, label, size);
        return;
    }
    if (at >= 1e15) /* units_number() prints it with an exponent */
        prefix = (struct units){.factor = 1};
    else if (at >= 1000 && !prefix.name[0])
        prefix = (struct units){.factor = 1e-3, .name = "k"};
    units_number(at * prefix.factor, svg_step_decimals(at * prefix.factor), number, sizeof(number));
    snprintf(label, size, "%.24s%.2s", number, prefix.name);
}

/* every 0: at 1, 2 and 5 times each power of ten. */
static void log_ticks(const struct svg_scale *scale, const char *unit, int every, struct svg_ticks *ticks)
{
    static const double mantissas[] = {1, 2, 5};
    char label[UNITS_SIZE];
    int last = (int)floor(log10(scale->high) + 1e-9);

    memset(ticks, 0, sizeof(*ticks));
    if (!has_family(unit))
        TEXT_SET(ticks->unit, unit);
    for (int power = (int)floor(log10(scale->low)); power <= last; power++)
        for (size_t i = 0; i < (every ? 1 : 3); i++) {
            double at = mantissas[i] * plot_decimal(1, power);
            if (at < scale->low * 0.999999 || at > scale->high * 1.000001 || (every > 1 && power % every))
                continue;
            log_label(at, unit, label, sizeof(label));
            put_tick(ticks, at, label);
        }
}

void svg_ticks(const struct svg_scale *scale, const char *unit, double room, struct svg_ticks *ticks)
{
    const struct units plain = units_choose(unit, 0);

    unit = plain.name;
    if (scale->log) {
        log_ticks(scale, unit, 0, ticks);
        for (int every = 1; (ticks->n == SVG_TICKS_MAX || !ticks_fit(scale, ticks, room)) && every <= 100; every++)
            log_ticks(scale, unit, every, ticks);
        return;
    }
    linear_ticks(scale, unit, 10, ticks);
    for (unsigned most = 9; most > 1 && !ticks_fit(scale, ticks, room); most--)
        linear_ticks(scale, unit, most, ticks);
}

/* --- Writing. --- */

static void begin_mark(struct text *out, const char *element, const char *classes)
{
    html_put(out, classes && classes[0] ? "<%s class=\"%s\"" : "<%s", element, classes);
}

static void svg_group(struct text *out, const char *classes)
{
    begin_mark(out, "g", classes);
    text_append(out, ">", 1);
}

static void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes)
{
    begin_mark(out, "path", classes);
    html_put(out, " d=\"M%f %fL%f %f\"/>", x1, y1, x2, y2);
}

static void svg_box(struct text *out, double x, double y, double width, double height, const char *classes,
                    const char *tip)
{
    begin_mark(out, "rect", classes);
    html_put(out, " x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"", x, y, fmax(width, 0), fmax(height, 0));
    html_put(out, tip ? "><title>%s</title></rect>" : "/>", tip);
}

static void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip)
{
    begin_mark(out, "circle", classes);
    html_put(out, " cx=\"%f\" cy=\"%f\" r=\"%f\"", x, y, radius);
    html_put(out, tip ? "><title>%s</title></circle>" : "/>", tip);
}

static void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
                      double most)
{
    bool cut = most > 0 && svg_text_width(s) > most;
    size_t room = most > 2 * CHART_LETTER ? (size_t)(most / CHART_LETTER) - 1 : 1, length = strlen(s);

    if (cut)
        for (length = 0; s[length] && (room || ((unsigned char)s[length] & 0xc0) == 0x80); length++)
            room -= ((unsigned char)s[length] & 0xc0) != 0x80;
    begin_mark(out, "text", classes);
    html_put(out, " x=\"%f\" y=\"%f\"", x, y);
    if (strcmp(anchor, "start"))
        text_printf(out, " text-anchor=\"%s\"", anchor);
    text_append(out, ">", 1);
    html_escape(out, s, length);
    if (cut)
        html_put(out, "\xe2\x80\xa6<title>%s</title>", s);
    text_printf(out, "</text>");
}

/* --- Many points. --- */

/* What is drawn of all points in one pixel column. */
struct pixel_column {
    double x, first, least, greatest, last;
    bool used;
};

static void flush_column(struct text *out, struct pixel_column *column, bool *begun)
{
    const double ys[] = {column->first, column->least, column->greatest, column->last};

    for (size_t i = 0; column->used && i < 4; i++) {
        if (i > 0 && fabs(ys[i] - ys[i - 1]) < 0.05)
            continue;
        html_put(out, "%c%f %f", *begun ? 'L' : 'M', column->x, ys[i]);
        *begun = true;
    }
    column->used = false;
}

/* The next three write what a path's attribute d has. */
static void put_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                      const struct stats_point *points, size_t n)
{
    struct pixel_column column = {0};
    bool begun = false;

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(points[i].at) || !isfinite(points[i].value))
            continue;
        double px = svg_at(x, points[i].at), py = svg_at(y, points[i].value);
        if (column.used && floor(px) > floor(column.x))
            flush_column(out, &column, &begun);
        if (!column.used)
            column = (struct pixel_column){.x = px, .first = py, .least = py, .greatest = py, .used = true};
        column.least = fmin(column.least, py);
        column.greatest = fmax(column.greatest, py);
        column.last = py;
    }
    flush_column(out, &column, &begun);
}

static void put_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                        const struct stats_point *points, size_t n)
{
    size_t width = (size_t)fabs(x->to - x->from) + 1, height = (size_t)fabs(y->to - y->from) + 1;
    double left = fmin(x->from, x->to), top = fmin(y->from, y->to);
    FREED unsigned char *seen = memory_get(width * height, 1);

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(points[i].at) || !isfinite(points[i].value))
            continue;
        size_t px = (size_t)(svg_at(x, points[i].at) - left + 0.5),
               py = (size_t)(svg_at(y, points[i].value) - top + 0.5);
        if (seen[py * width + px])
            continue;
        seen[py * width + px] = 1;
        html_put(out, "M%f %fh0", left + (double)px, top + (double)py);
    }
}

static void put_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                      const struct stats_point *points, size_t n)
{
    double bottom = svg_at(y, y->low), at = bottom;

    html_put(out, "M%f %f", svg_at(x, points[0].at), bottom);
    for (size_t i = 0; i < n; i++) {
        double top = points[i].value > 0 ? svg_at(y, points[i].value) : bottom;
        if (fabs(top - at) >= 0.05)
            html_put(out, "V%f", top);
        at = top;
        html_put(out, "H%f", svg_at(x, points[i + 1].at));
    }
    html_put(out, "V%f", bottom);
}

/* --- Axes. --- */

static void svg_axis(struct text *out, const struct svg_scale *scale, const struct svg_ticks *ticks, const char *title,
                     bool left, double at, double grid_end)
{
    const char *unit = ticks->unit;

    title =
        TEXT_LINE("%s%s%s%s%s", title, unit[0] ? " (" : "", unit, unit[0] ? ")" : "", scale->log ? ", log scale" : "");
    svg_group(out, left ? "axis y" : "axis x");
    for (size_t i = 0; i < ticks->n; i++) {
        const double place = svg_at(scale, ticks->at[i]);
        if (left) {
            svg_line(out, at - 3, place, grid_end, place, "grid");
            svg_label(out, at - 6, place + 4, "end", "tick", ticks->label[i], 0);
        } else {
            svg_line(out, place, grid_end, place, at + 3, "grid");
            svg_label(out, place, at + LABEL_BELOW, "middle", "tick", ticks->label[i], 0);
        }
    }
    if (left) {
        svg_label(out, 0, fmin(scale->from, scale->to) - 10, "start", "name", title, 0);
    } else {
        svg_line(out, scale->from, at, scale->to, at, "base");
        svg_label(out, scale->to, at + TITLE_BELOW, "end", "name", title, 0);
    }
    text_printf(out, "</g>");
}

/* --- Charts. --- */

struct frame {
    struct svg_scale x, y;
    struct svg_ticks x_ticks, y_ticks;
};

const char *chart_class(unsigned colour)
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
    MEMORY_GROW(c->mark, c->room, c->n_marks + 1);
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
    SORT(values, n, by_x);
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

/* Up to the start of the SVG, `height` pixels high; the description follows. */
static void put_chart_head(const struct chart *c, double height, struct text *out)
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

bool chart_wants_log(const struct chart_axis *axis)
{
    if (axis->scale == CHART_LOG) /* not if nothing was counted */
        return axis->least > 0;
    return axis->scale != CHART_LINEAR && axis->low > 0 &&
           axis->high / axis->low > (axis->scale == CHART_WIDE ? WIDE : LOG_FROM);
}

struct svg_scale chart_scale(const struct chart_axis *axis, bool log)
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
    const bool together = !c->log_together || (chart_wants_log(&c->x) && chart_wants_log(&c->y));

    f->y = chart_scale(&c->y, chart_wants_log(&c->y) && together);
    f->y.from = HEIGHT - BELOW;
    f->y.to = TOP;
    svg_ticks(&f->y, c->y.unit, TICK_ROOM, &f->y_ticks);
    if (!c->n_categories)
        f->x = chart_scale(&c->x, chart_wants_log(&c->x) && (together || c->x.scale == CHART_LOG));
    f->x.from = f->y_ticks.widest + 10;
    f->x.to = WIDTH - (c->n_categories ? 6 : 22);
    if (!c->n_categories)
        make_x_ticks(f, c->x.unit);
    put_chart_head(c, HEIGHT, out);
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

    f->x = chart_scale(&c->x, chart_wants_log(&c->x));
    f->x.from = fmin(CHART_LETTER * (double)c->label_width, LABEL_MOST) + LABEL_GAP;
    f->x.to = WIDTH - c->right;
    f->y = (struct svg_scale){.low = 0, .high = (double)c->n_lines, .from = LINE_TOP + LINE / 2, .to = end + LINE / 2};
    make_x_ticks(f, c->x.unit);
    put_chart_head(c, bottom + BELOW, out);
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
    case CHART_POINTS:
    case CHART_STEPS:
        begin_mark(out, "path", m->classes);
        text_printf(out, " d=\"");
        (m->shape == CHART_LINE     ? put_trace
         : m->shape == CHART_POINTS ? put_scatter
                                    : put_steps)(out, &f->x, &f->y, m->points, m->n);
        text_printf(out, "\"/>");
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

void chart_free(struct chart *c)
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
    chart_free(c);
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
