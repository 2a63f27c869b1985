/* SPDX-License-Identifier: MIT */
/* Tests and confidence intervals for two sets of values: whether they differ, by how much, and how sure that is. Pure
 * functions: no clock, no input or output; the same input gives the same result. Values are finite. */
#ifndef STATS_INFERENCE_H
#define STATS_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Welch's t test of whether the means differ (Welch 1947), with the degrees of freedom of Welch and Satterthwaite
 * (Satterthwaite 1946), which may be a fraction. p is two-sided, from the incomplete beta function (DLMF 8.17).
 * difference is the mean of a less that of b, error its standard error, t their ratio. All are NAN below two values a
 * side. When neither side varies, t is infinite and p is 0; or both are NAN if the means are equal. */
struct inference_welch {
    double t, df, p, error, difference;
};
struct inference_welch inference_welch(const double *a, size_t n_a, const double *b, size_t n_b);

/* Analysis of covariance (Fisher 1932): the difference of the means of y of two groups, b minus a, at the same value of
 * the covariate x that was measured with it; x and y have the n_a values of a, then the n_b values of b. slope is that
 * of the common line through the points of both groups, spread the standard deviation of x within them, and moved the
 * part of the difference of the means that the line explains. error is the standard error of the difference, by HC3
 * (MacKinnon, White 1985), so that the groups may vary by different amounts; df are Satterthwaite's degrees of freedom.
 * Values more than two interquartile ranges beyond the quartiles of their group are moved there before. unsure: how far
 * the difference may be off because x itself has an error with the standard deviation x_error, which makes the slope
 * too small. p_t tests the difference, less unsure, by Student's t. p tests the same t by random orders of the
 * residuals of one line through all points (Freedman, Lane 1983), up to INFERENCE_ORDERS; it ends early when p is large
 * (Besag, Clifford 1991). difference is NAN, and the rest but spread 0, with fewer than three points a side, or when x
 * does not spread by more than twice its error. y is of the order of 1, such as a logarithm: an error counts as at
 * least 1e-9. Ends the program when out of memory. */
#define INFERENCE_ORDERS 2000u
struct inference_adjusted {
    double slope, spread, difference, moved, unsure, error, df, p_t, p;
};
void inference_adjusted(const double *x, const double *y, size_t n_a, size_t n_b, double x_error,
                        struct inference_adjusted *out);

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

/* Rank tests, which a few disturbed values cannot decide: whether a or b tends to be higher (Mann, Whitney 1947), or
 * with a NULL and n_a 0, whether the differences b are symmetric about 0 (Wilcoxon 1945). p is two-sided. It is exact
 * below INFERENCE_EXACT values a side, of differences with ties and zeros too, of two sides without ties; otherwise it
 * comes from the normal approximation with corrections for ties and for continuity (Lehmann 1975). centre is the median
 * of all b - a, or of all means of two differences (Hodges, Lehmann 1963). The interval has the shifts that the test
 * would not reject; it is NAN when there are too few values for the confidence (e.g. 0.95). All are
 * NAN when a side has no value, or one that is not finite. Returns 0, or -1 when out of memory (then all are NAN). */
#define INFERENCE_EXACT 50u
struct inference_shift {
    size_t n; /* number of values in b */
    double centre, low, high, p;
};
int inference_rank_test(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                        struct inference_shift *out);
/* Returns the smallest p that the rank test of n_a and n_b values can give: 2 over the number of ways to choose n_a
 * of n_a + n_b; n_a 0: 2 over the number of combinations of n_b signs; at most 1. */
double inference_rank_least(size_t n_a, size_t n_b);

/* Corrects n p-values by Holm's step-down method (Holm 1979): if nothing differs, the chance that any corrected
 * value is below a limit is at most that limit. A NAN stands for no test: it stays NAN and is not counted. adjusted
 * may be p. Ends the program when out of memory. */
void inference_holm(const double *p, size_t n, double *adjusted);

/* Returns half of the width of Student's interval. 0 or NAN, as the error is, without spread. */
double inference_half_width(double error, double df, double confidence);

/* The ratio b / a and its interval, by the rank test of the logarithms: the median of all b / a. With too few values
 * for that, fewer than four a side, it is the ratio of geometric means, by Welch's t. error is the standard error of
 * the logarithm of the ratio of geometric means, df are its degrees of freedom. All are NAN unless all values are
 * positive, and below two values a side. Ends the program when out of memory. */
struct inference_ratio {
    double ratio, low, high, error, df;
};
void inference_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                     struct inference_ratio *out);

/* Pairs of values that were measured next to each other: usually the logarithms of their ratios. */

/* Fewer pairs cannot be significant at 5 %: of 2^5 combinations of signs two are as extreme as "all of one sign". */
#define PAIRED_LEAST 6u

/* Computes the logarithm of b / a of each pair; a pair is the sum of `each` neighbouring values of either side. Values
 * left over at the end are not used. Returns the number of pairs, for which out has room; 0 when a sum is not positive
 * or not finite. */
size_t paired_log_ratios(const double *a, const double *b, size_t n, size_t each, double *out);

/* Tests differences like inference_rank_test(), but while pairs are being measured, at most `planned`: after each
 * number of pairs for which paired_is_look() is true (a look), and after the last. Since each look adds to the chance
 * of a false claim, the test is group sequential: the probability of one up to a look is at most error (e.g. 0.05)
 * times the share of the planned pairs (Lan, DeMets 1983; linear spending, Kim, DeMets 1987). The limit at a look is
 * found from 2,047 random flips of the signs, the same at all looks. claimed: a look up to n claimed a difference.
 * level: 0 if one was claimed, otherwise the largest p of inference_rank_test() at which the last look would have
 * claimed one: the interval of that test with confidence 1 - level contains 0, and contains the true difference with
 * the probability 1 - error. Returns 0, or -1 when out of memory. */
struct paired_looks {
    bool claimed;
    double level;
};
int paired_sequential(const double *differences, size_t n, size_t planned, double error, struct paired_looks *out);
bool paired_is_look(size_t n);

/* Returns the least difference that a measurement of `pairs` pairs finds with the probability `power` (e.g. 0.8), if
 * its noise is that of n pairs of two equal sides, for which found is the interval with the confidence 1 - error: the
 * width of the interval shrinks with the square root of the number of pairs. looks: paired_sequential() tests while
 * pairs are measured. narrow: this also ends when the interval is at most this wide and contains 0; 0: it does not.
 * INFINITY when there are too few pairs for the error (e.g. 0.05), NAN without an interval. */
double paired_least_effect(const struct inference_shift *found, size_t pairs, bool looks, double narrow, double error,
                           double power);

#endif
