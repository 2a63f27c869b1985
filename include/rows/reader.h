/* SPDX-License-Identifier: MIT */
/* Reads CSV files (RFC 4180), one record at a time, even damaged ones. Fields are found by their column's name: a file
 * may lack columns, have additional ones, and have them in any order. */
#ifndef ROWS_READER_H
#define ROWS_READER_H

#include <stddef.h>
#include <stdint.h>

/* Longest record in bytes without its line end; a longer one is damaged. */
#define READER_LINE_MAX ((size_t)32 << 20)
/* Most columns of a file and most columns requested; a file with more is damaged, requesting more is an assertion. */
#define READER_COLUMNS_MAX 1024u

/* A reader of one file. Files may be concatenated, also of different versions: a record that repeats the header, or
 * whose fields are in the majority (and at least three) names of columns of the header or of jitbench's rows, is a new
 * header.
 * Damaged records are: those that violate RFC 4180 (a quote within an unquoted field, and LF for CR LF, are accepted);
 * those with a NUL byte; those with another number of fields than the header; and a last record that was cut off (too
 * few fields, or an open quote). A last record with all of its fields but no line end is accepted.
 * After damage, reading continues with the next line. If a cut record or an open quote has swallowed the header of the
 * next file, it continues with that header. The first record is the header whatever it contains; but if it is damaged,
 * no rows are returned until a header as described above. */
struct reader;

/* Opens a file; path "-" is standard input. Returns NULL with one line in error. */
struct reader *reader_open(const char *path, char *error, size_t error_size);
/* Reads from an open descriptor; name is used in errors. The descriptor is closed by reader_close(), and when this
 * function fails. */
struct reader *reader_take(int fd, const char *name, char *error, size_t error_size);
/* Reads the next record. Returns 1, or 0 at the end, or -1 when the file cannot be read further; reader_error() then
 * says why. Time is linear in the bytes read; memory is a few times the longest record. */
int reader_next(struct reader *r);
/* Returns one line with the file's name; "" when there was no error. */
const char *reader_error(const struct reader *r);
/* Returns the number of damaged records and lines so far. */
uint64_t reader_damaged(const struct reader *r);
void reader_close(struct reader *r); /* NULL is allowed */

/* Returns the number of the column of that name for reader_at(). It may be requested at any time, also before the first
 * record, and stays valid when another header is read. The name is not copied. */
size_t reader_column(struct reader *r, const char *name);
/* Returns the record's field, valid until reader_next(). NULL when the file has no such column, or there is no
 * record. */
const char *reader_at(const struct reader *r, size_t column);
/* Returns the field as a number with a decimal point, in any locale. NAN when the field is missing, empty, not entirely
 * a decimal number, or too large for a double. */
double reader_number(const struct reader *r, size_t column);

#endif
