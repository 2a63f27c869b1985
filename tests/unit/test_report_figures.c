/* SPDX-License-Identifier: MIT */
/* Which rows a report's figures show, and in which order. */
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
static struct row_run run, *runs[] = {&run};

static int begin(void **state)
{
    memset(&report, 0, sizeof(report));
    report.set = (struct row_set){.rows = rows, .runs = runs, .n_runs = 1};
    report.n_runs = 1;
    (void)strcpy(report.name[0], "A");
    return 0;
}

static void add(const char *suite, const char *test, const char *metric, const char *param, double value)
{
    struct row *row = &rows[report.set.n++];

    assert_true(report.set.n <= ROWS_MAX);
    *row = ROW(&run, value, .suite = suite, .test = test, .metric = metric, .param = param);
    row->stats.mean = value;
}

static size_t numbers(const char *text, const char *key, double *out, size_t most)
{
    size_t n = 0;

    for (const char *at = text ? strstr(text, key) : NULL; at && n < most; at = strstr(at + 1, key))
        out[n++] = strtod(at + strlen(key), NULL);
    return n;
}

/* 400 is far from the others, so that a wrong order is seen in the order of the marks. */
TEST_WITH(test_report_curve_goes_to_the_right, begin, NULL)
{
    static const char *const params[] = {"elements=400", "elements=100", "elements=200", "elements=300",
                                         "elements=200"};
    static const double values[] = {40, 10, 20, 30, 25};
    double x[8], y[8];
    struct text out = {0};

    for (size_t i = 0; i < 5; i++)
        add("stream", "array", "cycles", params[i], values[i]);
    report_put_figures(&report, "stream", &out);
    assert_false(out.failed);
    const char *curve = out.data ? strstr(out.data, "Mean against array size") : NULL;
    assert_non_null(curve);
    assert_int_equal(numbers(curve, " cx=\"", x, 8), 5);
    assert_int_equal(numbers(curve, " cy=\"", y, 8), 5);
    for (size_t i = 1; i < 5; i++)
        assert_true(x[i] >= x[i - 1] && (i == 2 || i == 3 || y[i] < y[i - 1]));
    text_free(&out);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = text ? strstr(text, part) : NULL; at; at = strstr(at + 1, part))
        n++;
    return n;
}

static const char *drawn;

static int draw_figures(void)
{
    struct text out = {0};

    memory_exits("report");
    report_put_figures(&report, drawn, &out);
    assert_false(out.failed);
    assert_int_equal(count(out.data, "<figure"), 1);
    text_free(&out);
    return 0;
}

TEST_WITH(test_report_figures_without_memory_end_the_program, begin, NULL)
{
    double samples[] = {1, 2, 3};

    add("stream", "array", "cycles", "elements=100", 1);
    add("stream", "array", "cycles", "elements=200", 2);
    drawn = "stream";
    assert_true(memory_needed_or_end(draw_figures) > 5);
    add("another", "test", "rate", "", 2);
    rows[2].samples = samples;
    rows[2].n_samples = 3;
    rows[2].stats.n = 3;
    rows[2].stats.min = 1;
    rows[2].stats.max = 3;
    report_sort_rows(&report);
    drawn = "another";
    assert_true(memory_needed_or_end(draw_figures) > 5);
    free(report.order);
}

/* One value in all rows is no figure, two values are. */
TEST_WITH(test_report_figures_leave_out_what_is_constant, begin, NULL)
{
    static const struct metrics_metric wall = {.id = "wall", .title = "wall-clock time"};
    static const struct metrics_test command = {.suite = "run", .named_by_user = true, .metric = &wall, .n = 1};
    static const struct metrics metrics = {.test = &command, .n_tests = 1};
    struct text out = {0};

    report.metrics = &metrics;
    add("run", "a", "exit_code", "command=a", 0);
    add("run", "a", "wall", "command=a", 1);
    add("run", "b", "exit_code", "command=b", 0);
    add("run", "b", "wall", "command=b", 2);
    report_sort_rows(&report);
    report_put_figures(&report, "run", &out);
    assert_false(out.failed);
    assert_int_equal(count(out.data, "<figure"), 1);
    assert_non_null(strstr(out.data, "wall: wall-clock time"));
    assert_non_null(strstr(out.data, "without a figure: exit_code 0."));
    text_free(&out);
    free(report.order);
}

/* A line over the whole run for each CPU: its share of the core, and the frequency of that. */
TEST_WITH(test_report_figures_of_cores_over_time, begin, NULL)
{
    static const char *const expected[] = {"Share of its core over time: CPU 0<", "Share of its core over time: CPU 1<",
                                           "Frequency of the core over time: CPU 0<",
                                           "Frequency of the core over time: CPU 1<"};
    static struct stats_point series[] = {{0, 100}, {1e6, 50}, {5e6, 80}};
    struct text out = {0};
    double x[4];

    for (size_t i = 0; i < 4; i++) {
        add("noise", "noise", i < 2 ? "core_share" : "core_mhz", "threshold=8x", 80);
        (void)snprintf(rows[i].cpus, sizeof(rows[i].cpus), "%zu", i % 2);
        rows[i].series = series;
        rows[i].n_series = 3;
    }
    report_sort_rows(&report);
    report_put_figures(&report, "noise", &out);
    assert_false(out.failed);
    assert_int_equal(count(out.data, "<figure"), 4);
    assert_int_equal(count(out.data, "<path class=\"thin\""), 4);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(strstr(out.data, expected[i]));
    /* The line has all points. */
    assert_int_equal(numbers(strstr(out.data, "<path class=\"thin\""), "L", x, 2), 2);
    assert_true(x[1] > x[0]);
    text_free(&out);
    free(report.order);
}

/* --- Curves over the parameters of commands. --- */

static char *curves(void)
{
    struct text out = {0};

    report_put_parameters(&report, &out);
    assert_false(out.failed);
    return out.data;
}

/* Two parameters make two figures; in that of n, each value of m is a line, whose points are in the order of n. */
TEST_WITH(test_report_curves_over_each_parameter, begin, NULL)
{
    static const char *const params[] = {"{n}=400 {m}=1", "{n}=100 {m}=1", "{n}=200 {m}=1",
                                         "{n}=400 {m}=2", "{n}=100 {m}=2", "{n}=200 {m}=2"};
    static const double values[] = {40, 10, 20, 45, 15, 25};
    double x[6], y[6];

    for (size_t i = 0; i < 6; i++) {
        char param[64];
        (void)snprintf(param, sizeof(param), "%s command=sort", params[i]);
        add("run", "sort", "wall", param, values[i]);
    }
    char *out = curves(), *second = out ? strstr(out, "Wall-clock time by m<") : NULL;
    assert_int_equal(count(out, "<figure"), 2);
    assert_non_null(second);
    assert_int_equal(count(second, "</i>sort, n="), 3);
    *second = '\0';
    assert_non_null(strstr(out, "Wall-clock time by n<"));
    assert_int_equal(count(out, "</i>sort, m="), 2);
    assert_non_null(strstr(out, "</i>sort, m=2<"));
    assert_int_equal(numbers(out, " cx=\"", x, 6), 6);
    assert_int_equal(numbers(out, " cy=\"", y, 6), 6);
    for (size_t i = 1; i < 6; i++)
        assert_true(i == 3 || (x[i] > x[i - 1] && y[i] < y[i - 1]));
    assert_true(fabs(x[3] - x[0]) < 0.01 && y[3] < y[0]);
    free(out);
}

/* A parameter in --name, or two commands of one name: one line for each command as it was typed. */
TEST_WITH(test_report_curves_have_a_line_for_each_command, begin, NULL)
{
    add("run", "sort 1", "wall", "{n}=1 command=sort 1", 10);
    add("run", "sort 2", "wall", "{n}=2 command=sort 2", 20);
    add("run", "md5", "wall", "{n}=5 command=md5 5", 10);
    add("run", "md5", "wall", "{n}=6 command=md5 6", 20);
    add("run", "md5", "wall", "{n}=5 command=md5 -x 5", 30);
    add("run", "md5", "wall", "{n}=6 command=md5 -x 6", 40);
    char *out = curves();
    assert_int_equal(count(out, "<figure"), 1);
    assert_int_equal(count(out, "</i>"), 3);
    assert_non_null(strstr(out, "</i>sort {n}<"));
    assert_non_null(strstr(out, "</i>md5<"));
    assert_non_null(strstr(out, "</i>md5, command 2<"));
    free(out);
}

/* Values that are no numbers have no curve, and neither has a single value, nor other suites and metrics. */
TEST_WITH(test_report_curves_are_of_numbers, begin, NULL)
{
    add("run", "a", "wall", "{n}=1 {w}=1 {one}=1 command=a", 10);
    add("run", "a", "wall", "{n}=2k {w}=x {one}=1 command=a", 20);
    add("run", "a", "user", "{other}=1 command=a", 20);
    add("run", "a", "user", "{other}=2 command=a", 20);
    add("unix", "a", "wall", "{other}=2 command=a", 20);
    add("unix", "a", "wall", "{other}=3 command=a", 20);
    assert_null(curves());
}

/* A figure has at most 16 lines: the first ones. Its note gives the number of all. */
TEST_WITH(test_report_curves_are_few_lines, begin, NULL)
{
    static struct row many[40];

    report.set.rows = many;
    for (size_t i = 0; i < 40; i++) {
        char param[64];
        (void)snprintf(param, sizeof(param), "{n}=%zu {m}=%zu command=a", i % 2, i / 2);
        many[i] = ROW(&run, (double)i, .suite = "run", .test = "a", .metric = "wall", .param = param);
        many[i].stats.mean = (double)i;
    }
    report.set.n = 40;
    char *out = curves(), *second = out ? strstr(out, "time by m<") : NULL;
    assert_non_null(second);
    *second = '\0';
    assert_int_equal(count(out, "</i>"), 16);
    assert_non_null(strstr(out, "the first 16 lines of 20"));
    free(out);
}

static int draw_curves(void)
{
    memory_exits("report");
    free(curves());
    return 0;
}

TEST_WITH(test_report_curves_without_memory_end_the_program, begin, NULL)
{
    add("run", "sort 1", "wall", "{n}=1 command=sort 1", 10);
    add("run", "sort 2", "wall", "{n}=2 command=sort 2", 20);
    assert_true(memory_needed_or_end(draw_curves) > 5);
}
