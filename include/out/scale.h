/* SPDX-License-Identifier: MIT */
/* Prints how much noise slows down programs on many ranks. */
#ifndef OUT_SCALE_H
#define OUT_SCALE_H

#include <stdbool.h>

#include "analysis/scale_projection.h"
#include "rows/text.h"

/* Appends the table of slow-downs, the table of the detours (interruptions) that cost most, and a line on what the
 * computation includes. every: shows all hosts, not only the slowest. */
void scale_put(const struct projection *projection, bool every, unsigned width, struct text *out);
/* Appends all slow-downs as CSV. */
void scale_put_csv(const struct projection *projection, struct text *out);

#endif
