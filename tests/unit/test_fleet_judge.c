/* SPDX-License-Identifier: MIT */
/* How often equal machines are named, and what is far; the verdicts on made-up fleets are golden. */

#include "analysis/analysis.h"
#include "memory_fixture.h"
#include "normal_fixture.h"
#include "row_fixture.h"

#define LEAST_EFFECT 0.02

static struct row_run run_of(size_t host)
{
    struct row_run run;

    row_run_init(&run);
    (void)snprintf(run.host, sizeof(run.host), "n%04zu", host);
    (void)snprintf(run.run_id, sizeof(run.run_id), "%zu", host);
    text_copy(run.kernel, sizeof(run.kernel), "6.1");
    return run;
}

/* A rate: less is worse. */
static void enter(struct gather *g, const struct row_run *run, size_t test, double value, enum row_status status)
{
    struct row row = ROW(run, value, .suite = "unix", .metric = "rate", .unit = "lps", .better = "higher");

    (void)snprintf(row.test, sizeof(row.test), "t%zu", test);
    row.status = status;
    row.stats.n = 10;
    row.stats.mean = value;
    row.stats.sd = 0.01 * value;
    gather_row(g, &row);
}

/* Values with a spread of 1 %; that share is missing from those of the last host. */
static void judge_fleet(struct gather *g, struct judgement *j, size_t hosts, size_t tests, double slow)
{
    memset(g, 0, sizeof(*g));
    for (size_t host = 0; host < hosts; host++) {
        struct row_run run = run_of(host);
        for (size_t test = 0; test < tests; test++)
            enter(g, &run, test, 1000 * (1 + 0.01 * normal()) * (host + 1 == hosts ? 1 - slow : 1), ROW_OK);
    }
    gather_finish(g);
    judge(j, g, LEAST_EFFECT);
}

static size_t named(const struct judgement *j)
{
    size_t n = 0;

    for (size_t m = 0; m < j->g->machines.n; m++)
        n += judge_stands_out(&j->judged[m]);
    assert_int_equal(judge_count_out(j), n);
    return n;
}

static void end(struct gather *g, struct judgement *j)
{
    judge_free(j);
    gather_free(g);
}

/* At most one in a hundred fleets; half of that is expected. */
TEST(test_judge_equal_machines_are_not_named)
{
    static const struct {
        size_t hosts, tests, fleets;
    } sizes[] = {{1000, 5, 300}, {16, 12, 400}, {4, 12, 400}};
    struct gather g;
    struct judgement j;

    seed = 20261121;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        size_t accused = 0;
        for (size_t fleet = 0; fleet < sizes[i].fleets; fleet++) {
            judge_fleet(&g, &j, sizes[i].hosts, sizes[i].tests, 0);
            accused += named(&j) > 0;
            end(&g, &j);
        }
        if (accused > sizes[i].fleets / 100)
            fail_msg("%zu equal machines: somebody was named in %zu of %zu fleets", sizes[i].hosts, accused,
                     sizes[i].fleets);
    }
}

/* Four of two hundred machines have results that the others lack: each of the four is by chance the worst in a quarter
 * of them, and the spread of four values is less certain than that of two hundred, however small the effect. */
TEST(test_judge_results_of_few_machines)
{
    struct judgement j;
    size_t accused = 0;

    seed = 99;
    for (size_t fleet = 0; fleet < 100; fleet++) {
        struct gather g = {0};
        for (size_t host = 0; host < 200; host++) {
            struct row_run run = run_of(host);
            for (size_t test = 0; test < (host < 4 ? 20 : 2); test++)
                enter(&g, &run, test, 1000 * (1 + 0.01 * normal()), ROW_OK);
        }
        gather_finish(&g);
        judge(&j, &g, 1e-6);
        accused += named(&j) > 0;
        end(&g, &j);
    }
    assert_true(accused <= 1);
}

/* The spread is the measurement's own where that is larger than the machines'. Unknown errors count for nothing. */
TEST(test_judge_the_least_spread)
{
    static const struct {
        double errors[6], expected;
    } cases[] = {
        {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 0.35},
        {{0.1, NAN, NAN, 0.4, 0.5, NAN}, 0.4},
        {{NAN, NAN, NAN, NAN, NAN, NAN}, 0.002},
        {{0.001, 0.001, 0.001, 0.001, 0.001, 0.001}, 0.002},
    };

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct gather g = {0};
        struct judgement j;
        for (size_t host = 0; host < 6; host++) {
            struct row_run run = run_of(host);
            struct row row = ROW(&run, 1000, .suite = "unix", .metric = "rate", .better = "higher");
            row.stats = (struct stats_summary){.n = 1, .mean = 1, .sd = cases[c].errors[host]};
            gather_row(&g, &row);
        }
        gather_finish(&g);
        judge(&j, &g, LEAST_EFFECT);
        if (!(fabs(j.metric[0].scale - cases[c].expected) < 1e-6))
            fail_msg("case %zu: %g, expected %g", c, j.metric[0].scale, cases[c].expected);
        end(&g, &j);
    }
}

/* A value just beyond the threshold is far, and one just short of it is not, on either side; an effect that is too
 * small is not. */
TEST(test_judge_far_is_beyond_threshold_and_least_effect)
{
    struct gather g;
    struct judgement j;

    judge_fleet(&g, &j, 20, 2, 0);
    const struct outlier_metric metric = {.median = 100, .scale = 0.01, .n = 20};
    j.metric[0] = j.metric[1] = metric;
    j.threshold[0] = 5;
    j.threshold[1] = 1;
    assert_true(judge_is_far(&j, 0, 0, 105.1) && judge_is_far(&j, 0, 0, 94.9));
    assert_false(judge_is_far(&j, 0, 0, 104.9) || judge_is_far(&j, 0, 0, 95.1));
    assert_true(judge_is_far(&j, 1, 0, 102.1) && judge_is_far(&j, 1, 0, 97.9));
    assert_false(judge_is_far(&j, 1, 0, 101.9) || judge_is_far(&j, 1, 0, 98.1));
    end(&g, &j);
}
