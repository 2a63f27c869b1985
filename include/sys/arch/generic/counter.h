/* SPDX-License-Identifier: MIT */
/* For architectures without a counter that user space can read: clock_choose() falls back to clock_gettime. */
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

int counter_usable(char *why, size_t why_size);

#endif
