/* SPDX-License-Identifier: MIT */
/* Draws distributions as text: histograms with round bin limits and logarithmic bars; ranges on an axis of whole
 * decades; strips of time. */
#include "out/out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BINS 25u
/* From this ratio of highest to lowest on, bins have equal ratios: of equal width, one would have all but the tail. */
#define GEOMETRIC     100.0
#define SIGNIFICANT   4
#define MOST_DECIMALS 17

#define LEAST_WIDTH 40u
#define MOST_WIDTH  300u
#define GAP         2u

struct bins {
    size_t n;
    double edges[MOST_BINS + 1];
    double counts[MOST_BINS];
    int decimals; /* decimals of the limits; -1: as many as each needs */
};

/* Powers of ten near it must be finite too. */
static bool is_usable(double value)
{
    return fabs(value) < 1e300;
}

bool plot_is_event(const struct stats_point *pair)
{
    return is_usable(pair->at) && isfinite(pair->value) && pair->value > 0;
}

double plot_decimal(double mantissa, int power)
{
    return power < 0 ? mantissa / pow(10, -power) : mantissa * pow(10, power);
}

static void even_edges(struct bins *bins, double low, double high, bool whole)
{
    static const double mantissas[] = {1, 2, 5};
    double span = high - low;
    int power = span > 0 ? (int)floor(log10(span)) - 2 : 0;
    if (whole && power < 0)
        power = 0;
    for (size_t i = 0;; i++) {
        double mantissa = mantissas[i % 3];
        double first = floor(low / plot_decimal(mantissa, power)), last = floor(high / plot_decimal(mantissa, power));
        /* A step that is too small to change a huge position must grow. */
        int vanishes = plot_decimal(mantissa * (first + 1), power) <= plot_decimal(mantissa * first, power);
        if (last - first < MOST_BINS && !vanishes) {
            bins->n = (size_t)(last - first) + 1;
            bins->decimals = power >= 0 ? 0 : -power < MOST_DECIMALS ? -power : -1;
            for (size_t j = 0; j <= bins->n; j++)
                bins->edges[j] = plot_decimal(mantissa * (first + (double)j), power);
            return;
        }
        power += i % 3 == 2;
    }
}

/* Ten, five, three or one in a decade, the finest with few enough bins. */
static bool geometric_edges(struct bins *bins, double low, double high)
{
    static const struct {
        size_t n;
        double mantissas[10];
    } series[] = {
        {10, {100, 125, 160, 200, 250, 315, 400, 500, 630, 800}},
        {5, {100, 160, 250, 400, 630}},
        {3, {100, 200, 500}},
        {1, {100}},
    };
    int first_power = (int)floor(log10(low)) - 3;
    for (size_t s = 0; s < COUNT(series); s++) {
        size_t n = 0;
        double edge = 0;
        for (size_t i = 0; n <= MOST_BINS && (n == 0 || edge <= high); i++) {
            double below = edge;
            edge = plot_decimal(series[s].mantissas[i % series[s].n], first_power + (int)(i / series[s].n));
            if (edge <= low)
                continue;
            if (n == 0)
                bins->edges[n++] = below;
            bins->edges[n++] = edge;
        }
        if (edge > high && n <= MOST_BINS + 1) {
            bins->n = n - 1;
            bins->decimals = -1;
            return true;
        }
    }
    return false;
}

void plot_count(const struct row *row, const double *edges, size_t n, double *counts)
{
    size_t bin = 0;

    memset(counts, 0, n * sizeof(*counts));
    for (size_t i = 0; i < row->n_hist; i++) {
        const double at = row->hist[i].at;
        if (!plot_is_event(&row->hist[i]) || at - edges[n] > 1e-9 * fabs(edges[n])) /* the edges are rounded */
            continue;
        while (bin > 0 && at < edges[bin])
            bin--;
        while (bin + 1 < n && at >= edges[bin + 1])
            bin++;
        counts[bin] += row->hist[i].value;
    }
}

static int label(const struct bins *bins, size_t edge, char *buf, size_t size)
{
    double value = bins->edges[edge];
    if (bins->decimals >= 0)
        return snprintf(buf, size, "%.*f", bins->decimals, value);
    if (value >= 1000 && value < 1e12)
        return snprintf(buf, size, "%.0f", value);
    return snprintf(buf, size, "%.*g", SIGNIFICANT, value);
}

static int widest(int a, int b)
{
    return a > b ? a : b;
}

static void put_bins(const struct bins *bins, const char *unit, unsigned width, struct text *out)
{
    char low[400], high[400];
    int label_width = 0, count_width = 0, room;
    double most = 0;
    for (size_t i = 0; i <= bins->n; i++)
        label_width = widest(label_width, label(bins, i, low, sizeof low));
    for (size_t i = 0; i < bins->n; i++) {
        count_width = widest(count_width, TEXT_PRINT(low, "%.0f", bins->counts[i]));
        most = fmax(most, bins->counts[i]);
    }
    room = (width < 10000 ? (int)width : 10000) - (2 * label_width + count_width + (int)strlen(unit) + 8);
    for (size_t i = 0; i < bins->n; i++) {
        /* A count of one is as long as what each further decade adds. */
        double share = bins->counts[i] < 1 ? 0 : (1 + log10(bins->counts[i])) / (1 + log10(most));
        int bar = bins->counts[i] > 0 && room > 0 ? widest(1, (int)lround(room * share)) : 0;
        label(bins, i, low, sizeof low);
        label(bins, i + 1, high, sizeof high);
        text_printf(out, "%*s .. %*s %s %*.0f", label_width, low, label_width, high, unit, count_width,
                    bins->counts[i]);
        if (room > 0)
            text_append(out, " |", 2);
        while (bar-- > 0)
            text_append(out, "#", 1);
        text_append(out, "\n", 1);
    }
}

void plot_histogram(const struct row *row, unsigned width, struct text *out)
{
    struct bins bins = {0};
    struct stats_running at = {0};
    bool whole = true; /* all positions are whole numbers */

    for (size_t i = 0; i < row->n_hist; i++)
        if (plot_is_event(&row->hist[i])) {
            stats_add(&at, row->hist[i].at);
            whole = whole && floor(row->hist[i].at) >= row->hist[i].at;
        }
    if (!at.n)
        return;
    if (at.min <= 0 || at.max / at.min <= GEOMETRIC || !geometric_edges(&bins, at.min, at.max))
        even_edges(&bins, at.min, at.max, whole);
    plot_count(row, bins.edges, bins.n, bins.counts);
    put_bins(&bins, row->unit, width, out);
}

/* --- ranges ----------------------------------------------------------------------------------------------------- */

struct axis {
    int first, last; /* decades */
    unsigned left, span;
    bool time; /* the unit is ns */
};

/* In one column, a later mark hides an earlier one. */
enum { P99 = 1, MEDIAN = 3 };
static const struct {
    char sign;
    size_t at;
} marks[] = {{'[', offsetof(struct stats_summary, min)},
             {'|', offsetof(struct stats_summary, p99)},
             {']', offsetof(struct stats_summary, max)},
             {'*', offsetof(struct stats_summary, median)}};

static double mark_value(const struct row *row, size_t mark)
{
    return *(const double *)(const void *)((const char *)&row->stats + marks[mark].at);
}

static unsigned column_at(const struct axis *axis, double power)
{
    const double share = (power - axis->first) / (axis->last - axis->first);
    return axis->left + (unsigned)lround(axis->span * fmax(share, 0));
}

static int tick_label(const struct axis *axis, int power, char *buf, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = !axis->time || power < 3 ? 0 : power < 6 ? 1 : power < 9 ? 2 : 3;
    return snprintf(buf, size, "%g%s", plot_decimal(1, power - 3 * unit), axis->time ? units[unit] : "");
}

/* With a space after each. */
static bool labels_fit(const struct axis *axis, int step)
{
    char buf[32];
    unsigned end = 0;
    for (int power = axis->first; power <= axis->last; power++) {
        if (power % step != 0)
            continue;
        if (column_at(axis, power) < end)
            return false;
        end = column_at(axis, power) + (unsigned)tick_label(axis, power, buf, sizeof buf) + 1;
    }
    return true;
}

static void put_line(const char *line, struct text *out)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    text_printf(out, "%.*s\n", (int)length, line);
}

static void put_at(char *line, unsigned column, const char *s)
{
    memcpy(line + column, s, strlen(s));
}

static void begin_line(const struct axis *axis, const char *label, char *line)
{
    memset(line, ' ', MOST_WIDTH);
    line[MOST_WIDTH] = '\0';
    for (unsigned i = 0; i + GAP < axis->left && label[i] != '\0'; i++)
        line[i] = label[i] < ' ' || label[i] > '~' ? '?' : label[i];
}

/* draw: returns false when the row has nothing to draw; it then has its status. */
static void put_rows(const struct axis *axis, const struct plot_row *rows, size_t n,
                     bool (*draw)(const struct axis *axis, const struct row *row, char *line), struct text *out)
{
    char line[MOST_WIDTH + 1];
    for (size_t i = 0; i < n; i++) {
        const struct row *row = rows[i].row;
        begin_line(axis, rows[i].label, line);
        if (!draw(axis, row, line))
            put_at(line, axis->left, row->status == ROW_OK ? "-" : row_status_name(row->status));
        put_line(line, out);
    }
}

static bool draw_range(const struct axis *axis, const struct row *row, char *line)
{
    unsigned column[COUNT(marks)] = {0}, from = MOST_WIDTH, to = 0;
    for (size_t mark = 0; mark < COUNT(marks); mark++) {
        const double value = mark_value(row, mark);
        if (!is_usable(value))
            continue;
        column[mark] = value > 0 ? column_at(axis, log10(value)) : axis->left;
        from = column[mark] < from ? column[mark] : from;
        to = column[mark] > to ? column[mark] : to;
    }
    if (from > to)
        return false;
    for (int power = axis->first; power <= axis->last; power++)
        line[column_at(axis, power)] = '.';
    memset(line + from, '-', to - from + 1);
    if (column[MEDIAN] && column[P99] >= column[MEDIAN])
        memset(line + column[MEDIAN], '=', column[P99] - column[MEDIAN] + 1);
    for (size_t mark = 0; mark < COUNT(marks); mark++)
        if (column[mark]) /* never at the left edge of the line, where the label is */
            line[column[mark]] = marks[mark].sign;
    return true;
}

static void lay_out(struct axis *axis, const char *title, const struct plot_row *rows, size_t n, unsigned width)
{
    size_t label = strlen(title);
    int behind = 0;
    char buf[32];
    width = width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
    const unsigned most = width / 2 - GAP;
    for (size_t i = 0; i < n; i++)
        label = strlen(rows[i].label) > label ? strlen(rows[i].label) : label;
    for (int power = axis->first; power <= axis->last; power++)
        behind = widest(behind, tick_label(axis, power, buf, sizeof buf));
    axis->left = (label < most ? (unsigned)label : most) + GAP;
    axis->span = width - axis->left - (unsigned)behind;
}

void plot_ranges(const char *title, double least, const struct plot_row *rows, size_t n, unsigned width,
                 struct text *out)
{
    char labels[MOST_WIDTH + 1], ticks[MOST_WIDTH + 1], buf[32];
    struct axis axis = {0};
    double low = INFINITY, high = 0;
    bool found = false;
    int step = 1;
    for (size_t i = 0; i < n * COUNT(marks); i++) {
        const struct row *row = rows[i / COUNT(marks)].row;
        const double value = mark_value(row, i % COUNT(marks));
        if (!is_usable(value))
            continue;
        axis.time = found ? axis.time : !strcmp(row->unit, "ns");
        found = true;
        low = value > 0 ? fmin(low, value) : low;
        high = fmax(high, value);
    }
    if (!found)
        return;
    low = fmax(high > 0 ? low : 1, least); /* if there are only zeros, any axis will do */
    axis.first = (int)floor(log10(low));
    axis.last = (int)ceil(log10(fmax(high, low)));
    axis.last += axis.last == axis.first;
    lay_out(&axis, title, rows, n, width);
    begin_line(&axis, title, labels);
    begin_line(&axis, "", ticks);
    while (!labels_fit(&axis, step))
        step++;
    memset(ticks + axis.left, '-', axis.span);
    for (int power = axis.first; power <= axis.last; power++) {
        ticks[column_at(&axis, power)] = '+';
        tick_label(&axis, power, buf, sizeof buf);
        if (power % step == 0)
            put_at(labels, column_at(&axis, power), buf);
    }
    put_line(labels, out);
    put_line(ticks, out);
    put_rows(&axis, rows, n, draw_range, out);
    text_printf(out, "[ minimum  * median  | p99  ] maximum\n");
}

/* --- strips ----------------------------------------------------------------------------------------------------- */

/* For 0, more than 0, 10^STRIP_FIRST or more, and each further power of ten. */
#define STRIP_FIRST (-6)
static const char strip_signs[] = " .:-=+*#@";

double plot_strip_part(const struct row *row)
{
    double part = row->n_series < 2 ? 0 : row->series[1].at - row->series[0].at;
    return is_usable(part) && part > 0 ? part : 0;
}

double plot_strip_share(const struct row *row, size_t piece, size_t pieces)
{
    size_t from = piece * row->n_series / pieces, to = (piece + 1) * row->n_series / pieces;
    double ns = 0;

    for (size_t i = from; i < to; i++)
        ns += isfinite(row->series[i].value) ? row->series[i].value : 0;
    return ns / ((double)(to - from) * plot_strip_part(row) * 1e3);
}

static size_t strip_columns(const struct axis *axis, const struct row *row)
{
    size_t n = plot_strip_part(row) > 0 ? row->n_series : 0;
    return n < axis->span ? n : axis->span;
}

static bool draw_strip(const struct axis *axis, const struct row *row, char *line)
{
    const size_t columns = strip_columns(axis, row);
    for (size_t column = 0; column < columns; column++) {
        const double share = plot_strip_share(row, column, columns);
        size_t sign = share > 0;
        /* for shares rounded to slightly below a limit */
        while (sign && strip_signs[sign + 1] != '\0' && share * 1.005 >= plot_decimal(1, STRIP_FIRST + (int)sign - 1))
            sign++;
        line[axis->left + column] = strip_signs[sign];
    }
    return columns > 0;
}

void plot_strip(const char *title, const struct plot_row *rows, size_t n, unsigned width, struct text *out)
{
    struct axis axis = {.first = 1, .last = 0}; /* an axis without ticks */
    char head[MOST_WIDTH + 1];
    size_t most = 0;
    lay_out(&axis, title, rows, n, width);
    for (size_t i = 0; i < n; i++)
        most = strip_columns(&axis, rows[i].row) > most ? strip_columns(&axis, rows[i].row) : most;
    if (most == 0)
        return;
    begin_line(&axis, title, head);
    put_at(head, axis.left, "start");
    if (most > strlen("startend"))
        put_at(head, axis.left + (unsigned)(most - strlen("end")), "end");
    put_line(head, out);
    put_rows(&axis, rows, n, draw_strip, out);
    text_printf(out, "lost: '%c' nothing  %c less", strip_signs[0], strip_signs[1]);
    for (int i = 2; strip_signs[i] != '\0'; i++)
        text_printf(out, "  %c %g %%", strip_signs[i], plot_decimal(1, STRIP_FIRST + i));
    text_printf(out, " or more\n");
}
