/* SPDX-License-Identifier: MIT */
/* Tells whether the time-of-day clock can serve as a clock. */
#include "counter.h"

#include <stdio.h>

/* The architecture guarantees one constant rate, and has no control that forbids user space to read it. */
int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return 0;
}
