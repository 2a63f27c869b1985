/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change.
 * Works on values only: no rows, no names. */
#ifndef ANALYSIS_COMPARE_SAMPLES_H
#define ANALYSIS_COMPARE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Minimum number of runs per side for a test. The drift between runs cannot be known from fewer. */
#define COMPARISON_RUNS 3u
/* Least number of runs a side, and least standard deviation of the logarithms of their shares of the core, from which
 * it is estimated how values depend on the share. */
#define SHARE_RUNS   5u
#define SHARE_SPREAD 0.03

/* The samples of one run in the order in which they were taken: at least one, all finite. share: the share of its CPU
 * core that the run had (less than 1: others used the core too); 0 or NAN: not known, or the values do not depend on
 * it; share_error: the standard deviation of the error of its logarithm. error: of a single sample with an interval of
 * its own, such as a percentile of many events, the standard error of its logarithm; else 0. */
struct comparison_run {
    const double *samples;
    size_t n;
    double share, share_error, error;
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
    /* each "run" is a build of one side, and the k-th samples of all builds of both sides were taken in turns */
    ORDER_BUILDS,
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
    /* figures as measured and figures at the same share of the core do not claim the same */
    DOUBT_SHARE,
    DOUBT_LOAD, /* a gain at the cost of the load: set by compared_make() */
};

/* Of figures that were brought to the same share of the core: ratio and interval as measured, how much the logarithm
 * of the ratio was moved because the shares of the sides differ (0: they differ no more than by chance), and the mean
 * share of each side. */
struct comparison_raw {
    double ratio, low, high, moved, share[2];
};

struct comparison {
    enum comparison_tested tested;
    size_t n_base, n_new;      /* number of values on each side: runs, pairs or samples */
    double base, changed;      /* medians of the values of the base, and of the other side */
    double ratio, low, high;   /* changed / base with its 95 % interval */
    double p_t, p_permutation; /* p of each test, not corrected; NAN when there is none */
    double error, df;          /* standard error of the logarithm of the ratio; NAN when it is not known */
    /* share: the share of the core to which the values of all runs were converted; NAN: they are as measured. slope: by
     * how much the logarithm of a value changes with the logarithm of the share. */
    double share, slope;
    struct comparison_raw raw;
    /* Of builds: the standard deviation, within the sides, of the logarithms of their values, and the largest
     * half-width of the 95 % interval of one of these. NAN: not known. */
    double spread, noise;
    bool unlike_rows; /* the values as measured combine rows that were brought to the same share: they are not judged */
    /* Set by comparison_judge(). */
    double p;          /* p of the chosen test */
    double p_adjusted; /* p corrected by Holm's method for all comparisons judged together */
    double least;      /* least change (0.01 for 1 %) that would be found with a probability of 80 %; NAN: not known */
    enum comparison_change change;
    enum comparison_doubt doubt; /* why there is no change; DOUBT_NOT when there is one, or nothing was tested */
};

extern const struct comparison comparison_unknown; /* no value, nothing is known */

/* From a difference of logarithms with its error. unsure: half of the interval's width that is no random error. */
void comparison_set_ratio(double change, double error, double df, double unsure, struct comparison *out);

/* Computes medians, ratio, interval and tests of the two sides. The first of these rules that fits is used:
 *
 *  order of the runs   what is compared                      tests
 *  builds in turns     values of builds                      Welch's t
 *  in turns            pairs as measured                     Student's t, signed ranks
 *  apart, shares known runs at the same share of the core    t by HC3, permutation (inference_adjusted())
 *  apart               runs as measured                      Welch's t, Mann and Whitney's ranks
 *  fewer runs          samples within the runs               none
 *
 * In turns: the runs alternate, at least COMPARISON_RUNS a side, or each side is one run whose samples alternate, at
 * least PAIRED_LEAST blocks. Shares known: at least SHARE_RUNS runs a side, all with a known share of the core, which
 * spread by SHARE_SPREAD. Runs are compared by their means. The value of a build is the typical ratio of its samples to
 * the mean of all builds at that time (Hodges, Lehmann 1963, of the logarithms, as inference_rank_test()): drift and a
 * few disturbed samples do not matter. Without builds on one side only the spread is known. The intervals are: that of
 * Welch's t; Student's of the mean logarithm of the pairs' ratios; that of the same t as the test; inference_ratio();
 * that of batch means within the runs (inference_batch_means()), or a single value's own. If a value of a pair is not
 * positive, differences are tested and there is no ratio. Ends the program when out of memory. */
void comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                        enum comparison_order order, struct comparison *out);

/* Judges n comparisons together. The permutation test is used where it can reach significance (its smallest possible p
 * is below 1 - confidence after correction for all n) or nothing varies, else the t test. A change: the corrected p is
 * below 1 - confidence, the interval does not contain 1, and the difference is larger than min_effect (0.01) of the
 * base. It is not known (CHANGE_UNKNOWN) if bringing the values to the same share of the core
 * moved the ratio by more than min_effect and by more than half of the interval, and the values as measured do not
 * claim the same. */
void comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect);

#endif
