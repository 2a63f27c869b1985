/* SPDX-License-Identifier: MIT */
/* Records which tasks and interrupts run on the CPUs of a trial. The ring buffers of perf events stay open from trial
 * to trial, because the kernel takes up to 40 ms to switch a tracepoint off. They record only during trials and are
 * read after them. */
#ifndef ENGINE_CULPRITS_H
#define ENGINE_CULPRITS_H

#include <sys/types.h>

#include "engine/who.h"
#include "rows/culprits.h"

struct culprit_watch {
    struct trace_events events;
    uint64_t memory; /* for the rings of all CPUs; 0: as much as they need, up to `most` */
    uint64_t most;
    size_t wanted;                      /* size in bytes of each ring; 0: not known yet */
    struct trace_ring ring[CPUSET_MAX]; /* ring buffers, by number of the CPU */
    struct cpuset on;                   /* CPUs whose ring buffers recorded the trial */
    int error;                          /* -errno of the last ring buffer that could not be opened */
    size_t used;                        /* most bytes of a ring that the last recording used */
    bool full;                          /* a ring was full then */
    /* The next fields belong to the current trial. */
    struct who_names names; /* tasks of the machine before the trial, and the trial's process groups */
    uint64_t begun_ns;      /* when they were read */
};

/* Makes the state for recording, which culprits_free() frees. memory: bytes for the ring buffers of all CPUs; 0: as the
 * rate of records needs, but at most 1/16 of `available` bytes. Returns NULL when out of memory. */
struct culprit_watch *culprits_make(uint64_t memory, uint64_t available);
void culprits_free(struct culprit_watch *watch);
/* Closes the ring buffers: the next trial opens them again. */
void culprits_close(struct culprit_watch *watch);

/* What culprits_begin() records. */
struct culprit_trial {
    const struct cpuset *cpus;
    const pid_t *groups; /* process groups of the trial, whose time does not count; entries of 0 are ignored */
    size_t n_groups;
    uint64_t time_ns; /* planned length; 0: not known */
    bool last;        /* the end of a trial of any length: full rings lose the oldest records */
};
void culprits_begin(struct culprit_watch *watch, const struct culprit_trial *trial);
/* Ends the recording. The records stay until the next trial begins. */
void culprits_stop(struct culprit_watch *watch);

/* Accounts for n windows, each of another CPU, from the records, and sets *who, which who_free() frees. Where nothing
 * could be recorded at all, it has the CPU times of the whole machine's tasks instead, and the windows become the time
 * meanwhile. Writes to why what is not known, "" if all is. Returns whether CPUs were recorded. */
bool culprits_read(struct culprit_watch *watch, struct who_window *windows, size_t n, struct who *who, char *why,
                   size_t why_size);

/* Writes to out[i], for each of n sets of CPUs, what ran on them in a span of time, without the trial's processes and
 * their descendants. */
void culprits_tell(struct culprit_watch *watch, const struct cpuset *sets, size_t n, const struct who_span *time,
                   struct culprits *out);

#endif
