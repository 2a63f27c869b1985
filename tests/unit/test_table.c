/* SPDX-License-Identifier: MIT */
/* Unit tests of the text table, for what the golden texts of show do not have. */

#include "../test.h"
#include "out/out.h"
#include "row_fixture.h"

static struct row make_row(double value)
{
    struct row row = ROW(NULL, value, .test = "t", .metric = "m");
    row.copies = 1;
    return row;
}

static void assert_table(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width,
                         const char *expected)
{
    struct text out = {0};
    table_print(layout, rows, n, width, &out);
    assert_false(out.failed);
    assert_string_equal(out.length == 0 ? "" : out.data, expected);
    text_free(&out);
}

static const struct table_column ranked_columns[] = {
    {.heading = "first", .field = TABLE_TEST},
    {.heading = "second", .field = TABLE_VALUE, .rank = 2},
    {.heading = "third", .field = TABLE_MEAN, .rank = 1},
    {.heading = "fourth", .field = TABLE_COPIES, .rank = 2},
};
static const struct table_layout ranked_layout = {.columns = ranked_columns, .n_columns = COUNT(ranked_columns)};

/* The columns of a rank go together, and the line that names them is broken between words. */
TEST(test_table_leaves_out_columns_until_it_fits)
{
    struct row row = make_row(1);
    row.stats.mean = 2;
    static const struct {
        unsigned width;
        const char *expected;
    } cases[] = {
        {0, "first  second  third  fourth\n"
            "t           1      2       1\n"},
        {28, "first  second  third  fourth\n"
             "t           1      2       1\n"},
        {27, "first  third\n"
             "t          2\n"},
        {11, "first\n"
             "t\n"},
        {3, "first\n"
            "t\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_table(&ranked_layout, &row, 1, cases[i].width, cases[i].expected);
}

TEST(test_table_aligns_utf8_and_disarms_control_characters)
{
    static const struct table_column columns[] = {
        {.heading = "Gr\xc3\xb6\xc3\x9f"
                    "e",
         .field = TABLE_PARAM},
        {.heading = "\xc2\xb5s", .field = TABLE_VALUE},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = 2};
    struct row rows[] = {make_row(1), make_row(10)};
    set_params(&rows[0], "\x1b[2J\x7f");
    set_params(&rows[1], "\xc3\xa9");
    assert_table(&layout, rows, 2, 0,
                 "Gr\xc3\xb6\xc3\x9f"
                 "e  \xc2\xb5s\n"
                 "?[2J?   1\n"
                 "\xc3\xa9      10\n");
}

TEST(test_table_holds_the_largest_number)
{
    static const struct table_column columns[] = {{.heading = "v", .field = TABLE_VALUE, .decimals = 4000000000u}};
    static const struct table_layout layout = {.columns = columns, .n_columns = 1};
    struct row row = make_row(1.7976931348623157e308);
    struct text out = {0};
    table_print(&layout, &row, 1, 0, &out);
    /* The heading's line is as wide: 309 digits, the point, 17 decimals. */
    assert_int_equal(out.length, 2 * (309 + 1 + 17 + 1));
    text_free(&out);
}
