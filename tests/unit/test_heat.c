/* SPDX-License-Identifier: MIT */
/* Heat maps: levels, directions, text of a cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "report/report.h"

static void fill_one(const void *context, size_t row, size_t column, struct heat_cell *cell)
{
    cell->worse = *(const double *)context;
}

TEST(test_heat_levels_grow_to_both_sides)
{
    static const char *const name[] = {"one"};
    static const struct {
        double worse;
        const char *class;
    } cases[] = {{0, ""},   {1.99, ""},   {-1.99, ""}, {2, "w1"},   {-2, "b1"},       {3.5, "w2"},
                 {6, "w3"}, {11.9, "w3"}, {12, "w4"},  {-12, "b4"}, {INFINITY, "w4"}, {-1e300, "b4"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct heat heat = {.row_title = "Host",
                                  .rows = name,
                                  .n_rows = 1,
                                  .columns = name,
                                  .n_columns = 1,
                                  .cell = fill_one,
                                  .context = &cases[i].worse};
        struct text out = {0};
        char expected[32] = "<td title=\"";
        heat_put(&out, &heat);
        if (cases[i].class[0])
            (void)snprintf(expected, sizeof(expected), "<td class=\"%s\"", cases[i].class);
        assert_non_null(strstr(out.data, expected));
        text_free(&out);
    }
}

static void fill(const void *context, size_t row, size_t column, struct heat_cell *cell)
{
    const double *values = context;

    cell->worse = values[2 * row + column];
    cell->far = fabs(cell->worse) > 7;
    (void)snprintf(cell->tip, sizeof(cell->tip), "cell %zu %zu <&>", row, column);
}

TEST(test_heat_puts_colour_number_and_words)
{
    static const char *const rows[] = {"a<b", "second"}, *const columns[] = {"one", "two\""};
    static const double values[] = {20, -9, NAN, 0.5};
    static const bool out_rows[] = {true, false}, begins[] = {true, false};
    const struct heat heat = {.row_title = "Host",
                              .rows = rows,
                              .columns = columns,
                              .row_stands_out = out_rows,
                              .column_begins = begins,
                              .n_rows = 2,
                              .n_columns = 2,
                              .cell = fill,
                              .context = values};
    static const char *const parts[] = {
        "<td class=\"w4 far g\" title=\"cell 0 0 &lt;&amp;&gt;\">20</td>",
        "<td class=\"b3 far\" title=\"cell 0 1 &lt;&amp;&gt;\">9</td>",
        "<td class=\"x g\" title=\"cell 1 0 &lt;&amp;&gt;\">\xc2\xb7</td>",
        "<td title=\"cell 1 1 &lt;&amp;&gt;\"></td>",
        "<tr class=\"out\"><th title=\"a&lt;b\">a&lt;b</th>",
        "<tr><th title=\"second\">",
        "title=\"two&quot;\"",
        "better, 12 spreads or more",
        "worse, 12 spreads or more",
    };
    struct text out = {0};

    heat_put(&out, &heat);
    assert_int_equal(out.failed, 0);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!strstr(out.data, parts[i]))
            fail_msg("lacks %s in %s", parts[i], out.data);
    text_free(&out);
}
