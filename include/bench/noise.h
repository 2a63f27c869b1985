/* SPDX-License-Identifier: MIT */
/* The noise sampler: a loop on each CPU that does nothing but read the clock. Records the long gaps between two
 * readings (detours), in which something else had the CPU, and their causes. Method: P. Beckman et al., 'The Influence
 * of Operating Systems on the Performance of Collective Operations at Extreme Scale', IEEE Cluster 2006; causes are
 * derived from the kernel's counters. */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/detour.h"
#include "bench/list.h"
#include "engine/bench.h"

struct noise_params {
    char threshold[24]; /* text given by the user: a time, or "8x" */
    /* The parsed threshold: one of threshold_ns and threshold_loops is 0. */
    uint64_t threshold_ns;
    double threshold_loops; /* threshold as a multiple of the loop's shortest gap */
    uint64_t stop_ns;       /* not 0: does not measure; runs until a detour is longer than this; records what ran */
    char keep[1024];        /* file for the record of what ran before the detour that ended the run; "": none */
};

/* Parses params->threshold and sets threshold_ns or threshold_loops, and the other one to 0. Returns 0, or -1 with one
 * line in error that names the valid range. */
int noise_read_threshold(struct noise_params *params, char *error, size_t error_size);

/* Returns the time in ticks between two readings of the interrupt counters: 100 ms, or 1,000 times as long as a reading
 * takes if that is more, but at most 1 s. reading: usual time of a reading in ticks. */
uint64_t noise_window(uint64_t reading, double ns_per_tick);

/* Two consecutive readings of the clock, in ticks: either further apart than the threshold, or the last ones of the
 * loop, which ends when a reading (`to`) reaches the end time. */
struct noise_gap {
    uint64_t from, to;
};
/* Reads the clock until two readings, the first of them `from`, are further apart than the threshold, or `end` is
 * reached; all in ticks. */
struct noise_gap noise_watch(enum clock_kind clock, uint64_t from, uint64_t threshold, uint64_t end);

/* Measures the length of a tick of the clock in ns, which takes 20 ms. Spins meanwhile, so that the core reaches its
 * full frequency. Returns 0 when the clock does not advance. */
double noise_tick_ns(enum clock_kind clock);

/* Indices of the recorders of each copy (a sampler on one CPU). */
enum { NOISE_HIST, NOISE_SERIES, NOISE_NUMBERS, NOISE_CORE, NOISE_LEVELS };
/* The recorder NOISE_LEVELS holds how many core probes had each result (level), for each part of the run. The recorder
 * NOISE_NUMBERS holds these numbers: */
enum {
    NOISE_LOOP, /* most frequent gap of the loop in ns; the next numbers are in ns, too */
    NOISE_LOOP_LEAST,
    NOISE_THRESHOLD,
    NOISE_OBSERVED,
    NOISE_BLIND,
    NOISE_LIMITED, /* 1: a quota of CPU time holds for the sampler; 0: none that can be seen (not in ns) */
    NOISE_LOST,    /* lost time, a number for each cause; then the number of detours for each cause */
    NOISE_COUNT = NOISE_LOST + DETOUR_CAUSES,
    /* timer interrupts of the CPU during the run; this number and the next four are NAN when not known */
    NOISE_TIMER = NOISE_COUNT + DETOUR_CAUSES,
    NOISE_RESCHED,
    NOISE_IPI,
    NOISE_DEVICE,
    NOISE_SOFTIRQ,
    NOISE_CELLS,                                                       /* ns lost in each part of the run */
    NOISE_CLASSES = NOISE_CELLS + DETOUR_CELLS,                        /* number of detours by cause, then by length
                                                                        * class */
    NOISE_CLASSES_NS = NOISE_CLASSES + DETOUR_CAUSES * DETOUR_CLASSES, /* ns lost by cause, then by length class */
    /* number of detours below DETOUR_EVENT_NS without a known cause, by the level of the core probes around them (a
     * higher level means a slower core); they are not included in the numbers by cause */
    NOISE_BRIEF = NOISE_CLASSES_NS + DETOUR_CAUSES * DETOUR_CLASSES,
    NOISE_BRIEF_NS = NOISE_BRIEF + DETOUR_LEVELS, /* total length in ns of the detours of NOISE_BRIEF */
    /* rates in Hz of the combs, which are series of detours that repeat with a period (0: unused); then the number and
     * the total length in ns of the detours of each comb */
    NOISE_COMB_HZ = NOISE_BRIEF_NS + DETOUR_LEVELS,
    NOISE_COMB_N = NOISE_COMB_HZ + DETOUR_COMBS,
    NOISE_COMB_NS = NOISE_COMB_N + DETOUR_COMBS,
    NOISE_MHZ = NOISE_COMB_NS + DETOUR_COMBS, /* core frequency in MHz by part of the run; NAN: not known */
    NOISE_N_NUMBERS = NOISE_MHZ + DETOUR_CELLS
};

/* Returns the share of the observed time that detours took, in %. numbers: recorder NOISE_NUMBERS of one copy. */
double noise_lost_pct(const double *numbers);
/* Returns by how many % the copy's CPU was slower than one that loses no time and has its core to itself:
 * 100 * (1 - (1 - *alone / 100) * share). alone: share of the observed time lost to detours, in %, except detours
 * caused by other users of the core, which share accounts for. share: core_share() over the run. NAN, and *alone
 * unchanged, when the share is not known. core_learn() must have been called for the trial's core probes. */
double noise_slower_pct(const struct trial *trial, unsigned copy, double *alone);

enum {
    NOISE_METRIC_LOST,
    NOISE_METRIC_DETOURS,
    NOISE_METRIC_DETOUR,
    NOISE_METRIC_LOOP,
    NOISE_METRIC_THRESHOLD,
    NOISE_METRIC_BLIND,
    NOISE_METRIC_LOST_BY, /* first of the metrics of time lost by cause; the cause is added to it */
    NOISE_METRIC_COUNTS = NOISE_METRIC_LOST_BY + DETOUR_CAUSES,
    NOISE_METRIC_SLOWER = NOISE_METRIC_COUNTS + NOISE_CELLS - NOISE_TIMER,
    NOISE_METRIC_SHARE,
    NOISE_METRIC_FREE,
    NOISE_METRIC_MHZ,
    NOISE_METRIC_LOST_ALONE,
    NOISE_N_METRICS
};

#endif
