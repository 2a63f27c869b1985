/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change. */
#include "analysis/compare_samples.h"

#include <math.h>
#include <stdlib.h>

#include "stats/inference.h"
#include "stats/stats.h"

#define SEED 0x6a697462656e6368u

/* --- Values. --- */

/* Returns all samples of a side, or the means of its runs. NULL when out of memory. */
static double *take_values(const struct comparison_side *side, bool runs, size_t *n)
{
    size_t all = 0;

    *n = 0;
    for (size_t r = 0; r < side->n_runs; r++)
        all += runs ? 1 : side->runs[r].n;
    double *values = calloc(all ? all : 1, sizeof *values);
    for (size_t r = 0; values && r < side->n_runs; r++) {
        const struct comparison_run *run = &side->runs[r];
        if (runs)
            values[(*n)++] = stats_mean(run->samples, run->n);
        for (size_t i = 0; !runs && i < run->n; i++)
            values[(*n)++] = run->samples[i];
    }
    return values;
}

/* --- The noise floor. --- */

/* Returns the variance of the samples around the means of their runs; 0 when there is none. */
static double variance_within(const struct comparison_side *side)
{
    double squares = 0, df = 0;

    for (size_t r = 0; r < side->n_runs; r++) {
        struct stats_running s = {.n = 0};
        for (size_t i = 0; i < side->runs[r].n; i++)
            stats_add(&s, side->runs[r].samples[i]);
        squares += s.m2;
        df += (double)s.n - 1;
    }
    return df > 0 ? squares / df : 0;
}

/* Returns the largest difference between the two halves of a run, or between two runs. */
static double shift_within(const struct comparison_side *side)
{
    double shift = 0, lowest = INFINITY, highest = -INFINITY;

    for (size_t r = 0; r < side->n_runs; r++) {
        const struct comparison_run *run = &side->runs[r];
        const size_t half = run->n / 2;
        const double mean = stats_mean(run->samples, run->n);
        if (half)
            shift = fmax(shift, fabs(stats_mean(run->samples, half) - stats_mean(run->samples + run->n - half, half)));
        lowest = fmin(lowest, mean);
        highest = fmax(highest, mean);
    }
    return side->n_runs > 1 ? fmax(shift, highest - lowest) : shift;
}

static double noise_floor(const struct comparison_side *base, const struct comparison_side *changed)
{
    return fmax(sqrt(variance_within(base) + variance_within(changed)),
                fmax(shift_within(base), shift_within(changed)));
}

/* --- Tests. --- */

static int test_values(double *a, size_t n_a, double *b, size_t n_b, struct comparison *out)
{
    struct inference_rank rank;
    struct inference_ratio ratio;

    if (n_a >= 2 && n_b >= 2) {
        if (inference_mann_whitney(a, n_a, b, n_b, &rank))
            return -1;
        out->p_rank = rank.p;
        out->p_welch = inference_welch(a, n_a, b, n_b).p;
    } else {
        out->tested = TESTED_NOTHING;
    }
    if (inference_ratio_of_medians(a, n_a, b, n_b, 0.95, COMPARISON_RESAMPLES, SEED, &ratio))
        return -1;
    out->ratio = ratio.ratio;
    out->low = ratio.low;
    out->high = ratio.high;
    out->base = stats_median(a, n_a);
    out->changed = stats_median(b, n_b);
    return 0;
}

int comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                       struct comparison *out)
{
    const bool runs = base->n_runs >= COMPARISON_RUNS && changed->n_runs >= COMPARISON_RUNS;

    *out = (struct comparison){.tested = runs ? TESTED_RUNS : TESTED_SAMPLES,
                               .base = (double)NAN,
                               .changed = (double)NAN,
                               .ratio = (double)NAN,
                               .low = (double)NAN,
                               .high = (double)NAN,
                               .p_welch = (double)NAN,
                               .p_rank = (double)NAN,
                               .p = (double)NAN,
                               .p_adjusted = (double)NAN,
                               .change = CHANGE_UNKNOWN};
    double *a = take_values(base, runs, &out->n_base), *b = take_values(changed, runs, &out->n_new);
    int result = a && b ? test_values(a, out->n_base, b, out->n_new, out) : -1;
    if (!runs)
        out->floor = noise_floor(base, changed);
    free(a);
    free(b);
    return result;
}

/* --- Verdicts. --- */

static void choose_p(struct comparison *c, size_t tests, double confidence)
{
    c->by_rank = inference_rank_least(c->n_base, c->n_new) <= (1 - confidence) / (double)tests;
    /* When both sides are constant, Welch's test calls any difference significant, no matter how few values there
     * are. */
    if (isnan(c->p_welch) || c->p_welch <= 0)
        c->by_rank = true;
    c->p = c->by_rank ? c->p_rank : c->p_welch;
}

static enum comparison_doubt doubt_of(const struct comparison *c, double confidence, double min_effect)
{
    const double difference = fabs(c->changed - c->base);

    if (!(c->p_adjusted < 1 - confidence) || (c->low <= 1 && c->high >= 1) || !(difference > 0))
        return DOUBT_CHANCE;
    if (!(difference > min_effect * fabs(c->base)))
        return DOUBT_SMALL;
    return difference > c->floor ? DOUBT_NOT : DOUBT_FLOOR;
}

int comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect)
{
    double *p = calloc(n ? n : 1, sizeof *p);
    size_t tests = 0;

    for (size_t i = 0; i < n; i++)
        tests += comparisons[i].tested != TESTED_NOTHING;
    for (size_t i = 0; p && i < n; i++) {
        if (comparisons[i].tested != TESTED_NOTHING)
            choose_p(&comparisons[i], tests, confidence);
        p[i] = comparisons[i].p;
    }
    if (!p || inference_holm(p, n, p)) {
        free(p);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        struct comparison *c = &comparisons[i];
        c->p_adjusted = p[i];
        c->change = CHANGE_UNKNOWN;
        c->doubt = DOUBT_NOT;
        if (c->tested == TESTED_NOTHING)
            continue;
        c->doubt = doubt_of(c, confidence, min_effect);
        c->change = c->doubt != DOUBT_NOT ? CHANGE_NONE : c->changed > c->base ? CHANGE_HIGHER : CHANGE_LOWER;
    }
    free(p);
    return 0;
}
