/* SPDX-License-Identifier: MIT */
/* The log-linear histogram: adding, merging, and statistics from its bins. */
#include "stats/stats.h"

#include <math.h>

#include "sys/base.h"

#define LINEAR_BITS 16u
#define SUB_BITS    6u
/* Values of base + RANGE * width and above are overflow. */
#define RANGE ((uint64_t)1 << (LINEAR_BITS + HIST_OCTAVES))

/* Order of the bins by rising value: underflow, linear part, log-linear part, overflow. */
#define BIN_UNDERFLOW 0u
#define BIN_LINEAR    1u
#define BIN_LOG       (BIN_LINEAR + HIST_LINEAR)
#define BIN_OVERFLOW  (BIN_LOG + HIST_LOG)
#define BINS          (BIN_OVERFLOW + 1u)

void hist_init(struct hist *h, uint64_t base)
{
    memset(h, 0, sizeof *h);
    /* A larger base would make the limits of bins, and the comparison in hist_add, overflow. */
    h->base = base < UINT64_MAX - RANGE ? base : UINT64_MAX - RANGE;
    h->width = 1;
    h->min = UINT64_MAX;
}

void hist_init_classes(struct hist *h, uint64_t width)
{
    hist_init(h, 0);
    h->width = width;
}

static double distance(uint64_t from, uint64_t to)
{
    return to >= from ? (double)(to - from) : -(double)(from - to);
}

static uint64_t to_whole(double x)
{
    if (!(x > 0))
        return 0;
    return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

static void widen(struct hist *h, uint64_t min, uint64_t max)
{
    h->min = smaller(h->min, min);
    h->max = larger(h->max, max);
}

/* Adds count values to the bin of value, and sum to the bin's sum if it has one. Does not change n, sum, sum_squares,
 * min and max. */
static void place(struct hist *h, uint64_t value, uint64_t count, double sum)
{
    const uint64_t offset = (value - h->base) / h->width;

    if (value < h->base) {
        h->underflow += count;
        h->underflow_sum += sum;
    } else if (offset < HIST_LINEAR) {
        h->linear[offset] += count;
    } else if (offset < RANGE) {
        const unsigned exponent = 63u - (unsigned)__builtin_clzll(offset);
        const unsigned sub = (unsigned)(offset >> (exponent - SUB_BITS)) & (HIST_SUB - 1);
        const unsigned i = (exponent - LINEAR_BITS) * HIST_SUB + sub;
        h->log[i] += count;
        h->log_sum[i] += sum;
    } else {
        h->overflow += count;
        h->overflow_sum += sum;
    }
}

void hist_add_class(struct hist *h, uint64_t value)
{
    const double x = distance(h->base, value);

    place(h, value, 1, (double)value);
    h->n++;
    h->sum += x;
    h->sum_squares += x * x;
    widen(h, value, value);
}

/* Reads bin number index of BINS; returns false when it is empty. */
static bool bin_at(const struct hist *h, size_t index, struct hist_bin *b)
{
    const bool linear = index >= BIN_LINEAR && index < BIN_LOG;

    if (linear) {
        const uint64_t offset = index - BIN_LINEAR, count = h->linear[offset], low = h->base + offset * h->width;
        if (count == 0)
            return false;
        *b = (struct hist_bin){.low = low, .count = count, .last = low + h->width - 1};
    } else if (index == BIN_UNDERFLOW) {
        *b = (struct hist_bin){.low = h->min, .count = h->underflow, .last = h->base - 1, .sum = h->underflow_sum};
    } else if (index == BIN_OVERFLOW) {
        *b = (struct hist_bin){
            .low = h->base + RANGE * h->width, .count = h->overflow, .last = h->max, .sum = h->overflow_sum};
    } else {
        const size_t i = index - BIN_LOG, shift = i / HIST_SUB + LINEAR_BITS - SUB_BITS;
        const uint64_t low = h->base + ((uint64_t)(HIST_SUB + i % HIST_SUB) << shift) * h->width;
        *b = (struct hist_bin){
            .low = low, .count = h->log[i], .last = low + (h->width << shift) - 1, .sum = h->log_sum[i]};
    }
    if (b->count == 0)
        return false;
    b->first = b->low > h->min ? b->low : h->min;
    b->last = b->last < h->max ? b->last : h->max;
    if (linear) {
        b->mean = (double)b->first + (double)(b->last - b->first) / 2;
        b->sum = b->mean * (double)b->count;
    } else {
        b->mean = fmin(fmax(b->sum / (double)b->count, (double)b->first), (double)b->last);
    }
    return true;
}

bool hist_next(const struct hist *h, size_t *position, struct hist_bin *out)
{
    while (*position < BINS)
        if (bin_at(h, (*position)++, out))
            return true;
    return false;
}

void hist_merge(struct hist *into, const struct hist *other)
{
    const double n = (double)other->n, shift = distance(into->base, other->base);
    struct hist_bin b;

    if (other->n == 0)
        return;
    for (size_t i = 0; hist_next(other, &i, &b);)
        place(into, b.first == b.last ? b.first : to_whole(round(b.mean)), b.count, b.sum);
    /* Moves the other's sums to this base algebraically: this preserves the spread inside the bins. */
    into->sum_squares += other->sum_squares + 2 * shift * other->sum + n * shift * shift;
    into->sum += other->sum + n * shift;
    into->n += other->n;
    widen(into, other->min, other->max);
}

double hist_mean(const struct hist *h)
{
    if (h->n == 0)
        return NAN;
    return fmin(fmax((double)h->base + h->sum / (double)h->n, (double)h->min), (double)h->max);
}

double hist_sd(const struct hist *h)
{
    struct stats_running between = {0};
    double within = 0;
    struct hist_bin b;

    if (h->n < 2)
        return NAN;
    for (size_t i = 0; hist_next(h, &i, &b);) {
        const double x = distance(h->base, b.low) + (b.mean - (double)b.low);
        stats_merge(&between, &(struct stats_running){.n = b.count, .mean = x, .min = x, .max = x});
        /* Largest possible variance of values with these limits and this mean (Bhatia, Davis 2000). */
        if (b.count > 1)
            within += (double)b.count * (b.mean - (double)b.first) * ((double)b.last - b.mean);
    }
    /* The variance from the sums suffers from cancellation when the values are far from base and close together. The
     * bins give a lower and an upper bound; in the linear part both are equal. Only a merge with another base can put
     * values of larger spread into a bin: then the variance from the sums exceeds the bound by more than rounding can
     * (at most a millionth after 10^10 additions), and is right. */
    const double n = (double)h->n, plain = h->sum_squares - h->sum / n * h->sum;
    const double upper = between.m2 + within;
    const bool bounded = !(plain > upper + 1e-6 * h->sum_squares);
    const double m2 = bounded ? fmin(fmax(plain, between.m2), upper) : plain;
    return sqrt(m2 / (n - 1));
}

/* Interpolates with the same operations as stats_quantile(), so that the results are equal. */
static double interpolate(double low, double high, double fraction)
{
    return low == high ? low : low + fraction * (high - low);
}

double hist_quantile(const struct hist *h, double p)
{
    if (h->n == 0 || isnan(p))
        return NAN;
    if (p <= 0 || p >= 1)
        return (double)(p <= 0 ? h->min : h->max);

    const double position = (double)(h->n - 1) * p;
    const uint64_t rank = (uint64_t)position;
    uint64_t seen = 0;
    double low = NAN;
    struct hist_bin b;

    for (size_t i = 0; hist_next(h, &i, &b);) {
        seen += b.count;
        if (seen > rank && isnan(low))
            low = b.mean;
        if (seen > rank + 1)
            return interpolate(low, b.mean, position - (double)rank);
    }
    return low;
}

void hist_quantile_interval(const struct hist *h, double p, double clustering, double *low, double *high)
{
    const double n = (double)h->n, below = n * p;
    const double half = stats_student_t(0.95, INFINITY) * sqrt(below * (1 - p) * clustering);
    const double first = floor(below - half + 0.5), last = ceil(below + half + 0.5); /* corrected for continuity */
    const bool known = first >= 1 && last <= n;

    *low = known ? hist_quantile(h, (first - 1) / (n - 1)) : NAN;
    *high = known ? hist_quantile(h, (last - 1) / (n - 1)) : NAN;
}

double hist_top_mean(const struct hist *h, double share)
{
    const uint64_t taken = (uint64_t)fmax(1, floor((double)h->n * share)), skipped = h->n - taken;
    uint64_t seen = 0;
    double sum = 0;
    struct hist_bin b;

    for (size_t i = 0; h->n && hist_next(h, &i, &b);) {
        seen += b.count;
        if (seen > skipped)
            sum += b.mean * fmin((double)b.count, (double)(seen - skipped));
    }
    return h->n ? sum / (double)taken : NAN;
}

/* Walks from the median outwards on both sides, nearest bin first, which gives the deviations in rising order. */
double hist_mad(const struct hist *h)
{
    const double median = hist_quantile(h, 0.5);
    size_t right = 0;
    uint64_t seen = 0;
    double lower = NAN;
    struct hist_bin below = {0}, above = {0};

    while (right < BINS && (!bin_at(h, right, &above) || above.mean < median))
        right++;
    for (size_t left = right;;) {
        while (left > 0 && !bin_at(h, left - 1, &below))
            left--;
        while (right < BINS && !bin_at(h, right, &above))
            right++;
        if (left == 0 && right == BINS)
            return lower;
        const bool down = left > 0 && (right == BINS || median - below.mean <= above.mean - median);
        const double deviation = down ? median - below.mean : above.mean - median;
        seen += down ? below.count : above.count;
        if (seen > (h->n - 1) / 2 && isnan(lower))
            lower = deviation;
        if (seen > h->n / 2)
            return h->n % 2 == 0 ? interpolate(lower, deviation, 0.5) : lower;
        if (down)
            left--;
        else
            right++;
    }
}

static bool splits(double limit, const struct hist_bin *b)
{
    return b->count > 1 && limit >= (double)b->first && limit < (double)b->last;
}

struct hist_range hist_range(const struct hist *h, double low, double high)
{
    struct hist_range range = {.exact = true};
    struct hist_bin b;

    for (size_t i = 0; hist_next(h, &i, &b);) {
        if (splits(low, &b) || splits(high, &b))
            range.exact = false;
        if (b.mean > low && b.mean <= high) {
            range.count += b.count;
            range.sum += b.sum;
        }
    }
    return range;
}
