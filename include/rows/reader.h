/* SPDX-License-Identifier: MIT */
/* Reads CSV files (RFC 4180), one record at a time, even damaged ones. The caller asks for fields by the names of their
 * columns: a file may lack columns, have additional ones, and have them in any order. */
#ifndef ROWS_READER_H
#define ROWS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest record in bytes without its line end; a longer one counts as damaged. */
#define READER_LINE_MAX ((size_t)32 << 20)
/* Maximum number of columns of a file, and of columns requested by reader_column(). A record with more fields counts as
 * damaged; requesting more columns fails an assertion. */
#define READER_COLUMNS_MAX 1024u

/* A reader of one file. CSV files may be concatenated, also those of different versions, so a header can occur
 * anywhere: a record is a header if it repeats the header before it, or if at least three and more than half of its
 * fields are names of columns (of the header or of jitbench's rows).
 * Damaged records are: those that violate RFC 4180 (a quote within an unquoted field, and LF for CR LF, are accepted);
 * those with a NUL byte; those with another number of fields than the header; and a last record that was cut off (too
 * few fields, or an open quote). A last record with all of its fields but no line end is accepted.
 * After a damaged record, reading continues with the next line. If a record that was cut off, or an open quote, has
 * swallowed the header of the next file, reading continues with that header. The first record is the header whatever it
 * contains; but if it is damaged, no rows are returned until a header as described above. */
struct reader;

/* Opens a file; path "-" is standard input. regular: refuses other files than regular ones, without waiting for them.
 * reader_close() frees the result. Returns NULL with one line in error. */
struct reader *reader_open(const char *path, bool regular, char *error, size_t error_size);
/* As reader_open(), for an open descriptor; name is used in errors. The descriptor is closed by reader_close(), and
 * when this function fails. */
struct reader *reader_take(int fd, const char *name, char *error, size_t error_size);
/* Reads the next record that is neither damaged nor a header. Returns 1, or 0 at the end, or -1 when the file cannot be
 * read further; reader_error() then says why. Time is linear in the bytes read; memory is a few times the longest
 * record. */
int reader_next(struct reader *r);
/* Returns an error message of one line that names the file; "" when there was no error. */
const char *reader_error(const struct reader *r);
/* Returns the number of damaged records so far. */
uint64_t reader_damaged(const struct reader *r);
void reader_close(struct reader *r); /* NULL is allowed */

/* Requests a column by its name, and returns its number for reader_at() and reader_number(). May be called at any time,
 * also before the first record; the number stays valid when another header is read. The name is not copied. */
size_t reader_column(struct reader *r, const char *name);
/* Returns the current record's field in a column, valid until reader_next(). NULL when the file has no such column, or
 * there is no current record. */
const char *reader_at(const struct reader *r, size_t column);
/* Returns the field as a number with a decimal point, in any locale. NAN when the field is missing, empty, not entirely
 * a decimal number, or too large for a double. */
double reader_number(const struct reader *r, size_t column);

#endif
