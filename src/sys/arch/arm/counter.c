/* SPDX-License-Identifier: MIT */
/* Tells whether the virtual counter of the generic timer can serve as a clock. */
#include "counter.h"

#include <stdio.h>

/* The counter, if there is one, has one constant rate. On a CPU without it, or when the kernel forbids it, reading
 * ends in a signal, which clock_choose() tries. */
int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return 0;
}
