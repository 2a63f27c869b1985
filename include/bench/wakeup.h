/* SPDX-License-Identifier: MIT */
/* Wake-up latency: a thread on each CPU sleeps until a time and records how late it runs. */
#ifndef BENCH_WAKEUP_H
#define BENCH_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/engine.h"
#include "stats/stats.h"

/* Classes of the histogram. */
#define WAKEUP_CLASS_NS   1000u
#define WAKEUP_CLASSES    HIST_LINEAR
#define WAKEUP_PRIORITY   80 /* unless the user gives one */
#define WAKEUP_MISSED_MAX 1000000u

struct wakeup_params {
    uint64_t interval_ns;  /* between two wake-ups */
    uint64_t histogram_us; /* so late, or later: overflows of the histogram */
    uint64_t stop_ns;      /* ends at the first wake-up later than this; 0: at its planned end */
    int priority;          /* SCHED_FIFO; 0: normal policy */
    bool lock_memory;      /* even with the normal policy */
    bool who;              /* with stop_ns: record what ran before */
};

/* --- The accounting: times are passed in, in ns of one clock. --- */

struct wakeup_account {
    uint64_t interval_ns;
    uint64_t overflow_ns; /* so late, or later: an overflow */
    uint64_t due_ns;      /* next wake-up, not after end_ns at wakeup_woke() */
    uint64_t end_ns;      /* the last wake-up is due by then */
    uint64_t missed, overflows;
    struct hist *hist; /* lateness, in classes of WAKEUP_CLASS_NS */
};

/* The thread runs at now_ns, not before due_ns. Sets due_ns to the schedule's first time after now_ns, or after
 * end_ns if earlier. Missed wake-ups in between (the last WAKEUP_MISSED_MAX) are recorded with their own lateness: a
 * stall counts for each that it delayed. Returns the lateness in ns of the one it slept for. */
uint64_t wakeup_woke(struct wakeup_account *account, uint64_t now_ns);

enum { WAKEUP_HIST, WAKEUP_NUMBERS };
enum {
    WAKEUP_MISSED,
    WAKEUP_OVERFLOWS,
    WAKEUP_STOPPED_NS, /* of the wake-up that ended the run; 0: none */
    WAKEUP_STOPPED_AT, /* CLOCK_MONOTONIC_RAW */
    WAKEUP_STOPPED_CPU,
    WAKEUP_STOPPED_TASK,
    WAKEUP_N_NUMBERS
};
enum { WAKEUP_METRIC_LATENCY, WAKEUP_METRIC_OVERFLOWS, WAKEUP_METRIC_MISSED, WAKEUP_METRIC_LONGEST, WAKEUP_N_METRICS };

#endif
