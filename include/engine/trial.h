/* SPDX-License-Identifier: MIT */
/* The shared memory of a trial (shm): parameters, states and results between the parent and the workers, the
 * processes that it starts. For the engine's own files only. */
#ifndef ENGINE_TRIAL_H
#define ENGINE_TRIAL_H

#include "engine/engine.h"
#include "sys/file.h"

#define SHM_MAGIC 0x6a626172u
#define PIPES_MAX 8

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
    int pipes[PIPES_MAX][2];
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
    int event_fd, series_fd, shm_fd;
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
    struct scratch_note load_group;                /* control group of the load's processes */
    uint32_t barrier_arrived[8], barrier_round[8]; /* of party_barrier(), by number of the party */
    struct trial_slot slot[];
};

#define PARTIES_MAX 8

/* Exit statuses of a worker without shared memory for its error; UNBORN: the C library's, before main(). */
enum { WORKER_NO_FSTAT = 123, WORKER_NO_MMAP, WORKER_ASTRAY, WORKER_UNBORN = 127 };
/* How a process of our own program ended by which wait() has this status. */
void trial_describe_death(int status, char *buf, size_t size);

static inline const struct party *party_in_shm(const struct trial_slot *slot, const struct bench *bench,
                                               const struct load *load)
{
    return slot->of_load && load ? &load->parties[slot->party] : &bench->parties[slot->party];
}

/* Shared memory with all parties and their placement, trial->head. Returns 0 or -errno. */
int trial_make_shm(struct trial *trial);

/* Sets the placement of n slots, whose party, copy and of_load are set. Leaves at least one online CPU that no
 * SCHED_FIFO party can keep busy (timing threads sleep): a copy that would take the last one gets the normal policy. */
void trial_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n);

/* Whether parties can so run on both hardware threads of a measured core; false when no threads are reported or no core
 * probes taken. */
bool parties_share_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n);

/* In the worker: runs the party of this slot, and the threads of its process. Returns the exit status. load may be
 * NULL. */
int worker_run(struct trial_head *head, unsigned slot, const struct bench *bench, const struct load *load);

/* Keeps n descriptors (negative: none) open in an exec, or not. Returns 0 or -errno. */
int worker_keep(const int *fds, size_t n, bool keep);

/* Replaces this process by a worker of this slot, of the program's file or (image_fd) a copy. Returns -errno. */
int worker_exec(const struct trial_head *head, unsigned slot, int image_fd, char *const envp[]);

/* In the worker: reports "cannot WHAT: ERROR" (-errno) before it began. Returns the exit status. */
int worker_not_started(struct trial_head *head, struct trial_slot *slot, const char *what, int error);

/* The parties have ended or are ending. */
void remove_scratch(const struct trial_head *head);
/* By the keeper of a killed party or parent: removes all scratch directories. */
void trial_orphaned(void *head);

/* Every party, or every measured one. */
bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only);
/* Sleeps until a party reports, a signal arrives, spec.tick is due, or until_ns (CLOCK_MONOTONIC_RAW); then handles
 * signals, failed parties, ended processes, and the tick. stopping: parties with STOP_KILL are expected to end. */
void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping);

/* Results of all trials of a plan item, and the rows made of them: each copy is a group with its own rows, or all
 * are one. For the engine's own files; benchmarks use engine/engine.h. */

/* Trials repeated because a signal stopped a process. Further ones count, and degrade the row. */
#define RESULTS_STOPPED_MAX 3u

struct metric_values {
    double *samples; /* one per trial, NAN: not known; with the core free, set by results_rows() */
    size_t n, capacity;
    struct hist *hist;
    struct series *series;
    const struct metric_values *of; /* shows these values times scale; NULL: its own */
    struct core_notes core;         /* slices that may have had the core free ("rate_alone") */
    struct core_alone alone;
    double scale;
    double low, high; /* interval of a quantile */
};

struct group_values {
    struct metric_values *metric;
    struct placement_seen seen; /* read back in the last trial */
    struct cpuset cpus;         /* allowed to the measured parties */
    enum bind_mode bind;
    bool mixed; /* not one policy in all trials */
    char refused[256];
    int control; /* the parent's FIFO priority; 0: none */
    double load_count[LOAD_COUNTS];
    bool pages_known;
    double pages_huge, pages_possible; /* bytes over trials, by results_pages() */
    struct row_params remarks;         /* by results_remark() */
    struct causes causes;
    struct counted counted;
    struct interference interference;
    uint64_t core_probes[CORE_LEVELS];
    unsigned core_cpu;            /* of the last core probes; CPUSET_NONE: none */
    struct stats_running core_hz; /* core frequency in Hz by trial */
    bool core_own;                /* the trial can use the core's other thread */
    double wall_s, khz_sum;
    uint64_t khz_n;
};

struct results {
    const struct plan_item *item;
    const struct plan_run *how;
    unsigned n_groups;
    struct group_values *group;
    struct row_params others; /* parties not measured: "timer=fifo:96 load=other" */
    uint64_t n_trials, spent_ns;
    double celsius[2];     /* before the first trial, after the last */
    uint64_t n_stopped;    /* trials in which a signal stopped a process; the first RESULTS_STOPPED_MAX are repeated */
    bool retaken;          /* the last trial waited for a CPU, and did not count: the next one does */
    bool waits;            /* nor did it help: no other one is replaced */
    uint64_t precise_from; /* trials after which the precision was reached, and has held; 0: not now */
    size_t order;          /* of the item in the plan */
    bool failed;           /* results_fail(), or out of memory */
    bool ended;
    double value;      /* median of the first metric, to calibrate others; NAN: none */
    char failure[160]; /* why there is no value */
};

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how);
void results_free(struct results *results);

/* Adds a trial that succeeded. Returns 0, or -1 when out of memory. */
int results_enter(struct results *results, const struct trial *trial);

/* Whether the trial is to be taken again, since one of its processes waited for a CPU for more than half of its
 * time: other tasks were measured, not the benchmark. One that waited again counts, and degrades the rows; where a
 * trial always waits, as under a quota, no other one is taken again. Not for work that is switching or waiting itself,
 * with a load, when the trial has more parties than CPUs, or in less than 100 ms. */
bool results_take_again(struct results *results, const struct trial *trial);

/* Half the 95 % interval of the headline metric, in % of the mean, in the group where it is widest; NAN below 5
 * samples. */
double results_precision_pct(const struct results *results);

/* The stop rule: whether the item needs no further sample; once after each trial. An interval checked after every
 * sample that ends the sampling is too narrow too often: it is narrow most easily when samples happen to lie close
 * together (Chow, Robbins 1965; a fixed number of further samples corrects this: Simons 1968). So the precision has
 * to hold for further samples (10, and a quarter of those before), or the count starts anew.
 * tests/unit/test_coverage.c: the 95 % interval covers 93 to 97 %. */
bool results_sampled_enough(struct results *results);

/* Passes all rows to how->sink, and returns the worst status. A status above ROW_OK and its reason override the
 * rows' own; failed and skipped rows have no values. */
enum row_status results_rows(struct results *results, enum row_status status, const char *reason);

#endif
