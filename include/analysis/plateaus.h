/* SPDX-License-Identifier: MIT */
/* Levels of a curve that rises in steps: the time of a load by working set has one for each cache, and one for memory.
 */
#ifndef ANALYSIS_PLATEAUS_H
#define ANALYSIS_PLATEAUS_H

#include <stddef.h>

struct plateau {
    size_t first, n; /* of the points */
    double value;    /* their median */
};

/* Finds at most `most` plateaus of n values above 0 in order: at least three neighbours that lie within 15 % of their
 * median, where neighbouring plateaus that differ by less than a factor of 1.6 are one (a cache that is shared or
 * hashed rises slowly). Values between plateaus, where a set is partly in the cache, belong to none. Returns their
 * number. */
size_t plateaus_find(const double *values, size_t n, struct plateau *out, size_t most);

#endif
