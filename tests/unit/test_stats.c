/* SPDX-License-Identifier: MIT */
/* Statistics against figures from Python's statistics module, tables of Student's t, and hand values. */
#include "stats/stats.h"

#include "../test.h"

/* Lets a refused allocation come back as NULL in a sanitizer build, as it does elsewhere. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* relative to the expected value, absolute below 1; a macro, so that the failing line is named */
#define assert_near(actual, expected, tolerance) assert_true(is_near(actual, expected, tolerance))

static bool is_near(double actual, double expected, double tolerance)
{
    return fabs(actual - expected) <= tolerance * fmax(1, fabs(expected));
}

static const double sample[] = {12.5, 7.25, 9.0, 15.75, 8.125, 10.0, 11.5, 42.0, 9.5, 10.25, 8.875};
static const double sample_sorted[] = {7.25, 8.125, 8.875, 9.0, 9.5, 10.0, 10.25, 11.5, 12.5, 15.75, 42.0};

static void fill_scrambled(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (double)((i * 7919) % 1009);
}

static struct stats_running running(const double *values, size_t n)
{
    struct stats_running s = {.n = 0};

    for (size_t i = 0; i < n; i++)
        stats_add(&s, values[i]);
    return s;
}

TEST(test_stats_running_agrees_with_python)
{
    const struct stats_running s = running(sample, COUNT(sample));

    assert_int_equal(s.n, 11);
    assert_near(s.mean, 13.159090909090908, 1e-14);
    assert_near(stats_sd(&s), 9.846016153293123, 1e-14);
    assert_true(s.min == 7.25 && s.max == 42.0);
}

TEST(test_stats_running_keeps_digits_far_from_zero)
{
    /* by hand: mean 10, squares 36 + 9 + 9 + 36 = 90, variance 30 */
    const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    const struct stats_running s = running(values, COUNT(values));

    assert_true(s.mean == 1e9 + 10);
    assert_near(stats_sd(&s), sqrt(30), 1e-14);
}

TEST(test_stats_merge_equals_one_pass)
{
    for (size_t cut = 0; cut <= COUNT(sample); cut++) {
        struct stats_running s = running(sample, cut);
        const struct stats_running rest = running(sample + cut, COUNT(sample) - cut);

        stats_merge(&s, &rest);
        assert_int_equal(s.n, 11);
        assert_near(s.mean, 13.159090909090908, 1e-14);
        assert_near(stats_sd(&s), 9.846016153293123, 1e-14);
        assert_true(s.min == 7.25 && s.max == 42.0);
    }
}

TEST(test_stats_mean_and_median)
{
    double values[] = {4, -1, 30, 7}, one[] = {3};

    assert_true(stats_mean(values, 4) == 10);
    assert_true(stats_median(values, 4) == 5.5); /* and they are sorted now */
    assert_true(values[0] == -1 && values[3] == 30);
    assert_true(stats_median(values, 3) == 4 && stats_median(one, 1) == 3 && stats_mean(one, 1) == 3);
    assert_true(stats_mean(one, 0) == 0 && isnan(stats_median(one, 0)));
}

TEST(test_stats_quantile_agrees_with_python)
{
    /* statistics.quantiles(sample, n=4, method='inclusive'), and its ninth decile */
    assert_near(stats_quantile(sample_sorted, 11, 0.25), 8.9375, 1e-14);
    assert_near(stats_quantile(sample_sorted, 11, 0.5), 10.0, 1e-14);
    assert_near(stats_quantile(sample_sorted, 11, 0.75), 12.0, 1e-14);
    assert_near(stats_quantile(sample_sorted, 11, 0.9), 15.75, 1e-14);
}

TEST(test_stats_quantile_limits)
{
    const double one[] = {3, INFINITY},
                 infinite[] = {1, INFINITY, INFINITY}; /* what follows the one is not looked at */

    assert_true(isnan(stats_quantile(NULL, 0, 0.5)));
    assert_true(isnan(stats_quantile(one, 1, NAN)));
    assert_true(stats_quantile(one, 1, 0.999) == 3);
    assert_true(stats_quantile(sample_sorted, 11, 0) == 7.25);
    assert_true(stats_quantile(sample_sorted, 11, -1) == 7.25);
    assert_true(stats_quantile(sample_sorted, 11, 1) == 42.0);
    assert_true(stats_quantile(sample_sorted, 11, 2) == 42.0);
    assert_true(isinf(stats_quantile(infinite, 3, 0.75)));
}

TEST(test_stats_student_t_agrees_with_tables)
{
    /* Integrated in Python by Simpson's rule over atan(t / sqrt(df)); the printed tables have the same to their 3 or
     * 4 digits (12.706, 4.303, 2.776, 2.262, 2.045, 1.984). */
    static const struct {
        double df, t90, t95, t99;
    } table[] = {
        {1, 6.313751515, 12.70620474, 63.65674116},    {2, 2.91998558, 4.30265273, 9.924843201},
        {4, 2.131846786, 2.776445105, 4.604094871},    {9, 1.833112933, 2.262157163, 3.249835542},
        {29, 1.699127027, 2.045229642, 2.756385904},   {100, 1.660234326, 1.983971519, 2.625890521},
        {1e12, 1.644853627, 1.959963985, 2.575829304}, /* the normal distribution */
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        assert_near(stats_student_t(0.90, table[i].df), table[i].t90, 1e-9);
        assert_near(stats_student_t(0.95, table[i].df), table[i].t95, 1e-9);
        assert_near(stats_student_t(0.99, table[i].df), table[i].t99, 1e-9);
    }
}

TEST(test_stats_student_t_closed_forms)
{
    const double pi = 3.14159265358979323846;

    /* df 1: tan(pi c / 2); df 2: c sqrt(2 / (1 - c^2)); from tiny to nearly 1 */
    static const double confidence[] = {1e-9, 0.01, 0.3, 0.499, 0.501, 0.7, 0.999, 0.999999};
    for (size_t i = 0; i < COUNT(confidence); i++) {
        const double c = confidence[i], t1 = tan(pi * c / 2), t2 = c * sqrt(2 / ((1 - c) * (1 + c)));
        assert_true(fabs(stats_student_t(c, 1) / t1 - 1) < 1e-8);
        assert_true(fabs(stats_student_t(c, 2) / t2 - 1) < 1e-8);
    }
    /* two tails of 2^-50: cot(pi 2^-50 / 2) */
    assert_true(fabs(stats_student_t(1 - 0x1p-50, 1) * tan(pi * 0x1p-51) - 1) < 1e-8);
}

TEST(test_stats_student_t_is_continuous_where_the_method_changes)
{
    assert_near(stats_student_t(0.95, 100001), stats_student_t(0.95, 99999), 1e-8);
    assert_near(stats_student_t(0.9999, 100001), stats_student_t(0.9999, 99999), 1e-8);
    /* fractional df, as Welch's test has: between its neighbours */
    assert_true(stats_student_t(0.95, 4.5) < stats_student_t(0.95, 4));
    assert_true(stats_student_t(0.95, 4.5) > stats_student_t(0.95, 5));
}

TEST(test_stats_mad_agrees_with_python)
{
    double scratch[1000], values[1000];

    assert_true(stats_mad(sample, COUNT(sample), scratch) == 1.5);
    fill_scrambled(values, 1000);
    assert_true(stats_mad(values, 1000, scratch) == 252);
    assert_true(stats_mad(values, 1000, values) == 252); /* in place */
}

TEST(test_stats_out_of_memory_is_an_error)
{
    const size_t too_many = SIZE_MAX / 12; /* more bytes than an object may have: refused before a value is read */
    struct stats_summary s;

    assert_int_equal(stats_summarise(sample, too_many, &s), -1);
    assert_true(isnan(s.mean) && isnan(s.median));
}

TEST(test_stats_mean_interval_by_student_t)
{
    double low, high;

    /* 13.15909 +- 2.228138852 (t of 10 degrees, from the table) * 9.846016 / sqrt(11) */
    stats_mean_interval(sample, COUNT(sample), 0.95, &low, &high);
    assert_near(low, 13.159090909 - 2.228138852 * 2.968685569, 1e-8);
    assert_near(high, 13.159090909 + 2.228138852 * 2.968685569, 1e-8);
    stats_mean_interval(sample, 5, 0.95, &low, &high);
    assert_true(low < high);
    stats_mean_interval(sample, 4, 0.95, &low, &high);
    assert_true(isnan(low) && isnan(high));
    stats_mean_interval(sample, 11, 2, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

TEST(test_stats_summarise_agrees_with_python)
{
    double values[1000];
    struct stats_summary s;

    fill_scrambled(values, 1000);
    assert_int_equal(stats_summarise(values, 1000, &s), 0);
    assert_int_equal(s.n, 1000);
    assert_near(s.mean, 504.678, 1e-13);
    assert_near(s.sd, 291.50485999276134, 1e-13);
    assert_near(s.rsd_pct, 57.7605641602, 1e-11);
    /* t of 999 degrees 1.962341461 (table) */
    assert_near(s.ci95_lo, 504.678 - 1.962341461 * 291.50485999276134 / sqrt(1000), 1e-9);
    assert_near(s.ci95_hi, 504.678 + 1.962341461 * 291.50485999276134 / sqrt(1000), 1e-9);
    assert_near(s.median, 505.5, 1e-13);
    assert_near(s.mad, 252, 1e-13);
    assert_near(s.p90, 907.1, 1e-13);
    assert_near(s.p99, 998.01, 1e-13);
    assert_near(s.p999, 1007.001, 1e-13);
    assert_true(s.min == 0 && s.max == 1008);
    assert_true(values[1] == 856); /* 7919 mod 1009: the input is left in its order */
}

TEST(test_stats_summarise_leaves_unknown_what_needs_more_values)
{
    static const struct {
        size_t n;
        bool sd, interval, p90, p99, p999;
    } known[] = {
        {1, false, false, false, false, false}, {2, true, false, false, false, false},
        {4, true, false, false, false, false},  {5, true, true, false, false, false},
        {9, true, true, false, false, false},   {10, true, true, true, false, false},
        {99, true, true, true, false, false},   {100, true, true, true, true, false},
        {999, true, true, true, true, false},   {1000, true, true, true, true, true},
    };
    double values[1000];

    fill_scrambled(values, 1000);
    for (size_t i = 0; i < COUNT(known); i++) {
        struct stats_summary s;
        assert_int_equal(stats_summarise(values, known[i].n, &s), 0);
        assert_false(isnan(s.mean) || isnan(s.median) || isnan(s.mad) || isnan(s.min) || isnan(s.max));
        assert_true(isnan(s.sd) != known[i].sd);
        assert_true(isnan(s.ci95_lo) != known[i].interval && isnan(s.ci95_hi) != known[i].interval);
        assert_true(isnan(s.p90) != known[i].p90);
        assert_true(isnan(s.p99) != known[i].p99);
        assert_true(isnan(s.p999) != known[i].p999);
    }
}

TEST(test_stats_summarise_rsd_is_positive_and_nan_at_mean_zero)
{
    const double negative[] = {-10, -12}, zero[] = {-1, 1};
    struct stats_summary s;

    /* by hand: sd sqrt(2), mean -11 */
    assert_int_equal(stats_summarise(negative, 2, &s), 0);
    assert_near(s.rsd_pct, 100 * sqrt(2) / 11, 1e-14);
    assert_int_equal(stats_summarise(zero, 2, &s), 0);
    assert_true(isnan(s.rsd_pct));
}

/* Relative standard deviations of 1/8 and 1/5, of 16 and 9 values. */
TEST(test_stats_ratio_of_means_by_the_delta_method)
{
    const struct stats_summary x = {.n = 16, .mean = 400, .sd = 50}, y = {.n = 9, .mean = 100, .sd = 20};
    const double vx = 1 / 64.0 / 16, vy = 1 / 25.0 / 9;
    const double df = pow(vx + vy, 2) / (vx * vx / 15 + vy * vy / 8), half = stats_student_t(0.95, df) * sqrt(vx + vy);
    double low, high;

    assert_near(stats_ratio_of_means(&x, &y, &low, &high), 4, 1e-12);
    assert_near(low, 4 * exp(-half), 1e-12);
    assert_near(high, 4 * exp(half), 1e-12);
    assert_near(stats_ratio_of_means(&y, &x, &low, &high), 0.25, 1e-12);
    assert_near(low, exp(-half) / 4, 1e-12);
    assert_near(high, exp(half) / 4, 1e-12);
}

TEST(test_stats_ratio_of_means_without_an_interval)
{
    const struct stats_summary good = {.n = 5, .mean = 4, .sd = 1};
    const struct stats_summary bad[] = {{.n = 4, .mean = 2, .sd = 1}, {.n = 5, .mean = -2, .sd = 1}};
    const struct stats_summary zero = {.n = 5, .mean = 0, .sd = 1}, constant = {.n = 5, .mean = 2, .sd = 0};
    double low, high;

    for (size_t i = 0; i < COUNT(bad); i++) {
        low = high = 1;
        assert_near(stats_ratio_of_means(&good, &bad[i], &low, &high), 4 / bad[i].mean, 1e-12);
        assert_true(isnan(low) && isnan(high));
        low = high = 1;
        assert_near(stats_ratio_of_means(&bad[i], &good, &low, &high), bad[i].mean / 4, 1e-12);
        assert_true(isnan(low) && isnan(high));
    }
    assert_true(stats_ratio_of_means(&zero, &good, &low, &high) == 0);
    assert_true(isnan(low) && isnan(high));
    assert_near(stats_ratio_of_means(&constant, &constant, &low, &high), 1, 1e-12);
    assert_true(isnan(low) && isnan(high));
    /* One side without spread is enough for an interval. */
    (void)stats_ratio_of_means(&good, &constant, &low, &high);
    assert_near(low, 2 * exp(-stats_student_t(0.95, 4) * sqrt(1.0 / 16 / 5)), 1e-12);
    assert_near(high, 2 * exp(stats_student_t(0.95, 4) * sqrt(1.0 / 16 / 5)), 1e-12);
}
