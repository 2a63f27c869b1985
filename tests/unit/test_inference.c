/* SPDX-License-Identifier: MIT */
/* Tests of two samples on known values, by hand or from scipy 1.10. `make stats` compares many more with scipy. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "stats/inference.h"
#include "stats/stats.h"

#define COUNT(array)        (sizeof(array) / sizeof(array)[0])
#define NEAR(got, expected) assert_near(got, expected, __LINE__)

static void assert_near(double got, double expected, int line)
{
    if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("line %d: %.17g is not %.17g", line, got, expected);
}

/* Student's sleep data (Cushny, Peebles 1905), as R prints them for t.test(extra ~ group): t = -1.8608, df = 17.776, p
 * = 0.07939. */
static const double sleep_a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double sleep_b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

/* --- Welch. --- */

TEST(test_inference_welch_of_students_sleep_data)
{
    const struct inference_welch test = inference_welch(sleep_a, 10, sleep_b, 10);

    NEAR(test.t, -1.8608134674868526);
    NEAR(test.df, 17.776473516178495);
    NEAR(test.p, 0.079394140187582);
}

TEST(test_inference_welch_of_unequal_numbers)
{
    const double a[] = {3, 4, 5}, b[] = {8, 9, 10, 11, 15};
    const struct inference_welch there = inference_welch(a, 3, b, 5), back = inference_welch(b, 5, a, 3);

    NEAR(there.t, -(10.6 - 4) / sqrt(1.0 / 3 + 7.3 / 5));
    NEAR(back.t, -there.t);
    NEAR(back.p, there.p);
    NEAR(there.df, pow(1.0 / 3 + 1.46, 2) / (1.0 / 9 / 2 + 1.46 * 1.46 / 4));
}

TEST(test_inference_welch_loses_no_digits_beside_a_large_origin)
{
    double a[10], b[10];

    for (size_t i = 0; i < 10; i++) {
        a[i] = 1e9 + 8 * sleep_a[i];
        b[i] = 1e9 + 8 * sleep_b[i];
    }
    assert_true(fabs(inference_welch(a, 10, b, 10).p - 0.079394140187582) < 1e-7);
}

TEST(test_inference_welch_of_constants_and_of_too_few)
{
    const double low[] = {1, 1, 1}, high[] = {2, 2}, one[] = {5};

    assert_true(inference_welch(low, 3, high, 2).t < -1e300);
    assert_true(inference_welch(low, 3, high, 2).p == 0);
    assert_true(isnan(inference_welch(low, 3, low, 3).p));
    assert_true(isnan(inference_welch(one, 1, low, 3).p));
    assert_true(isnan(inference_welch(low, 3, NULL, 0).p));
}

/* --- Batch means. --- */

/* Each value is the mean of so many neighbours of a random sequence, from a fixed seed; the mean is 5. */
static void smooth(double *values, size_t n, size_t neighbours, uint64_t seed)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        values[i] = 0;
    for (size_t i = 0; i < n + neighbours; i++) {
        const double random = (double)(stats_random(&seed) >> 11) * 0x1p-53 - 0.5;
        for (size_t k = 0; k < neighbours; k++)
            if (i >= k && i - k < n)
                values[i - k] += random / (double)neighbours;
    }
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        values[i] += 5 - sum / (double)n;
}

TEST(test_inference_batches_of_independent_values)
{
    const struct inference_mean mean = inference_batch_means(sleep_a, 10);

    NEAR(mean.mean, 0.75);
    NEAR(mean.error, 1.7890096577591625 / sqrt(10)); /* the standard deviation as R prints it */
    NEAR(mean.df, 9);
    assert_int_equal(mean.length, 1);
}

/* The true error of the mean of n values is that of n random ones, whose variance is 1/12, however they are smoothed.
 */
TEST(test_inference_batches_of_correlated_values)
{
    double values[1200];

    for (size_t neighbours = 1; neighbours <= 16; neighbours *= 4) {
        smooth(values, 1200, neighbours, 7);
        const struct inference_mean mean = inference_batch_means(values, 1200);
        const double error = sqrt(1.0 / 12 / 1200);
        NEAR(mean.mean, 5);
        assert_true(mean.error > 0.7 * error && mean.error < 1.3 * error);
        assert_true(neighbours == 1 ? mean.length == 1 : mean.length > neighbours && mean.length < 4 * neighbours);
        assert_true(mean.df == (double)(1200 / mean.length) - 1);
    }
}

TEST(test_inference_batches_of_few_and_of_constants)
{
    static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, same[] = {3, 3, 3};
    struct inference_mean mean = inference_batch_means(rising, 11);

    /* Five batches of 2 remain, without the first value: means 2.5, 4.5, ... */
    NEAR(mean.mean, 6);
    assert_int_equal(mean.length, 2);
    NEAR(mean.df, 4);
    NEAR(mean.error, sqrt(10.0 / 5));
    mean = inference_batch_means(same, 3);
    assert_true(mean.mean == 3 && mean.error == 0);
    mean = inference_batch_means(same, 1);
    assert_true(mean.mean == 3 && isnan(mean.error) && isnan(mean.df));
    assert_true(isnan(inference_batch_means(NULL, 0).error));
}

TEST(test_inference_student_p_is_the_inverse_of_the_critical_value)
{
    const double dfs[] = {1, 1.5, 2, 7.25, 30, 1e3, 1e6};

    for (size_t i = 0; i < COUNT(dfs); i++)
        for (double confidence = 0.1; confidence < 1; confidence += 0.17)
            NEAR(stats_student_p(-stats_student_t(confidence, dfs[i]), dfs[i]), 1 - confidence);
    NEAR(stats_student_p(1, 1), 0.5); /* Cauchy */
    NEAR(stats_student_p(INFINITY, 3), 0);
    assert_true(isnan(stats_student_p(NAN, 3)));
    assert_true(isnan(stats_student_p(1, 0.5)));
}

/* --- Ranks. --- */

/* All orders of 3 and 4 values are as likely: 35. */
TEST(test_inference_ranks_exact_by_counting)
{
    const double a[] = {1, 2, 3}, apart[] = {4, 5, 6, 7}, mixed[] = {2.5, 5, 6, 7};
    struct inference_rank rank;

    assert_int_equal(inference_mann_whitney(a, 3, apart, 4, &rank), 0);
    assert_true(rank.exact);
    NEAR(rank.u, 0);
    NEAR(rank.p, 2.0 / 35);
    assert_int_equal(inference_mann_whitney(a, 3, mixed, 4, &rank), 0);
    NEAR(rank.u, 1);
    NEAR(rank.p, 4.0 / 35);
    assert_int_equal(inference_mann_whitney(mixed, 4, a, 3, &rank), 0);
    NEAR(rank.u, 11);
    NEAR(rank.p, 4.0 / 35);
}

TEST(test_inference_ranks_exact_as_scipy)
{
    double a[8], b[8];
    struct inference_rank rank;

    for (size_t i = 0; i < 8; i++) {
        a[i] = (double)i;
        b[i] = (double)i + 4.5; /* above 5, 6, 7, 8, 8, ... of a: u = 3 + 2 + 1 */
    }
    assert_int_equal(inference_mann_whitney(a, 8, b, 8, &rank), 0);
    NEAR(rank.u, 6);
    NEAR(rank.p, 0.004662004662004662);
}

TEST(test_inference_ranks_with_ties)
{
    struct inference_rank rank;

    assert_int_equal(inference_mann_whitney(sleep_a, 10, sleep_b, 10, &rank), 0);
    assert_false(rank.exact);
    NEAR(rank.u, 25.5);
    assert_true(fabs(rank.p - 0.06932757543) < 1e-8);
}

TEST(test_inference_ranks_normal_without_ties_has_the_plain_variance)
{
    const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10};
    struct inference_rank rank;

    assert_int_equal(inference_mann_whitney_normal(a, 5, b, 5, &rank), 0);
    assert_false(rank.exact);
    NEAR(rank.p, erfc((12.5 - 0.5) / sqrt(25 * 11 / 12.0) / sqrt(2)));
}

TEST(test_inference_ranks_of_equal_and_of_no_values)
{
    const double same[] = {4, 4, 4};
    struct inference_rank rank;

    assert_int_equal(inference_mann_whitney(same, 3, same, 3, &rank), 0);
    NEAR(rank.p, 1);
    NEAR(rank.u, 4.5);
    assert_int_equal(inference_mann_whitney(same, 3, same, 0, &rank), -1);
    assert_true(isnan(rank.p));
}

TEST(test_inference_ranks_are_exact_below_50_values)
{
    double values[100];
    struct inference_rank rank;

    for (size_t i = 0; i < 100; i++)
        values[i] = (double)i;
    assert_int_equal(inference_mann_whitney(values, 49, values + 49, 49, &rank), 0);
    assert_true(rank.exact);
    NEAR(rank.p / inference_rank_least(49, 49), 1);
    assert_int_equal(inference_mann_whitney(values, 50, values + 50, 49, &rank), 0);
    assert_false(rank.exact);
    NEAR(inference_rank_least(3, 3), 0.1);
    NEAR(inference_rank_least(5, 5), 2.0 / 252);
    NEAR(inference_rank_least(1, 1), 1);
}

/* --- Holm. --- */

TEST(test_inference_holm_steps_down)
{
    /* 0.01 * 4, then 0.02 * 3, 0.03 * 2 which may not fall back below, and 0.9. */
    const double p[] = {0.9, 0.01, 0.03, 0.02}, expected[] = {0.9, 0.04, 0.06, 0.06};
    double adjusted[4];

    assert_int_equal(inference_holm(p, 4, adjusted), 0);
    for (size_t i = 0; i < 4; i++)
        NEAR(adjusted[i], expected[i]);
}

TEST(test_inference_holm_leaves_out_what_is_no_test)
{
    double p[] = {NAN, 0.02, NAN, 0.6, 0.8};

    assert_int_equal(inference_holm(p, 5, p), 0);
    assert_true(isnan(p[0]) && isnan(p[2]));
    NEAR(p[1], 0.06);
    NEAR(p[3], 1);
    NEAR(p[4], 1);
    assert_int_equal(inference_holm(p, 0, p), 0);
}

/* --- The ratio. --- */

static struct inference_ratio ratio_of(const double *a, size_t n_a, const double *b, size_t n_b)
{
    struct inference_ratio ratio;

    assert_int_equal(inference_ratio_of_medians(a, n_a, b, n_b, 0.95, 2000, 1, &ratio), 0);
    return ratio;
}

TEST(test_inference_ratio_is_that_of_the_medians)
{
    const double a[] = {12, 8, 10, 11, 9}, b[] = {24, 16, 20, 22, 18, 1000};
    const struct inference_ratio ratio = ratio_of(a, 5, b, 6), again = ratio_of(a, 5, b, 6);

    NEAR(ratio.ratio, 2.1);
    assert_true(ratio.low > 16.0 / 12 && ratio.low < 2.1 && ratio.high > 2.1);
    assert_memory_equal(&ratio, &again, sizeof(ratio));
}

/* The logarithms are 0, 1, 2 and 1, 2, 3: one apart, with an error of sqrt(2/3) and 4 degrees of freedom. */
TEST(test_inference_ratio_of_few_values_is_welchs)
{
    const double a[] = {1, exp(1), exp(2)}, b[] = {exp(1), exp(2), exp(3)};
    const struct inference_ratio ratio = ratio_of(a, 3, b, 3);
    const double half = 2.7764451051977987 * sqrt(2.0 / 3);

    NEAR(ratio.ratio, exp(1));
    NEAR(log(ratio.low), 1 - half);
    NEAR(log(ratio.high), 1 + half);
}

/* P(X >= k) of the binomial distribution. */
static double binomial_from(size_t k, size_t n, double p)
{
    double sum = 0;

    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

/* Returns the lower end of the interval of values over ones that leaves out so much on each side. below: of the
 * reciprocal of ones over values. */
static double lower_end(const double *values, size_t n, double left_out, bool below)
{
    const double ones[] = {1, 1, 1, 1, 1, 1};
    struct inference_ratio ratio;

    assert_int_equal(inference_ratio_of_medians(below ? values : ones, below ? n : 6, below ? ones : values,
                                                below ? 6 : n, 1 - 2 * left_out, 30000, 1, &ratio),
                     0);
    return below ? 1 / ratio.high : ratio.low;
}

/* The number of draws shows in how often their median is the rarer value. Of n values some are 1 and the rest 2: the
 * median of m draws, an even number, is 1 when at least m / 2 + 1 of them are, and the interval begins at 1 as long as
 * it leaves out less than that probability. One draw more or less makes that at least 1.4 times as large. */
TEST(test_inference_ratio_draws_an_even_number_of_values)
{
    static const struct {
        size_t n, ones, draws;
    } sides[] = {{5, 1, 6}, {6, 1, 6}, {7, 2, 8}, {8, 2, 10}, {9, 2, 10}, {10, 3, 12}, {11, 3, 12}, {24, 8, 26}};

    for (size_t i = 0; i < COUNT(sides); i++) {
        const size_t n = sides[i].n, draws = sides[i].draws;
        const double part = (double)sides[i].ones / (double)n, p = binomial_from(draws / 2 + 1, draws, part);
        double values[24];
        for (size_t k = 0; k < n; k++)
            values[k] = k < sides[i].ones ? 1 : 2;
        for (int below = 0; below <= 1; below++) {
            if (!(lower_end(values, n, 0.9 * p, below) == 1))
                fail_msg("%zu values: the median of the draws is rarely 1, which it is in %g", n, p);
            if (!(lower_end(values, n, 1.1 * p, below) > 1))
                fail_msg("%zu values: the median of the draws is 1 in more than %g", n, p);
        }
    }
}

TEST(test_inference_ratio_without_spread_or_values)
{
    const double same[] = {5, 5, 5}, twice[] = {10, 10}, zero[] = {0, 1, 2, 3, 4}, below[] = {-1, -2};

    NEAR(ratio_of(same, 3, twice, 2).low, 2);
    NEAR(ratio_of(same, 3, twice, 2).high, 2);
    NEAR(ratio_of(same, 1, twice, 2).ratio, 2);
    assert_true(isnan(ratio_of(same, 1, twice, 2).low));
    assert_true(isnan(ratio_of(zero, 5, same, 3).ratio));
    assert_true(isnan(ratio_of(same, 3, below, 2).ratio));
    assert_true(isnan(ratio_of(same, 0, same, 3).ratio));
}

/* 2 over the number of ways to choose n_a of n_a + n_b. */
TEST(test_inference_least_p_of_ranks)
{
    NEAR(inference_rank_least(3, 4), 2.0 / 35);
    NEAR(inference_rank_least(4, 3), 2.0 / 35);
    NEAR(inference_rank_least(2, 8), 2.0 / 45);
    NEAR(inference_rank_least(1, 39), 2.0 / 40);
    NEAR(inference_rank_least(10, 10), 2.0 / 184756);
    NEAR(inference_rank_least(1, 1), 1);
    NEAR(inference_rank_least(0, 5), 1); /* not 2 */
}

static int test_all(void)
{
    struct inference_rank rank;
    struct inference_ratio ratio;
    double p[3] = {0.5, (double)NAN, 0.01}, values[] = {1, 2, 3, 4, 5.5};

    return inference_mann_whitney(values, 5, sleep_b, 3, &rank) ||
                   inference_mann_whitney_normal(values, 5, sleep_b, 3, &rank) ||
                   inference_ratio_of_medians(values, 5, values, 5, 0.95, 20, 1, &ratio) || inference_holm(p, 3, p)
               ? -1
               : 0;
}

TEST(test_inference_without_memory_is_an_error)
{
    assert_int_equal(memory_needed(test_all), 4 + 1 + 4 + 1);
}

TEST(test_inference_without_memory_nothing_is_known)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6, 7};
    struct inference_rank rank;
    double p[2] = {0.5, 0.25};

    for (unsigned refused = 0; refused < 2; refused++) {
        allocations_before_refusal = refused;
        assert_int_equal(inference_mann_whitney(a, 3, b, 4, &rank), -1);
        assert_true(isnan(rank.u) && isnan(rank.p));
        assert_false(rank.exact);
    }
    allocations_before_refusal = 0;
    assert_int_equal(inference_holm(p, 2, p), -1);
    allocations_before_refusal = UINT_MAX;
    assert_true(isnan(p[0]) && isnan(p[1]));
}

static struct inference_adjusted adjusted(const struct inference_point *a, size_t n_a, const struct inference_point *b,
                                          size_t n_b, double x_error)
{
    struct inference_adjusted out;

    assert_int_equal(inference_adjusted(a, n_a, b, n_b, x_error, 1, &out), 0);
    return out;
}

/* As numpy.linalg.lstsq solves y = mean + difference in_b + slope x, with HC3 from its residuals and leverages. */
TEST(test_inference_adjusted_is_the_regression)
{
    static const struct inference_point a[] = {{-0.5, 3.1}, {-0.1, 3.45}, {-0.3, 3.2}, {0, 3.5}, {-0.6, 3.05}},
                                        b[] = {{-0.2, 3.6}, {-0.4, 3.4}, {-0.05, 3.75}, {-0.7, 3.1}};
    const struct inference_adjusted of = adjusted(a, 5, b, 4, 0), back = adjusted(b, 4, a, 5, 0);
    const struct inference_adjusted unsure = adjusted(a, 5, b, 4, 0.1);

    NEAR(of.slope, 0.889308176101);
    NEAR(of.spread, 0.266424741451);
    NEAR(of.difference, 0.235849056604);
    NEAR(of.error, 0.036522260888);
    NEAR(of.df, 6.991825621);
    NEAR(of.moved, 0.889308176101 * 0.0375);
    NEAR(of.unsure, 0);
    assert_true(of.p_t < 0.01 && of.p < 0.02);
    NEAR(back.difference, -of.difference);
    NEAR(back.error, of.error);
    NEAR(unsure.difference, of.difference);
    NEAR(unsure.unsure, fabs(of.moved) * 0.01 / (of.spread * of.spread - 0.01));
    assert_true(unsure.p_t > of.p_t);
}

/* The noise of the second side is five times that of the first, and one value of the first is far out. */
TEST(test_inference_adjusted_of_an_outlier)
{
    struct inference_point a[10], b[10];

    for (size_t i = 0; i < 10; i++) {
        const double noise = 0.01 * (double)(i * 7 % 10) - 0.045;
        a[i] = (struct inference_point){0.05 * (double)i, 0.05 * (double)i + noise / 5};
        b[i] = (struct inference_point){0.05 * (double)(9 - i), 0.05 * (double)(9 - i) + noise + 0.1};
    }
    const struct inference_adjusted clean = adjusted(a, 10, b, 10, 0);
    a[3].y += 1;
    const struct inference_adjusted of = adjusted(a, 10, b, 10, 0);
    assert_true(fabs(clean.difference - 0.1) < 0.01 && clean.p < 0.01);
    assert_true(fabs(of.difference - clean.difference) < 0.01 && of.p < 0.01);
    assert_true(of.error < 1.5 * clean.error);
}

TEST(test_inference_adjusted_of_too_few_or_constants)
{
    static const struct inference_point line[] = {{1, 3}, {2, 5}, {3, 7}}, above[] = {{1, 7}, {5, 15}, {2, 9}},
                                        constant[] = {{1, 3}, {1, 5}, {1, 4}};
    const struct inference_adjusted exact = adjusted(line, 3, above, 3, 0);

    NEAR(exact.slope, 2);
    NEAR(exact.difference, 4);
    NEAR(exact.error, 1e-9);
    assert_true(isnan(adjusted(line, 2, above, 3, 0).difference));
    assert_true(isnan(adjusted(line, 3, above, 2, 0).difference));
    assert_true(isnan(adjusted(constant, 3, constant, 3, 0).difference));
    assert_true(isnan(adjusted(line, 3, above, 3, 0.9).difference));
}
