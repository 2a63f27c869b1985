/* SPDX-License-Identifier: MIT */
/* The virtual counter of the generic timer. An ISB before the reading prevents an early reading. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NAME     "cntvct"
#define COUNTER_NOW_NAME "cntvct"

static inline __attribute__((always_inline)) uint64_t counter_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline __attribute__((always_inline)) uint64_t counter_end(void)
{
    return counter_begin();
}

/* Reads the counter without ordering, as cheaply as possible. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Returns 0 when user space may read the counter and its rate is constant; -1 with the reason in words. */
int counter_usable(char *why, size_t why_size);

#endif
