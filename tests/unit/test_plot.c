/* SPDX-License-Identifier: MIT */
/* Unit tests of distributions as text. */
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

TEST(test_plot_of_one_value_is_one_line)
{
    struct stats_point hist[] = {{880, 1}};
    struct text out = plot(hist, 1, "cycles", 40);
    /* 3 + 4 + 3 + 1 + 6 + 1 + 1 + 2 = 21 columns of text leave 19 for the bar. */
    assert_string_equal(out.data, "880 .. 881 cycles 1 |###################\n");
    text_free(&out);
}

TEST(test_plot_bars_are_logarithmic)
{
    /* The text "100 .. 101 ns 1000 |" leaves 40 of 60 columns: 1000, 10, 1 and 0 events are 4, 2, 1 and no
     * decades of 10 columns. */
    struct stats_point hist[] = {{100, 1000}, {101, 10}, {103, 1}};
    struct text out = plot(hist, 3, "ns", 60);
    assert_string_equal(out.data, "100 .. 101 ns 1000 |########################################\n"
                                  "101 .. 102 ns   10 |####################\n"
                                  "102 .. 103 ns    0 |\n"
                                  "103 .. 104 ns    1 |##########\n");
    text_free(&out);
}

TEST(test_plot_steps_are_round)
{
    /* 0 to 99: 20 bins of 5. */
    struct stats_point hist[100];
    struct text out;
    for (size_t i = 0; i < 100; i++)
        hist[i] = (struct stats_point){.at = (double)i, .value = 1};
    out = plot(hist, 100, "us", 30);
    assert_int_equal(count_lines(&out), 20);
    /* 5 counts are 1.699 decades of 1.699: every bar fills the 13 columns left. */
    assert_memory_equal(out.data, "  0 ..   5 us 5 |#############\n", 31);
    assert_non_null(strstr(out.data, "\n 95 .. 100 us 5 |"));
    text_free(&out);
}

TEST(test_plot_takes_fractions)
{
    struct stats_point hist[] = {{0.5, 1}, {0.75, 1}};
    struct text out = plot(hist, 2, "ms", 80);
    /* A span of 0.25: steps of 0.01 would need 26 bins, of 0.02 13 from 0.50 on. */
    assert_int_equal(count_lines(&out), 13);
    assert_memory_equal(out.data, "0.50 .. 0.52 ms 1 |", 19);
    assert_non_null(strstr(out.data, "\n0.74 .. 0.76 ms 1 |"));
    text_free(&out);
}

TEST(test_plot_of_a_long_tail_has_even_ratios)
{
    struct stats_point hist[] = {{900, 1000000}, {1300, 20}, {1000000, 3}};
    struct text out = plot(hist, 3, "ns", 70);
    /* Ten to a decade from 800 to 1,250,000 would be 32 bins; five to a decade from 630 to 1,600,000 are 17. */
    assert_int_equal(count_lines(&out), 17);
    assert_memory_equal(out.data, "    630 ..    1000 ns 1000000 |#", 32);
    assert_non_null(strstr(out.data, "\n   1000 ..    1600 ns      20 |#"));
    assert_non_null(strstr(out.data, "\n1000000 .. 1600000 ns       3 |#"));
    assert_no_wider(&out, 70);
    text_free(&out);
}

TEST(test_plot_of_many_decades_keeps_the_bins_few)
{
    struct stats_point hist[] = {{1, 1}, {1e20, 2}};
    struct text out = plot(hist, 2, "ns", 80);
    assert_int_equal(count_lines(&out), 21); /* one a decade, 1 to 10 up to 1e20 to 1e21 */
    assert_non_null(strstr(out.data, "       1e+20 ..        1e+21 ns 2 |"));
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

TEST(test_ranges_of_one_row)
{
    /* The title and two blanks are 11 columns and "100us" is 5: 24 of 40 are left for three decades, 8 for each.
     * log10 of 2, 5, 20 and 400 (us) is 0.30, 0.70, 1.30 and 2.60: columns 2, 6, 10 and 21 of the axis. */
    const struct row row = range_row("ns", 2000, 5000, 20000, 400000);
    const char *const labels[] = {"audio"};
    assert_ranges(&row, labels, 1, 40,
                  "log scale  1us     10us    100us   1ms\n"
                  "           +-------+-------+-------+\n"
                  "audio      . [---*===|----------]  .\n" LEGEND);
}

TEST(test_ranges_of_very_different_rows)
{
    /* 61 columns less 16 and 5 are 40 for eight decades. From 100 ns on, 2 us is 1.30 decades or 7 columns, 5 us 8, 20
     * us 12 and 400 us 18; 2.5 us is 7, 500 us 18, 200 ms 32 and 1.2 s 35; 150 to 170 ns are all 1. */
    const struct row rows[] = {
        range_row("ns", 2000, 5000, 20000, 400000),
        range_row("ns", 2500, 500000, 2e8, 1.2e9),
        bare_row(ROW_SKIPPED),
        range_row("ns", 150, 150, 160, 170),
    };
    const char *const labels[] = {"audio  none", "audio  compile", "audio  memload", "x"};
    assert_ranges(rows, labels, 4, 61,
                  "log scale       100ns     10us      1ms       100ms     10s\n"
                  "                +----+----+----+----+----+----+----+----+\n"
                  "audio  none     .    . [*===|-----] .    .    .    .    .\n"
                  "audio  compile  .    . [----------*=============|--]    .\n"
                  "audio  memload  skipped\n"
                  "x               .*   .    .    .    .    .    .    .    .\n" LEGEND);
}

TEST(test_ranges_of_one_value_is_a_point)
{
    const struct row row = range_row("ns", 50000, 50000, 50000, 50000);
    const char *const labels[] = {"a"};
    /* One decade of 24 columns; 0.70 of it is 17. */
    assert_ranges(&row, labels, 1, 40,
                  "log scale  10us                    100us\n"
                  "           +-----------------------+\n"
                  "a          .                *      .\n" LEGEND);
}

TEST(test_ranges_on_a_whole_decade_have_a_whole_axis)
{
    const struct row rows[] = {range_row("ns", 1e6, 1e6, 1e6, 1e6), range_row("ns", 0, 0, 0, 0)};
    const char *const labels[] = {"a"};
    assert_ranges(rows, labels, 1, 40,
                  "log scale  1ms                      10ms\n"
                  "           +------------------------+\n"
                  "a          *                        .\n" LEGEND);
    assert_ranges(rows + 1, labels, 1, 40,
                  "log scale  100ns                   1us\n"
                  "           +-----------------------+\n"
                  "a          *                       .\n" LEGEND);
}

TEST(test_ranges_below_the_axis_are_at_its_left_edge)
{
    const struct row rows[] = {range_row("ns", 0, 30, 100, 1000), range_row("ns", -5, 200, 300, 400)};
    const char *const labels[] = {"a", "b"};
    /* 0, 30 and 100 ns share a column: the median is seen. 200, 300 and 400 ns are at 0.30, 0.48 and 0.60 of 24. */
    assert_ranges(rows, labels, 2, 40,
                  "log scale  100ns                   1us\n"
                  "           +-----------------------+\n"
                  "a          *-----------------------]\n"
                  "b          [------*===|--]         .\n" LEGEND);
}

TEST(test_ranges_leave_out_what_is_not_known)
{
    const struct row rows[] = {
        range_row("ns", 1000, 3000, NAN, 10000), /* fewer than a hundred events */
        range_row("ns", 1000, NAN, 3000, 10000),
        range_row("ns", NAN, 3000, NAN, NAN),
        range_row("ns", NAN, NAN, NAN, INFINITY),
        bare_row(ROW_FAILED),
        bare_row(ROW_DEGRADED),
        bare_row(ROW_OK),
    };
    const char *const labels[] = {"a", "b", "c", "d", "e", "f", "g"};
    /* 40 less 11 and 4 are 25; 0.48 of it is 12. */
    assert_ranges(rows, labels, 7, 40,
                  "log scale  1us                      10us\n"
                  "           +------------------------+\n"
                  "a          [-----------*------------]\n"
                  "b          [-----------|------------]\n"
                  "c          .           *            .\n"
                  "d          -\n"
                  "e          failed\n"
                  "f          degraded\n"
                  "g          -\n" LEGEND);
}

TEST(test_ranges_show_what_a_degraded_row_has)
{
    struct row row = range_row("ns", 1000, 3000, 5000, 10000);
    const char *const labels[] = {"a"};
    row.status = ROW_DEGRADED;
    assert_ranges(&row, labels, 1, 40,
                  "log scale  1us                      10us\n"
                  "           +------------------------+\n"
                  "a          [-----------*====|-------]\n" LEGEND);
}

TEST(test_ranges_of_marks_in_one_column_show_the_worse)
{
    /* p99 and maximum share a column, and minimum and p99 of the row without a median. */
    const struct row rows[] = {range_row("ns", 1000, 2000, 9990, 10000), range_row("ns", 1000, NAN, 1001, 10000)};
    const char *const labels[] = {"a", "b"};
    assert_ranges(rows, labels, 2, 40,
                  "log scale  1us                      10us\n"
                  "           +------------------------+\n"
                  "a          [-------*================]\n"
                  "b          |------------------------]\n" LEGEND);
}

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
    /* 53 columns less 11 and 6 ("100000") are 36 for nine decades. 0.02 is 0.30 * 4 = 1 from the left, 3 (log10 0.48)
     * 10, 500 19 and 2e6 33 (33.2). Of the labels every second has room. */
    assert_ranges(&row, labels, 1, 53,
                  "log scale  0.01    1       100     10000   1e+06\n"
                  "           +---+---+---+---+---+---+---+---+---+\n"
                  "a          .[--------*========|-------------]  .\n" LEGEND);
}

TEST(test_ranges_cut_long_labels)
{
    const struct row row = range_row("ns", 1000, 3000, 5000, 10000);
    const char *const labels[] = {"a label \033[2J of fifty and more columns, all of it in one line"};
    /* Half of 40 less the gap. */
    assert_ranges(&row, labels, 1, 40,
                  "log scale           1us             10us\n"
                  "                    +---------------+\n"
                  "a label ?[2J of fi  [-------*==|----]\n" LEGEND);
}

/* The line of that number, from 0. */
static const char *line_of(const struct text *t, size_t number)
{
    const char *line = t->data;
    while (number-- > 0)
        line = strchr(line, '\n') + 1;
    return line;
}

static size_t column_in(const char *line, char sign)
{
    return (size_t)((const char *)memchr(line, sign, strcspn(line, "\n")) - line);
}

TEST(test_ranges_put_marks_at_the_right_place_at_any_width)
{
    /* 10^3.25, 10^4.5, 10^6.75 and 10^7.5 on an axis from 10^3 to 10^8. */
    const struct row row = range_row("ns", 1778.279410038923, 31622.776601683792, 5623413.251903491, 31622776.60168379);
    const double share[] = {0.25 / 5, 1.5 / 5, 3.75 / 5, 4.5 / 5};
    const char *const labels[] = {"a"};
    for (unsigned width = 40; width <= 300; width++) {
        struct text out = ranges(&row, labels, 1, width);
        const char *ticks = line_of(&out, 1), *line = line_of(&out, 2);
        size_t left = column_in(ticks, '+'), right = strcspn(ticks, "\n") - 1;
        assert_no_wider(&out, width);
        assert_int_equal(left, 11);
        assert_int_equal(right, width - 5);
        for (size_t i = 0; i < 4; i++) {
            double expected = (double)left + share[i] * (double)(right - left);
            double found = (double)column_in(line, "[*|]"[i]);
            assert_true(fabs(found - expected) <= 0.500001);
        }
        text_free(&out);
    }
}

TEST(test_ranges_at_a_decade_meet_its_tick)
{
    const char *const labels[] = {"long axis", "tick"};
    for (double at = 1e3; at < 1e10; at *= 10) {
        const struct row rows[] = {range_row("ns", 100, 200, 300, 1e10), range_row("ns", NAN, at, NAN, NAN)};
        for (unsigned width = 40; width <= 300; width += 13) {
            struct text out = ranges(rows, labels, 2, width);
            size_t column = column_in(line_of(&out, 3), '*');
            assert_int_equal(line_of(&out, 1)[column], '+');
            text_free(&out);
        }
    }
}

TEST(test_ranges_label_ticks_that_are_theirs)
{
    const struct row row = range_row("ns", 100, 200, 300, 1e11);
    const char *const labels[] = {"a"}, *const names[] = {"100ns", "1us",   "10us", "100us", "1ms",
                                                          "10ms",  "100ms", "1s",   "10s",   "100s"};
    for (unsigned width = 40; width <= 300; width++) {
        struct text out = ranges(&row, labels, 1, width);
        const char *heads = line_of(&out, 0), *ticks = line_of(&out, 1);
        size_t shown = 0;
        for (size_t i = 11, tick = 0; i < strcspn(ticks, "\n"); i++) {
            if (ticks[i] != '+')
                continue;
            /* Either its own label begins at a tick, or none does. */
            if (i < strcspn(heads, "\n") && heads[i] != ' ' && heads[i - 1] == ' ') {
                assert_memory_equal(heads + i, names[tick], strlen(names[tick]));
                shown++;
            }
            tick++;
        }
        assert_true(shown >= (width >= 90 ? 10u : 2u));
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

#define STRIP_LEGEND \
    "lost: ' ' nothing  . less  : 0.0001 %  - 0.001 %  = 0.01 %  + 0.1 %  * 1 %  # 10 %  @ 100 % or more\n"
#define STRIP_PARTS 100

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

TEST(test_strips_show_the_decade_of_each_part)
{
    static const double steps[] = {0,    1e-3, 0.9, 1,   9.9,  10,  99,    100,   990,
                                   1000, 9900, 1e4, 9e4, 99e3, 1e5, 990e3, 999e3, 1e6},
                        quiet[] = {0, 0, 50, 0}, wrong[] = {NAN, 10, INFINITY, -10};
    const char *const labels[] = {"CPU 0", "CPU 12", "CPU 3", "CPU 4"};
    struct stats_point parts[3][STRIP_PARTS];
    const struct row rows[] = {strip_row(parts[0], steps, 18), strip_row(parts[1], quiet, 4),
                               strip_row(parts[2], wrong, 4), bare_row(ROW_FAILED)};
    assert_strips(rows, labels, 4, 100,
                  "Lost time  start          end\n"
                  "CPU 0       ..::--==++***##@@\n"
                  "CPU 12       -\n"
                  "CPU 3       -\n"
                  "CPU 4      failed\n" STRIP_LEGEND);
}

/* 40 columns, 11 of them before the strip: of 58 parts two share a column, and their mean counts. */
TEST(test_strips_join_parts_where_there_is_no_room)
{
    const char *const labels[] = {"CPU 0"};
    struct stats_point parts[STRIP_PARTS];
    double lost_ns[58];
    for (size_t i = 0; i < 58; i++)
        lost_ns[i] = i % 4 == 0 ? 19000 : i % 4 == 1 ? 0 : 100;
    lost_ns[57] = 1e6;
    const struct row row = strip_row(parts, lost_ns, 58);
    assert_strips(&row, labels, 1, 40,
                  "Lost time  start                     end\n"
                  "CPU 0      +=+=+=+=+=+=+=+=+=+=+=+=+=+=#\n" STRIP_LEGEND);
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
                  "Lost time           start\n"
                  "a label that is lo  = =\n" STRIP_LEGEND);
}
