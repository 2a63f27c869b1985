/* SPDX-License-Identifier: MIT */
/* The time-stamp counter by RDTSCP, which waits until all earlier instructions have executed: the second reading is
 * not taken before the measured code is done. Later instructions are not held back (an LFENCE would add 7 cycles to
 * a pair): the measured code may begin some tens of cycles early, the same in each experiment. It ticks at a fixed
 * reference rate, not at the core's clock. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stdint.h>

#define COUNTER_NAME     "rdtscp"
#define COUNTER_NOW_NAME "rdtsc"

/* TSC_AUX: the node, and in the lower 12 bits, as Linux sets it, the CPU. */
#define COUNTER_CPU 0xfffu

static inline __attribute__((always_inline)) uint64_t counter_read_cpu(uint32_t *cpu)
{
    uint32_t low, high;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*cpu) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline __attribute__((always_inline)) uint64_t counter_read(void)
{
    uint32_t cpu;
    return counter_read_cpu(&cpu);
}

/* RDTSC, not ordered against other instructions. */
static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

#endif
