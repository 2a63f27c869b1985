/* SPDX-License-Identifier: MIT */
/* Draws histograms as text, with round bin limits and logarithmic bars. */
#include "out/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BINS 25u
/* From this ratio of highest to lowest on, bins have equal ratios: of equal width, one would have all but the tail. */
#define GEOMETRIC   100.0
#define SIGNIFICANT 4

struct bins {
    size_t n;
    double edges[MOST_BINS + 2];
    double counts[MOST_BINS + 1];
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
    double step = high > low ? svg_step(high - low, MOST_BINS - 1) : 1;

    if (whole)
        step = fmax(step, 1);
    while ((floor(low / step) + 1) * step <= floor(low / step) * step) /* too small to change a huge position */
        step *= 10;
    const double first = floor(low / step), inverse = round(1 / step);
    bins->n = (size_t)(floor(high / step) - first) + 1;
    bins->decimals = step < 1e-17 ? -1 : svg_step_decimals(step);
    for (size_t j = 0; j <= bins->n; j++)
        bins->edges[j] = step < 1 ? (first + (double)j) / inverse : (first + (double)j) * step;
}

/* Ten in a decade, or every second, third, fifth or tenth of these, the finest with few enough bins. */
static bool geometric_edges(struct bins *bins, double low, double high)
{
    static const double mantissas[] = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    static const size_t every[] = {1, 2, 3, 5, 10};
    const int first_power = (int)floor(log10(low)) - 3;

    for (size_t s = 0; s < COUNT(every); s++) {
        size_t n = 0;
        double edge = 0;
        for (size_t i = 0; n <= MOST_BINS && (n == 0 || edge <= high); i += every[s]) {
            double below = edge;
            edge = plot_decimal(mantissas[i % 10], first_power + (int)(i / 10));
            if (edge <= low)
                continue;
            if (n == 0)
                bins->edges[n++] = below;
            bins->edges[n++] = edge;
        }
        bins->n = n - 1;
        bins->decimals = -1;
        if (edge > high && n <= MOST_BINS + 1)
            return true;
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
