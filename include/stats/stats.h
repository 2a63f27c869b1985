/* SPDX-License-Identifier: MIT */
/* Statistics of samples. Pure functions: no clock, no input or output. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_point {
    double at, value;
};

/* Mean and variance in one pass (Welford 1962), mergeable (Chan, Golub, LeVeque 1979). All zero is empty. */
struct stats_running {
    uint64_t n;
    double mean, m2, min, max;
};
void stats_add(struct stats_running *s, double value);
struct stats_running stats_running_of(const double *values, size_t n);
void stats_merge(struct stats_running *into, const struct stats_running *other);
double stats_sd(const struct stats_running *s); /* returns the standard deviation (divides by n - 1); NAN below two
                                                 * values */

/* Returns quantile p (0..1) of n sorted values by linear interpolation between order statistics (Hyndman and Fan's
 * type 7). NAN when n is 0. */
double stats_quantile(const double *sorted, size_t n, double p);

/* Returns the two-sided critical value of Student's t: P(|T| <= t) = confidence (0..1, e.g. 0.95), df >= 1. */
double stats_student_t(double confidence, double df);
/* Returns the two-sided probability P(|T| > |t|), df >= 1. NAN when t is. */
double stats_student_p(double t, double df);

/* Returns the next number of a pseudo-random sequence, from any seed: splitmix64 (Steele, Lea, Flood 2014). */
uint64_t stats_random(uint64_t *state);

/* Returns the median absolute deviation from the median, not scaled. Sorts scratch (n values). NAN when n is 0. */
double stats_mad(const double *values, size_t n, double *scratch);

/* One resample of a bootstrap of the median: returns the median of `draws` values (usually n) drawn with replacement
 * from n sorted values; draws and n are at least 1. drawn has room for n. */
double stats_resampled_median(const double *sorted, size_t n, size_t draws, size_t *drawn, uint64_t *state);

/* Sorts the values, with NAN last. */
void stats_sort(double *values, size_t n);
/* Returns the mean of n values; 0 when n is 0. */
double stats_mean(const double *values, size_t n);
/* Sorts the values and returns their median. NAN when n is 0. */
double stats_median(double *values, size_t n);

/* Summary of a row's values. NAN is 'not known': sd below two values, the interval below five, a percentile p with
 * fewer than 1/(1-p) values (p90 and above; the median of one value is that value), rsd_pct also at mean 0. ci95 is
 * the interval of the mean by Student's t. rsd_pct is 100 sd / |mean|. */
struct stats_summary {
    uint64_t n;
    double mean, sd, rsd_pct, ci95_lo, ci95_hi, min, median, mad, p90, p99, p999, max;
};
/* Summarises n values. Returns 0, or -1 when out of memory. When n is 0 everything is NAN. */
int stats_summarise(const double *values, size_t n, struct stats_summary *out);

/* Computes the interval of the mean of n values by Student's t; confidence is e.g. 0.95. NAN below five values. */
void stats_mean_interval(const double *values, size_t n, double confidence, double *low, double *high);

/* Returns the ratio of the means of a and b, with its 95 % interval by the delta method on its logarithm: the
 * squares of the relative standard errors add up, the degrees of freedom are Welch's. The interval is NAN below five
 * values a side, or where a mean is not positive. */
double stats_ratio_of_means(const struct stats_summary *a, const struct stats_summary *b, double *low, double *high);

#endif
