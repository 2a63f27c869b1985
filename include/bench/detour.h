/* SPDX-License-Identifier: MIT */
/* Detours: gaps in a loop that does nothing but read a clock. Accounts for their lengths and their causes. Pure
 * accounting in whole ticks of any clock: times and counts are passed in, no system call is made, and memory use is
 * constant. */
#ifndef BENCH_DETOUR_H
#define BENCH_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/recorder.h"
#include "rows/detour_causes.h"

/* A shorter detour is not attributed to an interrupt: entry, handler and exit take longer than this. Hypervisors cause
 * many shorter gaps, and these would use up the interrupts counted in the window. */
#define DETOUR_INTERRUPT_MIN_NS 500u
/* Number of detours without a known cause that are kept individually in a window; beyond that the shortest are
 * summed. */
#define DETOUR_WINDOW_MAX 1024u
/* Number of detours without a known cause that are kept individually for the whole run, the longest ones. Steal time is
 * attributed to these, if they are at least as long as the minimum. */
#define DETOUR_KEPT_MAX     512u
#define DETOUR_STEAL_MIN_NS 100000u
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

/* A detour without a known cause; one is determined at the end of its window. */
struct detour_left {
    uint64_t ticks;
    enum detour_cause cause;
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
    /* After detour_end() these sums are the total lost time. */
    struct detour_sum sum[DETOUR_CAUSES], by_class[DETOUR_CAUSES][DETOUR_CLASSES];
    uint64_t blind, end;
    uint64_t cell[DETOUR_CELLS]; /* ticks lost in each part */
    /* Detours without a known cause. window: the longest of the current window; shorter: the sum of its others. kept:
     * the longest of earlier windows. Both arrays are min-heaps. */
    struct detour_left window[DETOUR_WINDOW_MAX], kept[DETOUR_KEPT_MAX];
    size_t n_window, n_kept;
    struct detour_sum shorter;
    uint64_t switched; /* context switches and migrations of the current window, each of which an interrupt caused */
    uint64_t unused;   /* interrupts of the previous window that no detour has been attributed to */
};

/* Initialises all fields but the recorders, which the caller sets. length must not be 0. */
void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen);

/* Adds a detour that ended at `end` and took `ticks`. seen holds the kernel's counters now. Their difference to the
 * previous counters gives the cause; without a difference the detour waits for the end of its window. */
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
/* As detour_added(), for the reading of the CPU's counters. */
uint64_t detour_read(struct detour_account *a, struct detour_cost *cost, uint64_t took);
/* Accounts for a step of unknown usual cost that ended at `now` and took `took` ticks: as a detour if it took longer
 * than the threshold and the kernel counted a context switch, a migration or a page fault; otherwise as blind time. */
void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen);

/* Ends a window. interrupts: number of interrupts of the CPU in it (0: not known). Each detour that was preempted or
 * migrated uses up one of them; the others are attributed to detours without a known cause. carry: a detour occurred
 * while the counters were read, so its interrupt may be counted already; the detour goes into the next window. */
void detour_window(struct detour_account *a, uint64_t interrupts, bool carry);

/* Ends the run at `end`, and its last window. stolen_ns: steal time reported by the hypervisor; 0: not known. */
void detour_end(struct detour_account *a, uint64_t end, uint64_t stolen_ns);

uint64_t detour_observed(const struct detour_account *a); /* ticks of the run without the blind time */

/* Returns the least and the most frequent of n gaps between clock readings. For a clock with steps longer than a turn
 * of the loop, the least gap is the step: gaps of 0 are left out, and it is 1 when all gaps are 0. The least gap is
 * taken at the 10th percentile, because a counter that a hypervisor scales may occasionally advance by a single
 * tick. */
void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode);

#endif
