/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <stdio.h>

/* One constant rate by the architecture, and no control forbids reading it. */
int counter_usable(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", "");
    return 0;
}
