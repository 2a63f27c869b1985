/* SPDX-License-Identifier: MIT */
/* Fixed work in registers, for finding out how much of the core a CPU has (sys/core_probe.h). Written in assembly, so
 * that it is the same instructions in every build. */
#ifndef SYS_CORE_WORK_H
#define SYS_CORE_WORK_H

#include <stdint.h>

/* Whether this architecture has it; without it the functions do nothing. */
extern const int core_work_exists;

/* blocks times CORE_BLOCK_ADDS additions of a constant, in six chains that do not depend on each other: as many at a
 * time as the core has adders, or half of that while another hardware thread of the core is as busy. blocks is at
 * least 1. */
#define CORE_BLOCK_ADDS 600u
void core_work_adds(uint64_t blocks);

/* blocks times CORE_BLOCK_LINKS operations, each of which needs the one before and takes core_link_cycles, whoever else
 * uses the core: multiplications on x86-64 (three cycles since 2008; operations of one cycle are held up by another
 * thread's), exclusive-ors elsewhere (one cycle; what a multiplication takes differs there). Not additions: newer cores
 * remove chains of them at register renaming. blocks is at least 1. */
#define CORE_BLOCK_LINKS 300u
extern const unsigned core_link_cycles;
void core_work_chain(uint64_t blocks);

#endif
