/* SPDX-License-Identifier: MIT */
/* Did it change, by how much, how sure: tests and intervals for two sets of values. Pure functions: no clock, no input
 * or output, and the same input gives the same result. Values are finite. */
#ifndef ENGINE_INFERENCE_H
#define ENGINE_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the means differ, by Welch's t (Welch 1947) with the degrees of freedom of Welch and Satterthwaite
 * (Satterthwaite 1946), which may be a fraction. p is two-sided, from the incomplete beta function (DLMF 8.17). t is
 * above 0 when the mean of a is the higher one. All NAN below two values a side. Where neither side varies t is
 * infinite and p is 0, or when the means are equal both are NAN: nothing can be said of what does not vary. */
struct inference_welch {
    double t, df, p;
};
struct inference_welch inference_welch(const double *a, size_t n_a, const double *b, size_t n_b);

/* Whether one side tends to be higher, by ranks (Mann, Whitney 1947): u counts the pairs in which the value of a is the
 * higher one, and half of those that are equal. p is two-sided. It is exact (from the distribution of u when all orders
 * are as likely, by Mann and Whitney's recurrence) where no two values are equal and both sides have fewer than
 * INFERENCE_EXACT values, as R's wilcox.test does; otherwise it comes from the normal approximation, with the
 * correction of the variance for ties and that of 1/2 for continuity (Lehmann 1975). p is 1 when all values are equal.
 * Returns 0, or -1 when a side has no value or memory ran out (then all are NAN). */
#define INFERENCE_EXACT 50u
struct inference_rank {
    double u, p;
    bool exact;
};
int inference_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out);
/* The same by the normal approximation, whatever the numbers of values. */
int inference_mann_whitney_normal(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out);
/* The least p that ranks of n_a and n_b values can give: 2 over the number of ways to choose n_a of n_a + n_b; at
 * most 1. */
double inference_rank_least(size_t n_a, size_t n_b);

/* Holm's step-down correction (Holm 1979) of n p-values for being looked at together: the chance that any of them is
 * below a limit, when nothing differs, is at most that limit. A NAN is no test: it stays, and does not count.
 * adjusted may be p. Returns 0, or -1 when out of memory (then all are NAN). */
int inference_holm(const double *p, size_t n, double *adjusted);

/* The ratio of medians b / a, and its interval; confidence as 0.95. From five values a side on it is the percentile
 * bootstrap's (Efron 1979), with one or two draws more than there are values where these are few: both sides are drawn
 * anew, resamples times, from a seed that the values go into. With two to four values, where
 * that would be too narrow, it is that of the ratio of geometric means, by Welch's t of the logarithms, which need not
 * be around the ratio of medians. All NAN unless all values are above 0; the interval also below two values a side.
 * Returns 0, or -1 when out of memory (then all are NAN). */
struct inference_ratio {
    double ratio, low, high;
};
int inference_ratio_of_medians(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                               unsigned resamples, uint64_t seed, struct inference_ratio *out);

#endif
