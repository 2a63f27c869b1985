/* SPDX-License-Identifier: MIT */
/* Tests of two samples on known values, by hand or from scipy 1.10. `make stats` compares many more with scipy. */

#include "memory_fixture.h"
#include "stats/inference.h"
#include "stats/stats.h"

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
    struct inference_shift rank;

    assert_int_equal(inference_rank_test(a, 3, apart, 4, 0.95, &rank), 0);
    NEAR(rank.p, 2.0 / 35);
    assert_int_equal(inference_rank_test(a, 3, mixed, 4, 0.95, &rank), 0);
    NEAR(rank.p, 4.0 / 35);
    assert_int_equal(inference_rank_test(mixed, 4, a, 3, 0.95, &rank), 0);
    NEAR(rank.p, 4.0 / 35);
}

TEST(test_inference_ranks_exact_as_scipy)
{
    double a[8], b[8];
    struct inference_shift rank;

    for (size_t i = 0; i < 8; i++) {
        a[i] = (double)i;
        b[i] = (double)i + 4.5; /* above 5, 6, 7, 8, 8, ... of a: u = 3 + 2 + 1 */
    }
    assert_int_equal(inference_rank_test(a, 8, b, 8, 0.95, &rank), 0);
    NEAR(rank.p, 0.004662004662004662);
}

TEST(test_inference_ranks_with_ties)
{
    struct inference_shift rank;

    assert_int_equal(inference_rank_test(sleep_a, 10, sleep_b, 10, 0.95, &rank), 0);
    assert_true(fabs(rank.p - 0.06932757543) < 1e-8);
}

TEST(test_inference_ranks_of_equal_and_of_no_values)
{
    const double same[] = {4, 4, 4};
    struct inference_shift rank;

    assert_int_equal(inference_rank_test(same, 3, same, 3, 0.95, &rank), 0);
    NEAR(rank.p, 1);
    assert_int_equal(inference_rank_test(same, 3, same, 0, 0.95, &rank), 0);
    assert_true(isnan(rank.p));
}

TEST(test_inference_ranks_are_exact_below_50_values)
{
    double values[100];
    struct inference_shift rank;

    for (size_t i = 0; i < 100; i++)
        values[i] = (double)i;
    assert_int_equal(inference_rank_test(values, 49, values + 49, 49, 0.95, &rank), 0);
    NEAR(rank.p / inference_rank_least(49, 49), 1);
    assert_int_equal(inference_rank_test(values, 50, values + 50, 49, 0.95, &rank), 0);
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

    inference_holm(p, 4, adjusted);
    for (size_t i = 0; i < 4; i++)
        NEAR(adjusted[i], expected[i]);
}

TEST(test_inference_holm_leaves_out_what_is_no_test)
{
    double p[] = {NAN, 0.02, NAN, 0.6, 0.8};

    inference_holm(p, 5, p);
    assert_true(isnan(p[0]) && isnan(p[2]));
    NEAR(p[1], 0.06);
    NEAR(p[3], 1);
    NEAR(p[4], 1);
    inference_holm(p, 0, p);
}

/* --- The ratio. --- */

static struct inference_ratio ratio_of(const double *a, size_t n_a, const double *b, size_t n_b)
{
    struct inference_ratio ratio;

    inference_ratio(a, n_a, b, n_b, 0.95, &ratio);
    return ratio;
}

/* The interval leaves out one of the 20 ratios on each side: of 126 orders 2 have a U of at most 1, which is below 2.5
 * %, and 4 a U of at most 2. */
TEST(test_inference_ratio_is_that_of_the_ranks)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 7, 11, 13, 17};
    struct inference_ratio ratio = ratio_of(a, 4, b, 5);

    NEAR(ratio.ratio, sqrt(17.0 / 4 * 13 / 3));
    NEAR(ratio.low, 5.0 / 3);
    NEAR(ratio.high, 13);
    ratio = ratio_of(b, 5, a, 4);
    NEAR(ratio.ratio, 1 / sqrt(17.0 / 4 * 13 / 3));
    NEAR(ratio.low, 1 / 13.0);
    NEAR(ratio.high, 3.0 / 5);
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
    NEAR(ratio.error, sqrt(2.0 / 3));
    NEAR(ratio.df, 4);
}

TEST(test_inference_ratio_without_spread_or_values)
{
    const double same[] = {5, 5, 5}, twice[] = {10, 10}, zero[] = {0, 1, 2, 3, 4}, below[] = {-1, -2};

    NEAR(ratio_of(same, 3, twice, 2).low, 2);
    NEAR(ratio_of(same, 3, twice, 2).high, 2);
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
    NEAR(inference_rank_least(0, 1), 1);
    NEAR(inference_rank_least(0, 6), 2.0 / 64);
}

TEST(test_inference_without_memory_nothing_is_known)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6, 7};
    struct inference_shift shift;

    for (unsigned refused = 0; refused < 5; refused++) {
        allocations_before_refusal = refused;
        assert_int_equal(inference_rank_test(a, 3, b, 4, 0.95, &shift), -1);
        assert_true(isnan(shift.p) && isnan(shift.low) && isnan(shift.centre));
    }
    allocations_before_refusal = UINT_MAX;
}

/* Points of a covariate and a value. */
struct point {
    double x, y;
};

static struct inference_adjusted adjusted(const struct point *a, size_t n_a, const struct point *b, size_t n_b,
                                          double x_error)
{
    struct inference_adjusted out;
    double x[20], y[20];

    for (size_t i = 0; i < n_a + n_b; i++) {
        x[i] = i < n_a ? a[i].x : b[i - n_a].x;
        y[i] = i < n_a ? a[i].y : b[i - n_a].y;
    }
    inference_adjusted(x, y, n_a, n_b, x_error, &out);
    return out;
}

/* As numpy.linalg.lstsq solves y = mean + difference in_b + slope x, with HC3 from its residuals and leverages. */
TEST(test_inference_adjusted_is_the_regression)
{
    static const struct point a[] = {{-0.5, 3.1}, {-0.1, 3.45}, {-0.3, 3.2}, {0, 3.5}, {-0.6, 3.05}},
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
    struct point a[10], b[10];

    for (size_t i = 0; i < 10; i++) {
        const double noise = 0.01 * (double)(i * 7 % 10) - 0.045;
        a[i] = (struct point){0.05 * (double)i, 0.05 * (double)i + noise / 5};
        b[i] = (struct point){0.05 * (double)(9 - i), 0.05 * (double)(9 - i) + noise + 0.1};
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
    static const struct point line[] = {{1, 3}, {2, 5}, {3, 7}}, above[] = {{1, 7}, {5, 15}, {2, 9}},
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
