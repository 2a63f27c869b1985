/* SPDX-License-Identifier: MIT */
/* Unit tests of the text grid: golden texts. The table of rows (test_table) shows how columns are left out. */

#include "../test.h"
#include "out/out.h"

static void assert_grid(struct grid *grid, unsigned width, bool color, const char *expected)
{
    struct text out = {.color = color};

    grid_print(grid, width, &out);
    assert_false(out.failed);
    assert_string_equal(out.data ? out.data : "", expected);
    text_free(&out);
}

static void put_texts(struct grid *grid, const char *const *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        grid_text(grid, cells[i]);
}
#define PUT(grid, ...) put_texts(grid, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/* A column with a rank is left out only if breaking the long cells to 24 columns does not make enough room. */
TEST(test_doc_breaks_long_cells_before_it_leaves_out_columns)
{
    static const struct grid_column columns[] = {
        {.title = "Test", .left = true}, {.title = "p", .rank = 1}, {.title = "Verdict", .left = true, .wrap = true}};
    static const struct {
        unsigned width;
        const char *expected;
    } cases[] = {
        {33, "Test  p  Verdict\n"
             "pipe  1  no change seen above the\n"
             "         noise\n"},
        {32, "Test  Verdict\n"
             "pipe  no change seen above the\n"
             "      noise\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct grid grid = {.n_columns = 0};
        grid_columns(&grid, columns, COUNT(columns));
        PUT(&grid, "pipe", "1", "no change seen above the noise");
        assert_grid(&grid, cases[i].width, false, cases[i].expected);
    }
}
