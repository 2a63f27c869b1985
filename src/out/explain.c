/* SPDX-License-Identifier: MIT */
/* Says which causes explain a change: preemption, steal time, interrupts, a shared core, a lower clock frequency. */
#include "out/explain.h"

#include <math.h>
#include <string.h>

#include "out/export.h"
#include "sys/cpu.h"

#define CAUSES_MAX   12
#define LEAST_PART   0.5  /* least part of the change that a cause must explain to be named */
#define LEAST_SHARE  0.1  /* percentage points; a smaller difference would be printed as none */
#define LEAST_STEAL  50.0 /* least steal time in ms: five ticks of the kernel's accounting */
#define LEAST_SPEED  0.02
#define MOST_PERCENT 99.9 /* limit of a cause's share of time: the remaining time is a divisor */

/* A cause, and the time it took on each side: base, new. */
struct share {
    const char *name; /* name of the cause, in the first row that has it */
    double pct[2];    /* share of the time */
    double ms[2];
};

/* One side of a pair of measurements that are compared. */
struct side {
    const struct row *const *rows;
    size_t n;
    double ms;     /* wall-clock time of all rows */
    double events; /* number of values on which the rows' statistics are based */
};

static struct share *share_of(struct share *shares, size_t *n, const char *name)
{
    size_t i = 0;

    while (i < *n && strcmp(shares[i].name, name) != 0)
        i++;
    if (i == CAUSES_MAX)
        return NULL;
    if (i == *n)
        shares[(*n)++] = (struct share){.name = name};
    return &shares[i];
}

/* Returns the number of CPUs or processes over which a cause of the row is summed: the CPUs for steal time; for all
 * others the copies, or 1 if each CPU has a row of its own (by_cpus). */
static double parties_of(const struct row *row, const char *cause, bool by_cpus)
{
    struct cpuset cpus;
    char error[128];

    memset(&cpus, 0, sizeof(cpus));
    if (!strcmp(cause, "steal") && !cpuset_parse(row->cpus, &cpus, error, sizeof(error)) && cpuset_count(&cpus))
        return cpuset_count(&cpus);
    return by_cpus || !row->copies ? 1 : (double)row->copies;
}

/* Adds the times that the causes took in a side's rows. Limits each share to 100 %: it could be slightly more, since a
 * copy may also wait outside the time in which all copies run. */
static void add_causes(const struct side *side, bool changed, bool by_cpus, struct share *shares, size_t *n)
{
    for (size_t i = 0; i < side->n; i++)
        for (size_t k = 0; k < side->rows[i]->causes.n; k++) {
            const struct row_cause *cause = &side->rows[i]->causes.of[k];
            struct share *share = cause->is_time ? share_of(shares, n, cause->name) : NULL;
            if (share && side->ms > 0) {
                share->ms[changed] += cause->number;
                share->pct[changed] += 100 * cause->number / parties_of(side->rows[i], cause->name, by_cpus) / side->ms;
            }
        }
    for (size_t i = 0; i < *n; i++)
        shares[i].pct[changed] = fmin(shares[i].pct[changed], 100);
}

static struct side side_of(const struct row *const *rows, size_t n)
{
    struct side side = {.rows = rows, .n = n};

    for (size_t i = 0; i < n; i++) {
        side.ms += rows[i]->wall_s > 0 ? rows[i]->wall_s * 1000 : 0;
        side.events += (double)rows[i]->stats.n;
    }
    return side;
}

/* Returns the frequency of the row's core as measured, or as the kernel gives it; in MHz. */
static double frequency_of(const struct row *row)
{
    return isnan(row->core_mhz) ? row->freq_khz / 1000 : row->core_mhz;
}

/* Returns the mean of a property of the side's rows; NAN when one of them does not have it. */
static double mean_of(const struct side *side, double (*of)(const struct row *row))
{
    double sum = 0;

    for (size_t i = 0; i < side->n; i++)
        sum += of(side->rows[i]);
    return sum / (double)side->n;
}

/* Returns the logarithm of the ratio of the times that the work took, new to base. */
static double log_time(const struct pair *pair, const struct comparison *c)
{
    return strcmp(pair->about->better, "higher") ? log(c->ratio) : -log(c->ratio);
}

/* Returns the part of the change that the cause alone would explain: 1 is all of it; below 0, the cause has the
 * opposite effect. For a metric that is a share of time, the change of the cause's share is compared with that of the
 * metric; for latencies, which cover only a part of the time, the change of the cause's time for each event is; for all
 * others, the slow-down by losing that share of the time. */
static double part_of_change(const struct pair *pair, const struct comparison *c, const struct share *share,
                             const struct side *side)
{
    const struct row *row = pair->about;
    const struct export_unit *unit = export_unit_find(row->unit);
    const double before = fmin(share->pct[0], MOST_PERCENT) / 100, after = fmin(share->pct[1], MOST_PERCENT) / 100;

    if (!strcmp(row->unit, "%"))
        return 100 * (after - before) / (c->changed - c->base) * (strcmp(row->better, "higher") ? 1 : -1);
    if (unit && unit->kind == EXPORT_TIME && side[0].events > 0 && side[1].events > 0) {
        const double every[] = {side[0].ms / 1000 / side[0].events, side[1].ms / 1000 / side[1].events};
        const double base = export_base(row, c->base), changed = export_base(row, c->changed);
        if (fmax(base / every[0], changed / every[1]) < 0.5)
            return (after * every[1] - before * every[0]) / (changed - base);
    }
    return log((1 - before) / (1 - after)) / log_time(pair, c);
}

static bool is_named(const struct pair *pair, const struct comparison *c, const struct share *share,
                     const struct side *side)
{
    /* Steal time in ms that the base's rate would give over the time of the other side. */
    const double expected = side[0].ms > 0 ? share->ms[0] * side[1].ms / side[0].ms : 0;

    if (fabs(share->pct[1] - share->pct[0]) < LEAST_SHARE ||
        (!strcmp(share->name, "steal") && fabs(share->ms[1] - expected) < LEAST_STEAL))
        return false;
    return part_of_change(pair, c, share, side) >= LEAST_PART;
}

/* Returns whether the change is explained by a property to which the speed is proportional, such as the clock
 * frequency. of: the values of the property on the two sides. */
static bool is_speed(const struct pair *pair, const struct comparison *c, const double of[2])
{
    return of[0] > 0 && of[1] > 0 && fabs(1 - of[1] / of[0]) >= LEAST_SPEED &&
           log(of[0] / of[1]) / log_time(pair, c) >= LEAST_PART;
}

void explain_change(const struct pair *pair, const struct comparison *comparison, struct text *out)
{
    const struct side side[] = {side_of(pair->base, pair->n_base), side_of(pair->changed, pair->n_changed)};
    const size_t start = out->length;
    struct share shares[CAUSES_MAX];
    size_t n = 0;

    const double mhz[] = {mean_of(&side[0], frequency_of), mean_of(&side[1], frequency_of)};
    if ((comparison->change != CHANGE_LOWER && comparison->change != CHANGE_HIGHER) || !pair->about->better[0]) {
        if (pair_other_clock(pair, NULL))
            text_printf(out, "%sCPU at %.0f MHz (base %.0f)", out->length ? ", " : "", mhz[1], mhz[0]);
        return;
    }
    for (int changed = 0; changed < 2; changed++)
        add_causes(&side[changed], changed, pair->by_cpus, shares, &n);
    for (size_t i = 0; i < n; i++)
        if (is_named(pair, comparison, &shares[i], side))
            text_printf(out, "%s%s %.1f %% of the time (base %.1f %%)", out->length > start ? ", " : "", shares[i].name,
                        shares[i].pct[1], shares[i].pct[0]);
    const double share[] = {mean_of(&side[0], row_core_share), mean_of(&side[1], row_core_share)};
    if (!row_is_alone(pair->about) && !(comparison->share > 0) && is_speed(pair, comparison, share))
        text_printf(out, "%score share %.0f %% (base %.0f %%)", out->length > start ? ", " : "", 100 * share[1],
                    100 * share[0]);
    if (pair_other_clock(pair, NULL) || is_speed(pair, comparison, mhz))
        text_printf(out, "%sCPU at %.0f MHz (base %.0f)", out->length > start ? ", " : "", mhz[1], mhz[0]);
}
