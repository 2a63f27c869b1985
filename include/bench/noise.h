/* SPDX-License-Identifier: MIT */
/* The noise sampler: on each CPU a loop that only reads the clock, and records the long gaps (detours) in which
 * something else had the CPU. Method: P. Beckman et al., 'The Influence of Operating Systems on the Performance of
 * Collective Operations at Extreme Scale', IEEE Cluster 2006; causes come from the kernel's counters. */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/detour.h"
#include "bench/list.h"
#include "engine/bench.h"

struct noise_params {
    char threshold[24]; /* by the user: a time, or "8x" */
    /* One of the two is 0. */
    uint64_t threshold_ns;
    double threshold_loops; /* multiple of the loop's shortest gap */
    uint64_t stop_ns;       /* not 0: measures nothing, runs until a longer detour, records what ran */
    char keep[1024];        /* file for that record; "": none */
};

/* Sets threshold_ns or threshold_loops, and the other to 0. Returns 0, or -1 with a line in error that names the
 * range. */
int noise_read_threshold(struct noise_params *params, char *error, size_t error_size);

/* Ticks between two readings of the interrupt counters: 100 ms, or 1,000 times as long as a reading (ticks) if more,
 * at most 1 s. */
uint64_t noise_window(uint64_t reading, double ns_per_tick);

/* Consecutive readings in ticks: further apart than the threshold, or the last ones before the end time. */
struct noise_gap {
    uint64_t from, to;
};
/* Reads the clock from `from` until a gap above the threshold, or `end`; in ticks. */
struct noise_gap noise_watch(enum clock_kind clock, uint64_t from, uint64_t threshold, uint64_t end);

/* ns in a tick of the clock, measured in 20 ms. Spins, so that the core reaches full frequency. 0: the clock does
 * not advance. */
double noise_tick_ns(enum clock_kind clock);

/* Recorders of each copy, a sampler on one CPU. */
enum { NOISE_HIST, NOISE_SERIES, NOISE_NUMBERS, NOISE_CORE, NOISE_LEVELS };
/* NOISE_LEVELS: how many core probes had each level, for each part of the run. NOISE_NUMBERS: */
enum {
    NOISE_LOOP, /* most frequent gap of the loop; ns, as the next numbers */
    NOISE_LOOP_LEAST,
    NOISE_THRESHOLD,
    NOISE_OBSERVED,
    NOISE_BLIND,
    NOISE_LIMITED, /* 1: a quota of CPU time holds; 0: none that can be seen */
    NOISE_LOST,    /* by cause; then the number of detours by cause */
    NOISE_COUNT = NOISE_LOST + DETOUR_CAUSES,
    /* of the CPU during the run; this and the next four are NAN when not known */
    NOISE_TIMER = NOISE_COUNT + DETOUR_CAUSES,
    NOISE_RESCHED,
    NOISE_IPI,
    NOISE_DEVICE,
    NOISE_SOFTIRQ,
    NOISE_CELLS,                                                       /* ns lost in each part of the run */
    NOISE_CLASSES = NOISE_CELLS + DETOUR_CELLS,                        /* number of detours by cause and length class */
    NOISE_CLASSES_NS = NOISE_CLASSES + DETOUR_CAUSES * DETOUR_CLASSES, /* ns lost by cause and length class */
    /* detours below DETOUR_EVENT_NS without a cause, by the level of the core probes around them; not in the numbers
     * by cause */
    NOISE_BRIEF = NOISE_CLASSES_NS + DETOUR_CAUSES * DETOUR_CLASSES,
    NOISE_BRIEF_NS = NOISE_BRIEF + DETOUR_LEVELS, /* ns of NOISE_BRIEF */
    /* rates of combs in Hz (0: unused); then number and total ns of each one's detours */
    NOISE_COMB_HZ = NOISE_BRIEF_NS + DETOUR_LEVELS,
    NOISE_COMB_N = NOISE_COMB_HZ + DETOUR_COMBS,
    NOISE_COMB_NS = NOISE_COMB_N + DETOUR_COMBS,
    NOISE_MHZ = NOISE_COMB_NS + DETOUR_COMBS, /* core frequency by part of the run; NAN: not known */
    NOISE_N_NUMBERS = NOISE_MHZ + DETOUR_CELLS
};

/* Lost share of the observed time in %. numbers: NOISE_NUMBERS of one copy. */
double noise_lost_pct(const double *numbers);
/* By how many % the CPU was slower than one without lost time that has its core to itself: 100 * (1 - (1 - *alone /
 * 100) * share). alone: % lost to detours but those by other users of the core; share: core_share() over the run.
 * NAN, *alone unchanged, when that is not known. After core_learn() of the trial's probes. */
double noise_slower_pct(const struct trial *trial, unsigned copy, double *alone);

enum {
    NOISE_METRIC_LOST,
    NOISE_METRIC_DETOURS,
    NOISE_METRIC_DETOUR,
    NOISE_METRIC_LOOP,
    NOISE_METRIC_THRESHOLD,
    NOISE_METRIC_BLIND,
    NOISE_METRIC_LOST_BY, /* first of the metrics of time lost by cause */
    NOISE_METRIC_COUNTS = NOISE_METRIC_LOST_BY + DETOUR_CAUSES,
    NOISE_METRIC_SLOWER = NOISE_METRIC_COUNTS + NOISE_CELLS - NOISE_TIMER,
    NOISE_METRIC_SHARE,
    NOISE_METRIC_FREE,
    NOISE_METRIC_MHZ,
    NOISE_METRIC_LOST_ALONE,
    NOISE_N_METRICS
};

#endif
