/* SPDX-License-Identifier: MIT */
/* Event counters of the calling thread (perf_event_open): hardware events in user mode only, and software events. */
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
    COUNTER_SWITCHES,
    COUNTERS
};

/* They stay usable after an exec that keeps them open. */
struct counters {
    int fd[COUNTERS];    /* -1: not open */
    int error[COUNTERS]; /* -errno of an event that did not open */
};

/* Number of events, ns since enabled, and ns of that in which the hardware counter, which may be shared, counted. */
struct counters_reading {
    uint64_t value[COUNTERS], enabled_ns[COUNTERS], running_ns[COUNTERS];
    int error[COUNTERS]; /* 0, or -errno: -ENODATA when it cannot be read any more */
};

struct counts {
    double value[COUNTERS];
    bool scaled[COUNTERS]; /* an estimate: other events used the hardware counter for a part of the time */
    int error[COUNTERS];   /* 0, or -errno: value not known. -EBUSY: other events used the counter all the time */
};

/* Opens counters, switched off, for the events that the machine allows; error is set for the others. inherited:
 * includes new children and threads once they have ended. at_exec: only children, each from its exec on. */
void counters_open(struct counters *counters, bool inherited, bool at_exec);
void counters_close(struct counters *counters);
/* Marks all counters as not open, with this -errno. */
void counters_none(struct counters *counters, int error);

/* All counters of the calling thread, by one system call. */
void counters_start(void);
void counters_stop(void);

void counters_read(const struct counters *counters, struct counters_reading *out);
/* before NULL: counts from their opening. */
void counters_difference(const struct counters_reading *before, const struct counters_reading *after,
                         struct counts *out);

/* Returns the reason for an error of struct counts: "no PMU for them". */
const char *counters_why(int error);

#endif
