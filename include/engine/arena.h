/* SPDX-License-Identifier: MIT */
/* The shared memory of a trial (the arena), through which the parent and the processes that it starts (the workers)
 * exchange parameters, states and results. For the engine's own files only. */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/bench.h"
#include "engine/load.h"
#include "sys/core_probe.h"
#include "sys/counters.h"
#include "sys/scratch.h"
#include "sys/task.h"

#define ARENA_MAGIC     0x6a626172u
#define ARENA_PIPES_MAX 8

/* State of a party (a process or thread that takes part in a trial). Written by the party, read by the parent. */
enum party_state { STATE_STARTING, STATE_READY, STATE_RUNNING, STATE_DONE, STATE_FAILED };

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_ABORTED };

struct trial_slot {
    uint32_t state;  /* an enum party_state */
    bool stands_for; /* seen, counters, start_ns, end_ns and last_cpu are those of another process that the party
                      * started and measured: party_measured() */
    bool of_load;    /* `party` is an index into the load's parties, not into the benchmark's */
    unsigned party, copy;
    struct placement placement;
    struct placement_seen seen;
    struct task_counters counters;
    struct counters events; /* performance event counters, open if the party is measured */
    struct counts counts;
    uint64_t start_ns, end_ns, expected_ns;
    unsigned last_cpu; /* CPU on which the party ended; CPUSET_NONE when not known */
    uint64_t khz;      /* frequency of last_cpu in kHz; read by the parent after the run, since reading may interrupt
                        * every CPU of the machine */
    double rate;
    char refused[256], reason[240];
    struct baton baton;
    int pipes[ARENA_PIPES_MAX][2];
    int stop_fd;
    size_t recorder[RECORDERS_MAX]; /* offsets of the party's recorders in the shared memory */
    size_t shared;
    struct scratch_note scratch; /* the party's scratch directory */
};

struct trial_head {
    uint32_t magic;
    char build[48];
    size_t size;
    pid_t parent;
    char bench[64], load[64]; /* names of benchmark and load; load "": none */
    size_t params_offset, load_params_offset;
    unsigned copies, n_slots;
    uint64_t sample, time_ns;
    enum clock_kind clock;
    struct core_probe core_probe; /* parameters of the core probes; blocks 0: none are taken */
    bool fixed_layout, counted;   /* counted: performance events are counted */
    int event_fd, series_fd, arena_fd;
    /* The gate, at which all parties wait to begin together: this futex opens it. Since the kernel wakes them one after
     * the other, they then wait for a common start time. */
    uint32_t gate;
    /* arrived: number of parties that have passed the gate and read back their placement and counters. The last of the
     * to_arrive parties sets start_ns and then started. */
    uint32_t arrived, to_arrive, started;
    uint32_t stop, stop_loads;
    uint64_t start_ns, lead_ns;
    uint64_t limit_ns;                             /* longest time in ns that the run may take; the watchdog of each
                                                    * process enforces it */
    uint64_t setup_limit_ns;                       /* longest time in ns that the setup may take */
    uint32_t barrier_arrived[8], barrier_round[8]; /* state of party_barrier(), by number of the party */
    struct trial_slot slot[];
};

#define ARENA_PARTIES_MAX 8

/* Exit statuses of a worker that cannot reach the shared memory to report an error. WORKER_UNBORN is the C library's
 * own status for a failure before main(). */
enum { WORKER_NO_FSTAT = 123, WORKER_NO_MMAP, WORKER_ASTRAY, WORKER_UNBORN = 127 };

static inline const struct party *arena_party(const struct trial_slot *slot, const struct bench *bench,
                                              const struct load *load)
{
    return slot->of_load && load ? &load->parties[slot->party] : &bench->parties[slot->party];
}

struct trial_spec;

/* Sets the placement of the n parties in slots, whose members party, copy and of_load are set already. Leaves at least
 * one online CPU that no party with SCHED_FIFO can keep busy (timing threads do not count, since they sleep): a copy
 * that would take the last CPU runs with the normal policy. */
void arena_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n);

/* Returns whether, with this placement, parties of the trial can run on both hardware threads of a core of which one is
 * measured. False when the kernel reports no hardware threads, or no core probes are taken. */
bool arena_shares_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n);

/* Worker's side: runs the party with this slot number, and the threads that belong to its process. Returns the exit
 * status. load may be NULL. */
int worker_run(struct trial_head *head, unsigned slot, const struct bench *bench, const struct load *load);

/* Worker's side: reports "cannot WHAT: ERROR" as the reason why the party failed before it began. error is -errno.
 * Returns the exit status. */
int worker_not_started(struct trial_head *head, struct trial_slot *slot, const char *what, int error);

/* Worker's side: wakes the parent, which then checks the states of all parties. */
void arena_tell_parent(const struct trial_head *head);

/* Removes the scratch directories of all parties. The parties have ended or are ending. */
void arena_remove_scratch(const struct trial_head *head);

#endif
