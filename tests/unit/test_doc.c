/* SPDX-License-Identifier: MIT */
/* Unit tests of the text grid: golden texts. The table of rows (test_table) shows how columns are left out. */
#include <math.h>
#include <stdlib.h>

#include "../test.h"
#include "out/out.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

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

TEST(test_doc_without_rows_prints_nothing)
{
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, &(struct grid_column){.title = "Host"}, 1);
    assert_grid(&grid, 100, false, "");
}

/* A cell that is wider than its column's limit overlaps empty neighbours, or shifts the rest of its line. */
TEST(test_doc_cells_wider_than_their_column)
{
    static const struct grid_column columns[] = {
        {.title = "Host", .most = 6, .left = true}, {.title = "A", .width = 4}, {.title = "B", .width = 5, .most = 5}};
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    PUT(&grid, "name", "10", "2.5", "long name", "10", "2.5", "a very long name", "10", "2.5", "", "", "wide score");
    assert_grid(&grid, 0, false,
                "Host     A      B\n"
                "name    10    2.5\n"
                "long name  10  2.5\n"
                "a very long name  10  2.5\n"
                "       wide score\n");
}

TEST(test_doc_breaks_cells_between_words)
{
    static const struct grid_column columns[] = {{.title = "Item", .left = true},
                                                 {.title = "Now", .left = true, .wrap = true},
                                                 {.title = "Good", .left = true, .wrap = true},
                                                 {.left = true}};
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    PUT(&grid, "governor", "powersave on 8 CPUs", "performance", "");
    text_printf(grid_cell(&grid, COLOR_NONE), "steal");
    PUT(&grid, "-", "not ris\xc3\xadng");
    text_printf(grid_cell(&grid, COLOR_RED), "noisy");
    assert_grid(&grid, 30, true, /* not narrower than 9 columns each */
                "Item      Now        Good\n"
                "governor  powersave  performan\n"
                "          on 8 CPUs  ce\n"
                "steal     -          not        \033[31mnoisy\033[0m\n"
                "                     ris\xc3\xadng\n");
}

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

/* A note is in no column; an empty column without a title takes no room. */
TEST(test_doc_notes_and_empty_columns)
{
    static const struct grid_column columns[] = {{.title = "Host", .left = true},
                                                 {.left = true},
                                                 {.title = "Core %", .optional = true},
                                                 {.title = "Lost", .optional = true}};
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    PUT(&grid, "a", "", "-");
    grid_number(&grid, 0.25, 3);
    text_printf(grid_note(&grid), "prime is far\033 off");
    PUT(&grid, "b", "", "-");
    grid_number(&grid, (double)NAN, 3);
    PUT(&grid, "c");
    grid_end_row(&grid);
    assert_grid(&grid, 0, false,
                "Host   Lost\n"
                "a     0.250\n"
                "      prime is far? off\n"
                "b         -\n"
                "c\n");
}

TEST(test_doc_as_markdown)
{
    static const struct grid_column columns[] = {{.title = "Test", .left = true}, {.title = "Base", .rank = 1}};
    struct grid grid = {.n_columns = 0};
    struct text out = {0};

    grid_columns(&grid, columns, COUNT(columns));
    PUT(&grid, "a|b_c", "1 ms", "*", "");
    doc_table(&(struct doc){.out = &out, .format = DOC_MARKDOWN}, &grid);
    assert_string_equal(out.data, "| Test | Base |\n"
                                  "| --- | ---: |\n"
                                  "| a\\|b\\_c | 1 ms |\n"
                                  "| \\* |  |\n");
    text_free(&out);
}
