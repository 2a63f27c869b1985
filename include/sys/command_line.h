/* SPDX-License-Identifier: MIT */
/* Splits a command line into words, without a shell. */
#ifndef SYS_COMMAND_LINE_H
#define SYS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* The words of a line: pointers to them, and the allocated text that they point into. word[n] is NULL. All zero: no
 * words. */
struct words {
    char *text;
    char **word;
    size_t n;
};

/* Splits a command line of the kernel as the kernel does (Documentation/admin-guide/kernel-parameters.rst): white
 * space ends a word except between double quotes; quotes around a whole word, or around the value after its first
 * '=', are removed, others stay. There is no escape character. A quote that is not closed extends to the end.
 * Returns 0 or -ENOMEM. */
int words_of_kernel(const char *line, struct words *words);

/* Splits a command as a user types it: white space ends a word except between single or double quotes, which are
 * removed wherever they stand; inside one kind of quote the other is an ordinary character. With escapes, a backslash
 * takes the next character literally, except between single quotes. No variables, no wildcards. Returns NULL; or "a
 * quote is not closed", "ends with a backslash" or "out of memory", and words is empty. */
const char *words_of_command(const char *line, bool escapes, struct words *words);

/* Copies the word at *at, which does not begin with a space, to *to, NUL-terminated and without its quotes. The copy is
 * not longer than the word. Moves *at to the end of the word and *to to the byte after the copy. escapes, and the error
 * returned (NULL: none): see words_of_command(). */
const char *words_take(const char **at, char **to, bool escapes);

void words_free(struct words *words);

#endif
