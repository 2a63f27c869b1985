/* SPDX-License-Identifier: MIT */
/* For architectures that read the counter by one instruction: their counter.h defines it as COUNTER_READ, and
 * COUNTER_WAIT, which keeps it from being read too early. */
#ifndef SYS_COUNTER_READ_H
#define SYS_COUNTER_READ_H

#include <stddef.h>
#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t counter_begin(void)
{
    uint64_t ticks;
    __asm__ volatile(COUNTER_WAIT "\n\t" COUNTER_READ : "=r"(ticks) : : "memory");
    return ticks;
}

static inline __attribute__((always_inline)) uint64_t counter_end(void)
{
    return counter_begin();
}

/* Reads without ordering against other instructions. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint64_t ticks;
    __asm__ volatile(COUNTER_READ : "=r"(ticks));
    return ticks;
}

/* Returns 0 when user space may read the counter at a constant rate; otherwise -1, with the reason in why. */
int counter_usable(char *why, size_t why_size);

#endif
