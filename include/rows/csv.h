/* SPDX-License-Identifier: MIT */
/* Writes rows as CSV (RFC 4180). Each is a whole line, on disk before the next measurement. */
#ifndef ROWS_CSV_H
#define ROWS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* Append a line that ends with "\r\n". Numbers have up to 17 significant digits and a '.' in every locale; a field
 * with a comma, quote, CR or LF is quoted. */
void csv_header(struct text *out);
/* csv_text() appends a field to a file with other columns than rows, quoted if necessary; one that spreadsheets
 * would compute gets a "'" before it, but not by csv_own_text(), for texts that are our own. */
void csv_text(struct text *out, const char *s);
void csv_own_text(struct text *out, const char *s);
void csv_row(const struct row *row, struct text *out);

/* An output that never overwrites a regular file. If writing a row fails, the incomplete line is cut off, and this
 * row and later ones go to a second file in $TMPDIR or /tmp; if that fails too, they are kept in memory and
 * csv_close() prints them to standard output. If the file is removed meanwhile, its rows are written again to the
 * second one. A new file without a row is removed. */
struct csv;
struct csv_target {
    const char *path; /* of -o; NULL: the default name */
    const char *name; /* default name without ".csv"; NULL: "jitbench" */
    int to_stdout;    /* -o - */
    int none;         /* --no-csv */
};
/* Opens the file (O_EXCL) and writes the header; csv_close() frees the result. Returns NULL with a line in error
 * when the file of -o exists or cannot be created, or memory runs out. A default name is made in the current
 * directory; where that fails, the second file or memory is used, and message (otherwise "") says so. */
struct csv *csv_open(const struct csv_target *target, char *message, size_t message_size, char *error,
                     size_t error_size);
struct row_sink csv_sink(struct csv *csv);
/* If the open file was removed, writes its rows to a new one elsewhere. Called for each row, and by the caller after
 * the last. */
void csv_rescue(struct csv *csv);
/* Where rows go now, or went last; "-": standard output, "": nowhere. */
const char *csv_path(const struct csv *csv);
/* Rows kept in memory go to standard output, after a message. Returns 0; or -1 when rows could not be written
 * anywhere. */
int csv_close(struct csv *csv);

#endif
