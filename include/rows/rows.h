/* SPDX-License-Identifier: MIT */
/* Reads rows from CSV files, for compare, report, export, fleet, project. */
#ifndef ROWS_ROWS_H
#define ROWS_ROWS_H

#include <stddef.h>

#include "rows/reader.h"
#include "rows/row.h"

/* Long fields and lists to read; others are left empty and cost no time. ROWS_UNKNOWN: an empty sample becomes NAN.
 * ROWS_REGULAR: only a regular file; a pipe or device would be read for ever. */
enum rows_wanted {
    ROWS_SAMPLES = 1,
    ROWS_HIST = 2,
    ROWS_SERIES = 4,
    ROWS_CAUSES = 8,
    ROWS_ALL = 15,
    ROWS_UNKNOWN = 16,
    ROWS_REGULAR = 32
};

/* --- One row after another: memory use does not grow with the file. --- */

struct row_reader;
/* "-" is standard input. wanted: enum rows_wanted. Returns NULL with a line in error. */
struct row_reader *row_reader_open(const char *path, unsigned wanted, char *error, size_t error_size);
/* Returns 1 with the row, for row_free(); 0 at the end; -1 when the file cannot be read further
 * (row_reader_error()). row->run points into the reader, unchanged until a row of another run comes. Missing columns
 * and fields that cannot be parsed are 'not known'; texts too long are cut between characters. Records without suite
 * or test, with an unknown status, or of a newer schema than ROW_SCHEMA, are counted and left out. Ends the program
 * when out of memory. */
int row_reader_next(struct row_reader *r, struct row *row);
const char *row_reader_error(const struct row_reader *r);
/* "FILE: 3 damaged lines left out"; "" when nothing was. n_rows: that were read. */
void row_reader_describe(const struct row_reader *r, const char *path, size_t n_rows, char *message, size_t size);
void row_reader_close(struct row_reader *r);

struct row_set {
    struct row *rows; /* in the order of files and lines; run points to one of runs[] */
    size_t n, capacity;
    struct row_run **runs; /* in the order of their first rows */
    size_t n_runs, runs_capacity;
    /* Called for each row: whether to add it; after row_free() it is added without its long fields. The run pointer
     * changes after the call. NULL: all are added. */
    bool (*choose)(void *context, struct row *row);
    void *context;
};

/* Appends a file's rows. Returns 0; or -1 with a line in error when it cannot be read, also for want of memory
 * (earlier rows are kept). Ends the program when there is no memory for another row. message (otherwise "") says
 * what was left out: "FILE: 3 damaged lines, 2 rows of a newer version left out", or that there are no rows. */
int row_set_read(struct row_set *set, const char *path, unsigned wanted, char *message, size_t message_size,
                 char *error, size_t error_size);
/* As tables show them: by run and suite, in the order of their first rows, then by row.item. Stable. */
void row_set_sort(struct row_set *set);
void row_set_free(struct row_set *set);

#endif
