/* SPDX-License-Identifier: MIT */
/* Order of the rows in a report's tables, and the row that each is compared with. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "report/report.h"
#include "row_fixture.h"
#include "sys/base.h"

#define ROWS_MAX 8

static struct report report;
static struct row rows[ROWS_MAX];
static struct row_run run[2], *runs[] = {&run[0], &run[1]};

static int begin(void **state)
{
    memset(&report, 0, sizeof(report));
    report.set = (struct row_set){.rows = rows, .runs = runs, .n_runs = 2};
    return 0;
}

static void set_runs(size_t n)
{
    report.n_runs = report.n_all_runs = report.set.n_runs = n;
    for (size_t i = 0; i < n; i++)
        (void)snprintf(report.name[i], sizeof(report.name[i]), "%c", (int)('A' + i));
}

static struct row *add(size_t number, const char *suite, const char *test, const char *metric, double value)
{
    struct row *row = &rows[report.set.n++];

    assert_true(report.set.n <= ROWS_MAX);
    *row = ROW(&run[number], value, .suite = suite, .test = test, .metric = metric);
    row->stats.mean = value;
    row->copies = 1;
    row->headline = 1;
    return row;
}

static void expect_order(const size_t *order, const size_t *bases)
{
    report_sort_rows(&report);
    for (size_t i = 0; i < report.set.n; i++) {
        assert_int_equal(report.order[i].row, order[i]);
        assert_int_equal(report.order[i].base, bases[i]);
    }
    free(report.order);
}

/* --- order --- */

TEST_WITH(test_report_rows_of_two_runs_stand_together, begin, NULL)
{
    static const size_t order[] = {0, 3, 1, 2}, bases[] = {0, 0, 1, 1};

    set_runs(2);
    add(0, "unix", "pipe", "rate", 10);
    add(0, "unix", "spawn", "rate", 20);
    add(1, "unix", "spawn", "rate", 30);
    add(1, "unix", "pipe", "rate", 5);
    expect_order(order, bases);
}

/* Rows that only one run has, or that run A lacks, are compared with nothing. */
TEST_WITH(test_report_rows_of_one_run_alone_have_no_base, begin, NULL)
{
    static const size_t order[] = {0, 1, 2}, bases[] = {REPORT_NO_BASE, REPORT_NO_BASE, REPORT_NO_BASE};

    set_runs(2);
    add(0, "unix", "pipe", "rate", 10);
    add(1, "unix", "spawn", "rate", 30);
    add(1, "unix", "spawn", "rate", 31);
    expect_order(order, bases);
}

TEST_WITH(test_report_rows_of_commands_are_compared_with_the_first, begin, NULL)
{
    static const size_t order[] = {0, 2, 1, 3, 4}, bases[] = {0, 0, 1, 1, REPORT_NO_BASE};

    set_runs(1);
    add(0, "run", "b", "wall", 10);
    add(0, "run", "b", "user", 1);
    add(0, "run", "a", "wall", 11);
    add(0, "run", "a", "user", 2);
    add(0, "run", "a", "wall", 12)->copies = 2;
    expect_order(order, bases);
}

TEST_WITH(test_report_rows_of_copies_are_compared_with_the_first_number, begin, NULL)
{
    static const size_t order[] = {0, 2, 1}, bases[] = {0, 0, REPORT_NO_BASE};

    set_runs(1);
    add(0, "unix", "pipe", "rate", 10);
    add(0, "unix", "spawn", "rate", 11);
    add(0, "unix", "pipe", "rate", 19)->copies = 2;
    expect_order(order, bases);
}

/* Rows of CPUs are not those of copies: each CPU has its own partner in the other run. */
TEST_WITH(test_report_rows_of_cpus_meet_the_same_cpu, begin, NULL)
{
    static const size_t order[] = {0, 3, 1, 2}, bases[] = {0, 0, 1, 1};
    static const char *const cpus[] = {"0", "1", "1", "0"};
    static const struct metrics_test noise = {.suite = "noise", .name = "noise", .row_per_cpu = true};
    static const struct metrics metrics = {.test = &noise, .n_tests = 1};

    report.metrics = &metrics;
    set_runs(2);
    for (size_t i = 0; i < 4; i++) {
        struct row *row = add(i / 2, "noise", "noise", "lost", 1);
        text_copy(row->cpus, sizeof(row->cpus), cpus[i]);
        row->copies = 2;
    }
    expect_order(order, bases);
}

/* --- ratio and table --- */

TEST_WITH(test_report_ratio_has_an_interval_only_of_means, begin, NULL)
{
    char buf[256];

    set_runs(1);
    struct row *a = add(0, "unix", "pipe", "rate", 100), *b = add(0, "unix", "pipe", "rate", 110);
    a->stats.n = b->stats.n = 10;
    a->stats.sd = b->stats.sd = 5;
    report_ratio(b, a, buf, sizeof(buf));
    assert_string_equal(buf, "1.100 (1.052 to 1.151)");
    report_ratio(a, a, buf, sizeof(buf));
    assert_string_equal(buf, "1");
    b->value = 120; /* a median */
    report_ratio(b, a, buf, sizeof(buf));
    assert_string_equal(buf, "1.200");
    a->value = a->stats.mean = 0;
    report_ratio(b, a, buf, sizeof(buf));
    assert_string_equal(buf, "\xe2\x80\x93");
}

/* A column that no row fills is not there; a cut group is no wider than what is shown of it. */
TEST_WITH(test_report_table_has_the_columns_that_it_needs, begin, NULL)
{
    struct text out = {0};

    set_runs(2);
    for (size_t i = 0; i < 2; i++) {
        add(i, "unix", "pipe", "rate", 10);
        add(i, "unix", "spawn", "rate", 20)->stats.max = 30;
    }
    report_sort_rows(&report);
    assert_int_equal(report_put_rows(&report, "unix", true, 3, &out), 3);
    assert_false(out.failed);
    assert_non_null(strstr(out.data, "Ratio to A"));
    assert_non_null(strstr(out.data, "Maximum"));
    assert_null(strstr(out.data, "p99"));
    assert_null(strstr(out.data, "95 %"));
    assert_non_null(strstr(out.data, "<td class=\"w\">pipe</td>"));
    assert_non_null(strstr(out.data, "<td class=\"w\">spawn</td>"));
    assert_non_null(strstr(out.data, "1 more are left out here"));
    text_free(&out);
    free(report.order);
}

static int sort_rows(void)
{
    memory_exits("report");
    report_sort_rows(&report);
    free(report.order);
    return 0;
}

TEST_WITH(test_report_rows_without_memory_end_the_program, begin, NULL)
{
    set_runs(1);
    add(0, "unix", "pipe", "rate", 10);
    assert_true(memory_needed_or_end(sort_rows) > 3);
}
