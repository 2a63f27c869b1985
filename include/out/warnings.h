/* SPDX-License-Identifier: MIT */
/* Prints warnings about doubtful values in result rows. */
#ifndef OUT_WARNINGS_H
#define OUT_WARNINGS_H

#include "rows/row.h"
#include "rows/text.h"

/* Appends one line for each kind of warning, with the worst case and the number of cases. For headline rows: samples
 * that spread over 10 % (or over 5 %, mostly because of another user of the core), a first sample slower than the rest,
 * drift between the halves, an interval wider than +-2 % of the mean, a clock too coarse for the measured time. For
 * jitbench noise: at least 1 % of a CPU's time in which detours were not seen. more is the option that increases the
 * number of samples: "--samples". */
void warnings_collect(const struct row *rows, size_t n, const char *more, struct text *out);

#endif
