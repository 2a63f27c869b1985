/* SPDX-License-Identifier: MIT */
/* The rule by which a difference counts as a change. test_coverage.c tests its error rates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compare_samples.h"
#include "memory_fixture.h"

#define NEAR(got, expected) assert_true(fabs((got) - (expected)) <= 1e-9 * fmax(1, fabs(1.0 * (expected))))

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

static struct comparison measure(const struct comparison_run *base, size_t n_base, const struct comparison_run *changed,
                                 size_t n_changed)
{
    struct comparison c;

    assert_int_equal(
        comparison_measure(&(struct comparison_side){base, n_base}, &(struct comparison_side){changed, n_changed}, &c),
        0);
    return c;
}

static struct comparison one_a_side(double base, double changed, double spread)
{
    struct ten a, b;

    fill(&a, base, spread);
    fill(&b, changed, spread * changed / (base ? base : 1));
    return measure(&a.run, 1, &b.run, 1);
}

static void judge(struct comparison *c, size_t n)
{
    assert_int_equal(comparison_judge(c, n, 0.95, 0.01), 0);
}

static void test_comparison_of_samples_has_a_floor(void **state)
{
    /* Sample variance of 0 to 9 is 55/6; the halves are 23/5 and 22/5. */
    struct comparison c = one_a_side(100, 100, 1);

    assert_int_equal(c.tested, TESTED_SAMPLES);
    assert_int_equal(c.n_base, N);
    NEAR(c.floor, sqrt(2 * 55.0 / 6));
    NEAR(c.ratio, 1);
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_NONE);
    assert_int_equal(c.doubt, DOUBT_CHANCE);
}

static void test_comparison_floor_is_the_drift_within_a_run(void **state)
{
    struct ten steady, drifting;

    fill(&steady, 100, 0.1);
    fill(&drifting, 100, 0.1);
    for (size_t i = N / 2; i < N; i++)
        drifting.samples[i] += 5;
    const struct comparison c = measure(&steady.run, 1, &drifting.run, 1);
    assert_true(c.floor > 4.9 && c.floor < 5.1);
}

static void test_comparison_floor_is_the_distance_of_two_runs(void **state)
{
    struct ten a, b, c;

    fill(&a, 100, 0.1);
    fill(&b, 107, 0.1);
    fill(&c, 103, 0.1);
    const struct comparison_run two[] = {a.run, b.run};
    struct comparison found = measure(two, 2, &c.run, 1);
    NEAR(found.floor, 7);
    assert_int_equal(found.n_base, 2 * N);
}

static void test_comparison_verdicts_of_one_file(void **state)
{
    /* The floor is 4.28 times the spread: 0.43 and 4.3 %. */
    struct comparison faster = one_a_side(100, 95, 0.1), slower = one_a_side(100, 102, 0.1);
    struct comparison small = one_a_side(100, 100.5, 0.01), floor = one_a_side(100, 101, 1);

    judge(&faster, 1);
    judge(&slower, 1);
    judge(&small, 1);
    judge(&floor, 1);
    assert_int_equal(faster.change, CHANGE_LOWER);
    assert_int_equal(faster.doubt, DOUBT_NOT);
    assert_int_equal(slower.change, CHANGE_HIGHER);
    assert_int_equal(small.change, CHANGE_NONE);
    assert_int_equal(small.doubt, DOUBT_SMALL);
    assert_int_equal(floor.doubt, DOUBT_CHANCE);
    floor = one_a_side(100, 103.2, 0.76); /* no chance, p 0.002, but the floor is 3.3 */
    judge(&floor, 1);
    assert_int_equal(floor.doubt, DOUBT_FLOOR);
    assert_int_equal(floor.change, CHANGE_NONE);
}

/* Three runs a side whose samples lie close together and whose levels do not: nothing changed. */
static void test_comparison_of_runs_tests_their_means(void **state)
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
    assert_true(a.floor == 0);
    NEAR(a.base, 104);
    judge(&a, 1);
    judge(&b, 1);
    assert_int_equal(a.change, CHANGE_NONE);
    assert_int_equal(b.change, CHANGE_HIGHER);
    assert_false(b.by_rank); /* three and three values have no p below 0.1 */
    /* Two runs on one side: samples again. */
    assert_int_equal(measure(runs[0], 3, runs[1], 2).tested, TESTED_SAMPLES);
}

static void test_comparison_of_one_value_knows_nothing(void **state)
{
    const double one = 5, two = 500;
    const struct comparison_run a = {&one, 1}, b = {&two, 1};
    struct comparison c[2] = {measure(&a, 1, &b, 1), one_a_side(100, 150, 1)};

    assert_int_equal(c[0].tested, TESTED_NOTHING);
    NEAR(c[0].ratio, 100);
    judge(c, 2);
    assert_int_equal(c[0].change, CHANGE_UNKNOWN);
    assert_true(isnan(c[0].p_adjusted));
    NEAR(c[1].p_adjusted, c[1].p); /* what was not tested does not count */
}

static void test_comparison_corrects_for_all_that_are_judged(void **state)
{
    struct comparison c[40];

    for (size_t i = 0; i < 40; i++)
        c[i] = one_a_side(100, i ? 100 : 103.2, 0.76);
    judge(c, 1);
    assert_int_equal(c[0].doubt, DOUBT_FLOOR);
    judge(c, 40);
    assert_int_equal(c[0].doubt, DOUBT_CHANCE);
    NEAR(c[0].p_adjusted, 40 * c[0].p);
}

/* To Welch the difference between constants is beyond doubt. */
static void test_comparison_of_constants_goes_by_ranks(void **state)
{
    const double low[] = {22, 22, 22}, high[] = {24, 24, 24};
    const struct comparison_run a = {low, 3}, b = {high, 3};
    struct comparison c = measure(&a, 1, &b, 1);
    struct comparison ten = one_a_side(22, 24, 0);

    judge(&c, 1);
    assert_true(c.by_rank);
    assert_true(c.p > 0.01);
    judge(&ten, 1);
    assert_int_equal(ten.change, CHANGE_HIGHER);
    assert_int_equal(one_a_side(22, 22, 0).change, CHANGE_UNKNOWN); /* not judged yet */
}

static void test_comparison_from_zero(void **state)
{
    struct ten a, b;

    fill(&a, 0, 0);
    fill(&b, 50, 1);
    struct comparison c = measure(&a.run, 1, &b.run, 1);
    assert_true(isnan(c.ratio) && isnan(c.low));
    judge(&c, 1);
    assert_int_equal(c.change, CHANGE_HIGHER);
}

/* By samples, and by the means of runs. */
static int measure_and_judge(void)
{
    struct ten ten[6];
    struct comparison_run runs[6];
    struct comparison c[2];

    for (size_t i = 0; i < 6; i++) {
        fill(&ten[i], 100 + (double)i, 0.1);
        runs[i] = ten[i].run;
    }
    const struct comparison_side few[] = {{runs, 1}, {runs + 1, 2}}, many[] = {{runs, 3}, {runs + 3, 3}};
    return comparison_measure(&few[0], &few[1], &c[0]) || comparison_measure(&many[0], &many[1], &c[1]) ||
                   comparison_judge(c, 2, 0.95, 0.01)
               ? -1
               : 0;
}

static void test_comparison_without_memory_is_an_error(void **state)
{
    assert_true(memory_needed(measure_and_judge) > 10);
}

/* Runs of 2, 5 and 3 samples, without noise in their halves: what each field is worked out from. */
static void test_comparison_fields_of_unequal_runs(void **state)
{
    static const double a[] = {10, 12}, b[] = {11, 13, 12, 10, 14}, c[] = {30, 31, 35};
    const struct comparison_run base[] = {{a, 2}, {b, 5}}, changed[] = {{c, 3}};
    const struct comparison found = measure(base, 2, changed, 1), back = measure(changed, 1, base, 2);

    assert_int_equal(found.tested, TESTED_SAMPLES);
    assert_int_equal(found.n_base, 7);
    assert_int_equal(found.n_new, 3);
    assert_int_equal(back.n_base, 3);
    assert_int_equal(back.n_new, 7);
    NEAR(found.base, 12);
    NEAR(found.changed, 31);
    NEAR(found.ratio, 31.0 / 12);
    NEAR(back.ratio, 12.0 / 31);
    NEAR(found.p_rank, back.p_rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparison_of_samples_has_a_floor),
        cmocka_unit_test(test_comparison_floor_is_the_drift_within_a_run),
        cmocka_unit_test(test_comparison_floor_is_the_distance_of_two_runs),
        cmocka_unit_test(test_comparison_verdicts_of_one_file),
        cmocka_unit_test(test_comparison_of_runs_tests_their_means),
        cmocka_unit_test(test_comparison_of_one_value_knows_nothing),
        cmocka_unit_test(test_comparison_corrects_for_all_that_are_judged),
        cmocka_unit_test(test_comparison_of_constants_goes_by_ranks),
        cmocka_unit_test(test_comparison_from_zero),
        cmocka_unit_test(test_comparison_fields_of_unequal_runs),
        cmocka_unit_test(test_comparison_without_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
