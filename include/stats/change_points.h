/* SPDX-License-Identifier: MIT */
/* Finds the places at which the level of a sequence of values changes. Pure functions. */
#ifndef STATS_CHANGE_POINTS_H
#define STATS_CHANGE_POINTS_H

#include <stddef.h>
#include <stdint.h>

/* Least number of values on each side of a change point, so that a single outlier is not taken for one. */
#define CHANGE_POINTS_SIDE 3u

/* Finds the change points of n finite values, in ascending order: at[i] is the index of the first value after the
 * change. at has room for n / CHANGE_POINTS_SIDE. If nothing changes, the chance that a point is found is at most alpha
 * (more than 0, less than 1). The same seed gives the same result. Returns their number, or SIZE_MAX when out of
 * memory.
 *
 * The method is E-divisive means (Matteson, James 2014): a segment is split where the energy distance between the
 * values before and after is largest, if it is larger than in random permutations of the segment; then its parts
 * likewise. In one dimension this distance is 2 * integral of (F - G)^2, F and G being the distribution functions of
 * the two sides (Székely, Rizzo 2013), which is computed here from counts of the values in classes of equal width.
 * Values beyond Tukey's fences (1.5 interquartile ranges from the quartiles) count as if they were on the fence, so
 * that a single wild value neither hides a change nor is one. */
size_t change_points(const double *values, size_t n, double alpha, uint64_t seed, size_t *at);

#endif
