/* SPDX-License-Identifier: MIT */
/* State of a running trial, shared by the source files behind trial.h. */
#ifndef ENGINE_TRIAL_STATE_H
#define ENGINE_TRIAL_STATE_H

#include "engine/arena.h"
#include "engine/trial.h"

#define TICK_NS 1000000000u

/* Additional time for each further turn on a CPU that several copies share: for a warm-up, or for a unit of work that
 * cannot be interrupted. */
#define TURN_NS 1000000000u

struct trial {
    struct trial_spec spec;
    struct trial_head *head;
    unsigned n_slots; /* slots of the copies, then those of the load */
    int event_read;
    pid_t *pids; /* process IDs by slot; 0: none, or reaped */
    int *stop_write;
    enum trial_outcome outcome;
    char reason[320];
    uint64_t gate_ns, wall_ns;
    uint64_t tick_ns; /* time of the next call of spec.tick; 0: never */
    int64_t late_ns;
    unsigned n_machine;
    struct machine_counters *machine; /* counters by copy, or a single one for all copies */
    struct culprits *culprits;        /* by copy, or of all copies */
    struct cpuset *machine_cpus;      /* CPUs of the measured parties, by copy or of all copies */
    double load_count[LOAD_COUNTS];
    bool shares_core;   /* result of trial_shares_core() */
    bool may_end_early; /* a signal only ends the trial now; its results stay valid */
    unsigned stops;     /* number of times that a party or the parent was stopped or continued: each one restarts the
                         * deadlines */
    bool stopped;       /* a party was stopped, which spoils its results */
    bool halted;        /* a party is stopped now, as far as is known */
    bool late;          /* the parent was stopped: deadlines passed while it could not act */
    /* The parent's own policy during the trial. */
    int control; /* its SCHED_FIFO priority; 0: unchanged */
    int policy_before, priority_before;
    char control_refused[160];
};

static inline const struct party *party_of(const struct trial *trial, unsigned slot)
{
    return arena_party(&trial->head->slot[slot], trial->spec.bench, trial->spec.load);
}

/* A time limit that restarts when a process was stopped meanwhile. */
struct deadline {
    uint64_t limit_ns, at_ns;
    unsigned stops;
};

/* Functions of trial.c. */
/* Returns how many turns the copies need that share a CPU. */
uint64_t trial_turns(const struct trial_spec *spec);

/* Functions of arena.c. */
/* Makes the memory, places all parties in it, and sets trial->head. Returns 0 or -errno. */
int arena_make(struct trial *trial);

/* Functions of trial_wait.c. */
/* Sets outcome and reason, unless the trial has failed already. */
void trial_fail(struct trial *trial, enum trial_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns whether any process still runs. */
bool trial_any_process(const struct trial *trial);
/* Kills everything that still runs. A process that even SIGKILL does not end (it hangs in the kernel) is not waited
 * for forever. */
void trial_kill_all(struct trial *trial);
/* Returns whether every slot (or every measured one) has reached the state. */
bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only);
/* Sleeps until an event, a signal, a tick, or the time; then checks everything once. stopping: the end of a party with
 * STOP_KILL is expected. */
void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping);
/* Returns the deadline at that time of CLOCK_MONOTONIC_RAW. */
struct deadline deadline_at(const struct trial *trial, uint64_t at_ns);
/* Returns whether the deadline has passed. Restarts it when a process was stopped meanwhile. */
bool deadline_passed(struct deadline *deadline, const struct trial *trial);
/* Returns the time of the parent's next check, in case an event was lost. Used only before the gate, where nothing is
 * measured yet; after it, the end of a process wakes the parent. */
uint64_t deadline_look_again(uint64_t deadline_ns);
/* Waits until every party (or every measured one) has reached the state. Returns false when the trial failed or the
 * deadline passed. */
bool trial_wait_for(struct trial *trial, enum party_state state, bool measured_only, uint64_t deadline_ns);

/* Functions of trial_start.c. */
/* Closes a descriptor that may be -1. */
void close_if_open(int fd);
/* Starts all process parties, those of the load last. Returns 0 or -errno. */
int trial_start_processes(struct trial *trial);

#endif
