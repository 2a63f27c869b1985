/* SPDX-License-Identifier: MIT */
/* The rule by which a difference counts as a change. test_coverage.c tests its error rates. */

#include "analysis/compare_samples.h"
#include "fixture.h"
#include "stats/stats.h"

#define NEAR(got, expected) assert_true(fabs((got) - (expected)) <= 1e-9 * fmax(1, fabs(1.0 * (expected))))
/* A run whose share of the core is not known. */
#define RUN(values, number) \
    { \
        .samples = (values), .n = (number) \
    }

/* Ten samples around a level: spread times -4.5 to 4.5, in an order without drift. */
#define N 10
struct ten {
    double samples[N];
    struct comparison_run run;
};

static void fill(struct ten *ten, double level, double spread)
{
    static const int order[N] = {0, 9, 3, 6, 5, 4, 7, 2, 8, 1};

    for (size_t i = 0; i < N; i++)
        ten->samples[i] = level + spread * (order[i] - 4.5);
    ten->run = (struct comparison_run){.samples = ten->samples, .n = N};
}

static struct comparison measure_order(const struct comparison_run *base, size_t n_base,
                                       const struct comparison_run *changed, size_t n_changed,
                                       enum comparison_order order)
{
    struct comparison c;

    comparison_measure(&(struct comparison_side){base, n_base}, &(struct comparison_side){changed, n_changed}, order,
                       &c);
    return c;
}

static struct comparison measure(const struct comparison_run *base, size_t n_base, const struct comparison_run *changed,
                                 size_t n_changed)
{
    return measure_order(base, n_base, changed, n_changed, ORDER_APART);
}

static void judge(struct comparison *c, size_t n)
{
    comparison_judge(c, n, 0.95, 0.01);
}

/* Three runs a side whose samples lie close together and whose levels do not: nothing changed. */
TEST(test_comparison_of_runs_tests_their_means)
{
    static const double base[] = {100, 104, 108}, same[] = {106, 110, 102}, slower[] = {150, 154, 158};
    struct ten ten[3][3];
    struct comparison_run runs[3][3];

    for (size_t i = 0; i < 3; i++)
        for (size_t side = 0; side < 3; side++) {
            fill(&ten[side][i], side == 0 ? base[i] : side == 1 ? same[i] : slower[i], 0.01);
            runs[side][i] = ten[side][i].run;
        }
    struct comparison a = measure(runs[0], 3, runs[1], 3), b = measure(runs[0], 3, runs[2], 3);
    assert_int_equal(a.tested, TESTED_RUNS);
    assert_int_equal(a.n_base, 3);
    NEAR(a.changed, a.base * a.ratio);
    assert_true(fabs(a.base - 104) < 1);
    judge(&a, 1);
    judge(&b, 1);
    assert_int_equal(a.change, CHANGE_NONE);
    assert_int_equal(b.change, CHANGE_HIGHER);
    assert_true(b.p != b.p_permutation); /* three and three values have no p below 0.1 */
    assert_int_equal(measure(runs[0], 3, runs[1], 2).tested, TESTED_WITHIN);
}

/* Six runs a side on a machine that becomes slower: 2 % are lost in the drift, unless the runs are taken as pairs. */
TEST(test_comparison_of_runs_that_alternate)
{
    static const double drift[] = {100, 108, 117, 126, 133, 141}, noise[] = {1, 1.001, 0.999, 1.002, 1, 0.998};
    double after[6];
    struct comparison_run base[6], changed[6];

    for (size_t i = 0; i < 6; i++) {
        after[i] = drift[i] * 1.02 * noise[i];
        base[i] = (struct comparison_run)RUN(&drift[i], 1);
        changed[i] = (struct comparison_run)RUN(&after[i], 1);
    }
    struct comparison apart = measure(base, 6, changed, 6);
    struct comparison pairs = measure_order(base, 6, changed, 6, ORDER_RUNS_ALTERNATE);
    assert_int_equal(apart.tested, TESTED_RUNS);
    assert_int_equal(pairs.tested, TESTED_PAIRS);
    assert_int_equal(pairs.n_new, 6);
    NEAR(pairs.p_permutation, 2.0 / 64);
    assert_true(pairs.ratio > 1.0199 && pairs.ratio < 1.0201);
    assert_true(pairs.low > 1.018 && pairs.high < 1.022);
    judge(&apart, 1);
    judge(&pairs, 1);
    assert_int_equal(apart.change, CHANGE_NONE);
    assert_int_equal(apart.doubt, DOUBT_CHANCE);
    assert_true(apart.least > 0.1);
    assert_int_equal(pairs.change, CHANGE_HIGHER);
    assert_true(pairs.p == pairs.p_permutation);
    assert_true(pairs.least > 0.01 && pairs.least < 0.011); /* hardly more than what counts */
    /* Of 20 rows, 6 pairs have no permutation that is rare enough. */
    struct comparison table[20];
    for (size_t i = 0; i < 20; i++)
        table[i] = pairs;
    judge(table, 20);
    assert_true(table[19].p != table[19].p_permutation);
    assert_int_equal(table[19].change, CHANGE_HIGHER);
    assert_int_equal(measure_order(base, 6, changed, 5, ORDER_RUNS_ALTERNATE).tested, TESTED_RUNS);
    assert_int_equal(measure_order(base, 2, changed, 2, ORDER_RUNS_ALTERNATE).tested, TESTED_WITHIN);
}

/* Blocks A B B A of one session, and one sample more on a side that has no partner. */
TEST(test_comparison_of_samples_that_alternate)
{
    double before[13], after[12];

    for (size_t i = 0; i < 13; i++)
        before[i] = 100 + 10 * (double)(i / 2) + (double)(i % 2);
    for (size_t i = 0; i < 12; i++)
        after[i] = before[i ^ 1] * (i < 2 ? 1.029 : 1.03);
    const struct comparison_run a = RUN(before, 13), b = RUN(after, 12), few = RUN(after, 11);
    struct comparison c = measure_order(&a, 1, &b, 1, ORDER_SAMPLES_ALTERNATE);

    assert_int_equal(c.tested, TESTED_PAIRS);
    assert_int_equal(c.n_base, 6);
    assert_true(c.low > 1.029 && c.high < 1.0305);
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_HIGHER);
    assert_int_equal(measure_order(&a, 1, &few, 1, ORDER_SAMPLES_ALTERNATE).tested, TESTED_WITHIN);
    assert_int_equal(measure_order(&a, 1, &b, 1, ORDER_RUNS_ALTERNATE).tested, TESTED_WITHIN);
}

/* Each run is one value, level and spread as of fill(). */
static struct comparison of_runs(double base, double changed, double spread)
{
    struct ten a, b;
    struct comparison_run before[N], after[N];

    fill(&a, base, spread);
    fill(&b, changed, spread * changed / (base ? base : 1));
    for (size_t i = 0; i < N; i++) {
        before[i] = (struct comparison_run)RUN(&a.samples[i], 1);
        after[i] = (struct comparison_run)RUN(&b.samples[i], 1);
    }
    return measure(before, N, after, N);
}

/* Without logarithms the differences themselves are tested, and there is no ratio. */
TEST(test_comparison_of_pairs_with_zeros)
{
    static const double before[] = {0, 1, 0, 2, 0, 1}, after[] = {5, 7, 5, 6, 8, 7};
    struct comparison_run base[6], changed[6];

    for (size_t i = 0; i < 6; i++) {
        base[i] = (struct comparison_run)RUN(&before[i], 1);
        changed[i] = (struct comparison_run)RUN(&after[i], 1);
    }
    struct comparison c = measure_order(base, 6, changed, 6, ORDER_RUNS_ALTERNATE);
    assert_int_equal(c.tested, TESTED_PAIRS);
    assert_true(isnan(c.ratio) && isnan(c.low));
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_HIGHER);
    assert_true(isnan(c.least));
    c = measure_order(base, 6, base, 6, ORDER_RUNS_ALTERNATE);
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_NONE);
}

TEST(test_comparison_corrects_for_all_that_are_judged)
{
    struct comparison c[40];

    for (size_t i = 0; i < 40; i++)
        c[i] = of_runs(100, i ? 100 : 103.2, 0.76);
    judge(c, 1);
    assert_int_equal(c[0].change, CHANGE_HIGHER);
    const double least = c[0].least;
    judge(c, 40);
    assert_int_equal(c[0].doubt, DOUBT_CHANCE);
    NEAR(c[0].p_adjusted, 40 * c[0].p);
    assert_true(c[0].least > 1.3 * least);
}

/* To Welch the difference between constants is beyond doubt. */
TEST(test_comparison_of_constants_goes_by_permutations)
{
    static const double low = 22, high = 24;
    const struct comparison_run a[] = {RUN(&low, 1), RUN(&low, 1), RUN(&low, 1)},
                                b[] = {RUN(&high, 1), RUN(&high, 1), RUN(&high, 1)};
    struct comparison c = measure(a, 3, b, 3), ten = of_runs(22, 24, 0);

    judge(&c, 1);
    assert_true(c.p == c.p_permutation);
    assert_true(c.p > 0.01 && isnan(c.least));
    judge(&ten, 1);
    assert_int_equal(ten.change, CHANGE_HIGHER);
    assert_int_equal(of_runs(22, 22, 0).change, CHANGE_UNKNOWN); /* not judged yet */
}

TEST(test_comparison_from_zero)
{
    struct ten a, b;

    fill(&a, 0, 0);
    fill(&b, 50, 1);
    struct comparison c = measure(&a.run, 1, &b.run, 1), runs = of_runs(0, 50, 0.01);
    assert_true(isnan(c.ratio) && isnan(c.low) && isnan(c.least));
    assert_int_equal(c.tested, TESTED_WITHIN);
    judge(&runs, 1);
    assert_true(isnan(runs.ratio));
    assert_int_equal(runs.change, CHANGE_HIGHER);
}

/* --- Runs at the same share of the core. --- */

#define SHARED 6
static const double shares[2][SHARED] = {{0.9, 0.5, 0.7, 1, 0.6, 0.8}, {0.55, 0.95, 0.65, 0.75, 0.6, 0.5}};

/* Measures runs whose values go with share^0.5, and are higher by the factor in the second side. */
static struct comparison measure_shared(const double of[2][SHARED], size_t n, double factor,
                                        enum comparison_order order)
{
    static struct ten ten[2][SHARED];
    struct comparison_run runs[2][SHARED];

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++) {
            const double noise = 1 + 0.001 * (double)(i * 5 % SHARED);
            fill(&ten[side][i], 100 * noise * (side ? factor : 1) * sqrt(shares[side][i]), 0.1);
            runs[side][i] = ten[side][i].run;
            runs[side][i].share = of[side][i];
        }
    return measure_order(runs[0], n, runs[1], n, order);
}

TEST(test_comparison_at_the_same_share)
{
    struct comparison c = measure_shared(shares, SHARED, 1.1, ORDER_APART);
    double sum = 0;

    for (size_t i = 0; i < 2 * SHARED; i++)
        sum += log(shares[i / SHARED][i % SHARED]);
    assert_int_equal(c.tested, TESTED_RUNS);
    assert_int_equal(c.n_base, SHARED);
    NEAR(c.share, exp(sum / (2 * SHARED)));
    assert_true(fabs(c.slope - 0.5) < 0.01);
    assert_true(fabs(c.ratio - 1.1) < 0.002);
    assert_true(c.low < 1.1 && 1.1 < c.high && c.high - c.low < 0.01);
    assert_true(c.df > SHARED - 1 && c.df < 2 * SHARED);
    NEAR(c.raw.share[0], 0.75);
    NEAR(c.raw.share[1], 4.0 / 6);
    NEAR(c.raw.moved, 0); /* the shares differ no more than by chance */
    /* The medians are at that share too. */
    assert_true(fabs(c.base - 100.25 * sqrt(c.share)) < 0.2);
    assert_true(fabs(c.changed / c.base - 1.1) < 0.003);
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_HIGHER);

    c = measure_shared(shares, SHARED, 1, ORDER_APART);
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_NONE);
    assert_true(c.least < 0.02);
}

/* The second side had 0.6 to 0.75 of the core, the first all of it: what is claimed at the same share (nothing) and as
 * measured (a change) differs, and the data cannot tell which is right. Where both claim the same, it is claimed. */
TEST(test_comparison_that_hangs_on_the_share)
{
    static const double of[2][SHARED] = {{0.9, 0.95, 0.98, 1, 0.92, 0.97}, {0.6, 0.7, 0.65, 0.75, 0.68, 0.62}};
    static const struct {
        double factor;
        enum comparison_change change;
        enum comparison_doubt doubt;
    } cases[] = {{1, CHANGE_UNKNOWN, DOUBT_SHARE}, {1.3, CHANGE_UNKNOWN, DOUBT_SHARE}, {0.7, CHANGE_LOWER, DOUBT_NOT}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        double values[2][SHARED];
        struct comparison_run runs[2][SHARED];
        for (size_t k = 0; k < 2 * SHARED; k++) {
            const size_t side = k / SHARED, r = k % SHARED;
            values[side][r] = 100 * of[side][r] * (1 + 0.002 * (double)(r * 5 % SHARED)) * (side ? cases[i].factor : 1);
            runs[side][r] = (struct comparison_run)RUN(&values[side][r], 1);
            runs[side][r].share = of[side][r];
        }
        struct comparison c = measure(runs[0], SHARED, runs[1], SHARED);
        assert_true(fabs(c.ratio / cases[i].factor - 1) < 0.03);
        assert_true(c.raw.moved > 0.3 && c.raw.ratio < 0.75 * cases[i].factor);
        judge(&c, 1);
        assert_int_equal(c.change, cases[i].change);
        assert_int_equal(c.doubt, cases[i].doubt);
    }
}

/* Runs of 2, 5 and 3 samples, without noise in their halves: what each field is worked out from. */
TEST(test_comparison_fields_of_unequal_runs)
{
    static const double a[] = {10, 12}, b[] = {11, 13, 12, 10, 14}, c[] = {30, 31, 35};
    const struct comparison_run base[] = {RUN(a, 2), RUN(b, 5)}, changed[] = {RUN(c, 3)};
    const struct comparison found = measure(base, 2, changed, 1), back = measure(changed, 1, base, 2);

    assert_int_equal(found.tested, TESTED_WITHIN);
    assert_int_equal(found.n_base, 7);
    assert_int_equal(found.n_new, 3);
    assert_int_equal(back.n_base, 3);
    assert_int_equal(back.n_new, 7);
    NEAR(found.base, 12);
    NEAR(found.changed, found.base * found.ratio);
    /* Geometric means: of the base that of its runs' means. */
    const double of_base = sqrt(sqrt(10.0 * 12) * pow(11.0 * 13 * 12 * 10 * 14, 0.2));
    NEAR(found.ratio, cbrt(30.0 * 31 * 35) / of_base);
    NEAR(back.ratio * found.ratio, 1);
    NEAR(found.error, back.error);
}
