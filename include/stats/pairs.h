/* SPDX-License-Identifier: MIT */
/* Tests pairs of values that were measured next to each other: whether the two sides differ, by how much, how sure that
 * is, and how small a difference would have been found. Works on the differences of the pairs, usually logarithms of
 * ratios. Pure functions: no clock, no input or output; the same input gives the same result on every machine. */
#ifndef STATS_PAIRS_H
#define STATS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/inference.h"

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
