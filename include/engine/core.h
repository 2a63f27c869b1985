/* SPDX-License-Identifier: MIT */
/* Shared cores: finds the value that a metric has while no other hardware thread uses the core ('with the core free').
 *
 * A worker cuts its work into slices of 1 to 2 ms and takes a core probe (sys/clock.h) between them. It records each
 * slice under the higher of the levels of the probes before and after it. The lowest level that a CPU has shown since
 * the program started is that of a core of its own, if it then does nearly as many additions per cycle as the best core
 * of its type. The value is the mean over the slices with the core free, with a bootstrap interval over blocks of time,
 * since other users of the core come and go within milliseconds to minutes. */
#ifndef ENGINE_CORE_H
#define ENGINE_CORE_H

#include "sys/clock.h"
#include "sys/cpu.h"

/* --- What the measured process does. --- */

/* Minimum time of a slice of work, in ns. A slice is the smallest whole number of units of work that lasts so long.
 * With slices of 10 ms half of the probes' information is lost. */
#define CORE_SLICE_NS 1500000u

/* Sums over the slices of work at one probe level in one block of time. count: units of work; cost: their time, in ns
 * or ticks; n: number of slices. */
struct core_cell {
    double count, cost;
    uint32_t n;
};

/* Record of a measured process in shared memory, of constant size: a cell for each block of time and each probe level.
 * When the run gets longer than all blocks together, neighbouring blocks are joined. Slices at levels of CORE_CELLS and
 * above, where the core is far from free, are only counted. */
enum { CORE_BLOCKS = 8, CORE_CELLS = 112 };
struct core_record {
    uint32_t probes[CORE_LEVELS]; /* number of core probes with each result */
    uint64_t slices;
    uint64_t start_ns, block_ns; /* start of the record, and length of a block of time in ns, by CLOCK_MONOTONIC_RAW */
    double cycles_per_tick;      /* mean cycles of the core per tick of the clock, of the slices; 0 without them */
    struct core_cell cell[CORE_BLOCKS][CORE_CELLS];
};

/* State of a measured process between two slices of its work. */
struct core_meter {
    const struct core_probe *probe; /* NULL: no probes are taken */
    struct core_record *record;
    struct core_reading reading; /* result of the probe before the next slice */
};
/* Takes the probe before the first slice, or before the first one after a pause. expected_ns is the expected length of
 * the run. */
void core_begin(struct core_meter *meter, uint64_t expected_ns);
/* Records a slice: count units of work, which took `cost` (in ns or ticks), begun at start_ns. Takes the next
 * probe, whose time belongs to no slice. */
void core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns);
/* As core_begin() and core_slice(), for callers that take the probes themselves: before and after are the results of
 * the core probes before and after the slice of work. */
void core_record_begin(struct core_record *record, uint64_t expected_ns);
void core_enter(struct core_record *record, const struct core_reading *before, const struct core_reading *after,
                double count, double cost, uint64_t start_ns);

/* --- What the parent does. --- */

/* What the core probes have shown of the machine's CPUs since the program started. */
struct core_session {
    struct core_probe probe;
    uint16_t lowest[CPUSET_MAX]; /* by CPU: lowest probe level seen; 0: none */
    unsigned core[CPUSET_MAX];   /* by CPU: number of its core: equal for hardware threads of one core */
    unsigned type[CPUSET_MAX];   /* by CPU: number of its core's type: equal for cores of one kind */
    bool threads;                /* some core has several hardware threads */
};
/* Makes the state of the core probes for the online CPUs; the caller frees it with free(). Ends the program when out of
 * memory. */
struct core_session *core_session_make(const struct clock_info *clock, const struct cpuset *online);
/* Updates what is known of a CPU by the number of probes that were taken on it at each level. */
void core_learn(struct core_session *session, unsigned cpu, const uint32_t probes[CORE_LEVELS]);
/* Returns the highest probe level at which the CPU has its core to itself; 0 when that is not known, with the reason in
 * why. */
unsigned core_free_level(const struct core_session *session, unsigned cpu, char *why, size_t why_size);
/* Result of taking core probes on some CPUs for a moment: core_look(). */
struct core_sight {
    double free;   /* share of the probes that found the core free, 0 to 1; NAN: not known */
    double us;     /* shortest time of a probe, in us */
    char why[160]; /* why the result is not known; "" when it is */
};
/* Probes each of the CPUs (at most the first 16) in turn, every half millisecond, for ns nanoseconds in all, and adds
 * what it finds to the session. */
void core_look(struct core_session *session, const struct cpuset *cpus, uint64_t ns, struct core_sight *out);

/* Returns the highest probe level at which the CPU may have had its core to itself, as far as is known now. Later
 * probes can only make it lower, since the lowest level seen can only fall. */
unsigned core_highest(const struct core_session *session, unsigned cpu);
/* Returns the share of the core that the CPU had, 0 to 1: the mean of free_level / level over the probes, each at most
 * 1. Probes that took over 2.4 times as long as free_level were interrupted and are left out. NAN when none remain. */
double core_share(const uint64_t probes[CORE_LEVELS], unsigned free_level);
/* Returns the share of the probes that found the core free, 0 to 1. Probes of level 0 and of the last level, which
 * stands for all longer times, are left out. NAN when none remain. */
double core_free(const uint64_t probes[CORE_LEVELS], unsigned free_level);

/* Sums over slices of work of all trials, for probe levels at which the CPU may have had its core to itself. */
struct core_note {
    uint32_t trial;
    uint16_t block, level;
    unsigned cpu;
    struct core_cell cell;
};
struct core_notes {
    struct core_note *note;
    size_t n, capacity;
    uint64_t slices; /* number of all slices of work, with the core free or not */
};
/* Adds the sums of the record of one copy, a process that ran on this CPU, up to the probe level `highest`. Returns -1
 * when out of memory. */
int core_notes_add(struct core_notes *notes, const struct core_record *record, uint32_t trial, unsigned cpu,
                   unsigned highest);
void core_notes_free(struct core_notes *notes);

/* Value of a metric while no other hardware thread used the core: units of work divided by their cost, or the
 * reverse. */
struct core_alone {
    double value, low, high; /* the value with the core free, and its 95 % interval; NAN: not known */
    uint64_t slices;         /* number of slices of work with the core free */
};
enum { CORE_SLICES_MIN = 30, CORE_SLICES_A_TRIAL = 10 };
/* Computes the value over the slices in which the core was free by core_free_level() of the CPU: cost per unit of work
 * if cost_per_count, otherwise units of work per cost. value is NAN below CORE_SLICES_MIN slices. samples (may be NULL;
 * room for n_trials) gets the value of each trial, NAN below CORE_SLICES_A_TRIAL slices. Returns -1 when out of
 * memory. */
int core_alone_find(const struct core_notes *notes, const struct core_session *session, bool cost_per_count,
                    uint32_t n_trials, double *samples, struct core_alone *out);

/* Returns by how many % the variance between trials, relative to the squared mean, is smaller in `alone` (the values
 * with the core free) than in `raw`; 0 when it is not smaller. Only trials that have both values count; NAN when they
 * are fewer than five. */
double core_explained_pct(const double *raw, const double *alone, size_t n);

#endif
