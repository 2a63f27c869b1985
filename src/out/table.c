/* SPDX-License-Identifier: MIT */
/* Prints rows as a text table: rows are grouped into lines, and columns are as wide as their content. */
#include "out/table.h"

#include "out/color.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/units.h"

#define GAP           "  "
#define MOST_DECIMALS 17u
#define NUMBER_SIZE   384u /* DBL_MAX has 309 digits before the point */

struct view {
    const struct table_layout *layout;
    const struct row *rows;
    size_t n;
    size_t *group;  /* for each row: the first row of its line */
    size_t *widths; /* width of each column */
    int *left_out;  /* of each column: the table is too wide for it */
};

static int is_text(enum table_field field)
{
    switch (field) {
    case TABLE_TEST:
    case TABLE_TITLE:
    case TABLE_PARAM:
    case TABLE_LOAD:
    case TABLE_METRIC:
    case TABLE_CPUS:
    case TABLE_UNIT:
    case TABLE_STATUS:
        return 1;
    default:
        return 0;
    }
}

/* Returns whether the field is the same in all rows of a group, whatever their metric. */
static int is_common(enum table_field field)
{
    return (is_text(field) && field != TABLE_METRIC && field != TABLE_UNIT && field != TABLE_STATUS) ||
           field == TABLE_COPIES || field == TABLE_PARAM_VALUE;
}

/* --- groups ----------------------------------------------------------------------------------------------------- */

static int same_group(const struct row *a, const struct row *b)
{
    return a->item == b->item && a->copies == b->copies && strcmp(a->test, b->test) == 0 &&
           strcmp(a->load, b->load) == 0 && strcmp(a->param.text, b->param.text) == 0 && strcmp(a->cpus, b->cpus) == 0;
}

static void find_groups(struct view *view)
{
    for (size_t i = 0; i < view->n; i++) {
        /* Usually it is the group of the row before. This matters for a hundred thousand rows. */
        size_t j = i > 0 && same_group(&view->rows[i - 1], &view->rows[i]) ? view->group[i - 1] : 0;
        while (j < i && (view->group[j] != j || !same_group(&view->rows[j], &view->rows[i])))
            j++;
        view->group[i] = j;
    }
}

/* Returns the group's row of that metric, NULL when there is none. */
static const struct row *find_row(const struct view *view, size_t group, const char *metric)
{
    for (size_t i = group; i < view->n; i++)
        if (view->group[i] == group &&
            (metric == NULL ? view->rows[i].headline : strcmp(view->rows[i].metric, metric) == 0))
            return &view->rows[i];
    return metric == NULL ? &view->rows[group] : NULL;
}

static enum row_status worst_status(const struct view *view, size_t group)
{
    enum row_status worst = ROW_OK;
    for (size_t i = group; i < view->n; i++)
        if (view->group[i] == group && view->rows[i].status > worst)
            worst = view->rows[i].status;
    return worst;
}

static int did_not_run(const struct view *view, size_t group)
{
    for (size_t i = group; i < view->n; i++)
        if (view->group[i] == group && view->rows[i].metric[0] != '\0')
            return 0;
    return 1;
}

static int is_shown(const struct view *view, size_t group)
{
    int names_a_metric = 0;
    if (did_not_run(view, group))
        return 1;
    for (size_t i = 0; i < view->layout->n_columns; i++) {
        const struct table_column *column = &view->layout->columns[i];
        if (column->metric != NULL) {
            names_a_metric = 1;
            if (find_row(view, group, column->metric) != NULL)
                return 1;
        } else if (!is_common(column->field) && !is_text(column->field)) {
            return 1;
        }
    }
    return !names_a_metric;
}

static size_t lines_of(const struct view *view, size_t group)
{
    size_t lines = 1;
    if (!view->layout->per_sample)
        return 1;
    for (size_t i = 0; i < view->layout->n_columns; i++) {
        const struct table_column *column = &view->layout->columns[i];
        const struct row *row = find_row(view, group, column->metric);
        if (column->field == TABLE_SAMPLE && row != NULL && row->n_samples > lines)
            lines = row->n_samples;
    }
    return lines;
}

/* --- cells ------------------------------------------------------------------------------------------------------ */

static double count_or_nan(uint64_t count)
{
    return count == 0 ? NAN : (double)count;
}

/* Returns core_share in %; NAN for "own". */
static double core_pct(const struct row *row)
{
    char *end;
    double share = strtod(row->core_share, &end);
    return end == row->core_share ? NAN : 100 * share;
}

static double number(const struct row *row, enum table_field field, size_t sample)
{
    switch (field) {
    case TABLE_COPIES:
        return count_or_nan(row->copies);
    case TABLE_VALUE:
        return row->value;
    case TABLE_N:
        return count_or_nan(row->stats.n);
    case TABLE_MEAN:
        return row->stats.mean;
    case TABLE_SD:
        return row->stats.sd;
    case TABLE_RSD:
        return row->stats.rsd_pct;
    case TABLE_CI95_HALF:
        return (row->stats.ci95_hi - row->stats.ci95_lo) / 2;
    case TABLE_MIN:
        return row->stats.min;
    case TABLE_MEDIAN:
        return row->stats.median;
    case TABLE_P90:
        return row->stats.p90;
    case TABLE_P99:
        return row->stats.p99;
    case TABLE_P999:
        return row->stats.p999;
    case TABLE_MAX:
        return row->stats.max;
    case TABLE_INDEX:
        return row->index;
    case TABLE_CORE:
        return core_pct(row);
    case TABLE_SAMPLE:
        return sample < row->n_samples ? row->samples[sample] : NAN;
    default:
        return NAN;
    }
}

static const char *status_text(enum row_status status)
{
    return status == ROW_OK ? "" : row_status_name(status);
}

static const char *text_cell(const struct view *view, const struct row *row, size_t group, enum table_field field)
{
    const char *title;
    switch (field) {
    case TABLE_TITLE:
        title = view->layout->title_of == NULL ? NULL : view->layout->title_of(row->test);
        return title == NULL ? row->test : title;
    case TABLE_PARAM:
        return row->param.text;
    case TABLE_LOAD:
        return row->load;
    case TABLE_METRIC:
        return row->metric;
    case TABLE_CPUS:
        return row->cpus;
    case TABLE_UNIT:
        return row->unit;
    case TABLE_STATUS:
        return status_text(worst_status(view, group));
    default:
        return row->test;
    }
}

/* Copies the value of a key in the row's param to buf; "-" when there is none. */
static const char *param_value(const struct row *row, const char *key, char *buf, size_t size)
{
    size_t length;
    const char *value = row_param(&row->param, key, &length);
    if (value == NULL)
        return "-";
    snprintf(buf, size, "%.*s", (int)length, value);
    return buf;
}

/* Returns the cell's text, in buf or elsewhere. */
static const char *cell(const struct view *view, size_t group, size_t sample, size_t i, char *buf, size_t size)
{
    const struct table_column *column = &view->layout->columns[i];
    const struct row *row = find_row(view, group, column->metric);
    double value;
    if (row == NULL && (is_common(column->field) || column->field == TABLE_STATUS))
        row = &view->rows[group];
    if (is_text(column->field))
        return row == NULL ? "" : text_cell(view, row, group, column->field);
    if (column->field == TABLE_PARAM_VALUE)
        return row == NULL ? "-" : param_value(row, column->key, buf, size);
    value = row == NULL ? NAN : number(row, column->field, sample);
    if (column->scale > 0 || column->scale < 0)
        value *= column->scale;
    if (!isfinite(value))
        return "-";
    unsigned decimals = column->decimals < MOST_DECIMALS ? column->decimals : MOST_DECIMALS;
    if (column->decimals == TABLE_FOUR_DIGITS)
        decimals = (unsigned)units_decimals(value);
    snprintf(buf, size, "%.*f", (int)decimals, value);
    return buf;
}

static const char *heading(const struct view *view, size_t i)
{
    const char *text = view->layout->columns[i].heading;
    return text == NULL ? "" : text;
}

/* Returns the number of columns of a UTF-8 text without wide characters. */
static size_t text_width(const char *s)
{
    size_t width = 0;
    for (; *s != '\0'; s++)
        width += ((unsigned char)*s & 0xc0) != 0x80;
    return width;
}

static void find_widths(struct view *view)
{
    char buf[NUMBER_SIZE];
    for (size_t i = 0; i < view->layout->n_columns; i++) {
        view->widths[i] = text_width(heading(view, i));
        for (size_t group = 0; group < view->n; group++) {
            if (view->group[group] != group || !is_shown(view, group))
                continue;
            for (size_t sample = 0; sample < lines_of(view, group); sample++) {
                size_t width = text_width(cell(view, group, sample, i, buf, sizeof buf));
                if (width > view->widths[i])
                    view->widths[i] = width;
            }
        }
    }
}

/* --- columns left out ------------------------------------------------------------------------------------------- */

static int has_status_column(const struct table_layout *layout)
{
    for (size_t i = 0; i < layout->n_columns; i++)
        if (layout->columns[i].field == TABLE_STATUS)
            return 1;
    return 0;
}

/* The status behind the group's line, "" for none. */
static const char *status_behind(const struct view *view, size_t group)
{
    return view->layout->no_status || has_status_column(view->layout) ? "" : status_text(worst_status(view, group));
}

/* Width of the longest status behind a line, with the gap before it. */
static size_t status_width(const struct view *view)
{
    size_t width = 0;
    for (size_t group = 0; group < view->n; group++) {
        if (view->group[group] != group || !is_shown(view, group))
            continue;
        size_t length = strlen(status_behind(view, group));
        if (length > 0 && length + strlen(GAP) > width)
            width = length + strlen(GAP);
    }
    return width;
}

static size_t columns_width(const struct view *view)
{
    size_t width = 0;
    for (size_t i = 0; i < view->layout->n_columns; i++)
        if (!view->left_out[i])
            width += view->widths[i] + (i > 0 ? strlen(GAP) : 0);
    return width;
}

static void fit_columns(struct view *view, unsigned width)
{
    const struct table_column *columns = view->layout->columns;
    size_t status = status_width(view);
    while (width > 0 && columns_width(view) + status > width) {
        unsigned rank = 0;
        for (size_t i = 1; i < view->layout->n_columns; i++)
            if (!view->left_out[i] && columns[i].rank > rank)
                rank = columns[i].rank;
        if (rank == 0)
            return;
        for (size_t i = 1; i < view->layout->n_columns; i++)
            if (columns[i].rank == rank)
                view->left_out[i] = 1;
    }
}

/* Appends a word, on a line of its own where the line from start on would be wider than width. */
static void put_word(struct text *out, size_t *start, const char *word, const char *end, unsigned width)
{
    if (out->length - *start + 1 + text_width(word) + strlen(end) > width) {
        *start = out->length + 1;
        text_append(out, "\n ", 2);
    }
    text_printf(out, " %s%s", word, end);
}

/* Names the columns that are left out. */
static void put_left_out(const struct view *view, unsigned width, struct text *out)
{
    static const char *const where[] = {"(shown", "with", "-v,", "and", "in", "the", "CSV)"};
    size_t start = out->length, n = 0;
    for (size_t i = 0; i < view->layout->n_columns; i++)
        n += view->left_out[i] != 0;
    if (n == 0)
        return;
    text_printf(out, "Left out:");
    for (size_t i = 0; i < view->layout->n_columns; i++)
        if (view->left_out[i])
            put_word(out, &start, heading(view, i), --n > 0 ? "," : "", width);
    for (size_t i = 0; i < sizeof where / sizeof where[0]; i++)
        put_word(out, &start, where[i], "", width);
    text_append(out, "\n", 1);
}

/* --- printing --------------------------------------------------------------------------------------------------- */

static void put_spaces(struct text *out, size_t n)
{
    while (n-- > 0)
        text_append(out, " ", 1);
}

/* Prints a text with its control characters replaced: the name of a command may contain anything. */
static void put_text(struct text *out, const char *s)
{
    for (; *s != '\0'; s++)
        text_append(out, (unsigned char)*s < ' ' || *s == 0x7f ? "?" : s, 1);
}

static void put_cell(const struct view *view, size_t i, const char *s, enum color color, struct text *out)
{
    size_t pad = view->widths[i] - text_width(s);
    if (view->left_out[i])
        return;
    if (i > 0)
        text_append(out, GAP, strlen(GAP));
    if (!is_text(view->layout->columns[i].field))
        put_spaces(out, pad);
    if (color != COLOR_NONE)
        color_put(out, color, s, strlen(s));
    else
        put_text(out, s);
    if (is_text(view->layout->columns[i].field))
        put_spaces(out, pad);
}

static void end_line(struct text *out, size_t start)
{
    if (out->failed)
        return;
    while (out->length > start && out->data[out->length - 1] == ' ')
        out->length--;
    text_append(out, "\n", 1);
}

static void put_head(const struct view *view, struct text *out)
{
    size_t start;
    if (view->layout->title != NULL)
        text_printf(out, "%s\n", view->layout->title);
    start = out->length;
    for (size_t i = 0; i < view->layout->n_columns; i++)
        put_cell(view, i, heading(view, i), COLOR_NONE, out);
    end_line(out, start);
}

static void put_group(const struct view *view, size_t group, struct text *out)
{
    char buf[NUMBER_SIZE];
    const char *status = status_behind(view, group);
    for (size_t sample = 0; sample < lines_of(view, group); sample++) {
        size_t start = out->length;
        for (size_t i = 0; i < view->layout->n_columns; i++)
            put_cell(view, i, cell(view, group, sample, i, buf, sizeof buf),
                     view->layout->columns[i].field == TABLE_STATUS ? color_of_status(worst_status(view, group))
                                                                    : COLOR_NONE,
                     out);
        text_append(out, GAP, strlen(GAP));
        color_put(out, color_of_status(worst_status(view, group)), status, strlen(status));
        end_line(out, start);
    }
}

static int has_reason(const struct view *view, size_t i)
{
    const struct row *row = &view->rows[i];
    return row->status != ROW_OK && row->reason[0] != '\0' && is_shown(view, view->group[i]);
}

static void put_reasons(const struct view *view, struct text *out)
{
    for (size_t i = 0; i < view->n; i++) {
        size_t j = 0;
        if (!has_reason(view, i))
            continue;
        while (j < i && (!has_reason(view, j) || !row_reason_repeats(view->rows[i].reason, view->rows[j].reason)))
            j++;
        if (j < i)
            continue;
        const char *status = row_status_name(view->rows[i].status);
        color_put(out, color_of_status(view->rows[i].status), status, strlen(status));
        text_append(out, ": ", 2);
        put_text(out, view->rows[i].reason);
        text_append(out, "\n", 1);
    }
}

static int is_known(const struct view *view, size_t column)
{
    char buf[NUMBER_SIZE];
    for (size_t group = 0; group < view->n; group++)
        if (view->group[group] == group && strcmp(cell(view, group, 0, column, buf, sizeof buf), "-") != 0)
            return 1;
    return 0;
}

/* Makes a copy of the layout without the optional columns that no line has values for; the caller frees its columns.
 * Returns -1 when out of memory. */
static int keep_known(struct view *view, struct table_layout *kept)
{
    struct table_column *columns = calloc(view->layout->n_columns, sizeof *columns);
    size_t n = 0;
    if (columns == NULL)
        return -1;
    for (size_t i = 0; i < view->layout->n_columns; i++)
        if (!view->layout->columns[i].optional || is_known(view, i))
            columns[n++] = view->layout->columns[i];
    *kept = *view->layout;
    kept->columns = columns;
    kept->n_columns = n;
    view->layout = kept;
    return 0;
}

void table_print(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width, struct text *out)
{
    struct view view = {.layout = layout, .rows = rows, .n = n};
    struct table_layout kept = {.columns = NULL};
    int headed = 0;
    if (n == 0 || layout->n_columns == 0)
        return;
    view.group = calloc(n, sizeof *view.group);
    view.widths = calloc(layout->n_columns, sizeof *view.widths);
    view.left_out = calloc(layout->n_columns, sizeof *view.left_out);
    if (view.group == NULL || view.widths == NULL || view.left_out == NULL) {
        out->failed = 1;
        goto done;
    }
    find_groups(&view);
    if (keep_known(&view, &kept)) {
        out->failed = 1;
        goto done;
    }
    find_widths(&view);
    fit_columns(&view, width);
    for (size_t group = 0; group < n; group++) {
        if (view.group[group] != group || !is_shown(&view, group))
            continue;
        if (!headed)
            put_head(&view, out);
        headed = 1;
        put_group(&view, group, out);
    }
    if (headed)
        put_left_out(&view, width, out);
    if (!layout->no_status)
        put_reasons(&view, out);
done:
    free((void *)(uintptr_t)kept.columns);
    free(view.group);
    free(view.widths);
    free(view.left_out);
}
