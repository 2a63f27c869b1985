/* SPDX-License-Identifier: MIT */
/* Reads the cycle counter on architectures where one instruction does so. The architecture's counter.h defines
 * COUNTER_READ, that instruction, and COUNTER_WAIT, an instruction before it that keeps the counter from being read too
 * early. */
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

/* Reads the counter without ordering against other instructions, as cheaply as possible. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint64_t ticks;
    __asm__ volatile(COUNTER_READ : "=r"(ticks));
    return ticks;
}

/* Returns 0 when user space may read the counter and its rate is constant; otherwise -1, with the reason as text in
 * why. */
int counter_usable(char *why, size_t why_size);

#endif
