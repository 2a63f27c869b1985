/* SPDX-License-Identifier: MIT */
/* Statistics of samples: moments, quantiles, Student's t, outliers. */
#include "stats/stats.h"

#include <float.h>
#include <math.h>

#include "sys/base.h"

void stats_add(struct stats_running *s, double value)
{
    double delta = value - s->mean;

    if (s->n == 0) {
        *s = (struct stats_running){.n = 1, .mean = value, .min = value, .max = value};
        return;
    }
    s->n++;
    s->mean += delta / (double)s->n;
    s->m2 += delta * (value - s->mean);
    s->min = fmin(s->min, value);
    s->max = fmax(s->max, value);
}

struct stats_running stats_running_of(const double *values, size_t n)
{
    struct stats_running s = {0};

    for (size_t i = 0; i < n; i++)
        stats_add(&s, values[i]);
    return s;
}

void stats_merge(struct stats_running *into, const struct stats_running *other)
{
    const struct stats_running a = *into, b = *other;

    if (b.n == 0)
        return;
    if (a.n == 0) {
        *into = b;
        return;
    }
    const double delta = b.mean - a.mean;
    const double share = (double)b.n / ((double)a.n + (double)b.n);
    into->n = a.n + b.n;
    into->mean = a.mean + delta * share;
    into->m2 = a.m2 + b.m2 + delta * delta * (double)a.n * share;
    into->min = fmin(a.min, b.min);
    into->max = fmax(a.max, b.max);
}

double stats_sd(const struct stats_running *s)
{
    return s->n < 2 ? NAN : sqrt(s->m2 / (double)(s->n - 1));
}

double stats_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0 || isnan(p))
        return NAN;
    if (p <= 0)
        return sorted[0];
    if (p >= 1)
        return sorted[n - 1];

    const double position = (double)(n - 1) * p;
    const size_t rank = (size_t)position;
    /* Equal neighbours need no interpolation, which would give NAN for two infinities. */
    if (rank + 1 >= n || sorted[rank] == sorted[rank + 1])
        return sorted[rank];
    return sorted[rank] + (position - (double)rank) * (sorted[rank + 1] - sorted[rank]);
}

/* Evaluates the continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method as modified by
 * Thompson and Barnett. Converges fast for x below (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x)
{
    double value = 1, c = 1, d = 0;

    for (int i = 1; i < 20000; i++) {
        const double m = i / 2;
        const double term = i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                       : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + term * d;
        d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
        c = 1 + term / c;
        c = fabs(c) < DBL_MIN ? DBL_MIN : c;
        value *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return 1 / value;
}

/* Returns the regularised incomplete beta function I_x(a, b). y is 1 - x, passed separately because it may be tiny. */
static double incomplete_beta(double a, double b, double x, double y)
{
    int sign; /* lgamma_r stores the sign here; lgamma would write the global signgam */

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    const double front =
        exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

/* Returns P(|T| <= t), or with tails the two tails P(|T| > t): each is computed directly, so that small values keep
 * their digits. */
static double student_probability(double t, double df, int tails)
{
    if (df > 1e5) {
        /* Wallace's approximation (1959): the error is of the order of 1/df^2 here. */
        const double z = (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df));
        return tails ? erfc(z / sqrt(2)) : erf(z / sqrt(2));
    }
    const double x = df / (df + t * t), y = t * t / (df + t * t);
    return tails ? incomplete_beta(df / 2, 0.5, x, y) : incomplete_beta(0.5, df / 2, y, x);
}

static double student_density(double t, double df)
{
    int sign;

    return exp(lgamma_r((df + 1) / 2, &sign) - lgamma_r(df / 2, &sign) - (df + 1) / 2 * log1p(t * t / df)) /
           sqrt(df * acos(-1));
}

/* Solves for t by Newton's method, kept within a bracket. */
double stats_student_t(double confidence, double df)
{
    if (!(confidence >= 0 && confidence <= 1) || !(df >= 1))
        return NAN;
    if (confidence >= 1)
        return INFINITY;
    if (confidence <= 0)
        return 0;
    if (isinf(df))
        df = DBL_MAX / 64;

    const int tails = confidence > 0.5;
    const double target = tails ? 1 - confidence : confidence;
    double lower = 0, upper = 1;

    /* This loop ends: 1 - confidence is at least 2^-53, and no df has heavier tails than 1. */
    while (upper < 1e18 && (student_probability(upper, df, tails) > target) == (tails != 0))
        lower = upper, upper *= 2;
    double t = lower + (upper - lower) / 2;
    for (int i = 0; i < 200 && t > lower && t < upper; i++) {
        const double beyond = (student_probability(t, df, tails) - target) * (tails ? 1 : -1);
        double next = t + beyond / (2 * student_density(t, df));
        if (beyond > 0)
            lower = t;
        else
            upper = t;
        if (!(next > lower && next < upper))
            next = lower + (upper - lower) / 2;
        if (fabs(next - t) <= 16 * DBL_EPSILON * t) /* tolerance: the rounding error of the probability */
            break;
        t = next;
    }
    return t;
}

double stats_student_p(double t, double df)
{
    if (isnan(t) || !(df >= 1))
        return NAN;
    return isinf(t) ? 0 : student_probability(fabs(t), isinf(df) ? DBL_MAX / 64 : df, 1);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    /* NAN last: qsort needs a total order. */
    return ORDER_OF(x, y) + (isnan(x) != 0) - (isnan(y) != 0);
}

void stats_sort(double *values, size_t n)
{
    SORT(values, n, compare_doubles);
}

double stats_mean(const double *values, size_t n)
{
    const struct stats_running s = stats_running_of(values, n);

    return s.mean;
}

double stats_median(double *values, size_t n)
{
    stats_sort(values, n);
    return stats_quantile(values, n, 0.5);
}

double stats_mad(const double *values, size_t n, double *scratch)
{
    if (n == 0)
        return NAN;
    memmove(scratch, values, n * sizeof *scratch);
    const double median = stats_median(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - median);
    return stats_median(scratch, n);
}

uint64_t stats_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void stats_mean_interval(const double *values, size_t n, double confidence, double *low, double *high)
{
    const struct stats_running s = stats_running_of(values, n);

    *low = *high = NAN;
    if (n < 5)
        return;
    const double half = stats_student_t(confidence, (double)(n - 1)) * stats_sd(&s) / sqrt((double)n);
    *low = s.mean - half;
    *high = s.mean + half;
}

int stats_summarise(const double *values, size_t n, struct stats_summary *out)
{
    /* What is not computed below stays NAN: not known. */
    *out = (struct stats_summary){n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return 0;
    FREED double *sorted = calloc(n, sizeof *sorted);
    if (!sorted)
        return -1;

    const struct stats_running s = stats_running_of(values, n);
    out->mean = s.mean;
    out->sd = stats_sd(&s);
    out->rsd_pct = s.mean != 0 ? 100 * out->sd / fabs(s.mean) : NAN;
    out->min = s.min;
    out->max = s.max;
    stats_mean_interval(values, n, 0.95, &out->ci95_lo, &out->ci95_hi);

    memcpy(sorted, values, n * sizeof *sorted);
    stats_sort(sorted, n);
    out->median = stats_quantile(sorted, n, 0.5);
    if (n >= 10)
        out->p90 = stats_quantile(sorted, n, 0.9);
    if (n >= 100)
        out->p99 = stats_quantile(sorted, n, 0.99);
    if (n >= 1000)
        out->p999 = stats_quantile(sorted, n, 0.999);
    out->mad = stats_mad(values, n, sorted);
    return 0;
}

double stats_ratio_of_means(const struct stats_summary *a, const struct stats_summary *b, double *low, double *high)
{
    const double ratio = a->mean / b->mean;

    *low = *high = NAN;
    if (a->n < 5 || b->n < 5 || !(a->mean > 0) || !(b->mean > 0))
        return ratio;
    const double ra = a->sd / a->mean, rb = b->sd / b->mean, na = (double)a->n, nb = (double)b->n;
    const double va = ra * ra / na, vb = rb * rb / nb;
    if (!(va + vb > 0))
        return ratio;
    const double df = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
    const double half = stats_student_t(0.95, df) * sqrt(va + vb);
    *low = ratio * exp(-half);
    *high = ratio * exp(half);
    return ratio;
}

/* --- Outliers: distances from the median in robust spreads. --- */

#define MAD_TO_SD      1.4826
#define MAD_EFFICIENCY 0.37

/* Returns the distance of a value from the median, relative to the median: a logarithm where all values are
 * positive. */
static double offset_of(const struct outlier_metric *metric, double value)
{
    return metric->logarithmic ? log(value / metric->median) : outlier_effect(metric, value);
}

bool outlier_measure(const double *values, size_t n, double least, double *scratch, struct outlier_metric *out)
{
    size_t known = 0;

    *out = (struct outlier_metric){.logarithmic = true};
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            scratch[known++] = values[i];
            out->logarithmic = out->logarithmic && values[i] > 0;
        }
    out->n = known;
    if (known < OUTLIER_HOSTS_LEAST)
        return false;
    out->median = stats_median(scratch, known);
    if (!(fabs(out->median) > 0))
        return false;
    for (size_t i = 0; i < known; i++)
        scratch[i] = fabs(offset_of(out, scratch[i]));
    out->scale = fmax(MAD_TO_SD * stats_median(scratch, known), least);
    return out->scale > 0;
}

double outlier_distance(const struct outlier_metric *metric, double value)
{
    return offset_of(metric, value) / metric->scale;
}

double outlier_effect(const struct outlier_metric *metric, double value)
{
    return (value - metric->median) / fabs(metric->median);
}

double outlier_threshold(size_t n_hosts, size_t n_tests)
{
    double df = fmax(1, MAD_EFFICIENCY * (double)n_hosts);

    return stats_student_t(1 - OUTLIER_ALPHA / 2 / (double)(n_tests ? n_tests : 1), df);
}

/* Returns P(X >= k) of a binomial distribution. */
static double tail(size_t n, double p, size_t k)
{
    double sum = 0;

    if (p >= 1)
        return 1;
    for (size_t i = n + 1; i-- > k;)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

size_t outlier_worst_threshold(size_t n_hosts, size_t n_metrics)
{
    double p = 1 / (double)n_hosts;
    size_t k = 1;

    if (n_hosts < 2)
        return n_metrics + 1;
    while (k <= n_metrics && (double)n_hosts * tail(n_metrics, p, k) > OUTLIER_ALPHA / 2)
        k++;
    return k;
}

bool outlier_worst_too_often(size_t n_hosts, size_t n_metrics, double share, size_t count)
{
    return (double)count > share * (double)n_metrics + 1 &&
           (double)n_hosts * tail(n_metrics, share, count) <= OUTLIER_ALPHA / 2;
}
