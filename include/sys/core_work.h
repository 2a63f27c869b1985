/* SPDX-License-Identifier: MIT */
/* The loops that the core probe times, in assembly, so that every build runs the same instructions. */
#ifndef SYS_CORE_WORK_H
#define SYS_CORE_WORK_H

#include <stdint.h>

/* 1 if this architecture has the functions below; 0: they do nothing */
extern const int core_work_exists;

/* blocks (at least 1) times CORE_BLOCK_ADDS additions in six independent chains, enough to keep all adders busy. */
#define CORE_BLOCK_ADDS 600u
void core_work_adds(uint64_t blocks);

/* blocks (at least 1) times CORE_BLOCK_LINKS operations, each of which needs the result before it and takes
 * core_link_cycles clock cycles even if another thread uses the core: multiplications on x86-64 (three cycles since
 * 2008; the other thread would delay single-cycle operations), exclusive-ors elsewhere (one cycle; multiplication
 * varies there). Newer cores eliminate chains of additions at register renaming. */
#define CORE_BLOCK_LINKS 300u
extern const unsigned core_link_cycles;
void core_work_chain(uint64_t blocks);

#endif
