/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: a task that wakes on an absolute schedule, does a fixed amount of work and sleeps again,
 * woken by a timing thread of its own. The accounting is pure: it is fed times, and asks no clock.
 * Method: Interbench by Con Kolivas (2006) as documented; see jitbench-latency(1) for what is counted differently. */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"

/* SCHED_FIFO of those who must not wait: above the measured task (95 at most), below 99. */
enum { SIM_TIMER_PRIORITY = 96, SIM_TASK_PRIORITY = 95 };

struct sim_params {
    uint64_t interval_ns; /* between two wake-ups; 0: none, the work is done back to back */
    uint64_t busy_ns;     /* of work at each wake-up, or in each burst */
    bool sweep;           /* x: from nothing to the whole interval, in equal steps, over the run (or 101 wake-ups) */
    double loops_per_ms;
    bool real_time;  /* SCHED_FIFO for the task and locked memory, also when --fifo was not given */
    bool single_cpu; /* everything on the first CPU of the order */
};

/* --- The work. --- */

/* So many rounds of register arithmetic that no compiler shortens. */
void sim_work(uint64_t loops);

/* --- The accounting. --- */

/* One task. All times in nanoseconds of one clock; wake-up number k is at start_ns + k * interval_ns. */
struct sim_account {
    uint64_t start_ns, interval_ns;
    uint64_t next;         /* the first wake-up that is not accounted for */
    uint64_t done_ns;      /* end of the work before it; the task did not sleep when it was announced earlier */
    bool no_sleep;         /* nor was it to: that work was planned to last until now */
    uint64_t last_busy_ns; /* x: its classic deadline is that much later; 0 for the others */
    struct hist *latency, *classic;
    struct series *series; /* latency by number of the wake-up */
    uint64_t burns_done, burns_missed, deadlines_met, deadlines_missed;
};

/* The last wake-ups as the timing thread saw them: woke_ns[k % SIM_RING] for wake-up k. */
#define SIM_RING 1024u

/* The task runs, at now_ns, and wake-ups below posted have been announced (posted > a->next). Enters one latency for
 * each of them: now_ns less the time the timing thread woke (for those older than the ring, less their own time), so
 * that a stall counts once for each wake-up that it swallowed and no more; and the classic figures. Returns the number
 * of the wake-up whose work is to be done now, which is the last one announced: the others were missed. */
uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const uint64_t *woke_ns);

/* The work of the wake-up that sim_begin() returned, planned to last busy_ns, is done at now_ns. slide: the deadline is
 * later by the length of the work (x). */
void sim_end(struct sim_account *a, uint64_t now_ns, uint64_t busy_ns, bool slide);

/* Gaming: a burst planned to last busy_ns took took_ns. */
void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns);

/* The timing thread ran at now_ns, and wake-ups from first on (to the last before limit that is due) are announced by
 * it: keeps the time for each in woke_ns. Returns the number behind the last one. */
uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   uint64_t *woke_ns);

/* Work of wake-up number k of a run of time_ns (0: of unknown length). */
uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* --- The descriptors. --- */

/* The measured task is party 0, its timing thread party 1. */
enum { SIM_TASK, SIM_TIMER };
enum { SIM_LATENCY, SIM_CLASSIC, SIM_SERIES, SIM_NUMBERS, SIM_N_RECORDERS };
enum { TIMER_LATENCY, TIMER_N_RECORDERS };
enum { SIM_BURNS_DONE, SIM_BURNS_MISSED, SIM_DEADLINES_MET, SIM_DEADLINES_MISSED, SIM_N_NUMBERS };

enum {
    SIM_METRIC_LATENCY,
    SIM_METRIC_CLASSIC,
    SIM_METRIC_DESIRED_CPU,
    SIM_METRIC_DEADLINES, /* not of gaming */
    SIM_METRIC_TIMER,     /* not of gaming */
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

/* interval_ns, busy_ns and sweep of each. */
extern const struct sim_params sim_audio, sim_video, sim_x, sim_gaming;
extern const struct bench bench_audio, bench_video, bench_x, bench_gaming, bench_custom;
/* Finds loops_per_ms on the CPUs that will be used. */
extern const struct bench bench_calibrate;

#endif
