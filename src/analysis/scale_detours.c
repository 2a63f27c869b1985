/* SPDX-License-Identifier: MIT */
/* Collects detours from rows in bins by length. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sys/base.h"

/* A longer experiment of prime includes a detour; smaller differences from the median are its normal variation. */
#define EXPERIMENT_SHARE 0.5
#define PERIODIC_LEAST   8u
#define PERIODIC_SPREAD  0.25
/* Events that a series keeps from its beginning, whatever their length. */
#define FIRST_EVENTS 500u

/* --- Bins. --- */

static size_t bin_of(double ns)
{
    double at = ns > 1 ? log2(ns) * DETOURS_PER_OCTAVE : 0;

    return at < DETOURS_BINS ? (size_t)at : DETOURS_BINS - 1;
}

static unsigned octave_of(double ns)
{
    return (unsigned)(bin_of(ns) / DETOURS_PER_OCTAVE);
}

static void put(struct detours_of *of, double ns, double n)
{
    struct detours_bin *bin = &of->bins[bin_of(ns)];

    bin->n += n;
    bin->ns += n * ns;
}

/* --- Periods. --- */

static int by_position(const void *a, const void *b)
{
    const struct stats_point *x = a, *y = b;

    return ORDER_OF(x->at, y->at);
}

/* From this length on the series has all events: after the first FIRST_EVENTS shorter ones may be missing. sorted:
 * by time. */
static double least_complete(const struct stats_point *sorted, size_t n, uint64_t left_out)
{
    double least = INFINITY;

    if (!left_out)
        return 0;
    for (size_t i = FIRST_EVENTS; i < n; i++)
        least = fmin(least, sorted[i].value);
    return least;
}

static bool evenly_spread(const struct stats_point *sorted, size_t n, unsigned octave)
{
    struct stats_running gaps = {0};
    double before = NAN;

    for (size_t i = 0; i < n; i++) {
        if (octave_of(sorted[i].value) != octave)
            continue;
        if (!isnan(before))
            stats_add(&gaps, sorted[i].at - before);
        before = sorted[i].at;
    }
    return gaps.n + 1 >= PERIODIC_LEAST && stats_sd(&gaps) < PERIODIC_SPREAD * gaps.mean;
}

/* Octaves with at least 8 events, all recorded, whose gaps deviate by less than a quarter of their mean. Time in us,
 * length in ns. */
static void count_periodic(struct detours_host *host, const struct row *row)
{
    const size_t n = row->n_series;
    unsigned events[DETOUR_CLASSES] = {0};

    if (!n)
        return;
    FREED_BY(memory_free) struct stats_point *sorted = memory_get(n, sizeof(*sorted));
    memcpy(sorted, row->series, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_position);
    double least = least_complete(sorted, n, row->series_left_out);
    for (size_t i = 0; i < n; i++)
        events[octave_of(sorted[i].value)]++;
    for (unsigned octave = 0; octave < DETOUR_CLASSES; octave++)
        host->periodic[octave] +=
            events[octave] >= PERIODIC_LEAST && least <= exp2(octave) && evenly_spread(sorted, n, octave);
}

/* --- Rows. --- */

/* Of a bin given by its lowest value: width 1 at first, then 64 in an octave (base 0). */
static double middle(double low)
{
    return low < HIST_LINEAR ? low : low + exp2(floor(log2(low))) / HIST_SUB / 2;
}

static void enter_detours(struct detours_host *host, const struct row *row)
{
    for (size_t i = 0; i < row->n_hist; i++)
        if (row->hist[i].value > 0)
            put(&host->noise, middle(row->hist[i].at), row->hist[i].value);
    host->noise.rows++;
    host->noise.unit_ns = 1;
    count_periodic(host, row);
}

static void enter_cause(struct detours_host *host, const struct row *row, unsigned cause)
{
    for (size_t i = 0; i < row->n_series; i++)
        if (row->series[i].value > 0)
            host->by_cause[cause][octave_of(row->series[i].at)] += row->series[i].value;
}

static void enter_share(struct detours_of *of, bool of_part, double share)
{
    const double percent = fmax(1, round(100 * share));

    if (share > 0 && percent <= DETOURS_SHARES)
        of->shares[of_part][(size_t)percent - 1]++;
}

/* The row's series holds it in per cent for each time slice. */
static void enter_shares(struct detours_host *host, const struct row *row)
{
    for (size_t i = 0; i < row->n_series; i++)
        enter_share(&host->noise, true, row->series[i].value / 100);
}

static void enter_experiments(struct detours_host *host, const struct row *row)
{
    const double median = row->stats.median;

    if (!(median > 0) || !row->n_hist)
        return;
    for (size_t i = 0; i < row->n_hist; i++) {
        double over = row->hist[i].at - median, n = row->hist[i].value;
        if (!(n > 0))
            continue;
        host->prime.work += n * (over > median * EXPERIMENT_SHARE ? median : row->hist[i].at);
        if (over > median * EXPERIMENT_SHARE)
            put(&host->prime, over, n);
    }
    host->prime.rows++;
    host->experiment_ticks = median;
}

static void enter_prime(struct detours_host *host, const struct row *row)
{
    if (!strcmp(row->metric, "cycles")) {
        enter_experiments(host, row);
        enter_share(&host->prime, false, row_core_share(row));
    } else if (!strcmp(row->metric, "time") && host->experiment_ticks > 0 && row->stats.median > 0)
        host->prime.unit_ns = row->stats.median / host->experiment_ticks;
}

void detours_enter(struct detours_host *host, const struct row *row)
{
    if (row->status == ROW_FAILED || row->status == ROW_SKIPPED)
        return;
    if (!strcmp(row->suite, "prime"))
        enter_prime(host, row);
    if (strcmp(row->suite, "noise"))
        return;
    if (!strcmp(row->metric, "detour"))
        enter_detours(host, row);
    else if (!strcmp(row->metric, "core_share"))
        enter_shares(host, row);
    else if (!strcmp(row->metric, "lost") && row->wall_s > 0 && row->value >= 0 && row->value <= 100) {
        host->noise.work += row->wall_s * 1e9 * (1 - row->value / 100);
        enter_share(&host->noise, false, row_core_share(row));
    }
    for (unsigned cause = 0; cause < DETOUR_CAUSES; cause++)
        if (!strncmp(row->metric, "lost_", 5) && !strcmp(row->metric + 5, detour_cause_names[cause]))
            enter_cause(host, row, cause);
}

static bool is_usable(const struct detours_of *of)
{
    return of->rows && of->work > 0 && of->unit_ns > 0;
}

const struct detours_of *detours_used(const struct detours_host *host)
{
    return is_usable(&host->noise) ? &host->noise : is_usable(&host->prime) ? &host->prime : NULL;
}

double detours_work_ns(const struct detours_host *host)
{
    const struct detours_of *of = detours_used(host);

    return of ? of->work * of->unit_ns : 0;
}

double detours_lost_pct(const struct detours_host *host)
{
    const struct detours_of *of = detours_used(host);
    double lost = 0;

    for (size_t b = 0; of && b < DETOURS_BINS; b++)
        lost += of->bins[b].ns;
    return of ? 100 * lost / (lost + of->work) : 0;
}

size_t detours_shares(const struct detours_host *host, struct stats_point *out)
{
    const struct detours_of *of = detours_used(host);
    size_t n = 0;

    for (unsigned of_part = 2; of && !n && of_part-- > 0;)
        for (size_t i = 0; i < DETOURS_SHARES; i++)
            if (of->shares[of_part][i] > 0)
                out[n++] = (struct stats_point){(double)(i + 1) / 100, of->shares[of_part][i]};
    return n;
}

double detours_mean_share(const struct detours_host *host)
{
    struct stats_point shares[DETOURS_SHARES];
    const size_t n = detours_shares(host, shares);
    double sum = 0, all = 0;

    for (size_t i = 0; i < n; i++) {
        sum += shares[i].at * shares[i].value;
        all += shares[i].value;
    }
    return n ? sum / all : NAN;
}

/* Converts to the unit of `into`. */
static void merge(struct detours_of *into, const struct detours_of *from)
{
    if (!(into->unit_ns > 0))
        into->unit_ns = from->unit_ns;
    into->rows += from->rows;
    for (size_t i = 0; i < DETOURS_SHARES; i++) {
        into->shares[false][i] += from->shares[false][i];
        into->shares[true][i] += from->shares[true][i];
    }
    if (!(from->unit_ns > 0))
        return;
    into->work += from->work * from->unit_ns / into->unit_ns;
    for (size_t b = 0; b < DETOURS_BINS; b++)
        if (from->bins[b].n > 0)
            put(into, from->bins[b].ns / from->bins[b].n * from->unit_ns / into->unit_ns, from->bins[b].n);
}

void detours_merge(struct detours_host *into, const struct detours_host *from)
{
    merge(&into->noise, &from->noise);
    merge(&into->prime, &from->prime);
    for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
        into->periodic[k] += from->periodic[k];
        for (unsigned cause = 0; cause < DETOUR_CAUSES; cause++)
            into->by_cause[cause][k] += from->by_cause[cause][k];
    }
}

size_t detours_sources(const struct detours_host *host, const double *keep, struct stats_point *lengths,
                       struct project_detours detours[2])
{
    const struct detours_of *of = detours_used(host);
    size_t n = 0, filled = 0;

    for (unsigned periodic = 0; of && periodic < 2; periodic++) {
        struct stats_point *first = lengths + n;
        for (size_t b = 0; b < DETOURS_BINS; b++) {
            double kept = of->bins[b].n * (keep ? keep[b / DETOURS_PER_OCTAVE] : 1);
            /* periodic on most CPUs: a rank then meets them so wherever it runs */
            if (kept > 0 && (of == &host->noise && 2 * host->periodic[b / DETOURS_PER_OCTAVE] > of->rows) == periodic)
                lengths[n++] = (struct stats_point){of->bins[b].ns / of->bins[b].n * of->unit_ns, kept};
        }
        if (lengths + n > first)
            detours[filled++] = (struct project_detours){.lengths = first,
                                                         .n = (size_t)(lengths + n - first),
                                                         .work_ns = of->work * of->unit_ns,
                                                         .periodic = periodic};
    }
    return filled;
}
