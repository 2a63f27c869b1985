/* SPDX-License-Identifier: MIT */
/* State of a running trial, shared by the files trial*.c and arena.c. */
#ifndef ENGINE_TRIAL_STATE_H
#define ENGINE_TRIAL_STATE_H

#include "engine/arena.h"
#include "engine/trial.h"
#include "sys/cgroup.h"

#define TICK_NS 1000000000u

/* Time added to the deadlines for each further copy on a CPU that several copies share: for its warm-up, or for a unit
 * of work that cannot be interrupted. */
#define TURN_NS 1000000000u

struct trial {
    struct trial_spec spec;
    struct trial_head *head;
    unsigned n_slots; /* number of parties: those of the copies, then those of the load */
    int event_read;
    pid_t *pids; /* process IDs by slot (index of the party); 0: none, or reaped */
    int *stop_write;
    enum trial_outcome outcome;
    char reason[320];
    uint64_t gate_ns, wall_ns;
    uint64_t tick_ns; /* time of the next call of spec.tick; 0: never */
    int64_t late_ns;
    unsigned n_machine;
    struct machine_counters *machine; /* counters of the CPUs by copy, or one for all copies */
    struct culprits *culprits;        /* other tasks that ran on the CPUs, by copy, or one for all copies */
    struct cpuset *machine_cpus;      /* CPUs of the measured parties, by copy, or one set for all copies */
    double load_count[LOAD_COUNTS];
    bool shares_core;   /* result of arena_shares_core() */
    bool may_end_early; /* a signal to end the program now only ends the trial early; its results stay valid */
    unsigned stops;     /* number of times that a signal stopped or continued a party or the parent: each one restarts
                         * the deadlines */
    bool stopped;       /* a party was stopped or continued by a signal, which spoils its results */
    bool halted;        /* a party is stopped by a signal now, as far as is known */
    bool late;          /* the parent was stopped or had no CPU, so that it woke up too late */
    /* The parent's own scheduling policy, during and before the trial. */
    int control;               /* SCHED_FIFO priority of the parent; 0: its policy is unchanged */
    struct cgroup_quota quota; /* quotas of CPU time that hold for the trial */
    int policy_before, priority_before;
    char control_refused[160];
};

static inline const struct party *party_of(const struct trial *trial, unsigned slot)
{
    return arena_party(&trial->head->slot[slot], trial->spec.bench, trial->spec.load);
}

/* A time limit that restarts when a party or the parent was stopped by a signal meanwhile. stops: trial->stops when the
 * limit was last started. */
struct deadline {
    uint64_t limit_ns, at_ns;
    unsigned stops;
};

/* Functions of trial.c. */
/* Returns how many copies share a CPU at most: the number of copies divided by the number of CPUs, rounded up. */
uint64_t trial_turns(const struct trial_spec *spec);

/* Functions of arena.c. */
/* Makes the shared memory of the trial, fills in all parties and their placement, and sets trial->head. Returns 0 or
 * -errno. */
int arena_make(struct trial *trial);

/* Functions of trial_wait.c. */
/* Sets the trial's outcome and its reason in words, unless the trial has failed already. */
void trial_fail(struct trial *trial, enum trial_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns whether any process of the trial still runs. */
bool trial_any_process(const struct trial *trial);
/* Kills all processes of the trial, and waits until they have ended, but no longer than 10 s: not even SIGKILL ends a
 * process that hangs in the kernel. */
void trial_kill_all(struct trial *trial);
/* Returns whether every party (or every measured one) has reached the state. */
bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only);
/* Sleeps until a party reports a state, a signal arrives, the next call of spec.tick is due, or it is until_ns (by
 * CLOCK_MONOTONIC_RAW). Then handles signals, failed parties, processes that have ended, and the tick. stopping: a
 * party with STOP_KILL is expected to end. */
void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping);
/* Returns a deadline at at_ns, a time of CLOCK_MONOTONIC_RAW. */
struct deadline deadline_at(const struct trial *trial, uint64_t at_ns);
/* Returns whether the deadline has passed. Restarts it first if a party or the parent was stopped by a signal
 * meanwhile. */
bool deadline_passed(struct deadline *deadline, const struct trial *trial);
/* Returns when the parent has to check the parties again, in case that a wake-up was lost: after one second, or at the
 * deadline if that is earlier. Used only before the run, when nothing is measured yet; during the run the end of a
 * process wakes the parent. */
uint64_t deadline_look_again(uint64_t deadline_ns);
/* Waits until every party (or every measured one) has reached the state. Returns false when the trial failed, or at
 * deadline_ns by CLOCK_MONOTONIC_RAW, which restarts as struct deadline does. */
bool trial_wait_for(struct trial *trial, enum party_state state, bool measured_only, uint64_t deadline_ns);

/* Functions of trial_start.c. */
/* Closes a descriptor that may be -1. */
void close_if_open(int fd);
/* Starts the processes of all parties, those of the load last. Returns 0, or a negative number after trial_fail(). */
int trial_start_processes(struct trial *trial);

#endif
