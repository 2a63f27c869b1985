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

/* The settings are those of the third run before a change and the third after it, or of the first and the last. */
TEST(test_history_settings_of_the_third_run)
{
    static const struct {
        unsigned change, other; /* first run with the other kernel */
        bool told;
    } cases[] = {{20, 17, false}, {20, 18, true}, {20, 22, true},  {20, 23, false}, {4, 1, false},
                 {4, 2, true},    {3, 0, false},  {3, 1, true},    {3, 5, true},    {3, 6, false},
                 {27, 29, true},  {26, 28, true}, {26, 29, false}, {27, 25, true},  {27, 24, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
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
