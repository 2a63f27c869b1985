/* SPDX-License-Identifier: MIT */
/* Records which other tasks and interrupts run on the CPUs of a trial (--who). The ring buffers of perf events stay
 * open from trial to trial, because the kernel takes up to 40 ms to switch a tracepoint off. They record only during
 * trials and are read after them. */
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
    struct trace_ring ring[CPUSET_MAX]; /* ring buffers, by number of the CPU */
    struct cpuset open, on;             /* CPUs whose ring buffers are open; those of them that record now */
    int error;                          /* -errno of the last ring buffer that could not be opened */
    /* The next fields belong to the current trial. */
    struct tasks_times before; /* tasks of the machine before the trial */
    pid_t *groups;             /* process groups of the trial */
    size_t n_groups;
};

/* Makes the state for recording on at most that many CPUs, which culprits_free() frees. Together their ring buffers
 * take at most 1/16 of memory_bytes, but each has at least 64 KiB. Returns NULL when out of memory. */
struct culprit_watch *culprits_make(size_t cpus, uint64_t memory_bytes);
void culprits_free(struct culprit_watch *watch);

/* Begins to record on these CPUs. groups: process groups of the trial, whose time does not count; entries of 0 are
 * ignored. */
void culprits_begin(struct culprit_watch *watch, const struct cpuset *cpus, const pid_t *groups, size_t n_groups);
/* Ends the recording and drops what was recorded. */
void culprits_stop(struct culprit_watch *watch);
/* Ends the recording. Writes to out[i], for each of n sets of CPUs, what ran on them from from_ns to to_ns (by
 * CLOCK_MONOTONIC_RAW), without the trial's processes and their descendants. */
void culprits_end(struct culprit_watch *watch, const struct cpuset *sets, size_t n, uint64_t from_ns, uint64_t to_ns,
                  struct culprits *out);

#endif
