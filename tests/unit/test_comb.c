/* SPDX-License-Identifier: MIT */
/* Combs on made-up events: found with jitter, drift and gaps among others; not found where there is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stats/comb.h"

/* Times in nanoseconds. */
#define MS    1e6
#define US    1e3
#define REACH (150 * US)
#define MOST  200000u

static struct {
    struct comb_event events[MOST];
    unsigned origin[MOST]; /* which call of a function below made the event */
    size_t n;
    uint64_t state;
} made;

static double at_random(void)
{
    made.state = made.state * 6364136223846793005u + 1442695040888963407u;
    return (double)(made.state >> 11) / 9007199254740992.0;
}

static void begin(void)
{
    made.n = 0;
    made.state = 20;
}

static void add(double at, double length, unsigned origin)
{
    assert_true(made.n < MOST && at >= 0);
    made.events[made.n] = (struct comb_event){.at = (uint64_t)at, .length = (uint64_t)length, .comb = origin};
    made.n++;
}

/* Events of a comb for five seconds. Each is late by up to `jitter`, mostly by much less; a share of them is missing.
 */
static void comb(double period, double phase, double length, double jitter, double missing, unsigned origin)
{
    for (double at = phase; at < 5000 * MS; at += period)
        if (at_random() >= missing)
            add(at + jitter * pow(at_random(), 3), length * (0.7 + 0.6 * at_random()), origin);
}

/* So many events a second at random times. */
static void others(double rate, double shortest, double longest, unsigned origin)
{
    for (double at = -log(at_random()) / rate * 1e9; at < 5000 * MS; at -= log(at_random()) / rate * 1e9)
        add(at, shortest * pow(longest / shortest, at_random()), origin);
}

static int by_time(const void *a, const void *b)
{
    const struct comb_event *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Sorts the events, and notes where each is from. */
static void made_up(void)
{
    qsort(made.events, made.n, sizeof(made.events[0]), by_time);
    for (size_t i = 0; i < made.n; i++) {
        made.origin[i] = made.events[i].comb;
        made.events[i].comb = 0;
    }
}

/* The share of the origin's events that the comb got, and the share of the comb's that are of that origin. */
static void assert_taken(unsigned number, unsigned origin, double least)
{
    double of_origin = 0, of_comb = 0, both = 0;

    for (size_t i = 0; i < made.n; i++) {
        of_origin += made.origin[i] == origin;
        of_comb += made.events[i].comb == number;
        both += made.origin[i] == origin && made.events[i].comb == number;
    }
    if (both < least * of_origin || both < least * of_comb)
        fail_msg("%g of %g events were found, and %g of %g are right", both, of_origin, both, of_comb);
}

static void test_comb_a_tick_among_others(void **state)
{
    static const double hz[] = {100, 250, 300, 1000};

    for (size_t i = 0; i < 4; i++)
        for (int drift = -200; drift <= 200; drift += 100) {
            struct comb found;
            begin();
            comb(1e9 / hz[i] * (1 + drift * 1e-6), 0.7 * MS, 37 * US, 60 * US, 0.02, 1);
            others(hz[i], 10 * US, 60 * US, 2);
            others(2000, 1 * US, 10 * US, 2);
            made_up();
            assert_true(comb_fit(made.events, made.n, 1e9 / hz[i], 300e-6, REACH, &found));
            assert_true(fabs(found.period * hz[i] / 1e9 - 1 - drift * 1e-6) < 3e-6);
            assert_true(found.share > 0.6);
            (void)comb_take(&found, made.events, made.n, REACH, 3);
            assert_taken(3, 1, 0.95);
        }
}

static void test_comb_two_of_one_period(void **state)
{
    struct comb found;

    begin();
    comb(10 * MS, 2 * MS, 31 * US, 20 * US, 0, 1);
    comb(10 * MS, 6 * MS, 80 * US, 20 * US, 0.3, 2);
    made_up();
    assert_true(comb_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
    assert_true(comb_take(&found, made.events, made.n, REACH, 1) > 490);
    assert_taken(1, 1, 0.99);
    assert_true(comb_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
    assert_true(found.share > 0.55 && found.share < 0.72);
    (void)comb_take(&found, made.events, made.n, REACH, 2);
    assert_taken(2, 2, 0.99);
    assert_false(comb_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
}

/* The period may be known exactly, and be as far off as it may be. */
static void test_comb_is_found_up_to_the_tolerance(void **state)
{
    struct comb found;

    begin();
    comb(10 * MS, 2 * MS, 31 * US, 5 * US, 0, 1);
    made_up();
    assert_true(comb_fit(made.events, made.n, 10 * MS, 0, REACH, &found));
    assert_true(fabs(found.period - 10 * MS) < 2e-6 * 10 * MS);
    for (int side = -1; side <= 1; side += 2) {
        assert_true(comb_fit(made.events, made.n, 10 * MS * (1 + side * 299e-6), 300e-6, REACH, &found));
        assert_true(fabs(found.period - 10 * MS) < 3e-6 * 10 * MS);
        assert_true(found.share > 0.95);
    }
}

/* A comb fits half of its period, too, but has no event in every second one, apart from others by chance. */
static void test_comb_of_half_the_period_has_a_small_share(void **state)
{
    static const double periods[] = {2, 4, 10};
    struct comb found;

    for (size_t i = 0; i < 3; i++) {
        begin();
        comb(periods[i] * MS, 1 * MS, 30 * US, 30 * US, 0, 1);
        others(3000 / periods[i], 15 * US, 60 * US, 2);
        made_up();
        if (comb_fit(made.events, made.n, periods[i] / 2 * MS, 300e-6, REACH, &found))
            assert_true(found.share < 0.4);
        assert_true(comb_fit(made.events, made.n, periods[i] * MS, 300e-6, REACH, &found));
        assert_true(found.share > 0.8);
    }
}

/* Folding tells the phase of a slow one less exactly than its events may be late. */
static void test_comb_slow_ones(void **state)
{
    static const double hz[] = {16, 20, 25, 40};
    struct comb found;

    for (size_t i = 0; i < 4; i++)
        for (unsigned seed = 0; seed < 5; seed++) {
            begin();
            made.state = seed;
            comb(1e9 / hz[i], (1 + seed) * MS, 60 * US, 40 * US, 0.1, 1);
            others(60, 10 * US, 60 * US, 2);
            made_up();
            assert_true(comb_fit(made.events, made.n, 1e9 / hz[i], 300e-6, REACH, &found));
            assert_true(found.share > 0.5);
            (void)comb_take(&found, made.events, made.n, REACH, 3);
            assert_taken(3, 1, 0.95);
        }
}

/* Two combs fill three of four periods of a faster one, and others the fourth by chance. */
static void test_comb_of_two_slower_ones_has_a_small_share(void **state)
{
    struct comb found;

    begin();
    comb(10 * MS, 1 * MS, 30 * US, 30 * US, 0, 1);
    comb(20 * MS, 6 * MS, 30 * US, 30 * US, 0, 2);
    others(1500, 15 * US, 60 * US, 3);
    made_up();
    if (comb_fit(made.events, made.n, 5 * MS, 300e-6, REACH, &found))
        assert_true(found.share < 0.3);
}

static void test_comb_none_in_events_at_random(void **state)
{
    static const double rates[] = {20, 200, 2000, 20000};
    static const double periods[] = {1, 2, 4, 10, 20};
    struct comb found;

    for (size_t i = 0; i < 4; i++)
        for (unsigned seed = 0; seed < 5; seed++) {
            begin();
            made.state = seed;
            others(rates[i], 1 * US, 100 * US, 1);
            made_up();
            for (size_t p = 0; p < 5; p++)
                assert_false(comb_fit(made.events, made.n, periods[p] * MS, 300e-6, REACH, &found));
        }
}

static void test_comb_none_in_too_few_periods(void **state)
{
    struct comb found;

    assert_false(comb_fit(made.events, 0, 4 * MS, 300e-6, REACH, &found));
    begin();
    comb(4 * MS, 0, 30 * US, 0, 0, 1);
    made_up();
    assert_false(comb_fit(made.events, 1, 4 * MS, 300e-6, REACH, &found));
    assert_false(comb_fit(made.events, 49, 4 * MS, 300e-6, REACH, &found));
    assert_true(comb_fit(made.events, 60, 4 * MS, 300e-6, REACH, &found));
}

/* comb_take() leaves events alone that already belong to another comb. */
static void test_comb_takes_only_what_is_free(void **state)
{
    struct comb found;

    begin();
    comb(4 * MS, 0, 30 * US, 0, 0, 1);
    made_up();
    for (size_t i = 0; i < made.n; i += 2)
        made.events[i].comb = 9;
    assert_true(comb_fit(made.events, made.n, 8 * MS, 300e-6, REACH, &found));
    assert_int_equal(comb_take(&found, made.events, made.n, REACH, 1), made.n / 2);
    for (size_t i = 0; i < made.n; i++)
        assert_int_equal(made.events[i].comb, i % 2 ? 1 : 9);
    assert_false(comb_fit(made.events, made.n, 8 * MS, 300e-6, REACH, &found));
}

/* In each period the nearest one only, and none that is much shorter than the others. */
static void test_comb_takes_the_nearest_of_its_length(void **state)
{
    struct comb found;

    begin();
    comb(4 * MS, 1 * MS, 30 * US, 0, 0, 1);
    comb(4 * MS, 1.08 * MS, 25 * US, 0, 0, 2);
    others(2000, 1 * US, 8 * US, 3);
    made_up();
    assert_true(comb_fit(made.events, made.n, 4 * MS, 300e-6, REACH, &found));
    assert_true(found.length > 22 * US && found.length < 40 * US);
    assert_int_equal(comb_take(&found, made.events, made.n, REACH, 1), found.periods);
    for (size_t i = 0; i < made.n; i++)
        assert_true(made.events[i].comb == 0 || made.origin[i] != 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comb_a_tick_among_others),
        cmocka_unit_test(test_comb_two_of_one_period),
        cmocka_unit_test(test_comb_is_found_up_to_the_tolerance),
        cmocka_unit_test(test_comb_of_half_the_period_has_a_small_share),
        cmocka_unit_test(test_comb_slow_ones),
        cmocka_unit_test(test_comb_of_two_slower_ones_has_a_small_share),
        cmocka_unit_test(test_comb_none_in_events_at_random),
        cmocka_unit_test(test_comb_none_in_too_few_periods),
        cmocka_unit_test(test_comb_takes_only_what_is_free),
        cmocka_unit_test(test_comb_takes_the_nearest_of_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
