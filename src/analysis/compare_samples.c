/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change. */
#include "analysis/compare_samples.h"

#include <math.h>
#include <stdlib.h>

#include "stats/inference.h"
#include "stats/pairs.h"
#include "stats/stats.h"
#include "sys/base.h"

#define SEED     0x6a697462656e6368u
#define SHARES_P 0.01 /* significance level of the difference between the shares of both sides */
#define POWER    0.8  /* statistical power: share of comparisons in which the least change would be found */

const struct comparison comparison_unknown = {.base = (double)NAN,
                                              .changed = (double)NAN,
                                              .share = (double)NAN,
                                              .slope = (double)NAN,
                                              .ratio = (double)NAN,
                                              .low = (double)NAN,
                                              .high = (double)NAN,
                                              .p_t = (double)NAN,
                                              .p_permutation = (double)NAN,
                                              .error = (double)NAN,
                                              .df = (double)NAN,
                                              .p = (double)NAN,
                                              .p_adjusted = (double)NAN,
                                              .least = (double)NAN,
                                              .change = CHANGE_UNKNOWN};

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

/* --- Runs that did not alternate. --- */

/* Replaces the values by their logarithms. Returns false when one is not positive. */
static bool take_logs(double *values, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        all = all && values[i] > 0;
        values[i] = log(values[i]);
    }
    return all;
}

/* Tests the values of runs that did not alternate. Sorts both arrays and replaces the values by their logarithms. */
static int test_runs(double *a, double *b, struct comparison *out)
{
    const size_t n_a = out->n_base, n_b = out->n_new;
    struct inference_rank rank;
    struct inference_ratio ratio;

    if (inference_mann_whitney(a, n_a, b, n_b, &rank) ||
        inference_ratio_of_medians(a, n_a, b, n_b, 0.95, COMPARISON_RESAMPLES, SEED, &ratio))
        return -1;
    out->p_permutation = rank.p;
    out->p_t = inference_welch(a, n_a, b, n_b).p;
    out->ratio = ratio.ratio;
    out->low = ratio.low;
    out->high = ratio.high;
    if (take_logs(a, n_a) & take_logs(b, n_b)) {
        const struct inference_welch test = inference_welch(a, n_a, b, n_b);
        out->error = test.error;
        out->df = test.df;
    }
    return 0;
}

/* --- Pairs. --- */

void comparison_set_ratio(double change, double error, double df, double unsure, struct comparison *out)
{
    const double half = (error > 0 ? stats_student_t(0.95, df) * error : error) + unsure;

    out->error = error;
    out->df = df;
    out->ratio = exp(change);
    out->low = exp(change - half);
    out->high = exp(change + half);
}

/* Tests n pairs; each side of a pair is the sum of `each` neighbouring values. */
static int test_pairs(const double *a, const double *b, size_t n, size_t each, struct comparison *out)
{
    struct stats_running s = {.n = 0};
    struct paired paired;
    FREED_BY(memory_free) double *differences = calloc(n ? n : 1, sizeof *differences);

    if (!differences)
        return -1;
    const bool logs = paired_log_ratios(a, b, n * each, each, differences) == n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i * each; !logs && k < (i + 1) * each; k++)
            differences[i] += b[k] - a[k];
        stats_add(&s, differences[i]);
    }
    const int result = paired_test(differences, n, 0.95, &paired);
    const double error = stats_sd(&s) / sqrt((double)n), df = (double)n - 1;
    out->p_permutation = paired.p;
    out->p_t = error > 0 ? stats_student_p(s.mean / error, df) : (double)NAN;
    if (logs)
        comparison_set_ratio(s.mean, error, df, 0, out);
    return result;
}

/* --- Runs at the same share of the core. --- */

/* Sets a point for each run of a side: the logarithms of its share of the core and of its value. Adds the squares of
 * the shares' errors to *errors. Returns whether there are enough runs, and all shares are known. */
static bool set_points(const struct comparison_side *side, const double *values, struct inference_point *points,
                       double *share, double *errors)
{
    bool all = side->n_runs >= SHARE_RUNS;

    for (size_t r = 0; r < side->n_runs; r++) {
        all = all && side->runs[r].share > 0 && values[r] > 0;
        points[r] = (struct inference_point){log(side->runs[r].share), log(values[r])};
        *share += side->runs[r].share / (double)side->n_runs;
        *errors += side->runs[r].share_error * side->runs[r].share_error;
    }
    return all;
}

/* Converts a side's values to a share of the core, and returns their median. */
static double median_at(const struct inference_point *points, size_t n, double log_share, double slope, double *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = exp(points[i].y + slope * (log_share - points[i].x));
    return stats_median(values, n);
}

/* Compares the values of all runs at the same share of the core, if the runs show how the values depend on it; what was
 * found as measured is kept in out->raw. Otherwise leaves out->share unknown. a, b: the values in the order of the
 * runs. Returns -1 when out of memory. */
static int test_at_same_share(const struct comparison_side *base, const struct comparison_side *changed, double *a,
                              double *b, struct comparison *out)
{
    const size_t n_a = base->n_runs, n_b = changed->n_runs, n = n_a + n_b;
    FREED_BY(memory_free) struct inference_point *points = calloc(n, sizeof *points);
    struct inference_adjusted by;
    double shares[2] = {0, 0}, errors = 0, x = 0;

    if (!points)
        return -1;
    if (!(set_points(base, a, points, &shares[0], &errors) & set_points(changed, b, points + n_a, &shares[1], &errors)))
        return 0;
    if (inference_adjusted(points, n_a, points + n_a, n_b, sqrt(errors / (double)n), SEED, &by))
        return -1;
    if (isnan(by.difference) || !(by.spread >= SHARE_SPREAD))
        return 0;
    for (size_t i = 0; i < n; i++)
        x += points[i].x / (double)n;
    out->raw = (struct comparison_raw){
        out->ratio, out->low, out->high, by.p_x < SHARES_P ? by.moved : 0, {shares[0], shares[1]}};
    comparison_set_ratio(by.difference, by.error, by.df, by.unsure, out);
    out->p_t = by.p_t;
    out->p_permutation = by.p;
    out->slope = by.slope;
    out->share = exp(x);
    out->base = median_at(points, n_a, x, by.slope, a);
    out->changed = median_at(points + n_a, n_b, x, by.slope, b);
    return 0;
}

/* --- Fewer runs than a test needs. --- */

/* Adds sign times the mean of the logarithms of a side's values, the variance of this mean, and the terms of its
 * degrees of freedom (Satterthwaite). Returns -1 when out of memory. */
static int add_side(const struct comparison_side *side, double sign, double *change, double *variance, double *terms)
{
    const double runs = (double)side->n_runs;

    for (size_t r = 0; r < side->n_runs; r++) {
        size_t n;
        FREED_BY(memory_free) double *values = take_values(&(struct comparison_side){&side->runs[r], 1}, false, &n);
        if (!values)
            return -1;
        (void)take_logs(values, n);
        const struct inference_mean mean = inference_batch_means(values, n);
        const double v = mean.error * mean.error / (runs * runs);
        *change += sign * mean.mean / runs;
        *variance += v;
        *terms += v > 0 ? v * v / mean.df : 0;
    }
    return 0;
}

static int look_within(const struct comparison_side *base, const struct comparison_side *changed,
                       struct comparison *out)
{
    double change = 0, variance = 0, terms = 0;

    if (add_side(base, -1, &change, &variance, &terms) || add_side(changed, 1, &change, &variance, &terms))
        return -1;
    if (isfinite(change))
        out->ratio = exp(change);
    if (isfinite(change) && !isnan(variance))
        comparison_set_ratio(change, sqrt(variance), variance > 0 ? variance * variance / terms : 1, 0, out);
    return 0;
}

/* --- The choice of the test. --- */

/* Returns whether the k-th values of both sides are pairs. runs: the values are means of runs; otherwise they are
 * samples. */
static bool in_turn(const struct comparison_side *base, const struct comparison_side *changed, bool runs,
                    enum comparison_order order)
{
    return runs ? order == ORDER_RUNS_ALTERNATE && base->n_runs == changed->n_runs
                : order == ORDER_SAMPLES_ALTERNATE && base->n_runs == 1 && changed->n_runs == 1;
}

int comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                       enum comparison_order order, struct comparison *out)
{
    const bool runs = base->n_runs >= COMPARISON_RUNS && changed->n_runs >= COMPARISON_RUNS;

    *out = comparison_unknown;
    FREED_BY(memory_free)
    double *a = take_values(base, runs, &out->n_base), *b = take_values(changed, runs, &out->n_new);
    const size_t common = out->n_base < out->n_new ? out->n_base : out->n_new;
    const size_t each = runs ? 1 : 2, least = runs ? COMPARISON_RUNS : PAIRED_LEAST;
    const bool pairs = in_turn(base, changed, runs, order) && common / each >= least;
    int result = a && b ? 0 : -1;

    if (!result && pairs)
        result = test_pairs(a, b, common / each, each, out);
    if (!result) {
        FREED_BY(memory_free) double *sorted_a = take_values(base, runs, &out->n_base);
        FREED_BY(memory_free) double *sorted_b = take_values(changed, runs, &out->n_new);
        if (!sorted_a || !sorted_b)
            return -1;
        out->base = stats_median(sorted_a, out->n_base);
        out->changed = stats_median(sorted_b, out->n_new);
        if (!pairs)
            result = runs ? test_runs(sorted_a, sorted_b, out) : look_within(base, changed, out);
    }
    if (!result && runs && !pairs)
        result = test_at_same_share(base, changed, a, b, out);
    if (pairs)
        out->n_base = out->n_new = common / each;
    out->tested = pairs                               ? TESTED_PAIRS
                  : out->n_base < 2 || out->n_new < 2 ? TESTED_NOTHING
                  : runs                              ? TESTED_RUNS
                                                      : TESTED_WITHIN;
    return result;
}

/* --- Verdicts. --- */

static bool is_tested(const struct comparison *c)
{
    return c->tested >= TESTED_RUNS && !c->unlike_rows;
}

/* Returns the smallest p that the permutation test can give. */
static double least_p(const struct comparison *c)
{
    return c->share > 0                ? 1.0 / INFERENCE_ORDERS
           : c->tested == TESTED_PAIRS ? 2 * exp2(-(double)c->n_base)
                                       : inference_rank_least(c->n_base, c->n_new);
}

static void choose_p(struct comparison *c, size_t tests, double confidence)
{
    c->by_permutation = least_p(c) <= (1 - confidence) / (double)tests;
    /* When both sides are constant, Welch's test calls any difference significant, no matter how few values there
     * are. */
    if (isnan(c->p_t) || c->p_t <= 0)
        c->by_permutation = true;
    c->p = c->by_permutation ? c->p_permutation : c->p_t;
}

/* Sets c->least: the smallest change that the test would find with the probability POWER, if n comparisons are tested
 * together. */
static void find_least(struct comparison *c, size_t n, double confidence, double min_effect)
{
    if (!(c->error > 0))
        return;
    const double significant = stats_student_t(1 - (1 - confidence) / (double)n, c->df) * c->error;
    const double beyond = stats_student_t(2 * POWER - 1, c->df) * c->error;
    c->least = expm1(fmax(significant, log1p(min_effect)) + beyond);
}

static enum comparison_doubt doubt_of(const struct comparison *c, double confidence, double min_effect)
{
    const double effect = c->ratio > 0 ? fabs(c->ratio - 1) : fabs(c->changed - c->base) / fabs(c->base);

    if (!(c->p_adjusted < 1 - confidence) || (c->low <= 1 && c->high >= 1) || !(effect > 0))
        return DOUBT_CHANCE;
    return effect > min_effect ? DOUBT_NOT : DOUBT_SMALL;
}

/* Returns whether it depends on the adjustment to the same share of the core what is claimed, and the adjustment is
 * large: it may then hide or invent a change, since the change itself may be why the shares differ. */
static bool hangs_on_share(const struct comparison *c, enum comparison_change change, double min_effect)
{
    const struct comparison_raw *raw = &c->raw;
    const enum comparison_change as_measured = fabs(raw->ratio - 1) <= min_effect ? CHANGE_NONE
                                               : raw->low > 1                     ? CHANGE_HIGHER
                                               : raw->high < 1                    ? CHANGE_LOWER
                                                                                  : CHANGE_NONE;

    return c->share > 0 && fabs(raw->moved) > log1p(min_effect) && fabs(raw->moved) > log(c->high / c->low) / 2 &&
           as_measured != change;
}

int comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect)
{
    FREED_BY(memory_free) double *p = calloc(n ? n : 1, sizeof *p);
    size_t tests = 0, known = 0;

    for (size_t i = 0; i < n; i++) {
        tests += is_tested(&comparisons[i]);
        known += comparisons[i].error > 0;
    }
    for (size_t i = 0; p && i < n; i++) {
        if (is_tested(&comparisons[i]))
            choose_p(&comparisons[i], tests, confidence);
        p[i] = comparisons[i].p;
    }
    if (!p || inference_holm(p, n, p))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct comparison *c = &comparisons[i];
        c->p_adjusted = p[i];
        find_least(c, known, confidence, min_effect);
        c->change = CHANGE_UNKNOWN; /* printed as "not decided" */
        c->doubt = c->unlike_rows ? DOUBT_SHARE : DOUBT_NOT;
        if (!is_tested(c))
            continue;
        c->doubt = doubt_of(c, confidence, min_effect);
        const bool higher = c->ratio > 0 ? c->ratio > 1 : c->changed > c->base;
        c->change = c->doubt != DOUBT_NOT ? CHANGE_NONE : higher ? CHANGE_HIGHER : CHANGE_LOWER;
        if (hangs_on_share(c, c->change, min_effect)) {
            c->change = CHANGE_UNKNOWN;
            c->doubt = DOUBT_SHARE;
        }
    }
    return 0;
}
