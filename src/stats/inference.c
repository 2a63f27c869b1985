/* SPDX-License-Identifier: MIT */
/* Tests and intervals for two sets of values: Welch's t, Mann and Whitney's U, Holm's correction, the bootstrap of a
 * ratio; the error of a mean by batches. */
#include "stats/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "sys/base.h"

/* Tests and intervals for two sets of values: Welch's t, analysis of covariance with permutations, Holm's correction;
 * the error of a mean by batches. */
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
#define ROUNDING    1e-9 /* the same values in another order may give a t that differs by this part */
#define FEW         5    /* of fewer values a side than that, Student's limit with FEW_DF (n - 1) degrees of freedom */
#define FEW_DF      1.35 /* times sqrt(n / (n - 1)) is that of n - 1, to 1 % */
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
        g->other[i] = g->y[i] - (xx > 0 ? xy / xx : 0) * (g->dx[i] + g->x[i >= g->n_a]);
    for (; orders < INFERENCE_ORDERS && as_large < AS_LARGE; orders++) {
        for (size_t i = g->n; i > 1; i--) {
            const size_t k = (size_t)((stats_random(&seed) >> 32) * i >> 32);
            const double swapped = g->other[i - 1];
            g->other[i - 1] = g->other[k];
            g->other[k] = swapped;
        }
        const struct lines l = fit(g, g->other);
        as_large += t_of(&l) >= t * (1 - ROUNDING);
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
        /* HC3 overestimates the variance by n / (n - 1), which makes up for fewer degrees of freedom. */
        const double df = size[group] < FEW ? FEW_DF * (left - 1) : fmax(left - 1, 2 * left - 6);
        terms += l.variance[group] * l.variance[group] / df;
    }
    const double variance = l.variance[0] + l.variance[1], error = x_error * x_error;
    out->error = error_of(&l) > LEAST_ERROR ? sqrt(variance) : 0;
    out->df = terms > 0 ? variance * variance / terms : size[0] + size[1] - 3;
    /* An error of x makes the slope smaller by the factor 1 - error / spread. */
    out->unsure = error > 0 ? fabs(out->moved) * error / (out->spread * out->spread - error) : 0;
    const double t = fmax(fabs(l.difference) - out->unsure, 0) / error_of(&l);
    out->p_t = out->error > 0 ? stats_student_p(t, out->df) : (double)NAN;
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
    g.xx = g.xx > 0 ? g.xx : 1; /* where x does not vary, the lines have no slope */
    weigh(&g);
    if (n_a > 1 && n_b > 1 && out->spread >= 2 * x_error)
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

void inference_ranks(struct inference_ranked *values, size_t n, uint64_t *ranks)
{
    for (size_t i = 0; i < n; i++)
        values[i].at = i;
    qsort(values, n, sizeof *values, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && values[end].value == values[i].value; end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[values[k].at] = i + end + 1;
    }
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
