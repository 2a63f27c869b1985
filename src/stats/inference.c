/* SPDX-License-Identifier: MIT */
/* Tests and intervals for two sets of values, and for pairs: Welch's t, an analysis of covariance, ranks, Holm's
 * correction; the error of a mean by batches. */
#include "stats/inference.h"

#include <math.h>

#include "stats/stats.h"
#include "sys/base.h"

/* --- Comparison of means. --- */

struct inference_welch inference_welch(const double *a, size_t n_a, const double *b, size_t n_b)
{
    const struct stats_running sa = stats_running_of(a, n_a), sb = stats_running_of(b, n_b);
    struct inference_welch test = {NAN, NAN, NAN, NAN, NAN};

    if (n_a < 2 || n_b < 2)
        return test;
    const double va = sa.m2 / (double)(n_a - 1) / (double)n_a, vb = sb.m2 / (double)(n_b - 1) / (double)n_b;
    test.difference = sa.mean - sb.mean;
    test.error = sqrt(va + vb);
    if (va + vb > 0) {
        /* Computed from shares of the sum: the squares of tiny variances would underflow to 0. */
        const double share_a = va / (va + vb), share_b = vb / (va + vb);
        test.t = test.difference / test.error;
        test.df = 1 / (share_a * share_a / (double)(n_a - 1) + share_b * share_b / (double)(n_b - 1));
        test.p = stats_student_p(test.t, test.df);
    } else if (fabs(test.difference) > 0) {
        test.t = test.difference > 0 ? INFINITY : -INFINITY;
        test.p = 0;
    }
    return test;
}

/* --- Comparison of means at the same value of a covariate. --- */

#define SEED        0x6a697462656e6368u
#define FENCE       2.0  /* distance of the fences from the quartiles, in interquartile ranges */
#define FITS        2    /* number of times that lines are fitted to find the values beyond the fences */
#define LEAST_ERROR 1e-9 /* smaller errors come from rounding */
#define LEVERAGE    0.95 /* a point with more influence on its line than that counts as if it had this much */
#define AS_LARGE    50u  /* the permutation test ends after as many orders with a t as large as the observed one */

/* Points of two groups; group 0 has the first n_a. */
struct groups {
    size_t n, n_a;
    double *dx, *y, *other; /* x less the mean of its group; y; room for n */
    double *weight;         /* of a point's residual in the difference, over one less its leverage */
    double apart, xx;       /* difference of the means of x; sum of the squares of dx */
};

struct lines {
    double y[2], slope, difference, variance[2];
};

static double residual_of(const struct groups *g, const struct lines *l, size_t i)
{
    return g->y[i] - l->y[i >= g->n_a] - l->slope * g->dx[i];
}

static void weigh(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const double size = i < g->n_a ? -(double)g->n_a : (double)(g->n - g->n_a);
        const double leverage = 1 / fabs(size) + g->dx[i] * g->dx[i] / g->xx;
        g->weight[i] = (1 / size - g->apart * g->dx[i] / g->xx) / (1 - fmin(leverage, LEVERAGE));
    }
}

/* Fits parallel lines to the groups, and computes what each group adds to the variance of the difference between them
 * by HC3. */
static struct lines fit(const struct groups *g)
{
    struct lines l = {{0, 0}, 0, 0, {0, 0}};

    for (size_t i = 0; i < g->n; i++) {
        l.y[i >= g->n_a] += g->y[i];
        l.slope += g->dx[i] * g->y[i];
    }
    l.y[0] /= (double)g->n_a;
    l.y[1] /= (double)(g->n - g->n_a);
    l.slope /= g->xx;
    l.difference = l.y[1] - l.y[0] - l.slope * g->apart;
    for (size_t i = 0; i < g->n; i++) {
        const double part = g->weight[i] * residual_of(g, &l, i);
        l.variance[i >= g->n_a] += part * part;
    }
    return l;
}

static double error_of(const struct lines *l)
{
    return fmax(sqrt(l->variance[0] + l->variance[1]), LEAST_ERROR);
}

/* Moves values beyond the fences of the residuals of their group to the fence. Returns their number. */
static size_t pull_in(struct groups *g, bool second)
{
    const size_t first = second ? g->n_a : 0, n = second ? g->n - g->n_a : g->n_a;
    const struct lines l = fit(g);
    size_t moved = 0;

    for (size_t i = 0; i < n; i++)
        g->other[i] = residual_of(g, &l, first + i);
    stats_sort(g->other, n);
    const double low = stats_quantile(g->other, n, 0.25), high = stats_quantile(g->other, n, 0.75);
    for (size_t i = first; i < first + n; i++) {
        const double residual = residual_of(g, &l, i), beyond = FENCE * (high - low);
        const double within = fmin(fmax(residual, low - beyond), high + beyond);
        moved += fabs(residual - within) > 0;
        g->y[i] += within - residual;
    }
    return moved;
}

/* Returns p of the permutation test for t: the residuals of one line through all points are permuted (Freedman and Lane
 * 1983), and t is computed for each order. */
static double permute(const struct groups *g, const double *x, double t)
{
    const double mean = stats_mean(x, g->n);
    struct groups drawn = *g;
    uint64_t seed = SEED;
    double xx = 0, xy = 0;
    unsigned orders = 1, as_large = 1;

    for (size_t i = 0; i < g->n; i++) {
        xx += (x[i] - mean) * (x[i] - mean);
        xy += (x[i] - mean) * g->y[i];
    }
    drawn.y = g->other;
    for (size_t i = 0; i < g->n; i++)
        drawn.y[i] = g->y[i] - xy / xx * x[i];
    for (; orders < INFERENCE_ORDERS && as_large < AS_LARGE; orders++) {
        for (size_t i = g->n; i > 1; i--) {
            const size_t k = (size_t)((stats_random(&seed) >> 32) * i >> 32);
            const double swapped = drawn.y[i - 1];
            drawn.y[i - 1] = drawn.y[k];
            drawn.y[k] = swapped;
        }
        const struct lines l = fit(&drawn);
        as_large += fabs(l.difference) >= t * error_of(&l);
    }
    return (double)as_large / orders;
}

void inference_adjusted(const double *x, const double *y, size_t n_a, size_t n_b, double x_error,
                        struct inference_adjusted *out)
{
    const size_t n = n_a + n_b, size[2] = {n_a, n_b};
    const double mean[2] = {stats_mean(x, n_a), stats_mean(x + n_a, n_b)};
    FREED double *room = memory_get(4 * n, sizeof(*room));
    struct groups g = {n, n_a, room, room + n, room + 2 * n, room + 3 * n, mean[1] - mean[0], 0};
    size_t moved[2] = {0, 0};
    double terms = 0;

    *out = (struct inference_adjusted){.difference = NAN};
    for (size_t i = 0; i < n; i++) {
        g.dx[i] = x[i] - mean[i >= n_a];
        g.y[i] = y[i];
        g.xx += g.dx[i] * g.dx[i];
    }
    out->spread = n > 2 ? sqrt(g.xx / (double)(n - 2)) : 0;
    if (n_a <= 2 || n_b <= 2 || !(out->spread > 2 * x_error))
        return;
    weigh(&g);
    for (unsigned i = 0; i < 2 * FITS; i++) {
        const size_t now = pull_in(&g, i % 2);
        moved[i % 2] = now > moved[i % 2] ? now : moved[i % 2];
    }
    struct lines l = fit(&g);
    out->slope = l.slope;
    out->moved = -l.slope * g.apart;
    out->difference = l.difference;
    for (unsigned group = 0; group < 2; group++) {
        const double left = fmax((double)(size[group] - moved[group]), 2);
        l.variance[group] *= (double)size[group] / left;
        /* HC3 overestimates the variance by n / (n - 1), which makes up for fewer degrees of freedom from six on. */
        terms += l.variance[group] * l.variance[group] / fmax(left - 1, 2 * left - 6);
    }
    const double variance = l.variance[0] + l.variance[1], error = x_error * x_error;
    out->error = error_of(&l);
    out->df = terms > 0 ? variance * variance / terms : (double)n - 3;
    /* An error of x makes the slope smaller by the factor 1 - error / spread. */
    out->unsure = fabs(out->moved) * error / (out->spread * out->spread - error);
    const double t = fmax(fabs(l.difference) - out->unsure, 0) / out->error;
    out->p_t = stats_student_p(t, out->df);
    out->p = permute(&g, x, t);
}

/* --- The error of a mean. --- */

#define BATCHES_MIN 5u   /* with fewer batches the error of the mean would hardly be known */
#define BARTLETT    1.96 /* divided by sqrt(n): 95 % limit of the correlation of n independent values */

struct inference_mean inference_batch_means(const double *values, size_t n)
{
    const struct stats_running all = stats_running_of(values, n);
    struct inference_mean out = {.mean = all.mean, .error = NAN, .df = NAN, .length = 1};
    const size_t most = n / BATCHES_MIN;
    struct stats_running batches = {0};
    size_t reach = 0;

    if (n < 2)
        return out;
    for (; reach < most; reach++) {
        double products = 0; /* of pairs of values that are reach + 1 apart */
        for (size_t i = reach + 1; i < n; i++)
            products += (values[i] - out.mean) * (values[i - reach - 1] - out.mean);
        if (!(products > BARTLETT / sqrt((double)n) * all.m2)) /* also when not finite */
            break;
    }
    out.length = 2 * reach + 1 <= most ? 2 * reach + 1 : most > 1 ? most : 1;
    for (size_t at = n % out.length; at < n; at += out.length)
        stats_add(&batches, stats_mean(values + at, out.length));
    out.df = (double)(batches.n - 1);
    out.error = stats_sd(&batches) / sqrt((double)batches.n);
    return out;
}

/* --- Ranks. --- */

/* A value and its place before sorting. */
struct ranked {
    double value;
    size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return ORDER_OF(x->value, y->value);
}

/* Sorts the values, and sets twice the rank of each, by its place before: whole numbers even with ties. */
static void set_ranks(struct ranked *values, size_t n, uint64_t *ranks)
{
    for (size_t i = 0; i < n; i++)
        values[i].at = i;
    SORT(values, n, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && values[end].value == values[i].value; end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[values[k].at] = i + end + 1;
    }
}

/* Sets twice the rank of each |difference|, and 0 for a difference of 0, which has no sign. room has room for n. */
static void signed_ranks(const double *differences, size_t n, struct ranked *room, uint64_t *ranks)
{
    for (size_t i = 0; i < n; i++)
        room[i].value = fabs(differences[i]);
    set_ranks(room, n, ranks);
    for (size_t i = 0; i < n && !(room[i].value > 0); i++)
        ranks[room[i].at] = 0;
}

/* The distribution of a statistic of doubled ranks when nothing differs: the probability of each value up to the mean,
 * or where p is NULL a normal distribution. */
struct expected {
    double mean, sd, *p;
};

/* Sets the distribution of Mann and Whitney's U of n_a of n ranks, doubled; n_a 0: of the sum of the ranks of positive
 * differences. Returns -1 when out of memory. The caller frees p. */
static int expect(const uint64_t *ranks, size_t n, size_t n_a, struct expected *out)
{
    const double a = (double)n_a, b = (double)(n - n_a), all = (double)n;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (double)ranks[i];
        squares += (double)ranks[i] * (double)ranks[i];
    }
    const double variance = n_a ? a * b * (squares - sum * sum / all) / all / (all - 1) : squares / 4;
    const bool ties = squares < all * (all + 1) * (2 * all + 1) * 2 / 3;
    *out = (struct expected){.mean = n_a ? a * b : sum / 2, .sd = sqrt(variance)};
    if (n_a >= INFERENCE_EXACT || n - n_a >= INFERENCE_EXACT || (n_a && ties))
        return 0;
    const size_t most = (size_t)out->mean;
    double *p = out->p = calloc(most + 1, sizeof(*p));
    if (!p)
        return -1;
    p[0] = 1;
    for (size_t i = 0; !n_a && i < n; i++)
        for (size_t s = most + 1; s-- > 0;)
            p[s] = (p[s] + (s >= ranks[i] ? p[s - ranks[i]] : 0)) / 2;
    /* The number of orders with each U is a coefficient of the Gaussian binomial coefficient (Andrews 1976): the
     * product of (1 - q^(n_b + i)) / (1 - q^i). */
    for (size_t i = 1; i <= n_a; i++) {
        const size_t above = 2 * (n - n_a + i);
        for (size_t s = most + 1; s-- > above;)
            p[s] -= p[s - above];
        for (size_t s = 2 * i; s <= most; s++)
            p[s] += p[s - 2 * i];
        for (size_t s = 0; s <= most; s++)
            p[s] *= (double)i / (b + (double)i);
    }
    return 0;
}

static double two_sided_p(const struct expected *expected, double statistic)
{
    const double lower = fmin(statistic, 2 * expected->mean - statistic);
    const double beyond = expected->mean - lower - 1; /* half a rank, doubled: the correction for continuity */
    double below = 0;

    if (!expected->p)
        return beyond > 0 ? erfc(beyond / expected->sd / sqrt(2)) : 1;
    for (size_t s = 0; s <= (size_t)lower; s++)
        below += expected->p[s];
    return fmin(1, 2 * below);
}

/* Returns at which of the shifts, counted from the smallest one as 1, the interval begins that has what the test does
 * not reject: each shift below the true one adds 1 to the statistic. 0 when there are too few for the confidence. */
static size_t interval_begin(const struct expected *expected, double confidence)
{
    double below = 0;
    size_t s = 0;

    if (!expected->p)
        return (size_t)fmax(0, (expected->mean + 1 - stats_student_t(confidence, 1e9) * expected->sd) / 2);
    for (; s <= (size_t)expected->mean && below + expected->p[s] <= (1 - confidence) / 2; s += 2)
        below += expected->p[s];
    return s / 2;
}

/* Shifts that would make one pair of values equal: a + b for all pairs of a and b, which are sorted. Of differences
 * the means of any two of them (Walsh averages): a and b are both half of the differences. */
struct shifts {
    const double *a, *b;
    size_t n_a, n_b;
};

static size_t count_up_to(const struct shifts *s, double x)
{
    size_t count = 0, k = s->n_b;

    for (size_t i = 0; i < s->n_a; i++) {
        const size_t first = s->a == s->b ? i : 0;
        while (k > first && s->a[i] + s->b[k - 1] > x)
            k--;
        if (k <= first)
            break;
        count += k - first;
    }
    return count;
}

/* Returns the kth smallest shift, k from 1, by bisection: of 10,000 differences there are 50 million means. */
static double shift_at(const struct shifts *s, size_t k)
{
    double low = s->a[0] + s->b[0], high = s->a[s->n_a - 1] + s->b[s->n_b - 1];

    if (count_up_to(s, low) >= k)
        return low;
    for (unsigned i = 0; i < 64; i++) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            break;
        *(count_up_to(s, middle) >= k ? &high : &low) = middle;
    }
    return high;
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

int inference_rank_test(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                        struct inference_shift *out)
{
    const size_t n = n_a + n_b, all = a ? n_a * n_b : n_b * (n_b + 1) / 2;
    FREED struct ranked *room = calloc(n + 1, sizeof(*room));
    FREED uint64_t *ranks = calloc(n + 1, sizeof(*ranks));
    FREED double *values = calloc(n + 1, sizeof(*values));
    struct expected expected = {0};
    double statistic = 0;

    *out = (struct inference_shift){n_b, NAN, NAN, NAN, NAN};
    if (!room || !ranks || !values)
        return -1;
    if (!n_b || (a && !n_a) || !all_finite(a, n_a) || !all_finite(b, n_b))
        return 0;
    for (size_t i = 0; i < n; i++)
        room[i].value = values[i] = i < n_a ? a[i] : b[i - n_a];
    if (a)
        set_ranks(room, n, ranks);
    else
        signed_ranks(b, n, room, ranks);
    for (size_t i = 0; i < n_b; i++)
        statistic += a || b[i] > 0 ? (double)ranks[n_a + i] : 0;
    statistic -= a ? (double)n_b * (double)(n_b + 1) : 0;
    if (expect(ranks, n, n_a, &expected))
        return -1;
    const double p = two_sided_p(&expected, statistic);
    free(expected.p);
    for (size_t i = 0; i < n; i++)
        ranks[i] = 2 * (i + 1); /* the interval is that of values without ties */
    if (expect(ranks, n, n_a, &expected))
        return -1;
    const size_t begin = interval_begin(&expected, confidence);
    free(expected.p);
    for (size_t i = 0; i < n; i++)
        values[i] = i < n_a ? -values[i] : a ? values[i] : values[i] / 2;
    stats_sort(values, n_a);
    stats_sort(values + n_a, n_b);
    const struct shifts shifts = {values, values + n_a, a ? n_a : n_b, n_b};
    out->p = p;
    out->centre = (shift_at(&shifts, (all + 1) / 2) + shift_at(&shifts, all / 2 + 1)) / 2;
    out->low = begin ? shift_at(&shifts, begin) : NAN;
    out->high = begin ? shift_at(&shifts, all + 1 - begin) : NAN;
    return 0;
}

double inference_rank_least(size_t n_a, size_t n_b)
{
    int sign; /* lgamma_r stores the sign here; lgamma would write the global signgam */
    const double x = (double)n_a, y = (double)n_b;

    if (!n_a)
        return fmin(1, 2 * exp2(-y));
    return fmin(1, 2 * exp(lgamma_r(x + 1, &sign) + lgamma_r(y + 1, &sign) - lgamma_r(x + y + 1, &sign)));
}

/* --- Correction for many tests. --- */

void inference_holm(const double *p, size_t n, double *adjusted)
{
    FREED struct ranked *rising = memory_get(n, sizeof(*rising));
    size_t tests = 0;
    double least = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i]))
            rising[tests++] = (struct ranked){.value = p[i], .at = i};
        adjusted[i] = NAN;
    }
    SORT(rising, tests, compare_ranked);
    for (size_t i = 0; i < tests; i++) {
        least = fmax(least, fmin(1, (double)(tests - i) * rising[i].value));
        adjusted[rising[i].at] = least;
    }
}

/* --- Ratios. --- */

double inference_half_width(double error, double df, double confidence)
{
    return error > 0 ? stats_student_t(confidence, df) * error : error;
}

void inference_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
                     struct inference_ratio *out)
{
    FREED double *logs = memory_get(n_a + n_b, sizeof(*logs));
    struct inference_shift shift;

    for (size_t i = 0; i < n_a + n_b; i++) {
        const double value = i < n_a ? a[i] : b[i - n_a];
        logs[i] = value > 0 ? log(value) : NAN;
    }
    if (inference_rank_test(logs, n_a, logs + n_a, n_b, confidence, &shift))
        memory_out();
    const struct inference_welch test = inference_welch(logs + n_a, n_b, logs, n_a);
    if (isnan(shift.low)) {
        const double half = inference_half_width(test.error, test.df, confidence);
        shift.centre = test.difference;
        shift.low = shift.centre - half;
        shift.high = shift.centre + half;
    }
    *out = (struct inference_ratio){exp(shift.centre), exp(shift.low), exp(shift.high), test.error, test.df};
}

/* --- Pairs. --- */

#define PAIRS_SEED 0x7061697265644142u
#define FLIPS      2048u /* number of flips of the signs: the observed signs, and random ones */

size_t paired_log_ratios(const double *a, const double *b, size_t n, size_t each, double *out)
{
    const size_t pairs = each ? n / each : 0;

    for (size_t i = 0; i < pairs; i++) {
        double sum_a = 0, sum_b = 0;
        for (size_t k = 0; k < each; k++) {
            sum_a += a[i * each + k];
            sum_b += b[i * each + k];
        }
        if (!(sum_a > 0) || !(sum_b > 0) || !isfinite(sum_a) || !isfinite(sum_b))
            return 0;
        out[i] = log(sum_b / sum_a);
    }
    return pairs;
}

/* --- The sequential test. --- */

/* Number of pairs at the first look (test during the measurement); each further look has a quarter more. Looks are
 * frequent enough to end a measurement soon, and rare enough to be computed while it runs. */
#define LOOK_FIRST 8u
static size_t next_look(size_t n)
{
    return n < LOOK_FIRST ? LOOK_FIRST : n + n / 4;
}

bool paired_is_look(size_t n)
{
    size_t look = LOOK_FIRST;

    while (look < n)
        look = next_look(look);
    return look == n;
}

struct flipped {
    uint64_t extreme; /* |sum of the positive ranks - sum of the negative ranks| */
    unsigned flip;    /* number of the flip; 0: the signs as observed */
};

static int compare_flipped(const void *a, const void *b)
{
    const struct flipped *x = a, *y = b;

    return ORDER_OF(y->extreme, x->extreme);
}

/* Returns |sum of the positive ranks - sum of the negative ranks| after flipping random signs. The number `flip` seeds
 * the random bits, so that they are the same in all tests of a measurement; 0 flips none. */
static uint64_t extreme_of(const double *differences, const uint64_t *ranks, size_t n, unsigned flip)
{
    uint64_t state = PAIRS_SEED + flip, bits = 0;
    int64_t sum = 0;

    state = stats_random(&state);
    for (size_t i = 0; i < n; i++) {
        if (flip && i % 64 == 0)
            bits = stats_random(&state);
        const bool minus = (differences[i] < 0) != ((bits >> i % 64 & 1) != 0);
        sum += minus ? -(int64_t)ranks[i] : (int64_t)ranks[i];
    }
    return (uint64_t)(sum < 0 ? -sum : sum);
}

int paired_sequential(const double *differences, size_t n, size_t planned, double error, struct paired_looks *out)
{
    FREED struct flipped *flips = calloc(FLIPS, sizeof(*flips));
    FREED struct ranked *room = calloc(n + 1, sizeof(*room));
    FREED uint64_t *ranks = calloc(n + 1, sizeof(*ranks));
    size_t beyond = 0, before = 0, extreme = 0; /* the flips that were beyond the limit of a look come first */

    *out = (struct paired_looks){0};
    if (!flips || !room || !ranks)
        return -1;
    for (unsigned i = 0; i < FLIPS; i++)
        flips[i].flip = i;
    for (size_t look = 0; !out->claimed && look < n;) {
        look = next_look(look) < n ? next_look(look) : n;
        const double spent = error * (look < planned ? (double)look / (double)planned : 1);
        signed_ranks(differences, look, room, ranks);
        before = beyond;
        for (size_t i = before; i < FLIPS; i++)
            flips[i].extreme = extreme_of(differences, ranks, look, flips[i].flip);
        qsort(flips + before, FLIPS - before, sizeof(*flips), compare_flipped);
        beyond = (size_t)fmax(spent * FLIPS, (double)before);
        /* Of equally extreme flips, all or none are beyond the limit. */
        while (beyond > before && beyond < FLIPS && flips[beyond - 1].extreme == flips[beyond].extreme)
            beyond--;
        for (size_t i = before; i < beyond; i++)
            out->claimed |= flips[i].flip == 0;
    }
    if (out->claimed || beyond == before)
        return 0;
    for (size_t i = 0; i < FLIPS; i++)
        extreme += extreme_of(differences, ranks, n, flips[i].flip) >= flips[beyond - 1].extreme;
    out->level = (double)extreme / FLIPS;
    return 0;
}

/* --- The least effect. --- */

/* With looks, and the chance of a false claim spent evenly, a measurement needs some 30 % more pairs to find the same
 * effect (Pocock 1977). */
#define LOOKS_COST 1.3

double paired_least_effect(const struct inference_shift *found, size_t pairs, bool looks, double narrow, double error,
                           double power)
{
    const double n = (double)found->n, half = (found->high - found->low) / 2;
    const double narrow_at = narrow > 0 ? fmax(LOOK_FIRST, n * pow(2 * half / narrow, 2)) : INFINITY;
    const double t = stats_student_t(1 - error, n - 1);
    /* What is needed beyond the half-width of t errors: z errors. With few pairs the error itself has an error of the
     * part sqrt(1 / 2 df), here as in the measurement to come, and (t + z)^2 + t^2 is some 3.2 t^2. */
    const double beyond = stats_student_t(2 * power - 1, 1e9) * sqrt(1 + 1.6 * t * t / (n - 1));

    if (!isnan(half) && inference_rank_least(0, pairs) > error)
        return INFINITY;
    return half * (1 + beyond / t) * sqrt(n / fmin((double)pairs / (looks ? LOOKS_COST : 1), narrow_at));
}
