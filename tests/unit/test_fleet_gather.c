/* SPDX-License-Identifier: MIT */
/* Rows of many machines: which machine they are of, which figure, and what they differ in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/fleet_gather.h"
#include "row_fixture.h"
#include "rows/text.h"

static struct row_run run_of(const char *host)
{
    static unsigned number;
    struct row_run run;

    row_run_init(&run);
    text_copy(run.host, sizeof(run.host), host);
    (void)snprintf(run.run_id, sizeof(run.run_id), "%032x", ++number);
    text_copy(run.cpu_model, sizeof(run.cpu_model), "Model");
    text_copy(run.arch, sizeof(run.arch), "x86_64");
    text_copy(run.kernel, sizeof(run.kernel), "6.1");
    run.cpus_online = 8;
    return run;
}

static struct row row_of(const struct row_run *run, double value)
{
    struct row row =
        ROW(run, value, .suite = "prime", .test = "prime", .metric = "cycles", .unit = "cycles", .better = "lower");
    row.copies = 1;
    return row;
}

static void enter(struct gather *g, const struct row_run *run, double value)
{
    const struct row row = row_of(run, value);

    assert_int_equal(gather_row(g, &row), 0);
}

static void test_gather_pools_the_rows_of_a_machine(void **state)
{
    struct gather g = {0};
    struct row_run a = run_of("a"), b = run_of("b");
    struct row row = row_of(&a, 30);

    enter(&g, &a, 10);
    enter(&g, &b, 50);
    text_copy(row.cpus, sizeof(row.cpus), "1");
    assert_int_equal(gather_row(&g, &row), 0);
    a = run_of("a"); /* another run of it */
    enter(&g, &a, 50);
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.machines.n, 2);
    assert_int_equal(g.figures.n, 1);
    assert_int_equal(g.n_values, 2);
    assert_true(fabs(gather_value(&g, 0, 0) - 30) < 1e-12);
    assert_true(gather_value(&g, 0, 1) == 50);
    assert_true(isnan(gather_value(&g, 0, 2)));
    assert_int_equal(g.machine[0].runs, 2);
    assert_int_equal(g.doubles, 0);
    gather_free(&g);
}

static void test_gather_a_file_given_twice_counts_once(void **state)
{
    struct gather g = {0};
    struct row_run a = run_of("a"), unknown = run_of("u");

    unknown.run_id[0] = '\0';
    enter(&g, &a, 10);
    enter(&g, &a, 20); /* it may be another row: only what agrees in all came before */
    enter(&g, &a, 10);
    enter(&g, &unknown, 5);
    enter(&g, &unknown, 5);
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.doubles, 1);
    assert_true(gather_value(&g, 0, 0) == 15);
    assert_true(gather_value(&g, 0, 1) == 5);
    gather_free(&g);
}

/* Rows that differ in load, unit, copies or work are separate figures; rows that differ in words about the CPU are not.
 */
static void test_gather_figures_are_told_apart(void **state)
{
    struct gather g = {0};
    struct row_run a = run_of("a");
    struct row rows[7];

    for (size_t i = 0; i < 7; i++)
        rows[i] = row_of(&a, (double)i + 1);
    text_copy(rows[1].unit, sizeof(rows[1].unit), "ns");
    text_copy(rows[2].load, sizeof(rows[2].load), "burn");
    rows[3].copies = 2;
    text_copy(rows[4].param, sizeof(rows[4].param), "limit=22");
    text_copy(rows[5].param, sizeof(rows[5].param), "clock=rdtscp copy=0");
    text_copy(rows[6].param, sizeof(rows[6].param), "copy=1");
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(gather_row(&g, &rows[i]), 0);
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.figures.n, 5);
    assert_true(fabs(gather_value(&g, 0, 0) - (1 + 6 + 7) / 3.) < 1e-12);
    gather_free(&g);
}

static void test_gather_works_that_differ_late_are_two(void **state)
{
    struct gather g = {0};
    struct row_run a = run_of("a");
    struct row row = row_of(&a, 1);

    for (int i = 0; i < 2; i++) {
        memset(row.param, 'x', 300);
        row.param[300] = (char)('0' + i);
        row.param[301] = '\0';
        assert_int_equal(gather_row(&g, &row), 0);
    }
    assert_int_equal(g.figures.n, 2);
    gather_free(&g);
}

static void test_gather_two_machines_of_one_name(void **state)
{
    struct gather g = {0};
    struct row_run first = run_of("n1"), other = run_of("n1"), clash = run_of("n1 (2)"), vague = run_of("n1");

    other.cpus_online = 16;
    vague.cpu_model[0] = vague.arch[0] = '\0';
    vague.cpus_online = 0;
    enter(&g, &vague, 1); /* a file that lacks these columns: the first machine of the name */
    enter(&g, &clash, 2);
    enter(&g, &first, 3);
    enter(&g, &other, 4);
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.machines.n, 3);
    assert_string_equal(g.machines.name[0], "n1");
    assert_string_equal(g.machines.name[2], "n1 (3)");
    assert_true(g.machine[2].namesake && !g.machine[0].namesake);
    assert_true(gather_value(&g, 0, 0) == 2);
    gather_free(&g);
}

/* Each has the same name, and none of the numbers behind it is looked for from the beginning. */
static void test_gather_many_machines_of_one_name(void **state)
{
    struct gather g = {0};
    struct row_run run = run_of("n");

    for (unsigned i = 0; i < 50000; i++) {
        run.cpus_online = i + 1;
        enter(&g, &run, i);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.machines.n, 50000);
    assert_string_equal(g.machines.name[49999], "n (50000)");
    gather_free(&g);
}

static void test_gather_by_rank(void **state)
{
    struct gather g = {.by_rank = true}, of_hosts = {0};
    struct row_run run = run_of("n1");

    for (unsigned rank = 0; rank < 3; rank++) {
        run = run_of("n1");
        (void)snprintf(run.rank, sizeof(run.rank), "%u", rank);
        enter(&g, &run, rank);
        enter(&of_hosts, &run, rank);
    }
    text_copy(run.rank, sizeof(run.rank), "one");
    enter(&g, &run, 9);
    assert_int_equal(g.machines.n, 4);
    assert_string_equal(g.machines.name[2], "n1/2");
    assert_string_equal(g.machines.name[3], "n1");
    assert_int_equal(g.without_rank, 1);
    assert_int_equal(of_hosts.machines.n, 1);
    assert_true(of_hosts.machine[0].many_ranks);
    gather_free(&g);
    gather_free(&of_hosts);
}

static const char *setting_of(const struct gather *g, const char *name, size_t machine)
{
    for (size_t s = 0; s < g->settings.n; s++)
        if (!strcmp(g->settings.name[s], name))
            return machine == SIZE_MAX ? gather_majority(g, s) : gather_setting(g, s, machine);
    return NULL;
}

static void test_gather_settings_and_their_majority(void **state)
{
    static const char *const settings[] = {"governor=performance;cmdline=nohz_full=1", "governor=performance",
                                           "governor=powersave;thp=always;=x;y"};
    struct gather g = {0};

    for (unsigned i = 0; i < 3; i++) {
        const char host[] = {(char)('a' + i), '\0'};
        struct row_run run = run_of(host);
        text_copy(run.settings, sizeof(run.settings), settings[i]);
        struct row row = row_of(&run, 1);
        row.nice = i == 2 ? 19 : 0;
        assert_int_equal(gather_row(&g, &row), 0);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_string_equal(setting_of(&g, "governor", SIZE_MAX), "performance");
    assert_string_equal(setting_of(&g, "governor", 2), "powersave");
    assert_string_equal(setting_of(&g, "kernel", SIZE_MAX), "6.1");
    assert_string_equal(setting_of(&g, "cpus", 1), "8");
    assert_string_equal(setting_of(&g, "nice", SIZE_MAX), "0");
    assert_string_equal(setting_of(&g, "nice", 2), "19");
    /* A kernel command line without options that matter differs from one with some. */
    assert_string_equal(setting_of(&g, "cmdline", 0), "nohz_full=1");
    assert_string_equal(setting_of(&g, "cmdline", SIZE_MAX), "(nothing that matters)");
    assert_null(setting_of(&g, "thp", 0));
    assert_null(setting_of(&g, "", 2));
    gather_free(&g);
}

/* Today's form of the column, and that of earlier versions. */
static void test_gather_settings_in_both_forms(void **state)
{
    static const char *const settings[] = {"thp=madvise;thp_defrag=never;isolated=2+4;cmdline=mitigations=auto+x|quiet",
                                           "isolated=2,4;thp=enabled madvise, defrag never;cmdline=mitigations=auto,x "
                                           "quiet"};
    static const char *const names[] = {"thp", "thp_defrag", "isolated", "cmdline"};
    struct gather g = {0};

    for (unsigned i = 0; i < 2; i++) {
        const char host[] = {(char)('a' + i), '\0'};
        struct row_run run = run_of(host);
        text_copy(run.settings, sizeof(run.settings), settings[i]);
        enter(&g, &run, 1);
    }
    assert_int_equal(gather_finish(&g), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_non_null(setting_of(&g, names[i], 0));
        assert_string_equal(setting_of(&g, names[i], 1), setting_of(&g, names[i], 0));
    }
    assert_string_equal(setting_of(&g, "thp", 1), "madvise");
    gather_free(&g);
}

static void test_gather_settings_of_the_disk(void **state)
{
    struct gather g = {0};
    struct row_run a = run_of("a"), b = run_of("b");

    for (unsigned i = 0; i < 4; i++) {
        struct row row = row_of(i < 2 ? &a : &b, 1);
        (void)snprintf(row.test, sizeof(row.test), "t%u", i);
        if (i % 2)
            text_copy(row.scratch_disk, sizeof(row.scratch_disk), i < 2 ? "mount=rw;disk=solid" : "mount=rw");
        assert_int_equal(gather_row(&g, &row), 0);
    }
    assert_int_equal(gather_finish(&g), 0);
    assert_string_equal(setting_of(&g, "scratch_mount", 0), "rw");
    assert_string_equal(setting_of(&g, "scratch_mount", 1), "rw");
    assert_string_equal(setting_of(&g, "scratch_disk", 0), "solid");
    assert_null(setting_of(&g, "scratch_disk", 1));
    assert_null(setting_of(&g, "scratch_cmdline", 0));
    gather_free(&g);
}

static void test_gather_the_last_run_has_the_settings(void **state)
{
    struct gather g = {0};
    struct row_run before = run_of("a"), after = run_of("a"), other = run_of("b");

    text_copy(after.kernel, sizeof(after.kernel), "6.2");
    enter(&g, &before, 1);
    enter(&g, &other, 1);
    enter(&g, &after, 1);
    assert_int_equal(gather_finish(&g), 0);
    assert_string_equal(setting_of(&g, "kernel", 0), "6.2");
    assert_null(setting_of(&g, "kernel", SIZE_MAX)); /* one against one is no majority */
    gather_free(&g);
}

static void test_gather_hostile_rows(void **state)
{
    struct gather g = {0};
    struct row_run run = run_of("\x1b[2J\xc2\x9bk\xff"
                                "\xc3\xa9");
    struct row row = row_of(&run, 1);

    for (unsigned i = 0; i < 2000; i++) { /* thousands of settings and figures */
        struct row_run many = run_of("b");
        (void)snprintf(many.settings, sizeof(many.settings), "s%u=\x1b;t%u=2", i, i);
        struct row other = row_of(&many, 1e99);
        (void)snprintf(other.test, sizeof(other.test), "t%u\n", i);
        assert_int_equal(gather_row(&g, &other), 0);
    }
    row.value = INFINITY;
    assert_int_equal(gather_row(&g, &row), 0);
    row.value = NAN;
    assert_int_equal(gather_row(&g, &row), 0);
    row.value = 1e308;
    assert_int_equal(gather_row(&g, &row), 0);
    row.value = 1;
    row.stats.sd = 1e308;
    row.stats.mean = 1e-308;
    assert_int_equal(gather_row(&g, &row), 0);
    assert_int_equal(gather_finish(&g), 0);
    assert_string_equal(g.machines.name[1], "?[2J??k?\xc3\xa9");
    assert_int_equal(g.figures.n, 2001);
    assert_string_equal(g.figure[0].test, "t0?");
    for (size_t i = 0; i < g.n_setting; i++)
        assert_true(g.setting[i].setting < 300);
    assert_true(gather_value(&g, 2000, 1) == 1);
    gather_free(&g);
}

/* Failed rows are counted, skipped ones and those that no machine is judged by are not. */
static void test_gather_what_is_no_figure(void **state)
{
    static const struct metrics_metric of_prime[] = {{.id = "cycles", .better = "lower", .headline = true},
                                                     {.id = "clock_cost", .better = "lower"}};
    static const struct metrics_test prime = {.suite = "prime", .name = "prime", .metric = of_prime, .n = 2};
    static const struct metrics metrics = {.test = &prime, .n_tests = 1};
    struct gather g = {.metrics = &metrics};
    struct row_run a = run_of("a");
    struct row failed = row_of(&a, NAN), skipped = row_of(&a, 1), side = row_of(&a, 1);

    failed.status = ROW_FAILED;
    skipped.status = ROW_SKIPPED;
    text_copy(side.metric, sizeof(side.metric), "clock_cost");
    assert_int_equal(gather_row(&g, &failed), 0);
    assert_int_equal(gather_row(&g, &skipped), 0);
    assert_int_equal(gather_row(&g, &side), 0);
    assert_int_equal(gather_finish(&g), 0);
    assert_int_equal(g.machine[0].failed, 1);
    assert_int_equal(g.figures.n, 0);
    gather_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather_pools_the_rows_of_a_machine),
        cmocka_unit_test(test_gather_a_file_given_twice_counts_once),
        cmocka_unit_test(test_gather_figures_are_told_apart),
        cmocka_unit_test(test_gather_works_that_differ_late_are_two),
        cmocka_unit_test(test_gather_two_machines_of_one_name),
        cmocka_unit_test(test_gather_many_machines_of_one_name),
        cmocka_unit_test(test_gather_by_rank),
        cmocka_unit_test(test_gather_settings_and_their_majority),
        cmocka_unit_test(test_gather_settings_in_both_forms),
        cmocka_unit_test(test_gather_settings_of_the_disk),
        cmocka_unit_test(test_gather_the_last_run_has_the_settings),
        cmocka_unit_test(test_gather_hostile_rows),
        cmocka_unit_test(test_gather_what_is_no_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
