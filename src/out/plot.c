/* SPDX-License-Identifier: MIT */
/* Histograms as text: round bin limits, and bars of the logarithm of the count. */
#include "out/plot.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_BINS 25u
#define GEOMETRIC                                                                                                      \
    100.0 /* from this ratio of highest to lowest on, even steps would put all but the tail into one bin */
#define SIGNIFICANT   4
#define MOST_DECIMALS 17

struct bins {
    size_t n;
    double edges[MOST_BINS + 1];
    double counts[MOST_BINS];
    int decimals; /* of the limits; -1: as each needs */
};

/* A file that was edited may hold anything; powers of ten shall stay finite. */
static int is_event(const struct row_pair *pair)
{
    return fabs(pair->at) < 1e300 && isfinite(pair->value) && pair->value > 0;
}

/* 0 when there is no event. *whole: all positions are whole numbers. */
static int find_range(const struct row *row, double *low, double *high, int *whole)
{
    int found = 0;
    *whole = 1;
    for (size_t i = 0; i < row->n_hist; i++) {
        double at = row->hist[i].at;
        if (!is_event(&row->hist[i]))
            continue;
        *low = found && *low < at ? *low : at;
        *high = found && *high > at ? *high : at;
        *whole = *whole && floor(at) >= at;
        found = 1;
    }
    return found;
}

/* mantissa * 10^power, as exact as the nearest double for a whole mantissa. */
static double decimal(double mantissa, int power)
{
    return power < 0 ? mantissa / pow(10, -power) : mantissa * pow(10, power);
}

/* Steps of 1, 2 or 5 times a power of ten. */
static void even_edges(struct bins *bins, double low, double high, int whole)
{
    static const double mantissas[] = {1, 2, 5};
    double span = high - low;
    int power = span > 0 ? (int)floor(log10(span)) - 2 : 0;
    if (whole && power < 0)
        power = 0;
    for (size_t i = 0;; i++) {
        double mantissa = mantissas[i % 3];
        double first = floor(low / decimal(mantissa, power)), last = floor(high / decimal(mantissa, power));
        /* Beside a huge position a small step vanishes: it has to grow even where the count of bins is small. */
        int vanishes = decimal(mantissa * (first + 1), power) <= decimal(mantissa * first, power);
        if (last - first < MOST_BINS && !vanishes) {
            bins->n = (size_t)(last - first) + 1;
            bins->decimals = power >= 0 ? 0 : -power < MOST_DECIMALS ? -power : -1;
            for (size_t j = 0; j <= bins->n; j++)
                bins->edges[j] = decimal(mantissa * (first + (double)j), power);
            return;
        }
        power += i % 3 == 2;
    }
}

/* The preferred numbers: ten, five, three or one of them to a decade, the finest that needs few enough bins. */
static int geometric_edges(struct bins *bins, double low, double high)
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
    for (size_t s = 0; s < sizeof series / sizeof series[0]; s++) {
        size_t n = 0;
        double edge = 0;
        for (size_t i = 0; n <= MOST_BINS && (n == 0 || edge <= high); i++) {
            double below = edge;
            edge = decimal(series[s].mantissas[i % series[s].n], first_power + (int)(i / series[s].n));
            if (edge <= low)
                continue;
            if (n == 0)
                bins->edges[n++] = below;
            bins->edges[n++] = edge;
        }
        if (edge > high && n <= MOST_BINS + 1) {
            bins->n = n - 1;
            bins->decimals = -1;
            return 0;
        }
    }
    return -1;
}

static void count_events(struct bins *bins, const struct row *row)
{
    for (size_t i = 0; i < row->n_hist; i++) {
        size_t bin = 0;
        if (!is_event(&row->hist[i]))
            continue;
        while (bin + 1 < bins->n && row->hist[i].at >= bins->edges[bin + 1])
            bin++;
        bins->counts[bin] += row->hist[i].value;
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
        count_width = widest(count_width, snprintf(low, sizeof low, "%.0f", bins->counts[i]));
        most = fmax(most, bins->counts[i]);
    }
    room = (width < 10000 ? (int)width : 10000) - (2 * label_width + count_width + (int)strlen(unit) + 8);
    for (size_t i = 0; i < bins->n; i++) {
        /* One event has a bar too: a decade of it, as each further decade has. */
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
    double low = 0, high = 0;
    int whole = 0;
    if (!find_range(row, &low, &high, &whole))
        return;
    if (low <= 0 || high / low <= GEOMETRIC || geometric_edges(&bins, low, high) != 0)
        even_edges(&bins, low, high, whole);
    count_events(&bins, row);
    put_bins(&bins, row->unit, width, out);
}
