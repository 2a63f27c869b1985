/* SPDX-License-Identifier: MIT */
#include "rows/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "sys/base.h"

#define COLUMNS_MAX 80

struct row_reader {
    struct reader *reader;
    unsigned wanted;
    size_t column[COLUMNS_MAX]; /* of row_columns, by reader_column() */
    struct row_run run, next_run;
    uint64_t unknown, too_new;
};

struct row_reader *row_reader_open(const char *path, unsigned wanted, char *error, size_t error_size)
{
    struct reader *reader = reader_open(path, wanted & ROWS_REGULAR, error, error_size);
    if (!reader)
        return NULL;
    struct row_reader *r = memory_get(1, sizeof(*r));
    r->wanted = wanted;
    r->reader = reader;
    for (size_t i = 0; i < row_n_columns; i++)
        r->column[i] = reader_column(r->reader, row_columns[i].name);
    return r;
}

/* Cut between two UTF-8 characters. */
static void take_text(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size);

    if (length == size)
        for (length = size - 1; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80; length--)
            ;
    memcpy(to, from, length);
    to[length] = '\0';
}

static uint64_t to_uint(const char *s)
{
    errno = 0;
    uint64_t value = *s >= '0' && *s <= '9' ? strtoull(s, NULL, 10) : 0;
    return errno || s[strspn(s, "0123456789")] ? 0 : value;
}

static bool to_status(const char *s, enum row_status *status)
{
    for (int i = ROW_OK; i <= ROW_FAILED; i++)
        if (!strcmp(s, row_status_name((enum row_status)i))) {
            *status = (enum row_status)i;
            return true;
        }
    return false;
}

/* Moves *at behind the number. Returns false without a finite one. */
static bool take_number(const char **at, double *value)
{
    if (text_short_decimal(at, value))
        return true;
    size_t length = strspn(*at, "+-.0123456789eE");
    char *end;

    *value = length ? strtod(*at, &end) : NAN;
    bool whole = length && end == *at + length;
    *at += length;
    return whole && isfinite(*value);
}

static size_t count_pieces(const char *s)
{
    size_t n = *s != '\0';

    for (; (s = strchr(s, ';')); s++)
        n++;
    return n;
}

static const char *next_piece(const char *s)
{
    s += strcspn(s, ";");
    return *s ? s + 1 : s;
}

/* Elements that are no numbers are left out as damage; empty ones are NAN if `unknown`, else left out. */
static void take_samples(const char *s, bool unknown, struct row *row)
{
    const size_t n = count_pieces(s);

    row->samples = n ? memory_get(n, sizeof(*row->samples)) : NULL;
    for (size_t i = 0; i < n; i++, s = next_piece(s)) {
        double *sample = &row->samples[row->n_samples];
        if ((*s == ';' || !*s) && unknown)
            *sample = (double)NAN;
        else if (!take_number(&s, sample) || (*s && *s != ';'))
            continue;
        row->n_samples++;
    }
}

static void take_pairs(const char *s, struct stats_point **pairs, size_t *n_pairs, uint64_t *left_out)
{
    *pairs = *s ? memory_get(count_pieces(s), sizeof(**pairs)) : NULL;
    for (; *s; s = next_piece(s)) {
        struct stats_point *pair = &(*pairs)[*n_pairs];
        if (*s == '+' && left_out)
            *left_out = strtoull(s + 1, NULL, 10);
        else if (take_number(&s, &pair->at) && *s == ':' && s++ && take_number(&s, &pair->value) && (*s == ';' || !*s))
            ++*n_pairs;
    }
}

/* "name:ms" or "name=count"; others are left out. */
static void take_causes(const char *s, struct row_causes *causes)
{
    for (; *s; s = next_piece(s)) {
        const size_t length = strcspn(s, ":=;");
        const char *at = s + length + 1;
        double number;
        if ((s[length] == ':' || s[length] == '=') && take_number(&at, &number) && (*at == ';' || !*at))
            row_cause_add(causes, s, length, s[length] == ':', number);
    }
}

/* Reads column i into the row or its run. Returns false when the record is no valid row. */
static bool take_field(struct row_reader *r, size_t i, struct row *row)
{
    const struct row_column *column = &row_columns[i];
    const char *s = reader_at(r->reader, r->column[i]);
    void *field = (column->in_run ? (char *)&r->next_run : (char *)row) + column->offset;

    if (!s)
        return true;
    switch (column->type) {
    case COLUMN_TEXT:
        take_text(field, column->size, s);
        row_text_from_csv(column, field);
        if (field == row->param.text)
            row_params_read(&row->param);
        break;
    case COLUMN_UINT:
        *(uint64_t *)field = to_uint(s);
        break;
    case COLUMN_REAL:
        *(double *)field = reader_number(r->reader, r->column[i]);
        break;
    case COLUMN_CAUSES:
        take_causes(r->wanted & ROWS_CAUSES ? s : "", &row->causes);
        break;
    case COLUMN_STATUS:
        return to_status(s, &row->status);
    case COLUMN_SCHEMA:
        r->too_new += to_uint(s) > ROW_SCHEMA;
        return to_uint(s) <= ROW_SCHEMA;
    case COLUMN_SAMPLES:
        take_samples(r->wanted & ROWS_SAMPLES ? s : "", r->wanted & ROWS_UNKNOWN, row);
        break;
    case COLUMN_HIST:
        take_pairs(r->wanted & ROWS_HIST ? s : "", &row->hist, &row->n_hist, NULL);
        break;
    case COLUMN_SERIES:
        take_pairs(r->wanted & ROWS_SERIES ? s : "", &row->series, &row->n_series, &row->series_left_out);
        break;
    }
    return true;
}

/* Returns false when the record is no valid row. */
static bool take_row(struct row_reader *r, struct row *row)
{
    row_init(row, &r->run);
    row_run_init(&r->next_run);
    for (size_t i = 0; i < row_n_columns; i++)
        if (!take_field(r, i, row))
            return false;
    return row->suite[0] && row->test[0];
}

int row_reader_next(struct row_reader *r, struct row *row)
{
    int more;

    while ((more = reader_next(r->reader)) == 1) {
        if (take_row(r, row)) {
            if (!row_run_equal(&r->run, &r->next_run))
                r->run = r->next_run;
            return 1;
        }
        row_free(row);
        r->unknown++;
    }
    return more;
}

const char *row_reader_error(const struct row_reader *r)
{
    return reader_error(r->reader);
}

void row_reader_close(struct row_reader *r)
{
    if (r)
        reader_close(r->reader);
    free(r);
}

static void append_count(struct text *out, uint64_t n, const char *one, const char *many)
{
    if (n)
        text_printf(out, "%s%" PRIu64 " %s", out->length ? ", " : "", n, n == 1 ? one : many);
}

void row_reader_describe(const struct row_reader *r, const char *path, size_t n_rows, char *message, size_t size)
{
    FREED_BY(text_free) struct text out = {0};

    append_count(&out, reader_damaged(r->reader), "damaged line", "damaged lines");
    append_count(&out, r->unknown - r->too_new, "line that is not a result", "lines that are not results");
    append_count(&out, r->too_new, "row of a newer version", "rows of a newer version");
    if (out.length)
        snprintf(message, size, "%s: %s left out%s", path, out.data, n_rows ? "" : "; no rows");
    else if (n_rows || *row_reader_error(r)) /* otherwise the reader's error says what is wrong */
        text_copy(message, size, "");
    else
        snprintf(message, size, "%s: no rows", path);
}

/* Returns the set's copy of this run, made if there is none; the latest is most likely. */
static const struct row_run *keep_run(struct row_set *set, const struct row_run *run)
{
    for (size_t i = set->n_runs; i-- > 0;)
        if (row_run_equal(set->runs[i], run))
            return set->runs[i];
    memory_grow(&set->runs, &set->runs_capacity, set->n_runs, sizeof(struct row_run *));
    struct row_run *copy = memory_get(1, sizeof(*copy));
    *copy = *run;
    set->runs[set->n_runs++] = copy;
    return copy;
}

int row_set_read(struct row_set *set, const char *path, unsigned wanted, char *message, size_t message_size,
                 char *error, size_t error_size)
{
    struct row_reader *r = row_reader_open(path, wanted, error, error_size);
    size_t n_rows = 0;
    struct row row;
    int more;

    if (message_size)
        message[0] = '\0';
    if (!r)
        return -1;
    while ((more = row_reader_next(r, &row)) == 1) {
        n_rows++;
        if (set->choose && !set->choose(set->context, &row)) {
            row_free(&row);
            continue;
        }
        row.run = keep_run(set, row.run);
        row.number = set->n;
        memory_grow(&set->rows, &set->capacity, set->n, sizeof(*set->rows));
        set->rows[set->n++] = row;
    }
    if (more < 0)
        text_copy(error, error_size, row_reader_error(r));
    row_reader_describe(r, path, n_rows, message, message_size);
    row_reader_close(r);
    return more;
}

/* Run and suite are the positions of their first rows. */
struct sort_key {
    size_t run, suite, at;
    uint64_t item;
};

static int by_key(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;

    if (x->run != y->run)
        return ORDER_OF(x->run, y->run);
    if (x->suite != y->suite)
        return ORDER_OF(x->suite, y->suite);
    if (x->item != y->item) /* item 0 (calculated from other rows) comes last: item - 1 is then the largest */
        return ORDER_OF(x->item - 1, y->item - 1);
    return ORDER_OF(x->at, y->at);
}

/* By the keys of the rows before: run and suite are usually the last one's. */
static void find_key(const struct row_set *set, const struct sort_key *before, size_t i, struct sort_key *key)
{
    const struct row *row = &set->rows[i];

    *key = (struct sort_key){.suite = i, .at = i, .item = row->item};
    while (set->runs[key->run] != row->run)
        key->run++;
    for (size_t k = i; k-- > 0;)
        if (before[k].run == key->run && !strcmp(set->rows[k].suite, row->suite)) {
            key->suite = before[k].suite;
            return;
        }
}

/* keys[i].at: where the row that belongs at i is. Follows one cycle of the permutation after the other. */
static void permute(struct row *rows, struct sort_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (keys[i].at == i)
            continue;
        const struct row first = rows[i];
        size_t to = i;
        for (size_t from; (from = keys[to].at) != i; to = from) {
            rows[to] = rows[from];
            keys[to].at = to;
        }
        rows[to] = first;
        keys[to].at = to;
    }
}

void row_set_sort(struct row_set *set)
{
    FREED_BY(memory_free) struct sort_key *keys = memory_get(set->n, sizeof(*keys));

    for (size_t i = 0; i < set->n; i++)
        find_key(set, keys, i, &keys[i]);
    qsort(keys, set->n, sizeof(*keys), by_key);
    permute(set->rows, keys, set->n);
}

void row_set_free(struct row_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        row_free(&set->rows[i]);
    for (size_t i = 0; i < set->n_runs; i++)
        free(set->runs[i]);
    free(set->rows);
    free(set->runs);
    memset(set, 0, sizeof(*set));
}
