/* SPDX-License-Identifier: MIT */
/* Only registers that 32-bit programs have too. */
#include "sys/clock.h"

const unsigned core_link_cycles = 3;

void core_work_adds(uint64_t blocks)
{
    uint32_t left = (uint32_t)blocks;

    __asm__ volatile("1:\n\t"
                     ".rept 100\n\t"
                     "addl $3, %%eax\n\t"
                     "addl $3, %%ebx\n\t"
                     "addl $3, %%ecx\n\t"
                     "addl $3, %%edx\n\t"
                     "addl $3, %%esi\n\t"
                     "addl $3, %%edi\n\t"
                     ".endr\n\t"
                     "decl %0\n\t"
                     "jnz 1b"
                     : "+rm"(left)
                     :
                     : "eax", "ebx", "ecx", "edx", "esi", "edi", "cc");
}

void core_work_chain(uint64_t blocks)
{
    uint32_t left = (uint32_t)blocks;

    __asm__ volatile("1:\n\t"
                     ".rept 300\n\t"
                     "imull %%edx, %%eax\n\t"
                     ".endr\n\t"
                     "decl %0\n\t"
                     "jnz 1b"
                     : "+rm"(left)
                     :
                     : "eax", "edx", "cc");
}
