/* SPDX-License-Identifier: MIT */
/* Values as JSON (RFC 8259). */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "engine/text.h"

/* A string with its quotes: control characters, quotes and backslashes escaped, bytes that are no UTF-8 as U+FFFD. */
void json_text(struct text *out, const char *s);
/* A number with 17 significant digits; null when it is not finite. */
void json_number(struct text *out, double value);
/* The name of a member with the colon behind it. */
void json_name(struct text *out, const char *name);

#endif
