/* SPDX-License-Identifier: MIT */
/* From rows of hosts to slow-downs and costs. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "memory_fixture.h"
#include "row_fixture.h"
#include "rows/text.h"

static void enter(struct project *p, const char *host, const char *metric, double value, struct stats_point *hist,
                  struct stats_point *series)
{
    struct row row = ROW(NULL, value, .suite = "noise", .metric = metric);
    row.wall_s = 10;
    row.hist = hist;
    row.n_hist = hist != NULL;
    row.series = series;
    row.n_series = series != NULL;
    project_enter(p, host, &row);
}

/* 10 s of a CPU, with so many preemptions of 5 ms. */
static void enter_host(struct project *p, const char *host, double detours)
{
    struct stats_point hist = {4980736, detours}, series = {5e6, detours};

    enter(p, host, "lost", detours * 0.05, NULL, NULL);
    enter(p, host, "detour", 5e6, &hist, NULL);
    enter(p, host, "lost_preempted", detours * 0.05, NULL, &series);
}

static void steps(struct project *p)
{
    memset(p, 0, sizeof(*p));
    p->step_ns[p->n_steps++] = 1e6;
    p->ranks[p->n_ranks++] = 1;
    p->ranks[p->n_ranks++] = 10000;
}

static void expect_near(double got, double expected, double share)
{
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%.9g, expected %.9g", got, expected);
}

TEST(test_project_of_hosts_and_their_mix)
{
    struct project p;

    steps(&p);
    enter_host(&p, "noisy", 100);
    enter_host(&p, "quiet", 0);
    project_compute(&p);
    assert_int_equal(p.n, 2);
    /* One rank loses the mean: 100 of 5.01 ms in 9.5 s of work. */
    expect_near(p.hosts[0]->slowdown[0], 1 + 100 * 5013504 / 9.5e9, 1e-6);
    expect_near(p.hosts[1]->slowdown[1], 1, 1e-9);
    assert_true(p.hosts[2]->slowdown[1] > 1 && p.hosts[2]->slowdown[1] < p.hosts[0]->slowdown[1]);
    project_free(&p);
}

TEST(test_project_has_what_it_costs)
{
    struct project_cost costs[PROJECT_COSTS];
    struct project p;

    steps(&p);
    enter_host(&p, "noisy", 100);
    project_compute(&p);
    assert_memory_equal(p.hosts[0]->slowdown, p.hosts[1]->slowdown, 2 * sizeof(double));
    assert_int_equal(project_costs(&p, costs), 1);
    assert_string_equal(project_decade(&costs[0]), "1 ms .. 10 ms");
    assert_int_equal(costs[0].cause, DETOUR_PREEMPTED);
    expect_near(costs[0].per_s, 100 / 9.5, 1e-9);
    expect_near(costs[0].lost_pct, 100.0 * 100 * 5013504 / (9.5e9 + 100 * 5013504.0), 1e-9);
    expect_near(costs[0].without[0], 1, 1e-9);
    project_free(&p);
}

/* Few detours cost something too: two in 9.99 s. */
TEST(test_project_has_small_costs)
{
    struct project_cost costs[PROJECT_COSTS];
    struct stats_point most = {0, 99}, all = {0, 100};
    struct project p;

    steps(&p);
    enter_host(&p, "quiet", 2);
    enter(&p, "quiet", "core_share", 99, NULL, &most);
    enter(&p, "quiet", "core_share", 100, NULL, &all);
    project_compute(&p);
    assert_int_equal(project_costs(&p, costs), 2);
    const struct project_cost *shared = &costs[costs[1].cause == PROJECT_SHARED];
    expect_near(shared->lost_pct, 0.5, 1e-6);
    expect_near(costs[shared == &costs[0]].per_s, 2 / 9.99, 1e-6);
    project_free(&p);
}

/* Without others on the core the work takes half as long. */
TEST(test_project_has_what_others_on_the_core_cost)
{
    struct project_cost costs[PROJECT_COSTS];
    struct stats_point half = {0, 50};
    struct project p;

    steps(&p);
    enter_host(&p, "shared", 100);
    enter(&p, "shared", "core_share", 50, NULL, &half);
    project_compute(&p);
    expect_near(p.hosts[0]->slowdown[0], 2 * (1 + 100 * 5013504 / 9.5e9), 1e-6);
    assert_int_equal(project_costs(&p, costs), 2);
    const struct project_cost *cost = &costs[costs[1].cause == PROJECT_SHARED];
    assert_int_equal(cost->cause, PROJECT_SHARED);
    assert_string_equal(project_decade(cost), "-");
    assert_true(isnan(cost->per_s));
    expect_near(cost->lost_pct, 50, 1e-9);
    assert_true(cost->without[0] < p.hosts[0]->slowdown[1] - 0.9);
    project_free(&p);
}

static int compute_three(void)
{
    struct project p;
    struct row row = ROW(NULL, 3, .suite = "noise", .metric = "lost");
    struct stats_point hist = {4980736, 30}, series = {5e6, 30};
    struct row detour = ROW(NULL, 5e6, .suite = "noise", .metric = "detour");
    struct row cause = ROW(NULL, 3, .suite = "noise", .metric = "lost_preempted");
    struct project_cost costs[PROJECT_COSTS];

    steps(&p);
    p.points = 1 << 10;
    row.wall_s = detour.wall_s = cause.wall_s = 10;
    detour.hist = &hist;
    cause.series = &series;
    detour.n_hist = cause.n_series = 1;
    for (unsigned i = 0; i < 3; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        project_enter(&p, name, &row);
        project_enter(&p, name, &detour);
        project_enter(&p, name, &cause);
    }
    project_compute(&p);
    (void)project_costs(&p, costs);
    project_free(&p);
    return 0;
}

/* The blocks' ends are checked when they are freed. */
TEST(test_project_keeps_to_its_memory)
{
    assert_true(memory_needed_or_end(compute_three) > 10);
}

/* Three detours of each octave of lengths, in 10 s: the decade is that of the octave's middle, 1.4 * 2^octave. */
TEST(test_project_decades_of_octaves)
{
    static const unsigned first[] = {0, 7, 10, 13, 17, 20, 23, 27, DETOUR_CLASSES};
    static const char *const names[] = {"< 100 ns",       "100 ns .. 1 us", "1 us .. 10 us",   "10 us .. 100 us",
                                        "100 us .. 1 ms", "1 ms .. 10 ms",  "10 ms .. 100 ms", "> 100 ms"};
    struct project_cost costs[PROJECT_COSTS];

    for (unsigned octave = 0, decade = 0; octave < DETOUR_CLASSES; octave++) {
        struct stats_point hist = {exp2(octave), 3}, series = hist;
        const double length = octave < 16 ? hist.at : hist.at * (1 + 1 / 128.0); /* the middle of its bin */
        struct project p;
        decade += octave == first[decade + 1];
        steps(&p);
        p.points = 256;
        enter(&p, "a", "lost", 1, NULL, NULL);
        enter(&p, "a", "detour", 1, &hist, NULL);
        enter(&p, "a", "lost_steal", 1, NULL, &series);
        project_compute(&p);
        assert_int_equal(project_costs(&p, costs), 1);
        assert_int_equal(costs[0].decade, decade);
        assert_string_equal(project_decade(&costs[0]), names[decade]);
        assert_int_equal(costs[0].cause, DETOUR_STEAL);
        expect_near(costs[0].per_s, 3 / 9.9, 1e-9);
        expect_near(costs[0].lost_pct, 100 * 3 * length / (9.9e9 + 3 * length), 1e-9);
        expect_near(costs[0].without[0], 1, 1e-9);
        project_free(&p);
    }
}

/* A detour has the causes of its octave in their proportion: of 8 of 3 us a quarter is preempted, of 5 of 5 ms all. The
 * 5 ms cost most, and are the only ones of their decade. */
TEST(test_project_costs_of_two_causes)
{
    static const struct {
        unsigned cause;
        const char *decade;
        double n, length;
    } expected[] = {{DETOUR_PREEMPTED, "1 ms .. 10 ms", 5, 5013504},
                    {DETOUR_STEAL, "1 us .. 10 us", 6, 3000},
                    {DETOUR_PREEMPTED, "1 us .. 10 us", 2, 3000}};
    struct stats_point hist[] = {{3000, 8}, {4980736, 5}}, preempted[] = {{3000, 1}, {5e6, 5}}, steal = {3000, 3};
    struct project_cost costs[PROJECT_COSTS];
    struct project p;

    steps(&p);
    enter(&p, "a", "lost", 10, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        enter(&p, "a", "detour", 1, &hist[i], NULL);
        enter(&p, "a", "lost_preempted", 1, NULL, &preempted[i]);
    }
    enter(&p, "a", "lost_steal", 1, NULL, &steal);
    project_compute(&p);
    assert_int_equal(project_costs(&p, costs), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(costs[i].cause, expected[i].cause);
        assert_string_equal(project_decade(&costs[i]), expected[i].decade);
        expect_near(costs[i].per_s, expected[i].n / 9, 1e-9);
        expect_near(costs[i].lost_pct,
                    100 * expected[i].n * expected[i].length / (9e9 + 8 * 3000 + 5 * expected[0].length), 1e-9);
    }
    project_free(&p);
}

TEST(test_project_on_a_coarse_grid_is_near)
{
    struct project fine, coarse;

    steps(&fine);
    steps(&coarse);
    coarse.points = 1 << 15;
    enter_host(&fine, "a", 37);
    enter_host(&coarse, "a", 37);
    project_compute(&fine);
    project_compute(&coarse);
    for (size_t r = 0; r < 2; r++)
        expect_near(coarse.hosts[0]->slowdown[r], fine.hosts[0]->slowdown[r], 0.002);
    project_free(&fine);
    project_free(&coarse);
}

TEST(test_project_drops_hosts_without_detours)
{
    struct project p;

    steps(&p);
    enter(&p, "nw", "work", 1, NULL, NULL);
    enter(&p, "nw", "work", 1, NULL, NULL);
    enter_host(&p, "a", 1);
    enter(&p, "b", "work", 1, NULL, NULL);
    project_compute(&p);
    assert_int_equal(p.n, 1);
    assert_string_equal(p.hosts[0]->name, "a");
    project_free(&p);
    steps(&p);
    project_compute(&p);
    project_free(&p);
}
