/* SPDX-License-Identifier: MIT */
/* Command lines that come as one text: taken apart into words, without a shell. */
#ifndef SYS_COMMAND_LINE_H
#define SYS_COMMAND_LINE_H

#include <stddef.h>

/* Words and their text, both owned; word[n] is NULL. All zero is empty. */
struct words {
    char *text;
    char **word;
    size_t n;
};

/* The kernel's command line as the kernel itself reads it (Documentation/admin-guide/kernel-parameters.rst): white
 * space ends a word but not between double quotes; quotes around a whole word, or around the value behind its first
 * '=', are dropped, others stay. There is no escape. A quote that is not closed goes on to the end. 0 or -ENOMEM. */
int words_of_kernel(const char *line, struct words *words);

/* A command as a person writes it: white space ends a word but not between quotes, single or double, which are dropped
 * wherever they stand; within one kind the other means itself. No escape, no variable, no wildcard. 0; -EINVAL when a
 * quote is not closed; -ENOMEM. On failure words is empty. */
int words_of_command(const char *command, struct words *words);

void words_free(struct words *words);

#endif
