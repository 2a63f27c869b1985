/* SPDX-License-Identifier: MIT */
/* A table of texts: columns as wide as their cells, aligned, and left out or broken where the line is too short. */
#include "out/out.h"

#include <math.h>
#include <string.h>

#define GAP 2u
/* A column that wraps is not narrowed below this width while other columns can be left out. */
#define WRAPPED 24u
/* For columns that wrap, unless their cells are narrower. */
#define NARROWEST 9u
/* First byte of a grid_note() in grid.cells; that of a cell is its colour. */
#define NOTE 'n'

void grid_columns(struct grid *g, const struct grid_column *columns, size_t n)
{
    for (size_t i = 0; i < n && g->n_columns < GRID_COLUMNS_MAX; i++) {
        struct grid_column *column = &g->column[g->n_columns++];
        *column = columns[i];
        if (!column->title)
            column->title = "";
        if (text_width(column->title) > column->width)
            column->width = text_width(column->title);
    }
}

static void finish(struct grid *g)
{
    if (!g->cells.length || g->cells.failed)
        return;
    char *cell = g->cells.data + g->unfinished + 1;

    text_sanitize(cell);
    if (cell[-1] != NOTE) {
        struct grid_column *column = &g->column[(g->n_cells - 1) % g->n_columns];
        const size_t width = text_width(cell);
        if (width > column->width && (!column->most || width <= column->most))
            column->width = width;
        column->known |= cell[0] && strcmp(cell, "-") != 0;
    }
    text_append(&g->cells, "", 1);
}

static struct text *begin(struct grid *g, char mark)
{
    finish(g);
    g->unfinished = g->cells.length;
    text_append(&g->cells, &mark, 1);
    return &g->cells;
}

struct text *grid_cell(struct grid *g, enum color color)
{
    struct text *text = begin(g, (char)('0' + (int)color));

    g->n_cells++;
    return text;
}

void grid_text(struct grid *g, const char *s)
{
    text_append(grid_cell(g, COLOR_NONE), s, strlen(s));
}

void grid_number(struct grid *g, double value, unsigned decimals)
{
    struct text *cell = grid_cell(g, COLOR_NONE);

    if (isfinite(value))
        text_printf(cell, "%.*f", (int)decimals, value);
    else
        text_append(cell, "-", 1);
}

void grid_value(struct grid *g, double value, const char *unit)
{
    grid_text(g, units_plain(UNITS_VALUE(value, unit)));
}

void grid_status(struct grid *g, enum row_status status)
{
    text_printf(grid_cell(g, color_of_status(status)), "%s", status == ROW_OK ? "" : row_status_name(status));
}

void grid_end_row(struct grid *g)
{
    while (g->n_cells % g->n_columns)
        grid_text(g, "");
}

struct text *grid_note(struct grid *g)
{
    return begin(g, NOTE);
}

/* --- Width. --- */

static bool is_shown(const struct grid_column *column)
{
    return !column->left_out && column->width;
}

/* Columns that wrap are no wider than `most`. */
static size_t total_width(const struct grid *g, size_t most)
{
    size_t total = 0;

    for (size_t i = 0; i < g->n_columns; i++) {
        const size_t width = g->column[i].width;
        if (is_shown(&g->column[i]))
            total += (g->column[i].wrap && width > most ? most : width) + (total ? GAP : 0);
    }
    return total;
}

static void leave_out(struct grid *g, unsigned width)
{
    while (total_width(g, WRAPPED) > width) {
        unsigned rank = 0;
        for (size_t i = 0; i < g->n_columns; i++)
            if (is_shown(&g->column[i]) && g->column[i].rank > rank)
                rank = g->column[i].rank;
        if (!rank)
            return;
        for (size_t i = 0; i < g->n_columns; i++)
            g->column[i].left_out |= g->column[i].rank == rank;
    }
}

static void narrow(struct grid *g, unsigned width)
{
    for (size_t total = total_width(g, SIZE_MAX); total > width; total--) {
        struct grid_column *widest = NULL;
        for (size_t i = 0; i < g->n_columns; i++)
            if (g->column[i].wrap && (!widest || g->column[i].width > widest->width))
                widest = &g->column[i];
        if (!widest || widest->width <= NARROWEST)
            return;
        widest->width--;
    }
}

/* A new line begins before it if the line from *start on would become wider. */
static void put_word(struct text *out, size_t *start, const char *word, size_t length, const char *end, unsigned width)
{
    if (out->length - *start + 1 + text_width(word) - text_width(word + length) + strlen(end) > width) {
        *start = out->length + 1;
        text_append(out, "\n ", 2);
    }
    text_printf(out, " %.*s%s", (int)length, word, end);
}

static void put_left_out(const struct grid *g, unsigned width, struct text *out)
{
    const char *hint = g->hint ? g->hint : "(shown with -v, and in the CSV)";
    size_t start = out->length, n = 0;

    for (size_t i = 0; i < g->n_columns; i++)
        n += g->column[i].left_out;
    if (!n)
        return;
    text_printf(out, "Left out:");
    for (size_t i = 0; i < g->n_columns; i++)
        if (g->column[i].left_out)
            put_word(out, &start, g->column[i].title, strlen(g->column[i].title), --n ? "," : "", width);
    for (size_t length; *hint; hint += length + (hint[length] == ' ')) {
        length = strcspn(hint, " ");
        put_word(out, &start, hint, length, "", width);
    }
    text_append(out, "\n", 1);
}

/* --- Printing. --- */

static void put_row(const struct grid *g, const char **cells, const enum color *colors, struct text *out)
{
    for (bool more = true; more;) {
        size_t at = 0, start = 0;
        more = false;
        for (size_t i = 0; i < g->n_columns; i++) {
            const struct grid_column *column = &g->column[i];
            if (!is_shown(column))
                continue;
            const size_t length = column->wrap ? text_break(cells[i], column->width) : strlen(cells[i]);
            const size_t width = text_width(cells[i]) - text_width(cells[i] + length), end = start + column->width;
            const size_t wanted = column->left ? start : end > width ? end - width : 0;
            const size_t least = at ? at + GAP : 0;
            if (length) {
                text_printf(out, "%*s", (int)((wanted > least ? wanted : least) - at), "");
                color_put(out, colors ? colors[i] : COLOR_NONE, cells[i], length);
                at = (wanted > least ? wanted : least) + width;
            }
            start = end + GAP;
            cells[i] += length;
            cells[i] += *cells[i] == ' ' && column->wrap;
            more |= *cells[i] != 0;
        }
        text_append(out, "\n", 1);
    }
}

static const char *next_row(const struct grid *g, const char *at, const char **cells, enum color *colors)
{
    for (size_t i = 0; i < g->n_columns; i++, at += strlen(at) + 1) {
        colors[i] = (enum color)(*at - '0');
        cells[i] = at + 1;
    }
    return at;
}

static void take_titles(const struct grid *g, const char **cells)
{
    for (size_t i = 0; i < g->n_columns; i++)
        cells[i] = g->column[i].title;
}

/* Returns whether there is something to print. */
static bool is_ready(struct grid *g, struct text *out)
{
    finish(g);
    out->failed |= g->cells.failed;
    return g->n_cells && !g->cells.failed;
}

void grid_print(struct grid *g, unsigned width, struct text *out)
{
    const char *cells[GRID_COLUMNS_MAX];
    enum color colors[GRID_COLUMNS_MAX];

    if (is_ready(g, out)) {
        for (size_t i = 0; i < g->n_columns; i++)
            if (g->column[i].optional && !g->column[i].known)
                g->column[i].width = 0;
        if (width) {
            leave_out(g, width);
            narrow(g, width);
        }
        take_titles(g, cells);
        put_row(g, cells, NULL, out);
        for (const char *at = g->cells.data, *end = at + g->cells.length; at < end;) {
            if (*at == NOTE) {
                text_printf(out, "%*s%s\n", (int)(g->column[0].width + GAP), "", at + 1);
                at += strlen(at) + 1;
                continue;
            }
            at = next_row(g, at, cells, colors);
            put_row(g, cells, colors, out);
        }
        put_left_out(g, width, out);
    }
    text_free(&g->cells);
}

static void put_markdown(const struct grid *g, const char *const *cells, struct text *out)
{
    for (size_t i = 0; i < g->n_columns; i++) {
        text_printf(out, i ? " | " : "| ");
        for (const char *at = cells[i]; *at; at++) {
            text_append(out, "\\", *at == '|' || *at == '\\' || *at == '<' || *at == '*' || *at == '_');
            text_append(out, at, 1);
        }
    }
    text_append(out, " |\n", 3);
}

void grid_markdown(struct grid *g, struct text *out)
{
    const char *cells[GRID_COLUMNS_MAX];
    enum color colors[GRID_COLUMNS_MAX];

    if (is_ready(g, out)) {
        take_titles(g, cells);
        put_markdown(g, cells, out);
        for (size_t i = 0; i < g->n_columns; i++)
            text_printf(out, g->column[i].left ? "| --- " : "| ---: ");
        text_append(out, "|\n", 2);
        for (const char *at = g->cells.data, *end = at + g->cells.length; at < end;) {
            at = next_row(g, at, cells, colors);
            put_markdown(g, cells, out);
        }
    }
    text_free(&g->cells);
}
