/* SPDX-License-Identifier: MIT */
/* Whether the virtual counter of the generic timer can serve as a clock. */
#include "counter.h"

#include <stdio.h>

/* Where there is one, it has one constant rate. A CPU without it, and a kernel that keeps it to itself, end the reading
 * with a signal, which clock_choose() tries out. */
int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return 0;
}
