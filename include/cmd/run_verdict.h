/* SPDX-License-Identifier: MIT */
/* Compares the commands of `jitbench run` with the first. */
#ifndef CMD_RUN_VERDICT_H
#define CMD_RUN_VERDICT_H

#include <stddef.h>

#include "engine/comparison.h"
#include "engine/row.h"
#include "engine/text.h"

/* The first of the n rows that has the wall-clock time of as many copies, which is the row's base; the row itself when
 * there is none before it. */
const struct row *run_base(const struct row *rows, size_t n, const struct row *row);

/* Compares the wall-clock times with those of their bases, by the rule of `jitbench compare` with a least effect of 1
 * %, but without a noise floor: samples of commands are taken in turn. out has a place for each of the n rows; those
 * that were not compared have tested = TESTED_NOTHING and a ratio that is NAN. 0, or -1 when out of memory. */
int run_compare(const struct row *rows, size_t n, struct comparison *out);

/* A line for each row that was compared: "B is 3.0 % slower than A, -2.0 to 8.0 %: no difference seen (p 0.31)". The
 * rows' tests are what the commands are called. */
void run_put_verdicts(const struct row *rows, size_t n, const struct comparison *compared, struct text *out);

#endif
