/* SPDX-License-Identifier: MIT */
/* There is no counter to use. */
#include "counter.h"

#include <stdio.h>

int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return -1;
}
