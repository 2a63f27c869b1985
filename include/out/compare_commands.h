/* SPDX-License-Identifier: MIT */
/* Prints the comparison of the commands of `jitbench run`. */
#ifndef OUT_COMPARE_COMMANDS_H
#define OUT_COMPARE_COMMANDS_H

#include <stddef.h>

#include "analysis/compare_commands.h"
#include "rows/text.h"

/* Appends a line for each row that was compared with margin 0: "B is slower by 2.1 % (1.7 to 2.6), 24 pairs, 31 s".
 * The commands' names are the tests of the rows. After a command that was compared with itself (--aa) follows which
 * differences such a measurement finds, and how long it takes. */
void run_put_verdicts(const struct row *rows, size_t n, const struct command_comparison *compared, struct text *out);

#endif
