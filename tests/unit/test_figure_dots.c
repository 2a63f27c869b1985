/* SPDX-License-Identifier: MIT */
/* Dots of many machines: bounded, with names where they are asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "report/report.h"

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static const struct figure figure = {.title = "t", .x_title = "Rate", .x_unit = "MB/s"};

TEST(test_figure_dots_names_the_farthest)
{
    static const double values[] = {100, 101, 99, 100.5, 80, 130, 140, 150, NAN};
    static const struct figure_dot named[] = {
        {"slow<", 80, true}, {"fast", 130, false}, {"faster", 140, false}, {"fastest", 150, false}};
    const struct figure_dots dots = {values, sizeof(values) / sizeof(values[0]), 100.5, named, 4};
    struct text out = {0};

    assert_true(figure_dots(&out, &figure, &dots));
    assert_non_null(strstr(out.data, ">slow&lt;<"));
    assert_non_null(strstr(out.data, ">faster<"));
    assert_null(strstr(out.data, "fastest")); /* there is room for three */
    assert_int_equal(count(out.data, "<circle"), FIGURE_NAMED_MAX);
    assert_non_null(strstr(out.data, "8 dots; across: Rate"));
    assert_int_equal(count(out.data, "<g class=\"s1\">"), 1); /* worse */
    assert_int_equal(count(out.data, "<g class=\"s0\">"), 2);
    text_free(&out);
}

TEST(test_figure_dots_of_many_are_bounded)
{
    enum { MANY = 10000 };
    double *values = malloc(MANY * sizeof(*values));
    struct text out = {0};

    assert_non_null(values);
    for (size_t i = 0; i < MANY; i++)
        values[i] = (double)(i * 7919 % MANY);
    assert_true(figure_dots(&out, &figure, &(struct figure_dots){.values = values, .n = MANY, .median = 5000}));
    size_t dots = count(out.data, "h0");
    assert_true(dots > 200 && dots <= 400);
    text_free(&out);
    free(values);
}

TEST(test_figure_dots_of_nothing_and_of_one_value)
{
    static const double none[] = {NAN, INFINITY}, same[] = {5, 5, 5};
    struct text out = {0};

    assert_false(figure_dots(&out, &figure, &(struct figure_dots){.values = none, .n = 2, .median = NAN}));
    assert_int_equal(out.length, 0);
    assert_true(figure_dots(&out, &figure, &(struct figure_dots){.values = same, .n = 3, .median = 5}));
    assert_null(strstr(out.data, "nan"));
    text_free(&out);
}
