/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: a run of the sampler of noise during which the kernel records what runs on each CPU. */
#ifndef BENCH_WHO_H
#define BENCH_WHO_H

#include "bench/list.h"
#include "engine/who_report.h"

/* Detours (gaps in the sampler's loop) that are shorter than this, in ns, are ignored: entry, handler and exit of an
 * interrupt take longer. */
#define WHO_LEAST_NS 1000u

struct who_params {
    uint64_t threshold_ns;      /* detours that are not longer than this, or than WHO_LEAST_NS, are ignored */
    uint64_t stop_ns;           /* the run ends at the first detour longer than this; 0: after its planned time */
    uint64_t ring_bytes, spans; /* for each CPU: bytes of the ring buffer of the kernel's records, and number of detours
                                 * that can be kept */
    struct trace_events events;
};

/* Sets ring_bytes and spans for runs of time_ns on this number of CPUs, so that all CPUs together need at most a
 * sixteenth of memory_bytes, except that neither falls below its minimum. */
void who_sizes(struct who_params *params, uint64_t time_ns, size_t cpus, uint64_t memory_bytes);

/* With stop_ns only the last part of the run is reported, of this length in ns, or from the start of the last detour if
 * that was earlier. */
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
