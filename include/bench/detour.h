/* SPDX-License-Identifier: MIT */
/* Detours: gaps in a loop that does nothing but read a clock. Accounts for their lengths and their causes. Pure
 * accounting in whole ticks of any clock: times and counts are passed in, no system call is made, and memory use is
 * constant. */
#ifndef BENCH_DETOUR_H
#define BENCH_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/core.h"
#include "engine/recorder.h"
#include "rows/detour_causes.h"
#include "stats/stats.h"

/* For detours shorter than this, in ns, whose cause is not known at once, no cause is searched. They are only added up
 * by the level of the core probes (sys/core_probe.h) before and after them; a higher level means a slower core. No
 * interrupt is that short (entry, handler and exit take longer), and while another hardware thread uses the core there
 * are tens of thousands of such detours a second. */
#define DETOUR_EVENT_NS 1000u
/* Largest number of detours without a known cause that are kept until their cause is searched for. */
#define DETOUR_EVENTS 32768u
/* Number of core probe levels (a higher one means a slower core) by which short detours are added up; the last one
 * includes all higher levels. */
#define DETOUR_LEVELS CORE_CELLS
/* Number of comb rates that are reported. A comb is a series of detours at equal distances in time. Combs of one rate
 * are added up. */
#define DETOUR_COMBS 4u
/* Number of equal parts into which the run is divided. The time lost in each part is recorded. */
#define DETOUR_CELLS 100u

/* The kernel's counters of context switches and page faults of the measuring thread, and the CPU on which it runs. A
 * counter that the kernel does not provide stays constant. */
struct detour_seen {
    int64_t switches, faults;
    unsigned cpu;
};

struct detour_sum {
    uint64_t n, ticks;
};

/* The combs (series of detours that repeat with a period) of one rate: number and total length of their detours. */
struct detour_comb {
    double hz;
    struct detour_sum sum;
};

struct detour_account {
    uint64_t start, length; /* planned start and length of the run, in ticks */
    uint64_t threshold;     /* a gap longer than this is a detour; ticks */
    double ns_per_tick;
    struct hist *hist;       /* length of each detour in ns */
    struct series *series;   /* length in ns by start time in us since the start of the run */
    struct detour_seen seen; /* previous values of the kernel's counters */
    /* The last detour. It is not yet in the sums, because detour_added() may still change its cause. */
    struct detour_last {
        uint64_t end, ticks; /* end and length of the detour in ticks; length 0: no detour */
        uint64_t quota;      /* part of its length for which a quota stopped the thread */
        enum detour_cause cause;
        struct detour_seen before;
    } last;
    /* Detours by cause, and by cause and length class. After detour_end() `sum` and `brief` together are the total lost
     * time. */
    struct detour_sum sum[DETOUR_CAUSES], by_class[DETOUR_CAUSES][DETOUR_CLASSES];
    uint64_t blind, end;
    uint64_t cell[DETOUR_CELLS];           /* ticks lost in each of the equal parts of the run */
    struct detour_comb comb[DETOUR_COMBS]; /* combs (periodic detours) whose cause is DETOUR_PERIODIC; hz 0: unused */
    /* Detours below DETOUR_EVENT_NS without a known cause, by the level of the core probe before or after them,
     * whichever is higher (a higher level means a slower core). */
    struct detour_sum brief[DETOUR_LEVELS];
    uint64_t explained;
    /* Detours without a known cause since `explained`, the time of the last search for causes: their start, counted
     * from the start of the run, and their length, in ticks. */
    struct comb_event events[DETOUR_EVENTS];
    size_t n_events;
    /* end of the last window (a stretch of the run, at whose end interrupt counters are read); ticks of those windows
     * since the last search for causes (`explained`) whose timer interrupts are known */
    uint64_t window, counted;
    uint64_t timer, stolen_ns;   /* since the last search for causes: timer interrupts; the hypervisor's steal time */
    bool moved;                  /* the CPU changed since the last search for causes */
    uint64_t clock_at, clock_ns; /* a time near the last window's end, and CLOCK_MONOTONIC at this time; 0: not known */
    struct detour_sum since_probe; /* detours below DETOUR_EVENT_NS since the last core probe */
    unsigned level;                /* level of the last core probe: a higher one means a slower core */
};

/* Initialises all fields but the recorders hist and series, which the caller sets before. start, length (not 0) and
 * threshold are in ticks. */
void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen);

/* Adds a detour that ended at `end` and took `ticks`. seen: current values of the kernel's counters. What has changed
 * since the previous values gives the cause; when nothing has changed, the cause is searched for later. */
void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen);

/* Cost of one kind of step that the sampler itself takes between its loops, such as reading counters, during which it
 * cannot see detours. usual: running estimate of the median, in ticks. */
struct detour_cost {
    uint64_t usual;
};
/* Accounts for the time `took` that detour_add() and the reading of the counters before it needed: adds it to the blind
 * time, in which detours cannot be seen, and returns 0. But if the step took more than twice the usual cost (caches are
 * cold after a detour) and exceeded it by more than the threshold, a detour occurred during the step: then only the
 * usual cost is blind time, and the rest, the length of that detour, is returned; the caller adds it with detour_add().
 * Changes of the kernel's counters during the step are attributed to the longer of the two detours. again: the detour
 * just added was itself found in this way; its step does not update the usual cost. */
uint64_t detour_added(struct detour_account *a, struct detour_cost *cost, uint64_t took, bool again);
/* As detour_added(), for other steps (a core probe, the reading of the CPU's counters). Does not change the cause of
 * the last detour. */
uint64_t detour_step(struct detour_account *a, struct detour_cost *cost, uint64_t took);
/* Records that a quota of CPU time stopped the thread during the last detour: for `ns`, or all of it if that is less.
 * detour_waited() tells whether that is possible: another task, or none, had the CPU during the last detour. */
bool detour_waited(const struct detour_account *a);
void detour_throttled(struct detour_account *a, uint64_t ns);
/* Accounts for a step of unknown usual cost that ended at `now` and took `took` ticks: as a detour if it took longer
 * than the threshold and the kernel counted a context switch, a migration or a page fault; otherwise as blind time. */
void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen);

/* Records that a core probe (sys/core_probe.h) was taken and found this level; a higher level means a slower core. Adds
 * the short detours since the previous probe under the higher one of the two probes' levels. */
void detour_probed(struct detour_account *a, unsigned level);

/* Records that CLOCK_MONOTONIC was monotonic_ns at `now`: kernels have their tick at multiples of its period in this
 * clock. */
void detour_clock(struct detour_account *a, uint64_t now, uint64_t monotonic_ns);

/* Ends a window, a stretch of the run after which the sampler reads the CPU's counters, at `end`. timer: number of
 * timer interrupts in it (-1: not known); stolen_ns: time that the hypervisor reported as stolen (0: not known). If the
 * CPU changed, or many detours without a known cause are kept, searches for their causes, which takes some 10 ms. */
void detour_window(struct detour_account *a, uint64_t end, int64_t timer, uint64_t stolen_ns);

/* Ends the run at `end`, after its last window, and searches for causes in this order: combs (periodic detours) that
 * are faster than the timer interrupts that were counted; the timer's detours, by their rate and phase; the longest
 * detours, up to the sum of the steal time; other combs. */
void detour_end(struct detour_account *a, uint64_t end);

unsigned detour_class(uint64_t ns); /* returns the length class of a detour of this length */
/* Returns the index of the part of the run that contains the time `at`; times after the end belong to the last part. */
unsigned detour_cell(const struct detour_account *a, uint64_t at);
uint64_t detour_observed(const struct detour_account *a); /* ticks of the run without the blind time */

/* Computes the least and the most frequent (mode) of n gaps between clock readings, in ticks. If a step of the clock is
 * longer than an iteration of the loop, the least gap is such a step: gaps of 0 are left out. If all gaps are 0, the
 * least gap is taken as 1. Otherwise it is the 10th percentile of the gaps above 0, because a counter that a hypervisor
 * scales may occasionally advance by a single tick. */
void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode);

#endif
