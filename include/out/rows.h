/* SPDX-License-Identifier: MIT */
/* CSV files read back as rows: what compare, report, export, fleet and project start from. */
#ifndef OUT_ROWS_H
#define OUT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/row.h"
#include "out/reader.h"

/* Which of the long fields are wanted; the others are left empty, and cost no time. ROWS_UNKNOWN: samples that have no
 * value (an empty place in the list) are NAN, and not left out. */
enum rows_wanted { ROWS_SAMPLES = 1, ROWS_HIST = 2, ROWS_SERIES = 4, ROWS_ALL = 7, ROWS_UNKNOWN = 8 };

/* --- One row after another: memory does not grow with the file. --- */

struct row_reader;
/* path "-" is standard input. NULL with one line in error. */
struct row_reader *row_reader_open(const char *path, unsigned wanted, char *error, size_t error_size);
/* 1: *row is the next row, the caller's to row_free(); row->run points at the reader's run, which stays as it is until
 * the row_reader_next() that returns a row of another run. 0: the end. -1: it cannot be read any further
 * (row_reader_error()). Fields are found by name; a column that the file lacks, and a field that does not parse, are
 * 'not known'. Texts longer than the row has room for are cut between characters. Records without suite or test, or
 * with a status that is not one, or of a schema newer than ROW_SCHEMA, are no rows: they are counted and passed over.
 */
int row_reader_next(struct row_reader *r, struct row *row);
const char *row_reader_error(const struct row_reader *r);
/* One line that says what was passed over, as row_set_read() does; "" when nothing was. n_rows: how many rows came. */
void row_reader_describe(const struct row_reader *r, const char *path, size_t n_rows, char *message, size_t size);
void row_reader_close(struct row_reader *r);

/* --- All rows of some files. --- */

struct row_set {
    struct row *rows; /* in the order of files and lines; a row's run is one of runs[] */
    size_t n, capacity;
    struct row_run **runs; /* each different run once, in the order in which they came */
    size_t n_runs, runs_capacity;
    /* What is asked of each row before it is kept, with a context of the asker's: 1, it is kept (without its long
     * fields, if it was given to row_free()); 0, it is left out; -1, out of memory. The row's run stays its own only
     * until then. NULL: all are kept. */
    int (*choose)(void *context, struct row *row);
    void *context;
};

/* Appends the rows of a file. 0; or -1 with one line in error: it cannot be read (what was read until then stays), or
 * out of memory. message (may be "") says in one line what was passed over: "FILE: 3 damaged lines and 2 rows of a
 * newer version left out". A file with no rows at all is such a message, not an error. */
int row_set_read(struct row_set *set, const char *path, unsigned wanted, char *message, size_t message_size,
                 char *error, size_t error_size);
/* Sorts the rows as tables show them: by run and suite, in the order in which these came, and within a suite as it was
 * planned (row.item); what that does not tell apart stays as it came. -1 when out of memory: nothing was sorted. */
int row_set_sort(struct row_set *set);
void row_set_free(struct row_set *set);
/* Makes the texts of all rows harmless for terminals: files are other people's. */
void row_set_harmless(struct row_set *set);

#endif
