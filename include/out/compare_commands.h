/* SPDX-License-Identifier: MIT */
/* Prints the comparison of the commands of `jitbench run`. */
#ifndef OUT_COMPARE_COMMANDS_H
#define OUT_COMPARE_COMMANDS_H

#include "analysis/compare_commands.h"

/* What is compared, in words, of each judged_words[]; "" for the time. */
extern const char *const judged_titles[];
/* "is slower", "is faster"; with a title "is higher", "is lower". */
const char *judged_differs(const char *title, bool slower);

/* Appends the name of the row's command, the test of the row, with the number of copies, if there are several. If
 * another command of the n rows has the same name, the command line follows. */
void run_put_name(const struct row *rows, size_t n, const struct row *row, struct text *out);

/* Appends a line for each row that run_compare() compared with the first command: "B is slower by 2.1 % (1.7 to 2.6),
 * 24 pairs, 31 s". compared: what run_compare() found with margin 0, for
 * each of the n rows. After a command that was compared with itself (--aa), appends the least difference that such
 * a comparison of two commands would find, and how long it takes to find some given differences. */
void run_put_verdicts(const struct row *rows, size_t n, const struct command_comparison *compared, struct text *out);

#endif
