/* SPDX-License-Identifier: MIT */
/* Figures with a line for each row: where their marks stand, in worked figures.
 *
 * A picture is 360 wide. Label "w" is one letter of 6.4 wide, and 12 behind it the axis begins; 24 are free behind it.
 * The middle of the first line is 14.5 from the top, and each further one is 17 below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "report/report.h"

#define FIRST  14.5
#define SECOND (FIRST + 17)

static const struct figure figure = {.title = "t", .x_title = "Rate", .x_unit = "MB/s"};
static struct row row;

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

/* Reads the number after each `key="` of the picture, in the order of the picture. */
static size_t numbers(const char *text, const char *key, double *out, size_t most)
{
    size_t n = 0;

    for (const char *at = strstr(text, key); at && n < most; at = strstr(at + 1, key))
        out[n++] = strtod(at + strlen(key), NULL);
    return n;
}

static int begin(void **state)
{
    row_init(&row, NULL);
    return 0;
}

/* Five to a turn, from the top downwards, so that equal ones are seen beside each other. */
TEST_WITH(test_figure_samples_stand_in_five_rows, begin, NULL)
{
    static double samples[] = {10, 20, 30, 40, 50, 60};
    static const double y[] = {FIRST - 3.2, FIRST - 1.6, FIRST, FIRST + 1.6, FIRST + 3.2, FIRST - 3.2};
    const struct figure_entry entry = {&row, "w", 3};
    double seen[8], x[8];
    struct text out = {0};

    row.samples = samples;
    row.n_samples = 6;
    row.value = row.stats.median = 35;
    row.stats.ci95_lo = 30;
    row.stats.ci95_hi = 40;
    assert_true(figure_samples(&out, &figure, &entry, 1));
    assert_int_equal(numbers(out.data, " cy=\"", seen, 8), 6);
    assert_int_equal(numbers(out.data, " cx=\"", x, 8), 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(seen[i] - y[i]) < 0.06); /* one decimal is written */
    /* 10 and 60 are the ends of the axis. */
    assert_true(fabs(x[0] - (svg_text_width("w") + 12)) < 0.06 && fabs(x[5] - 336) < 0.06);
    assert_true(fabs((x[2] - x[0]) - 0.4 * (x[5] - x[0])) < 0.11);
    assert_int_equal(count(out.data, "class=\"s3\""), 1);
    assert_int_equal(count(out.data, "class=\"bold\""), 1);
    text_free(&out);
}

TEST_WITH(test_figure_samples_of_many_are_bounded, begin, NULL)
{
    enum { MANY = 650 }; /* every third is drawn: 217 */
    const struct figure_entry entry = {&row, "w", 0};
    double *samples = calloc(MANY, sizeof(*samples));
    struct text out = {0};

    assert_non_null(samples);
    for (size_t i = 0; i < MANY; i++)
        samples[i] = (double)i;
    row.samples = samples;
    row.n_samples = MANY;
    row.value = 325;
    assert_true(figure_samples(&out, &figure, &entry, 1));
    assert_int_equal(count(out.data, "<circle"), 217);
    assert_int_equal(count(out.data, "class=\"bold\""), 0); /* no interval is known */
    text_free(&out);
    free(samples);
}

TEST_WITH(test_figure_samples_say_why_there_are_none, begin, NULL)
{
    struct row none;
    const struct figure_entry entries[] = {{&row, "w", 0}, {&none, "w", 0}};
    double samples[] = {1, 2};
    struct text out = {0};

    row_init(&none, NULL);
    none.status = ROW_SKIPPED;
    text_copy(none.reason, sizeof(none.reason), "no disk <here>");
    assert_false(figure_samples(&out, &figure, &entries[1], 1));
    assert_int_equal(out.length, 0);
    row.samples = samples;
    row.n_samples = 2;
    row.value = 1.5;
    assert_true(figure_samples(&out, &figure, entries, 2));
    assert_non_null(strstr(out.data, "skipped: no disk &lt;here&gt;"));
    assert_int_equal(count(out.data, ">w</text>"), 1); /* a label that repeats stands once */
    text_free(&out);
}

TEST_WITH(test_figure_lengths_begin_at_nothing, begin, NULL)
{
    const struct figure_entry entries[] = {{&row, "w", 0}, {&row, "w", 1}};
    const struct figure_value values[] = {{NAN, 100, 90, 110}, {NAN, 50, NAN, NAN}};
    double width[4], y[4], left = svg_text_width("w") + 12;
    struct text out = {0};

    assert_true(figure_lengths(&out, &figure, entries, values, 2));
    assert_int_equal(numbers(out.data, " width=\"", width, 4), 2);
    assert_int_equal(numbers(out.data, "<rect x=\"", y, 4), 2);
    assert_true(fabs(y[0] - left) < 0.06 && fabs(y[1] - left) < 0.06);
    /* The axis ends at the next round number above 110, which is 150, 66 before the picture does. */
    assert_true(fabs(width[0] - (360 - 66 - left) * 100 / 150) < 0.11);
    assert_true(fabs(width[1] - (360 - 66 - left) * 50 / 150) < 0.11);
    assert_int_equal(count(out.data, "class=\"whisker\""), 1);
    /* The value stands behind bar and interval. */
    assert_int_equal(numbers(strstr(out.data, "class=\"whisker\""), "class=\"ink\" x=\"", y, 4), 2);
    assert_true(fabs(y[0] - (left + (360 - 66 - left) * 110 / 150 + 4)) < 0.11);
    text_free(&out);
}

TEST_WITH(test_figure_ranges_reach_from_minimum_to_maximum, begin, NULL)
{
    const struct figure_entry entry = {&row, "w", 0};
    double x[4], y[4], from[4], width[4];
    struct text out = {0};

    row.stats.min = 1;
    row.stats.median = 10;
    row.stats.max = 100;
    assert_true(figure_ranges(&out, &figure, &entry, 1));
    assert_int_equal(numbers(out.data, " cx=\"", x, 4), 1);
    assert_int_equal(numbers(out.data, " cy=\"", y, 4), 1);
    assert_int_equal(numbers(out.data, "<rect class=\"hit\" x=\"", from, 4), 1);
    assert_int_equal(numbers(out.data, " width=\"", width, 4), 1);
    assert_true(fabs(from[0] - svg_text_width("w") - 12) < 0.06);
    assert_true(fabs(x[0] - (from[0] + width[0] / 2)) < 0.11); /* two decades, of which the median is the middle */
    assert_true(fabs(y[0] - FIRST) < 0.06);
    text_free(&out);
}
