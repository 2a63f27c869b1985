/* SPDX-License-Identifier: MIT */
/* The verdicts below the table of `jitbench run`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/compare_commands.h"
#include "row_fixture.h"

#define ROWS 4

/* Samples that spread by 1 % around the level. */
static void make_row(struct row *row, const char *test, uint64_t copies, double level, size_t n)
{
    static const double around[] = {-0.01, 0.01, 0, 0.005, -0.005};

    *row = ROW(NULL, NAN, .test = test, .metric = "wall", .better = "lower");
    row->copies = copies;
    row->samples = malloc((n + 1) * sizeof(*row->samples));
    assert_non_null(row->samples);
    for (size_t i = 0; i < n; i++)
        row->samples[row->n_samples++] = level * (1 + around[i % 5]);
}

static void expect(struct row *rows, size_t n, const char *text)
{
    struct comparison compared[ROWS];
    struct text out = {0};

    assert_int_equal(run_compare(rows, n, compared), 0);
    run_put_verdicts(rows, n, compared, &out);
    assert_string_equal(out.length ? out.data : "", text);
    text_free(&out);
    for (size_t i = 0; i < n; i++)
        row_free(&rows[i]);
}

static void test_run_verdict_of_a_change_and_of_none(void **state)
{
    struct row rows[ROWS];

    make_row(&rows[0], "A", 1, 1.00, 15);
    make_row(&rows[1], "B", 1, 1.03, 15);
    make_row(&rows[2], "C", 1, 1.00, 15);
    make_row(&rows[3], "D", 1, 9.81, 15);
    expect(rows, 4,
           "B is 3.0 % slower than A, 3.0 to 3.0 %: difference seen (p 0.047)\n"
           "C is 0.0 % slower than A, 0.0 to 0.0 %: no difference seen (p 1)\n"
           "D takes 9.81 times as long as A, 9.81 to 9.81: difference seen (p 0.047)\n");
}

/* The interval of a faster command has the lower bound first, too. A change below 1 % does not count, however sure. */
static void test_run_verdict_of_less_time(void **state)
{
    struct row rows[ROWS];

    make_row(&rows[0], "A", 1, 1.00, 15);
    make_row(&rows[1], "B", 1, 0.90, 15);
    expect(rows, 2, "B is 10.0 % faster than A, 10.0 to 10.0 %: difference seen (p 0.016)\n");
    make_row(&rows[0], "A", 1, 1.000, 1000);
    make_row(&rows[1], "B", 1, 1.007, 1000);
    struct comparison compared[2];
    struct text out = {0};
    assert_int_equal(run_compare(rows, 2, compared), 0);
    assert_int_equal(compared[1].doubt, DOUBT_SMALL);
    run_put_verdicts(rows, 2, compared, &out);
    assert_non_null(strstr(out.data, ": no difference above 1 %\n"));
    text_free(&out);
    row_free(&rows[0]);
    row_free(&rows[1]);
}

/* Each with the first of as many copies; a failed command and a single sample are not judged. */
static void test_run_verdict_of_copies_and_of_what_failed(void **state)
{
    struct row rows[ROWS];

    make_row(&rows[0], "A", 1, 1, 15);
    make_row(&rows[1], "A", 2, 1, 15);
    make_row(&rows[2], "B", 2, 1.5, 15);
    make_row(&rows[3], "B", 1, 1.5, 15);
    rows[3].status = ROW_FAILED;
    expect(rows, 4, "B x2 is 50.0 % slower than A x2, 50.0 to 50.0 %: difference seen (p 0.016)\n");
    make_row(&rows[0], "A", 1, 1, 1);
    make_row(&rows[1], "B", 1, 1.5, 1);
    expect(rows, 2, "B is 50.0 % slower than A: not judged, repeat with --runs 10\n");
}

/* 3 % in samples that spread by 10 %: what is sure by 200 of them is no less so because one alone does not show it. */
static void test_run_verdict_has_no_noise_floor(void **state)
{
    struct row rows[ROWS];
    struct comparison compared[2];

    make_row(&rows[0], "A", 1, 1, 200);
    make_row(&rows[1], "B", 1, 1.03, 200);
    for (size_t i = 0; i < 200; i++)
        for (int r = 0; r < 2; r++)
            rows[r].samples[i] += (r ? 1.03 : 1) * 0.1 * ((double)(i * 37 % 200) / 100 - 1);
    assert_int_equal(run_compare(rows, 2, compared), 0);
    assert_int_equal(compared[1].change, CHANGE_HIGHER);
    row_free(&rows[0]);
    row_free(&rows[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_verdict_of_a_change_and_of_none),
        cmocka_unit_test(test_run_verdict_of_less_time),
        cmocka_unit_test(test_run_verdict_of_copies_and_of_what_failed),
        cmocka_unit_test(test_run_verdict_has_no_noise_floor),
    };

    return cmocka_run_group_tests_name("run_verdict", tests, NULL, NULL);
}
