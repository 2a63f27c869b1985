/* SPDX-License-Identifier: MIT */
/* Detours of a loop that does nothing but read a clock: how long they were, and whose time it was. Pure accounting in
 * whole ticks of any clock: it is fed times and counts, and asks nobody. Its memory does not grow. */
#ifndef BENCH_DETOUR_H
#define BENCH_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/recorder.h"

enum detour_cause {
    DETOUR_PREEMPTED,   /* the kernel ran somebody else */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* the thread went on on another CPU */
    DETOUR_INTERRUPT,   /* of those left over and long enough, as many as there were interrupts, the shortest first */
    DETOUR_STEAL,       /* the longest of those left over, as far as the hypervisor says that it took the CPU */
    DETOUR_UNEXPLAINED, /* the rest: the hypervisor, the firmware, what the kernel does not count */
    DETOUR_CAUSES
};
extern const char *const detour_cause_names[DETOUR_CAUSES]; /* "preempted", ... */

/* What is shorter is no interrupt: its entry, its handler and its exit take longer. Hypervisors have many such hiccups,
 * which would use the window's interrupts up. */
#define DETOUR_INTERRUPT_MIN_NS 500u
/* Left-over detours of a window that are told apart; beyond, the shortest are summed up. */
#define DETOUR_WINDOW_MAX 1024u
/* The longest left-over detours of the whole run, from which steal is taken, and the least that it takes. */
#define DETOUR_KEPT_MAX     512u
#define DETOUR_STEAL_MIN_NS 100000u
/* Length classes: octaves of nanoseconds, class k from 2^k on; the last one has no end. */
#define DETOUR_CLASSES 36u
/* The run in equal parts, for a picture of it. */
#define DETOUR_CELLS 100u

/* What the kernel has counted for the thread. What it does not offer stays the same. */
struct detour_seen {
    int64_t switches, faults;
    unsigned cpu;
};

struct detour_sum {
    uint64_t n, ticks;
};

/* One that was left over; its cause is known when its window has ended. */
struct detour_left {
    uint64_t ticks;
    enum detour_cause cause;
};

struct detour_account {
    uint64_t start, length; /* of the run, as planned */
    uint64_t threshold;     /* a longer gap is a detour */
    double ns_per_tick;
    struct hist *hist;       /* ns of each detour */
    struct series *series;   /* ns by the microsecond of the run in which it began */
    struct detour_seen seen; /* by the last detour */
    /* The last detour, not yet in the sums: the step behind it may show that it was another one's. */
    struct detour_last {
        uint64_t end, ticks; /* 0: there is none */
        enum detour_cause cause;
        struct detour_seen before;
    } last;
    /* Behind detour_end() the sums are all that was lost. */
    struct detour_sum sum[DETOUR_CAUSES], by_class[DETOUR_CAUSES][DETOUR_CLASSES];
    uint64_t blind, end;
    uint64_t cell[DETOUR_CELLS]; /* ticks lost in it */
    /* Left-over detours: of the open window the longest, and the sum of those shorter than all of them; of the windows
     * before the longest. Both are heaps, the least on top. */
    struct detour_left window[DETOUR_WINDOW_MAX], kept[DETOUR_KEPT_MAX];
    size_t n_window, n_kept;
    struct detour_sum shorter;
    uint64_t switched; /* detours of the open window that an interrupt led to, as it leads to every switch and move */
    uint64_t unused;   /* interrupts of the window before that may still explain something */
};

/* Sets all but the recorders, which are given. length must not be 0. */
void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen);

/* A detour ended at end and took so many ticks of the loop. seen is what the kernel counts now: the difference to what
 * it counted before says the cause, or leaves the detour over until the window ends. */
void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen);

/* A step of the sampler's own, which nobody watches. usual follows the median of what it takes. */
struct detour_cost {
    uint64_t usual;
};
/* Adding a detour, with the look at what the kernel counts, took so long; what it usually takes is blind time. When it
 * took more than twice as long (caches are cold behind a detour) and by more than the threshold, a detour met it: the
 * length of that one is returned, to be added in turn, otherwise 0. What the kernel counted meanwhile belongs to the
 * longer of the two. again: the detour that was added had met such a step, and says nothing of what is usual. */
uint64_t detour_added(struct detour_account *a, struct detour_cost *cost, uint64_t took, bool again);
/* The same for the reading of the CPU's counters. */
uint64_t detour_read(struct detour_account *a, struct detour_cost *cost, uint64_t took);
/* A step of unknown length, up to now: blind, unless it took longer than the threshold and the kernel says that it ran
 * something else meanwhile. */
void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen);

/* The window ends; the CPU had so many interrupts in it (0 when not known). One of them belongs to each detour that was
 * preempted or migrated, the others to what was left over. carry: a detour met the look at the counters, so that its
 * interrupt may be among them, and the detour comes into the next window. */
void detour_window(struct detour_account *a, uint64_t interrupts, bool carry);

/* The run ends at end, and its last window with it. stolen_ns: what the hypervisor says that it took; 0 when not known.
 */
void detour_end(struct detour_account *a, uint64_t end, uint64_t stolen_ns);

uint64_t detour_observed(const struct detour_account *a); /* ticks of the run without the blind ones */

/* The least and the most frequent of n gaps of the loop. Of a clock that stands still while the loop turns the least is
 * its step, which would otherwise pass for a detour: the least gap above 0; 1 when there is none. The least is what one
 * gap in ten does not exceed: a counter of large steps that a hypervisor scales moves by single ticks now and then. */
void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode);

#endif
