/* SPDX-License-Identifier: MIT */
/* Splits a command line into words, without a shell. */
#ifndef SYS_COMMAND_LINE_H
#define SYS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* word[n] is NULL; the words point into text, which is allocated. All zero: no words. */
struct words {
    char *text;
    char **word;
    size_t n;
};

/* Splits as the kernel does (Documentation/admin-guide/kernel-parameters.rst): white space ends a word except
 * between double quotes; quotes around a whole word, or around the value after its first '=', are removed. No
 * escapes; a quote that is not closed extends to the end. Returns 0 or -ENOMEM. */
int words_of_kernel(const char *line, struct words *words);

/* Splits as a user types: white space ends a word except between single or double quotes, which are removed wherever
 * they stand. With escapes, a backslash takes the next character literally, except between single quotes. No
 * variables, no wildcards. Returns NULL; or a reason, and words is empty. */
const char *words_of_command(const char *line, bool escapes, struct words *words);

/* Copies the word at *at, which does not begin with a space, to *to without its quotes, NUL-terminated; the copy is
 * not longer. Moves both to the end. Returns as words_of_command(). */
const char *words_take(const char **at, char **to, bool escapes);

void words_free(struct words *words);

#endif
