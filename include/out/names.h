/* SPDX-License-Identifier: MIT */
/* Makes the names of output files, which can be different for each host and each rank of a job. */
#ifndef OUT_NAMES_H
#define OUT_NAMES_H

#include <stddef.h>

#include "rows/row.h"

/* Expands a template given by the user to a file name: %h host, %j job, %r rank, %t UTC time (20260131T235959Z), %% a
 * percent sign. A value that is not known becomes "unknown"; characters unsuitable for file names become '_'. If other
 * ranks use the same template (alone is 0) and the rank is known, a template without %r gets "-RANK" before the file
 * name's ending. Returns 0; or -1 with a line in error, which begins with option ("--output"), when another character
 * follows '%', or the name is too long. */
int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, char *error, size_t error_size);

#endif
