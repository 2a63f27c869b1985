/* SPDX-License-Identifier: MIT */
/* Writes values as JSON (RFC 8259). */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "rows/text.h"

/* Appends a string in quotes: control characters, quotes and backslashes escaped, invalid UTF-8 as U+FFFD. */
void json_text(struct text *out, const char *s);
/* Appends a number with 17 significant digits; null when it is not finite. */
void json_number(struct text *out, double value);
/* Appends an array of numbers. */
void json_numbers(struct text *out, const double *values, size_t n);
/* Appends the format as it is, with %s written as json_text(), and %f as json_number(). Knows %zu, %.0f and %% as
 * well. */
void json_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the name of a member and a colon. */
void json_name(struct text *out, const char *name);

#endif
