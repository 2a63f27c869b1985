/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare`. */
#ifndef OUT_COMPARE_H
#define OUT_COMPARE_H

#include "analysis/compare.h"
#include "out/out.h"

#define RUNS_ADVISED 10u /* number of runs of each side that is advised when nothing can be decided */

/* Prints the tables of the compared rows, of the means of suites, of the rows that cannot be compared (verbose: names
 * all), and of the hosts when comparing by host. about: with compared_put_header() and compared_put_warnings(). */
void compared_put(const struct compared *compared, bool verbose, bool about, const struct doc *doc);
/* Writes rows, means and rows that cannot be compared, with columns of its own (man/jitbench-compare.1). */
void compared_put_csv(const struct compared *compared, struct text *out);

/* Prints what was compared: the two sides, what differs between them, and the statistical tests. */
void compared_put_header(const struct compared *compared, struct text *out);
/* Prints warnings about doubtful rows, after an empty line. */
void compared_put_warnings(const struct compared *compared, struct text *out);

/* Appends "thp always -> never; autogroup 1 -> 0": every item of the columns settings and scratch_disk (named
 * scratch_mount, ...), and the pages given to a test (named "bandwidth pages"), whose values differ between the sides.
 * Several values of a side are joined by " or ". An item that one side has not recorded, as in files of earlier
 * versions, is no difference. Appends nothing when there is no difference. */
void compared_put_settings(const struct row_set *base, const struct row_set *changed, struct text *out);

/* Appends "preempted 48.2 % of the time (base 0.1 %), CPU at 2000 MHz (base 3000)": each cause that alone would account
 * for at least half of the observed change, in the same direction. Steal time is used only from 50 ms on, which is five
 * of the kernel's ticks. Appends nothing for a metric without a direction, or when no cause is large enough. */
void explain_change(const struct pair *pair, const struct comparison *comparison, struct text *out);

#endif
