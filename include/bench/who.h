/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: a run of the sampler of noise during which the kernel records what runs on each CPU. */
#ifndef BENCH_WHO_H
#define BENCH_WHO_H

#include "bench/list.h"
#include "engine/engine.h"
#include "engine/interference.h"

/* Detours (gaps in the sampler's loop) that are shorter than this, in ns, are ignored: entry, handler and exit of an
 * interrupt take longer. */
#define WHO_LEAST_NS 1000u
/* Where the end of a run is told, what is told is of this length in ns, or from the start of the last detour if that
 * was earlier. */
#define WHO_LAST_NS 20000000u

struct who_params {
    uint64_t threshold_ns; /* detours that are not longer than this, or than WHO_LEAST_NS, are ignored */
    uint64_t stop_ns;      /* the run ends at the first detour longer than this; 0: after its planned time */
};

enum {
    WHO_METRIC_DISTURBED,
    WHO_METRIC_UNSEEN,
    WHO_METRIC_RECORDS_LOST,
    WHO_METRIC_TAKEN,
    WHO_METRIC_TIMES,
    WHO_METRIC_LONGEST,
    WHO_N_METRICS
};

/* Adds to the results the timeline of the CPU of a window of the trial: a group of rows for each name, with each time
 * that it had the CPU as series of the metric. What was not recorded degrades the group with this number. */
void who_tell_timeline(struct results *results, unsigned group, const struct trial *trial, struct who_window *window,
                       unsigned metric);

#endif
