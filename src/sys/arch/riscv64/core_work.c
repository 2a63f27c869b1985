/* SPDX-License-Identifier: MIT */
/* Uncompressed instructions: the same length whatever extensions the build uses. */
#include "sys/clock.h"

const unsigned core_link_cycles = 1;

void core_work_adds(uint64_t blocks)
{
    __asm__ volatile(".option push\n\t"
                     ".option norvc\n\t"
                     "1:\n\t"
                     ".rept 100\n\t"
                     "addi t1, t1, 3\n\t"
                     "addi t2, t2, 3\n\t"
                     "addi t3, t3, 3\n\t"
                     "addi t4, t4, 3\n\t"
                     "addi t5, t5, 3\n\t"
                     "addi t6, t6, 3\n\t"
                     ".endr\n\t"
                     "addi %0, %0, -1\n\t"
                     "bnez %0, 1b\n\t"
                     ".option pop"
                     : "+r"(blocks)
                     :
                     : "t1", "t2", "t3", "t4", "t5", "t6");
}

void core_work_chain(uint64_t blocks)
{
    __asm__ volatile(".option push\n\t"
                     ".option norvc\n\t"
                     "1:\n\t"
                     ".rept 300\n\t"
                     "xor t1, t1, t2\n\t"
                     ".endr\n\t"
                     "addi %0, %0, -1\n\t"
                     "bnez %0, 1b\n\t"
                     ".option pop"
                     : "+r"(blocks)
                     :
                     : "t1", "t2");
}
