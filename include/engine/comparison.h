/* SPDX-License-Identifier: MIT */
/* The rule of `jitbench compare`: what of two sides is tested, and when it counts as a change. Knows values only: no
 * rows, no names. */
#ifndef ENGINE_COMPARISON_H
#define ENGINE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

/* From as many runs a side on it is their means that are tested; below, the samples of all runs of a side together. */
#define COMPARISON_RUNS      3u
#define COMPARISON_RESAMPLES 2000u

/* The samples of a run in the order in which they were taken, at least one, all finite. */
struct comparison_run {
    const double *samples;
    size_t n;
};
struct comparison_side {
    const struct comparison_run *runs;
    size_t n_runs;
};

enum comparison_tested {
    TESTED_NOTHING, /* fewer than two values on a side: nothing is known of their spread */
    TESTED_SAMPLES, /* the drift between runs cannot be seen: see floor */
    TESTED_RUNS,
};
enum comparison_change { CHANGE_NONE, CHANGE_LOWER, CHANGE_HIGHER, CHANGE_UNKNOWN /* nothing was tested */ };
enum comparison_doubt {
    DOUBT_NOT,
    DOUBT_CHANCE, /* the corrected p, or the interval, does not rule chance out */
    DOUBT_SMALL,  /* no chance, but smaller than the least effect that counts */
    DOUBT_FLOOR,  /* no chance, but within what may be drift between runs */
};

struct comparison {
    enum comparison_tested tested;
    size_t n_base, n_new;    /* values tested */
    double base, changed;    /* their medians: before, and after */
    double ratio, low, high; /* changed / base, with its 95 % interval: inference_ratio_of_medians() */
    double p_welch, p_rank;  /* of each test, not corrected; NAN when there is none */
    double floor;            /* smaller differences of the medians are no change; 0 when runs are tested. May be set
                              * to 0 before comparison_judge() where both sides were measured in turn */
    /* From comparison_judge(). */
    double p;          /* the one that counts */
    bool by_rank;      /* which that is */
    double p_adjusted; /* corrected by Holm for all that were judged together */
    enum comparison_change change;
    enum comparison_doubt doubt; /* why there is no change; DOUBT_NOT when there is one */
};

/* Medians, ratio, tests and the noise floor. Where samples are tested, the floor is what the runs themselves show: the
 * standard deviation of the difference between a sample of the one side and one of the other (within runs), or when
 * that is more, the difference between the two halves of a run, or between two runs of a side. 0, or -1 when out of
 * memory. */
int comparison_measure(const struct comparison_side *base, const struct comparison_side *changed,
                       struct comparison *out);

/* The verdicts of n comparisons that are looked at together. A p counts by ranks where these can tell at all (their
 * least p is below 1 - confidence after a correction for all), else by Welch's t; the choice depends on numbers of
 * values only. Without any spread it is always by ranks. It is a change when the corrected p is below 1 - confidence,
 * the interval leaves 1 out, and the medians are further apart than the floor and than min_effect (0.01) of the base.
 * confidence as 0.95. 0, or -1 when out of memory. */
int comparison_judge(struct comparison *comparisons, size_t n, double confidence, double min_effect);

#endif
