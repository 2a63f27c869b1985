/* SPDX-License-Identifier: MIT */
/* Exports rows as one JSON document, with every column; numbers are JSON numbers. */
#include "out/export.h"
#include "out/out.h"

static void put_pairs(const struct stats_point *pairs, size_t n, struct text *out)
{
    text_append(out, "[", 1);
    for (size_t i = 0; i < n; i++)
        json_put(out, i ? ", [%f, %f]" : "[%f, %f]", pairs[i].at, pairs[i].value);
    text_append(out, "]", 1);
}

static void put_causes(const struct row_causes *causes, struct text *out)
{
    FREED_BY(text_free) struct text text = {0};

    causes_text(causes, &text);
    json_text(out, text.length ? text.data : "");
}

static void put_uint(uint64_t value, struct text *out)
{
    text_printf(out, value ? "%llu" : "null", (unsigned long long)value);
}

static void put_column(const struct row *row, const struct row_column *column, struct text *out)
{
    const void *field = (column->in_run ? (const char *)row->run : (const char *)row) + column->offset;

    json_name(out, column->name);
    switch (column->type) {
    case COLUMN_TEXT:
        json_text(out, field);
        break;
    case COLUMN_UINT:
        put_uint(*(const uint64_t *)field, out);
        break;
    case COLUMN_REAL:
        json_number(out, *(const double *)field);
        break;
    case COLUMN_STATUS:
        json_text(out, row_status_name(row->status));
        break;
    case COLUMN_CAUSES:
        put_causes(&row->causes, out);
        break;
    case COLUMN_SCHEMA:
        put_uint(ROW_SCHEMA, out);
        break;
    case COLUMN_SAMPLES:
        json_numbers(out, row->samples, row->n_samples);
        break;
    case COLUMN_HIST:
        put_pairs(row->hist, row->n_hist, out);
        break;
    case COLUMN_SERIES:
        put_pairs(row->series, row->n_series, out);
        break;
    }
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    text_printf(out, "{\"rows\": [");
    for (size_t i = 0; i < rows->n; i++) {
        text_printf(out, "%s\n{", i ? "," : "");
        for (size_t c = 0; c < row_n_columns; c++) {
            put_column(rows->rows[i], &row_columns[c], out);
            text_append(out, ", ", 2);
        }
        json_name(out, "series_left_out");
        text_printf(out, "%llu}", (unsigned long long)rows->rows[i]->series_left_out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_json = {
    .name = "json",
    .wanted = ROWS_ALL,
    .write = write_rows,
};
