/* SPDX-License-Identifier: MIT */
/* Reads the time-of-day clock by STORE CLOCK FAST (z/Architecture Principles of Operation): 4096 units are a
 * microsecond on every machine, though the clock may step by more than one unit. STORE CLOCK would wait until its value
 * differs from all values stored before; the fast form does not. BCR 15,0 before it waits until earlier instructions
 * have completed. The instruction is given by its machine code because assemblers for the oldest machines do not know
 * its name. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NAME     "stckf"
#define COUNTER_NOW_NAME "stckf"

static inline __attribute__((always_inline)) uint64_t counter_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("bcr 15, 0\n\t.insn s, 0xb27c0000, %0" : "=Q"(ticks) : : "cc", "memory");
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
    __asm__ volatile(".insn s, 0xb27c0000, %0" : "=Q"(ticks) : : "cc");
    return ticks;
}

/* Returns 0 when user space may read the counter and its rate is constant; otherwise -1, with the reason as text in
 * why. */
int counter_usable(char *why, size_t why_size);

#endif
