/* SPDX-License-Identifier: MIT */
/* Estimates how much noise slows down many ranks, on each host and on all together, and which detours cost most. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sys/base.h"

/* --- Hosts. --- */

static struct detours_host *new_host(const char *name)
{
    struct detours_host *host = memory_get(1, sizeof(*host));

    text_copy(host->name, sizeof(host->name), name);
    return host;
}

/* When the name changes, the previous host beyond hosts_most is merged into `rest`. */
static struct detours_host *further_host(struct projection *p, const char *name)
{
    if (p->further && !strcmp(p->further->name, name))
        return p->further;
    if (!p->rest)
        p->rest = new_host("");
    if (p->further && detours_used(p->further))
        detours_merge(p->rest, p->further);
    free(p->further);
    p->further = new_host(name);
    p->n_more++;
    return p->further;
}

static struct detours_host *host_of(struct projection *p, const char *name)
{
    for (size_t i = p->n; i-- > 0;)
        if (!strcmp(p->hosts[i]->name, name))
            return p->hosts[i];
    if (p->hosts_most && p->n == p->hosts_most)
        return further_host(p, name);
    memory_grow(&p->hosts, &p->capacity, p->n, sizeof(struct detours_host *));
    return p->hosts[p->n++] = new_host(name);
}

void projection_enter(struct projection *p, const char *name, const struct row *row)
{
    detours_enter(host_of(p, name), row);
}

void projection_drop_empty(struct projection *p, void (*say)(const char *name))
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (detours_used(p->hosts[i])) {
            p->hosts[kept++] = p->hosts[i];
            continue;
        }
        if (say)
            say(p->hosts[i]->name);
        free(p->hosts[i]);
    }
    p->n = kept;
}

void projection_free(struct projection *p)
{
    for (size_t h = 0; h < p->n; h++)
        free(p->hosts[h]);
    free(p->hosts);
    free(p->all);
    free(p->slowdown);
    free(p->further);
    free(p->rest);
    memset(p, 0, sizeof(*p));
}

/* --- The projection. --- */

double *projection_slowdown(const struct projection *p, size_t host)
{
    return p->slowdown + host * p->n_steps * p->n_ranks;
}

static void compute(const struct projection *p, const struct project_host *hosts, size_t n, const double *ranks,
                    size_t n_ranks, double *slowdown)
{
    if (project_slowdown_on(p->points, hosts, n, p->step_ns, p->n_steps, ranks, n_ranks, slowdown))
        memory_out();
}

struct places {
    struct stats_point lengths[DETOURS_BINS], shares[DETOURS_SHARES];
    struct project_detours detours[2];
};

/* keep: see detours_sources(). */
static void fill_host(const struct detours_host *of, const double *keep, struct places *places,
                      struct project_host *host)
{
    *host = (struct project_host){.detours = places->detours,
                                  .n = detours_sources(of, keep, places->lengths, places->detours),
                                  .weight = 1,
                                  .shares = places->shares,
                                  .n_shares = detours_shares(of, places->shares)};
}

void projection_compute(struct projection *p)
{
    if (!p->n)
        return;
    FREED_BY(memory_free) struct places *places = memory_get(p->n + 1, sizeof(*places));
    FREED_BY(memory_free) struct project_host *hosts = memory_get(p->n + 1, sizeof(*hosts));

    p->slowdown = memory_get((p->n + 1) * p->n_steps * p->n_ranks, sizeof(*p->slowdown));
    p->all = memory_get(1, sizeof(*p->all));
    for (size_t h = 0; h < p->n; h++)
        detours_merge(p->all, p->hosts[h]);
    if (p->rest)
        detours_merge(p->all, p->rest);
    if (p->further && detours_used(p->further))
        detours_merge(p->all, p->further);
    for (size_t h = 0; h <= p->n; h++)
        fill_host(h < p->n ? p->hosts[h] : p->all, NULL, &places[h], &hosts[h]);
    for (size_t h = 0; h < p->n; h++)
        compute(p, &hosts[h], 1, p->ranks, p->n_ranks, projection_slowdown(p, h));
    if (p->n_more)
        compute(p, &hosts[p->n], 1, p->ranks, p->n_ranks, projection_slowdown(p, p->n));
    else
        compute(p, hosts, p->n, p->ranks, p->n_ranks, projection_slowdown(p, p->n));
}

/* --- Costs. --- */

static unsigned decade_of(unsigned octave, double unit_ns)
{
    double ns = exp2(octave) * unit_ns;
    int decade = (int)floor(log10(ns * 1.42)) - 1;

    return decade < 0 ? 0 : decade < (int)PROJECTION_DECADES ? (unsigned)decade : PROJECTION_DECADES - 1;
}

static double share_of(const struct detours_host *all, unsigned cause, unsigned octave)
{
    double sum = 0;

    if (cause == PROJECTION_UNKNOWN)
        return 1;
    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        sum += all->by_cause[c][octave];
    return sum > 0 ? all->by_cause[cause][octave] / sum : 0;
}

/* Sets keep, the share of all detours of each octave that is left, and per_s and lost_pct of the cost. */
static void remove_them(const struct projection *p, struct projection_cost *cost, double *keep)
{
    const struct detours_of *of = detours_used(p->all);
    double lost = 0, all = of->work;

    for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
        double share = decade_of(k, of->unit_ns) == cost->decade ? share_of(p->all, cost->cause, k) : 0;
        keep[k] = 1 - share;
        for (size_t b = k * DETOURS_PER_OCTAVE; b < (k + 1) * DETOURS_PER_OCTAVE; b++) {
            cost->per_s += share * of->bins[b].n / detours_work_ns(p->all) * 1e9;
            lost += share * of->bins[b].ns;
            all += of->bins[b].ns;
        }
    }
    cost->lost_pct = 100 * lost / all;
}

/* Returns false when there is nothing to remove. */
static bool find_cost(const struct projection *p, struct projection_cost *cost, struct places *places)
{
    const bool shared = cost->cause == PROJECTION_SHARED;
    double keep[DETOUR_CLASSES];
    struct project_host host;

    if (shared) {
        cost->per_s = NAN;
        cost->lost_pct = 100 * (1 - detours_mean_share(p->all));
    } else {
        remove_them(p, cost, keep);
    }
    if (!((shared ? cost->lost_pct : cost->per_s) > 0))
        return false;
    fill_host(p->all, shared ? NULL : keep, places, &host);
    host.n_shares = shared ? 0 : host.n_shares;
    compute(p, &host, 1, &p->ranks[p->n_ranks - 1], 1, cost->without);
    return true;
}

static int by_lost(const void *a, const void *b)
{
    const struct projection_cost *x = a, *y = b;

    return ORDER_OF(x->without[0], y->without[0]);
}

size_t projection_costs(const struct projection *p, struct projection_cost *costs)
{
    struct places places;
    const bool of_noise = detours_used(p->all) == &p->all->noise;
    size_t n = 0;

    for (unsigned i = 0; i < PROJECTION_COSTS; i++) {
        costs[n] = (struct projection_cost){.cause = i / PROJECTION_DECADES, .decade = i % PROJECTION_DECADES};
        if (costs[n].cause == PROJECTION_SHARED ? costs[n].decade == 0
                                                : (costs[n].cause == PROJECTION_UNKNOWN) != of_noise)
            n += find_cost(p, &costs[n], &places);
    }
    qsort(costs, n, sizeof(*costs), by_lost);
    return n;
}

const char *projection_decade(const struct projection_cost *cost)
{
    static const char *const decades[PROJECTION_DECADES] = {"< 100 ns",        "100 ns .. 1 us", "1 us .. 10 us",
                                                            "10 us .. 100 us", "100 us .. 1 ms", "1 ms .. 10 ms",
                                                            "10 ms .. 100 ms", "> 100 ms"};

    return cost->cause == PROJECTION_SHARED ? "-" : decades[cost->decade];
}

const char *projection_cause(const struct projection_cost *cost)
{
    return cost->cause < DETOUR_CAUSES        ? detour_cause_names[cost->cause]
           : cost->cause == PROJECTION_SHARED ? "core share"
                                              : "not known";
}
