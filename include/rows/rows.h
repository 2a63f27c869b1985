/* SPDX-License-Identifier: MIT */
/* Reads result rows from CSV files, for the commands that read files: compare, report, export, fleet, project. */
#ifndef ROWS_ROWS_H
#define ROWS_ROWS_H

#include <stddef.h>

#include "rows/reader.h"
#include "rows/row.h"

/* Flags for the long fields and lists to be read; those without their flag are left empty and cost no time.
 * ROWS_UNKNOWN: samples without a value (an empty element of the list) become NAN instead of being left out.
 * ROWS_REGULAR: only a regular file is read; a pipe or a device would be read for ever. */
enum rows_wanted {
    ROWS_SAMPLES = 1,
    ROWS_HIST = 2,
    ROWS_SERIES = 4,
    ROWS_CAUSES = 8,
    ROWS_ALL = 15,
    ROWS_UNKNOWN = 16,
    ROWS_REGULAR = 32
};

/* --- One row after another; memory use does not grow with the file. --- */

struct row_reader;
/* Opens a file; path "-" is standard input. wanted: flags of enum rows_wanted. Returns NULL with one line in error. */
struct row_reader *row_reader_open(const char *path, unsigned wanted, char *error, size_t error_size);
/* Reads the next row. Returns 1 with the row, which the caller frees with row_free(); 0 at the end; or -1 when the file
 * cannot be read further (row_reader_error()). row->run points into the reader and stays unchanged until
 * row_reader_next() returns a row of another run. A column that the file lacks, and a field that cannot be parsed, are
 * 'not known'. Texts that are too long are cut between characters. Records without suite or test, with an unknown
 * status, or of a schema newer than ROW_SCHEMA, are counted and left out. Ends the program when out of memory. */
int row_reader_next(struct row_reader *r, struct row *row);
const char *row_reader_error(const struct row_reader *r);
/* Writes a message of one line that says what was left out: "FILE: 3 damaged lines left out"; "" when nothing was.
 * n_rows: number of rows that were read. */
void row_reader_describe(const struct row_reader *r, const char *path, size_t n_rows, char *message, size_t size);
void row_reader_close(struct row_reader *r);

/* --- All rows of some files. --- */

struct row_set {
    struct row *rows; /* rows in the order of files and lines; each row's run points to an element of runs[] */
    size_t n, capacity;
    struct row_run **runs; /* the runs, each once, in the order of their first rows */
    size_t n_runs, runs_capacity;
    /* Called for each row before it is added. Returns whether to add it; if it has called row_free(), the row is added
     * without its long fields. The row's run pointer changes after the call. NULL: all rows are added. */
    bool (*choose)(void *context, struct row *row);
    void *context;
};

/* Appends the rows of a file. Returns 0; or -1 with one line in error when the file cannot be read, also for want of
 * memory (rows read before that are kept). Ends the program when there is no memory for another row. message (otherwise
 * "") says in one line what was left out: "FILE: 3 damaged lines, 2 rows of a newer version left out". A file without
 * rows gives such a message and is not an error. */
int row_set_read(struct row_set *set, const char *path, unsigned wanted, char *message, size_t message_size,
                 char *error, size_t error_size);
/* Sorts the rows as tables show them: by run and suite, in the order of their first rows, and within a suite by
 * row.item. The sort is stable. */
void row_set_sort(struct row_set *set);
void row_set_free(struct row_set *set);

#endif
