/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare`. */
#ifndef OUT_COMPARE_H
#define OUT_COMPARE_H

#include <stdbool.h>

#include "analysis/compare.h"
#include "rows/rows.h"
#include "rows/text.h"

#define RUNS_ADVISED 10u /* number of runs of each side that is advised when nothing can be decided */

enum compared_format { COMPARED_TABLE, COMPARED_MARKDOWN, COMPARED_CSV };
struct compared_print {
    enum compared_format format;
    bool verbose; /* list every row that cannot be compared */
    double min_effect;
    unsigned width; /* width of the table in characters; 0: no limit */
};
/* Prints the tables of the compared rows, of the means of suites, of the rows that cannot be compared, and of the hosts
 * when comparing by host. The CSV contains rows, means and rows that cannot be compared, with columns of its own
 * (man/jitbench-compare.1). */
void compared_put(const struct compared *compared, const struct compared_print *how, struct text *out);

/* Prints what was compared (the two sides, what differs between them, and the statistical tests), the result as
 * compared_put() does, and warnings about doubtful rows. changed NULL: rows of the same files were compared. */
void compared_put_page(const struct compared *compared, const struct pairs *pairs, const struct row_set *base,
                       const struct row_set *changed, const struct compared_print *how, struct text *out);

#endif
