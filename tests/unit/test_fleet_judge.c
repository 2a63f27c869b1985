/* SPDX-License-Identifier: MIT */
/* Made-up fleets, from rows to the machines that stand out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/fleet_judge.h"
#include "normal_fixture.h"
#include "row_fixture.h"
#include "rows/text.h"

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
    assert_int_equal(gather_row(g, &row), 0);
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
    assert_int_equal(gather_finish(g), 0);
    assert_int_equal(judge(j, g, LEAST_EFFECT), 0);
}

static size_t named(const struct judgement *j)
{
    size_t n = 0;

    for (size_t m = 0; m < j->g->machines.n; m++)
        n += judge_stands_out(&j->judged[m]);
    return n;
}

static void end(struct gather *g, struct judgement *j)
{
    judge_free(j);
    gather_free(g);
}

/* At most one in a hundred fleets; half of that is expected. */
static void test_judge_equal_machines_are_not_named(void **state)
{
    static const struct {
        size_t hosts, tests, fleets;
    } sizes[] = {{1000, 5, 300}, {16, 12, 400}, {4, 12, 400}};
    struct gather g;
    struct judgement j;

    seed = 20261121;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
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

/* 5 % slow at 1 % spread, in one figure of which there are ten samples: the spread of their mean is 0.3 %. Here the
 * spread is that of one sample, and five figures make up for it. */
static void test_judge_a_slow_machine_is_named_first(void **state)
{
    static const struct {
        size_t hosts, tests, fleets;
    } sizes[] = {{1000, 5, 40}, {100, 5, 100}, {4, 12, 100}};
    struct gather g;
    struct judgement j;

    seed = 4711;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t found = 0;
        for (size_t fleet = 0; fleet < sizes[i].fleets; fleet++) {
            judge_fleet(&g, &j, sizes[i].hosts, sizes[i].tests, 0.05);
            found += judge_stands_out(&j.judged[0]) && j.judged[0].machine == sizes[i].hosts - 1;
            end(&g, &j);
        }
        if (100 * found < 95 * sizes[i].fleets)
            fail_msg("of %zu machines the slow one was named in %zu of %zu fleets", sizes[i].hosts, found,
                     sizes[i].fleets);
    }
}

/* Four of two hundred machines have figures that the others lack: each of the four is by chance the worst in a quarter
 * of them, and the spread of four values is less certain than that of two hundred, however small the effect. */
static void test_judge_figures_of_few_machines(void **state)
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
        assert_int_equal(gather_finish(&g), 0);
        assert_int_equal(judge(&j, &g, 1e-6), 0);
        accused += named(&j) > 0;
        end(&g, &j);
    }
    assert_true(accused <= 1);
}

/* One machine whose samples are all over the place does not hide behind them. */
static void test_judge_a_noisy_machine_does_not_widen_the_spread(void **state)
{
    struct gather g = {0};
    struct judgement j;

    for (size_t host = 0; host < 40; host++) {
        struct row_run run = run_of(host);
        struct row row = ROW(&run, NAN, .suite = "unix", .test = "pipe", .metric = "rate", .better = "higher");
        row.value = row.stats.mean = host == 7 ? 500 : 1000 + (double)(host % 5);
        row.stats.n = 10;
        row.stats.sd = host == 7 ? 100000 : 1;
        assert_int_equal(gather_row(&g, &row), 0);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(judge(&j, &g, LEAST_EFFECT), 0);
    assert_string_equal(j.judged[0].name, "n0007");
    assert_true(j.judged[0].far && j.judged[0].effect > 0.49);
    assert_int_equal(named(&j), 1);
    end(&g, &j);
}

/* Quantised: two share the worst value in each figure, and neither is the worst of all. */
static void test_judge_ties_accuse_nobody(void **state)
{
    struct gather g = {0};
    struct judgement j;

    for (size_t host = 0; host < 6; host++) {
        struct row_run run = run_of(host);
        for (size_t test = 0; test < 20; test++)
            enter(&g, &run, test, host < 2 ? 900 : 1000, ROW_OK);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(judge(&j, &g, LEAST_EFFECT), 0);
    for (size_t m = 0; m < 6; m++)
        assert_int_equal(j.judged[m].worst_count, 0);
    end(&g, &j);
}

static void test_judge_order(void **state)
{
    struct gather g = {0};
    struct judgement j;

    for (size_t host = 0; host < 60; host++) {
        struct row_run run = run_of(host);
        if (host == 40)
            text_copy(run.kernel, sizeof(run.kernel), "5.10");
        enter(&g, &run, 0, host == 10 ? 700 : host == 20 ? 1600 : host == 30 ? 600 : 1000 + (double)(host % 7), ROW_OK);
        if (host == 50)
            enter(&g, &run, 1, NAN, ROW_FAILED);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(judge(&j, &g, LEAST_EFFECT), 0);
    /* Order: worse, then better, the farthest first; then broken; then with different settings. */
    assert_string_equal(j.judged[0].name, "n0030");
    assert_string_equal(j.judged[1].name, "n0010");
    assert_string_equal(j.judged[2].name, "n0050");
    assert_string_equal(j.judged[3].name, "n0020");
    assert_string_equal(j.judged[4].name, "n0040");
    assert_string_equal(j.judged[5].name, "n0000");
    assert_true(j.judged[2].broke && j.judged[3].effect < 0);
    assert_int_equal(j.judged[4].differences, 1);
    assert_int_equal(named(&j), 4);
    end(&g, &j);
}

static void test_judge_too_few(void **state)
{
    struct gather g;
    struct judgement j;

    judge_fleet(&g, &j, 3, 5, 0.5);
    assert_int_equal(j.n_figures, 0);
    assert_int_equal(named(&j), 0);
    assert_int_equal(j.judged[0].figures, 0);
    end(&g, &j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_equal_machines_are_not_named),
        cmocka_unit_test(test_judge_a_slow_machine_is_named_first),
        cmocka_unit_test(test_judge_figures_of_few_machines),
        cmocka_unit_test(test_judge_a_noisy_machine_does_not_widen_the_spread),
        cmocka_unit_test(test_judge_ties_accuse_nobody),
        cmocka_unit_test(test_judge_order),
        cmocka_unit_test(test_judge_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
