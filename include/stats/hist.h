/* SPDX-License-Identifier: MIT */
/* A histogram of whole numbers in constant memory: plain data that may lie in shared memory.
 *
 * Above base there are HIST_LINEAR bins of width 1 (exact), then a log-linear part: HIST_SUB bins per doubling of
 * the distance from base, so that a bin's width is at most 1/64 of that distance. Each log-linear bin, the overflow
 * and the underflow keep the exact sum of their values: the mean is exact, and the values of a bin are represented
 * by the bin's mean. */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_LINEAR  65536u
#define HIST_SUB     64u /* log-linear bins per octave */
#define HIST_OCTAVES 32u /* range of the log-linear bins: base + 2^16 to base + 2^48; 2^48 ns are 78 hours */
#define HIST_LOG     (HIST_SUB * HIST_OCTAVES)

struct hist {
    uint64_t base;
    uint64_t width; /* width of the bins of the linear part */
    uint64_t n, underflow, overflow;
    uint64_t min, max;       /* exact smallest and largest value; undefined when n is 0 */
    double sum, sum_squares; /* sums of value - base, so that large bases lose no digits, and of its square; underflow
                              * and overflow are included */
    double underflow_sum, overflow_sum; /* sums of the values themselves */
    uint64_t linear[HIST_LINEAR];
    uint64_t log[HIST_LOG];
    double log_sum[HIST_LOG]; /* sums of the values themselves, by bin */
};

/* Empties the histogram. A base above 2^64 - 2^48 is lowered to about that, so that no limit of a bin wraps round. */
void hist_init(struct hist *h, uint64_t base);
/* Empties the histogram, with base 0 and classes of this width, from 1 to 2^15. hist_add_class() adds to it. */
void hist_init_classes(struct hist *h, uint64_t width);

/* Adds a value to a histogram made by hist_init(). It is called in measuring loops, so it is inline and does not
 * divide. */
static inline void hist_add(struct hist *h, uint64_t value);
/* Adds a value to a histogram made by hist_init() or hist_init_classes(). */
void hist_add_class(struct hist *h, uint64_t value);

/* Adds the events of another histogram. Exact when bases and widths are equal; otherwise all events of a bin are added
 * at the bin's mean. */
void hist_merge(struct hist *into, const struct hist *other);

double hist_mean(const struct hist *h); /* returns the mean of all events; NAN when empty */
double hist_sd(const struct hist *h);   /* returns the standard deviation (divides by n - 1); NAN below two events */
/* Returns quantile p as stats_quantile() would if all values of a bin were equal to hist_bin.mean: exact in a linear
 * part of width 1. NAN when empty. */
double hist_quantile(const struct hist *h, double p);
double hist_mad(const struct hist *h); /* returns the median absolute deviation from the median; NAN when empty */

/* Counts the events with low < value <= high and sums their values, as if all values of a bin were equal to
 * hist_bin.mean. exact is false when a limit falls inside a bin that is wider than 1 and holds more than one event. */
struct hist_range {
    uint64_t count;
    double sum;
    bool exact;
};
struct hist_range hist_range(const struct hist *h, double low, double high);

/* Iterates over the non-empty bins in rising order. Start with *position 0; returns false at the end. low is the lower
 * limit of the bin, mean and sum are those of its values. Underflow comes first (low = min), overflow last. */
struct hist_bin {
    uint64_t low, count;
    uint64_t first, last; /* lowest and highest possible value of the bin */
    double mean, sum;
};
bool hist_next(const struct hist *h, size_t *position, struct hist_bin *out);

static inline void hist_add(struct hist *h, uint64_t value)
{
    uint64_t offset = value - h->base; /* a value below base wraps round to a huge offset, and so fails the test */
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
        hist_add_class(h, value);
    }
}

#endif
