/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change. */
#include "analysis/compare_samples.h"

#include <math.h>

#include "stats/inference.h"
#include "stats/stats.h"
#include "sys/base.h"

#define PAIRS_MOST 400u /* of samples of a build: more take long and are not more exact */
#define SHARES_P   0.01 /* significance level of the difference between the shares of both sides */
#define EVENTS     1e6  /* degrees of freedom of a run's own error: those of very many events */
#define POWER      0.8  /* statistical power: share of comparisons in which the least change would be found */

const struct comparison comparison_unknown = {.base = NAN,
                                              .changed = NAN,
                                              .share = NAN,
                                              .slope = NAN,
                                              .spread = NAN,
                                              .noise = NAN,
                                              .ratio = NAN,
                                              .low = NAN,
                                              .high = NAN,
                                              .p_t = NAN,
                                              .p_permutation = NAN,
                                              .error = NAN,
                                              .df = NAN,
                                              .p = NAN,
                                              .p_adjusted = NAN,
                                              .least = NAN,
                                              .change = CHANGE_UNKNOWN};

/* All samples, or the means of runs. */
static double *take_values(const struct comparison_side *side, bool runs, size_t *n)
{
    size_t all = 0;

    *n = 0;
    for (size_t r = 0; r < side->n_runs; r++)
        all += runs ? 1 : side->runs[r].n;
    double *values = memory_get(all, sizeof(*values));
    for (size_t r = 0; r < side->n_runs; r++) {
        const struct comparison_run *run = &side->runs[r];
        if (runs)
            values[(*n)++] = stats_mean(run->samples, run->n);
        for (size_t i = 0; !runs && i < run->n; i++)
            values[(*n)++] = run->samples[i];
    }
    return values;
}

void comparison_set_ratio(double change, double error, double df, double unsure, struct comparison *out)
{
    const double half = inference_half_width(error, df, 0.95) + unsure;

    out->error = error;
    out->df = df;
    out->ratio = exp(change);
    out->low = exp(change - half);
    out->high = exp(change + half);
}

/* --- Pairs. --- */

/* Tests n pairs; each side of a pair is the sum of `each` neighbouring values. */
static void test_pairs(const double *a, const double *b, size_t n, size_t each, struct comparison *out)
{
    struct inference_shift shift;
    FREED double *differences = memory_get(n, sizeof(*differences));
    const bool logs = paired_log_ratios(a, b, n * each, each, differences) == n;

    if (!logs) { /* there are logarithms up to the first value that has none */
        memset(differences, 0, n * sizeof(*differences));
        for (size_t i = 0; i < n * each; i++)
            differences[i / each] += b[i] - a[i];
    }
    const struct stats_running s = stats_running_of(differences, n);
    const double error = stats_sd(&s) / sqrt((double)n), df = (double)n - 1;
    if (inference_rank_test(NULL, 0, differences, n, 0.95, &shift))
        memory_out();
    out->n_base = out->n_new = n;
    out->p_permutation = shift.p;
    out->p_t = error > 0 ? stats_student_p(s.mean / error, df) : NAN;
    if (logs)
        comparison_set_ratio(s.mean, error, df, 0, out);
}

/* --- Runs that did not alternate. --- */

static void test_runs(const double *a, const double *b, struct comparison *out)
{
    struct inference_shift shift;
    struct inference_ratio ratio;

    if (inference_rank_test(a, out->n_base, b, out->n_new, 0.95, &shift))
        memory_out();
    inference_ratio(a, out->n_base, b, out->n_new, 0.95, &ratio);
    out->p_permutation = shift.p;
    out->p_t = inference_welch(a, out->n_base, b, out->n_new).p;
    out->ratio = ratio.ratio;
    out->low = ratio.low;
    out->high = ratio.high;
    out->error = ratio.error;
    out->df = ratio.df;
}

/* Of each run of a side the logarithms of share and value. Returns whether there are enough runs, and all shares are
 * known. */
static bool set_logs(const struct comparison_side *side, const double *values, double *x, double *y, double *share,
                     double *errors)
{
    bool all = side->n_runs >= SHARE_RUNS;

    for (size_t r = 0; r < side->n_runs; r++) {
        const struct comparison_run *run = &side->runs[r];
        all = all && run->share > 0 && values[r] > 0;
        x[r] = log(run->share);
        y[r] = log(values[r]);
        *share += run->share / (double)side->n_runs;
        *errors += run->share_error * run->share_error;
    }
    return all;
}

/* Compares the values a and b of all runs at the same share of the core, to which it brings them, if the runs show how
 * they depend on it; out->raw keeps what was found as measured. Else out->share stays unknown. */
static void test_at_same_share(const struct comparison_side *base, const struct comparison_side *changed, double *a,
                               double *b, struct comparison *out)
{
    const size_t n_a = base->n_runs, n_b = changed->n_runs, n = n_a + n_b;
    FREED double *x = memory_get(2 * n, sizeof(*x));
    double *y = x + n, shares[2] = {0, 0}, errors = 0;
    struct inference_adjusted by;

    if (!(set_logs(base, a, x, y, &shares[0], &errors) & set_logs(changed, b, x + n_a, y + n_a, &shares[1], &errors)))
        return;
    inference_adjusted(x, y, n_a, n_b, sqrt(errors / (double)n), &by);
    if (isnan(by.difference) || !(by.spread >= SHARE_SPREAD))
        return;
    const bool unlike = inference_welch(x, n_a, x + n_a, n_b).p < SHARES_P;
    out->raw = (struct comparison_raw){out->ratio, out->low, out->high, unlike ? by.moved : 0, {shares[0], shares[1]}};
    comparison_set_ratio(by.difference, by.error, by.df, by.unsure, out);
    out->p_t = by.p_t;
    out->p_permutation = by.p;
    out->slope = by.slope;
    const double same = stats_mean(x, n);
    out->share = exp(same);
    for (size_t i = 0; i < n; i++)
        *(i < n_a ? &a[i] : &b[i - n_a]) = exp(y[i] + by.slope * (same - x[i]));
}

/* --- Builds. --- */

/* Sets the logarithms of the values of n builds, and their noise. Returns false when a sample is not above 0. */
static bool values_of_builds(const struct comparison_run *const *builds, size_t n, double *values, double *noise)
{
    size_t samples = SIZE_MAX;

    for (size_t i = 0; i < n; i++)
        samples = builds[i]->n < samples ? builds[i]->n : samples;
    /* A B B A: the drift within two rounds is in both sums of a pair */
    const size_t each = samples < 2 ? 1 : 2 * (1 + (samples / 2 - 1) / PAIRS_MOST), pairs = samples / each;
    FREED double *mean = memory_get(samples, sizeof(*mean));
    FREED double *logs = memory_get(pairs, sizeof(*logs));
    for (size_t k = 0; k < samples; k++) {
        for (size_t i = 0; i < n; i++)
            mean[k] += log(builds[i]->samples[k]) / (double)n;
        mean[k] = exp(mean[k]);
    }
    *noise = 0;
    for (size_t i = 0; i < n; i++) {
        struct inference_shift shift;
        if (paired_log_ratios(mean, builds[i]->samples, samples, each, logs) != pairs)
            return false;
        if (inference_rank_test(NULL, 0, logs, pairs, 0.95, &shift))
            memory_out();
        values[i] = shift.centre;
        const double half = (shift.high - shift.low) / 2;
        *noise = isnan(*noise) || half <= *noise ? *noise : half;
    }
    return true;
}

static void test_builds(const struct comparison_side *base, const struct comparison_side *changed,
                        struct comparison *out)
{
    const size_t n_a = base->n_runs, n_b = changed->n_runs, n = n_a + n_b;
    FREED double *y = memory_get(n, sizeof(*y));
    FREED const struct comparison_run **builds = memory_get(n, sizeof(*builds));

    for (size_t i = 0; i < n; i++)
        builds[i] = i < n_a ? &base->runs[i] : &changed->runs[i - n_a];
    if (!n || !values_of_builds(builds, n, y, &out->noise))
        return;
    const struct stats_running a = stats_running_of(y, n_a), b = stats_running_of(y + n_a, n_b);
    const struct inference_welch welch = inference_welch(y + n_a, n_b, y, n_a);
    out->spread = sqrt((a.m2 + b.m2) / ((double)n - (n_b ? 2 : 1)));
    out->p_t = out->p_permutation = welch.p;
    if (!isnan(welch.error))
        comparison_set_ratio(welch.difference, welch.error, welch.df, 0, out);
}

/* --- Fewer runs than a test needs. --- */

static void look_within(const struct comparison_side *base, const struct comparison_side *changed,
                        struct comparison *out)
{
    const size_t n_runs = base->n_runs + changed->n_runs;
    double change = 0, variance = 0, terms = 0; /* terms of the degrees of freedom (Satterthwaite) */

    for (size_t r = 0; r < n_runs; r++) {
        const bool after = r >= base->n_runs;
        const struct comparison_side *side = after ? changed : base;
        const struct comparison_run *run = &side->runs[after ? r - base->n_runs : r];
        FREED double *logs = memory_get(run->n, sizeof(*logs));
        for (size_t i = 0; i < run->n; i++)
            logs[i] = log(run->samples[i]);
        const struct inference_mean mean = run->error > 0 ? (struct inference_mean){logs[0], run->error, EVENTS, 1}
                                                          : inference_batch_means(logs, run->n);
        const double runs = (double)side->n_runs, v = mean.error * mean.error / (runs * runs);
        change += (after ? mean.mean : -mean.mean) / runs;
        variance += v;
        terms += v > 0 ? v * v / mean.df : 0;
    }
    if (isfinite(change))
        comparison_set_ratio(change, sqrt(variance), variance > 0 ? variance * variance / terms : 1, 0, out);
}

/* --- The choice of the test. --- */

void comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                        enum comparison_order order, struct comparison *out)
{
    const bool runs = base->n_runs >= COMPARISON_RUNS && changed->n_runs >= COMPARISON_RUNS;
    size_t n_a, n_b;
    FREED double *a = take_values(base, runs, &n_a), *b = take_values(changed, runs, &n_b);
    const size_t each = runs ? 1 : 2, pairs = (n_a < n_b ? n_a : n_b) / each;
    /* the k-th values of both sides are pairs */
    const bool in_turn = runs ? order == ORDER_RUNS_ALTERNATE && base->n_runs == changed->n_runs
                              : order == ORDER_SAMPLES_ALTERNATE && base->n_runs == 1 && changed->n_runs == 1;

    *out = comparison_unknown;
    out->n_base = n_a;
    out->n_new = n_b;
    if (in_turn && pairs >= (runs ? COMPARISON_RUNS : PAIRED_LEAST)) {
        out->tested = TESTED_PAIRS;
        test_pairs(a, b, pairs, each, out);
    } else if (order == ORDER_BUILDS) {
        out->tested = runs ? TESTED_RUNS : TESTED_NOTHING;
        test_builds(base, changed, out);
    } else if (runs) {
        out->tested = TESTED_RUNS;
        test_runs(a, b, out);
        test_at_same_share(base, changed, a, b, out);
    } else {
        look_within(base, changed, out);
        out->tested = (n_a < 2 || n_b < 2) && !(out->error > 0) ? TESTED_NOTHING : TESTED_WITHIN;
    }
    out->base = stats_median(a, n_a);
    /* so that the change is never another one than that of the figures beside it */
    out->changed = out->ratio > 0 && isfinite(out->ratio) ? out->base * out->ratio : stats_median(b, n_b);
}

/* --- Verdicts. --- */

static bool is_tested(const struct comparison *c)
{
    return c->tested >= TESTED_RUNS && !c->unlike_rows;
}

static void choose_p(struct comparison *c, size_t tests, double confidence)
{
    /* the smallest p that the permutation test can give */
    const double least = c->share > 0 ? 1.0 / INFERENCE_ORDERS
                                      : inference_rank_least(c->tested == TESTED_PAIRS ? 0 : c->n_base, c->n_new);

    /* When both sides are constant, Welch's test calls any difference significant, no matter how few values there
     * are. */
    c->p = least <= (1 - confidence) / (double)tests || isnan(c->p_t) || c->p_t <= 0 ? c->p_permutation : c->p_t;
}

/* Sets c->least: the smallest change that the test would find with the probability POWER, if n comparisons are tested
 * together. */
static void set_detectable_effect(struct comparison *c, size_t n, double confidence, double min_effect)
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

/* Whether what is claimed depends on a large adjustment to the same share of the core: that may hide or invent
 * a change, which may itself be why the shares differ. */
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

void comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect)
{
    FREED double *p = memory_get(n, sizeof(*p));
    size_t tests = 0, known = 0;

    for (size_t i = 0; i < n; i++) {
        tests += is_tested(&comparisons[i]);
        known += comparisons[i].error > 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_tested(&comparisons[i]))
            choose_p(&comparisons[i], tests, confidence);
        p[i] = comparisons[i].p;
    }
    inference_holm(p, n, p);
    for (size_t i = 0; i < n; i++) {
        struct comparison *c = &comparisons[i];
        c->p_adjusted = p[i];
        set_detectable_effect(c, known, confidence, min_effect);
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
}
