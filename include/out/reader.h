/* SPDX-License-Identifier: MIT */
/* CSV files read back (RFC 4180), one record at a time, however damaged they are. Fields are found by their column's
 * name: a file may lack columns, have more, and have them in another order. */
#ifndef OUT_READER_H
#define OUT_READER_H

#include <stddef.h>
#include <stdint.h>

#define READER_LINE_MAX    ((size_t)32 << 20) /* bytes of a record without its line end: more is damage */
#define READER_COLUMNS_MAX 1024u              /* of a file, and asked for: more is damage, and an assertion */

/* Files may be concatenated, also of different versions: a record that repeats the header, or more than half of whose
 * fields are names of columns (of the header or of a row of jitbench; three at least), is a header from which the
 * columns are taken anew. Damage is what is not RFC 4180 (but for a quote within an unquoted field, and LF for CR LF),
 * a NUL byte, a number of fields that is not the header's, and what was cut off: a last record with too few fields or
 * an open quote. A last record that has all of its fields and no line end is taken for whole. Behind damage reading
 * goes on with the next line, or with the header of the next file where a cut record or an open quote has swallowed
 * that. The first record is the header whatever it holds; but when it is damaged there are no rows until a header like
 * those above. */
struct reader;

/* path "-" is standard input. NULL with one line in error. */
struct reader *reader_open(const char *path, char *error, size_t error_size);
/* The same for an open descriptor; name is what errors call it. Closed by reader_close(), and when this fails. */
struct reader *reader_take(int fd, const char *name, char *error, size_t error_size);
/* 1: the next record, 0: the end, -1: the file cannot be read any further, and reader_error() says why. The time is
 * linear in the bytes read; memory is a few times the longest record. */
int reader_next(struct reader *r);
/* One line with the file's name; "" when there was no error. */
const char *reader_error(const struct reader *r);
/* Records and lines that were damaged, so far. */
uint64_t reader_damaged(const struct reader *r);
void reader_close(struct reader *r); /* NULL is taken */

/* What reader_at() wants for the column of that name. May be asked for at any time, also before the first record, and
 * stays valid when another header comes. The name is not copied. */
size_t reader_column(struct reader *r, const char *name);
/* The record's field, valid until reader_next(). NULL when the file has no such column, or there is no record. */
const char *reader_at(const struct reader *r, size_t column);
/* The field as a number with a decimal point, whatever the locale. NAN when there is none, or it is empty, not wholly a
 * decimal number, or too large for a double. */
double reader_number(const struct reader *r, size_t column);

#endif
