/* SPDX-License-Identifier: MIT */
/* Records who has the CPUs of a trial beside the trial itself (--who). The rings of perf events are those of a session,
 * because the kernel takes up to 40 ms to switch a tracepoint off; they record only during trials and are read after
 * them. */
#ifndef ENGINE_CULPRITS_H
#define ENGINE_CULPRITS_H

#include <sys/types.h>

#include "rows/culprits.h"
#include "sys/cpuset.h"
#include "sys/tasks.h"
#include "sys/trace_ring.h"

struct culprit_watch {
    struct trace_events events;
    size_t ring_bytes;
    struct trace_ring ring[CPUSET_MAX]; /* by number of CPU */
    struct cpuset open, on;             /* CPUs whose rings are open; which of them record */
    int error;                          /* -errno of the last ring that could not be opened */
    /* The next fields are those of the present trial. */
    struct tasks_times before; /* the tasks before it */
    pid_t *groups;             /* its process groups */
    size_t n_groups;
};

/* Makes the watch of a session on at most that many CPUs, whose rings take a share of the memory. Returns NULL when out
 * of memory. */
struct culprit_watch *culprits_make(size_t cpus, uint64_t memory_bytes);
void culprits_free(struct culprit_watch *watch);

/* Begins to record on these CPUs. groups: process groups of the trial (0: none). */
void culprits_begin(struct culprit_watch *watch, const struct cpuset *cpus, const pid_t *groups, size_t n_groups);
/* Ends the recording without a result. */
void culprits_stop(struct culprit_watch *watch);
/* Ends the recording. For each of n sets of CPUs: who had them from one time of CLOCK_MONOTONIC_RAW to the other, apart
 * from the trial's processes and what they started. */
void culprits_end(struct culprit_watch *watch, const struct cpuset *sets, size_t n, uint64_t from_ns, uint64_t to_ns,
                  struct culprits *out);

#endif
