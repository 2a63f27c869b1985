/* SPDX-License-Identifier: MIT */
/* Shared cores: slices of work between core probes (sys/core_probe.h), and the figure with nobody else on the core.
 *
 * A worker takes a probe between slices of 1 to 2 ms, and enters each slice under the higher of the levels before and
 * after it. The parent knows the lowest level that each CPU has shown in the session: that is the core to itself, if
 * the core is then as wide as the widest of its type. The figure is the mean over the slices with the core free, with a
 * bootstrap interval over blocks of time, since neighbours come and go in milliseconds to minutes. */
#ifndef ENGINE_CORE_H
#define ENGINE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/core_probe.h"
#include "sys/cpuset.h"

/* --- The worker's side. --- */

/* The fewest whole counts that last this long are a slice. At 10 ms half of what the probes know is lost. */
#define CORE_SLICE_NS 1500000u

/* Slices of one level in one block of time. cost: of the slices, in ns or ticks. */
struct core_cell {
    double count, cost;
    uint32_t n;
};

/* A party's record in shared memory, of constant size: sums by block and level, so that nothing is lost by adding up.
 * When the run is longer than its blocks, neighbours are joined. Slices above CORE_CELLS are nowhere near free: they
 * are only counted. */
enum { CORE_BLOCKS = 8, CORE_CELLS = 112 };
struct core_record {
    uint32_t probes[CORE_LEVELS]; /* how many showed that level */
    uint64_t slices;
    uint64_t start_ns, block_ns; /* CLOCK_MONOTONIC_RAW */
    uint64_t slice_ns;           /* what a slice should last: one of over twice that was interrupted, and is not free */
    double cycles_per_tick;      /* NAN: not known */
    struct core_cell cell[CORE_BLOCKS][CORE_CELLS];
};
void core_record_init(struct core_record *record);

/* From slice to slice. */
struct core_meter {
    const struct core_probe *probe; /* NULL: nothing is probed */
    struct core_record *record;
    uint32_t level; /* before the slice */
};
/* Before the first slice, and again after a pause; expected_ns: how long the run is to be. */
void core_begin(struct core_meter *meter, uint64_t expected_ns);
/* After each slice, which began at start_ns. Its time is over: the probe's is nobody's. */
void core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns, uint64_t end_ns);
/* The same two for slices whose probes the caller takes. */
void core_record_begin(struct core_record *record, uint64_t expected_ns);
void core_enter(struct core_record *record, uint32_t before, uint32_t after, double count, double cost,
                uint64_t start_ns, uint64_t end_ns);

/* --- The parent's side. --- */

/* What this session has learned about the machine's cores. */
struct core_session {
    struct core_probe probe;
    uint16_t lowest[CPUSET_MAX];       /* level; 0: none was seen */
    float cycles_per_tick[CPUSET_MAX]; /* the most seen: the lowest level comes at the highest clock; 0: none */
    unsigned core[CPUSET_MAX];         /* a number equal for hardware threads of a core */
    unsigned type[CPUSET_MAX];         /* a number equal for cores of a kind */
    bool threads;                      /* some core shows several */
};
/* NULL when out of memory. root "" for this machine. */
struct core_session *core_session_make(const char *root, const struct clock_info *clock, const struct cpuset *online);
/* Enters the probes and the clock ratio that a party on that CPU recorded. */
void core_learn(struct core_session *session, unsigned cpu, const uint32_t probes[CORE_LEVELS], double cycles_per_tick);
/* The highest level at which that CPU has its core to itself; 0 when that is not known, with the reason in why. */
unsigned core_free_level(const struct core_session *session, unsigned cpu, char *why, size_t why_size);
/* Result of probing some CPUs for a moment. */
struct core_sight {
    double free;   /* share of the probes that found the core free; NAN: not known */
    double share;  /* core_share() of all probes */
    double us;     /* what a probe takes with the core free */
    char why[160]; /* why it is not known; "" when it is */
};
/* Takes a probe each half a millisecond on each of the CPUs in turn (of many, on the first 16), for so long in all. The
 * session learns from it. */
void core_look(struct core_session *session, const struct cpuset *cpus, uint64_t ns, struct core_sight *out);

/* The highest level that can turn out to be free on that CPU: what is lowest can only fall. */
unsigned core_highest(const struct core_session *session, unsigned cpu);
/* The mean over the probes of free level by level, 1 at most; those that took over 2.4 times as long were interrupted,
 * and are left out. NAN when nothing is left. */
double core_share(const uint64_t probes[CORE_LEVELS], unsigned free_level);

/* The cells that can be free, of all trials. */
struct core_note {
    uint32_t trial;
    uint16_t block, level;
    unsigned cpu;
    struct core_cell cell;
};
struct core_notes {
    struct core_note *note;
    size_t n, capacity;
    uint64_t slices; /* all, free or not */
};
/* Adds those of one copy's record up to a level. -1 when out of memory. */
int core_notes_add(struct core_notes *notes, const struct core_record *record, uint32_t trial, unsigned cpu,
                   unsigned highest);
void core_notes_free(struct core_notes *notes);

/* The figure with the core free: sum of counts by sum of costs, or the other way round. */
struct core_alone {
    double value, low, high; /* with its 95 % interval; NAN: not known */
    uint64_t slices;         /* free ones */
};
enum { CORE_SLICES_MIN = 30, CORE_SLICES_A_TRIAL = 10 };
/* free_level by CPU, as core_free_level(). value is NAN below CORE_SLICES_MIN slices. samples (may be NULL, room for
 * n_trials) gets the figure of each trial, NAN below CORE_SLICES_A_TRIAL slices. -1 when out of memory. */
int core_alone_find(const struct core_notes *notes, const struct core_session *session, bool cost_per_count,
                    uint32_t n_trials, double *samples, struct core_alone *out);

/* How many of all slices were free, as a row's reason says it, and read back; false when it says something else. */
void core_free_describe(uint64_t free_slices, uint64_t slices, char *buf, size_t size);
bool core_free_slices(const char *reason, uint64_t *free_slices, uint64_t *slices);

/* How much smaller the variance of the samples with the core free is than that of all of them, in %; 0 when it is not
 * smaller. Only trials that have both count; NAN below five. */
double core_explained_pct(const double *raw, const double *alone, size_t n);

#endif
