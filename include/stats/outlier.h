/* SPDX-License-Identifier: MIT */
/* Finds outliers among many machines. Pure functions. */
#ifndef STATS_OUTLIER_H
#define STATS_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

/* Chance that at least one machine of a fleet of equal machines is called an outlier; each of the two rules below
 * gets half of it. */
#define OUTLIER_ALPHA 0.01
/* Minimum number of machines with a value for a metric to be judged. */
#define OUTLIER_HOSTS_LEAST 4

/* Median and spread of one metric over all machines. The spread is 1.4826 times the median absolute deviation (the
 * standard deviation for a normal distribution; Hampel 1974). Where all values are positive it is the spread of their
 * logarithms, so that a rate and its reciprocal are judged alike. */
struct outlier_metric {
    double median; /* median of the values themselves */
    double scale;  /* spread of the logarithms, or of the values divided by |median| */
    bool logarithmic;
    size_t n;
};

/* Computes median and spread of n machines' values (NAN: none); scratch has room for n. The scale is at least `least`,
 * the relative spread of the measurement itself (its standard error, the clock's resolution), since quantised values
 * have a deviation of 0. Returns false when fewer than OUTLIER_HOSTS_LEAST machines have a value, or the median is 0 or
 * not finite. */
bool outlier_measure(const double *values, size_t n, double least, double *scratch, struct outlier_metric *out);

/* Returns the distance of a value from the median in units of scale; positive above the median. */
double outlier_distance(const struct outlier_metric *metric, double value);
/* Returns the distance as a share of the median: 0.05 is 5 % above. */
double outlier_effect(const struct outlier_metric *metric, double value);

/* First rule, for a single metric: returns the distance (outlier_distance()) beyond which a value of a metric with
 * n_hosts machines is an outlier, when n_tests values (of all machines in all metrics) are judged: Student's t with
 * Bonferroni's correction. The median absolute deviation estimates the spread as well as the standard deviation of 0.37
 * times as many values (its efficiency), which gives the degrees of freedom. */
double outlier_threshold(size_t n_hosts, size_t n_tests);

/* Second rule, for many metrics together: returns in how many of them a machine must be the worst of all to be an
 * outlier. Among equal machines each is the worst in one of n_hosts metrics by chance. Returns more than n_metrics
 * when no number is enough. */
size_t outlier_worst_threshold(size_t n_hosts, size_t n_metrics);
/* The second rule where not every machine has every metric: returns whether a machine that is the worst of all in
 * `count` of its n_metrics metrics is the worst more often than by chance. share is the mean, over its metrics, of one
 * over the number of machines that have the metric (at least as cautious as the exact distribution: Hoeffding 1956). */
bool outlier_worst_too_often(size_t n_hosts, size_t n_metrics, double share, size_t count);

#endif
