/* SPDX-License-Identifier: MIT */
/* The files of both sides of jitbench compare. */
#ifndef CMD_COMPARE_SIDES_H
#define CMD_COMPARE_SIDES_H

#include "cmd/command.h"
#include "rows/rows.h"

/* Counts the files before the `--` between the sides, takes it out, since options may stand on both sides of it, and
 * calls the command. Returns its exit status. */
int sides_main(const struct command *command, int argc, char **argv);

/* Finds the number of files of the base. within: all of them are one side; one: a single file is enough. Returns 0, or
 * EXIT_USAGE with a line on standard error. */
int sides_split(const struct command_call *call, bool within, bool one, size_t *n_base);

/* Reads both sides, of which only one may name standard input. Returns 0, or EXIT_USAGE with a line on standard error.
 */
int sides_read(const struct command_call *call, size_t n_base, struct row_set *base, struct row_set *changed);

#endif
