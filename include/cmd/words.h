/* SPDX-License-Identifier: MIT */
/* Command lines as words: split, joined, shown. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include <stddef.h>

#include "engine/text.h"

/* Splits a line at blanks, tabs and line breaks. '...' and "..." keep what is between together (an empty word too), a
 * backslash takes the next character as it is, but not within '...'; nothing else has a meaning. Returns a list that
 * ends with NULL, in one block that the caller frees, and how many in n; NULL with a line in error ("a quote is not
 * closed", "ends with a backslash", "out of memory"). */
char **words_split(const char *line, size_t *n, const char **error);

/* Copies the first word of a line without its quotes, as words_split() takes it; "" when a quote is not closed. buf has
 * room for as many bytes as the line. */
void words_first(const char *line, char *buf);

/* The words as a shell would take them back: those that need it in quotes, unprintable ones as $'\n' or $'\x01'. */
void words_quote(char *const *words, size_t n, struct text *out);

/* The words with a blank between, as they are. */
void words_join(char *const *words, size_t n, struct text *out);

/* Copies the line; one that does not fit ends in "...#" and eight hexadecimal digits of all of it (FNV-1a), so that two
 * long lines that differ are told apart. It is not cut within a UTF-8 character. size is 16 or more. */
void words_shorten(const char *line, char *buf, size_t size);

#endif
