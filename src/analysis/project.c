/* SPDX-License-Identifier: MIT */
/* Collects detours from rows in bins by length, and estimates how much they slow down many ranks, on each host and on
 * all together, and which of them cost most. */
#include "analysis/analysis.h"

#define PERIODIC_LEAST  8u
#define PERIODIC_SPREAD 0.25
/* Events that a series keeps from its beginning, whatever their length. */
#define FIRST_EVENTS 500u

/* --- Detours of a host by length. --- */

static size_t bin_of(double ns)
{
    double at = ns > 1 ? log2(ns) * DETOURS_PER_OCTAVE : 0;

    return at < DETOURS_BINS ? (size_t)at : DETOURS_BINS - 1;
}

/* Octaves with at least 8 events, all recorded, whose gaps deviate by less than a quarter of their mean. Time in us,
 * length in ns. */
static void count_periodic(struct detours_host *host, const struct row *row)
{
    struct stats_running gaps[DETOUR_CLASSES] = {{0}};
    const struct stats_point *before[DETOUR_CLASSES] = {NULL};
    double least = row->series_left_out ? INFINITY : 0;

    for (size_t i = 0; i < row->n_series; i++) {
        const struct stats_point *event = &row->series[i];
        const size_t octave = bin_of(event->value) / DETOURS_PER_OCTAVE;
        if (before[octave])
            stats_add(&gaps[octave], event->at - before[octave]->at);
        before[octave] = event;
        if (i >= FIRST_EVENTS) /* shorter ones may be missing from here on */
            least = fmin(least, event->value);
    }
    for (size_t k = 0; k < DETOUR_CLASSES; k++)
        host->periodic[k] += gaps[k].n + 1 >= PERIODIC_LEAST && least <= exp2((double)k) &&
                             stats_sd(&gaps[k]) < PERIODIC_SPREAD * gaps[k].mean;
}

static void enter_core_share(struct detours_host *host, bool of_part, double share)
{
    const double percent = fmax(1, round(100 * share));

    if (share > 0 && percent <= DETOURS_SHARES)
        host->shares[of_part][(size_t)percent - 1]++;
}

void detours_enter(struct detours_host *host, const struct row *row)
{
    if (row->status >= ROW_SKIPPED || strcmp(row->suite, "noise"))
        return;
    if (!strcmp(row->metric, "detour")) {
        for (size_t i = 0; i < row->n_hist; i++) {
            const double low = row->hist[i].at, n = fmax(row->hist[i].value, 0);
            /* the middle of a bin: width 1 at first, then 64 in an octave (base 0) */
            const double ns = low < HIST_LINEAR ? low : low + exp2(floor(log2(low))) / HIST_SUB / 2;
            host->bins[bin_of(ns)].n += n;
            host->bins[bin_of(ns)].ns += n * ns;
        }
        host->rows++;
        count_periodic(host, row);
    } else if (!strcmp(row->metric, "core_share")) {
        for (size_t i = 0; i < row->n_series; i++) /* in % for each time slice */
            enter_core_share(host, true, row->series[i].value / 100);
    } else if (!strcmp(row->metric, "lost") && row->wall_s > 0 && row->value >= 0 && row->value <= 100) {
        host->work += row->wall_s * 1e9 * (1 - row->value / 100);
        enter_core_share(host, false, row_core_share(row));
    }
    for (unsigned cause = 0; cause < DETOUR_CAUSES; cause++)
        if (starts_with(row->metric, "lost_") && !strcmp(row->metric + 5, detour_cause_names[cause]))
            for (size_t i = 0; i < row->n_series; i++)
                if (row->series[i].value > 0)
                    host->by_cause[cause][bin_of(row->series[i].at) / DETOURS_PER_OCTAVE] += row->series[i].value;
}

bool detours_known(const struct detours_host *host)
{
    return host->rows && host->work > 0;
}

double detours_lost_pct(const struct detours_host *host)
{
    double lost = 0;

    for (size_t b = 0; b < DETOURS_BINS; b++)
        lost += host->bins[b].ns;
    return 100 * lost / (lost + host->work);
}

size_t detours_shares(const struct detours_host *host, struct stats_point *out)
{
    size_t n = 0;

    for (unsigned of_part = 2; !n && of_part-- > 0;)
        for (size_t i = 0; i < DETOURS_SHARES; i++)
            if (host->shares[of_part][i] > 0)
                out[n++] = (struct stats_point){(double)(i + 1) / 100, host->shares[of_part][i]};
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

size_t detours_sources(const struct detours_host *host, const double *keep, struct project_detour *out)
{
    size_t n = 0;

    for (size_t b = 0; b < DETOURS_BINS; b++) {
        const size_t octave = b / DETOURS_PER_OCTAVE;
        const double kept = host->bins[b].n * (keep ? keep[octave] : 1);
        const struct project_detour detour = {.ns = host->bins[b].ns / host->bins[b].n,
                                              .per_ns = kept / host->work,
                                              /* periodic on most CPUs: a rank then meets them so wherever it runs */
                                              .periodic = 2 * host->periodic[octave] > host->rows};
        if (detour.ns > 0 && detour.per_ns > 0 && isfinite(detour.ns) && isfinite(detour.per_ns))
            out[n++] = detour;
    }
    return n;
}

/* --- Hosts. --- */

void project_enter(struct project *p, const char *name, const struct row *row)
{
    size_t i = p->n;

    while (i && strcmp(p->hosts[i - 1]->name, name))
        i--;
    if (!i) {
        memory_grow(&p->hosts, &p->capacity, p->n + 1, sizeof(struct detours_host *));
        p->hosts[i = p->n++] = memory_get(1, sizeof(*p->hosts[0]));
        TEXT_SET(p->hosts[i++]->name, name);
    }
    detours_enter(p->hosts[i - 1], row);
}

static void free_host(struct detours_host *host)
{
    free(host ? host->slowdown : NULL);
    free(host);
}

void project_free(struct project *p)
{
    for (size_t h = 0; h < p->n; h++)
        free_host(p->hosts[h]);
    free_host(p->all);
    free(p->hosts);
    memset(p, 0, sizeof(*p));
}

/* --- The slowdown. --- */

struct places {
    struct project_detour detours[DETOURS_BINS];
    struct stats_point shares[DETOURS_SHARES];
};

static struct project_host fill_host(const struct detours_host *host, const double *keep, struct places *places)
{
    return (struct project_host){.detours = places->detours,
                                 .n = detours_sources(host, keep, places->detours),
                                 .shares = places->shares,
                                 .n_shares = detours_shares(host, places->shares)};
}

static void slow_down(const struct project *p, struct detours_host *host, const struct project_host *hosts, size_t n)
{
    host->slowdown = memory_get(p->n_steps * p->n_ranks, sizeof(*host->slowdown));
    project_slowdown_on(p->points, hosts, n, p->step_ns, p->n_steps, p->ranks, p->n_ranks, host->slowdown);
    for (size_t s = 1; s <= p->n_steps; s++)
        host->worst = fmax(host->worst, host->slowdown[s * p->n_ranks - 1]);
}

static void add_host(struct detours_host *all, const struct detours_host *host)
{
    all->work += host->work;
    all->rows += host->rows;
    for (size_t b = 0; b < DETOURS_BINS; b++) {
        all->bins[b].n += host->bins[b].n;
        all->bins[b].ns += host->bins[b].ns;
    }
    for (size_t i = 0; i < 2 * DETOURS_SHARES; i++)
        all->shares[i % 2][i / 2] += host->shares[i % 2][i / 2];
    for (size_t k = 0; k < DETOUR_CLASSES; k++) {
        all->periodic[k] += host->periodic[k];
        for (unsigned cause = 0; cause < DETOUR_CAUSES; cause++)
            all->by_cause[cause][k] += host->by_cause[cause][k];
    }
}

static int by_worst(const void *a, const void *b)
{
    const struct detours_host *x = *(struct detours_host *const *)a, *y = *(struct detours_host *const *)b;
    const int order = ORDER_OF(y->worst, x->worst);

    return order ? order : strcmp(x->name, y->name);
}

void project_compute(struct project *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++)
        if (detours_known(p->hosts[i]))
            p->hosts[kept++] = p->hosts[i];
        else
            free_host(p->hosts[i]);
    p->n = kept;
    if (!p->n)
        return;
    FREED struct places *places = memory_get(p->n, sizeof(*places));
    FREED struct project_host *hosts = memory_get(p->n, sizeof(*hosts));

    p->all = memory_get(1, sizeof(*p->all));
    for (size_t h = 0; h < p->n; h++) {
        add_host(p->all, p->hosts[h]);
        hosts[h] = fill_host(p->hosts[h], NULL, &places[h]);
        slow_down(p, p->hosts[h], &hosts[h], 1);
    }
    slow_down(p, p->all, hosts, p->n);
    SORT(p->hosts, p->n, by_worst);
    p->hosts[p->n] = p->all;
}

/* --- Costs. --- */

/* Sets keep, the share of all detours of each octave that is left, and per_s and lost_pct of the cost. */
static void remove_them(const struct project *p, struct project_cost *cost, double *keep)
{
    double lost = 0, all = p->all->work;

    cost->per_s = 0;
    for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
        const double decade = fmin(fmax(floor(log10(exp2(k) * 1.42)) - 1, 0), PROJECT_DECADES - 1);
        double sum = 0;
        for (unsigned c = 0; c < DETOUR_CAUSES; c++)
            sum += p->all->by_cause[c][k];
        const double share = (unsigned)decade == cost->decade && sum > 0 ? p->all->by_cause[cost->cause][k] / sum : 0;
        keep[k] = 1 - share;
        for (size_t b = k * DETOURS_PER_OCTAVE; b < (k + 1) * DETOURS_PER_OCTAVE; b++) {
            cost->per_s += share * p->all->bins[b].n / p->all->work * 1e9;
            lost += share * p->all->bins[b].ns;
            all += p->all->bins[b].ns;
        }
    }
    cost->lost_pct = 100 * lost / all;
}

static int by_lost(const void *a, const void *b)
{
    const struct project_cost *x = a, *y = b;

    return ORDER_OF(x->without[0], y->without[0]);
}

size_t project_costs(const struct project *p, struct project_cost *costs)
{
    struct places places;
    size_t n = 0;

    for (unsigned i = 0; i < PROJECT_COSTS; i++) {
        struct project_cost *cost = &costs[n];
        double keep[DETOUR_CLASSES];
        *cost = (struct project_cost){.cause = i / PROJECT_DECADES, .decade = i % PROJECT_DECADES, .per_s = NAN};
        const bool shared = cost->cause == PROJECT_SHARED;
        if (shared)
            cost->lost_pct = 100 * (1 - detours_mean_share(p->all));
        else
            remove_them(p, cost, keep);
        if (!(cost->lost_pct > 0))
            continue;
        struct project_host host = fill_host(p->all, shared ? NULL : keep, &places);
        host.n_shares = shared ? 0 : host.n_shares;
        project_slowdown_on(p->points, &host, 1, p->step_ns, p->n_steps, &p->ranks[p->n_ranks - 1], 1, cost->without);
        n++;
    }
    SORT(costs, n, by_lost);
    return n;
}

const char *project_decade(const struct project_cost *cost)
{
    static const char *const decades[PROJECT_DECADES] = {"< 100 ns",        "100 ns .. 1 us", "1 us .. 10 us",
                                                         "10 us .. 100 us", "100 us .. 1 ms", "1 ms .. 10 ms",
                                                         "10 ms .. 100 ms", "> 100 ms"};

    return cost->cause == PROJECT_SHARED ? "-" : decades[cost->decade];
}
