/* SPDX-License-Identifier: MIT */
/* CSV files as records and as rows: what is read, written and read again is the same. */

#include "fuzz.h"
#include "rows/rows.h"

/* The file's rows as the program would write them. */
static void read_rows(const char *path, struct text *out, uint64_t *n)
{
    struct error message, error;
    struct reader *r = reader_open(path, ROWS_ALL, &error);
    struct row row;
    int more;

    FUZZ_CHECK(r != NULL);
    csv_header(out);
    for (*n = 0; (more = reader_next_row(r, &row)) == 1; ++*n) {
        FUZZ_CHECK(row.suite[0] && row.test[0] && row.run);
        csv_row(&row, out);
        row_free(&row);
    }
    FUZZ_CHECK(more == 0);
    reader_describe(r, path, (size_t)*n, &message);
    reader_close(r);
}

/* Every record has the header's number of fields or is counted as damaged. */
static void read_records(const char *path)
{
    struct error error = {0};
    struct reader *r = reader_open(path, 0, &error);
    size_t suite, value, unknown;
    int more;

    FUZZ_CHECK(r != NULL);
    suite = reader_column(r, "suite");
    while ((more = reader_next(r)) == 1) {
        value = reader_column(r, "value");
        unknown = reader_column(r, "no such column");
        const char *text = reader_at(r, suite);
        FUZZ_CHECK(!text || strlen(text) < READER_LINE_MAX + 1);
        FUZZ_CHECK(!reader_at(r, unknown));
        (void)reader_number(r, value);
    }
    FUZZ_CHECK(more == 0);
    reader_close(r);
}

static bool is_same(const struct text *a, const struct text *b)
{
    return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text once = {0}, twice = {0}, thrice = {0};
    uint64_t n, again;

    world_reset();
    world_put("in.csv", data, size);
    world_enter();
    read_records("in.csv");
    read_rows("in.csv", &once, &n);
    world_put("out.csv", once.data, once.length);
    read_rows("out.csv", &twice, &again);
    FUZZ_CHECK_OF(n == again, once.data, once.length);
    world_put("out.csv", twice.data, twice.length);
    read_rows("out.csv", &thrice, &again);
    FUZZ_CHECK_OF(is_same(&twice, &thrice), twice.data, twice.length);
    /* A byte that is not UTF-8 is one in memory, but written as the three of U+FFFD: a text may then have to be cut
     * when it is read, and is what it will always be only from there on. */
    if (wellformed_utf8((const char *)data, size))
        FUZZ_CHECK_OF(is_same(&once, &twice), once.data, once.length);
    text_free(&once);
    text_free(&twice);
    text_free(&thrice);
    world_leave();
    return 0;
}
