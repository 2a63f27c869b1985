/* SPDX-License-Identifier: MIT */
/* Computes distances from the median in robust spreads, and the limits beyond which a value is an outlier. */
#include "stats/stats.h"

#include <math.h>

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
