/* SPDX-License-Identifier: MIT */
/* Reads the time-stamp counter by RDTSCP. It waits until all earlier instructions have executed, so the second reading
 * cannot be taken before the measured code is done. It does not hold back later instructions, and no LFENCE follows:
 * the measured code may begin while the first reading is still in progress, earlier by some tens of cycles, the same in
 * each experiment. (LFENCE would add 7 cycles to a pair of readings.) The counter ticks at a fixed reference rate, not
 * at the core's clock. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NAME     "rdtscp"
#define COUNTER_NOW_NAME "rdtsc"

static inline __attribute__((always_inline)) uint64_t counter_read(void)
{
    uint32_t low, high, cpu;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(cpu) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline __attribute__((always_inline)) uint64_t counter_begin(void)
{
    return counter_read();
}

static inline __attribute__((always_inline)) uint64_t counter_end(void)
{
    return counter_read();
}

/* Reads the counter by RDTSC without ordering against other instructions, as cheaply as possible. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Returns 0 when user space may read the counter and its rate is constant; otherwise -1, with the reason as text in
 * why. */
int counter_usable(char *why, size_t why_size);

#endif
