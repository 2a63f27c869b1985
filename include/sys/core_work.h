/* SPDX-License-Identifier: MIT */
/* Fixed work in registers, for measuring how much of the core a CPU has (sys/core_probe.h). Written in assembly, so
 * that every build runs the same instructions. */
#ifndef SYS_CORE_WORK_H
#define SYS_CORE_WORK_H

#include <stdint.h>

/* Whether this architecture has the functions below; otherwise they do nothing. */
extern const int core_work_exists;

/* Does blocks times CORE_BLOCK_ADDS additions of a constant in six independent chains, enough to keep all adders of
 * the core busy. While another hardware thread of the core is as busy, they take up to twice as long. blocks is at
 * least 1. */
#define CORE_BLOCK_ADDS 600u
void core_work_adds(uint64_t blocks);

/* Does blocks times CORE_BLOCK_LINKS operations. Each needs the result of the one before and takes core_link_cycles, no
 * matter who shares the core: multiplications on x86-64 (three cycles since 2008; single-cycle operations are delayed
 * by those of another thread), exclusive-ors elsewhere (one cycle; the latency of a multiplication varies there).
 * Additions would not do: newer cores eliminate chains of them at register renaming. blocks is at least 1. */
#define CORE_BLOCK_LINKS 300u
extern const unsigned core_link_cycles;
void core_work_chain(uint64_t blocks);

#endif
