/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare`. */
#ifndef OUT_COMPARE_H
#define OUT_COMPARE_H

#include "analysis/compare.h"
#include "out/out.h"

#define RUNS_ADVISED 10u /* number of runs of each side that is advised when nothing can be decided */

/* Prints the figures that people ask for, the rows and means that changed (verbose: all), rows that cannot be compared,
 * and hosts when comparing by host. names: of the file on each side; "": several. about: also what was compared, what
 * came of it, and the settings that differ. */
void compared_put(const struct compared *compared, const char *const names[2], bool verbose, bool about,
                  const struct doc *doc);
/* Writes rows, means and rows that cannot be compared, with columns of its own (man/jitbench-compare.1). */
void compared_put_csv(const struct compared *compared, struct text *out);

#endif
