/* SPDX-License-Identifier: MIT */
/* From rows of hosts to slow-downs and costs. */

#include "analysis/analysis.h"
#include "memory_fixture.h"
#include "row_fixture.h"

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
