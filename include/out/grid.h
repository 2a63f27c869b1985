/* SPDX-License-Identifier: MIT */
/* A table of texts: columns as wide as their cells, aligned, and left out or broken where the line is too short. */
#ifndef OUT_GRID_H
#define OUT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "out/color.h"
#include "rows/text.h"

#define GRID_COLUMNS_MAX 72

struct grid_column {
    const char *title; /* is not copied; NULL: no title */
    size_t width;      /* least width; wider cells widen the column */
    /* cells wider than this do not widen the column; they may overlap empty neighbours or shift the rest of their line;
     * 0: no limit */
    size_t most;
    unsigned rank; /* 0: always shown; of the others the highest rank is left out first */
    bool left;     /* left-aligned; otherwise right-aligned */
    bool wrap;     /* narrowed where the line is too short: cells are broken between words */
    bool optional; /* omitted when all cells are "-" or empty */
    /* Set by the grid. */
    bool known; /* a cell has a value */
    bool left_out;
};

/* All zero is an empty grid. */
struct grid {
    struct grid_column column[GRID_COLUMNS_MAX];
    size_t n_columns;
    const char *hint; /* where to find columns left out; NULL: "(shown with -v, and in the CSV)" */
    /* Set by the grid. */
    struct text cells; /* of each grid_cell() and grid_note(): a byte (a colour, or 'n' for a note), the text, a zero */
    size_t n_cells;    /* number of cells, the unfinished one included */
    size_t unfinished; /* position of the cell that is being written */
};

/* Appends columns. Call it before the first cell only. More than GRID_COLUMNS_MAX are ignored. */
void grid_columns(struct grid *grid, const struct grid_column *columns, size_t n);

/* Begins the next cell, row by row; a row needs a cell for each column. Returns the text to append its content to,
 * until the next call of the grid. Control characters and bytes that are not UTF-8 are replaced by '?'. */
struct text *grid_cell(struct grid *grid, enum color color);

/* Adds a cell with a string. */
void grid_text(struct grid *grid, const char *s);

/* Adds a cell with a number; "-" when it is not finite. */
void grid_number(struct grid *grid, double value, unsigned decimals);

/* Adds a cell with a figure and its unit, as units_value() in plain ASCII; "-" when it is not finite. */
void grid_value(struct grid *grid, double value, const char *unit);

/* Adds a cell with a status, in its colour; empty for ROW_OK. */
void grid_status(struct grid *grid, enum row_status status);

/* Adds empty cells up to the end of the row. */
void grid_end_row(struct grid *grid);

/* Begins a line of its own, indented to the second column. Call it between rows. Returns its text, as grid_cell(). */
struct text *grid_note(struct grid *grid);

/* Prints the titles and rows, and frees the grid; prints nothing when it has no rows. If the table is wider than
 * `width` characters (0: no limit), the columns of the highest rank are left out, then those of the next, until the
 * table fits with its wrapping columns narrowed to 24, or only columns of rank 0 are left. Columns of one rank go
 * together, so that the digits of the figures seldom change which columns are shown. A line below names the columns
 * left out. Then the widest columns that wrap are narrowed, to 9 at least; a table that is still too wide stays so. */
void grid_print(struct grid *grid, unsigned width, struct text *out);

/* Prints the grid as a Markdown table with all columns, and frees it. */
void grid_markdown(struct grid *grid, struct text *out);

#endif
