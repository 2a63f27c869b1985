/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change.
 * Works on values only: no rows, no names. */
#ifndef ANALYSIS_COMPARE_SAMPLES_H
#define ANALYSIS_COMPARE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Minimum number of runs per side for a test. The drift between runs cannot be known from fewer. */
#define COMPARISON_RUNS      3u
#define COMPARISON_RESAMPLES 2000u
/* Least number of runs a side, and least standard deviation of the logarithms of their shares of the core, from which
 * it is estimated how values depend on the share. */
#define SHARE_RUNS   5u
#define SHARE_SPREAD 0.03

/* The samples of one run in the order in which they were taken: at least one, all finite. share: the share of its CPU
 * core that the run had (less than 1: others used the core too); 0 or NAN: not known, or the values do not depend on
 * it. */
struct comparison_run {
    const double *samples;
    size_t n;
    double share;
};
struct comparison_side {
    const struct comparison_run *runs;
    size_t n_runs;
};

/* How the two sides were measured. */
enum comparison_order {
    ORDER_APART,
    ORDER_RUNS_ALTERNATE,    /* the k-th runs of both sides were made next to each other, for each k */
    ORDER_SAMPLES_ALTERNATE, /* each side is one run, and the samples of the two were taken in turns, A B B A */
};

enum comparison_tested {
    TESTED_NOTHING, /* fewer than two values on a side: the spread is not known */
    /* fewer than COMPARISON_RUNS runs on a side: no test; the interval comes from the spread within the runs */
    TESTED_WITHIN,
    TESTED_RUNS,
    TESTED_PAIRS, /* pairs of runs, or of blocks A B B A of samples */
};
enum comparison_change { CHANGE_NONE, CHANGE_LOWER, CHANGE_HIGHER, CHANGE_UNKNOWN /* nothing was tested */ };
enum comparison_doubt {
    DOUBT_NOT,
    DOUBT_CHANCE, /* chance is not ruled out by the corrected p, or by the interval */
    DOUBT_SMALL,  /* not chance, but smaller than the smallest effect that counts */
};

struct comparison {
    enum comparison_tested tested;
    size_t n_base, n_new;      /* number of values on each side: runs, pairs or samples */
    double base, changed;      /* medians of the values of the base, and of the other side */
    double ratio, low, high;   /* changed / base with its 95 % interval */
    double p_t, p_permutation; /* p of each test, not corrected; NAN when there is none */
    double error, df;          /* standard error of the logarithm of the ratio; NAN when it is not known */
    /* share: the share of the core to which the values of all runs were converted; 0: they are as measured. slope: by
     * how much the logarithm of a value changes with the logarithm of the share. */
    double share, slope;
    /* Set by comparison_judge(). */
    double p;            /* p of the chosen test */
    bool by_permutation; /* the chosen test is the permutation test */
    double p_adjusted;   /* p corrected by Holm's method for all comparisons judged together */
    double least; /* least change (0.01 for 1 %) that would be found with a probability of 80 %; NAN: not known */
    enum comparison_change change;
    enum comparison_doubt doubt; /* why there is no change; DOUBT_NOT when there is one, or nothing was tested */
};

/* Computes medians, ratio, interval and tests of the two sides:
 * - At least SHARE_RUNS runs a side, all with a known share of the core, and shares that spread by SHARE_SPREAD: the
 *   means of the runs, converted to the same share by an analysis of covariance of the logarithms
 *   (inference_covariance()). Only Student's t: a rank test of converted values makes too many false claims. Such runs
 *   are not paired even if they alternate: the conversion removes the disturbance that both runs of a pair have in
 *   common, and pairs have half as many degrees of freedom.
 * - Runs that did not alternate: their means; the ratio of medians (inference_ratio_of_medians()); Welch's t, and Mann
 *   and Whitney's test.
 * - Pairs: the mean of the logarithms of their ratios, with Student's interval; Student's t, and Wilcoxon's signed-rank
 *   test (paired_test()). Where a value is not positive, the differences are tested, and there is no ratio.
 * - Fewer than COMPARISON_RUNS runs on a side: the ratio of the geometric means, with an interval from the spread
 *   within the runs, by batch means (inference_batch_means()); no test. Samples that alternate are pairs instead, if
 *   there are enough.
 * Returns 0, or -1 when out of memory. */
int comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                       enum comparison_order order, struct comparison *out);

/* Converts the value of a run that had this share of the core to comparison->share; returns it unchanged if that is
 * 0. */
double comparison_at_share(const struct comparison *comparison, double value, double share);

/* Judges n comparisons together. The permutation test, where there is one, is used where it can reach significance (its
 * smallest possible p is below 1 - confidence after correction for all n), else the t test; the choice depends only on
 * the numbers of values. Without any spread the permutation test is always used. A comparison is a change when the
 * corrected p is below 1 - confidence, the interval does not contain 1, and the difference is larger than min_effect
 * (0.01) of the base. confidence is e.g. 0.95. Returns 0, or -1 when out of memory. */
int comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect);

#endif
