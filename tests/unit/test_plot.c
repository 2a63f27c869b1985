/* SPDX-License-Identifier: MIT */
/* Unit tests of distributions as text: any width and any value; whole pictures are the golden cases show-plots. */

#include "../test.h"
#include "out/chart.h"

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

static struct text ranges(const struct row *rows, const char *const *labels, size_t n, unsigned width)
{
    struct chart c = CHART_OF_RANGES("log scale");
    struct text out = {0};
    for (size_t i = 0; i < n; i++)
        chart_range(&c, &(struct chart_entry){.row = &rows[i], .label = labels[i]});
    c.x.least = fmax(c.x.least, strcmp(rows[0].unit, "ns") ? 0 : 100);
    chart_put_text(&c, width, &out);
    assert_false(out.failed);
    return out;
}

TEST(test_ranges_take_any_width_and_any_value)
{
    const struct row rows[] = {range_row("", 1e-299, -1e299, 1e299, 5e-324), range_row("", 10, 5, 2, 1),
                               range_row("ns", 1e299, 1, NAN, 1e-299)};
    const char *const labels[] = {"a", "b", "c"};
    static const unsigned widths[] = {40, 41, 80, 299, 300};
    for (size_t i = 0; i < COUNT(widths); i++)
        for (size_t first = 0; first < 3; first++) {
            struct text out = ranges(rows + first, labels, 3 - first, widths[i]);
            assert_no_wider(&out, widths[i]);
            assert_int_equal(count_lines(&out), 6 - first);
            text_free(&out);
        }
}
