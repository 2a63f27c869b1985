/* SPDX-License-Identifier: MIT */
/* A trial: one run of a benchmark, in which the parties of all its copies begin together. */
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
    const struct load *load; /* NULL: none */
    const void *load_params;
    unsigned copies;
    uint64_t sample;  /* number of this trial of the plan item, from 0 */
    uint64_t time_ns; /* 0: until the measured parties are done */
    const struct place_request *place;
    const struct clock_info *clock;
    struct core_session *core;   /* NULL: no core probes */
    uint64_t start_at_ns;        /* CLOCK_REALTIME; 0: as soon as all are ready */
    bool counters;               /* count events even where that slows the work (bench.switches) */
    struct culprit_watch *watch; /* culprits_make(); NULL: not recorded */
    int series_fd;               /* for --series; -1: none */
    const char *proc_root;       /* "" except in tests */
    /* In the parent, once a second. NULL: it sleeps until something happens. */
    void (*tick)(void *context, uint64_t elapsed_ns);
    void *tick_context;
};

/* Results of one party of one copy. */
struct trial_party {
    struct placement_seen seen;
    struct task_counters counters; /* for the run alone; -1: not known */
    struct counts counts;          /* of the run */
    uint64_t start_ns, end_ns;     /* CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;             /* CPUSET_NONE: not known */
    uint64_t khz;                  /* of last_cpu right after the run; 0: not known */
    enum bind_mode bind;
    const char *refused; /* how the run differed from the request, or "" */
};

enum trial_outcome {
    TRIAL_DONE,
    TRIAL_FAILED,      /* see trial_reason() */
    TRIAL_INTERRUPTED, /* a signal asked the program to end */
};

struct trial; /* freed by trial_free() */

/* Shared memory and that of each process. */
uint64_t trial_memory_bytes(const struct trial_spec *spec);

/* trial_free() frees the result; NULL only when out of memory. However the trial ends, all its processes are killed. */
struct trial *trial_run(const struct trial_spec *spec);
void trial_free(struct trial *trial);

enum trial_outcome trial_outcome(const struct trial *trial);
const char *trial_reason(const struct trial *trial);
/* A signal stopped or continued a party, or the trial failed after the parent was stopped or had no CPU: it says
 * nothing about the benchmark. */
bool trial_stopped(const struct trial *trial);
const struct trial_spec *trial_spec_of(const struct trial *trial);
uint64_t trial_gate_ns(const struct trial *trial); /* common start, CLOCK_MONOTONIC_RAW; 0: none */
/* After start_at_ns; negative: before. */
int64_t trial_late_ns(const struct trial *trial);
uint64_t trial_wall_ns(const struct trial *trial); /* to the end of the last measured party */
/* By how much the machine's counters rose on the CPUs of the measured parties: of this copy with group_per_copy,
 * else of all. */
void trial_copy_machine(const struct trial *trial, unsigned copy, struct machine_counters *out);
/* Other tasks and interrupts on the same CPUs; all zero when not recorded. */
const struct culprits *trial_copy_culprits(const struct trial *trial, unsigned copy);
void trial_party(const struct trial *trial, unsigned party, unsigned copy, struct trial_party *out);
/* The load: a party's results, and its work of one kind during the run. */
void trial_load_party(const struct trial *trial, unsigned party, struct trial_party *out);
double trial_load_count(const struct trial *trial, enum load_count count);
/* The parent's FIFO priority during the run (0: none), and why it was refused, or "". It asks for one when a party
 * is SCHED_FIFO or with control_fifo, so that it can end the trial on time. */
int trial_control_priority(const struct trial *trial);
const char *trial_control_refused(const struct trial *trial);
/* Parties can run on the other hardware thread of a measured core. */
bool trial_shares_core(const struct trial *trial);
const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);

/* If argv asks for it ("@worker"), runs a party's process, of the NULL-terminated arrays, and does not return. To be
 * called first in main(). */
void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads);

#endif
