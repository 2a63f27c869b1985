/* SPDX-License-Identifier: MIT */
/* Finds the levels of a curve that rises in steps, such as the time of a memory load as a function of the working set:
 * it has one level for each cache, and one for memory. */
#ifndef ANALYSIS_PLATEAUS_H
#define ANALYSIS_PLATEAUS_H

#include <stddef.h>

struct plateau {
    size_t first, n; /* range of the plateau in the array of values */
    double value;    /* median of the values */
};

/* Finds at most `most` plateaus in n values above 0, in their order. A plateau is at least three neighbours within 15 %
 * of their median. A plateau below 1.6 times the value of the one before it is joined with that one, because the curve
 * rises slowly in a cache that is shared or hashed. Values between plateaus, where a working set is only partly in the
 * cache, belong to none. Returns the number of plateaus. */
size_t plateaus_find(const double *values, size_t n, struct plateau *out, size_t most);

#endif
