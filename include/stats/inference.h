/* SPDX-License-Identifier: MIT */
/* Tests and confidence intervals for two sets of values: whether they differ, by how much, and how sure that is. Pure
 * functions: no clock, no input or output; the same input gives the same result. Values are finite. */
#ifndef STATS_INFERENCE_H
#define STATS_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Welch's t test of whether the means differ (Welch 1947), with the degrees of freedom of Welch and Satterthwaite
 * (Satterthwaite 1946), which may be a fraction. p is two-sided, from the incomplete beta function (DLMF 8.17). t is
 * positive when the mean of a is higher. All are NAN below two values a side. When neither side varies, t is
 * infinite and p is 0; or both are NAN if the means are equal. error is the standard error of the difference. */
struct inference_welch {
    double t, df, p, error;
};
struct inference_welch inference_welch(const double *a, size_t n_a, const double *b, size_t n_b);

/* A value y, and the covariate x that was measured with it. */
struct inference_point {
    double x, y;
};
/* Analysis of covariance (Fisher 1932): the difference of the means of y of two groups, b minus a, at the same x. slope
 * is that of the common line through the points of both groups, spread the standard deviation of x within them, and
 * moved the part of the difference of the means that the line explains. error is the standard error of the difference,
 * by HC3 (MacKinnon, White 1985), so that the groups may vary by different amounts; df are Satterthwaite's degrees of
 * freedom. Values more than two interquartile ranges beyond the quartiles of their group are moved there before.
 * unsure: how far the difference may be off because x itself has an error with the standard deviation x_error, which
 * makes the slope too small. p_t tests the difference, less unsure, by Student's t. p tests the same t by random orders
 * of the residuals of one line through all points (Freedman, Lane 1983), up to INFERENCE_ORDERS; it ends early when p
 * is large (Besag, Clifford 1991). p_x is that of Welch's test of x. difference is NAN, and the rest but spread and p_x
 * 0, with fewer than three points a side, or when x does not spread by more than twice its error. y is of the order of
 * 1, such as a logarithm: an error counts as at least 1e-9. Returns 0, or -1 when out of memory. */
#define INFERENCE_ORDERS 2000u
struct inference_adjusted {
    double slope, spread, difference, moved, unsure, error, df, p_t, p, p_x;
};
int inference_adjusted(const struct inference_point *a, size_t n_a, const struct inference_point *b, size_t n_b,
                       double x_error, uint64_t seed, struct inference_adjusted *out);

/* The mean of values in the order in which they were taken, and its standard error by the method of batch means (Law
 * and Carson 1979), since neighbours may be correlated: the values are cut into batches of `length` values each, whose
 * means are taken as independent. length is 1 when no correlation is measured; otherwise it is twice the last lag,
 * counted from 1 on, whose correlation is above the limit for independent values, but there are at least five batches.
 * The oldest n % length values count in the mean only. df is the number of batches less 1. error and df are NAN below
 * two values. */
struct inference_mean {
    double mean, error, df;
    size_t length;
};
struct inference_mean inference_batch_means(const double *values, size_t n);

/* Sorts the values, and sets twice the rank of each, by its place before: whole numbers even with ties. Returns the sum
 * of t^3 - t over the groups of t equal values. */
struct inference_ranked {
    double value;
    size_t at; /* place before; set here */
};
double inference_ranks(struct inference_ranked *values, size_t n, uint64_t *ranks);

/* Rank test of whether one side tends to be higher (Mann, Whitney 1947). u counts the pairs in which the value of a
 * is higher, plus half of the pairs that are equal. p is two-sided. It is exact (from the distribution of u when all
 * orders are equally likely, by Mann and Whitney's recurrence) when no two values are equal and both sides have
 * fewer than INFERENCE_EXACT values, as R's wilcox.test does; otherwise it comes from the normal approximation with
 * corrections for ties and for continuity (Lehmann 1975). p is 1 when all values are equal. Returns 0, or -1 when a
 * side has no value or memory ran out (then all are NAN). */
#define INFERENCE_EXACT 50u
struct inference_rank {
    double u, p;
    bool exact;
};
int inference_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out);
/* As inference_mann_whitney(), but always by the normal approximation. */
int inference_mann_whitney_normal(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out);
/* Returns the smallest p that the rank test of n_a and n_b values can give: 2 over the number of ways to choose n_a
 * of n_a + n_b; at most 1. */
double inference_rank_least(size_t n_a, size_t n_b);

/* Corrects n p-values by Holm's step-down method (Holm 1979): if nothing differs, the chance that any corrected
 * value is below a limit is at most that limit. A NAN stands for no test: it stays NAN and is not counted. adjusted
 * may be p. Returns 0, or -1 when out of memory (then all are NAN). */
int inference_holm(const double *p, size_t n, double *adjusted);

/* The ratio of medians b / a and its interval; confidence is e.g. 0.95. From five values a side on, the interval is the
 * percentile bootstrap's (Efron 1979): both sides are resampled, resamples times, with a seed derived from the values;
 * each resample has up to two values more than the side has, which corrects the interval of few values. With two to
 * four values, where the bootstrap would be too narrow, it is the interval of the ratio of geometric means, by Welch's
 * t of the logarithms, which need not contain the ratio of medians. All are NAN unless all values are positive; the
 * interval also below two values a side. Returns 0, or -1 when out of memory (then all are NAN). */
struct inference_ratio {
    double ratio, low, high;
};
int inference_ratio_of_medians(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                               unsigned resamples, uint64_t seed, struct inference_ratio *out);

#endif
