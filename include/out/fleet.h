/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench fleet`. */
#ifndef OUT_FLEET_H
#define OUT_FLEET_H

#include "analysis/fleet_judge.h"
#include "rows/text.h"

/* Appends the table of machines, at most `width` characters wide (0: no limit), and the summary. verbose: lists all
 * machines, with all figures in which they are far from the median of all. */
void fleet_put(const struct judgement *judgement, bool verbose, unsigned width, struct text *out);
/* Appends all figures of a machine (number: its index in judgement->judged) as CSV; for index 0, the names of the
 * columns come first. */
void fleet_put_csv(const struct judgement *judgement, size_t number, struct text *out);
/* Formats "unix pipe x2 rate": suite, test, load, copies, protocol and metric of a figure. Returns buf. */
char *fleet_name_figure(const struct gather_figure *figure, char *buf, size_t size);

#endif
