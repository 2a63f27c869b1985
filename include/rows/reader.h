/* SPDX-License-Identifier: MIT */
/* Reads CSV files (RFC 4180), even damaged ones, a record at a time. Fields are asked for by column name: a file may
 * lack columns, have others, and in any order. */
#ifndef ROWS_READER_H
#define ROWS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest record in bytes without its line end; a longer one counts as damaged. */
#define READER_LINE_MAX ((size_t)32 << 20)
/* Columns of a file, and requested by reader_column() (more fail an assertion). A record with more fields counts as
 * damaged. */
#define READER_COLUMNS_MAX 1024u

/* One file. CSV files may be concatenated, also of different versions: a header can occur anywhere. A record is one
 * if it repeats the header before it, or if at least three and more than half of its fields are names of columns (of
 * the header or of jitbench's rows). Damaged are: violations of RFC 4180 (but a quote within an unquoted field, and
 * LF for CR LF, are accepted); a NUL byte; another number of fields than the header's; a last record that was cut
 * off (too few fields, or an open quote). A last record with all its fields but no line end is accepted. After a
 * damaged record, reading goes on with the next line; if what was cut off, or an open quote, has swallowed the next
 * file's header, with that header. The first record is the header whatever it contains; if it is damaged, no rows
 * are returned until a header as above. */
struct reader;

/* "-" is standard input. regular: refuses other files without waiting for them. Returns NULL with a line in error;
 * reader_close() frees the result. */
struct reader *reader_open(const char *path, bool regular, char *error, size_t error_size);
/* From an open descriptor, closed by reader_close() and on failure; name is for errors. */
struct reader *reader_take(int fd, const char *name, char *error, size_t error_size);
/* Reads the next undamaged record but headers. Returns 1, 0 at the end, or -1 when the file cannot be read further
 * (reader_error()). Time is linear in the bytes read; memory is a few times the longest record. */
int reader_next(struct reader *r);
/* A line that names the file; "" without an error. */
const char *reader_error(const struct reader *r);
/* Records so far. */
uint64_t reader_damaged(const struct reader *r);
void reader_close(struct reader *r); /* may be NULL */

/* Returns the column's number for reader_at() and reader_number(), at any time; it stays valid for other headers.
 * name is not copied. */
size_t reader_column(struct reader *r, const char *name);
/* Returns the current record's field, valid until reader_next(); NULL when the file has no such column, or there is
 * no record. */
const char *reader_at(const struct reader *r, size_t column);
/* NAN when the field is missing, not entirely a decimal number, or too large. '.' in any locale. */
double reader_number(const struct reader *r, size_t column);

#endif
