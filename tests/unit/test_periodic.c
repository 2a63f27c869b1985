/* SPDX-License-Identifier: MIT */
/* Series on made-up events: found with jitter, drift and gaps among others; not found where there is none. */

#include "../test.h"
#include "stats/stats.h"

/* Times in nanoseconds. */
#define MS    1e6
#define US    1e3
#define REACH (150 * US)
#define MOST  200000u

static struct {
    struct periodic_event events[MOST];
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
    made.events[made.n] = (struct periodic_event){.at = (uint64_t)at, .length = (uint64_t)length, .periodic = origin};
    made.n++;
}

/* Events of a series for five seconds. Each is late by up to `jitter`, mostly by much less; a share of them is missing.
 */
static void periodic(double period, double phase, double length, double jitter, double missing, unsigned origin)
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
    const struct periodic_event *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Sorts the events, and notes where each is from. */
static void made_up(void)
{
    qsort(made.events, made.n, sizeof(made.events[0]), by_time);
    for (size_t i = 0; i < made.n; i++) {
        made.origin[i] = made.events[i].periodic;
        made.events[i].periodic = 0;
    }
}

/* The share of the origin's events that the series got, and the share of the series' that are of that origin. */
static void assert_taken(unsigned number, unsigned origin, double least)
{
    double of_origin = 0, of_periodic = 0, both = 0;

    for (size_t i = 0; i < made.n; i++) {
        of_origin += made.origin[i] == origin;
        of_periodic += made.events[i].periodic == number;
        both += made.origin[i] == origin && made.events[i].periodic == number;
    }
    if (both < least * of_origin || both < least * of_periodic)
        fail_msg("%g of %g events were found, and %g of %g are right", both, of_origin, both, of_periodic);
}

TEST(test_periodic_a_tick_among_others)
{
    static const double hz[] = {100, 250, 300, 1000};

    for (size_t i = 0; i < 4; i++)
        for (int drift = -200; drift <= 200; drift += 100) {
            struct periodic found;
            begin();
            periodic(1e9 / hz[i] * (1 + drift * 1e-6), 0.7 * MS, 37 * US, 60 * US, 0.02, 1);
            others(hz[i], 10 * US, 60 * US, 2);
            others(2000, 1 * US, 10 * US, 2);
            made_up();
            assert_true(periodic_fit(made.events, made.n, 1e9 / hz[i], 300e-6, REACH, &found));
            assert_true(fabs(found.period * hz[i] / 1e9 - 1 - drift * 1e-6) < 3e-6);
            assert_true(found.share > 0.6);
            (void)periodic_take(&found, made.events, made.n, REACH, 3);
            assert_taken(3, 1, 0.95);
        }
}

TEST(test_periodic_two_of_one_period)
{
    struct periodic found;

    begin();
    periodic(10 * MS, 2 * MS, 31 * US, 20 * US, 0, 1);
    periodic(10 * MS, 6 * MS, 80 * US, 20 * US, 0.3, 2);
    made_up();
    assert_true(periodic_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
    assert_true(periodic_take(&found, made.events, made.n, REACH, 1) > 490);
    assert_taken(1, 1, 0.99);
    assert_true(periodic_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
    assert_true(found.share > 0.55 && found.share < 0.72);
    (void)periodic_take(&found, made.events, made.n, REACH, 2);
    assert_taken(2, 2, 0.99);
    assert_false(periodic_fit(made.events, made.n, 10 * MS, 300e-6, REACH, &found));
}

/* The period may be known exactly, and be as far off as it may be. */
TEST(test_periodic_is_found_up_to_the_tolerance)
{
    struct periodic found;

    begin();
    periodic(10 * MS, 2 * MS, 31 * US, 5 * US, 0, 1);
    made_up();
    assert_true(periodic_fit(made.events, made.n, 10 * MS, 0, REACH, &found));
    assert_true(fabs(found.period - 10 * MS) < 2e-6 * 10 * MS);
    for (int side = -1; side <= 1; side += 2) {
        assert_true(periodic_fit(made.events, made.n, 10 * MS * (1 + side * 299e-6), 300e-6, REACH, &found));
        assert_true(fabs(found.period - 10 * MS) < 3e-6 * 10 * MS);
        assert_true(found.share > 0.95);
    }
}

/* A series fits half of its period, too, but has no event in every second one, apart from others by chance. */
TEST(test_periodic_of_half_the_period_has_a_small_share)
{
    static const double periods[] = {2, 4, 10};
    struct periodic found;

    for (size_t i = 0; i < 3; i++) {
        begin();
        periodic(periods[i] * MS, 1 * MS, 30 * US, 30 * US, 0, 1);
        others(3000 / periods[i], 15 * US, 60 * US, 2);
        made_up();
        if (periodic_fit(made.events, made.n, periods[i] / 2 * MS, 300e-6, REACH, &found))
            assert_true(found.share < 0.4);
        assert_true(periodic_fit(made.events, made.n, periods[i] * MS, 300e-6, REACH, &found));
        assert_true(found.share > 0.8);
    }
}

/* Folding tells the phase of a slow one less exactly than its events may be late. */
TEST(test_periodic_slow_ones)
{
    static const double hz[] = {16, 20, 25, 40};
    struct periodic found;

    for (size_t i = 0; i < 4; i++)
        for (unsigned seed = 0; seed < 5; seed++) {
            begin();
            made.state = seed;
            periodic(1e9 / hz[i], (1 + seed) * MS, 60 * US, 40 * US, 0.1, 1);
            others(60, 10 * US, 60 * US, 2);
            made_up();
            assert_true(periodic_fit(made.events, made.n, 1e9 / hz[i], 300e-6, REACH, &found));
            assert_true(found.share > 0.5);
            (void)periodic_take(&found, made.events, made.n, REACH, 3);
            assert_taken(3, 1, 0.95);
        }
}

/* Two series fill three of four periods of a faster one, and others the fourth by chance. */
TEST(test_periodic_of_two_slower_ones_has_a_small_share)
{
    struct periodic found;

    begin();
    periodic(10 * MS, 1 * MS, 30 * US, 30 * US, 0, 1);
    periodic(20 * MS, 6 * MS, 30 * US, 30 * US, 0, 2);
    others(1500, 15 * US, 60 * US, 3);
    made_up();
    if (periodic_fit(made.events, made.n, 5 * MS, 300e-6, REACH, &found))
        assert_true(found.share < 0.3);
}

TEST(test_periodic_none_in_events_at_random)
{
    static const double rates[] = {20, 200, 2000, 20000};
    static const double periods[] = {1, 2, 4, 10, 20};
    struct periodic found;

    for (size_t i = 0; i < 4; i++)
        for (unsigned seed = 0; seed < 5; seed++) {
            begin();
            made.state = seed;
            others(rates[i], 1 * US, 100 * US, 1);
            made_up();
            for (size_t p = 0; p < 5; p++)
                assert_false(periodic_fit(made.events, made.n, periods[p] * MS, 300e-6, REACH, &found));
        }
}

TEST(test_periodic_none_in_too_few_periods)
{
    struct periodic found;

    assert_false(periodic_fit(made.events, 0, 4 * MS, 300e-6, REACH, &found));
    begin();
    periodic(4 * MS, 0, 30 * US, 0, 0, 1);
    made_up();
    assert_false(periodic_fit(made.events, 1, 4 * MS, 300e-6, REACH, &found));
    assert_false(periodic_fit(made.events, 49, 4 * MS, 300e-6, REACH, &found));
    assert_true(periodic_fit(made.events, 60, 4 * MS, 300e-6, REACH, &found));
}

/* periodic_take() leaves events alone that already belong to another series. */
TEST(test_periodic_takes_only_what_is_free)
{
    struct periodic found;

    begin();
    periodic(4 * MS, 0, 30 * US, 0, 0, 1);
    made_up();
    for (size_t i = 0; i < made.n; i += 2)
        made.events[i].periodic = 9;
    assert_true(periodic_fit(made.events, made.n, 8 * MS, 300e-6, REACH, &found));
    assert_int_equal(periodic_take(&found, made.events, made.n, REACH, 1), made.n / 2);
    for (size_t i = 0; i < made.n; i++)
        assert_int_equal(made.events[i].periodic, i % 2 ? 1 : 9);
    assert_false(periodic_fit(made.events, made.n, 8 * MS, 300e-6, REACH, &found));
}

/* In each period the nearest one only, and none that is much shorter than the others. */
TEST(test_periodic_takes_the_nearest_of_its_length)
{
    struct periodic found;

    begin();
    periodic(4 * MS, 1 * MS, 30 * US, 0, 0, 1);
    periodic(4 * MS, 1.08 * MS, 25 * US, 0, 0, 2);
    others(2000, 1 * US, 8 * US, 3);
    made_up();
    assert_true(periodic_fit(made.events, made.n, 4 * MS, 300e-6, REACH, &found));
    assert_true(found.length > 22 * US && found.length < 40 * US);
    assert_int_equal(periodic_take(&found, made.events, made.n, REACH, 1), found.periods);
    for (size_t i = 0; i < made.n; i++)
        assert_true(made.events[i].periodic == 0 || made.origin[i] != 3);
}

/* --- Worked out by hand. --- */

static void expect_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* Adds an event in each of n periods, but for those whose number has the remainder `without` by `of`. */
static void exact(double period, double phase, double length, size_t n, size_t of, size_t without)
{
    for (size_t i = 0; i < n; i++)
        if (i % of != without)
            add(phase + period * (double)i, length, 1);
}

/* Without jitter all figures are exact, though the period is looked for a little off. */
TEST(test_periodic_figures_of_an_exact_one)
{
    static const struct {
        double off;
        size_t periods;
    } cases[] = {{-250e-6, 720}, {0, 720}, {100e-6, 719}}; /* 719 periods between the first event and the last */
    struct periodic found;

    for (size_t c = 0; c < COUNT(cases); c++) {
        begin();
        exact(4 * MS, 3 * MS, 30 * US, 720, 1, 1); /* more periods than are folded */
        made_up();
        assert_true(periodic_fit(made.events, made.n, 4 * MS * (1 + cases[c].off), 300e-6, REACH, &found));
        expect_near(found.period, 4 * MS);
        expect_near(fmod(found.phase, 4 * MS), 3 * MS);
        assert_int_equal(found.length, 30 * US);
        assert_int_equal(found.shortest, 12 * US);
        assert_int_equal(found.periods, cases[c].periods);
        expect_near(found.share, 1);
    }
}

/* The least share is that of all periods, every second, ... or every fifth one, less what comes by chance: the share
 * of periods with an event 0.43 periods off. */
TEST(test_periodic_shares_of_exact_ones)
{
    static const struct {
        size_t n, of, without;
        size_t by_chance; /* each so manieth period has one beside it; 0: none */
        size_t periods;
        double share;
    } cases[] = {
        {120, 6, 5, 0, 119, 60 / 119.0},       /* of every third period, 40, 20 have an event */
        {120, 6, 5, 4, 119, 30 / 89.0},        /* 30 of 119 periods by chance: (60 - 30) of (119 - 30) */
        {120, 1, 1, 4, 120, 1},                /* all there are */
        {121, 7, 6, 0, 121, (20 * 5) / 121.0}, /* of five each so many are missing: the periods 6, 41, 76, 111 */
        {100, 2, 1, 0, 99, 0},                 /* none in every second one */
        {120, 4, 3, 0, 119, 0},                /* in every fourth */
        {120, 5, 4, 0, 119, 0},                /* in every fifth */
    };
    struct periodic found;

    for (size_t c = 0; c < COUNT(cases); c++) {
        begin();
        exact(4 * MS, 3 * MS, 30 * US, cases[c].n, cases[c].of, cases[c].without);
        for (size_t i = 0; cases[c].by_chance && i + 1 < cases[c].n; i += cases[c].by_chance)
            add(4.72 * MS + 4 * MS * (double)i, 30 * US, 2);
        made_up();
        assert_true(periodic_fit(made.events, made.n, 4 * MS, 300e-6, REACH, &found));
        assert_int_equal(found.periods, cases[c].periods);
        if (!(fabs(found.share - cases[c].share) < 1e-9))
            fail_msg("case %zu: %.12g, expected %.12g", c, found.share, cases[c].share);
    }
}

/* Four events of each period are looked at, the longest: here one at the same time of each period, and three at any.
 * Shorter ones are more regular; that they are only by 1 ns suffices at the end of a class of lengths. */
TEST(test_periodic_looks_at_the_longest)
{
    static const struct {
        double shorter, length;
        uint64_t found;
    } cases[] = {{1022, 1023, 1023}, {100, 30000, 30000}, {1000, 1022, 1000}}; /* the last two are of one class */
    struct periodic found;

    for (size_t c = 0; c < 3; c++) {
        begin();
        for (size_t i = 0; i < 100; i++) {
            const double at = 4 * MS * (double)i;
            add(at + 3 * MS, cases[c].length, 1);
            for (size_t k = 0; k < 3; k++)
                add(at + 4 * MS * at_random(), cases[c].length, 2);
            for (size_t k = 0; k < 5; k++)
                add(at + 1 * MS + (double)k, cases[c].shorter, 3);
        }
        made_up();
        assert_true(periodic_fit(made.events, made.n, 4 * MS, 300e-6, REACH, &found));
        assert_int_equal(found.length, cases[c].found);
    }
}

/* Two neighbouring bins count together: the series whose events are 100 us late in every second period is found, not
 * the other one, which has less than both of its bins, and more than each. */
TEST(test_periodic_over_two_bins)
{
    struct periodic found;

    begin();
    for (size_t i = 0; i < 120; i++) {
        add(4 * MS * (double)i + (i % 2 ? 100 * US : 0), 30 * US, 1);
        if (i % 5)
            add(4 * MS * (double)i + 1 * MS, 30 * US, 2);
    }
    made_up();
    assert_true(periodic_fit(made.events, made.n, 4 * MS, 0, REACH, &found));
    assert_true(fabs(fmod(found.phase, 4 * MS) - 50 * US) < 51 * US);
    expect_near(found.share, 1);
}
