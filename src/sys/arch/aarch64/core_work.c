/* SPDX-License-Identifier: MIT */
#include "sys/clock.h"

const unsigned core_link_cycles = 1;

void core_work_adds(uint64_t blocks)
{
    __asm__ volatile("1:\n\t"
                     ".rept 100\n\t"
                     "add w1, w1, #3\n\t"
                     "add w2, w2, #3\n\t"
                     "add w3, w3, #3\n\t"
                     "add w4, w4, #3\n\t"
                     "add w5, w5, #3\n\t"
                     "add w6, w6, #3\n\t"
                     ".endr\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(blocks)
                     :
                     : "x1", "x2", "x3", "x4", "x5", "x6", "cc");
}

void core_work_chain(uint64_t blocks)
{
    __asm__ volatile("1:\n\t"
                     ".rept 300\n\t"
                     "eor w1, w1, w2\n\t"
                     ".endr\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(blocks)
                     :
                     : "x1", "x2", "cc");
}
