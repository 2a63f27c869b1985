/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <stdio.h>
#include <sys/prctl.h>

/* Constants of prctl(2), here since Linux 6.12; headers may lack them. */
#define PRCTL_GET_TSC    25
#define PRCTL_TSC_ENABLE 1

/* One constant rate by the architecture. Linux lets user space read it (or traps and emulates faulty hardware),
 * unless this process was forbidden to. */
int counter_usable(char *why, size_t why_size)
{
    int mode = 0;
    if (prctl(PRCTL_GET_TSC, (unsigned long)&mode, 0, 0, 0) != 0)
        mode = PRCTL_TSC_ENABLE;
    snprintf(why, why_size, "%s", mode == PRCTL_TSC_ENABLE ? "" : "this process may not read the counter");
    return mode == PRCTL_TSC_ENABLE ? 0 : -1;
}
