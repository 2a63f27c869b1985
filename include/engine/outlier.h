/* SPDX-License-Identifier: MIT */
/* Which of many machines stands out. Pure functions. */
#ifndef ENGINE_OUTLIER_H
#define ENGINE_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

/* A fleet of equal machines is accused by chance in at most this share of cases, half of it by each of the two rules
 * below. */
#define OUTLIER_ALPHA 0.01
/* Machines with a value that a metric needs to be judged by. */
#define OUTLIER_HOSTS_LEAST 4

/* The fleet's middle and spread in one metric: the median, and 1.4826 times the median absolute deviation (the standard
 * deviation of a normal distribution; Hampel 1974). Where all values are positive both are of logarithms, so that a
 * rate and its reciprocal are judged alike. */
struct outlier_metric {
    double median; /* of the values themselves */
    double scale;  /* of the logarithms, or of the values over |median| */
    bool logarithmic;
    size_t n;
};

/* values (NAN: none) of n machines; scratch has room for n. The scale is not below least, the relative spread that the
 * measurement itself has (its standard error, the clock's resolution): quantised values have a deviation of 0. False
 * when fewer than OUTLIER_HOSTS_LEAST have a value, or the median is 0 or not finite. */
bool outlier_measure(const double *values, size_t n, double least, double *scratch, struct outlier_metric *out);

/* How many scales a value is from the median; positive: above. */
double outlier_distance(const struct outlier_metric *metric, double value);
/* The same as a share of the median: 0.05 is 5 % above. */
double outlier_effect(const struct outlier_metric *metric, double value);

/* First rule, one metric alone: the distance that none of n_tests values (of all machines in all metrics) is likely to
 * reach in a metric that n_hosts have: Student's t, Bonferroni's correction. A deviation's median is as good an
 * estimate of the spread as the standard deviation of 0.37 times as many values (its efficiency), which gives the
 * degrees of freedom. */
double outlier_threshold(size_t n_hosts, size_t n_tests);

/* Second rule, many metrics together: of how many of them a machine has to be the worst of all. Of equal machines each
 * is that by chance in one of n_hosts. Above n_metrics: it cannot be told. */
size_t outlier_worst_threshold(size_t n_hosts, size_t n_metrics);
/* The same where not every machine has every metric: whether one of n_hosts that is the worst of all in count of its
 * n_metrics is so beyond chance. share is the mean, over its metrics, of one over the number of machines that have the
 * metric (at least as cautious as the exact distribution: Hoeffding 1956). */
bool outlier_worst_too_often(size_t n_hosts, size_t n_metrics, double share, size_t count);

#endif
