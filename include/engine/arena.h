/* SPDX-License-Identifier: MIT */
/* The shared memory of a trial (the arena): parameters, states and results between the parent and the workers, the
 * processes that it starts. For the engine's own files only. */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/engine.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/file.h"

#define ARENA_MAGIC     0x6a626172u
#define ARENA_PIPES_MAX 8

/* Written by the party (a process or thread of the trial), read by the parent. */
enum party_state { STATE_STARTING, STATE_READY, STATE_RUNNING, STATE_DONE, STATE_FAILED };

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_ABORTED };

struct trial_slot {
    uint32_t state;
    bool stands_for; /* the results are another process's, which the party measured: party_measured() */
    bool of_load;    /* `party` is an index into the load's parties */
    unsigned party, copy;
    struct placement placement;
    struct placement_seen seen;
    struct task_counters counters;
    struct counters events; /* open if the party is measured */
    struct counts counts;
    uint64_t start_ns, end_ns, expected_ns;
    unsigned last_cpu; /* CPUSET_NONE: not known */
    uint64_t khz;      /* of last_cpu; read by the parent after the run: reading may interrupt every CPU */
    double rate;
    char refused[256], reason[240];
    struct baton baton;
    int pipes[ARENA_PIPES_MAX][2];
    int stop_fd;
    size_t recorder[RECORDERS_MAX]; /* their offsets in the shared memory */
    size_t shared;
    struct scratch_note scratch;
};

struct trial_head {
    uint32_t magic;
    char build[48];
    size_t size;
    pid_t parent;
    char bench[64], load[64]; /* load "": none */
    size_t params_offset, load_params_offset;
    unsigned copies, n_slots;
    uint64_t sample, time_ns;
    enum clock_kind clock;
    struct core_probe core_probe; /* blocks 0: none are taken */
    bool fixed_layout, counted;   /* counted: performance events */
    int event_fd, series_fd, arena_fd;
    /* This futex opens the gate, at which all parties wait. Since the kernel wakes them one after the other, they
     * then wait for a common start time. */
    uint32_t gate;
    /* arrived: parties that have passed the gate and read back placement and counters. The last of to_arrive sets
     * start_ns and then started. */
    uint32_t arrived, to_arrive, started;
    uint32_t stop, stop_loads;
    uint64_t start_ns, lead_ns;
    uint64_t limit_ns; /* longest run; each process's watchdog enforces it */
    uint64_t setup_limit_ns;
    uint32_t barrier_arrived[8], barrier_round[8]; /* of party_barrier(), by number of the party */
    struct trial_slot slot[];
};

#define ARENA_PARTIES_MAX 8

/* Exit statuses of a worker without shared memory for its error. WORKER_UNBORN is the C library's own for a failure
 * before main(). */
enum { WORKER_NO_FSTAT = 123, WORKER_NO_MMAP, WORKER_ASTRAY, WORKER_UNBORN = 127 };

static inline const struct party *arena_party(const struct trial_slot *slot, const struct bench *bench,
                                              const struct load *load)
{
    return slot->of_load && load ? &load->parties[slot->party] : &bench->parties[slot->party];
}

struct trial_spec;

/* State of a running trial, of which the arena is a part. */
struct trial {
    struct trial_spec spec;
    struct trial_head *head;
    unsigned n_slots; /* of the copies, then of the load */
    int event_read;
    pid_t *pids; /* by slot; 0: none, or reaped */
    int *stop_write;
    enum trial_outcome outcome;
    char reason[320];
    uint64_t gate_ns, wall_ns;
    uint64_t tick_ns; /* next spec.tick; 0: never */
    int64_t late_ns;
    unsigned n_machine;
    struct machine_counters *machine;  /* by copy, or one for all */
    struct interference *interference; /* by copy, or one for all */
    struct cpuset *machine_cpus;       /* of the measured parties, by copy, or one for all */
    double load_count[LOAD_COUNTS];
    bool shares_core;   /* arena_shares_core() */
    bool may_end_early; /* a signal ends only the trial; its results stay valid */
    unsigned stops;     /* times that a signal stopped or continued a party or the parent: each restarts the
                         * deadlines */
    bool stopped;       /* a party was, which spoils its results */
    bool halted;        /* a party is now, as far as known */
    bool late;          /* the parent was, or had no CPU: it woke up too late */
    /* The parent's own policy, during and before the trial. */
    int control;               /* FIFO priority; 0: unchanged */
    struct cgroup_quota quota; /* that hold for the trial */
    int policy_before, priority_before;
    char control_refused[160];
};

/* Shared memory with all parties and their placement, trial->head. Returns 0 or -errno. */
int arena_make(struct trial *trial);

/* Sets the placement of n slots, whose party, copy and of_load are set. Leaves at least one online CPU that no
 * SCHED_FIFO party can keep busy (timing threads sleep): a copy that would take the last one gets the normal policy. */
void arena_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n);

/* Returns whether parties can so run on both hardware threads of a measured core; false when no threads are reported
 * or no core probes taken. */
bool arena_shares_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n);

/* In the worker: runs the party of this slot, and the threads of its process. Returns the exit status. load may be
 * NULL. */
int worker_run(struct trial_head *head, unsigned slot, const struct bench *bench, const struct load *load);

/* In the worker: reports "cannot WHAT: ERROR" (-errno) before it began. Returns the exit status. */
int worker_not_started(struct trial_head *head, struct trial_slot *slot, const char *what, int error);

/* The parties have ended or are ending. */
void arena_remove_scratch(const struct trial_head *head);

/* Restarts when a party or the parent was stopped meanwhile. stops: trial->stops at the last start. */
struct deadline {
    uint64_t limit_ns, at_ns;
    unsigned stops;
};
/* at_ns: CLOCK_MONOTONIC_RAW. */
struct deadline deadline_at(const struct trial *trial, uint64_t at_ns);
/* Restarts it first if a party or the parent was stopped. */
bool deadline_passed(struct deadline *deadline, const struct trial *trial);
/* When the parent checks the parties again, in case a wake-up was lost: after 1 s, or at the deadline. Only before
 * the run; during it the end of a process wakes the parent. */
uint64_t deadline_look_again(uint64_t deadline_ns);
/* Every party, or every measured one. */
bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only);
/* Sleeps until a party reports, a signal arrives, spec.tick is due, or until_ns (CLOCK_MONOTONIC_RAW); then handles
 * signals, failed parties, ended processes, and the tick. stopping: parties with STOP_KILL are expected to end. */
void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping);

#endif
