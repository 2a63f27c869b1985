/* SPDX-License-Identifier: MIT */
/* Unit tests of distributions as text: any width and any value; whole pictures are the golden cases show-plots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/out.h"

static struct text plot(struct stats_point *hist, size_t n, const char *unit, unsigned width)
{
    struct text out = {0};
    struct row row;
    row_init(&row, NULL);
    text_copy(row.unit, sizeof row.unit, unit);
    row.hist = hist;
    row.n_hist = n;
    plot_histogram(&row, width, &out);
    assert_false(out.failed);
    return out;
}

static size_t count_lines(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

static void assert_no_wider(const struct text *t, size_t width)
{
    const char *line = t->data;
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        assert_true(length <= width);
        line += length + 1;
    }
}

TEST(test_plot_of_nothing_is_nothing)
{
    struct stats_point bad[] = {{NAN, 1}, {1, 0}, {1, -1}, {INFINITY, 3}, {2, NAN}};
    struct text out = plot(NULL, 0, "ns", 80);
    assert_int_equal(out.length, 0);
    text_free(&out);
    out = plot(bad, 5, "ns", 80);
    assert_int_equal(out.length, 0);
    text_free(&out);
}

TEST(test_plot_counts_each_event_once)
{
    struct stats_point hist[50];
    struct text out;
    double sum = 0;
    for (size_t i = 0; i < 50; i++)
        hist[i] = (struct stats_point){.at = pow(1.7, (double)i), .value = (double)(i + 1)};
    out = plot(hist, 50, "ns", 80);
    for (char *line = strtok(out.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        sum += strtod(strstr(line, "ns ") + 3, NULL);
    assert_true(sum == 1275);
    text_free(&out);
}

TEST(test_plot_takes_negative_zero_and_huge_positions)
{
    struct stats_point below[] = {{-20, 1}, {0, 1}, {20, 1}}, huge[] = {{1e299, 1}, {1.0000000000000002e299, 1}};
    struct text out = plot(below, 3, "C", 80);
    assert_int_equal(count_lines(&out), 21); /* steps of 2 from -20 to 22 */
    assert_memory_equal(out.data, "-20 .. -18 C 1 |#", 17);
    text_free(&out);
    out = plot(huge, 2, "C", 80);
    assert_true(count_lines(&out) >= 1 && count_lines(&out) <= 25);
    text_free(&out);
}

TEST(test_plot_without_room_shows_numbers)
{
    struct stats_point hist[] = {{880, 12}};
    struct text out = plot(hist, 1, "cycles", 10);
    assert_string_equal(out.data, "880 .. 881 cycles 12\n");
    text_free(&out);
}

/* --- Ranges. --- */

static struct row range_row(const char *unit, double min, double median, double p99, double max)
{
    struct row row;
    row_init(&row, NULL);
    text_copy(row.unit, sizeof row.unit, unit);
    row.stats.min = min;
    row.stats.median = median;
    row.stats.p99 = p99;
    row.stats.max = max;
    return row;
}

static struct row bare_row(enum row_status status)
{
    struct row row = range_row("", NAN, NAN, NAN, NAN);
    row.status = status;
    return row;
}

#define MOST_ROWS 8

static void list_rows(const struct row *rows, const char *const *labels, size_t n, struct plot_row list[MOST_ROWS])
{
    assert_true(n <= MOST_ROWS);
    for (size_t i = 0; i < n; i++) {
        list[i].row = &rows[i];
        text_copy(list[i].label, sizeof(list[i].label), labels[i]);
    }
}

static struct text ranges(const struct row *rows, const char *const *labels, size_t n, unsigned width)
{
    struct plot_row list[MOST_ROWS];
    struct text out = {0};
    list_rows(rows, labels, n, list);
    plot_ranges("log scale", n && !strcmp(rows[0].unit, "ns") ? 100 : 0, list, n, width, &out);
    assert_false(out.failed);
    return out;
}

static void assert_ranges(const struct row *rows, const char *const *labels, size_t n, unsigned width,
                          const char *expected)
{
    struct text out = ranges(rows, labels, n, width);
    assert_string_equal(out.length == 0 ? "" : out.data, expected);
    text_free(&out);
}

#define LEGEND "[ minimum  * median  | p99  ] maximum\n"

TEST(test_ranges_of_nothing_are_nothing)
{
    const struct row rows[] = {bare_row(ROW_FAILED), bare_row(ROW_OK)};
    const char *const labels[] = {"a", "b"};
    assert_ranges(NULL, NULL, 0, 80, "");
    assert_ranges(rows, labels, 2, 80, "");
}

TEST(test_ranges_of_other_units_have_plain_numbers)
{
    const struct row row = range_row("cycles", 0.02, 3, 500, 2e6);
    const char *const labels[] = {"a"};
    assert_ranges(&row, labels, 1, 53,
                  "log scale         1       100     10k     1M cycles\n"
                  "           -------+-------+-------+-------+-\n"
                  "a          [--------*========|-------------]\n" LEGEND);
}

TEST(test_ranges_cut_long_labels)
{
    const struct row row = range_row("ns", 1000, 3000, 5000, 10000);
    const char *const labels[] = {"a label \033[2J of fifty and more columns, all of it in one line"};
    /* Half of 40 less the gap. */
    assert_ranges(&row, labels, 1, 40,
                  "log scale           1 us          10 us\n"
                  "                    +-------------+\n"
                  "a label ?[2J of fi  [------*==|---]\n" LEGEND);
}

/* The line of that number, from 0. */
static const char *line_of(const struct text *t, size_t number)
{
    const char *line = t->data;
    while (number-- > 0)
        line = strchr(line, '\n') + 1;
    return line;
}

/* Wherever the longest stands, its column has room for it, and the shorter ones are filled up. */
TEST(test_ranges_of_unlike_labels)
{
    static const char *const labels[][3] = {{"the longest label", "a", "shorter"},
                                            {"a", "the longest label", "shorter"},
                                            {"shorter", "a", "the longest label"}};
    const struct row row = range_row("ns", 1000, 3000, 5000, 10000), rows[] = {row, row, row};
    char expected[32];
    for (size_t i = 0; i < 3; i++) {
        struct text out = ranges(rows, labels[i], 3, 40);
        for (size_t line = 0; line < 3; line++) {
            (void)snprintf(expected, sizeof(expected), "%-17s  [", labels[i][line]);
            assert_memory_equal(line_of(&out, 2 + line), expected, strlen(expected));
        }
        text_free(&out);
    }
}

static size_t column_in(const char *line, char sign)
{
    return (size_t)((const char *)memchr(line, sign, strcspn(line, "\n")) - line);
}

TEST(test_ranges_put_marks_at_the_right_place_at_any_width)
{
    /* On an axis from 10^3 to 10^8. */
    const struct row row = range_row("ns", 1000, 31622.776601683792, 5623413.251903491, 1e8);
    const double share[] = {0, 1.5 / 5, 3.75 / 5, 1};
    const char *const labels[] = {"a"};
    for (unsigned width = 40; width <= 300; width++) {
        struct text out = ranges(&row, labels, 1, width);
        const char *ticks = line_of(&out, 1), *line = line_of(&out, 2);
        size_t left = 11, right = strcspn(ticks, "\n") - 1;
        assert_no_wider(&out, width);
        for (size_t i = 0; i < 4; i++) {
            double expected = (double)left + share[i] * (double)(right - left);
            double found = (double)column_in(line, "[*|]"[i]);
            assert_true(fabs(found - expected) <= 1);
        }
        text_free(&out);
    }
}

TEST(test_ranges_of_a_width_beyond_have_the_nearest)
{
    const struct row row = range_row("ns", 1000, 3000, 5000, 1e9);
    const char *const labels[] = {"a"};
    static const unsigned widths[][2] = {{0, 40}, {39, 40}, {301, 300}, {1000, 300}, {4294967295u, 300}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct text given = ranges(&row, labels, 1, widths[i][0]), nearest = ranges(&row, labels, 1, widths[i][1]);
        assert_string_equal(given.data, nearest.data);
        text_free(&given);
        text_free(&nearest);
    }
}

TEST(test_ranges_take_any_width_and_any_value)
{
    const struct row rows[] = {range_row("", 1e-299, -1e299, 1e299, 5e-324), range_row("", 10, 5, 2, 1),
                               range_row("ns", 1e299, 1, NAN, 1e-299)};
    const char *const labels[] = {"a", "b", "c"};
    static const unsigned widths[] = {40, 41, 80, 299, 300};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t first = 0; first < 3; first++) {
            struct text out = ranges(rows + first, labels, 3 - first, widths[i]);
            assert_no_wider(&out, widths[i]);
            assert_int_equal(count_lines(&out), 6 - first);
            text_free(&out);
        }
}

/* --- strips ----------------------------------------------------------------------------------------------------- */

#define STRIP_LEGEND "lost: ' ' nothing  . less  : 0.001 %  - 0.01 %  = 0.1 %  + 1 %  # 10 %  @ 50 % or more\n"
#define STRIP_PARTS  100

/* Parts of a millisecond each. */
static struct row strip_row(struct stats_point *parts, const double *lost_ns, size_t n)
{
    struct row row;
    row_init(&row, NULL);
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct stats_point){.at = 5000 + 1000 * (double)i, .value = lost_ns[i]};
    row.series = parts;
    row.n_series = n;
    return row;
}

static void assert_strips(const struct row *rows, const char *const *labels, size_t n, unsigned width,
                          const char *expected)
{
    struct plot_row list[MOST_ROWS];
    struct text out = {0};
    list_rows(rows, labels, n, list);
    plot_strip("Lost time", list, n, width, &out);
    assert_false(out.failed);
    assert_string_equal(out.length == 0 ? "" : out.data, expected);
    text_free(&out);
}

TEST(test_strips_of_nothing_are_nothing)
{
    static const double one[] = {100};
    const char *const labels[] = {"CPU 0", "CPU 1"};
    struct stats_point parts[STRIP_PARTS], still[] = {{7, 1}, {7, 1}};
    struct row rows[] = {bare_row(ROW_OK), strip_row(parts, one, 1)};
    assert_strips(rows, labels, 2, 80, "");
    rows[1].series = still; /* no part has a length */
    rows[1].n_series = 2;
    assert_strips(rows, labels, 2, 80, "");
    assert_strips(rows, labels, 0, 80, "");
}

TEST(test_strips_cut_long_labels)
{
    static const double some[] = {100, 0, 100};
    const char *const labels[] = {"a label that is longer than half of a line of forty\n"};
    struct stats_point parts[STRIP_PARTS];
    const struct row row = strip_row(parts, some, 3);
    assert_strips(&row, labels, 1, 40,
                  "Lost time           0    1     2    3 ms\n"
                  "                    +----+-----+----+\n"
                  "a label that is lo  -----      -----\n" STRIP_LEGEND);
}
