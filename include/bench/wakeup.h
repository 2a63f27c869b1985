/* SPDX-License-Identifier: MIT */
/* Wake-up latency: a thread on each CPU sleeps until a time and records how late it runs. */
#ifndef BENCH_WAKEUP_H
#define BENCH_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"
#include "stats/stats.h"

/* Width of the histogram's classes in ns, and number of classes. */
#define WAKEUP_CLASS_NS   1000u
#define WAKEUP_CLASSES    HIST_LINEAR
#define WAKEUP_PRIORITY   80 /* SCHED_FIFO priority unless the user gives one */
#define WAKEUP_MISSED_MAX 1000000u

struct wakeup_params {
    uint64_t interval_ns;  /* time between two wake-ups */
    uint64_t histogram_us; /* wake-ups that are this many us late, or later, are counted as overflows of the
                            * histogram */
    uint64_t stop_ns;      /* the run ends at the first wake-up that is later than this; 0: at its planned end */
    int priority;          /* SCHED_FIFO priority; 0: normal policy */
    bool lock_memory;      /* memory is locked even with the normal policy */
    bool who;              /* with stop_ns: what ran before that wake-up is recorded */
};

/* --- The accounting, which is pure: times are passed in, in ns of one clock. --- */

struct wakeup_account {
    uint64_t interval_ns;
    uint64_t overflow_ns; /* a wake-up that is this late, or later, is an overflow of the histogram */
    uint64_t due_ns;      /* time of the next wake-up, not after end_ns when wakeup_woke() is called */
    uint64_t end_ns;      /* the schedule's end: the last wake-up is due then, or before */
    uint64_t missed, overflows;
    struct hist *hist; /* how late the thread ran, in classes of WAKEUP_CLASS_NS */
};

/* Records that the thread runs at now_ns, not before due_ns, and sets due_ns to the first time of the schedule after
 * now_ns, or after end_ns if that is earlier. Wake-ups of the schedule that were due in between were missed; each is
 * recorded with its own lateness, so that a stall counts for each wake-up that it delayed (of the missed ones, only the
 * last WAKEUP_MISSED_MAX are recorded). Returns how late in ns the thread is for the wake-up that it slept for. */
uint64_t wakeup_woke(struct wakeup_account *account, uint64_t now_ns);

enum { WAKEUP_HIST, WAKEUP_NUMBERS };
enum {
    WAKEUP_MISSED,
    WAKEUP_OVERFLOWS,
    WAKEUP_STOPPED_NS, /* lateness of the wake-up that ended the run; 0: none did */
    WAKEUP_STOPPED_AT, /* its time, by CLOCK_MONOTONIC_RAW */
    WAKEUP_STOPPED_CPU,
    WAKEUP_N_NUMBERS
};
enum { WAKEUP_METRIC_LATENCY, WAKEUP_METRIC_OVERFLOWS, WAKEUP_METRIC_MISSED, WAKEUP_METRIC_LONGEST, WAKEUP_N_METRICS };

#endif
