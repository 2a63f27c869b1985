/* SPDX-License-Identifier: MIT */
/* Tests and intervals for two sets of values: Welch's t, Mann and Whitney's U, Holm's correction, the bootstrap of a
 * ratio; the error of a mean by batches. */
#include "stats/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "sys/base.h"

/* --- Comparison of means. --- */

/* Returns mean and variance of the values relative to an origin near them, so that large values that hardly differ
 * lose no digits. */
static struct stats_running running_of(const double *values, size_t n, double origin)
{
    struct stats_running s = {.n = 0};

    for (size_t i = 0; i < n; i++)
        stats_add(&s, values[i] - origin);
    return s;
}

struct inference_welch inference_welch(const double *a, size_t n_a, const double *b, size_t n_b)
{
    const double origin = n_a ? a[0] : 0;
    const struct stats_running sa = running_of(a, n_a, origin), sb = running_of(b, n_b, origin);
    struct inference_welch test = {.t = (double)NAN, .df = (double)NAN, .p = (double)NAN, .error = (double)NAN};

    if (n_a < 2 || n_b < 2)
        return test;
    const double va = sa.m2 / (double)(n_a - 1) / (double)n_a, vb = sb.m2 / (double)(n_b - 1) / (double)n_b;
    test.error = sqrt(va + vb);
    if (va + vb > 0) {
        /* Computed from shares of the sum: the squares of tiny variances would underflow to 0. */
        const double share_a = va / (va + vb), share_b = vb / (va + vb);
        test.t = (sa.mean - sb.mean) / test.error;
        test.df = 1 / (share_a * share_a / (double)(n_a - 1) + share_b * share_b / (double)(n_b - 1));
        test.p = stats_student_p(test.t, test.df);
    } else if (sa.mean != sb.mean) {
        test.t = sa.mean > sb.mean ? (double)INFINITY : -(double)INFINITY;
        test.p = 0;
    }
    return test;
}

/* --- Comparison of means at the same value of a covariate. --- */

#define FENCE       2.0  /* distance of the fences from the quartiles, in interquartile ranges */
#define FITS        2    /* number of times that lines are fitted to find the values beyond the fences */
#define LEAST_ERROR 1e-9 /* smaller errors come from rounding */
#define LEVERAGE    0.95 /* a point with more influence on its line than that counts as if it had this much */
#define AS_LARGE    50u  /* the permutation test ends after as many orders with a t as large as the observed one */

/* Both groups of points; group 0 has the first n_a. */
struct groups {
    size_t n, n_a;
    double *dx, *y, *other; /* x less the mean of its group; y; room for n */
    double *weight;         /* of a point's residual in the difference, over one less its leverage */
    double x[2], xx;        /* mean of x; sum of the squares of dx */
};

struct lines {
    double y[2], slope, difference, variance[2];
};

static double residual_of(const struct groups *g, const struct lines *l, const double *y, size_t i)
{
    return y[i] - l->y[i >= g->n_a] - l->slope * g->dx[i];
}

static void weigh(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const double size = i < g->n_a ? -(double)g->n_a : (double)(g->n - g->n_a);
        const double leverage = 1 / fabs(size) + g->dx[i] * g->dx[i] / g->xx;
        g->weight[i] = (1 / size - (g->x[1] - g->x[0]) * g->dx[i] / g->xx) / (1 - fmin(leverage, LEVERAGE));
    }
}

/* Fits parallel lines to the groups, and computes what each group adds to the variance of the difference between them
 * by HC3. */
static struct lines fit(const struct groups *g, const double *y)
{
    struct lines l = {{0, 0}, 0, 0, {0, 0}};

    for (size_t i = 0; i < g->n; i++) {
        l.y[i >= g->n_a] += y[i];
        l.slope += g->dx[i] * y[i];
    }
    l.y[0] /= (double)g->n_a;
    l.y[1] /= (double)(g->n - g->n_a);
    l.slope /= g->xx;
    l.difference = l.y[1] - l.y[0] - l.slope * (g->x[1] - g->x[0]);
    for (size_t i = 0; i < g->n; i++) {
        const double part = g->weight[i] * residual_of(g, &l, y, i);
        l.variance[i >= g->n_a] += part * part;
    }
    return l;
}

static double error_of(const struct lines *l)
{
    return fmax(sqrt(l->variance[0] + l->variance[1]), LEAST_ERROR);
}

static double t_of(const struct lines *l)
{
    return fabs(l->difference) / error_of(l);
}

/* Moves values beyond the fences of the residuals of their group to the fence. Returns their number. */
static size_t pull_in(const struct groups *g, bool second)
{
    const size_t first = second ? g->n_a : 0, n = second ? g->n - g->n_a : g->n_a;
    const struct lines l = fit(g, g->y);
    size_t moved = 0;

    for (size_t i = 0; i < n; i++)
        g->other[i] = residual_of(g, &l, g->y, first + i);
    stats_sort(g->other, n);
    const double low = stats_quantile(g->other, n, 0.25), high = stats_quantile(g->other, n, 0.75);
    for (size_t i = first; i < first + n; i++) {
        const double residual = residual_of(g, &l, g->y, i), beyond = FENCE * (high - low);
        const double within = fmin(fmax(residual, low - beyond), high + beyond);
        moved += fabs(residual - within) > 0;
        g->y[i] += within - residual;
    }
    return moved;
}

/* Returns p of the permutation test for t: the residuals of one line through all points are permuted (Freedman and Lane
 * 1983), and t is computed for each order. */
static double permute(const struct groups *g, double t, uint64_t seed)
{
    const double mean_x = (g->x[0] * (double)g->n_a + g->x[1] * (double)(g->n - g->n_a)) / (double)g->n;
    const double mean_y = stats_mean(g->y, g->n);
    double xx = 0, xy = 0;
    unsigned orders = 1, as_large = 1;

    for (size_t i = 0; i < g->n; i++) {
        const double x = g->dx[i] + g->x[i >= g->n_a] - mean_x;
        xx += x * x;
        xy += x * (g->y[i] - mean_y);
    }
    for (size_t i = 0; i < g->n; i++)
        g->other[i] = g->y[i] - xy / xx * (g->dx[i] + g->x[i >= g->n_a]);
    for (; orders < INFERENCE_ORDERS && as_large < AS_LARGE; orders++) {
        for (size_t i = g->n; i > 1; i--) {
            const size_t k = (size_t)((stats_random(&seed) >> 32) * i >> 32);
            const double swapped = g->other[i - 1];
            g->other[i - 1] = g->other[k];
            g->other[k] = swapped;
        }
        const struct lines l = fit(g, g->other);
        as_large += t_of(&l) >= t;
    }
    return (double)as_large / orders;
}

static void compare_lines(const struct groups *g, double x_error, uint64_t seed, struct inference_adjusted *out)
{
    const double size[] = {(double)g->n_a, (double)(g->n - g->n_a)};
    size_t moved[2] = {0, 0};
    double terms = 0;

    for (unsigned i = 0; i < 2 * FITS; i++) {
        const size_t now = pull_in(g, i % 2);
        moved[i % 2] = now > moved[i % 2] ? now : moved[i % 2];
    }
    struct lines l = fit(g, g->y);
    out->slope = l.slope;
    out->moved = -l.slope * (g->x[1] - g->x[0]);
    out->difference = l.difference;
    for (unsigned group = 0; group < 2; group++) {
        const double left = fmax(size[group] - (double)moved[group], 2);
        l.variance[group] *= size[group] / left;
        /* HC3 overestimates the variance by n / (n - 1), which makes up for fewer degrees of freedom from six on. */
        terms += l.variance[group] * l.variance[group] / fmax(left - 1, 2 * left - 6);
    }
    const double variance = l.variance[0] + l.variance[1], error = x_error * x_error;
    out->error = error_of(&l);
    out->df = terms > 0 ? variance * variance / terms : size[0] + size[1] - 3;
    /* An error of x makes the slope smaller by the factor 1 - error / spread. */
    out->unsure = fabs(out->moved) * error / (out->spread * out->spread - error);
    const double t = fmax(fabs(l.difference) - out->unsure, 0) / out->error;
    out->p_t = stats_student_p(t, out->df);
    out->p = permute(g, t, seed);
}

int inference_adjusted(const struct inference_point *a, size_t n_a, const struct inference_point *b, size_t n_b,
                       double x_error, uint64_t seed, struct inference_adjusted *out)
{
    struct groups g = {.n = n_a + n_b, .n_a = n_a};
    FREED_BY(memory_free) double *room = calloc(4 * g.n + 1, sizeof(*room));

    *out = (struct inference_adjusted){.difference = (double)NAN};
    if (!room)
        return -1;
    g.dx = room;
    g.y = room + g.n;
    g.other = room + 2 * g.n;
    g.weight = room + 3 * g.n;
    for (size_t i = 0; i < g.n; i++)
        g.x[i >= n_a] += i < n_a ? a[i].x / (double)n_a : b[i - n_a].x / (double)n_b;
    for (size_t i = 0; i < g.n; i++) {
        const struct inference_point *point = i < n_a ? &a[i] : &b[i - n_a];
        g.dx[i] = point->x - g.x[i >= n_a];
        g.y[i] = point->y;
        g.other[i] = point->x;
        g.xx += g.dx[i] * g.dx[i];
    }
    out->p_x = inference_welch(g.other, n_a, g.other + n_a, n_b).p;
    out->spread = g.n > 2 ? sqrt(g.xx / (double)(g.n - 2)) : 0;
    weigh(&g);
    if (n_a > 2 && n_b > 2 && out->spread > 2 * x_error)
        compare_lines(&g, x_error, seed, out);
    return 0;
}

/* --- The error of a mean. --- */

#define BATCHES_MIN 5u   /* with fewer batches the error of the mean would hardly be known */
#define BARTLETT    1.96 /* divided by sqrt(n): 95 % limit of the correlation of n independent values */

/* Returns the sum of (x - mean) (y - mean) over all pairs of values x, y that are lag apart. */
static double products(const double *values, size_t n, double mean, size_t lag)
{
    double sum = 0;

    for (size_t i = lag; i < n; i++)
        sum += (values[i] - mean) * (values[i - lag] - mean);
    return sum;
}

struct inference_mean inference_batch_means(const double *values, size_t n)
{
    const double origin = n ? values[0] : 0;
    const struct stats_running all = running_of(values, n, origin);
    struct inference_mean out = {.mean = origin + all.mean, .error = (double)NAN, .df = (double)NAN, .length = 1};
    const size_t most = n / BATCHES_MIN;
    struct stats_running batches = {.n = 0};
    size_t reach = 0;

    if (n < 2)
        return out;
    while (reach < most && products(values, n, out.mean, reach + 1) > BARTLETT / sqrt((double)n) * all.m2)
        reach++;
    out.length = 2 * reach + 1 <= most ? 2 * reach + 1 : most > 1 ? most : 1;
    for (size_t at = n % out.length; at < n; at += out.length)
        stats_add(&batches, stats_mean(values + at, out.length) - origin);
    out.df = (double)(batches.n - 1);
    out.error = stats_sd(&batches) / sqrt((double)batches.n);
    return out;
}

/* --- Comparison of ranks. --- */

static int compare_ranked(const void *a, const void *b)
{
    const struct inference_ranked *x = a, *y = b;

    return ORDER_OF(x->value, y->value);
}

double inference_ranks(struct inference_ranked *values, size_t n, uint64_t *ranks)
{
    double ties = 0;

    for (size_t i = 0; i < n; i++)
        values[i].at = i;
    qsort(values, n, sizeof *values, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && values[end].value == values[i].value; end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[values[k].at] = i + end + 1;
        const double t = (double)(end - i);
        ties += t * t * t - t;
    }
    return ties;
}

/* Computes u, and the sum of t^3 - t over the groups of t equal values. Returns -1 when out of memory. */
static int rank(const double *a, size_t n_a, const double *b, size_t n_b, double *u, double *ties)
{
    const size_t n = n_a + n_b;
    FREED_BY(memory_free) struct inference_ranked *all = n_a && n_b ? malloc(n * sizeof *all) : NULL;
    FREED_BY(memory_free) uint64_t *ranks = all ? malloc(n * sizeof *ranks) : NULL;
    double sum = 0;

    if (!ranks)
        return -1;
    for (size_t i = 0; i < n; i++)
        all[i].value = i < n_a ? a[i] : b[i - n_a];
    *ties = inference_ranks(all, n, ranks);
    for (size_t i = 0; i < n_a; i++)
        sum += (double)ranks[i] / 2;
    *u = sum - (double)n_a * ((double)n_a + 1) / 2;
    return 0;
}

static double normal_p(double u, double n_a, double n_b, double ties)
{
    const double n = n_a + n_b;
    const double variance = n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)));
    const double beyond = fabs(u - n_a * n_b / 2) - 0.5;

    return variance > 0 && beyond > 0 ? erfc(beyond / sqrt(2 * variance)) : 1;
}

/* Returns P(U <= u) for n_a and n_b values without ties, by the recurrence P(U = v; m, n) = m/(m+n) P(U = v-n; m-1,
 * n) + n/(m+n) P(U = v; m, n-1), row by row of m. NAN when out of memory. */
static double exact_below(size_t u, size_t n_a, size_t n_b)
{
    FREED_BY(memory_free) double *p = calloc((n_b + 1) * (u + 1), sizeof *p);
    double sum = 0;

    if (!p)
        return (double)NAN;
    for (size_t n = 0; n <= n_b; n++)
        p[n * (u + 1)] = 1;
    for (size_t m = 1; m <= n_a; m++)
        for (size_t n = 1; n <= n_b; n++) {
            const double share = (double)m / (double)(m + n);
            double *row = p + n * (u + 1);
            const double *left = row - (u + 1);
            /* Downwards, since the entries below still have to be those of m - 1. */
            for (size_t v = u + 1; v-- > 0;)
                row[v] = (v >= n ? share * row[v - n] : 0) + (1 - share) * left[v];
        }
    for (size_t v = 0; v <= u; v++)
        sum += p[n_b * (u + 1) + v];
    return sum;
}

static int mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, bool may_be_exact,
                        struct inference_rank *out)
{
    double ties;

    *out = (struct inference_rank){.u = (double)NAN, .p = (double)NAN};
    if (rank(a, n_a, b, n_b, &out->u, &ties))
        return -1;
    out->exact = may_be_exact && ties == 0 && n_a < INFERENCE_EXACT && n_b < INFERENCE_EXACT;
    if (out->exact) {
        const double lower = fmin(out->u, (double)n_a * (double)n_b - out->u);
        const double below = exact_below((size_t)lower, n_a, n_b);
        if (isnan(below)) { /* out of memory; fmin(1, NAN) would return 1 */
            *out = (struct inference_rank){.u = (double)NAN, .p = (double)NAN};
            return -1;
        }
        out->p = fmin(1, 2 * below);
    } else {
        out->p = normal_p(out->u, (double)n_a, (double)n_b, ties);
    }
    return 0;
}

int inference_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out)
{
    return mann_whitney(a, n_a, b, n_b, true, out);
}

int inference_mann_whitney_normal(const double *a, size_t n_a, const double *b, size_t n_b, struct inference_rank *out)
{
    return mann_whitney(a, n_a, b, n_b, false, out);
}

double inference_rank_least(size_t n_a, size_t n_b)
{
    int sign; /* lgamma_r stores the sign here; lgamma would write the global signgam */
    const double x = (double)n_a, y = (double)n_b;

    return fmin(1, 2 * exp(lgamma_r(x + 1, &sign) + lgamma_r(y + 1, &sign) - lgamma_r(x + y + 1, &sign)));
}

/* --- Correction for many tests. --- */

int inference_holm(const double *p, size_t n, double *adjusted)
{
    FREED_BY(memory_free) struct inference_ranked *rising = malloc((n ? n : 1) * sizeof *rising);
    size_t tests = 0;
    double least = 0;

    for (size_t i = 0; rising && i < n; i++)
        if (!isnan(p[i]))
            rising[tests++] = (struct inference_ranked){.value = p[i], .at = i};
    for (size_t i = 0; i < n; i++)
        adjusted[i] = (double)NAN;
    if (!rising)
        return -1;
    qsort(rising, tests, sizeof *rising, compare_ranked);
    for (size_t i = 0; i < tests; i++) {
        least = fmax(least, fmin(1, (double)(tests - i) * rising[i].value));
        adjusted[rising[i].at] = least;
    }
    return 0;
}

/* --- Ratio of medians. --- */

static bool all_positive(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] > 0))
            return false;
    return n > 0;
}

/* Returns the number of draws of a resample. The bootstrap's median of few values varies more than the median
 * itself, most of all with an odd number of draws, where it is always one of the values: the interval of 5 to 24
 * values would contain the true value in 96 to 97.1 %. With one or two more draws, and an even number of them, that
 * is 93.7 to 96.2 % (tests/unit/test_coverage.c). */
static size_t draws_of(size_t n)
{
    return n % 2 ? n + 1 : n >= 8 ? n + 2 : n;
}

/* Returns a seed that depends on the values: if all intervals came from the same random draws, they would all have the
 * same small error. */
static uint64_t seed_of(const double *values, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        seed ^= bits;
        seed = stats_random(&seed);
    }
    return seed;
}

static void bootstrap_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                            unsigned resamples, uint64_t seed, size_t *drawn, double *ratios,
                            struct inference_ratio *out)
{
    seed = seed_of(b, n_b, seed_of(a, n_a, seed));
    for (unsigned i = 0; i < resamples; i++) {
        const double below = stats_resampled_median(a, n_a, draws_of(n_a), drawn, &seed);
        ratios[i] = stats_resampled_median(b, n_b, draws_of(n_b), drawn, &seed) / below;
    }
    stats_sort(ratios, resamples);
    out->low = stats_quantile(ratios, resamples, (1 - confidence) / 2);
    out->high = stats_quantile(ratios, resamples, (1 + confidence) / 2);
}

/* Computes the ratio of geometric means and its interval. Replaces both sides by their logarithms. */
static void welch_ratio(double *a, size_t n_a, double *b, size_t n_b, double confidence, struct inference_ratio *out)
{
    for (size_t i = 0; i < n_a; i++)
        a[i] = log(a[i]);
    for (size_t i = 0; i < n_b; i++)
        b[i] = log(b[i]);
    const double change = stats_mean(b, n_b) - stats_mean(a, n_a);
    const struct inference_welch test = inference_welch(b, n_b, a, n_a);
    /* Without any spread there are no degrees of freedom, and the width is 0. */
    const double half = test.error > 0 ? stats_student_t(confidence, test.df) * test.error : 0;
    out->low = exp(change - half);
    out->high = exp(change + half);
}

int inference_ratio_of_medians(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                               unsigned resamples, uint64_t seed, struct inference_ratio *out)
{
    const size_t most = n_a > n_b ? n_a : n_b;

    *out = (struct inference_ratio){.ratio = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (!all_positive(a, n_a) || !all_positive(b, n_b))
        return 0;
    FREED_BY(memory_free) double *sorted_a = calloc(n_a + 1, sizeof *sorted_a);
    FREED_BY(memory_free) double *sorted_b = calloc(n_b + 1, sizeof *sorted_b);
    FREED_BY(memory_free) double *ratios = calloc(resamples ? resamples : 1, sizeof *ratios);
    FREED_BY(memory_free) size_t *drawn = calloc(most + 1, sizeof *drawn);
    if (!sorted_a || !sorted_b || !ratios || !drawn)
        return -1;
    memcpy(sorted_a, a, n_a * sizeof *a);
    memcpy(sorted_b, b, n_b * sizeof *b);
    stats_sort(sorted_a, n_a);
    stats_sort(sorted_b, n_b);
    out->ratio = stats_quantile(sorted_b, n_b, 0.5) / stats_quantile(sorted_a, n_a, 0.5);
    if (n_a >= 5 && n_b >= 5 && resamples)
        bootstrap_ratio(sorted_a, n_a, sorted_b, n_b, confidence, resamples, seed, drawn, ratios, out);
    else if (n_a >= 2 && n_b >= 2)
        welch_ratio(sorted_a, n_a, sorted_b, n_b, confidence, out);
    return 0;
}
