/* SPDX-License-Identifier: MIT */
/* Writes result rows as CSV (RFC 4180). Each row is a whole line, and is flushed to disk before the next
 * measurement. */
#ifndef ROWS_CSV_H
#define ROWS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

/* csv_header() and csv_row() append the header line or one row to a text; the line ends with "\r\n". Real numbers have
 * up to 17 significant digits and a '.' in every locale; a field with a comma, quote, CR or LF is quoted. */
void csv_header(struct text *out);
/* csv_text() appends one text field to a file with other columns than rows, quoted if necessary; a text that
 * spreadsheets would compute as a formula gets a "'" before it. csv_own_text() leaves such texts, which are not those
 * of others. */
void csv_text(struct text *out, const char *s);
void csv_own_text(struct text *out, const char *s);
void csv_row(const struct row *row, struct text *out);

/* An output for rows. It never overwrites a regular file. If writing a row to the file fails, the incomplete line is
 * cut off, and this row and all later ones go to a second file in $TMPDIR, or in /tmp if that is not set; if that fails
 * too, they are kept in memory and csv_close() prints them to standard output. If the file is removed meanwhile, its
 * rows are written again to the second file. A new file without a row is removed. */
struct csv;
struct csv_target {
    const char *path; /* path given by -o; NULL: use the default name */
    const char *name; /* default name, without ".csv"; NULL: "jitbench" */
    int to_stdout;    /* -o - was given: write to standard output */
    int none;         /* --no-csv was given: write nothing */
};
/* Opens the file (O_EXCL) and writes the header. csv_close() frees the result. Returns NULL with one line in error when
 * the file given by -o exists or cannot be created, or memory runs out. A file of the default name is made in the
 * current directory; where that fails, the second file or memory is used, and message (otherwise "") says so in one
 * line. */
struct csv *csv_open(const struct csv_target *target, char *message, size_t message_size, char *error,
                     size_t error_size);
struct row_sink csv_sink(struct csv *csv);
/* Checks whether the open file was removed, and if so writes its rows to a new file elsewhere. Called for each row, and
 * by the caller after the last one. */
void csv_rescue(struct csv *csv);
/* Returns the path of the file that rows go to now, or that the last ones went to; "-" for standard output, "" when
 * there is none. */
const char *csv_path(const struct csv *csv);
/* Closes the output and frees it. Rows that were kept in memory are printed to standard output, after a message on
 * standard error. Returns 0; or -1 when rows could not be written anywhere. */
int csv_close(struct csv *csv);

#endif
