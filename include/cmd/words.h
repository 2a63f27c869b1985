/* SPDX-License-Identifier: MIT */
/* Joins, quotes and shortens words of command lines; sys/command_line.h splits them. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include <stddef.h>

#include "rows/text.h"

/* Copies the first word of a line without its quotes, as words_of_command() splits it (with escapes); "" when a quote
 * is not closed. buf has room for as many bytes as the line. */
void words_first(const char *line, char *buf);

/* Appends the words in a form that a shell accepts: quoted where necessary, unprintable characters as $'\n' or
 * $'\x01'. */
void words_quote(char *const *words, size_t n, struct text *out);

/* Appends the words unchanged, with spaces between. */
void words_join(char *const *words, size_t n, struct text *out);

/* Copies the line; if it does not fit, it ends in "...#" and eight hexadecimal digits of a hash of the whole line
 * (FNV-1a), so that two different long lines can be distinguished. Does not cut within a UTF-8 character. size is at
 * least 16. */
void words_shorten(const char *line, char *buf, size_t size);

#endif
