/* SPDX-License-Identifier: MIT */
/* Shared cores: finds the value of a metric while nobody else used the core ('with the core free').
 *
 * A worker cuts its work into slices of 1 to 2 ms and takes a core probe (sys/core_probe.h) between them. It enters
 * each slice under the higher of the levels of the probes before and after it. The parent knows the lowest level that
 * each CPU has shown in the session: there the CPU has the core to itself, provided that the core is then as wide as
 * the widest of its type. The value is the mean over the slices with the core free, with a bootstrap interval over
 * blocks of time, since other users of the core come and go within milliseconds to minutes. */
#ifndef ENGINE_CORE_H
#define ENGINE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/core_probe.h"
#include "sys/cpuset.h"

/* --- The worker's side. --- */

/* Minimum time of a slice, which is the smallest whole number of units of work that lasts so long. With slices of 10 ms
 * half of the probes' information is lost. */
#define CORE_SLICE_NS 1500000u

/* Cell: the sums of all slices at one level in one block of time. count: units of work; cost: their time, in ns or
 * ticks; n: number of slices. */
struct core_cell {
    double count, cost;
    uint32_t n;
};

/* A party's record in shared memory, of constant size: a cell for each block of time and each level. When the run gets
 * longer than all blocks, neighbouring blocks are joined. Slices at levels of CORE_CELLS and above, where the core is
 * far from free, are only counted. */
enum { CORE_BLOCKS = 8, CORE_CELLS = 112 };
struct core_record {
    uint32_t probes[CORE_LEVELS]; /* number of probes at each level */
    uint64_t slices;
    uint64_t start_ns, block_ns; /* start of the record and length of a block, by CLOCK_MONOTONIC_RAW */
    uint64_t slice_ns;      /* planned time of a slice; one that takes more than 2.4 times as long was interrupted, and
                             * does not count as free */
    double cycles_per_tick; /* measured clock ratio; NAN: not known */
    struct core_cell cell[CORE_BLOCKS][CORE_CELLS];
};
void core_record_init(struct core_record *record);

/* A worker's state between two slices. */
struct core_meter {
    const struct core_probe *probe; /* NULL: no probes are taken */
    struct core_record *record;
    uint32_t level; /* level of the probe before the next slice */
};
/* Called before the first slice, and again after a pause. expected_ns is the expected length of the run. */
void core_begin(struct core_meter *meter, uint64_t expected_ns);
/* Called after each slice, which began at start_ns; takes the next probe. The time of the probe belongs to no slice. */
void core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns, uint64_t end_ns);
/* As core_begin() and core_slice(), for callers that take the probes themselves: before and after are the levels of the
 * probes before and after the slice. */
void core_record_begin(struct core_record *record, uint64_t expected_ns);
void core_enter(struct core_record *record, uint32_t before, uint32_t after, double count, double cost,
                uint64_t start_ns, uint64_t end_ns);

/* --- The parent's side. --- */

/* State of the session: what the probes have shown of the machine's cores. */
struct core_session {
    struct core_probe probe;
    uint16_t lowest[CPUSET_MAX];       /* lowest level seen; 0: none */
    float cycles_per_tick[CPUSET_MAX]; /* the highest seen, since the lowest level comes with the highest clock; 0:
                                        * none */
    unsigned core[CPUSET_MAX];         /* number of the core: equal for hardware threads of one core */
    unsigned type[CPUSET_MAX];         /* number of the type: equal for cores of one kind */
    bool threads;                      /* some core has several hardware threads */
};
/* Makes the state of a session for the online CPUs. root is "" for this machine. Returns NULL when out of memory. */
struct core_session *core_session_make(const char *root, const struct clock_info *clock, const struct cpuset *online);
/* Enters the probes and the clock ratio that a party recorded on that CPU. */
void core_learn(struct core_session *session, unsigned cpu, const uint32_t probes[CORE_LEVELS], double cycles_per_tick);
/* Returns the highest level at which that CPU has its core to itself; 0 when that is not known, with the reason in
 * why. */
unsigned core_free_level(const struct core_session *session, unsigned cpu, char *why, size_t why_size);
/* Result of probing some CPUs for a moment. */
struct core_sight {
    double free;   /* share of the probes with the core free; NAN: not known */
    double share;  /* result of core_share() over all probes */
    double us;     /* time of a probe with the core free */
    char why[160]; /* why the result is not known; "" when it is */
};
/* Probes each of the CPUs in turn (at most the first 16) every half millisecond, for ns in all. The session learns
 * from it. */
void core_look(struct core_session *session, const struct cpuset *cpus, uint64_t ns, struct core_sight *out);

/* Returns the highest level that can still turn out to be free on that CPU: the lowest level seen can only fall. */
unsigned core_highest(const struct core_session *session, unsigned cpu);
/* Returns the share of the core that the CPU had: the mean of free_level / level over the probes, at most 1. Probes
 * that took over 2.4 times as long as the free level were interrupted and are left out. NAN when none remain. */
double core_share(const uint64_t probes[CORE_LEVELS], unsigned free_level);
/* Returns the share of the probes that found the core free; the last level is left out. NAN when none remain. */
double core_free(const uint64_t probes[CORE_LEVELS], unsigned free_level);

/* Candidates from all trials: cells whose level can turn out to be that of a free core. */
struct core_note {
    uint32_t trial;
    uint16_t block, level;
    unsigned cpu;
    struct core_cell cell;
};
struct core_notes {
    struct core_note *note;
    size_t n, capacity;
    uint64_t slices; /* number of all slices, free or not */
};
/* Adds the cells of one copy's record up to the level `highest`. Returns -1 when out of memory. */
int core_notes_add(struct core_notes *notes, const struct core_record *record, uint32_t trial, unsigned cpu,
                   unsigned highest);
void core_notes_free(struct core_notes *notes);

/* The value of a metric with the core free: units of work divided by their cost, or the reverse. */
struct core_alone {
    double value, low, high; /* the value with the core free, and its 95 % interval; NAN: not known */
    uint64_t slices;         /* number of slices with the core free */
};
enum { CORE_SLICES_MIN = 30, CORE_SLICES_A_TRIAL = 10 };
/* Finds the value with the core free, by core_free_level() of each CPU. value is NAN below CORE_SLICES_MIN slices.
 * samples (may be NULL; room for n_trials) gets the value of each trial, NAN below CORE_SLICES_A_TRIAL slices.
 * Returns -1 when out of memory. */
int core_alone_find(const struct core_notes *notes, const struct core_session *session, bool cost_per_count,
                    uint32_t n_trials, double *samples, struct core_alone *out);

/* Returns by how many % the variance of the samples is smaller with the core free; 0 when it is not smaller. Only
 * trials that have both values count; NAN below five. */
double core_explained_pct(const double *raw, const double *alone, size_t n);

#endif
