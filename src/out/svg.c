/* SPDX-License-Identifier: MIT */
/* Draws plots as SVG text: scales, ticks, axes and marks. */
#include "out/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sys/base.h"

#define MOST_DECADES 12
#define HUGE_VALUE   1e290 /* powers of ten of larger values would not stay finite */
#define WIDE_LETTER  7.0   /* width of a wide letter in pixels, at a font size of 11 pixels */
#define LETTER_GAP   12.0  /* pixels between the labels of neighbouring ticks */
#define LABEL_BELOW  18.0  /* distance from an axis to the baseline of its labels */
#define TITLE_BELOW  33.0

/* --- scales ----------------------------------------------------------------------------------------------------- */

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

/* --- ticks ------------------------------------------------------------------------------------------------------ */

double svg_text_width(const char *s)
{
    return WIDE_LETTER * (double)text_width(s);
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

static bool fits(const struct svg_scale *scale, const struct svg_ticks *ticks, double room)
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
        for (int every = 1; (ticks->n == SVG_TICKS_MAX || !fits(scale, ticks, room)) && every <= 100; every++)
            log_ticks(scale, unit, every, ticks);
        return;
    }
    linear_ticks(scale, unit, 10, ticks);
    for (unsigned most = 9; most > 1 && !fits(scale, ticks, room); most--)
        linear_ticks(scale, unit, most, ticks);
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

static void begin_mark(struct text *out, const char *element, const char *classes)
{
    html_put(out, classes && classes[0] ? "<%s class=\"%s\"" : "<%s", element, classes);
}

void svg_group(struct text *out, const char *classes)
{
    begin_mark(out, "g", classes);
    text_append(out, ">", 1);
}

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes)
{
    begin_mark(out, "path", classes);
    html_put(out, " d=\"M%f %fL%f %f\"/>", x1, y1, x2, y2);
}

void svg_box(struct text *out, double x, double y, double width, double height, const char *classes, const char *tip)
{
    begin_mark(out, "rect", classes);
    html_put(out, " x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"", x, y, fmax(width, 0), fmax(height, 0));
    html_put(out, tip ? "><title>%s</title></rect>" : "/>", tip);
}

void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip)
{
    begin_mark(out, "circle", classes);
    html_put(out, " cx=\"%f\" cy=\"%f\" r=\"%f\"", x, y, radius);
    html_put(out, tip ? "><title>%s</title></circle>" : "/>", tip);
}

void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
               double most)
{
    bool cut = most > 0 && svg_text_width(s) > most;
    size_t room = most > 2 * WIDE_LETTER ? (size_t)(most / WIDE_LETTER) - 1 : 1, length = strlen(s);

    if (cut)
        for (length = 0; s[length] && (room || ((unsigned char)s[length] & 0xc0) == 0x80); length++)
            room -= ((unsigned char)s[length] & 0xc0) != 0x80;
    begin_mark(out, "text", classes);
    html_put(out, " x=\"%f\" y=\"%f\"", x, y);
    if (strcmp(anchor, "start") != 0)
        text_printf(out, " text-anchor=\"%s\"", anchor);
    text_append(out, ">", 1);
    html_escape(out, s, length);
    if (cut)
        html_put(out, "\xe2\x80\xa6<title>%s</title>", s);
    text_printf(out, "</text>");
}

/* --- many points ------------------------------------------------------------------------------------------------ */

/* What is drawn of all points in one pixel column. */
struct column {
    double x, first, least, greatest, last;
    bool used;
};

static void flush_column(struct text *out, struct column *column, bool *begun)
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

void svg_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes)
{
    struct column column = {0};
    bool begun = false;

    begin_mark(out, "path", classes);
    text_printf(out, " d=\"");
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(points[i].at) || !isfinite(points[i].value))
            continue;
        double px = svg_at(x, points[i].at), py = svg_at(y, points[i].value);
        if (column.used && floor(px) > floor(column.x))
            flush_column(out, &column, &begun);
        if (!column.used)
            column = (struct column){.x = px, .first = py, .least = py, .greatest = py, .used = true};
        column.least = fmin(column.least, py);
        column.greatest = fmax(column.greatest, py);
        column.last = py;
    }
    flush_column(out, &column, &begun);
    text_printf(out, "\"/>");
}

void svg_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                 const struct stats_point *points, size_t n, const char *classes)
{
    size_t width = (size_t)fabs(x->to - x->from) + 1, height = (size_t)fabs(y->to - y->from) + 1;
    double left = fmin(x->from, x->to), top = fmin(y->from, y->to);
    FREED_BY(memory_free) unsigned char *seen = memory_get(width * height, 1);

    begin_mark(out, "path", classes);
    text_printf(out, " d=\"");
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
    text_printf(out, "\"/>");
}

void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes)
{
    double bottom = svg_at(y, y->low), at = bottom;

    if (n == 0)
        return;
    begin_mark(out, "path", classes);
    html_put(out, " d=\"M%f %f", svg_at(x, points[0].at), bottom);
    for (size_t i = 0; i < n; i++) {
        double top = points[i].value > 0 ? svg_at(y, points[i].value) : bottom;
        if (fabs(top - at) >= 0.05)
            html_put(out, "V%f", top);
        at = top;
        html_put(out, "H%f", svg_at(x, points[i + 1].at));
    }
    html_put(out, "V%f\"/>", bottom);
}

/* --- axes ------------------------------------------------------------------------------------------------------- */

void svg_axis(struct text *out, const struct svg_scale *scale, const struct svg_ticks *ticks, const char *title,
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
