/* SPDX-License-Identifier: MIT */
/* Splits a command line into words, without a shell. */
#ifndef SYS_COMMAND_LINE_H
#define SYS_COMMAND_LINE_H

#include <stddef.h>

/* Words and their text, both allocated; word[n] is NULL. All zero is empty. */
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
 * removed wherever they stand; inside one kind of quote the other is an ordinary character. No escapes, no
 * variables, no wildcards. Returns 0; -EINVAL when a quote is not closed; -ENOMEM. On failure words is empty. */
int words_of_command(const char *command, struct words *words);

void words_free(struct words *words);

#endif
