/* SPDX-License-Identifier: MIT */
/* Tests for pairs on published values, and their false claims and power by simulation. */

#include "memory_fixture.h"
#include "normal_fixture.h"
#include "stats/inference.h"
#include "stats/stats.h"

#define NEAR(got, expected) assert_near(got, expected, __LINE__)

static void assert_near(double got, double expected, int line)
{
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("line %d: %.17g is not %.17g", line, got, expected);
}

static struct inference_shift test_of(const double *differences, size_t n)
{
    struct inference_shift paired;

    assert_int_equal(inference_rank_test(NULL, 0, differences, n, 0.95, &paired), 0);
    assert_int_equal(paired.n, n);
    return paired;
}

/* Depression scale factors before and after tranquilizers (Hollander, Wolfe 1973, p. 29), as R's help of wilcox.test
 * has them: V = 40, two-sided p = 0.03906, (pseudo)median 0.46, interval 0.010 to 0.786. */
TEST(test_pairs_of_hollander_and_wolfe)
{
    const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double d[COUNT(x)];

    for (size_t i = 0; i < COUNT(x); i++)
        d[i] = x[i] - y[i];
    const struct inference_shift paired = test_of(d, COUNT(d));
    NEAR(paired.p, 20.0 / 512);
    NEAR(paired.centre, 0.46);
    NEAR(paired.low, 0.010);
    NEAR(paired.high, 0.786);
}

/* Darwin's maize, in eighths of an inch (Fisher 1935, chapter III), among it two large differences of the other sign.
 * The negative ranks sum to 24; 676 of the 2^15 flips have a sum as small. */
static const double darwin[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

TEST(test_pairs_of_darwin)
{
    const struct inference_shift paired = test_of(darwin, COUNT(darwin));

    NEAR(paired.p, 2 * 676.0 / 32768);
    assert_true(paired.low > 0 && paired.low < paired.centre && paired.centre < paired.high);
}

/* Ties share their mean rank, and differences of 0 have none: |d| = 0, 1, 1, 1, 2, 2, 5 have ranks 0, 3, 3,
 * 3, 5.5, 5.5,
 * 7. All 2^6 flips of the others are tried. */
TEST(test_pairs_p_with_ties_and_zeros)
{
    const double d[] = {1, 2, 0, -1, 5, 1, 2}, ranks[] = {3, 5.5, 3, 7, 3, 5.5};
    unsigned extreme = 0;

    for (unsigned flip = 0; flip < 64; flip++) {
        double positive = 0;
        for (unsigned i = 0; i < 6; i++)
            positive += flip >> i & 1 ? ranks[i] : 0;
        extreme += positive <= 3 || positive >= 24;
    }
    NEAR(test_of(d, COUNT(d)).p, extreme / 64.0);
}

/* The interval has what the test does not reject: just inside of its ends it does not, just outside it does. Both below
 * and above the number of pairs up to which the test is exact. */
TEST(test_pairs_interval_is_what_the_test_does_not_reject)
{
    double d[90], shifted[90];

    seed = 7;
    for (size_t i = 0; i < COUNT(d); i++)
        d[i] = 1 + normal();
    for (size_t n = 15; n <= COUNT(d); n += 15) {
        const struct inference_shift paired = test_of(d, n);
        for (int side = 0; side < 4; side++) {
            const double step = side % 2 ? 1e-9 : -1e-9, by = (side < 2 ? paired.low : paired.high) + step;
            for (size_t i = 0; i < n; i++)
                shifted[i] = d[i] - by;
            const bool outside = side == 0 || side == 3;
            assert_int_equal(test_of(shifted, n).p < 0.05, outside);
        }
    }
}

/* Five pairs cannot be significant, however alike they are; six can, and their interval is their range. */
TEST(test_pairs_are_at_least_six)
{
    const double d[] = {3, 1, 2, 4, 5, 6};
    const struct inference_shift five = test_of(d, PAIRED_LEAST - 1), six = test_of(d, PAIRED_LEAST);

    NEAR(five.p, 2.0 / 32);
    assert_true(isnan(five.low) && isnan(five.high));
    NEAR(five.centre, 3);
    NEAR(six.p, 2.0 / 64);
    assert_true(six.low == 1 && six.high == 6);
}

TEST(test_pairs_without_differences)
{
    const double zeros[8] = {0}, infinite[] = {1, 2, 3, 4, 5, 6, (double)INFINITY, 8};
    const struct inference_shift none = test_of(zeros, 8), wrong = test_of(infinite, 8), empty = test_of(zeros, 0);

    assert_true(none.p == 1 && none.centre == 0 && none.low == 0 && none.high == 0);
    assert_true(isnan(wrong.p) && isnan(wrong.centre) && isnan(wrong.low) && isnan(wrong.high));
    assert_true(isnan(empty.p) && isnan(empty.centre));
}

TEST(test_pairs_log_ratios)
{
    const double a[] = {1, 3, 2, 2, 9}, b[] = {2, 2, 4, 4, 9}, zero[] = {1, 1, 0, 0, 1};
    double out[5];

    assert_int_equal(paired_log_ratios(a, b, 5, 2, out), 2);
    NEAR(out[0], 0);
    NEAR(out[1], log(2));
    assert_int_equal(paired_log_ratios(a, b, 5, 1, out), 5);
    assert_int_equal(paired_log_ratios(a, zero, 5, 2, out), 0);
    assert_int_equal(paired_log_ratios(zero, b, 5, 2, out), 0);
    assert_int_equal(paired_log_ratios(a, b, 1, 2, out), 0);
}

/* --- By simulation. --- */

/* A difference as machines have them: mostly small, one in eight ten times as large. */
static double noise(void)
{
    return normal() * (uniform() < 0.125 ? 10 : 1);
}

static bool claimed(const double *d, size_t n, size_t planned)
{
    struct paired_looks looks;

    assert_int_equal(paired_sequential(d, n, planned, 0.05, &looks), 0);
    return looks.claimed;
}

static double level_of_looks(const double *d, size_t n, size_t planned)
{
    struct paired_looks looks;

    assert_int_equal(paired_sequential(d, n, planned, 0.05, &looks), 0);
    return looks.level;
}

/* Returns how many of the trials claim a difference in up to 22 pairs, looking at 8, 10, 12, 15, 18 and 22; naive: at
 * any look by the test that is for one look. */
static unsigned claims_of(unsigned trials, double shift, bool naive)
{
    unsigned claims = 0;
    double d[22];

    for (unsigned t = 0; t < trials; t++) {
        bool claim = false;
        for (size_t i = 0; i < COUNT(d); i++)
            d[i] = shift + noise();
        for (size_t n = 1; naive && n <= COUNT(d); n++)
            claim |= paired_is_look(n) && test_of(d, n).p < 0.05;
        claims += naive ? claim : claimed(d, COUNT(d), COUNT(d));
    }
    return claims;
}

/* With all looks in, one trial in twenty at most claims a difference that is not there; the test for one look, made at
 * every look, does so in more than twice as many. A real difference is found. */
TEST(test_pairs_false_claims_with_stopping)
{
    seed = 3;
    const unsigned sequential = claims_of(120, 0, false), naive = claims_of(120, 0, true);
    const unsigned found = claims_of(60, 1.5, false);

    printf("false claims in 120: %u, at each look on its own: %u; found in 60: %u\n", sequential, naive, found);
    assert_int_equal(sequential, 8); /* 6 expected; the seed is fixed */
    assert_int_equal(naive, 15);
    assert_int_equal(found, 57);
}

/* A large difference is claimed at the first or second look of many, and what was claimed stays claimed. */
TEST(test_pairs_sequential_ends_early)
{
    double d[400];

    seed = 5;
    for (size_t i = 0; i < COUNT(d); i++)
        d[i] = 5 + normal();
    assert_false(claimed(d, 5, 400));
    assert_false(claimed(d, 8, 400)); /* 1 in 128 by chance, and a thousandth is spent */
    assert_true(claimed(d, 15, 400));
    for (size_t i = 15; i < COUNT(d); i++)
        d[i] = normal();
    assert_true(claimed(d, 400, 400));
    assert_true(level_of_looks(d, 400, 400) == 0); /* there is none at the look that claims, after a few pairs */
    for (size_t i = 0; i < COUNT(d); i++)
        d[i] = 0;
    assert_false(claimed(d, 400, 400));
}

/* The level of the one look at eight pairs: of the 256 flips of their signs ten have a sum of ranks of at most 3, which
 * is 3.9 %; at most 4 have 14, more than the 5 % of which the look may spend all. Twice as many planned pairs leave it
 * 2.5 %: at most 2 have six, 2.3 %, unless by chance too many of the 2,048 random flips. */
TEST(test_pairs_level_of_a_look)
{
    const double d[] = {1, -2, 3, -4, 5, -6, 7, 8}, ties[] = {1, -1, 1, -1, 1, -1, 1, -1};
    const double all = level_of_looks(d, 8, 8), half = level_of_looks(d, 8, 16);

    assert_true(all > 0.030 && all < 0.048);
    assert_true(half > 0.010 && half <= 0.025);
    assert_true(half < all);
    assert_true(level_of_looks(d, 8, 800) == 0); /* a look that may spend one flip, of which there are more */
    /* With equal ranks the sums differ by two: all of one sign have 0.8 %, at most one of the other 7 %. */
    const double tied = level_of_looks(ties, 8, 8);
    assert_true(tied > 0.003 && tied < 0.014);
}

TEST(test_pairs_looks)
{
    unsigned looks = 0;

    assert_false(paired_is_look(0));
    assert_false(paired_is_look(7));
    assert_true(paired_is_look(8) && paired_is_look(10) && paired_is_look(12) && paired_is_look(15));
    assert_false(paired_is_look(9));
    for (size_t n = 0; n < 10000; n++)
        looks += paired_is_look(n);
    assert_in_range(looks, 25, 40);
}

/* Measures two sides that are alike, and then a difference that is the least effect of the first measurement. Returns
 * how many of the latter find it. */
static unsigned find_effect(double (*draw)(void), size_t n, bool sequential, unsigned trials)
{
    double d[20];
    unsigned found = 0;

    for (unsigned t = 0; t < trials; t++) {
        for (size_t i = 0; i < n; i++)
            d[i] = draw();
        struct inference_shift shift = test_of(d, n);
        const double least = paired_least_effect(&shift, n, sequential, 0, 0.05, 0.8);
        for (size_t i = 0; i < n; i++)
            d[i] = least + draw();
        shift = test_of(d, n);
        found += sequential ? claimed(d, n, n) && shift.low > 0 : shift.low > 0;
    }
    printf("least effect of %zu pairs: found in %u of %u\n", n, found, trials);
    return found;
}

/* The least effect is found in 80 % of measurements, although so few differences tell badly how large the noise is. */
TEST(test_pairs_least_effect_is_found)
{
    seed = 11;
    assert_int_equal(find_effect(normal, 8, false, 200), 153);
    assert_int_equal(find_effect(normal, 12, true, 50), 37);
}

/* The half-width, and 0.84 / 1.96 of it more for 80 %. Twice as many pairs, with looks 30 % more, and at least as large
 * as with the few pairs with which the interval is narrow. */
TEST(test_pairs_least_effect)
{
    const struct inference_shift shift = {.n = 100000, .low = -1, .high = 1}, unknown = {.n = 5, .low = (double)NAN};
    const double least = paired_least_effect(&shift, 100000, false, 0, 0.05, 0.8);

    assert_true(fabs(least - (1 + 0.8416 / 1.95996)) < 1e-4);
    NEAR(paired_least_effect(&shift, 200000, false, 0, 0.05, 0.8), least / sqrt(2));
    NEAR(paired_least_effect(&shift, 100000, true, 0, 0.05, 0.8), least * sqrt(1.3));
    NEAR(paired_least_effect(&shift, 100000, true, 4, 0.05, 0.8), 2 * least);
    NEAR(paired_least_effect(&shift, 100000, true, 1, 0.05, 0.8), least * sqrt(1.3));
    assert_true(isinf(paired_least_effect(&shift, 5, false, 0, 0.05, 0.8)));
    assert_true(isfinite(paired_least_effect(&shift, 6, false, 0, 0.05, 0.8)));
    assert_true(isnan(paired_least_effect(&unknown, 20, false, 0, 0.05, 0.8)));
}

static int test_darwin(void)
{
    struct inference_shift paired;

    return inference_rank_test(NULL, 0, darwin, COUNT(darwin), 0.95, &paired);
}

static int test_darwin_in_turn(void)
{
    struct paired_looks looks;

    return paired_sequential(darwin, COUNT(darwin), 20, 0.05, &looks);
}

TEST(test_pairs_out_of_memory)
{
    assert_int_equal(memory_needed(test_darwin), 5);
    assert_int_equal(memory_needed(test_darwin_in_turn), 3);
}
