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
#include "stats/comb.h"

/* A shorter detour is only added up by the level of the core probes around it: entry, handler and exit of an interrupt
 * take longer than this, and beside another user of the core there are tens of thousands a second. */
#define DETOUR_EVENT_NS 1000u
/* Number of detours without a known cause that are kept until their cause is searched for. */
#define DETOUR_EVENTS 32768u
/* Levels of core probes; the last one stands for all above. */
#define DETOUR_LEVELS CORE_CELLS
/* Number of combs that are reported. */
#define DETOUR_COMBS 4u
/* Number of equal parts of the run for which the lost time is recorded. */
#define DETOUR_CELLS 100u

/* The kernel's counters for the thread. A counter that the kernel does not provide stays constant. */
struct detour_seen {
    int64_t switches, faults;
    unsigned cpu;
};

struct detour_sum {
    uint64_t n, ticks;
};

/* Detours that come back with a period. */
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
    struct detour_seen seen; /* counters at the last detour */
    /* The last detour, not yet in the sums: the next step may attribute it to another cause. */
    struct detour_last {
        uint64_t end, ticks; /* 0: none */
        enum detour_cause cause;
        struct detour_seen before;
    } last;
    /* After detour_end() these sums, with those of `brief`, are the total lost time. */
    struct detour_sum sum[DETOUR_CAUSES], by_class[DETOUR_CAUSES][DETOUR_CLASSES];
    uint64_t blind, end;
    uint64_t cell[DETOUR_CELLS];           /* ticks lost in each part */
    struct detour_comb comb[DETOUR_COMBS]; /* those of DETOUR_PERIODIC; hz 0: none */
    /* Detours below DETOUR_EVENT_NS without a known cause, by the higher of the probes' levels before and after. */
    struct detour_sum brief[DETOUR_LEVELS];
    uint64_t explained;
    /* Detours without a known cause since `explained`: start since the start of the run, and length, in ticks. */
    struct comb_event events[DETOUR_EVENTS];
    size_t n_events;
    uint64_t window, counted;    /* end of the last window; ticks of the windows since `explained` that have a count */
    uint64_t timer, stolen_ns;   /* in these windows: interrupts; steal */
    bool moved;                  /* the CPU changed since `explained` */
    uint64_t clock_at, clock_ns; /* CLOCK_MONOTONIC at a time near the last window's end; 0: not known */
    struct detour_sum since_probe; /* brief ones since the last core probe */
    unsigned level;                /* of that probe */
};

/* Initialises all fields but the recorders, which the caller sets. length must not be 0. */
void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen);

/* Adds a detour that ended at `end` and took `ticks`. seen holds the kernel's counters now. Their difference to the
 * previous counters gives the cause; without a difference the cause is searched for later. */
void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen);

/* Cost of a step of the sampler itself, during which it cannot see detours. usual follows the median cost. */
struct detour_cost {
    uint64_t usual;
};
/* Accounts for the time `took` that detour_add() and the reading of the counters before it needed. The usual cost is
 * added to the blind time. If the step took more than twice the usual cost (caches are cold after a detour) and
 * exceeded it by more than the threshold, a detour occurred during the step: its length is returned, and the caller
 * adds it with detour_add(). Otherwise returns 0. Changes of the kernel's counters during the step are attributed to
 * the longer of the two detours. again: the detour just added was itself found in this way; its step does not update
 * the usual cost. */
uint64_t detour_added(struct detour_account *a, struct detour_cost *cost, uint64_t took, bool again);
/* As detour_added(), for another step: a core probe, the reading of the CPU's counters. */
uint64_t detour_step(struct detour_account *a, struct detour_cost *cost, uint64_t took);
/* Accounts for a step of unknown usual cost that ended at `now` and took `took` ticks: as a detour if it took longer
 * than the threshold and the kernel counted a context switch, a migration or a page fault; otherwise as blind time. */
void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen);

/* Enters the level of a core probe. */
void detour_probed(struct detour_account *a, unsigned level);

/* Enters what CLOCK_MONOTONIC shows at `now`: kernels have their tick at multiples of its period in this clock. */
void detour_clock(struct detour_account *a, uint64_t now, uint64_t monotonic_ns);

/* Ends a window at `end`, in which so many interrupts of the timer (-1: not known) and so much steal time (0: not
 * known) were counted. When the CPU changed, or many detours without a known cause are kept, searches for their causes,
 * which takes some 10 ms. */
void detour_window(struct detour_account *a, uint64_t end, int64_t timer, uint64_t stolen_ns);

/* Ends the run at `end`, after its last window, and searches for causes: combs that are faster than the timer was
 * counted, the timer's detours by rate and phase, then the longest up to the steal time, then other combs. */
void detour_end(struct detour_account *a, uint64_t end);

unsigned detour_class(uint64_t ns); /* length class of a detour */
/* Returns the part of the run that a time is in; the last one for a later time. */
unsigned detour_cell(const struct detour_account *a, uint64_t at);
uint64_t detour_observed(const struct detour_account *a); /* ticks of the run without the blind time */

/* Returns the least and the most frequent of n gaps between clock readings. For a clock with steps longer than a turn
 * of the loop, the least gap is the step: gaps of 0 are left out, and it is 1 when all gaps are 0. The least gap is
 * taken at the 10th percentile, because a counter that a hypervisor scales may occasionally advance by a single
 * tick. */
void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode);

#endif
