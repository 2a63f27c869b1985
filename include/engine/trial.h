/* SPDX-License-Identifier: MIT */
/* A trial: one gated run of all parties and copies of a benchmark. */
#ifndef ENGINE_TRIAL_H
#define ENGINE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/core.h"
#include "engine/culprits.h"
#include "engine/load.h"
#include "sys/counters.h"
#include "sys/machine.h"
#include "sys/task.h"

struct trial_spec {
    const struct bench *bench;
    const void *params;
    const struct load *load; /* runs beside the benchmark; NULL: none */
    const void *load_params;
    unsigned copies;
    uint64_t sample;  /* number of this trial within its item, from 0 */
    uint64_t time_ns; /* planned length; 0: until the measured parties are done */
    const struct place_request *place;
    const struct clock_info *clock;
    struct core_session *core;   /* NULL: no core probes */
    uint64_t start_at_ns;        /* the gate does not open before this time of CLOCK_REALTIME; 0: opens as soon as all
                                  * are ready */
    bool counters;               /* count events even where that slows the work down (bench.switches) */
    struct culprit_watch *watch; /* who has the CPUs beside the trial (culprits_make()); NULL: nobody looks */
    int series_fd;               /* descriptor for the events of --series; -1: none */
    const char *proc_root;       /* root directory of /proc and /sys; "" except in tests */
    /* Called by the parent once a second from the gate on. NULL: the parent sleeps until something happens. */
    void (*tick)(void *context, uint64_t elapsed_ns);
    void *tick_context;
};

/* Results of one party of one copy. */
struct trial_party {
    struct placement_seen seen;
    struct task_counters counters; /* counters of the run alone; -1: not known */
    struct counts counts;          /* events of the run */
    uint64_t start_ns, end_ns;     /* start and end of the run by CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;             /* CPU on which it ended; CPUSET_NONE: not known */
    uint64_t khz;                  /* frequency of its CPU right after the run; 0: not known */
    enum bind_mode bind;           /* how its copy was bound */
    const char *refused;           /* differences from the request (placement refused, party_degraded()); "": none */
};

enum trial_outcome {
    TRIAL_DONE,
    TRIAL_FAILED,      /* the trial failed: trial_reason() says why */
    TRIAL_INTERRUPTED, /* a signal asked the program to end */
};

struct trial; /* opaque; freed by trial_free() */

/* Returns the memory in bytes that the trial will need: the shared memory of parent and workers, and each worker's
 * own. */
uint64_t trial_memory_bytes(const struct trial_spec *spec);

/* Runs a trial. Returns NULL only when out of memory. However it ends, none of its processes is left. */
struct trial *trial_run(const struct trial_spec *spec);
void trial_free(struct trial *trial);

enum trial_outcome trial_outcome(const struct trial *trial);
const char *trial_reason(const struct trial *trial);
/* Returns whether a signal stopped a party meanwhile, or stopped the parent and the trial failed: then the trial
 * itself is not to blame. */
bool trial_stopped(const struct trial *trial);
const struct trial_spec *trial_spec_of(const struct trial *trial);
uint64_t trial_gate_ns(const struct trial *trial); /* time at which the gate opened */
/* Returns how long after start_at_ns the gate opened; negative: before it. */
int64_t trial_late_ns(const struct trial *trial);
uint64_t trial_wall_ns(const struct trial *trial); /* from the gate to the end of the last measured party */
/* Returns the counters of the CPUs of the copy's measured parties (of all copies, unless the benchmark groups by
 * copy). */
void trial_copy_machine(const struct trial *trial, unsigned copy, struct machine_counters *out);
/* Returns who had those CPUs meanwhile. All zero when nobody looked. */
const struct culprits *trial_copy_culprits(const struct trial *trial, unsigned copy);
void trial_party(const struct trial *trial, unsigned party, unsigned copy, struct trial_party *out);
/* Return the results of a party of the load, and how much work of one kind the load did between the gate and the end of
 * the run. */
void trial_load_party(const struct trial *trial, unsigned party, struct trial_party *out);
double trial_load_count(const struct trial *trial, enum load_count count);
/* Return the SCHED_FIFO priority that the parent had from the gate on (0: none), and why it was refused ("": it was
 * not, or none was needed). The parent asks for one when a party is SCHED_FIFO or the benchmark requires it, so that
 * it can end the trial on time. */
int trial_control_priority(const struct trial *trial);
const char *trial_control_refused(const struct trial *trial);
/* Returns whether other parties of the trial can run on another hardware thread of a measured core. */
bool trial_shares_core(const struct trial *trial);
const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);

/* Runs a worker and does not return when argv asks for one ("@worker"); its benchmark and load are looked up in the
 * NULL-terminated registries. Call it first in main. */
void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads);

#endif
