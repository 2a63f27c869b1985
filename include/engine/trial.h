/* SPDX-License-Identifier: MIT */
/* A trial: one gated run of all parties and copies of a benchmark. */
#ifndef ENGINE_TRIAL_H
#define ENGINE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/core.h"
#include "engine/load.h"
#include "sys/machine.h"
#include "sys/task.h"

struct trial_spec {
    const struct bench *bench;
    const void *params;
    const struct load *load; /* beside the benchmark; NULL: none */
    const void *load_params;
    unsigned copies;
    uint64_t sample;  /* number of this trial within its item */
    uint64_t time_ns; /* 0: until the measured parties are done */
    const struct place_request *place;
    const struct clock_info *clock;
    struct core_session *core; /* NULL: no core probes */
    uint64_t start_at_ns;      /* the gate opens not before this time of CLOCK_REALTIME; 0: as soon as all are ready */
    int series_fd;             /* -1: none */
    const char *proc_root;     /* "" */
    /* Called once a second from the gate on, by the parent. NULL: it sleeps until something happens. */
    void (*tick)(void *context, uint64_t elapsed_ns);
    void *tick_context;
};

/* What one party of one copy left behind. */
struct trial_party {
    struct placement_seen seen;
    struct task_counters counters; /* of the run alone; -1: not known */
    uint64_t start_ns, end_ns;     /* CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;             /* where it ended; CPUSET_NONE: not known */
    uint64_t khz;                  /* of its CPU, right after the run; 0: not known */
    enum bind_mode bind;           /* as it was placed */
    const char *refused;           /* what was not as asked for (placement refused, party_degraded()); "": nothing */
};

enum trial_outcome {
    TRIAL_DONE,
    TRIAL_FAILED,      /* reason says why */
    TRIAL_INTERRUPTED, /* a signal asked the program to end */
};

struct trial; /* opaque; trial_free() ends it */

/* Bytes that the trial needs before it runs: the memory that parent and workers share, and what each worker's process
 * takes besides. */
uint64_t trial_memory_bytes(const struct trial_spec *spec);

/* Runs it. Returns NULL only when out of memory. However it ends, no process of it is left. */
struct trial *trial_run(const struct trial_spec *spec);
void trial_free(struct trial *trial);

enum trial_outcome trial_outcome(const struct trial *trial);
const char *trial_reason(const struct trial *trial);
/* Whether a party was stopped by a signal meanwhile, or the parent was and the trial failed: not the trial's own doing.
 */
bool trial_stopped(const struct trial *trial);
const struct trial_spec *trial_spec_of(const struct trial *trial);
uint64_t trial_gate_ns(const struct trial *trial); /* when the gate opened */
/* How long after start_at_ns the gate opened; negative: before it. */
int64_t trial_late_ns(const struct trial *trial);
uint64_t trial_wall_ns(const struct trial *trial); /* gate to the end of the last measured party */
/* Of the CPUs given to the measured parties of the copy (of all copies, unless the benchmark groups by copy). */
void trial_copy_machine(const struct trial *trial, unsigned copy, struct machine_counters *out);
void trial_party(const struct trial *trial, unsigned party, unsigned copy, struct trial_party *out);
/* The same of a party of the load, and how much of each LOAD_COUNTS it did between the gate and the end of the run. */
void trial_load_party(const struct trial *trial, unsigned party, struct trial_party *out);
double trial_load_count(const struct trial *trial, enum load_count count);
/* The SCHED_FIFO priority that the parent had from the gate on, 0: none. It has one when a party is SCHED_FIFO or the
 * benchmark asks for it, so that it can end the trial on time. Why it did not get it; "" when it did or needed none. */
int trial_control_priority(const struct trial *trial);
const char *trial_control_refused(const struct trial *trial);
/* Whether other parties of the trial can sit on another hardware thread of a core that is measured. */
bool trial_shares_core(const struct trial *trial);
const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);

/* When argv asks for a worker of a trial ("@worker"), runs it with the benchmark and the load found in the NULL-ended
 * registries and does not return. First thing in main. */
void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads);

#endif
