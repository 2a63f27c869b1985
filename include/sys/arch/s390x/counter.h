/* SPDX-License-Identifier: MIT */
/* The time-of-day clock by STORE CLOCK FAST (z/Architecture Principles of Operation): 4096 units a microsecond on
 * every machine, though it may step by more than one. (STORE CLOCK would wait for a value that differs from all
 * before.) BCR 15,0 waits until earlier instructions have completed. Given by its machine code: assemblers for the
 * oldest machines lack its name. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#include <stdint.h>

#define COUNTER_NAME "stckf"

static inline __attribute__((always_inline)) uint64_t counter_read(void)
{
    uint64_t ticks;
    __asm__ volatile("bcr 15, 0\n\t.insn s, 0xb27c0000, %0" : "=Q"(ticks) : : "cc", "memory");
    return ticks;
}

static inline __attribute__((always_inline)) uint64_t counter_now(void)
{
    uint64_t ticks;
    __asm__ volatile(".insn s, 0xb27c0000, %0" : "=Q"(ticks) : : "cc");
    return ticks;
}

#endif
