/* SPDX-License-Identifier: MIT */
/* A running trial, for trial*.c and arena.c. */
#ifndef ENGINE_TRIAL_STATE_H
#define ENGINE_TRIAL_STATE_H

#include "engine/arena.h"
#include "engine/engine.h"
#include "sys/machine.h"

#define TICK_NS 1000000000u

/* Longer deadlines for each further copy that shares a CPU: its warm-up, or a unit of work that cannot be
 * interrupted. */
#define TURN_NS 1000000000u

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
    struct machine_counters *machine; /* by copy, or one for all */
    struct culprits *culprits;        /* by copy, or one for all */
    struct cpuset *machine_cpus;      /* of the measured parties, by copy, or one for all */
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

static inline const struct party *party_of(const struct trial *trial, unsigned slot)
{
    return arena_party(&trial->head->slot[slot], trial->spec.bench, trial->spec.load);
}

/* Restarts when a party or the parent was stopped meanwhile. stops: trial->stops at the last start. */
struct deadline {
    uint64_t limit_ns, at_ns;
    unsigned stops;
};

/* At most so many copies share a CPU: copies by CPUs, rounded up. */
uint64_t trial_turns(const struct trial_spec *spec);

/* Shared memory with all parties and their placement, trial->head. Returns 0 or -errno. */
int arena_make(struct trial *trial);

/* Unless the trial has failed already. */
void trial_fail(struct trial *trial, enum trial_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool trial_any_process(const struct trial *trial);
/* Waits until they have ended, at most 10 s: not even SIGKILL ends a process that hangs in the kernel. */
void trial_kill_all(struct trial *trial);
/* Every party, or every measured one. */
bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only);
/* Sleeps until a party reports, a signal arrives, spec.tick is due, or until_ns (CLOCK_MONOTONIC_RAW); then handles
 * signals, failed parties, ended processes, and the tick. stopping: parties with STOP_KILL are expected to end. */
void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping);
/* at_ns: CLOCK_MONOTONIC_RAW. */
struct deadline deadline_at(const struct trial *trial, uint64_t at_ns);
/* Restarts it first if a party or the parent was stopped. */
bool deadline_passed(struct deadline *deadline, const struct trial *trial);
/* When the parent checks the parties again, in case a wake-up was lost: after 1 s, or at the deadline. Only before
 * the run; during it the end of a process wakes the parent. */
uint64_t deadline_look_again(uint64_t deadline_ns);
/* Returns false when the trial failed, or at deadline_ns (CLOCK_MONOTONIC_RAW), which restarts as struct deadline
 * does. */
bool trial_wait_for(struct trial *trial, enum party_state state, bool measured_only, uint64_t deadline_ns);

/* May be -1. */
void close_if_open(int fd);
/* Starts the load's processes last. Returns 0, or a negative number after trial_fail(). */
int trial_start_processes(struct trial *trial);

#endif
