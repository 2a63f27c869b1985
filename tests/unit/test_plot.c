/* SPDX-License-Identifier: MIT */
/* Unit tests of histograms as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/plot.h"

static struct text plot(struct row_pair *hist, size_t n, const char *unit, unsigned width)
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

static void test_plot_of_nothing_is_nothing(void **state)
{
    struct row_pair bad[] = {{NAN, 1}, {1, 0}, {1, -1}, {INFINITY, 3}, {2, NAN}};
    struct text out = plot(NULL, 0, "ns", 80);
    (void)state;
    assert_int_equal(out.length, 0);
    text_free(&out);
    out = plot(bad, 5, "ns", 80);
    assert_int_equal(out.length, 0);
    text_free(&out);
}

static void test_plot_of_one_value_is_one_line(void **state)
{
    struct row_pair hist[] = {{880, 1}};
    struct text out = plot(hist, 1, "cycles", 40);
    (void)state;
    /* 3 + 4 + 3 + 1 + 6 + 1 + 1 + 2 = 21 columns of text leave 19 for the bar. */
    assert_string_equal(out.data, "880 .. 881 cycles 1 |###################\n");
    text_free(&out);
}

static void test_plot_bars_are_logarithmic(void **state)
{
    /* The text "100 .. 101 ns 1000 |" leaves 40 of 60 columns: 1000, 10, 1 and 0 events are 4, 2, 1 and no
     * decades of 10 columns. */
    struct row_pair hist[] = {{100, 1000}, {101, 10}, {103, 1}};
    struct text out = plot(hist, 3, "ns", 60);
    (void)state;
    assert_string_equal(out.data, "100 .. 101 ns 1000 |########################################\n"
                                  "101 .. 102 ns   10 |####################\n"
                                  "102 .. 103 ns    0 |\n"
                                  "103 .. 104 ns    1 |##########\n");
    text_free(&out);
}

static void test_plot_steps_are_round(void **state)
{
    /* 0 to 99: 20 bins of 5. */
    struct row_pair hist[100];
    struct text out;
    (void)state;
    for (size_t i = 0; i < 100; i++)
        hist[i] = (struct row_pair){.at = (double)i, .value = 1};
    out = plot(hist, 100, "us", 30);
    assert_int_equal(count_lines(&out), 20);
    /* 5 counts are 1.699 decades of 1.699: every bar fills the 13 columns left. */
    assert_memory_equal(out.data, "  0 ..   5 us 5 |#############\n", 31);
    assert_non_null(strstr(out.data, "\n 95 .. 100 us 5 |"));
    text_free(&out);
}

static void test_plot_takes_fractions(void **state)
{
    struct row_pair hist[] = {{0.5, 1}, {0.75, 1}};
    struct text out = plot(hist, 2, "ms", 80);
    (void)state;
    /* A span of 0.25: steps of 0.01 would need 26 bins, of 0.02 13 from 0.50 on. */
    assert_int_equal(count_lines(&out), 13);
    assert_memory_equal(out.data, "0.50 .. 0.52 ms 1 |", 19);
    assert_non_null(strstr(out.data, "\n0.74 .. 0.76 ms 1 |"));
    text_free(&out);
}

static void test_plot_of_a_long_tail_has_even_ratios(void **state)
{
    struct row_pair hist[] = {{900, 1000000}, {1300, 20}, {1000000, 3}};
    struct text out = plot(hist, 3, "ns", 70);
    (void)state;
    /* Ten to a decade from 800 to 1,250,000 would be 32 bins; five to a decade from 630 to 1,600,000 are 17. */
    assert_int_equal(count_lines(&out), 17);
    assert_memory_equal(out.data, "    630 ..    1000 ns 1000000 |#", 32);
    assert_non_null(strstr(out.data, "\n   1000 ..    1600 ns      20 |#"));
    assert_non_null(strstr(out.data, "\n1000000 .. 1600000 ns       3 |#"));
    assert_no_wider(&out, 70);
    text_free(&out);
}

static void test_plot_of_many_decades_keeps_the_bins_few(void **state)
{
    struct row_pair hist[] = {{1, 1}, {1e20, 2}};
    struct text out = plot(hist, 2, "ns", 80);
    (void)state;
    assert_int_equal(count_lines(&out), 21); /* one a decade, 1 to 10 up to 1e20 to 1e21 */
    assert_non_null(strstr(out.data, "       1e+20 ..        1e+21 ns 2 |"));
    text_free(&out);
}

static void test_plot_counts_each_event_once(void **state)
{
    struct row_pair hist[50];
    struct text out;
    double sum = 0;
    (void)state;
    for (size_t i = 0; i < 50; i++)
        hist[i] = (struct row_pair){.at = pow(1.7, (double)i), .value = (double)(i + 1)};
    out = plot(hist, 50, "ns", 80);
    for (char *line = strtok(out.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        sum += strtod(strstr(line, "ns ") + 3, NULL);
    assert_true(sum == 1275);
    text_free(&out);
}

static void test_plot_takes_negative_zero_and_huge_positions(void **state)
{
    struct row_pair below[] = {{-20, 1}, {0, 1}, {20, 1}}, huge[] = {{1e299, 1}, {1.0000000000000002e299, 1}};
    struct text out = plot(below, 3, "C", 80);
    (void)state;
    assert_int_equal(count_lines(&out), 21); /* steps of 2 from -20 to 22 */
    assert_memory_equal(out.data, "-20 .. -18 C 1 |#", 17);
    text_free(&out);
    out = plot(huge, 2, "C", 80);
    assert_true(count_lines(&out) >= 1 && count_lines(&out) <= 25);
    text_free(&out);
}

static void test_plot_without_room_shows_numbers(void **state)
{
    struct row_pair hist[] = {{880, 12}};
    struct text out = plot(hist, 1, "cycles", 10);
    (void)state;
    assert_string_equal(out.data, "880 .. 881 cycles 12\n");
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot_of_nothing_is_nothing),
        cmocka_unit_test(test_plot_of_one_value_is_one_line),
        cmocka_unit_test(test_plot_bars_are_logarithmic),
        cmocka_unit_test(test_plot_steps_are_round),
        cmocka_unit_test(test_plot_takes_fractions),
        cmocka_unit_test(test_plot_of_a_long_tail_has_even_ratios),
        cmocka_unit_test(test_plot_of_many_decades_keeps_the_bins_few),
        cmocka_unit_test(test_plot_counts_each_event_once),
        cmocka_unit_test(test_plot_takes_negative_zero_and_huge_positions),
        cmocka_unit_test(test_plot_without_room_shows_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
