/* SPDX-License-Identifier: MIT */
/* Writes rows as CSV (RFC 4180). Each row is one write() of a whole line, and is on disk before the next
 * measurement. */
#ifndef ROWS_CSV_H
#define ROWS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* Append the header line or one row as text that ends with "\r\n". Real numbers have 17 significant digits and a '.' in
 * every locale; a field with a comma, quote, CR or LF is quoted. */
void csv_header(struct text *out);
/* Appends one field of text, quoted if necessary; for files with other columns. */
void csv_text(struct text *out, const char *s);
void csv_row(const struct row *row, struct text *out);

/* Opens the file given by -o: creates it, or opens an existing one that is neither a regular file nor a block device.
 * Returns the descriptor, with *created set if the file is new; or -errno with one line in error. */
int csv_create(const char *path, bool *created, char *error, size_t error_size);

/* An output for rows. It never overwrites a regular file. If the disk refuses a row, the incomplete line is cut off,
 * and this row and all later ones go to the next writable place; if there is none, they are kept in memory and
 * csv_close() prints them to standard output. If the file is removed, the rows that it had are written again to the
 * next place. */
struct csv;
struct csv_target {
    const char *path; /* -o FILE, or NULL for the default name */
    const char *name; /* default name, without ".csv" */
    int to_stdout;    /* -o - */
    int none;         /* --no-csv */
};
/* Opens the file (O_EXCL) and writes the header. Returns NULL with one line in error when the named file exists or
 * cannot be created. If a file of the default name cannot be created in the current directory, $TMPDIR, /tmp, /dev/shm
 * and then memory are used; message (otherwise "") says so in one line. */
struct csv *csv_open(const struct csv_target *target, char *message, size_t message_size, char *error,
                     size_t error_size);
struct row_sink csv_sink(struct csv *csv);
/* Writes the rows to the next place if the file was removed. Done for each row; also called after the last one. */
void csv_rescue(struct csv *csv);
/* Returns the path of the newest file, "-" for standard output, "" when there is none. */
const char *csv_path(const struct csv *csv);
/* Flushes, prints rows kept in memory to standard output after a marker line on standard error, and frees. Returns -1
 * when rows could not be written anywhere. */
int csv_close(struct csv *csv);

#endif
