/* SPDX-License-Identifier: MIT */
/* Causes that are named for a change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "out/compare.h"
#include "row_fixture.h"

static struct row base, changed;

static void make_row(struct row *row, const char *unit, const char *better, const char *cpus, double wall_s,
                     const char *causes)
{
    *row = ROW(NULL, NAN, .unit = unit, .better = better, .cpus = cpus, .causes = causes);
    row->copies = 1;
    row->wall_s = wall_s;
    row->freq_khz = (double)NAN;
}

static void expect(double before, double after, const char *text)
{
    const struct row *sides[] = {&base, &changed};
    const struct pair pair = {.about = &changed, .side = {{&sides[0], 1}, {&sides[1], 1}}, .reason = -1};
    const struct comparison c = {.base = before,
                                 .changed = after,
                                 .ratio = after / before,
                                 .change = after > before ? CHANGE_HIGHER : CHANGE_LOWER};
    struct text out = {0};

    explain_change(&pair, &c, &out);
    assert_string_equal(out.length ? out.data : "", text);
    text_free(&out);
}

/* Two ticks in 234 ms: chance, whatever share of one CPU's time that is. */
TEST(test_explain_a_few_ticks_of_steal_are_no_cause)
{
    make_row(&base, "s", "lower", "0-1", 0.6, "steal:10");
    make_row(&changed, "s", "lower", "0-1", 0.234, "steal:20");
    expect(0.0100, 0.0104, "");
    make_row(&base, "s", "lower", "0-1", 0.234, "steal:20");
    make_row(&changed, "s", "lower", "0-1", 0.6, "steal:10");
    expect(0.0104, 0.0100, "");
}

/* 800 ms of two CPUs in 2 s are 20 %: with 80 % of the time left, the same work takes 1.25 times as long. */
TEST(test_explain_steal_is_a_share_of_all_cpus)
{
    make_row(&base, "s", "lower", "0-1", 2, "steal:0");
    make_row(&changed, "s", "lower", "0-1", 2, "steal:800");
    expect(0.8, 1, "steal 20.0 % of the time (base 0.0 %)");
}

/* 5 % more time lost do not make something 30 % slower; with the other sign nothing is explained either. */
TEST(test_explain_names_only_what_is_large_enough_and_of_the_right_sign)
{
    make_row(&base, "lps", "higher", "1", 2, "preempted:0");
    make_row(&changed, "lps", "higher", "1", 2, "preempted:100");
    expect(100, 96, "preempted 5.0 % of the time (base 0.0 %)");
    expect(100, 70, "");
    expect(100, 104, "");
}

/* 1,000 wake-ups in 2 s, each 0.1 ms later: 5 % of the time, though the latency is 11 times what it was. */
TEST(test_explain_latencies_by_what_is_lost_for_each_event)
{
    make_row(&base, "ns", "lower", "1", 2, "preempted:0");
    make_row(&changed, "ns", "lower", "1", 2, "preempted:100");
    base.stats.n = changed.stats.n = 1000;
    expect(1e4, 11e4, "preempted 5.0 % of the time (base 0.0 %)");
    expect(1e4, 50e4, "");
}

TEST(test_explain_shares_by_their_difference)
{
    make_row(&base, "%", "lower", "1", 2, "timer:2");
    make_row(&changed, "%", "lower", "1", 2, "timer:42");
    expect(0.1, 2.1, "timer 2.1 % of the time (base 0.1 %)");
    expect(0.1, 9, "");
}

TEST(test_explain_a_lower_clock)
{
    make_row(&base, "lps", "higher", "1", 2, "");
    make_row(&changed, "lps", "higher", "1", 2, "");
    base.freq_khz = 3e6;
    changed.freq_khz = 2e6;
    expect(90, 60, "CPU at 2000 MHz (base 3000)");
    expect(90, 20, "");
    expect(60, 90, "");
    text_copy(changed.better, sizeof(changed.better), "");
    expect(90, 60, "");
}

/* With the core free no neighbour explains a change; a share that is not known on both sides explains none. */
TEST(test_explain_a_shared_core)
{
    make_row(&base, "lps", "higher", "1", 2, "");
    make_row(&changed, "lps", "higher", "1", 2, "");
    text_copy(base.core_share, sizeof(base.core_share), "0.980");
    text_copy(changed.core_share, sizeof(changed.core_share), "0.600");
    expect(90, 60, "core share 60 % (base 98 %)");
    expect(90, 30, "");
    expect(60, 90, "");
    text_copy(changed.metric, sizeof(changed.metric), "rate_alone");
    expect(90, 60, "");
    changed.metric[0] = '\0';
    text_copy(base.core_share, sizeof(base.core_share), "own");
    expect(90, 60, "");
    base.core_share[0] = '\0';
    expect(90, 60, "");
}
