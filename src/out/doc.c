/* SPDX-License-Identifier: MIT */
/* A document of headings, sentences and tables, written as text, Markdown or HTML. In text, the columns of a table are
 * as wide as their cells, aligned, and left out or broken where the line is too short. */
#include "out/out.h"

#include <unistd.h>

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

static void end_cell(struct grid *g)
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
        column->known |= cell[0] && strcmp(cell, "-");
    }
    text_append(&g->cells, "", 1);
}

static struct text *begin_cell(struct grid *g, char mark)
{
    end_cell(g);
    g->unfinished = g->cells.length;
    text_append(&g->cells, &mark, 1);
    return &g->cells;
}

struct text *grid_cell(struct grid *g, enum color color)
{
    struct text *text = begin_cell(g, (char)('0' + (int)color));

    g->n_cells++;
    return text;
}

void grid_text(struct grid *g, const char *s)
{
    text_append(grid_cell(g, COLOR_NONE), s, strlen(s));
}

struct text *grid_key(struct grid *g, size_t number)
{
    return grid_cell(g, (enum color)(COLOR_KEY + number));
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
    char *text = UNITS_VALUE(value, unit);

    grid_text(g, g->html ? text : units_plain(text));
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
    return begin_cell(g, NOTE);
}

/* --- Width. --- */

static bool column_is_shown(const struct grid_column *column)
{
    return !column->left_out && column->width;
}

/* Columns that wrap are no wider than `most`. */
static size_t total_width(const struct grid *g, size_t most)
{
    size_t total = 0;

    for (size_t i = 0; i < g->n_columns; i++) {
        const size_t width = g->column[i].width;
        if (column_is_shown(&g->column[i]))
            total += (g->column[i].wrap && width > most ? most : width) + (total ? GAP : 0);
    }
    return total;
}

/* Returns whether a column was left out. */
static bool leave_out(struct grid *g, unsigned width)
{
    bool any = false;

    while (total_width(g, WRAPPED) > width) {
        unsigned rank = 0;
        for (size_t i = 0; i < g->n_columns; i++)
            if (column_is_shown(&g->column[i]) && g->column[i].rank > rank)
                rank = g->column[i].rank;
        if (!rank)
            break;
        any = true;
        for (size_t i = 0; i < g->n_columns; i++)
            g->column[i].left_out |= column_is_shown(&g->column[i]) && g->column[i].rank == rank;
    }
    return any;
}

static void narrow_columns(struct grid *g, unsigned width)
{
    for (size_t total = total_width(g, SIZE_MAX); total > width; total--) {
        struct grid_column *widest = NULL;
        for (size_t i = 0; i < g->n_columns; i++)
            if (g->column[i].wrap && column_is_shown(&g->column[i]) && (!widest || g->column[i].width > widest->width))
                widest = &g->column[i];
        if (!widest || widest->width <= NARROWEST)
            return;
        widest->width--;
    }
}

/* --- Printing. --- */

static void put_text_row(const struct grid *g, const char **cells, const enum color *colors, struct text *out)
{
    for (bool more = true; more;) {
        size_t at = 0, start = 0;
        more = false;
        for (size_t i = 0; i < g->n_columns; i++) {
            const struct grid_column *column = &g->column[i];
            if (!column_is_shown(column))
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

static void put_markdown(const struct grid *g, const char **cells, const enum color *colors, struct text *out)
{
    (void)colors;
    for (size_t i = 0; i < g->n_columns; i++) {
        if (!column_is_shown(&g->column[i]))
            continue;
        text_append(out, "| ", 2);
        for (const char *at = cells[i]; *at; at++) {
            text_append(out, "\\", *at == '|' || *at == '\\' || *at == '<' || *at == '*' || *at == '_');
            text_append(out, at, 1);
        }
        text_append(out, " ", 1);
    }
    text_append(out, "|\n", 2);
}

const char *const heat_classes[HEAT_LEVELS] = {"b4", "b3", "b2", "b1", "", "w1", "w2", "w3", "w4"};

static void put_html(const struct grid *g, const char **cells, const enum color *colors, struct text *out)
{
    const char *element = colors ? "td" : "th";

    text_printf(out, "<tr>");
    for (size_t i = 0; i < g->n_columns; i++) {
        const bool heat = colors && colors[i] >= COLOR_HEAT && colors[i] < COLOR_KEY;
        const char *class = heat                          ? heat_classes[colors[i] - COLOR_HEAT]
                            : !g->column[i].left          ? "n"
                            : g->column[i].wrap && colors ? "w"
                                                          : "";
        const char *bad = colors && colors[i] == COLOR_RED ? " bad" : "";
        if (!column_is_shown(&g->column[i]))
            continue;
        html_put(out, class[0] || bad[0] ? "<%s class=\"%s%s\"" : "<%s%s%s", element, class, bad);
        /* for narrow screens, on which a row is a paragraph */
        html_put(out, colors && !g->column[i].left && cells[i][0] ? " data-t=\"%s\">" : ">", g->column[i].title);
        if (colors && colors[i] >= COLOR_KEY && cells[i][0])
            html_put(out, "<i class=\"key s%zu\"></i>", (size_t)(colors[i] - COLOR_KEY));
        html_put(out, "%s</%s>", cells[i], element);
    }
    text_printf(out, "</tr>\n");
}

static void put_cells(const struct doc *doc, const struct grid *g, const char **cells, const enum color *colors)
{
    (doc->format == DOC_HTML       ? put_html
     : doc->format == DOC_MARKDOWN ? put_markdown
                                   : put_text_row)(g, cells, colors, doc->out);
}

/* Returns how many rows and notes are left out. */
static size_t put_grid_rows(const struct doc *doc, const struct grid *g)
{
    const size_t most = doc->format == DOC_HTML && doc->rows_most ? doc->rows_most : SIZE_MAX;
    const char *cells[GRID_COLUMNS_MAX];
    enum color colors[GRID_COLUMNS_MAX];
    size_t n = 0, shown = 0;

    for (size_t i = 0; i < g->n_columns; i++)
        shown += column_is_shown(&g->column[i]);
    for (const char *at = g->cells.data, *end = at + g->cells.length; at < end; n++)
        if (*at == NOTE) {
            if (doc->format == DOC_HTML && n < most)
                html_put(doc->out, "<tr class=\"more\"><td colspan=\"%zu\">%s</td></tr>\n", shown, at + 1);
            else if (doc->format == DOC_TEXT)
                text_printf(doc->out, "%*s%s\n", (int)(g->column[0].width + GAP), "", at + 1);
            at += strlen(at) + 1;
        } else {
            for (size_t i = 0; i < g->n_columns; i++, at += strlen(at) + 1) {
                colors[i] = (enum color)(*at - '0');
                cells[i] = at + 1;
            }
            if (n < most)
                put_cells(doc, g, cells, colors);
        }
    return n > most ? n - most : 0;
}

void doc_table(const struct doc *doc, struct grid *g)
{
    const bool html = doc->format == DOC_HTML, text = doc->format == DOC_TEXT;
    const char *titles[GRID_COLUMNS_MAX];
    struct text *out = doc->out;

    end_cell(g);
    out->failed |= g->cells.failed;
    for (size_t i = 0; i < g->n_columns; i++) {
        titles[i] = g->column[i].title;
        if (g->column[i].optional && !g->column[i].known)
            g->column[i].width = 0;
    }
    if (g->n_cells && !g->cells.failed) {
        if (!html && !text)
            doc_gap(doc);
        if (text && doc->width) {
            out->left_out |= leave_out(g, doc->width);
            narrow_columns(g, doc->width);
        }
        if (html)
            html_put(out,
                     doc->class ? "<div class=\"scroll\"><table class=\"%s\"><thead>"
                                : "<div class=\"scroll\"><table><thead>",
                     doc->class);
        put_cells(doc, g, titles, NULL);
        for (size_t i = 0; i < g->n_columns && !html && !text; i++)
            text_printf(out, !column_is_shown(&g->column[i]) ? "" : g->column[i].left ? "| --- " : "| ---: ");
        text_printf(out, html ? "</thead><tbody>\n" : text ? "" : "|\n");
        const size_t more = put_grid_rows(doc, g);
        text_printf(out, html ? "</tbody></table></div>\n" : "");
        if (more)
            doc_say(doc, "%zu more lines are left out here.", more);
    }
    text_free(&g->cells);
}

void grid_print(struct grid *g, unsigned width, struct text *out)
{
    doc_table(&(struct doc){.out = out, .width = width, .format = out->markdown ? DOC_MARKDOWN : DOC_TEXT}, g);
}

/* --- HTML. --- */

#define FARTHEST 1e6

static const char *html_shown(const char *s, size_t bytes, char buf[8])
{
    static const char special[] = "&<>\"'", *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *at = *s ? strchr(special, *s) : NULL;
    const bool control = text_is_control(s, bytes) && *s != '\t' && *s != '\n';

    (void)buf;
    return at ? entities[at - special] : control ? "\xef\xbf\xbd" : NULL;
}

void html_escape(struct text *out, const char *s, size_t length)
{
    text_escape(out, s, length, html_shown);
}

/* Bounded, with one decimal or none if that is 0; a number that is not finite is 0. */
static void put_coordinate(struct text *out, double value)
{
    long tenths = lround(isfinite(value) ? fmax(fmin(value, FARTHEST), -FARTHEST) * 10 : 0);

    text_printf(out, tenths % 10 ? "%.1f" : "%.0f", (double)tenths / 10);
}

void html_put(struct text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_put(out, html_escape, put_coordinate, format, args);
    va_end(args);
}

/* --- Headings and sentences. --- */

void doc_gap(const struct doc *doc)
{
    const struct text *out = doc->out;

    if (doc->format != DOC_HTML && out->length && strcmp(out->data, "\n") &&
        (out->length < 2 || strcmp(out->data + out->length - 2, "\n\n")))
        text_append(doc->out, "\n", 1);
}

void doc_heading(const struct doc *doc, const char *id, const char *title)
{
    doc_gap(doc);
    if (doc->format != DOC_HTML)
        text_printf(doc->out, "%s\n", title);
    else if (id)
        html_put(doc->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
    else
        html_put(doc->out, "<h3>%s</h3>\n", title);
}

void doc_say(const struct doc *doc, const char *format, ...)
{
    FREED_BY(text_free) struct text line = {0};
    va_list args;

    if (doc->format == DOC_MARKDOWN)
        doc_gap(doc);
    va_start(args, format);
    text_vprintf(&line, format, args);
    va_end(args);
    const char *said = line.data ? line.data : "";
    if (doc->format == DOC_HTML)
        html_put(doc->out, "<p class=\"soft\">%s</p>\n", said);
    else if (doc->format == DOC_TEXT && doc->width)
        text_wrap(doc->out, said, 0, doc->width);
    else
        text_printf(doc->out, "%s\n", said);
    doc->out->failed |= line.failed;
}

/* --- Colours, on terminals only. --- */

enum { CHOICE_AUTO, CHOICE_ALWAYS, CHOICE_NEVER };
const char *const color_choices[] = {"auto", "always", "never", NULL};

bool color_wanted(int choice, int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (choice != CHOICE_AUTO)
        return choice == CHOICE_ALWAYS;
    return isatty(fd) && !(no_color && no_color[0]) && !(term && !strcmp(term, "dumb"));
}

void color_put(struct text *out, enum color color, const char *s, size_t length)
{
    static const char *const begin[] = {
        [COLOR_NONE] = "", [COLOR_GREEN] = "\033[32m", [COLOR_YELLOW] = "\033[33m", [COLOR_RED] = "\033[31m"};
    const bool colored = out->color && color != COLOR_NONE && color < COLOR_HEAT && length > 0;

    text_printf(out, "%s%.*s%s", colored ? begin[color] : "", (int)length, s, colored ? "\033[0m" : "");
}

enum color color_of_status(enum row_status status)
{
    return status == ROW_FAILED                               ? COLOR_RED
           : status == ROW_UNSTABLE || status == ROW_DEGRADED ? COLOR_YELLOW
                                                              : COLOR_NONE;
}
