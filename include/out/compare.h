/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare`. */
#ifndef OUT_COMPARE_H
#define OUT_COMPARE_H

#include "analysis/compare.h"
#include "out/out.h"

#define RUNS_ADVISED 10u /* number of runs of each side that is advised when nothing can be decided */

/* Prints the figures that people ask for, the rows and means that changed (verbose: all), rows that cannot be compared,
 * and hosts when comparing by host. names: of the file on each side; "": several. about: with the parts below. */
void compared_put(const struct compared *compared, const char *const names[2], bool verbose, bool about,
                  const struct doc *doc);
/* Writes rows, means and rows that cannot be compared, with columns of its own (man/jitbench-compare.1). */
void compared_put_csv(const struct compared *compared, struct text *out);

/* By how much rows that are not decided may differ by drift (0.01 for 1 %): two standard deviations, from the median of
 * all differences as if none were real. */
double compared_drift(const struct compared *compared);
/* The sides, which of them is better, and what is not decided. */
void compared_put_answer(const struct compared *compared, const char *const names[2], const struct doc *doc);
/* The settings that differ. */
void compared_put_differences(const struct compared *compared, bool verbose, const struct doc *doc);

/* Appends "preempted 48.2 % of the time (base 0.1 %), CPU at 2000 MHz (base 3000)": each cause that alone would account
 * for at least half of the observed change, in the same direction. Steal time is used only from 50 ms on, which is five
 * of the kernel's ticks. Appends nothing for a metric without a direction, or when no cause is large enough. */
void explain_change(const struct pair *pair, const struct comparison *comparison, struct text *out);

#endif
