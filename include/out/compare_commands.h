/* SPDX-License-Identifier: MIT */
/* Prints the comparison of the commands of `jitbench run`. */
#ifndef OUT_COMPARE_COMMANDS_H
#define OUT_COMPARE_COMMANDS_H

#include <stddef.h>

#include "analysis/compare_commands.h"
#include "rows/text.h"

/* Appends a line for each row that was compared: "B is 3.0 % slower than A, -2.0 to 8.0 %: no difference seen (p
 * 0.31)". The commands' names are the tests of the rows. */
void run_put_verdicts(const struct row *rows, size_t n, const struct comparison *compared, struct text *out);

#endif
