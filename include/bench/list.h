/* SPDX-License-Identifier: MIT */
/* The only registry of benchmarks: a new one is a file of its own and a line here. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine/engine.h"

/* In the order of tables. The descriptor of NAME is bench_NAME. */
#define BENCHES(ENTRY) \
    ENTRY(noise) \
    ENTRY(who) \
    ENTRY(wakeup) \
    ENTRY(prime) \
    ENTRY(array) \
    ENTRY(memory_latency) \
    ENTRY(memory_loaded) \
    ENTRY(memory_cores) \
    ENTRY(memory_nodes) \
    ENTRY(memory_steady) \
    ENTRY(bandwidth) \
    ENTRY(dhry2reg) \
    ENTRY(whetstone) \
    ENTRY(execl) \
    ENTRY(fcopy1024) \
    ENTRY(fcopy256) \
    ENTRY(fcopy4096) \
    ENTRY(pipe) \
    ENTRY(context1) \
    ENTRY(spawn) \
    ENTRY(shell1) \
    ENTRY(shell8) \
    ENTRY(syscall) \
    ENTRY(fwrite1024) \
    ENTRY(fwrite256) \
    ENTRY(fwrite4096) \
    ENTRY(fread1024) \
    ENTRY(fread256) \
    ENTRY(fread4096) \
    ENTRY(short) \
    ENTRY(int) \
    ENTRY(long) \
    ENTRY(float) \
    ENTRY(double) \
    ENTRY(arithoh) \
    ENTRY(hanoi) \
    ENTRY(sysexec) \
    ENTRY(shell16) \
    ENTRY(sysclose) \
    ENTRY(sysgetpid) \
    ENTRY(calibrate) \
    ENTRY(audio) \
    ENTRY(video) \
    ENTRY(x) \
    ENTRY(gaming) \
    ENTRY(custom) \
    ENTRY(alone) \
    ENTRY(requests) \
    ENTRY(frame) \
    ENTRY(launch) \
    ENTRY(input) \
    ENTRY(audio_period) \
    ENTRY(command)

#define BENCH_DECLARE(name) extern const struct bench bench_##name;
BENCHES(BENCH_DECLARE)

/* Ends with NULL. */
extern const struct bench *const bench_list[];

#endif
