/* SPDX-License-Identifier: MIT */
/* Stubs for architectures without a counter that user space can read: clock_choose() falls back to clock_gettime and
 * never calls these functions. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NAME     ""
#define COUNTER_NOW_NAME ""

static inline uint64_t counter_begin(void)
{
    return 0;
}

static inline uint64_t counter_end(void)
{
    return 0;
}

static inline uint64_t counter_now(void)
{
    return 0;
}

/* Always returns -1 with an empty reason. */
int counter_usable(char *why, size_t why_size);

#endif
