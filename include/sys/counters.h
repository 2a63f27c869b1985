/* SPDX-License-Identifier: MIT */
/* Event counters of the calling thread (perf_event_open): hardware events, counted in user mode only, and software
 * events. */
#ifndef SYS_COUNTERS_H
#define SYS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum counter {
    COUNTER_CYCLES,
    COUNTER_INSTRUCTIONS,
    COUNTER_BRANCH_MISSES,
    COUNTER_CACHE_MISSES,
    COUNTER_TASK_CLOCK, /* ns of CPU time */
    COUNTER_PAGE_FAULTS,
    COUNTER_SWITCHES, /* context switches */
    COUNTERS
};

/* Descriptors of the open counters. They stay usable after an exec that keeps them open. */
struct counters {
    int fd[COUNTERS];    /* descriptor of each event; -1: not open */
    int error[COUNTERS]; /* -errno of an event that did not open */
};

/* One reading of each counter: number of events, ns since it was enabled, and ns of that in which the event was counted
 * (the hardware counter may be shared with other events). */
struct counters_reading {
    uint64_t value[COUNTERS], enabled_ns[COUNTERS], running_ns[COUNTERS];
    int error[COUNTERS]; /* 0, or -errno: -ENODATA for a counter that cannot be read any more */
};

/* Numbers of events between two readings. */
struct counts {
    double value[COUNTERS];
    bool scaled[COUNTERS]; /* value is an estimate: other events used the hardware counter for a part of the time */
    int error[COUNTERS];   /* 0, or -errno: the value is not known. -EBUSY: other events used the hardware counter all
                            * the time */
};

/* Opens counters, switched off, for the events that the machine and its policies allow; error is set for the others.
 * inherited: the counters include new child processes and threads, as soon as these have ended. at_exec: only children
 * are counted, each from its exec on. */
void counters_open(struct counters *counters, bool inherited, bool at_exec);
void counters_close(struct counters *counters);
/* Marks all counters as not open, with this error (-errno). */
void counters_none(struct counters *counters, int error);

/* Switch all counters of the calling thread on and off, by one system call. */
void counters_start(void);
void counters_stop(void);

void counters_read(const struct counters *counters, struct counters_reading *out);
/* Computes the numbers of events between two readings of the same counters. before is NULL to count from their
 * opening. */
void counters_difference(const struct counters_reading *before, const struct counters_reading *after,
                         struct counts *out);

/* Returns as text why an event is not counted, for an error of struct counts: "no PMU for them". */
const char *counters_why(int error);

#endif
