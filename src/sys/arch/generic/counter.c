/* SPDX-License-Identifier: MIT */
/* Stub for architectures without a cycle counter that user space can read. */
#include "counter.h"

#include <stdio.h>

int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return -1;
}
