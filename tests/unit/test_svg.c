/* SPDX-License-Identifier: MIT */
/* Unit tests of plots as SVG text: scales and ticks. */
#include <float.h>

#include "../test.h"
#include "out/chart.h"

static void expect_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
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
    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t j = 0; j < COUNT(values); j++)
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

/* --- ticks --- */

/* The smallest steps of which the labels have room, at least 2. */
TEST(test_svg_ticks_are_as_many_as_fit)
{
    static const size_t expected[] = {2, 4, 8};
    for (size_t i = 0; i < 3; i++) {
        const struct svg_scale scale = svg_scale(0, 150, 0, 60 + 120 * (double)i, false);
        struct svg_ticks ticks;
        svg_ticks(&scale, "%", 0, &ticks);
        assert_int_equal(ticks.n, expected[i]);
    }
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
                    double half =
                        CHART_LETTER * (double)(text_width(ticks.label[i]) + text_width(ticks.label[i - 1])) / 2;
                    assert_true(svg_at(&scale, ticks.at[i]) - svg_at(&scale, ticks.at[i - 1]) > half);
                }
            }
}
