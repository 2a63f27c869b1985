/* SPDX-License-Identifier: MIT */
/* The histogram against values entered one by one and figures worked out by hand. */
#include "stats/stats.h"

#include "../test.h"

/* relative to the expected value, absolute below 1; a macro, so that the failing line is named */
#define assert_near(actual, expected, tolerance) assert_true(is_near(actual, expected, tolerance))

static bool is_near(double actual, double expected, double tolerance)
{
    return fabs(actual - expected) <= tolerance * fmax(1, fabs(expected));
}

#define RANGE ((uint64_t)1 << 48)

/* Half a megabyte each: too big for the stack. */
static struct hist a, b, c, d;

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % n;
}

static void enter(struct hist *h, uint64_t base, const uint64_t *values, size_t n)
{
    hist_init(h, base);
    for (size_t i = 0; i < n; i++)
        hist_add(h, values[i]);
}

static uint64_t count_by_walking(const struct hist *h)
{
    struct hist_bin bin;
    size_t position = 0;
    uint64_t n = 0, last = 0;

    while (hist_next(h, &position, &bin)) {
        assert_true(bin.count > 0);
        assert_true(n == 0 || bin.low > last);
        assert_true(bin.mean >= (double)bin.low);
        last = bin.low;
        n += bin.count;
    }
    assert_false(hist_next(h, &position, &bin));
    return n;
}

static int compare_doubles(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;

    return (p > q) - (p < q);
}

TEST(test_hist_empty_is_nan)
{
    hist_init(&a, 100);
    assert_int_equal(a.n, 0);
    assert_true(isnan(hist_mean(&a)) && isnan(hist_sd(&a)) && isnan(hist_mad(&a)));
    assert_true(isnan(hist_quantile(&a, 0)) && isnan(hist_quantile(&a, 0.5)) && isnan(hist_quantile(&a, 1)));
    const struct hist_range range = hist_range(&a, -INFINITY, INFINITY);
    assert_true(range.count == 0 && range.sum == 0 && range.exact);
    assert_int_equal(count_by_walking(&a), 0);
}

TEST(test_hist_linear_part_agrees_with_python)
{
    /* the series of test_stats, from statistics: moved by 5000 */
    hist_init(&a, 5000);
    for (uint64_t i = 0; i < 1000; i++)
        hist_add(&a, 5000 + (i * 7919) % 1009);
    assert_near(hist_mean(&a), 5504.678, 1e-13);
    assert_near(hist_sd(&a), 291.50485999276134, 1e-13);
    assert_near(hist_quantile(&a, 0.5), 5505.5, 1e-13);
    assert_near(hist_quantile(&a, 0.9), 5907.1, 1e-13);
    assert_near(hist_quantile(&a, 0.99), 5998.01, 1e-13);
    assert_near(hist_quantile(&a, 0.999), 6007.001, 1e-13);
    assert_true(hist_mad(&a) == 252);
    assert_true(a.min == 5000 && a.max == 6008);
}

TEST(test_hist_quantile_error_is_at_most_a_64th)
{
    static double raw[2000];

    hist_init(&a, 0);
    for (size_t i = 0; i < COUNT(raw); i++) {
        const uint64_t value = (65536 + random_below(65536)) << random_below(31);
        hist_add(&a, value);
        raw[i] = (double)value;
    }
    qsort(raw, COUNT(raw), sizeof *raw, compare_doubles);
    for (int p = 0; p <= 1000; p++) {
        const double expected = stats_quantile(raw, COUNT(raw), p / 1000.0);
        assert_true(fabs(hist_quantile(&a, p / 1000.0) - expected) <= expected / 64);
    }
    assert_int_equal(count_by_walking(&a), COUNT(raw));
}

static void assert_bin_holds(uint64_t base, uint64_t offset)
{
    const uint64_t values[] = {base + offset};
    struct hist_bin bin;
    size_t position = 0;

    enter(&a, base, values, 1);
    assert_int_equal(a.underflow + a.overflow, 0);
    assert_true(hist_next(&a, &position, &bin));
    assert_int_equal(bin.count, 1);
    assert_true(bin.low <= base + offset);
    assert_true(base + offset - bin.low <= offset / 64);
    assert_true(bin.mean == (double)(base + offset));
}

TEST(test_hist_bins_are_at_most_a_64th_wide)
{
    /* the last value of a bin is the worst: each edge of the octaves' 64 bins, and the values beside it */
    for (unsigned octave = 16; octave < 48; octave += 3)
        for (uint64_t i = 0; i < 64; i += 7) {
            const uint64_t edge = (64 + i) << (octave - 6);
            assert_bin_holds(0, edge);
            assert_bin_holds(1000, edge - 1);
            assert_bin_holds(1000, edge + 1);
        }
    assert_bin_holds(0, RANGE - 1);
    for (int i = 0; i < 500; i++)
        assert_bin_holds(random_below(1u << 30), (65536 + random_below(65536)) << random_below(31));
}

TEST(test_hist_underflow_is_counted_with_its_exact_sum)
{
    const uint64_t values[] = {1000, 10, 999, 20};
    struct hist_bin bin;
    size_t position = 0;

    enter(&a, 1000, values, 4);
    assert_true(a.underflow == 3 && a.underflow_sum == 1029 && a.overflow == 0);
    assert_true(a.n == 4 && a.min == 10 && a.max == 1000);
    assert_true(hist_mean(&a) == 507.25);
    /* statistics.stdev([1000, 10, 999, 20]) */
    assert_near(hist_sd(&a), 568.4161474366001, 1e-13);
    assert_true(hist_next(&a, &position, &bin) && bin.low == 10 && bin.count == 3 && bin.mean == 343);
    assert_true(hist_next(&a, &position, &bin) && bin.low == 1000 && bin.count == 1);
    assert_true(hist_quantile(&a, 0) == 10);
    assert_true(hist_quantile(&a, 0.5) == 343);
    assert_near(hist_quantile(&a, 0.9), 343 + 0.7 * 657, 1e-13);
    assert_true(hist_quantile(&a, 1) == 1000);
}

TEST(test_hist_overflow_is_counted_with_its_exact_sum)
{
    const uint64_t values[] = {1000 + RANGE - 1, 1000 + RANGE, 1000 + RANGE + 6};
    struct hist_bin bin;
    size_t position = 0;

    enter(&a, 1000, values, 3);
    assert_true(a.overflow == 2 && a.overflow_sum == 2.0 * (double)RANGE + 2006 && a.underflow == 0);
    assert_true(hist_next(&a, &position, &bin) && bin.count == 1);
    assert_true(hist_next(&a, &position, &bin) && bin.low == 1000 + RANGE && bin.count == 2);
    assert_true(bin.mean == (double)RANGE + 1003);
    assert_true(hist_quantile(&a, 0.75) == (double)RANGE + 1003);
    assert_true(hist_quantile(&a, 1) == (double)RANGE + 1006);
    assert_int_equal(count_by_walking(&a), 3);
}

TEST(test_hist_sd_of_a_constant_is_exactly_zero)
{
    static const uint64_t constants[] = {0, 3, 500, 1007, 70123, 123456789, 1000000000007, RANGE - 1, RANGE * 7 + 1};

    for (size_t i = 0; i < COUNT(constants); i++)
        for (uint64_t base = 0; base <= 1000; base += 500) {
            hist_init(&a, base);
            for (int k = 0; k < 1237; k++)
                hist_add(&a, constants[i]);
            assert_true(hist_sd(&a) == 0);
            assert_true(hist_mad(&a) == 0);
            assert_true(hist_mean(&a) == (double)constants[i]);
            assert_true(hist_quantile(&a, 0.3) == (double)constants[i]);
        }
}

TEST(test_hist_sd_far_from_base_is_bounded_by_the_values)
{
    /* The sum of squares has steps of 512 here, the deviations' is 2: no spread above that of min and max may come. */
    const uint64_t values[] = {1000000000, 1000000001, 1000000002};
    for (uint64_t base = 0; base < 100; base++) {
        enter(&a, base, values, 3);
        assert_true(hist_sd(&a) <= sqrt(1.5));
    }
}

/* Merges the histogram with itself, times times: 2^times as many events. */
static void redouble(struct hist *h, unsigned times)
{
    static struct hist copy;

    while (times-- > 0) {
        copy = *h;
        hist_merge(h, &copy);
    }
}

TEST(test_hist_ten_billion_events_in_a_bin)
{
    const uint64_t many = (uint64_t)1 << 33, values[] = {50, 1007, 100000, 123456789, RANGE + 5000};

    enter(&a, 1000, values, COUNT(values));
    redouble(&a, 33);
    hist_add(&a, 1007);
    assert_true(a.linear[7] == many + 1 && a.underflow == many && a.overflow == many);
    assert_true(a.n == 5 * many + 1 && count_by_walking(&a) == a.n);
    assert_true(a.min == 50 && a.max == RANGE + 5000);
    hist_init(&b, 1000);
    hist_merge(&b, &a);
    hist_merge(&b, &a);
    assert_true(b.n == 10 * many + 2 && b.linear[7] == 2 * many + 2 && count_by_walking(&b) == b.n);
    assert_true(hist_quantile(&b, 0.3) == 1007 && hist_quantile(&b, 0.5) == 100000);
}

static void fill_random(struct hist *h, uint64_t base, int n)
{
    hist_init(h, base);
    for (int i = 0; i < n; i++)
        hist_add(h, random_below(i % 2 ? 3000 : 200000));
}

TEST(test_hist_merge_is_associative_and_exact)
{
    static struct hist left, right;

    fill_random(&a, 1000, 500);
    fill_random(&b, 1000, 300);
    fill_random(&c, 1000, 1);
    left = a;
    hist_merge(&left, &b);
    hist_merge(&left, &c);
    d = b;
    hist_merge(&d, &c);
    right = a;
    hist_merge(&right, &d);
    assert_memory_equal(&left, &right, sizeof left);
    assert_int_equal(count_by_walking(&left), 801);
}

TEST(test_hist_merge_equals_entering_all)
{
    hist_init(&a, 1000);
    hist_init(&b, 1000);
    hist_init(&c, 1000);
    for (int i = 0; i < 1000; i++) {
        const uint64_t value = random_below(i % 2 ? 3000 : 200000);
        hist_add(i % 3 ? &a : &b, value);
        hist_add(&c, value);
    }
    hist_merge(&a, &b);
    assert_memory_equal(&a, &c, sizeof a);
}

TEST(test_hist_merge_of_other_bases_keeps_counts_sums_and_extremes)
{
    /* all kinds of bins on both sides; statistics of all eight values from Python */
    const uint64_t first[] = {5, 60000, 90000, 1000000}, second[] = {40, 49990, 50100, 2000000};

    enter(&a, 10, first, 4);
    enter(&b, 50000, second, 4);
    c = a;
    hist_merge(&c, &b);
    d = b;
    hist_merge(&d, &a);
    const struct hist *merged[] = {&c, &d};
    for (size_t i = 0; i < 2; i++) {
        assert_true(merged[i]->n == 8 && count_by_walking(merged[i]) == 8);
        assert_true(merged[i]->min == 5 && merged[i]->max == 2000000);
        assert_near(hist_mean(merged[i]), 406266.875, 1e-14);
        assert_near(hist_sd(merged[i]), 726664.279130218, 1e-9);
        assert_true(hist_quantile(merged[i], 0) == 5 && hist_quantile(merged[i], 1) == 2000000);
    }
}

TEST(test_hist_range_says_when_a_limit_splits_a_bin)
{
    /* the bin of these three is 99328..100351, its mean 100133.3; 200000 is alone in its bin */
    const uint64_t values[] = {100000, 100100, 100300, 200000};
    struct hist_range r;

    enter(&a, 0, values, 4);
    r = hist_range(&a, 99327, 100351);
    assert_true(r.count == 3 && r.sum == 300400 && r.exact);
    r = hist_range(&a, 100351, INFINITY);
    assert_true(r.count == 1 && r.sum == 200000 && r.exact);
    r = hist_range(&a, 100100, INFINITY);
    assert_true(r.count == 4 && r.sum == 500400 && !r.exact);
    r = hist_range(&a, 0, 100100);
    assert_true(r.count == 0 && r.sum == 0 && !r.exact);
    r = hist_range(&a, 100200, INFINITY);
    assert_true(r.count == 1 && r.sum == 200000 && !r.exact);
    r = hist_range(&a, 199990, 200001);
    assert_true(r.count == 1 && r.sum == 200000 && r.exact);
    r = hist_range(&a, 200000, 300000);
    assert_true(r.count == 0 && r.exact);
}

TEST(test_hist_range_counts_underflow_and_overflow)
{
    const uint64_t values[] = {10, 30, 100, RANGE + 200, RANGE + 300};
    struct hist_range r;

    enter(&a, 100, values, 5);
    r = hist_range(&a, 0, 99);
    assert_true(r.count == 2 && r.sum == 40 && r.exact);
    r = hist_range(&a, 15, 99);
    assert_true(r.count == 2 && r.sum == 40 && !r.exact);
    r = hist_range(&a, 100, INFINITY);
    assert_true(r.count == 2 && r.sum == 2.0 * (double)RANGE + 500 && r.exact);
    r = hist_range(&a, 100, (double)RANGE + 250);
    assert_true(r.count == 2 && !r.exact);
}

TEST(test_hist_quantile_limits)
{
    /* the bin's mean is 100133.3, but the extremes are exact */
    const uint64_t values[] = {100000, 100100, 100300};
    enter(&a, 0, values, 3);
    assert_true(hist_quantile(&a, 0) == 100000 && hist_quantile(&a, -1) == 100000);
    assert_true(hist_quantile(&a, 1) == 100300 && hist_quantile(&a, 2) == 100300);
    assert_near(hist_quantile(&a, 0.001), 300400 / 3.0, 1e-15);
    assert_near(hist_quantile(&a, 0.999), 300400 / 3.0, 1e-15);
    assert_true(isnan(hist_quantile(&a, NAN)));
}

TEST(test_hist_mean_of_the_largest)
{
    hist_init(&a, 0);
    assert_true(isnan(hist_top_mean(&a, 0.01)));
    for (unsigned value = 1; value <= 200; value++)
        hist_add(&a, value);
    assert_true(hist_top_mean(&a, 0.01) == 199.5);
    assert_true(hist_top_mean(&a, 0.001) == 200); /* one at least */
    assert_true(hist_top_mean(&a, 1) == 100.5);
    hist_add(&a, 200); /* only a part of a bin */
    assert_true(hist_top_mean(&a, 3.0 / 201) == (200 + 200 + 199) / 3.0);
}

TEST(test_hist_mad_by_hand)
{
    /* median 3, deviations 2 1 0 1 99997: median 1 */
    const uint64_t odd[] = {1, 2, 3, 4, 100000};
    /* median 2.5, deviations 1.5 0.5 0.5 997.5: median 1 */
    const uint64_t even[] = {1, 2, 3, 1000};
    /* base above all: all in one bin, represented by its mean */
    const uint64_t low[] = {1, 2, 9};

    enter(&a, 0, odd, 5);
    assert_true(hist_mad(&a) == 1);
    enter(&a, 0, even, 4);
    assert_true(hist_mad(&a) == 1);
    enter(&a, 100, low, 3);
    assert_true(hist_mad(&a) == 0 && hist_quantile(&a, 0.5) == 4);
}

/* --- Classes. --- */

static void enter_classes(struct hist *h, uint64_t width, const uint64_t *values, size_t n)
{
    hist_init_classes(h, width);
    for (size_t i = 0; i < n; i++)
        hist_add_class(h, values[i]);
}

TEST(test_hist_classes_hold_a_width_each)
{
    const uint64_t values[] = {10000, 10999, 11000, 65535999, 65536000};
    struct hist_bin bin;
    size_t position = 0;

    enter_classes(&a, 1000, values, COUNT(values));
    assert_true(hist_next(&a, &position, &bin));
    assert_true(bin.low == 10000 && bin.count == 2);
    assert_true(hist_next(&a, &position, &bin));
    assert_true(bin.low == 11000 && bin.count == 1);
    assert_true(hist_next(&a, &position, &bin));
    assert_true(bin.low == 65535000 && bin.count == 1);
    assert_true(hist_next(&a, &position, &bin));
    assert_true(bin.low == 65536000 && bin.count == 1 && bin.mean == 65536000);
    assert_false(hist_next(&a, &position, &bin));
    assert_int_equal(count_by_walking(&a), 5);
}

TEST(test_hist_classes_merge)
{
    const uint64_t values[] = {10000, 10999, 77000, 99999999};

    enter_classes(&a, 1000, values, 2);
    enter_classes(&b, 1000, values + 2, 2);
    enter_classes(&c, 1000, values, 4);
    hist_merge(&a, &b);
    assert_memory_equal(&a, &c, sizeof(a));
    /* Another width: by the bins' means. */
    hist_init(&d, 0);
    hist_merge(&d, &a);
    assert_int_equal(d.n, 4);
    assert_true(d.min == 10000 && d.max == 99999999);
    assert_near(hist_mean(&d), hist_mean(&a), 1e-12);
    assert_int_equal(count_by_walking(&d), 4);
}
