/* SPDX-License-Identifier: MIT */
/* Rows as CSV (RFC 4180). Each row is one write() of a whole line, and on disk before the next measurement. */
#ifndef OUT_CSV_H
#define OUT_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"
#include "engine/text.h"

/* The header line, and one row, as text with "\r\n" at the end. Reals with 17 significant digits, '.' whatever
 * the locale; a field with comma, quote, CR or LF is quoted. */
void csv_header(struct text *out);
/* One field of text, for files with other columns. */
void csv_text(struct text *out, const char *s);
void csv_row(const struct row *row, struct text *out);

/* Opens the file that -o names: a new one, or one that is there and is neither a regular file nor a disk. Returns the
 * descriptor, or -1 with one line in error. */
int csv_create(const char *path, bool *created, char *error, size_t error_size);

/* Where the rows go. Never overwrites a regular file. When the disk refuses a row, the half-written line is cut off
 * again, and this row and all later ones go to the next writable place; where there is none they are kept in memory
 * and csv_close() prints them to standard output. When somebody removes the file, the rows that it had go along. */
struct csv;
struct csv_target {
    const char *path; /* -o FILE, or NULL for the default name */
    const char *name; /* the default name, without ".csv" */
    int to_stdout;    /* -o - */
    int none;         /* --no-csv */
};
/* Opens (O_EXCL) and writes the header. NULL with one line in error: the named file exists or cannot be made.
 * The default name falls back to $TMPDIR, /tmp, /dev/shm, then memory; message (may be "") says so in one line. */
struct csv *csv_open(const struct csv_target *target, char *message, size_t message_size, char *error,
                     size_t error_size);
struct row_sink csv_sink(struct csv *csv);
/* When the file was removed, writes its rows to the next place. Each row looks for that; to be called behind the last.
 */
void csv_rescue(struct csv *csv);
/* The path of the newest file, "-" for standard output, "" when there is none. */
const char *csv_path(const struct csv *csv);
/* Flushes, prints what is only in memory to standard output after a marker line on standard error, and frees. -1
 * when rows could not be written anywhere. */
int csv_close(struct csv *csv);

#endif
