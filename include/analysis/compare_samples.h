/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: which values of two sides are tested, and when a difference counts as a change.
 * Works on values only: no rows, no names. */
#ifndef ANALYSIS_COMPARE_SAMPLES_H
#define ANALYSIS_COMPARE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Minimum number of runs per side for testing the means of the runs; with fewer, the pooled samples of all runs of a
 * side are tested. */
#define COMPARISON_RUNS      3u
#define COMPARISON_RESAMPLES 2000u

/* The samples of one run in the order in which they were taken: at least one, all finite. */
struct comparison_run {
    const double *samples;
    size_t n;
};
struct comparison_side {
    const struct comparison_run *runs;
    size_t n_runs;
};

enum comparison_tested {
    TESTED_NOTHING, /* fewer than two values on a side: the spread is not known */
    TESTED_SAMPLES, /* drift between runs cannot be seen: see floor */
    TESTED_RUNS,
};
enum comparison_change { CHANGE_NONE, CHANGE_LOWER, CHANGE_HIGHER, CHANGE_UNKNOWN /* nothing was tested */ };
enum comparison_doubt {
    DOUBT_NOT,
    DOUBT_CHANCE, /* chance is not ruled out by the corrected p, or by the interval */
    DOUBT_SMALL,  /* not chance, but smaller than the smallest effect that counts */
    DOUBT_FLOOR,  /* not chance, but within possible drift between runs */
};

struct comparison {
    enum comparison_tested tested;
    size_t n_base, n_new;    /* number of values tested on each side */
    double base, changed;    /* medians of the tested values, before and after */
    double ratio, low, high; /* changed / base, with its 95 % interval: inference_ratio_of_medians() */
    double p_welch, p_rank;  /* p of each test, not corrected; NAN when there is none */
    double floor;            /* smaller differences of the medians are no change; 0 when runs are tested. May be set
                              * to 0 before comparison_judge() when both sides were measured alternately */
    /* Set by comparison_judge(). */
    double p;          /* p of the chosen test */
    bool by_rank;      /* the chosen test is the rank test */
    double p_adjusted; /* p corrected by Holm's method for all comparisons judged together */
    enum comparison_change change;
    enum comparison_doubt doubt; /* why it is not a change; DOUBT_NOT when it is one */
};

/* Computes medians, ratio, tests and the noise floor. Where samples are tested, the floor is estimated from the
 * runs: the larger of the standard deviation of the difference between a sample of one side and one of the other
 * (within runs), and the largest difference between the two halves of a run or between two runs of a side. Returns
 * 0, or -1 when out of memory. */
int comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                       struct comparison *out);

/* Judges n comparisons together. The rank test is used where it can reach significance (its smallest possible p is
 * below 1 - confidence after correction for all n), else Welch's t test; the choice depends only on the numbers of
 * values. Without any spread the rank test is always used. A comparison is a change when the corrected p is below 1
 * - confidence, the interval does not contain 1, and the difference of the medians is larger than both the floor and
 * min_effect (0.01) of the base. confidence is e.g. 0.95. Returns 0, or -1 when out of memory. */
int comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect);

#endif
