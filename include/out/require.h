/* SPDX-License-Identifier: MIT */
/* Prints which requirements (analysis/require.h) the results meet. */
#ifndef OUT_REQUIRE_H
#define OUT_REQUIRE_H

#include <stdbool.h>

#include "analysis/require.h"
#include "rows/text.h"

/* Prints the table of requirements, those that are not met first: the value of the worst row, how far it is from the
 * limit, and the verdict. width: of the table in characters; 0: no limit. */
void require_put(const struct requirements *set, bool markdown, unsigned width, struct text *out);

#endif
