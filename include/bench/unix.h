/* SPDX-License-Identifier: MIT */
/* Common to the UNIX microbenchmarks. Method: the BYTE UNIX Benchmarks (UnixBench) as documented; see
 * jitbench-unix(1). */
#ifndef BENCH_UNIX_H
#define BENCH_UNIX_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"
#include "sys/topology.h"

/* Recorders of the measured process, the first party. The engine records slices of work() of 1 to 2 ms; an own run()
 * calls slices_add(). */
enum { UNIX_SLICES, UNIX_CHECKS, UNIX_NUMBERS, UNIX_CORE };
enum { UNIX_N_NUMBERS = 16 }; /* for a benchmark's own use */
#define UNIX_MEASURED(name_)                                                                                           \
    PARTY_IS(name_, [UNIX_SLICES] = {RECORD_SLICES, 4096}, [UNIX_CHECKS] = {RECORD_CHECKS, 48},                        \
             [UNIX_NUMBERS] = {RECORD_NUMBERS, UNIX_N_NUMBERS}, [UNIX_CORE] = {RECORD_CORE, 0}),                       \
        .stop = STOP_FLAG

/* scale_: from units of work per second to the rate's unit (60 for lpm, 10 for MWIPS). baseline_: rate of 10 points
 * in the index; 0: not part of it. */
enum { UNIX_RATE, UNIX_ALONE, UNIX_START_SPREAD, UNIX_END_SPREAD, UNIX_N_METRICS };
#define UNIX_METRICS(unit_, scale_, baseline_)                                                                         \
    {                                                                                                                  \
        [UNIX_RATE] = {METRIC("rate", unit_, "higher", "mean rate: completions of all copies in the common window"),   \
                       .headline = true, .scale = scale_, .baseline = baseline_},                                      \
        [UNIX_ALONE] = {METRIC("rate_alone", unit_, "higher", "mean rate over the slices in which the core was free"), \
                        .scale = scale_, .alone = true, .of = UNIX_RATE, .recorder = UNIX_CORE},                       \
        [UNIX_START_SPREAD] = {METRIC("start_spread", "ms", "lower", "first to last copy's start"),                    \
                               .value = VALUE_MAX},                                                                    \
        [UNIX_END_SPREAD] = {METRIC("end_spread", "ms", "lower", "first to last copy's end"), .value = VALUE_MAX},     \
    }

/* Default: at least min_ samples of time_ms_, in at most most_ms_; --quick: three of quick_ms_, in at most
 * quick_most_ms_; --classic: passes_ of seconds_. */
#define UNIX_SAMPLING(min_, time_ms_, most_ms_, quick_ms_, quick_most_ms_, passes_, seconds_)                          \
    {                                                                                                                  \
        {.min_samples = min_, .time_ns = time_ms_ * 1000000ull, .max_ns = most_ms_ * 1000000ull, .precision_pct = 2},  \
            SAMPLING_EXACT(3, quick_ms_, quick_most_ms_ / 1e3), SAMPLING_EXACT(passes_, (seconds_)*1000, 3600)         \
    }

/* A test may belong to several. */
enum unix_group {
    UNIX_INDEX_STABLE = 1,
    UNIX_INDEX_CLASSIC = 2,
    UNIX_INDEX = UNIX_INDEX_STABLE | UNIX_INDEX_CLASSIC,
    UNIX_CPU = 4,
    UNIX_FILES = 8,
    UNIX_PROCESS = 16,
    UNIX_ARITH = 32,
    UNIX_SHELL = 64,
    UNIX_MISC = 128,
    UNIX_OLDSYSTEM = 256,
    /* another user of the core slows it down; no processes, no files */
    UNIX_CORE_BOUND = 512
};
#define UNIX_OLD_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* CPUs of context1's processes: by the kernel; the same; two. */
enum unix_halves { HALVES_FREE, HALVES_SAME, HALVES_TWO };

/* The last argument is UNIX_METRICS(). */
#define UNIX_BENCH(name_, title_, parties_, ...)                                                                       \
    BENCH_IS("unix", name_, title_, struct unix_params),                                                               \
        .metrics = (const struct metric[UNIX_N_METRICS])__VA_ARGS__, .n_shared_metrics = UNIX_N_METRICS,               \
        .n_metrics = UNIX_N_METRICS, .reduce = unix_reduce, .told_while_running = true, BENCH_PARTIES(parties_)

struct unix_params {
    char dir[512];       /* "": not needed, or none found */
    uint64_t concurrent; /* shell: scripts at once */
    int halves;          /* context1: enum unix_halves */
    /* context1 with HALVES_TWO: copy i uses pair i % n. For the parent only, to place and describe: in a measured
     * process the pointer is invalid. */
    struct cpu_pairs pairs;
    const char *pairs_name; /* --pairs, for the parent only; NULL: not given */
    uint64_t resident_mib;  /* of this program, rounded up to a power of two, so that rows of two runs compare */
    /* as UnixBench: fcopy has write and read parts of 2 s; spawn and execl have the footprint of dynamic processes */
    bool classic;
};

/* place(). Unless the user chose: unix_place() binds each copy to its CPU; unix_place_range(), for tests that create
 * processes, allows all chosen CPUs, as the kernel places children; --classic binds neither. */
void unix_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                struct placement *placement);
void unix_place_range(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                      struct placement *placement);

void unix_reduce(const struct trial *trial, struct results *results);
/* describe(): "linkage=static libc=glibc-2.36 resident=2M", with --classic "protocol=classic". */
void unix_describe(const void *params, const struct clock_info *clock, struct row_params *out);

#endif
