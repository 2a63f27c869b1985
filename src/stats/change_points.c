/* SPDX-License-Identifier: MIT */
/* Finds change points: E-divisive means with a permutation test. */
#include "stats/stats.h"

#include <math.h>

#include "sys/base.h"

#define CLASSES 32u
/* Distance of Tukey's fences from the quartiles, in interquartile ranges. */
#define FENCES 1.5
/* Least number of permutations; more are needed for a small alpha. */
#define PERMUTATIONS_LEAST 1000.0
/* The permutation test tries every split near the ends of a segment. Further inside, the step to the next split is the
 * distance to the nearer end over SPLITS_SHARE, so that the number of splits grows only with the logarithm of the
 * number of values. */
#define SPLITS_SHARE 16u

struct search {
    const double *values;
    double alpha;
    uint64_t random;
    double *sorted;          /* room for all values of a segment */
    unsigned char *class_of; /* class of each value of a segment */
    size_t *at, n_at;
};

/* One segment of the sequence; its values are sorted into classes. */
struct segment {
    unsigned char *class_of;
    size_t n;
    double below[CLASSES]; /* number of values in this class and those below it */
};

/* Sorts the values of a segment into classes. Returns false when they are all equal. */
static bool classify(struct search *s, size_t first, size_t n, struct segment *segment)
{
    static const double tails[] = {0.25, 0.05, 0};
    const double *values = s->values + first;
    double low = 0, high = 0;

    memcpy(s->sorted, values, n * sizeof(*values));
    stats_sort(s->sorted, n);
    /* When most values are equal, the quartiles are equal too: then quantiles further out are used instead. */
    for (size_t i = 0; i < COUNT(tails) && !(high > low); i++) {
        low = stats_quantile(s->sorted, n, tails[i]);
        high = stats_quantile(s->sorted, n, 1 - tails[i]);
    }
    if (!(high > low))
        return false;
    const double range = high - low;
    low = fmax(low - FENCES * range, s->sorted[0]);
    high = fmin(high + FENCES * range, s->sorted[n - 1]);
    *segment = (struct segment){.class_of = s->class_of, .n = n};
    for (size_t i = 0; i < n; i++) {
        const double share = (fmin(fmax(values[i], low), high) - low) / (high - low);
        segment->class_of[i] = (unsigned char)fmin(share * CLASSES, CLASSES - 1);
        segment->below[segment->class_of[i]]++;
    }
    for (size_t c = 1; c < CLASSES; c++)
        segment->below[c] += segment->below[c - 1];
    return true;
}

/* Returns the energy distance between the first k values and the others, times k (n - k) / n, up to a factor that is
 * the same for all splits of the segment. counts: numbers of the first k values in each class. */
static double distance_at(const struct segment *segment, const uint32_t *counts, size_t k)
{
    const double n = (double)segment->n, share = (double)k / n;
    double sum = 0;
    uint32_t below = 0;

    for (size_t c = 0; c < CLASSES; c++) {
        below += counts[c];
        const double difference = below - share * segment->below[c];
        sum += difference * difference;
    }
    return sum / (share * (n - (double)k));
}

/* Returns the largest distance_at() of the splits that the test tries; stops at the first one that is at least
 * `enough`. If random is not NULL, permutes the values at the same time (Fisher, Yates 1938; Durstenfeld 1964). */
static double largest_distance(struct segment *segment, double enough, uint64_t *random)
{
    unsigned char *class_of = segment->class_of;
    const size_t n = segment->n;
    uint32_t counts[CLASSES] = {0};
    double largest = 0;
    uint64_t bits = 0;

    for (size_t i = 0, k = CHANGE_POINTS_SIDE; k + CHANGE_POINTS_SIDE <= n && largest < enough;
         k += larger(smaller(k, n - k) / SPLITS_SHARE, 1)) {
        for (; i < k; i++) {
            if (random) {
                bits = i % 2 ? bits >> 32 : stats_random(random);
                const size_t other = i + (size_t)(((bits & UINT32_MAX) * (n - i)) >> 32);
                const unsigned char swapped = class_of[i];
                class_of[i] = class_of[other];
                class_of[other] = swapped;
            }
            counts[class_of[i]]++;
        }
        largest = fmax(largest, distance_at(segment, counts, k));
    }
    return largest;
}

/* Returns the split with the largest distance_at(): the number of values before it. */
static size_t best_split(const struct segment *segment)
{
    uint32_t counts[CLASSES] = {0};
    double largest = -1;
    size_t best = 0;

    for (size_t k = 1; k + CHANGE_POINTS_SIDE <= segment->n; k++) {
        counts[segment->class_of[k - 1]]++;
        const double distance = k < CHANGE_POINTS_SIDE ? -1 : distance_at(segment, counts, k);
        if (distance > largest) {
            largest = distance;
            best = k;
        }
    }
    return best;
}

/* The permutation test: returns whether at most the share alpha of random orders of the segment's values have a
 * distance as large as the observed one. Stops when too many have. Leaves the values permuted. */
static bool is_significant(struct search *s, struct segment *segment)
{
    const size_t orders = (size_t)fmax(PERMUTATIONS_LEAST, ceil(1 / s->alpha));
    /* Number of orders that may have as large a distance, the observed one included; rounding must not make it 0. */
    const double most = fmax(floor(s->alpha * (double)orders), 1);
    const double observed = largest_distance(segment, INFINITY, NULL);
    double as_large = 1;

    for (size_t i = 1; i < orders && as_large <= most; i++)
        as_large += largest_distance(segment, observed, &s->random) >= observed;
    return as_large <= most;
}

/* Finds the change points of a segment: the best split, then those of both sides. The recursion is at most as deep as
 * there are change points. */
static void search(struct search *s, size_t first, size_t n)
{
    struct segment segment;

    if (n < 2 * CHANGE_POINTS_SIDE || !classify(s, first, n, &segment))
        return;
    const size_t split = best_split(&segment);
    if (!is_significant(s, &segment))
        return;
    search(s, first, split);
    s->at[s->n_at++] = first + split;
    search(s, first + split, n - split);
}

size_t change_points(const double *values, size_t n, double alpha, uint64_t seed, size_t *at)
{
    struct search s = {.values = values, .alpha = alpha, .random = seed, .at = at};

    if (n < 2 * CHANGE_POINTS_SIDE)
        return 0;
    FREED double *sorted = s.sorted = malloc(n * sizeof(*sorted));
    FREED unsigned char *class_of = s.class_of = malloc(n);
    if (!sorted || !class_of)
        return SIZE_MAX;
    search(&s, 0, n);
    return s.n_at;
}
