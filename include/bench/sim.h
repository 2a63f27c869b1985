/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: a task wakes on an absolute schedule, does a fixed amount of work and sleeps again. A
 * timing thread wakes it. The accounting is pure: times are passed in, and it reads no clock.
 * Method: Interbench by Con Kolivas (2006) as documented. There are two protocols. By default the timing thread keeps
 * the schedule by itself, and late work begins at once. Under --classic the task behaves like Interbench's: it wakes
 * its timing thread before each sleep, and skips the periods that it missed. See jitbench-latency(1). */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"

/* SCHED_FIFO priorities. The timing thread's is above the highest of a measured task (95), and below 99. */
enum { SIM_TIMER_PRIORITY = 96, SIM_TASK_PRIORITY = 95 };

/* Delays above this are noticed by users (7 ms, by the documentation of Interbench). */
#define SIM_NOTICED_NS 7000000u

struct sim_params {
    uint64_t interval_ns; /* time between two wake-ups; 0: no sleep, bursts of work follow each other directly */
    uint64_t busy_ns;     /* duration of the work after each wake-up, or of a burst */
    /* the task x: the work rises in equal steps from nothing to the whole interval over the run (or over 101 wake-ups,
     * again and again, if the run has more) */
    bool sweep;
    uint64_t late_after_ns; /* a wake-up counts as late if the task runs later than this after it was due; a burst, if
                             * it takes longer than planned by more than this */
    bool late_after_given;  /* late_after_ns was set by the user and is not the task's default */
    double loops_per_ms;
    bool real_time;  /* SCHED_FIFO for the task, and locked memory, even without --fifo */
    bool single_cpu; /* the task, its timing thread and the loads all run on the first chosen CPU */
    bool classic;    /* --classic: Interbench's protocol and figures */
};

/* --- The work. --- */

/* Runs the given number of rounds of register arithmetic, which compilers cannot shorten. */
void sim_work(uint64_t loops);

/* --- The accounting. --- */

/* The accounting of one task. All times are in nanoseconds of one clock; wake-up number k is due at start_ns + k *
 * interval_ns. */
struct sim_account {
    uint64_t start_ns, interval_ns;
    uint64_t next; /* number of the first wake-up that is not yet accounted for */
    /* the previous work was planned to fill its whole interval: the task does not sleep before wake-up number `next` */
    bool no_sleep;
    uint64_t late_after_ns;
    struct hist *latency;
    struct hist *total;    /* time from when a wake-up was due until the task ran: lateness of the timer plus latency */
    struct series *series; /* latency by number of the wake-up */
    uint64_t n_late;       /* number of entries of total above late_after_ns */
    uint64_t burns_done, burns_missed, deadlines_met, deadlines_missed;
    /* Fields of the classic protocol, which counts its wake-ups in `next`, and uses interval_ns but not start_ns. */
    struct hist *classic;
    uint64_t deadline_ns; /* deadline of the current turn (work, then sleep) */
    uint64_t asked_ns;    /* time until which the task asked to sleep before its current work; 0: it did not sleep */
    uint64_t late_ns;     /* latency of the current turn (work, then sleep) so far, as Interbench counts it */
};

/* The times at which the timing thread woke, for the last SIM_RING wake-ups. The timing thread may overwrite entries
 * while the task reads them, so it raises claimed before it writes. The task reads claimed after it has read the entry
 * of wake-up k: if claimed is above k + SIM_RING, the entry may already belong to a later wake-up. */
#define SIM_RING 1024u
struct sim_ring {
    uint32_t claimed;                    /* wake-ups below this number have been written or are being written */
    volatile uint64_t woke_ns[SIM_RING]; /* the entry of wake-up k is at k % SIM_RING */
};

/* Accounts for the wake-ups a->next to posted - 1 (at least one), which have been announced to a task that runs at
 * now_ns. Adds one latency for each of them, except for one before which the task did not sleep (a->no_sleep): now_ns
 * minus the time at which the timing thread woke, or minus the time at which the wake-up was due if its ring entry may
 * have been overwritten. In both cases a->total gets now_ns minus the time at which the wake-up was due. So a stall
 * counts once for each wake-up that it delayed. Returns the number of the wake-up whose work is to be done now, the
 * last one announced; the others were missed. */
uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const struct sim_ring *ring);

/* Records that the work of the wake-up returned by sim_begin() was done at now_ns. It was in time if the next wake-up
 * is not yet due. to_the_end: the work was planned to fill the interval (x at 100 %). */
void sim_end(struct sim_account *a, uint64_t now_ns, bool to_the_end);

/* Records that the timing thread ran at now_ns: stores this time in the ring for each wake-up from `first` to the last
 * one that is due and below limit. Returns the number after the last one. */
uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   struct sim_ring *ring);

/* Records that a burst of work of the task gaming, planned to last busy_ns, took took_ns. number: number of the burst
 * in the run, from 0. Both protocols use this function. */
void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns);

/* Returns the work in ns of wake-up number k in a run of time_ns (0: of unknown length). */
uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* --- The accounting of the classic protocol. --- */

/* One turn of the classic protocol: work, then sleep until the next deadline. */
struct sim_turn {
    uint64_t busy_ns;
    uint64_t interval_ns; /* time from this turn's deadline to the next one; 0: no sleep after the work */
    uint64_t shift_ns;    /* for the task x: the next deadline is later by this much, though the task sleeps only for
                           * interval_ns */
};

/* Returns turn number k (work, then sleep) of a run of time_ns (0: of unknown length). The interval of the task x is
 * the time that the work leaves of params->interval_ns. */
struct sim_turn sim_turn(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* Sets the deadline of the first turn (work, then sleep) to start_ns; the task sleeps until then. */
void sim_turn_first(struct sim_account *a, uint64_t start_ns);

/* Records that the task runs at now_ns, for its next turn (work, then sleep). If it slept (a->asked_ns), the timing
 * thread woke it at woke_ns; otherwise woke_ns is ignored. Returns true when the turn's work is to be done;
 * sim_turn_done() follows. Returns false when the turn was missed, and the next one is due. The latency as Interbench
 * counts it is recorded at the end of the turn in both cases. a->latency gets the true latency of the wake-up and, for
 * each period that was skipped, the time since its deadline. */
bool sim_turn_woken(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns, uint64_t woke_ns);

/* Records that the work of this turn (work, then sleep) was done at now_ns, and goes on to the next turn. */
void sim_turn_done(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns);

/* --- The descriptors. --- */

/* Indices of the parties: the process of the measured task, and the timing thread that wakes it. */
enum { SIM_TASK, SIM_TIMER };
enum { SIM_LATENCY, SIM_TOTAL, SIM_CLASSIC, SIM_SERIES, SIM_NUMBERS };
enum { TIMER_LATENCY };
enum { SIM_BURNS_DONE, SIM_BURNS_MISSED, SIM_DEADLINES_MET, SIM_DEADLINES_MISSED, SIM_LATE, SIM_N_NUMBERS };

enum {
    SIM_METRIC_LATENCY,
    SIM_METRIC_CLASSIC, /* only in the classic protocol */
    SIM_METRIC_DESIRED_CPU,
    SIM_METRIC_LATE,
    SIM_METRIC_DEADLINES, /* gaming has neither this metric nor those after it */
    SIM_METRIC_TIMER,
    SIM_METRIC_TOTAL,
    SIM_N_METRICS
};
extern const struct metric sim_metrics[SIM_N_METRICS];

/* The task and its timing thread, as parties (processes or threads) of a benchmark, and as parties of a background load
 * that runs the same simulation. Params of such a load begin with struct sim_params. */
extern const struct party sim_parties[2], sim_load_parties[2];
enum { SIM_SHARED_SIZE = 64 + SIM_RING * 8 + 64 };

void sim_describe(const void *params, const struct clock_info *clock, struct row_params *out);
void sim_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
               struct placement *placement);
/* Chooses the CPUs of a simulation: the range that the user named, one CPU of it, or any CPU (empty set). */
void sim_place_cpus(const struct sim_params *params, const struct place_request *request, struct placement *placement);
void sim_calibrate(void *params, double loops_per_ms);
void sim_reduce(const struct trial *trial, struct results *results);

/* Initialise the descriptor of a simulation: SIM_BENCH the members that all have; SIM_PERIODIC those of a task with a
 * timing thread; SIM_BURSTS those of a task without one, which never sleeps (gaming). */
#define SIM_BENCH(name_, title_)                                                                                       \
    .name = name_, .suite = "latency", .title = title_, .params_size = sizeof(struct sim_params),                      \
    .parties = sim_parties, .metrics = sim_metrics, .shared_size = SIM_SHARED_SIZE, .control_fifo = true,              \
    .switches = true, .describe = sim_describe, .place = sim_place, .calibrate = sim_calibrate, .reduce = sim_reduce,  \
    .sampling = SIM_SAMPLING
#define SIM_PERIODIC .n_parties = 2, .n_shared_metrics = SIM_N_METRICS, .n_metrics = SIM_N_METRICS
#define SIM_BURSTS   .n_parties = 1, .n_shared_metrics = SIM_METRIC_DEADLINES, .n_metrics = SIM_METRIC_DEADLINES
#define SIM_SAMPLING                                                                                                   \
    {                                                                                                                  \
        SAMPLING_EXACT(1, 4000, 600), SAMPLING_EXACT(1, 1000, 600), SAMPLING_EXACT(1, 30000, 600)                      \
    }

/* Default interval_ns, busy_ns, sweep and late_after_ns of each simulation. */
extern const struct sim_params sim_audio, sim_video, sim_x, sim_gaming, sim_custom;

#endif
