/* SPDX-License-Identifier: MIT */
/* Outliers: arithmetic, and how often a machine of a fleet of equal machines is named. */

#include "../test.h"
#include "normal_fixture.h"
#include "stats/stats.h"

static void expect_near(double got, double expected, double off)
{
    if (!(fabs(got - expected) <= off))
        fail_msg("%.12g, expected %.12g", got, expected);
}

TEST(test_outlier_distances_by_hand)
{
    /* Around 0: not logarithmic. Deviations from 2: 4 1 0 1 2 NAN, their median 1. */
    const double values[] = {-2, 1, 2, 3, 4, NAN};
    double scratch[COUNT(values)];
    struct outlier_metric m;

    assert_true(outlier_measure(values, COUNT(values), 0, scratch, &m));
    assert_int_equal(m.n, 5);
    assert_false(m.logarithmic);
    expect_near(m.median, 2, 0);
    expect_near(m.scale, 1.4826 / 2, 1e-12);
    expect_near(outlier_distance(&m, 4), 2 / 1.4826, 1e-12);
    expect_near(outlier_effect(&m, -2), -2, 1e-12);
}

/* A rate and the time that it takes: the same distance, the other sign. */
TEST(test_outlier_reciprocals_are_judged_alike)
{
    const double times[] = {10, 11, 12, 12.5, 20}, rates[] = {1. / 10, 1. / 11, 1. / 12, 1. / 12.5, 1. / 20};
    double scratch[COUNT(times)];
    struct outlier_metric of_times, of_rates;

    assert_true(outlier_measure(times, COUNT(times), 0, scratch, &of_times));
    assert_true(outlier_measure(rates, COUNT(rates), 0, scratch, &of_rates));
    for (size_t i = 0; i < COUNT(times); i++)
        expect_near(outlier_distance(&of_times, times[i]), -outlier_distance(&of_rates, rates[i]), 1e-9);
}

TEST(test_outlier_spread_is_floored)
{
    const double equal[] = {7, 7, 7, 7, 7.07};
    double scratch[COUNT(equal)];
    struct outlier_metric m;

    assert_true(outlier_measure(equal, COUNT(equal), 0.002, scratch, &m));
    expect_near(m.scale, 0.002, 0);
    expect_near(outlier_distance(&m, 7.07), log(1.01) / 0.002, 1e-9);
    assert_false(outlier_measure(equal, COUNT(equal), 0, scratch, &m)); /* nothing to measure by */
}

TEST(test_outlier_needs_some_machines)
{
    const double few[] = {1, 2, 3, NAN, INFINITY}, around_zero[] = {-1, 0, 0, 1};
    double scratch[COUNT(few)];
    struct outlier_metric m;

    assert_false(outlier_measure(few, COUNT(few), 0.01, scratch, &m));
    assert_false(outlier_measure(around_zero, COUNT(around_zero), 0.01, scratch, &m));
}

TEST(test_outlier_thresholds)
{
    /* P(X >= 12) of 20 at 1/4 is 0.00094, of which four are within 0.005; at 11 it is 0.0039. */
    expect_near(outlier_threshold(1000, 20000), 5.258, 0.01);
    assert_int_equal(outlier_worst_threshold(4, 20), 12);
    assert_true(outlier_worst_threshold(4, 3) > 3);     /* the worst of all in three of three is no proof */
    assert_int_equal(outlier_worst_threshold(1, 5), 6); /* nobody to be worse than */
    assert_int_equal(outlier_worst_threshold(0, 5), 6);
    /* More is asked of few machines, whose spread is not known well. Quantiles of Student's t, integrated elsewhere. */
    expect_near(outlier_threshold(5, 50), 138.042717, 1e-5);
    expect_near(outlier_threshold(20, 200), 9.257010, 1e-5);
    expect_near(outlier_threshold(80, 800), 5.481001, 1e-5);
    expect_near(outlier_threshold(320, 3200), 5.058366, 1e-5);
    expect_near(outlier_threshold(1280, 12800), 5.145971, 1e-5);
}

/* Where all machines have all metrics it is the same rule; a metric that few have counts for little. */
TEST(test_outlier_worst_of_few)
{
    for (size_t n = 4; n < 100; n += 12) {
        size_t least = outlier_worst_threshold(n, 20);
        assert_true(outlier_worst_too_often(n, 20, 1. / (double)n, least));
        assert_false(outlier_worst_too_often(n, 20, 1. / (double)n, least - 1));
    }
    /* Four of 1,000 machines ran twenty metrics: each of the four is by chance the worst in five of them. */
    assert_false(outlier_worst_too_often(1000, 20, 0.25, 10));
    assert_true(outlier_worst_too_often(1000, 20, 0.25, 16));
    assert_false(outlier_worst_too_often(1000, 3, 1, 3));
}

/* --- Fleets. --- */

/* The mean of n samples with that spread. */
static double sample_mean(double mean, double rsd, unsigned n)
{
    return mean * (1 + rsd * normal() / sqrt(n));
}

enum { METRICS_MOST = 20, HOSTS_MOST = 1000 };

/* Measures a fleet in which the last machine is slower by that share, and tells whether anybody, and whether that one,
 * is accused. Times: higher is worse. */
static void judge_fleet(size_t n, size_t n_metrics, double slow, double threshold, bool *anybody, bool *last)
{
    static double values[HOSTS_MOST], scratch[HOSTS_MOST];
    size_t worst[HOSTS_MOST] = {0};
    struct outlier_metric m;

    *anybody = *last = false;
    for (size_t k = 0; k < n_metrics; k++) {
        size_t most = 0;
        for (size_t i = 0; i < n; i++) {
            values[i] = sample_mean(i + 1 == n ? 1 + slow : 1, 0.01, 10);
            most = values[i] > values[most] ? i : most;
        }
        worst[most]++;
        assert_true(outlier_measure(values, n, 1e-4, scratch, &m));
        for (size_t i = 0; i < n; i++)
            if (fabs(outlier_distance(&m, values[i])) > threshold) {
                *anybody = true;
                *last = *last || i + 1 == n;
            }
    }
    for (size_t i = 0; i < n; i++)
        if (worst[i] >= outlier_worst_threshold(n, n_metrics)) {
            *anybody = true;
            *last = *last || i + 1 == n;
        }
}

static unsigned accused_of(unsigned runs, size_t n, size_t n_metrics, double slow, bool only_last)
{
    const double threshold = outlier_threshold(n, n * n_metrics);
    unsigned count = 0;

    for (unsigned run = 0; run < runs; run++) {
        bool anybody, last;
        judge_fleet(n, n_metrics, slow, threshold, &anybody, &last);
        count += only_last ? last : anybody;
    }
    return count;
}

TEST(test_outlier_equal_machines_are_not_accused)
{
    static const struct {
        size_t n, metrics;
        unsigned runs;
    } fleets[] = {{1000, 5, 200}, {100, 10, 400}, {16, 10, 1000}, {4, 10, 2000}};

    seed = 20261121;
    for (size_t i = 0; i < COUNT(fleets); i++) {
        unsigned accused = accused_of(fleets[i].runs, fleets[i].n, fleets[i].metrics, 0, false);
        if (accused > fleets[i].runs / 100)
            fail_msg("%zu equal machines: somebody was accused in %u of %u runs", fleets[i].n, accused, fleets[i].runs);
    }
}

TEST(test_outlier_slow_machine_is_named)
{
    seed = 4711;
    assert_true(accused_of(100, 1000, 1, 0.05, true) >= 95);
    assert_true(accused_of(100, 100, 5, 0.05, true) >= 95);
    assert_true(accused_of(200, 4, 10, 0.05, true) >= 190); /* by the worst rule: four have no spread to speak of */
}
