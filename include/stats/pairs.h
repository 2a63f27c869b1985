/* SPDX-License-Identifier: MIT */
/* Tests pairs of values that were measured next to each other: whether the two sides differ, by how much, how sure that
 * is, and how small a difference would have been found. Works on the differences of the pairs, usually logarithms of
 * ratios. Pure functions: no clock, no input or output; the same input gives the same result on every machine. */
#ifndef STATS_PAIRS_H
#define STATS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer pairs cannot be significant at 5 %: of 2^5 combinations of signs two are as extreme as "all of one sign". */
#define PAIRED_LEAST 6u

/* Computes the logarithm of b / a of each pair; a pair is the sum of `each` neighbouring values of either side. Values
 * left over at the end are not used. Returns the number of pairs, for which out has room; 0 when a sum is not positive
 * or not finite. */
size_t paired_log_ratios(const double *a, const double *b, size_t n, size_t each, double *out);

/* Wilcoxon's signed-rank test of whether the differences are symmetric about 0 (Wilcoxon 1945): the sign-flip
 * permutation test of their ranks, so that a few pairs that were disturbed cannot decide it. p is two-sided; it is
 * exact with ties and zeros up to PAIRED_EXACT pairs, else from the normal distribution. The centre is the median of
 * all means of two differences (Hodges, Lehmann 1963). The interval has the values that the test would not reject, its
 * confidence is e.g. 0.95; it is NAN when there are too few pairs for the confidence. All are NAN when a difference is
 * not finite or n is 0. Returns 0, or -1 when out of memory (then all are NAN). */
#define PAIRED_EXACT 60u
struct paired {
    size_t n;
    double centre, low, high, p;
};
int paired_test(const double *differences, size_t n, double confidence, struct paired *out);

/* Tests like paired_test(), but while pairs are still being measured, at most `planned` of them. A test is made after
 * each number of pairs for which paired_is_look() is true (a look), and after the last pair. Since each look adds to
 * the chance of a false claim, the test is group sequential: the probability of a false claim up to a look is at most
 * error (e.g. 0.05) times the share of the planned pairs (Lan, DeMets 1983; linear spending, Kim, DeMets 1987). The
 * limit at a look is found from 2,047 random flips of the signs, the same at all looks. The statistic is that of
 * paired_test(). claimed: a look up to n claimed a difference. level: 0 if one was claimed, otherwise the largest p of
 * paired_test() at which the last look would have claimed one: the interval of paired_test() with confidence 1 - level
 * contains 0, and contains the true difference with the probability 1 - error. Returns 0, or -1 when out of memory. */
struct paired_looks {
    bool claimed;
    double level;
};
int paired_sequential(const double *differences, size_t n, size_t planned, double error, struct paired_looks *out);
bool paired_is_look(size_t n);

/* How many pairs a measurement takes, and what ends it early. */
struct paired_plan {
    size_t pairs;    /* largest number of pairs */
    bool sequential; /* paired_sequential() tests while pairs are measured; otherwise paired_test() at the end */
    double narrow;   /* if sequential: a test without a claim also ends the measurement if the interval is at most this
                      * wide and contains 0; 0: none does */
};
/* Returns the least difference that a measurement by this plan finds with the probability `power` (e.g. 0.8). The n
 * differences come from a measurement of two equal sides, and show the noise: 500 measurements are drawn from them,
 * with random signs. The result allows for the error of estimating the noise from so few differences, but not for rare
 * disturbances that did not occur in them: where one pair in eight is disturbed ten times as much as the others, and 12
 * pairs were measured, only 68 % of measurements find that difference instead of 80 %. With milder noise, 78 to 85 % of
 * simulated runs did. INFINITY when there are too few pairs for the error (e.g. 0.05), NAN when n is 0, a difference is
 * not finite, or memory ran out. */
double paired_least_effect(const double *differences, size_t n, const struct paired_plan *plan, double error,
                           double power);

#endif
