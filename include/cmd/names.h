/* SPDX-License-Identifier: MIT */
/* Names of output files, of which each host and each rank of a job has its own. */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include <stddef.h>

#include "engine/row.h"

/* The file name that a template of the user's stands for: %h host, %j job, %r rank, %t UTC time (20260131T235959Z), %%
 * a percent sign. What is not known is "unknown"; signs in these words that do not belong in a file name become '_'. A
 * template without %r gets "-RANK" before its ending where alone is 0 and the rank is known, since other ranks were
 * given the same name. 0; or -1 with a line in error that begins with option ("--output"): another sign after '%', or
 * too long. */
int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, char *error, size_t error_size);

#endif
