/* SPDX-License-Identifier: MIT */
/* A trial: one run of a benchmark, in which the processes and threads (parties) of all its copies begin together. */
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
    const struct load *load; /* background load that runs beside the benchmark; NULL: none */
    const void *load_params;
    unsigned copies;
    uint64_t sample;  /* number of this trial among those of the same plan item, from 0 */
    uint64_t time_ns; /* planned length; 0: until the measured parties are done */
    const struct place_request *place;
    const struct clock_info *clock;
    struct core_session *core;   /* what core probes have shown of the machine's cores; NULL: none are taken */
    uint64_t start_at_ns;        /* the parties do not begin before this time of CLOCK_REALTIME; 0: they begin as soon
                                  * as all are ready */
    bool counters;               /* count performance events even where that slows the work down (bench.switches) */
    struct culprit_watch *watch; /* records which other tasks run on the CPUs (culprits_make()); NULL: not recorded */
    int series_fd;               /* descriptor for the events of --series; -1: none */
    const char *proc_root;       /* root directory of /proc and /sys; "" except in tests */
    /* Called by the parent once a second during the run. NULL: the parent sleeps until something happens. */
    void (*tick)(void *context, uint64_t elapsed_ns);
    void *tick_context;
};

/* Results of one party (a process or thread) of one copy. */
struct trial_party {
    struct placement_seen seen;
    struct task_counters counters; /* the kernel's counters of the task for the run alone; -1: not known */
    struct counts counts;          /* performance events of the run */
    uint64_t start_ns, end_ns;     /* start and end of the run by CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;             /* CPU on which the party ended; CPUSET_NONE: not known */
    uint64_t khz;                  /* frequency of last_cpu in kHz right after the run; 0: not known */
    enum bind_mode bind;           /* how the party was bound to CPUs */
    const char *refused;           /* how the run differed from the request (placement refused, party_degraded()); "":
                                    * it did not */
};

enum trial_outcome {
    TRIAL_DONE,
    TRIAL_FAILED,      /* trial_reason() says why */
    TRIAL_INTERRUPTED, /* a signal asked the program to end */
};

struct trial; /* opaque; freed by trial_free() */

/* Returns the memory in bytes that the trial will need: the shared memory, and that of each process itself. */
uint64_t trial_memory_bytes(const struct trial_spec *spec);

/* Runs a trial, whose result trial_free() frees. Returns NULL only when out of memory. However the trial ends, all its
 * processes are killed. */
struct trial *trial_run(const struct trial_spec *spec);
void trial_free(struct trial *trial);

enum trial_outcome trial_outcome(const struct trial *trial);
const char *trial_reason(const struct trial *trial);
/* Returns whether a signal stopped or continued a party during the trial, or the trial failed after the parent was
 * stopped or had no CPU. Such a trial says nothing about the benchmark. */
bool trial_stopped(const struct trial *trial);
const struct trial_spec *trial_spec_of(const struct trial *trial);
uint64_t trial_gate_ns(const struct trial *trial); /* common start time of the parties, by CLOCK_MONOTONIC_RAW; 0: they
                                                    * did not start */
/* Returns how many ns after start_at_ns the parties began; negative: before it. */
int64_t trial_late_ns(const struct trial *trial);
uint64_t trial_wall_ns(const struct trial *trial); /* ns from the start to the end of the last measured party */
/* Copies to out by how much the machine's counters (interrupts and others) rose during the trial on the CPUs of the
 * measured parties: those of this copy if each copy has its own rows (group_per_copy), otherwise of all copies. */
void trial_copy_machine(const struct trial *trial, unsigned copy, struct machine_counters *out);
/* Returns which other tasks and interrupts ran during the trial on the CPUs that trial_copy_machine() describes. All
 * zero when that was not recorded. */
const struct culprits *trial_copy_culprits(const struct trial *trial, unsigned copy);
void trial_party(const struct trial *trial, unsigned party, unsigned copy, struct trial_party *out);
/* Return the results of a party of the load, and how much work of one kind the load did from the start to the end of
 * the run. */
void trial_load_party(const struct trial *trial, unsigned party, struct trial_party *out);
double trial_load_count(const struct trial *trial, enum load_count count);
/* Return the SCHED_FIFO priority that the parent had during the run (0: none), and why it was refused ("": it was not,
 * or none was needed). The parent asks for one when a party is SCHED_FIFO or the benchmark requires it (control_fifo),
 * so that it can end the trial on time. */
int trial_control_priority(const struct trial *trial);
const char *trial_control_refused(const struct trial *trial);
/* Returns whether parties of the trial can run on the other hardware thread of a core that is measured. */
bool trial_shares_core(const struct trial *trial);
const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);

/* If argv asks for it ("@worker"), runs a party's process and does not return. The benchmark and the load are looked up
 * in the NULL-terminated arrays. To be called first in main(). */
void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads);

#endif
