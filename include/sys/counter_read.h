/* SPDX-License-Identifier: MIT */
/* For architectures that read the counter by one instruction: their counter.h defines it as COUNTER_READ, and
 * COUNTER_WAIT, which keeps it from being read too early. */
#ifndef SYS_COUNTER_READ_H
#define SYS_COUNTER_READ_H

#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t counter_read(void)
{
    uint64_t ticks;
    __asm__ volatile(COUNTER_WAIT "\n\t" COUNTER_READ : "=r"(ticks) : : "memory");
    return ticks;
}

/* Reads without ordering against other instructions. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint64_t ticks;
    __asm__ volatile(COUNTER_READ : "=r"(ticks));
    return ticks;
}

#endif
