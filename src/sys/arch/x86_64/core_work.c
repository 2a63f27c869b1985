/* SPDX-License-Identifier: MIT */
/* The core probe's work on x86-64. */
#include "sys/core_work.h"

const int core_work_exists = 1;
const unsigned core_link_cycles = 3;

void core_work_adds(uint64_t blocks)
{
    __asm__ volatile("1:\n\t"
                     ".rept 100\n\t"
                     "addl $3, %%eax\n\t"
                     "addl $3, %%edx\n\t"
                     "addl $3, %%esi\n\t"
                     "addl $3, %%r8d\n\t"
                     "addl $3, %%r9d\n\t"
                     "addl $3, %%r10d\n\t"
                     ".endr\n\t"
                     "decq %0\n\t"
                     "jnz 1b"
                     : "+r"(blocks)
                     :
                     : "eax", "edx", "esi", "r8", "r9", "r10", "cc");
}

void core_work_chain(uint64_t blocks)
{
    __asm__ volatile("1:\n\t"
                     ".rept 300\n\t"
                     "imulq %%rdx, %%rax\n\t"
                     ".endr\n\t"
                     "decq %0\n\t"
                     "jnz 1b"
                     : "+r"(blocks)
                     :
                     : "eax", "edx", "cc");
}
