/* SPDX-License-Identifier: MIT */
/* Compares the commands of `jitbench run` with the first. */
#ifndef ANALYSIS_COMPARE_COMMANDS_H
#define ANALYSIS_COMPARE_COMMANDS_H

#include <stddef.h>

#include "analysis/compare_samples.h"
#include "rows/row.h"

#define COMPARE_COMMANDS_LEAST 0.01 /* least effect that counts */

/* Returns the base of the row: the first of the n rows with the wall-clock time of as many copies; the row itself when
 * there is none before it. */
const struct row *run_base(const struct row *rows, size_t n, const struct row *row);

/* Compares the wall-clock times with those of their bases, by the rule of `jitbench compare` with a least effect of 1
 * %, but without a noise floor, because samples of commands are interleaved. out has an element for each of the n rows;
 * rows that were not compared have tested = TESTED_NOTHING and ratio = NAN. Returns 0, or -1 when out of memory. */
int run_compare(const struct row *rows, size_t n, struct comparison *out);

#endif
