/* SPDX-License-Identifier: MIT */
/* Loops of a fixed number of instructions on registers, which the core probe (sys/core_probe.h) times. They are written
 * in assembly, so that every build runs the same instructions. */
#ifndef SYS_CORE_WORK_H
#define SYS_CORE_WORK_H

#include <stdint.h>

/* 1 if this architecture has the functions below; 0: they do nothing */
extern const int core_work_exists;

/* Does blocks times CORE_BLOCK_ADDS additions of a constant in six independent chains, enough to keep all adders of the
 * core busy. While another hardware thread keeps them as busy, the additions take up to twice as long. blocks is at
 * least 1. */
#define CORE_BLOCK_ADDS 600u
void core_work_adds(uint64_t blocks);

/* Does blocks times CORE_BLOCK_LINKS operations. Each needs the result of the one before and takes core_link_cycles
 * clock cycles, even if another hardware thread uses the core: multiplications on x86-64 (three cycles since 2008; that
 * thread would delay single-cycle operations), exclusive-ors elsewhere (one cycle; the latency of a multiplication
 * varies there). Additions cannot be used: newer cores eliminate chains of them at register renaming. blocks is at
 * least 1. */
#define CORE_BLOCK_LINKS 300u
extern const unsigned core_link_cycles;
void core_work_chain(uint64_t blocks);

#endif
