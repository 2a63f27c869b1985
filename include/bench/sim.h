/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: a task that wakes on an absolute schedule, does a fixed amount of work and sleeps again,
 * woken by a timing thread of its own. The accounting is pure: it is fed times, and asks no clock.
 * Method: Interbench by Con Kolivas (2006) as documented. There are two protocols. By default the timing thread keeps
 * the schedule by itself, and late work begins at once. Under --classic the task takes Interbench's turns: it wakes its
 * timing thread for each sleep, and skips what it was too late for. See jitbench-latency(1). */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"

/* SCHED_FIFO of those who must not wait: above the measured task (95 at most), below 99. */
enum { SIM_TIMER_PRIORITY = 96, SIM_TASK_PRIORITY = 95 };

/* A person notices delays above this (7 ms, by the documentation of Interbench). */
#define SIM_NOTICED_NS 7000000u

struct sim_params {
    uint64_t interval_ns;   /* between two wake-ups; 0: none, the work is done back to back */
    uint64_t busy_ns;       /* of work at each wake-up, or in each burst */
    bool sweep;             /* x: from nothing to the whole interval, in equal steps, over the run (or 101 wake-ups) */
    uint64_t late_after_ns; /* a wake-up that comes later than this counts as late; bursts: that takes longer by this */
    bool late_after_given;  /* by the user: it is not the task's own */
    double loops_per_ms;
    bool real_time;  /* SCHED_FIFO for the task and locked memory, also when --fifo was not given */
    bool single_cpu; /* everything on the first CPU of the order */
    bool classic;    /* Interbench's turns and figures */
};

/* --- The work. --- */

/* So many rounds of register arithmetic that no compiler shortens. */
void sim_work(uint64_t loops);

/* --- The accounting. --- */

/* One task. All times in nanoseconds of one clock; wake-up number k is at start_ns + k * interval_ns. */
struct sim_account {
    uint64_t start_ns, interval_ns;
    uint64_t next; /* the first wake-up that is not accounted for */
    bool no_sleep; /* the work before it was planned to last until then: nobody waits for it */
    uint64_t late_after_ns;
    struct hist *latency;
    struct hist *total;    /* from when a wake-up was due until the task ran: the timer's lateness and the latency */
    struct series *series; /* latency by number of the wake-up */
    uint64_t n_late;       /* entries of total above late_after_ns */
    uint64_t burns_done, burns_missed, deadlines_met, deadlines_missed;
    /* The classic protocol alone; it counts its wake-ups in next, and uses interval_ns but not start_ns. */
    struct hist *classic;
    uint64_t deadline_ns; /* when the turn should begin */
    uint64_t asked_ns;    /* when the timing thread was to wake the task; 0: the task does not sleep before this turn */
    uint64_t late_ns;     /* the turn's classic latency so far */
};

/* The last wake-ups as the timing thread saw them. It overwrites entries while the task may be reading them, so it
 * raises claimed first. The task looks at claimed after it has read the entry of wake-up k: above k + SIM_RING, what it
 * read may be the time of a later wake-up. */
#define SIM_RING 1024u
struct sim_ring {
    uint32_t claimed;                    /* wake-ups below this number are written or being written */
    volatile uint64_t woke_ns[SIM_RING]; /* of wake-up k at k % SIM_RING */
};

/* The task runs, at now_ns, and wake-ups below posted have been announced (posted > a->next). Enters one latency for
 * each of them: now_ns less the time the timing thread woke, or less the wake-up's own time where that entry of the
 * ring is or may be overwritten. The total is always now_ns less the wake-up's own time. So a stall counts once for
 * each wake-up that it swallowed and no more. Returns the number of the wake-up whose work is to be done now, which is
 * the last one announced: the others were missed. */
uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const struct sim_ring *ring);

/* The work of the wake-up that sim_begin() returned is done at now_ns: in time until the next one is due. to_the_end:
 * it was planned to last until then (x's full window). */
void sim_end(struct sim_account *a, uint64_t now_ns, bool to_the_end);

/* The timing thread ran at now_ns, and wake-ups from first on (to the last before limit that is due) are announced by
 * it: keeps the time for each in the ring. Returns the number behind the last one. */
uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   struct sim_ring *ring);

/* Gaming, in both protocols: a burst planned to last busy_ns took took_ns. */
void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns);

/* Work of wake-up number k of a run of time_ns (0: of unknown length). */
uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* --- The accounting of the classic protocol. --- */

/* One of Interbench's turns. */
struct sim_turn {
    uint64_t busy_ns;
    uint64_t interval_ns; /* from this turn's deadline to the next one; 0: the task does not sleep behind it */
    uint64_t shift_ns;    /* x: that deadline is later by this much, though the task sleeps only until it */
};

/* Turn number k of a run of time_ns (0: of unknown length). x: the work, and of the window what is left. */
struct sim_turn sim_turn(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* The first turn is due at start_ns, and the task sleeps until then. */
void sim_turn_first(struct sim_account *a, uint64_t start_ns);

/* The task runs at now_ns, after a sleep (a->asked_ns) from which the timing thread woke it at woke_ns; without a sleep
 * woke_ns does not matter. True: the turn's work is to be done, and sim_turn_done() follows. False: the turn was lost,
 * and the next one is due. Either way the classic latency is entered at the end of the turn; and into a->latency the
 * true one of the wake-up, and what was left of each whole period that was skipped. */
bool sim_turn_woken(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns, uint64_t woke_ns);

/* Its work is done at now_ns, and the next turn is due. */
void sim_turn_done(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns);

/* --- The descriptors. --- */

/* The measured task is party 0, its timing thread party 1. */
enum { SIM_TASK, SIM_TIMER };
enum { SIM_LATENCY, SIM_TOTAL, SIM_CLASSIC, SIM_SERIES, SIM_NUMBERS, SIM_N_RECORDERS };
enum { TIMER_LATENCY, TIMER_N_RECORDERS };
enum { SIM_BURNS_DONE, SIM_BURNS_MISSED, SIM_DEADLINES_MET, SIM_DEADLINES_MISSED, SIM_LATE, SIM_N_NUMBERS };

enum {
    SIM_METRIC_LATENCY,
    SIM_METRIC_CLASSIC, /* of the classic protocol */
    SIM_METRIC_DESIRED_CPU,
    SIM_METRIC_LATE,
    SIM_METRIC_DEADLINES, /* not of gaming, and so are those behind it */
    SIM_METRIC_TIMER,
    SIM_METRIC_TOTAL,
    SIM_N_METRICS
};
extern const struct metric sim_metrics[SIM_N_METRICS];

/* The parties of a benchmark, and those of a load that is the same simulation: its params begin with struct sim_params.
 */
extern const struct party sim_parties[2], sim_load_parties[2];
enum { SIM_SHARED_SIZE = 64 + SIM_RING * 8 + 64 };

void sim_describe(const void *params, const struct clock_info *clock, char *buf, size_t size);
void sim_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
               struct placement *placement);
/* The CPUs that the simulations of these params are given: the range named, or one of it. */
void sim_place_cpus(const struct sim_params *params, const struct place_request *request, struct placement *placement);
void sim_calibrate(void *params, double loops_per_ms);
int sim_reduce(const struct trial *trial, struct results *results);

/* What all descriptors begin with. gaming: the parties and metrics of a task without a timing thread. */
#define SIM_BENCH(name_, title_)                                                                                       \
    .name = name_, .suite = "latency", .title = title_, .params_size = sizeof(struct sim_params),                      \
    .parties = sim_parties, .metrics = sim_metrics, .shared_size = SIM_SHARED_SIZE, .control_fifo = true,              \
    .describe = sim_describe, .place = sim_place, .calibrate = sim_calibrate, .reduce = sim_reduce,                    \
    .sampling = SIM_SAMPLING
#define SIM_PERIODIC .n_parties = 2, .n_shared_metrics = SIM_N_METRICS, .n_metrics = SIM_N_METRICS
#define SIM_BURSTS   .n_parties = 1, .n_shared_metrics = SIM_METRIC_DEADLINES, .n_metrics = SIM_METRIC_DEADLINES
#define SIM_SAMPLING_OF(time_ms_)                                                                                      \
    {                                                                                                                  \
        .min_samples = 1, .max_samples = 1, .time_ns = time_ms_ * 1000000ull, .max_ns = 600 * 1000000000ull,           \
        .precision_pct = 2                                                                                             \
    }
#define SIM_SAMPLING                                                                                                   \
    {                                                                                                                  \
        [PRESET_DEFAULT] = SIM_SAMPLING_OF(4000), [PRESET_QUICK] = SIM_SAMPLING_OF(1000),                              \
        [PRESET_CLASSIC] = SIM_SAMPLING_OF(30000)                                                                      \
    }

/* interval_ns, busy_ns, sweep and late_after_ns of each. */
extern const struct sim_params sim_audio, sim_video, sim_x, sim_gaming;
extern const struct bench bench_audio, bench_video, bench_x, bench_gaming, bench_custom;
/* Finds loops_per_ms on the CPUs that will be used. */
extern const struct bench bench_calibrate;

#endif
