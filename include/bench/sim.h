/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: a timing thread wakes a task at fixed times; it works and sleeps. Method: Interbench by
 * Con Kolivas (2006) as documented. By default late work begins at once; under --classic the task wakes its timing
 * thread before each sleep, and skips the periods that it missed, like Interbench's. */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include "bench/list.h"

/* SCHED_FIFO: the timing thread above the highest measured task (95), below 99. */
enum { SIM_TIMER_PRIORITY = 96, SIM_TASK_PRIORITY = 95 };

/* Longer delays are noticed (7 ms, by Interbench's documentation). */
#define SIM_NOTICED_NS 7000000u

struct sim_params {
    uint64_t interval_ns; /* 0: no sleep, bursts follow each other */
    uint64_t busy_ns;     /* of work after each wake-up, or of a burst */
    /* task x: the work rises from nothing to the whole interval over the run (or 101 wake-ups, again and again) */
    bool sweep;
    uint64_t late_after_ns; /* later than this after it was due is late; for a burst, so much longer than planned */
    bool late_after_given;  /* by the user */
    double loops_per_ms;
    bool real_time;   /* SCHED_FIFO and locked memory even without --fifo */
    bool single_cpu;  /* task, timing thread and loads on the first chosen CPU */
    bool classic;     /* Interbench's protocol and figures */
    uint64_t workers; /* threads that work in the tasks requests and frame */
};

/* Rounds of register arithmetic that compilers cannot shorten. */
void sim_work(uint64_t loops);
/* By the calibration. */
void sim_work_for(const struct sim_params *params, uint64_t busy_ns);

/* Of a party whose params begin with struct sim_params: warms up caches and frequency; -1: not calibrated. */
int sim_setup(struct party_context *context);

/* A counter on which threads sleep (futex) until it rises above a number; SIM_COUNT_END: it rises no more. */
#define SIM_COUNT_END 0x80000000u
/* Returns the counter; after sim_end_count() perhaps number or less. */
uint64_t sim_wait_above(uint32_t *counter, uint64_t number);
void sim_put_count(uint32_t *counter, uint64_t count);
void sim_end_count(uint32_t *counter);

/* Accounting of one task, in ns of one clock; wake-up k is due at start_ns + k * interval_ns. */
struct sim_account {
    uint64_t start_ns, interval_ns;
    uint64_t next; /* first wake-up not accounted for */
    /* the last work was to fill its interval: no sleep before wake-up `next` */
    bool no_sleep;
    uint64_t late_after_ns;
    struct hist *latency;  /* NULL: counts bursts and deadlines only */
    struct hist *total;    /* from due until the task ran: lateness of the timer plus latency */
    struct series *series; /* by number of the wake-up */
    uint64_t n_late;       /* in total, above late_after_ns */
    uint64_t burns_done, burns_missed, deadlines_met, deadlines_missed;
    /* Classic protocol, which counts wake-ups in `next` and does not use start_ns. */
    struct hist *classic;
    uint64_t deadline_ns; /* of the current turn (work, then sleep); at first, as asked_ns, the start */
    uint64_t asked_ns;    /* sleep asked for before the current work, until then; 0: none */
    uint64_t late_ns;     /* of the current turn so far, as Interbench counts */
};

/* When the timing thread woke, for the last SIM_RING wake-ups. It raises claimed before it writes, and the task reads
 * that after an entry: above k + SIM_RING, the entry of wake-up k may be a later one's. */
#define SIM_RING 1024u
struct sim_ring {
    uint32_t claimed;                    /* wake-ups written or being written */
    volatile uint64_t woke_ns[SIM_RING]; /* wake-up k at k % SIM_RING */
};

/* For a task that runs at now_ns: adds a latency for each of the announced wake-ups a->next to posted - 1 (at least
 * one), but for one before which the task did not sleep (a->no_sleep). Returns the last one, whose work is to be done;
 * the others were missed. */
uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const struct sim_ring *ring);

/* The work of sim_begin()'s wake-up was done at now_ns: in time if the next is not due. to_the_end: it was to fill
 * the interval (x at 100 %). */
void sim_end(struct sim_account *a, uint64_t now_ns, bool to_the_end);

/* The timing thread ran at now_ns: stores that for each wake-up from `first` to the last one due, below limit.
 * Returns the number after it. */
uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   struct sim_ring *ring);

/* A burst of gaming (number from 0), planned for busy_ns, took took_ns. In both protocols. */
void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns);

/* Work, then sleep until the next deadline. */
struct sim_turn {
    uint64_t busy_ns;
    uint64_t interval_ns; /* from this deadline to the next; 0: no sleep */
    uint64_t shift_ns;    /* task x: the next deadline is so much later, though the sleep is interval_ns */
};

/* Turn k of a run of time_ns (0: of unknown length). Task x: the interval is what the work leaves of
 * params->interval_ns. */
struct sim_turn sim_turn(const struct sim_params *params, uint64_t k, uint64_t time_ns);

/* The task runs at now_ns, for its next turn; if it slept (a->asked_ns), the timing thread woke it at woke_ns.
 * Returns whether the work is to be done, and sim_turn_done() follows; else the turn was missed. a->latency gets the
 * true latency and, for each skipped period, the time since its deadline. */
bool sim_turn_woken(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns, uint64_t woke_ns);

/* The work was done at now_ns; goes on to the next turn. */
void sim_turn_done(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns);

/* Process of the task; thread that wakes it. */
enum { SIM_TASK, SIM_TIMER };
enum { SIM_LATENCY, SIM_TOTAL, SIM_CLASSIC, SIM_SERIES, SIM_NUMBERS };
enum { TIMER_LATENCY };
enum { SIM_BURNS_DONE, SIM_BURNS_MISSED, SIM_DEADLINES_MET, SIM_DEADLINES_MISSED, SIM_LATE, SIM_N_NUMBERS };

enum {
    SIM_METRIC_LATENCY,
    SIM_METRIC_CLASSIC, /* classic protocol only */
    SIM_METRIC_DESIRED_CPU,
    SIM_METRIC_LATE,
    SIM_METRIC_DEADLINES, /* gaming has none from here on */
    SIM_METRIC_TIMER,
    SIM_METRIC_TOTAL,
    SIM_METRIC_P99,
    SIM_N_METRICS
};

/* For a benchmark and a load, whose params begin with struct sim_params. */
extern const struct party sim_parties[2], sim_load_parties[2];
enum { SIM_SHARED_SIZE = 64 + SIM_RING * 8 + 64 };

void sim_place(const struct place_of *of, struct placement *placement);
/* The range that the user named, one CPU of it, or any (empty set). */
void sim_place_cpus(const struct sim_params *params, const struct place_request *request, struct placement *placement);
void sim_calibrate(void *params, double loops_per_ms);

/* Defaults of interval_ns, busy_ns, sweep and late_after_ns. */
extern const struct sim_params sim_audio, sim_video, sim_x, sim_gaming, sim_custom;

#endif
