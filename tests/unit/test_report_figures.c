/* SPDX-License-Identifier: MIT */
/* Which rows a report's figures show, and in which order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/report.h"
#include "order_fixture.h"

#define ROWS_MAX 8

static struct report report;
static struct row rows[ROWS_MAX];
static struct row_run run, *runs[] = {&run};

static int begin(void **state)
{
    (void)state;
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
    row_init(row, &run);
    text_copy(row->suite, sizeof(row->suite), suite);
    text_copy(row->test, sizeof(row->test), test);
    text_copy(row->metric, sizeof(row->metric), metric);
    text_copy(row->param, sizeof(row->param), param);
    row->value = row->stats.mean = value;
}

static size_t numbers(const char *text, const char *key, double *out, size_t most)
{
    size_t n = 0;

    for (const char *at = text ? strstr(text, key) : NULL; at && n < most; at = strstr(at + 1, key))
        out[n++] = strtod(at + strlen(key), NULL);
    return n;
}

/* 400 is far from the others, so that a wrong order is seen in the order of the marks. */
static void test_report_curve_goes_to_the_right(void **state)
{
    static const char *const params[] = {"elements=400", "elements=100", "elements=200", "elements=300",
                                         "elements=200"};
    static const double values[] = {40, 10, 20, 30, 25};
    double x[8], y[8];
    struct text out = {0};

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_report_curve_goes_to_the_right, begin),
    };

    return cmocka_run_group_tests_name("report_figures", tests, NULL, NULL);
}
