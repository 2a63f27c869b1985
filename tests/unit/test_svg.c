/* SPDX-License-Identifier: MIT */
/* Unit tests of plots as SVG text: scales, ticks, what many points become. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/chart.h"

static void expect_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static size_t count(const char *s, char c)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

/* --- scales --- */

TEST(test_svg_scale_maps_ends_and_middle)
{
    const struct svg_scale linear = svg_scale(0, 10, 100, 0, false), log = svg_scale(1, 100, 0, 200, true);
    expect_near(svg_at(&linear, 0), 100);
    expect_near(svg_at(&linear, 2.5), 75);
    expect_near(svg_at(&linear, 11), 0);
    expect_near(svg_at(&linear, -1), 100);
    expect_near(svg_at(&log, 10), 100);
    expect_near(svg_at(&log, 0), 0);
    expect_near(svg_at(&log, -5), 0);
    expect_near(svg_at(&log, INFINITY), 200);
    expect_near(svg_at(&log, NAN), 0);
}

TEST(test_svg_scale_of_anything_is_finite_and_rises)
{
    static const double values[] = {NAN,   INFINITY, -INFINITY, 0,        -1,   1,          5e-324, -5e-324,
                                    1e300, -1e300,   DBL_MAX,   -DBL_MAX, 1e18, 1e18 + 256, 42};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++)
            for (int log = 0; log < 2; log++) {
                struct svg_scale scale = svg_scale(values[i], values[j], 0, 300, log);
                struct svg_ticks ticks;
                svg_scale_round(&scale, 6);
                if (!(scale.high > scale.low) || !isfinite(scale.low) || !isfinite(scale.high) ||
                    (log && scale.low <= 0))
                    fail_msg("%g and %g become %g to %g", values[i], values[j], scale.low, scale.high);
                svg_ticks(&scale, "ns", 0, &ticks);
                assert_true(ticks.n <= SVG_TICKS_MAX);
                for (size_t t = 1; t < ticks.n; t++)
                    assert_true(ticks.at[t] > ticks.at[t - 1]);
            }
}

TEST(test_svg_scale_rounds_to_1_2_5)
{
    struct svg_scale linear = svg_scale(3, 97, 0, 1, false), log = svg_scale(130, 4100, 0, 1, true);
    svg_scale_round(&linear, 6);
    expect_near(linear.low, 0);
    expect_near(linear.high, 100);
    svg_scale_round(&log, 6);
    expect_near(log.low, 100);
    expect_near(log.high, 5000);
}

/* --- ticks --- */

static void expect_ticks(const struct svg_ticks *ticks, const char *labels, const char *unit)
{
    char all[512] = "";
    for (size_t i = 0; i < ticks->n; i++) {
        (void)strcat(all, i ? "|" : "");
        (void)strcat(all, ticks->label[i]);
    }
    assert_string_equal(all, labels);
    assert_string_equal(ticks->unit, unit);
}

TEST(test_svg_ticks_linear)
{
    struct svg_scale scale = svg_scale(0, 2.5e9, 0, 300, false);
    struct svg_ticks ticks;
    svg_ticks(&scale, "ns", 0, &ticks);
    expect_ticks(&ticks, "0.0|0.5|1.0|1.5|2.0|2.5", "s");
    scale = svg_scale(0, 100, 0, 300, false);
    svg_ticks(&scale, "%", 0, &ticks);
    expect_ticks(&ticks, "0|10|20|30|40|50|60|70|80|90|100", "%");
    scale = svg_scale(0, 100, 0, 90, false);
    svg_ticks(&scale, "%", 0, &ticks);
    expect_ticks(&ticks, "0|50|100", "%");
}

TEST(test_svg_ticks_log)
{
    struct svg_scale scale = svg_scale(1e2, 1e9, 0, 600, true);
    struct svg_ticks ticks;
    svg_ticks(&scale, "ns", 0, &ticks);
    expect_ticks(&ticks,
                 "100\xc2\xa0ns|1\xc2\xa0\xc2\xb5s|10\xc2\xa0\xc2\xb5s|100\xc2\xa0\xc2\xb5s|1\xc2\xa0ms|10\xc2\xa0ms|"
                 "100\xc2\xa0ms|1\xc2\xa0s",
                 "");
    scale = svg_scale(1, 1e6, 0, 300, true);
    svg_ticks(&scale, "cycles", 0, &ticks);
    expect_ticks(&ticks, "1|10|100|1k|10k|100k|1M", "cycles");
    scale = svg_scale(100, 1000, 0, 300, true);
    svg_ticks(&scale, "", 0, &ticks);
    expect_ticks(&ticks, "100|200|500|1k", "");
}

TEST(test_svg_ticks_labels_keep_apart)
{
    for (int power = -3; power < 12; power++)
        for (double width = 60; width < 700; width += 35)
            for (int log = 0; log < 2; log++) {
                struct svg_scale scale = svg_scale(pow(10, power), pow(10, power) * 700, 0, width, log);
                struct svg_ticks ticks;
                svg_ticks(&scale, "ns", 0, &ticks);
                for (size_t i = 1; i < ticks.n; i++) {
                    double half = (svg_text_width(ticks.label[i]) + svg_text_width(ticks.label[i - 1])) / 2;
                    assert_true(svg_at(&scale, ticks.at[i]) - svg_at(&scale, ticks.at[i - 1]) > half);
                }
            }
}

/* --- marks --- */

TEST(test_svg_marks_are_exact)
{
    struct text out = {0};
    svg_line(&out, 0, 1.25, 2.04, -3, "base");
    svg_box(&out, 1, 2, 3.55, -1, "", NULL);
    svg_dot(&out, 1e30, NAN, 2, "mark", "<tip>");
    assert_string_equal(out.data,
                        "<path class=\"base\" d=\"M0 1.3L2 -3\"/><rect x=\"1\" y=\"2\" width=\"3.6\" height=\"0\"/>"
                        "<circle class=\"mark\" cx=\"1000000\" cy=\"0\" r=\"2\"><title>&lt;tip&gt;</title>"
                        "</circle>");
    text_free(&out);
}

TEST(test_svg_label_is_escaped_and_cut)
{
    struct text out = {0};
    svg_label(&out, 0, 0, "start", "ink", "a<b>", 0);
    assert_string_equal(out.data, "<text class=\"ink\" x=\"0\" y=\"0\">a&lt;b&gt;</text>");
    text_free(&out);
    svg_label(&out, 0, 0, "end", "", "\xc2\xb5\xc2\xb5\xc2\xb5 a long label", 35);
    assert_non_null(strstr(out.data, ">\xc2\xb5\xc2\xb5\xc2\xb5 \xe2\x80\xa6<title>"));
    assert_non_null(strstr(out.data, "a long label</title>"));
    text_free(&out);
}

TEST(test_svg_label_has_as_many_letters_as_fit)
{
    struct text out = {0};
    double letter = svg_text_width("x"), most = 5.5 * letter;
    svg_label(&out, 0, 0, "start", "", "12345", most);
    assert_string_equal(out.data, "<text x=\"0\" y=\"0\">12345</text>");
    text_free(&out);
    svg_label(&out, 0, 0, "start", NULL, "123456", most); /* four, and the dots take the place of the fifth */
    assert_string_equal(out.data, "<text x=\"0\" y=\"0\">1234\xe2\x80\xa6<title>123456</title></text>");
    text_free(&out);
}

TEST(test_svg_numbers_have_a_decimal_where_they_need_one)
{
    struct text out = {0};
    svg_line(&out, 0.8, -1.6, 12, 100.04, "");
    assert_string_equal(out.data, "<path d=\"M0.8 -1.6L12 100\"/>");
    text_free(&out);
    svg_group(&out, "");
    svg_group(&out, NULL);
    svg_group(&out, "a");
    assert_string_equal(out.data, "<g><g><g class=\"a\">");
    text_free(&out);
}

TEST(test_svg_trace_keeps_extremes_of_each_column)
{
    enum { N = 100000 };
    struct stats_point *points = calloc(N, sizeof(*points));
    const struct svg_scale x = svg_scale(0, N, 0, 100, false), y = svg_scale(0, 100, 100, 0, false);
    struct text out = {0};

    assert_non_null(points);
    for (size_t i = 0; i < N; i++)
        points[i] = (struct stats_point){(double)i, 50};
    points[4321].value = 93;
    points[77777].value = 7;
    points[5].value = NAN;
    svg_trace(&out, &x, &y, points, N, "");
    assert_non_null(strstr(out.data, " 7L"));  /* 93 from below */
    assert_non_null(strstr(out.data, " 93L")); /* 7 */
    assert_true(out.length < 4000);
    assert_int_equal(count(out.data, 'M'), 1);
    assert_null(strstr(out.data, "nan"));
    text_free(&out);
    free(points);
}

TEST(test_svg_trace_of_few_points_is_those)
{
    const struct stats_point points[] = {{0, 0}, {50, 100}, {100, 25}};
    const struct svg_scale x = svg_scale(0, 100, 0, 100, false), y = svg_scale(0, 100, 100, 0, false);
    struct text out = {0};
    svg_trace(&out, &x, &y, points, 3, "");
    assert_string_equal(out.data, "<path d=\"M0 100L50 0L100 75\"/>");
    text_free(&out);
}

TEST(test_svg_scatter_puts_one_dot_on_a_pixel)
{
    enum { N = 200000 };
    struct stats_point *points = calloc(N, sizeof(*points));
    const struct svg_scale x = svg_scale(0, 10, 0, 10, false), y = svg_scale(0, 10, 10, 0, false);
    struct text out = {0};

    assert_non_null(points);
    for (size_t i = 0; i < N; i++)
        points[i] = (struct stats_point){(double)(i % 11), (double)(i / 11 % 11)};
    svg_scatter(&out, &x, &y, points, N, "dots");
    assert_int_equal(count(out.data, 'M'), 121);
    text_free(&out);
    free(points);
}

TEST(test_svg_steps_outline)
{
    const struct stats_point points[] = {{0, 50}, {10, 50}, {20, 100}, {30, 0}};
    const struct svg_scale x = svg_scale(0, 30, 0, 30, false), y = svg_scale(0, 100, 100, 0, false);
    struct text out = {0};
    svg_steps(&out, &x, &y, points, 3, "area");
    assert_string_equal(out.data, "<path class=\"area\" d=\"M0 100V50H10H20V0H30V100\"/>");
    text_free(&out);
}

TEST(test_svg_axis_names_its_unit)
{
    const struct svg_scale scale = svg_scale(0, 5e6, 0, 300, false);
    struct svg_ticks ticks;
    struct text out = {0};
    svg_ticks(&scale, "ns", 0, &ticks);
    svg_axis(&out, &scale, &ticks, "Latency", false, 100, 0);
    assert_non_null(strstr(out.data, ">Latency (ms)</text>"));
    text_free(&out);
}

TEST(test_svg_ticks_have_the_unit_of_the_end_far_from_zero)
{
    const struct svg_scale scale = svg_scale(-5e6, 900, 0, 300, false);
    struct svg_ticks ticks;
    struct text out = {0};
    svg_ticks(&scale, "ns", 0, &ticks);
    svg_axis(&out, &scale, &ticks, "Change", false, 100, 0);
    assert_non_null(strstr(out.data, ">Change (ms)</text>"));
    text_free(&out);
}
