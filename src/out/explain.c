/* SPDX-License-Identifier: MIT */
/* Says which causes explain a change: preemption, steal time, interrupts, a shared core, a lower clock frequency. */
#include <math.h>
#include <string.h>

#include "out/compare.h"
#include "out/export.h"
#include "sys/cpu.h"

#define CAUSES_MAX   12
#define LEAST_PART   0.5  /* least part of the change that a cause must explain to be named */
#define LEAST_SHARE  0.1  /* percentage points; a smaller difference would be printed as none */
#define LEAST_STEAL  50.0 /* least steal time in ms: five ticks of the kernel's accounting */
#define LEAST_SPEED  0.02
#define MOST_PERCENT 99.9 /* limit of a cause's share of time: the remaining time is a divisor */

/* A cause, and the time it took on each side: base, new. */
struct cause_share {
    const char *name; /* name of the cause, in the first row that has it */
    double pct[2];    /* share of the time */
    double ms[2];
};

/* Of each side, base and new. */
struct explained {
    const struct pair *pair;
    const struct comparison *c;
    double ms[2];     /* wall-clock time of all rows */
    double events[2]; /* number of values on which the rows' statistics are based */
    struct cause_share share[CAUSES_MAX];
    size_t n;
};

static struct cause_share *share_of(struct explained *e, const char *name)
{
    size_t i = 0;

    while (i < e->n && strcmp(e->share[i].name, name) != 0)
        i++;
    if (i == CAUSES_MAX)
        return NULL;
    if (i == e->n)
        e->share[e->n++] = (struct cause_share){.name = name};
    return &e->share[i];
}

/* Returns the number of CPUs or processes over which a cause of the row is summed: the CPUs for steal time; for all
 * others the copies, or 1 if each CPU has a row of its own (by_cpus). */
static double parties_of(const struct row *row, const char *cause, bool by_cpus)
{
    struct cpuset cpus = {{0}};
    struct error error;

    if (!strcmp(cause, "steal") && !cpuset_parse(row->cpus, &cpus, &error) && cpuset_count(&cpus))
        return cpuset_count(&cpus);
    return by_cpus || !row->copies ? 1 : (double)row->copies;
}

/* Adds the times that the causes took in a side's rows. Limits each share to 100 %: it could be slightly more, since a
 * copy may also wait outside the time in which all copies run. */
static void add_side(struct explained *e, size_t s)
{
    const struct pair_side *side = &e->pair->side[s];

    for (size_t i = 0; i < side->n; i++) {
        e->ms[s] += side->row[i]->wall_s > 0 ? side->row[i]->wall_s * 1000 : 0;
        e->events[s] += (double)side->row[i]->stats.n;
    }
    for (size_t i = 0; i < side->n; i++)
        for (size_t k = 0; k < side->row[i]->causes.n; k++) {
            const struct row_cause *cause = &side->row[i]->causes.of[k];
            struct cause_share *share = cause->is_time ? share_of(e, cause->name) : NULL;
            if (share && e->ms[s] > 0) {
                share->ms[s] += cause->number;
                share->pct[s] +=
                    100 * cause->number / parties_of(side->row[i], cause->name, e->pair->by_cpus) / e->ms[s];
            }
        }
    for (size_t i = 0; i < e->n; i++)
        e->share[i].pct[s] = fmin(e->share[i].pct[s], 100);
}

/* Returns the frequency of the row's core as measured, or as the kernel gives it; in MHz. */
static double frequency_of(const struct row *row)
{
    return isnan(row->core_mhz) ? row->freq_khz / 1000 : row->core_mhz;
}

/* Sets the mean of a property of each side's rows; NAN when one of them does not have it. */
static void take_means(const struct pair *pair, double (*of)(const struct row *row), double means[2])
{
    for (size_t s = 0; s < 2; s++) {
        means[s] = 0;
        for (size_t i = 0; i < pair->side[s].n; i++)
            means[s] += of(pair->side[s].row[i]) / (double)pair->side[s].n;
    }
}

/* Returns the logarithm of the ratio of the times that the work took, new to base. */
static double log_time(const struct explained *e)
{
    return strcmp(e->pair->about->better, "higher") ? log(e->c->ratio) : -log(e->c->ratio);
}

/* Returns the part of the change that the cause alone would explain: 1 is all of it; below 0, the cause has the
 * opposite effect. For a metric that is a share of time, the change of the cause's share is compared with that of the
 * metric; for latencies, which cover only a part of the time, the change of the cause's time for each event is; for all
 * others, the slow-down by losing that share of the time. */
static double part_of_change(const struct explained *e, const struct cause_share *share)
{
    const struct row *row = e->pair->about;
    const struct export_unit *unit = export_unit_find(row->unit);
    const double before = fmin(share->pct[0], MOST_PERCENT) / 100, after = fmin(share->pct[1], MOST_PERCENT) / 100;

    if (!strcmp(row->unit, "%"))
        return 100 * (after - before) / (e->c->changed - e->c->base) * (strcmp(row->better, "higher") ? 1 : -1);
    if (unit && unit->kind == EXPORT_TIME && e->events[0] > 0 && e->events[1] > 0) {
        const double every[] = {e->ms[0] / 1000 / e->events[0], e->ms[1] / 1000 / e->events[1]};
        const double base = export_base(row, e->c->base), changed = export_base(row, e->c->changed);
        if (fmax(base / every[0], changed / every[1]) < 0.5)
            return (after * every[1] - before * every[0]) / (changed - base);
    }
    return log((1 - before) / (1 - after)) / log_time(e);
}

static bool is_named(const struct explained *e, const struct cause_share *share)
{
    /* Steal time in ms that the base's rate would give over the time of the other side. */
    const double expected = e->ms[0] > 0 ? share->ms[0] * e->ms[1] / e->ms[0] : 0;

    if (fabs(share->pct[1] - share->pct[0]) < LEAST_SHARE ||
        (!strcmp(share->name, "steal") && fabs(share->ms[1] - expected) < LEAST_STEAL))
        return false;
    return part_of_change(e, share) >= LEAST_PART;
}

/* Returns whether the change is explained by a property to which the speed is proportional, such as the clock
 * frequency. of: the values of the property on the two sides. */
static bool is_speed(const struct explained *e, const double of[2])
{
    return of[0] > 0 && of[1] > 0 && fabs(1 - of[1] / of[0]) >= LEAST_SPEED &&
           log(of[0] / of[1]) / log_time(e) >= LEAST_PART;
}

void explain_change(const struct pair *pair, const struct comparison *c, struct text *out)
{
    struct explained e = {.pair = pair, .c = c};
    const bool explained = (c->change == CHANGE_LOWER || c->change == CHANGE_HIGHER) && pair->about->better[0];
    /* A frequency follows other words also if it explains nothing; a cause begins anew. */
    const size_t start = explained ? out->length : 0;
    double mhz[2], shares[2];

    take_means(pair, frequency_of, mhz);
    take_means(pair, row_core_share, shares);
    for (size_t s = 0; explained && s < 2; s++)
        add_side(&e, s);
    for (size_t i = 0; i < e.n; i++)
        if (is_named(&e, &e.share[i]))
            text_printf(out, "%s%s %.1f %% of the time (base %.1f %%)", out->length > start ? ", " : "",
                        e.share[i].name, e.share[i].pct[1], e.share[i].pct[0]);
    if (explained && !row_is_alone(pair->about) && !(c->share > 0) && is_speed(&e, shares))
        text_printf(out, "%score share %.0f %% (base %.0f %%)", out->length > start ? ", " : "", 100 * shares[1],
                    100 * shares[0]);
    if (pair_other_clock(pair) || (explained && is_speed(&e, mhz)))
        text_printf(out, "%sCPU at %.0f MHz (base %.0f)", out->length > start ? ", " : "", mhz[1], mhz[0]);
}
