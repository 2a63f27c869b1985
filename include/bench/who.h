/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: a second window of the noise sampler, in which the kernel records what runs on each CPU. */
#ifndef BENCH_WHO_H
#define BENCH_WHO_H

#include "bench/list.h"
#include "engine/who_report.h"

/* Shorter detours are not looked at: entry, handler and exit of an interrupt take longer. */
#define WHO_LEAST_NS 1000u

struct who_params {
    uint64_t threshold_ns;      /* only longer detours are looked at */
    uint64_t stop_ns;           /* the run ends with a detour of this length; 0: with its time */
    uint64_t ring_bytes, spans; /* by CPU: size of the ring, and number of detours that can be kept */
    struct trace_events events;
};

/* Sets ring and number of detours for windows of that length on so many CPUs, within a share of the memory. */
void who_sizes(struct who_params *params, uint64_t time_ns, size_t cpus, uint64_t memory_bytes);

/* With stop_ns the window is the last part of the run, of this length; longer if the last detour was. */
#define WHO_LAST_NS 10000000u

enum {
    WHO_METRIC_DISTURBED,
    WHO_METRIC_UNSEEN,
    WHO_METRIC_RECORDS_LOST,
    WHO_METRIC_TAKEN,
    WHO_METRIC_TIMES,
    WHO_METRIC_LONGEST,
    WHO_N_METRICS
};

#endif
