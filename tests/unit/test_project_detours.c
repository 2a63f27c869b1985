/* SPDX-License-Identifier: MIT */
/* Detours of hosts, from rows of noise. */

#include "../test.h"
#include "analysis/analysis.h"
#include "row_fixture.h"

static struct detours_host host;

static int begin(void **state)
{
    memset(&host, 0, sizeof(host));
    return 0;
}

static void enter(const char *suite, const char *metric, double value, const struct stats_point *hist, size_t n_hist,
                  const struct stats_point *series, size_t n_series)
{
    struct row row = ROW(NULL, value, .suite = suite, .metric = metric);
    row.stats.median = value;
    row.wall_s = 2;
    row.hist = (struct stats_point *)hist;
    row.n_hist = n_hist;
    row.series = (struct stats_point *)series;
    row.n_series = n_series;
    detours_enter(&host, &row);
}

static void expect_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* Two CPUs with two seconds each; one of them lost 10 %. */
TEST_WITH(test_detours_of_noise, begin, NULL)
{
    static const struct stats_point first[] = {{1000, 50}, {65535, 2}}, second[] = {{1000, 10}, {131072, 1}};
    static struct project_detour detours[DETOURS_BINS];

    enter("noise", "lost", 10, NULL, 0, NULL, 0);
    enter("noise", "detour", 1000, first, 2, NULL, 0);
    enter("noise", "lost", 0, NULL, 0, NULL, 0);
    enter("noise", "detour", 1000, second, 2, NULL, 0);
    assert_true(detours_known(&host));
    expect_near(host.work, 3.8e9);
    assert_int_equal(detours_sources(&host, NULL, detours), 3);
    assert_false(detours[0].periodic);
    expect_near(detours[0].per_ns, 60 / 3.8e9);
    expect_near(detours[0].ns, 1000);
    expect_near(detours[1].ns, 65535);
    /* The histogram's bin reaches from 131072 to 133119. */
    expect_near(detours[2].ns, 131072 + 1024);
    expect_near(detours[2].per_ns, 1 / 3.8e9);
}

/* In 2 s of wall-clock time each; a share of the time that is none counts for nothing. */
TEST_WITH(test_detours_time_that_was_not_lost, begin, NULL)
{
    static const struct {
        double lost, work;
    } of[] = {{0, 2e9}, {25, 3.5e9}, {100, 3.5e9}, {100.1, 3.5e9}, {-0.1, 3.5e9}, {NAN, 3.5e9}, {99, 3.52e9}};

    for (size_t i = 0; i < COUNT(of); i++) {
        enter("noise", "lost", of[i].lost, NULL, 0, NULL, 0);
        expect_near(host.work, of[i].work);
    }
}

static void enter_share(const char *suite, const char *metric, const char *share)
{
    struct row row = ROW(NULL, 1, .suite = suite, .metric = metric);

    row.wall_s = 1;
    text_copy(row.core_share, sizeof(row.core_share), share);
    detours_enter(&host, &row);
}

/* Of the row until its parts are known; texts that are no share count for nothing. */
TEST_WITH(test_detours_shares_of_the_core, begin, NULL)
{
    static const struct stats_point parts[] = {{0, 40}, {100, 100}, {200, 0}, {300, 101}, {400, -5}, {500, 40}};
    struct stats_point shares[DETOURS_SHARES];

    enter("noise", "detour", 1000, NULL, 0, NULL, 0);
    enter_share("noise", "lost", "");
    assert_int_equal(detours_shares(&host, shares), 0);
    assert_true(isnan(detours_mean_share(&host)));
    enter_share("noise", "lost", "0.752");
    enter_share("noise", "lost", "own");
    enter_share("noise", "lost", "nan");
    enter_share("prime", "cycles", "0.3");
    assert_int_equal(detours_shares(&host, shares), 1);
    expect_near(shares[0].at, 0.75);
    expect_near(shares[0].value, 1);
    enter("noise", "core_share", 60, NULL, 0, parts, 6);
    assert_int_equal(detours_shares(&host, shares), 2);
    expect_near(shares[0].at, 0.4);
    expect_near(shares[0].value, 2);
    expect_near(shares[1].at, 1);
    expect_near(detours_mean_share(&host), 0.6);
}

/* 50 ms each second of throttling, among short ones at any time. */
static size_t make_events(struct stats_point *events, double jitter_us)
{
    size_t n = 0;
    uint64_t x = 12345;

    for (unsigned second = 0; second < 12; second++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        events[n++] = (struct stats_point){second * 1e6 + jitter_us * (double)(x >> 40) / (1 << 24), 50e6};
    }
    for (unsigned i = 0; i < 40; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        events[n++] = (struct stats_point){12e6 * (double)(x >> 40) / (1 << 24), 2000 + i};
    }
    return n;
}

/* Whether the events of that octave are found to be periodic. */
static bool is_periodic(struct stats_point *events, size_t n, uint64_t left_out, unsigned octave)
{
    struct row row = ROW(NULL, 1000, .suite = "noise", .metric = "detour");

    memset(&host, 0, sizeof(host));
    row.series = events;
    row.n_series = n;
    row.series_left_out = left_out;
    detours_enter(&host, &row);
    return host.periodic[octave] > 0;
}

TEST_WITH(test_detours_periods_are_found, begin, NULL)
{
    struct stats_point events[64];
    size_t n = make_events(events, 100);

    assert_true(is_periodic(events, n, 0, 25));  /* 2^25 ns = 34 ms */
    assert_false(is_periodic(events, n, 0, 10)); /* 2 us, at random */
    assert_false(is_periodic(events, n, 0, 20)); /* none */
    n = make_events(events, 2e6);
    assert_false(is_periodic(events, n, 0, 25));
}

/* Eight events are enough, with gaps that vary by less than a quarter: 100 us, one 23 or 24 us longer and the next that
 * much shorter, which is 1.07 times as much of a standard deviation. Other events between them do not matter. */
TEST_WITH(test_detours_periods_are_as_even_as_they_must_be, begin, NULL)
{
    static const struct {
        size_t n;
        double off;
        bool periodic;
    } cases[] = {{7, 0, false}, {8, 0, true}, {9, 23, true}, {9, 24, false}};

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct stats_point events[20];
        const size_t n = cases[c].n;
        for (size_t i = 0; i < n; i++) {
            const double at = 100 * (double)i + (i % 2 ? cases[c].off : 0);
            events[2 * i] = (struct stats_point){at, 3000};
            events[2 * i + 1] = (struct stats_point){at + 7, i ? 9000 : 500};
        }
        if (is_periodic(events, 2 * n, 0, 11) != cases[c].periodic)
            fail_msg("case %zu", c);
        assert_int_equal(host.periodic[10] + host.periodic[12], 0);
    }
}

TEST_WITH(test_detours_periodic_ones_are_a_source_of_their_own, begin, NULL)
{
    static struct project_detour detours[DETOURS_BINS];
    struct stats_point events[64];
    const struct stats_point hist[] = {{2010, 40}, {50e6, 12}};
    size_t n = make_events(events, 100);

    enter("noise", "lost", 5, NULL, 0, NULL, 0);
    enter("noise", "detour", 1000, hist, 2, events, n);
    assert_int_equal(detours_sources(&host, NULL, detours), 2);
    assert_false(detours[0].periodic);
    assert_true(detours[1].periodic);
    expect_near(detours[0].per_ns, 40 / 1.9e9);
    expect_near(detours[1].per_ns, 12 / 1.9e9);
}

/* Blocks that are not freed, and writes outside of them, fail the test. */
TEST(test_project_keeps_to_its_memory)
{
    struct project p = {.step_ns = {1e6}, .ranks = {10}, .n_steps = 1, .n_ranks = 1, .points = 1 << 10};
    const char *const names[] = {"a", "b", "without"};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct row lost = ROW(NULL, 5, .suite = "noise", .metric = "lost"), detour = lost;
        lost.wall_s = i < 2 ? 10 : 0;
        text_copy(detour.metric, sizeof(detour.metric), "detour");
        project_enter(&p, names[i], &lost);
        project_enter(&p, names[i], &detour);
    }
    project_compute(&p);
    assert_int_equal(p.n, 2);
    project_free(&p);
}
