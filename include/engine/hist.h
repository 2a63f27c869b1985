/* SPDX-License-Identifier: MIT */
/* A histogram of whole numbers in constant memory, plain data that may lie in shared memory.
 *
 * From base on there are HIST_LINEAR bins one wide (exact), and above them a log-linear part: HIST_SUB bins to
 * each doubling of the distance from base, so that a bin's width is at most 1/64 of the values in it. Each bin of that
 * part, the overflow and the underflow keep the exact sum of their values, so the mean is exact and a value of a bin is
 * represented by its bin's mean. */
#ifndef ENGINE_HIST_H
#define ENGINE_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_LINEAR  65536u
#define HIST_SUB     64u /* log-linear bins to an octave */
#define HIST_OCTAVES 32u /* base + 2^16 .. base + 2^48: 2^48 ns are 78 hours */
#define HIST_LOG     (HIST_SUB * HIST_OCTAVES)

struct hist {
    uint64_t base;
    uint64_t n, underflow, overflow;
    uint64_t min, max;       /* true extremes; meaningless when n is 0 */
    double sum, sum_squares; /* of value - base, so that large bases lose no digits; underflow and overflow included */
    double underflow_sum, overflow_sum; /* of the values themselves */
    uint64_t linear[HIST_LINEAR];
    uint64_t log[HIST_LOG];
    double log_sum[HIST_LOG]; /* of the values themselves */
};

/* A base above 2^64 - 2^48 is lowered to about that, so that no limit of a bin wraps round. */
void hist_init(struct hist *h, uint64_t base);

/* The hot path: inline, no division. */
static inline void hist_add(struct hist *h, uint64_t value);
void hist_add_outside(struct hist *h, uint64_t value); /* what hist_add calls for values outside the linear part */

/* The bases may differ: the other's bins are entered by their means. Exact when the bases are equal. */
void hist_merge(struct hist *into, const struct hist *other);

double hist_mean(const struct hist *h); /* NAN when empty */
double hist_sd(const struct hist *h);   /* n-1; NAN below two */
/* Quantile p as stats_quantile would give for the values as represented: exact in the linear part. NAN when empty. */
double hist_quantile(const struct hist *h, double p);
double hist_mad(const struct hist *h); /* median absolute deviation from the median; NAN when empty */

/* Events with low < value <= high (as represented), their number and the sum of their values. exact is set false
 * when a limit falls inside a bin wider than one that holds more than one event. */
struct hist_range {
    uint64_t count;
    double sum;
    bool exact;
};
struct hist_range hist_range(const struct hist *h, double low, double high);

/* Walks the bins that are not empty in rising order. Start with *position 0; false at the end. low is the lowest
 * value of the bin, mean the mean of the values in it. Underflow comes first (low = min), overflow last. */
struct hist_bin {
    uint64_t low, count;
    double mean;
};
bool hist_next(const struct hist *h, size_t *position, struct hist_bin *out);

static inline void hist_add(struct hist *h, uint64_t value)
{
    uint64_t offset = value - h->base; /* wraps to a huge number below base: the test sends it outside */
    if (__builtin_expect(offset < HIST_LINEAR, 1)) {
        double x = (double)offset;
        h->linear[offset]++;
        h->n++;
        h->sum += x;
        h->sum_squares += x * x;
        if (value < h->min)
            h->min = value;
        if (value > h->max)
            h->max = value;
    } else {
        hist_add_outside(h, value);
    }
}

#endif
