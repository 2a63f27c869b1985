/* SPDX-License-Identifier: MIT */
/* Tells whether the time base can serve as a clock. */
#include "counter.h"

#include <stdio.h>

/* The architecture guarantees one constant rate, and Linux lets user space read the time base. */
int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return 0;
}
