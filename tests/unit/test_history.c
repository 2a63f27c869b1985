/* SPDX-License-Identifier: MIT */
/* Made-up runs of one machine: their order, which results are judged, and what is told of a change. */

#include "memory_fixture.h"
#include "normal_fixture.h"
#include "out/out.h"
#include "row_fixture.h"

#define RUNS 30u

static struct row_run run_of(unsigned day)
{
    struct row_run run;

    row_run_init(&run);
    (void)snprintf(run.run_id, sizeof(run.run_id), "%08u", day);
    (void)snprintf(run.utc, sizeof(run.utc), "2026-%02u-%02uT03:00:00Z", 1 + day / 28 % 12, 1 + day % 28);
    (void)snprintf(run.comment, sizeof(run.comment), "c%u", day);
    text_copy(run.host, sizeof(run.host), "a");
    text_copy(run.cpu_model, sizeof(run.cpu_model), "Model");
    text_copy(run.kernel, sizeof(run.kernel), day < 20 ? "6.1" : "6.2");
    text_copy(run.build, sizeof(run.build), "b");
    return run;
}

static void enter(struct history *h, const struct row_run *run, const char *test, const char *metric, double value)
{
    struct row row = ROW(run, value, .suite = "unix", .unit = "lps", .better = "higher");

    text_copy(row.test, sizeof(row.test), test);
    text_copy(row.metric, sizeof(row.metric), metric);
    row.stats.mean = 2 * value;
    history_row(h, &row);
}

/* A value near the level that differs from day to day. */
static double about(double level, unsigned day)
{
    return level * (1 + 0.001 * (double)(day * 7 % 5));
}

/* Runs that come in any order, one of which is 5 % slower from day 20 on. */
static struct history made_up(double step)
{
    struct history h = {.least_effect = HISTORY_LEAST_EFFECT};

    for (unsigned i = 0; i < RUNS; i++) {
        const unsigned day = i * 7 % RUNS;
        const struct row_run run = run_of(day);
        enter(&h, &run, "pipe", "rate", about(100, day));
        enter(&h, &run, "syscall", "rate", about(day < 20 ? 1000 : 1000 * (1 + step), day));
    }
    return h;
}

TEST(test_history_tells_since_when_and_how_much)
{
    struct history h = made_up(-0.05);
    char text[256];

    history_finish(&h);
    assert_int_equal(h.n_runs, RUNS);
    assert_int_equal(h.n_results, 2);
    assert_int_equal(h.n_changes, 1);
    const struct history_change *c = &h.change[0];
    assert_int_equal(c->run, 20);
    assert_int_equal(c->last, 19);
    assert_string_equal(h.run[c->run].utc, "2026-01-21T03:00:00Z");
    assert_string_equal(h.run[c->run].comment, "c20");
    assert_true(fabs(c->before - 1002) < 1e-6 && fabs(c->after - 951.9) < 1e-6);
    assert_true(fabs(c->effect + 0.05) < 1e-9 && c->low <= c->effect && c->high >= c->effect && c->high < -0.04);
    assert_true(c->worse);
    assert_int_equal(h.result[c->result].n_changes, 1);
    history_name(&h, c->result, text, sizeof(text));
    assert_string_equal(text, "unix syscall rate");
    assert_true(history_is_recent(&h, c, 0) && history_is_recent(&h, c, 10) && !history_is_recent(&h, c, 9));
    assert_string_equal(h.machine, "a (Model)");
    assert_int_equal(h.same_time + h.without_time + h.n_short, 0);
    history_free(&h);
    h = made_up(0.05);
    history_finish(&h);
    assert_int_equal(h.n_changes, 1);
    assert_false(h.change[0].worse);
    history_free(&h);
}

/* Each change is from the median of the runs between it and its neighbours to that of those after it, for two results
 * that change at the same runs and at others. Of the changes of a run, those of the first result come first. */
TEST(test_history_of_several_changes)
{
    static const struct {
        const char *test;
        double level[3];
        unsigned at[2];
    } of[] = {{"pipe", {100, 150, 120}, {10, 20}}, {"syscall", {40, 20, 80}, {10, 22}}};
    static const struct {
        unsigned result, run, after; /* after: index of the level from this run on */
    } expected[] = {{0, 10, 1}, {1, 10, 1}, {0, 20, 2}, {1, 22, 2}};
    struct history h = {.least_effect = HISTORY_LEAST_EFFECT};

    for (unsigned i = 0; i < RUNS; i++) {
        const unsigned day = i * 7 % RUNS;
        const struct row_run run = run_of(day);
        for (size_t k = 0; k < 2; k++)
            enter(&h, &run, of[k].test, "rate", of[k].level[(day >= of[k].at[0]) + (day >= of[k].at[1])]);
    }
    history_finish(&h);
    assert_int_equal(h.n_changes, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct history_change *c = &h.change[i];
        const double *level = of[expected[i].result].level, before = level[expected[i].after - 1];
        const double after = level[expected[i].after];
        assert_int_equal(c->result, expected[i].result);
        assert_int_equal(c->run, expected[i].run);
        assert_int_equal(c->last, expected[i].run - 1);
        assert_int_equal(c->at, expected[i].run);
        assert_true(c->before == before && c->after == after);
        assert_true(fabs(c->effect - (after / before - 1)) < 1e-12);
        assert_true(fabs(c->low - c->effect) < 1e-12 && fabs(c->high - c->effect) < 1e-12); /* without any spread */
        assert_int_equal(c->worse, after < before);
    }
    assert_int_equal(h.result[0].n_changes, 2);
    assert_true(history_level(&h, 0) == 120 && history_level(&h, 1) == 40);
    history_free(&h);
}

/* The settings are those of the third run before a change and the third after it, or of the first and the last. */
TEST(test_history_settings_of_the_third_run)
{
    static const struct {
        unsigned change, other; /* first run with the other kernel */
        bool told;
    } cases[] = {{20, 17, false}, {20, 18, true}, {20, 22, true},  {20, 23, false}, {4, 1, false},
                 {4, 2, true},    {3, 0, false},  {3, 1, true},    {3, 5, true},    {3, 6, false},
                 {27, 29, true},  {26, 28, true}, {26, 29, false}, {27, 25, true},  {27, 24, false}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct history h = {.least_effect = HISTORY_LEAST_EFFECT};
        const char *before = NULL, *after = NULL;
        size_t setting = 0;
        for (unsigned day = 0; day < RUNS; day++) {
            struct row_run run = run_of(day);
            text_copy(run.kernel, sizeof(run.kernel), day < cases[i].other ? "6.1" : "6.2");
            enter(&h, &run, "pipe", "rate", about(100, day));
        }
        history_finish(&h);
        const struct history_change change = {.run = cases[i].change, .last = cases[i].change - 1};
        if (history_next_setting(&h, &change, &setting, &before, &after) != cases[i].told)
            fail_msg("case %zu", i);
        if (cases[i].told) {
            assert_string_equal(before, "6.1");
            assert_string_equal(after, "6.2");
            assert_string_equal(h.gather.settings.name[setting - 1], "kernel");
            assert_false(history_next_setting(&h, &change, &setting, &before, &after));
        }
        history_free(&h);
    }
}

/* The result with the core free takes the place of the other one if all runs have it. */
TEST(test_history_judges_the_core_free)
{
    for (unsigned every = 1; every < 4; every++) {
        struct history h = {.least_effect = HISTORY_LEAST_EFFECT};
        char text[256];
        for (unsigned day = 0; day < RUNS; day++) {
            const struct row_run run = run_of(day);
            enter(&h, &run, "pipe", "rate", about(day < 20 ? 100 : 50, day));
            if (every == 1 || day % every != 1)
                enter(&h, &run, "pipe", "rate_alone", about(100, day));
        }
        history_finish(&h);
        assert_int_equal(h.n_results, 1);
        assert_int_equal(gather_judged(&h.gather, h.result[0].result) != h.result[0].result, every == 1);
        assert_int_equal(h.result[0].n, RUNS);
        assert_int_equal(h.n_changes, every != 1);
        history_name(&h, 0, text, sizeof(text));
        assert_string_equal(text, every == 1 ? "unix pipe rate, core free" : "unix pipe rate");
        history_free(&h);
    }
}

/* A statistic that the user names is judged as it was measured. */
TEST(test_history_by_a_statistic)
{
    struct history h = {.least_effect = HISTORY_LEAST_EFFECT};

    for (size_t i = 0; i < row_n_columns; i++)
        if (!strcmp(row_columns[i].name, "mean"))
            h.gather.stat = &row_columns[i];
    for (unsigned day = 0; day < RUNS; day++) {
        const struct row_run run = run_of(day);
        enter(&h, &run, "pipe", "rate", about(day < 20 ? 100 : 50, day));
        enter(&h, &run, "pipe", "rate_alone", about(100, day));
    }
    history_finish(&h);
    assert_int_equal(h.n_results, 1);
    assert_int_equal(h.n_changes, 1);
    assert_true(fabs(h.change[0].before - 200.4) < 1e-6);
    history_free(&h);
}

/* Runs of the same second stay apart, in the order of the files; without a time there is no place for a run. */
TEST(test_history_times)
{
    static const char *const times[] = {"", "2026-01-01", "2026-01-01T03:00:00", "2026-01-01T03:00:00Z?",
                                        "2026-O1-01T03:00:00Z"};
    struct history h = {.least_effect = HISTORY_LEAST_EFFECT};
    struct row_run run = run_of(5);

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        text_copy(run.utc, sizeof(run.utc), times[i]);
        enter(&h, &run, "pipe", "rate", 1);
        assert_int_equal(h.without_time, i + 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        run = run_of(i);
        text_copy(run.utc, sizeof(run.utc), i < 2 ? "2026-01-01T03:00:00Z" : "2025-12-31T03:00:00Z");
        enter(&h, &run, "pipe", "rate", i);
    }
    history_finish(&h);
    assert_int_equal(h.n_runs, 3);
    assert_string_equal(h.run[0].comment, "c2");
    assert_string_equal(h.run[1].comment, "c0");
    assert_string_equal(h.run[2].comment, "c1");
    assert_int_equal(h.same_time, 1);
    assert_int_equal(h.n_results, 0);
    assert_int_equal(h.n_short, 1);
    history_free(&h);
}

/* From zero no share of the change can be told; it is one all the same. */
TEST(test_history_change_from_zero)
{
    struct history h = {.least_effect = HISTORY_LEAST_EFFECT};

    for (unsigned day = 0; day < RUNS; day++) {
        const struct row_run run = run_of(day);
        enter(&h, &run, "pipe", "rate", day < 20 ? 0 : -3 - (double)(day % 3));
    }
    history_finish(&h);
    assert_int_equal(h.n_changes, 1);
    assert_true(isinf(h.change[0].effect) && h.change[0].effect < 0 && h.change[0].worse);
    assert_true(isnan(h.change[0].low) && isnan(h.change[0].high));
    history_free(&h);
}

/* The chance of a false point is that of all results of a history together. */
TEST(test_history_of_many_flat_results)
{
    const unsigned n = getenv("JITBENCH_STATS") ? 500 : 20;
    unsigned wrong = 0;
    char test[16];

    seed = 20261126;
    for (unsigned i = 0; i < n; i++) {
        struct history h = {.least_effect = 0};
        for (unsigned day = 0; day < RUNS; day++)
            for (unsigned result = 0; result < 20; result++) {
                const struct row_run run = run_of(day);
                (void)snprintf(test, sizeof(test), "t%u", result);
                enter(&h, &run, test, "rate", 100 + normal());
            }
        history_finish(&h);
        wrong += h.n_changes > 0;
        history_free(&h);
    }
    print_message("20 flat figures: a point in %u of %u histories\n", wrong, n);
    assert_true(wrong <= n / 20);
}
