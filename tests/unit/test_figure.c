/* SPDX-License-Identifier: MIT */
/* Figures with two axes: marks are at the positions of the values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "report/report.h"

static const struct figure figure = {.title = "t", .x_title = "Event", .y_title = "Took", .x_unit = "", .y_unit = "ns"};

/* The first points of the first line of that class. */
static void points_of(const struct text *out, const char *class_name, double (*points)[2], size_t n)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "<path class=\"%s\" d=\"M", class_name);
    const char *at = out->data ? strstr(out->data, path) : NULL;
    assert_non_null(at);
    at += strlen(path);
    for (size_t i = 0; i < n; i++) {
        char *end;
        points[i][0] = strtod(at, &end);
        points[i][1] = strtod(end, &end);
        at = end + 1;
        assert_true(i + 1 == n || *end == 'L' || *end == ' ');
    }
}

/* Three events in a row, of which the second took longest; what lies at 100 and behind is not asked for. */
TEST(test_figure_trace_stands_over_its_events)
{
    static struct stats_point series[] = {{0, 10}, {50, 30}, {99, 10}, {100, 1000}};
    struct row row;
    const struct figure_entry entry = {&row, "w", 0};
    double at[3][2];
    struct text out = {0};

    row_init(&row, NULL);
    row.series = series;
    row.n_series = 4;
    assert_true(figure_trace(&out, &figure, &entry, 1, 100, false));
    points_of(&out, "thin", at, 3);
    assert_true(at[0][0] < at[1][0] && at[1][0] < at[2][0]);
    assert_true(fabs((at[1][0] - at[0][0]) / (at[2][0] - at[0][0]) - 50.0 / 99) < 0.01);
    assert_true(at[1][1] < at[0][1] && fabs(at[2][1] - at[0][1]) < 0.06); /* upwards is less */
    text_free(&out);
    assert_false(figure_trace(&out, &figure, &entry, 1, 0, false));
    assert_int_equal(out.length, 0);
}

/* The line between two levels is where one ends and the other begins, from top to bottom. */
TEST(test_figure_levels_end_where_the_next_begins)
{
    static const struct stats_point points[] = {{1, 10}, {2, 12}, {3, 20}, {5, 22}};
    static const struct figure_level levels[] = {{1, 2.5, 11}, {2.5, 5, 21}};
    double first[2][2], between[2][2];
    struct text out = {0};

    assert_true(figure_levels(&out, &figure, points, 4, levels, 2));
    points_of(&out, "bold", first, 2);
    points_of(&out, "thin", between, 2);
    assert_true(first[0][0] < first[1][0] && fabs(first[0][1] - first[1][1]) < 0.06);
    assert_true(fabs(first[1][0] - between[0][0]) < 0.06 && fabs(between[0][0] - between[1][0]) < 0.06);
    assert_true(between[0][1] > first[0][1] && between[1][1] < first[0][1]);
    text_free(&out);
    assert_false(figure_levels(&out, &figure, points, 4, levels, 0));
    assert_int_equal(out.length, 0);
}
