/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: accounting, the task's loop, and the thread that wakes it. */
#include "bench/sim.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/load.h"
#include "engine/text.h"
#include "sys/futex.h"
#include "sys/task.h"

#define MS_NS 1000000.0
/* Steps of x's sweep when there is room for all: 0, 1, ... 100 %. */
#define SWEEP_STEPS 101u
/* From the gate to the first wake-up: both threads are there by then. */
#define FIRST_WAKE_NS 1000000u
/* The working set and the frequency are warm after this much work. */
#define WARM_MS 20
/* Above this share of the CPU a real-time task does not sleep for long enough to be trusted with every CPU. */

/* --- The work. --- */

void sim_work(uint64_t loops)
{
    uint64_t x = loops | 1;

    /* One dependent multiplication and addition a round; the empty asm keeps the compiler from seeing through it. */
    for (uint64_t i = 0; i < loops; i++) {
        x = x * 3 + i;
        __asm__ volatile("" : "+r"(x));
    }
}

static void work_for(const struct sim_params *params, uint64_t busy_ns)
{
    sim_work((uint64_t)((double)busy_ns / MS_NS * params->loops_per_ms));
}

uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns)
{
    uint64_t steps = SWEEP_STEPS;

    if (!params->sweep)
        return params->busy_ns;
    if (time_ns && time_ns / params->interval_ns < steps)
        steps = time_ns / params->interval_ns;
    if (steps < 2)
        return params->interval_ns / 2;
    return params->interval_ns * (k % steps) / (steps - 1);
}

/* --- The accounting. --- */

static uint64_t due(const struct sim_account *a, uint64_t k)
{
    return a->start_ns + k * a->interval_ns;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const uint64_t *woke_ns)
{
    uint64_t current = posted - 1, first = a->next, lost = current - first, classic = 0;
    bool asleep = true;

    for (uint64_t k = first; k <= current; k++) {
        uint64_t woke = posted - k <= SIM_RING ? woke_ns[k % SIM_RING] : due(a, k);
        if (k == first) { /* less what the timing thread overslept */
            classic = above(now_ns, woke + a->last_busy_ns);
            asleep = a->done_ns <= woke;
        }
        if (k == first && a->no_sleep)
            continue; /* nobody was to wake up */
        hist_add(a->latency, above(now_ns, woke));
        series_add(a->series, k, above(now_ns, woke));
    }
    if (asleep)
        hist_add(a->classic, classic + lost * a->interval_ns);
    if (!asleep || lost)
        hist_add(a->classic, 0); /* the period that is under way, begun at once */
    a->burns_missed += lost;
    a->deadlines_missed += lost;
    a->next = current;
    return current;
}

void sim_end(struct sim_account *a, uint64_t now_ns, uint64_t busy_ns, bool slide)
{
    uint64_t next = a->next + 1, slack_ns = slide ? busy_ns : 0;

    a->burns_done++;
    if (now_ns <= due(a, next) + slack_ns)
        a->deadlines_met++;
    else
        a->deadlines_missed++;
    a->done_ns = now_ns;
    a->no_sleep = slide && busy_ns >= a->interval_ns;
    a->last_busy_ns = slack_ns;
    a->next = next;
}

void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns)
{
    uint64_t excess = above(took_ns, busy_ns);

    hist_add(a->latency, excess);
    hist_add(a->classic, excess);
    series_add(a->series, number, excess);
    a->burns_done++;
}

uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   uint64_t *woke_ns)
{
    uint64_t k = first;

    do {
        woke_ns[k % SIM_RING] = now_ns;
        k++;
    } while (k < limit && now_ns >= start_ns + k * interval_ns);
    return k;
}

/* --- The parties. --- */

/* What task and timing thread of a process share. */
struct sim_shared {
    uint32_t posted; /* wake-ups announced; END when there will be no more: what the task sleeps on */
    uint64_t start_ns;
    char apart[48]; /* the times do not share a cache line with what is slept on */
    uint64_t woke_ns[SIM_RING];
};
typedef char shared_fits[sizeof(struct sim_shared) <= SIM_SHARED_SIZE ? 1 : -1];
#define POSTED_END 0x80000000u

/* CLOCK_MONOTONIC, on which the timing thread sleeps. */
static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int task_setup(struct party_context *context)
{
    const struct sim_params *params = context->params;

    if (!(params->loops_per_ms >= 1))
        return party_fail(context, "not calibrated: %g loops a millisecond", params->loops_per_ms);
    work_for(params, WARM_MS * (uint64_t)MS_NS);
    return 0;
}

/* Sleeps until more than next wake-ups are announced. Returns how many are; next or less at the end. */
static uint64_t wait_for_wakeup(struct sim_shared *shared, uint64_t next)
{
    for (;;) {
        uint32_t posted = __atomic_load_n(&shared->posted, __ATOMIC_ACQUIRE);
        if ((posted & ~POSTED_END) > next || posted & POSTED_END)
            return posted & ~POSTED_END;
        futex_wait(&shared->posted, posted);
    }
}

/* Each wake-up until the timing thread says that there are no more. */
static void task_loop(struct party_context *context, struct sim_account *a,
                      void (*burst)(struct party_context *context, uint64_t number))
{
    const struct sim_params *params = context->params;
    struct sim_shared *shared = context->shared;

    for (uint64_t posted; (posted = wait_for_wakeup(shared, a->next)) > a->next;) {
        a->start_ns = shared->start_ns;
        uint64_t k = sim_begin(a, now_ns(), posted, shared->woke_ns);
        uint64_t busy_ns = sim_busy_ns(params, k, context->time_ns);
        work_for(params, busy_ns);
        sim_end(a, now_ns(), busy_ns, params->sweep);
        if (burst)
            burst(context, k);
    }
}

static void bursts_loop(struct party_context *context, struct sim_account *a)
{
    const struct sim_params *params = context->params;
    uint64_t from = now_ns();

    for (uint64_t k = 0; !party_stopped(context); k++) {
        work_for(params, params->busy_ns);
        uint64_t to = now_ns();
        sim_burst(a, k, params->busy_ns, to - from);
        from = to;
    }
}

static int task_run(struct party_context *context)
{
    const struct sim_params *params = context->params;
    double *numbers = context->recorder[SIM_NUMBERS];
    struct sim_account a = {.interval_ns = params->interval_ns,
                            .latency = context->recorder[SIM_LATENCY],
                            .classic = context->recorder[SIM_CLASSIC],
                            .series = context->recorder[SIM_SERIES]};

    if (params->interval_ns)
        task_loop(context, &a, NULL);
    else
        bursts_loop(context, &a);
    numbers[SIM_BURNS_DONE] = (double)a.burns_done;
    numbers[SIM_BURNS_MISSED] = (double)a.burns_missed;
    numbers[SIM_DEADLINES_MET] = (double)a.deadlines_met;
    numbers[SIM_DEADLINES_MISSED] = (double)a.deadlines_missed;
    return a.burns_done ? 0 : party_fail(context, "the simulated task never ran");
}

static void sleep_until(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

/* Without sleep every wake-up would seem to come at once. */
static int timer_setup(struct party_context *context)
{
    const struct timespec past = {.tv_sec = 0, .tv_nsec = 0};
    int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL);

    return error && error != EINTR ? party_fail(context, "cannot sleep: clock_nanosleep: %s", strerror(error)) : 0;
}

/* Nothing stands between the clock and the announcement; what is to be recorded is recorded behind it. A load's timing
 * thread has no recorder. */
static int timer_run(struct party_context *context)
{
    const struct sim_params *params = context->params;
    struct sim_shared *shared = context->shared;
    struct hist *hist = context->recorder[TIMER_LATENCY];
    uint64_t interval = params->interval_ns, start = now_ns() + FIRST_WAKE_NS;
    uint64_t limit = context->time_ns ? context->time_ns / interval : POSTED_END - 1;

    shared->start_ns = start;
    limit = limit ? limit : 1;
    /* The stop may come before the last of a known number of wake-ups is due, or while this thread is kept waiting. */
    for (uint64_t k = 0; k < limit && (context->time_ns || !party_stopped(context));) {
        sleep_until(start + k * interval);
        uint64_t woke = now_ns(), behind = sim_timer(start, interval, k, limit, woke, shared->woke_ns);
        __atomic_store_n(&shared->posted, (uint32_t)behind, __ATOMIC_RELEASE);
        futex_wake_all(&shared->posted);
        for (; k < behind; k++)
            if (hist)
                hist_add(hist, woke - (start + k * interval));
    }
    __atomic_or_fetch(&shared->posted, POSTED_END, __ATOMIC_RELEASE);
    futex_wake_all(&shared->posted);
    return 0;
}

const struct party sim_parties[2] = {
    [SIM_TASK] = {.name = "task",
                  .role = ROLE_MEASURED,
                  .kind = PARTY_PROCESS,
                  .stop = STOP_FLAG,
                  .recorders = {[SIM_LATENCY] = {RECORD_HIST, 0},
                                [SIM_CLASSIC] = {RECORD_HIST, 0},
                                [SIM_SERIES] = {RECORD_SERIES, 0},
                                [SIM_NUMBERS] = {RECORD_NUMBERS, SIM_N_NUMBERS}},
                  .n_recorders = SIM_N_RECORDERS,
                  .setup = task_setup,
                  .run = task_run},
    [SIM_TIMER] = {.name = "timer",
                   .role = ROLE_TIMER,
                   .kind = PARTY_THREAD,
                   .stop = STOP_FLAG,
                   .timer_slack_ns = 1,
                   .recorders = {[TIMER_LATENCY] = {RECORD_HIST, 0}},
                   .n_recorders = TIMER_N_RECORDERS,
                   .setup = timer_setup,
                   .run = timer_run},
};

/* --- The same as a load. --- */

static int load_setup(struct party_context *context)
{
    /* Nobody reads what a load records of itself but its counts. */
    struct sim_account *a = calloc(1, sizeof(*a));

    context->state = a;
    if (!a || !(a->latency = calloc(1, sizeof(*a->latency))) || !(a->series = calloc(1, sizeof(*a->series))))
        return party_fail(context, "out of memory");
    a->classic = a->latency;
    hist_init(a->latency, 0);
    series_init(a->series);
    return task_setup(context);
}

static void count_burst(struct party_context *context, uint64_t number)
{
    (void)number;
    load_add(context, LOAD_BURSTS, 1);
    load_set(context, LOAD_CPU, task_process_cpu_s());
    party_proved(context);
}

static int load_run(struct party_context *context)
{
    struct sim_account *a = context->state;

    a->interval_ns = ((const struct sim_params *)context->params)->interval_ns;
    task_loop(context, a, count_burst);
    return 0;
}

static void load_teardown(struct party_context *context)
{
    struct sim_account *a = context->state;

    if (a) {
        free(a->latency);
        free(a->series);
    }
    free(a);
}

/* As long as the trial runs, which may be longer than its time. */
static int load_timer_run(struct party_context *context)
{
    party_proved(context);
    context->time_ns = 0;
    return timer_run(context);
}

const struct party sim_load_parties[2] = {
    [SIM_TASK] = {.name = "load",
                  .role = ROLE_LOAD,
                  .kind = PARTY_PROCESS,
                  .stop = STOP_KILL,
                  .before_gate = true,
                  LOAD_RECORDERS,
                  .setup = load_setup,
                  .run = load_run,
                  .teardown = load_teardown},
    [SIM_TIMER] = {.name = "load's timer",
                   .role = ROLE_LOAD,
                   .kind = PARTY_THREAD,
                   .stop = STOP_KILL,
                   .before_gate = true,
                   .setup = timer_setup,
                   .run = load_timer_run},
};

/* --- What the descriptors share. --- */

void sim_describe(const void *params, const struct clock_info *clock, char *buf, size_t size)
{
    const struct sim_params *p = params;
    char every[32] = "";

    (void)clock;
    if (p->interval_ns)
        (void)snprintf(every, sizeof(every), "interval_us=%llu ", (unsigned long long)(p->interval_ns / 1000));
    if (p->sweep)
        (void)snprintf(buf, size, "%sbusy=sweep loops_per_ms=%.0f", every, p->loops_per_ms);
    else
        (void)snprintf(buf, size, "%sbusy_us=%llu loops_per_ms=%.0f", every, (unsigned long long)(p->busy_ns / 1000),
                       p->loops_per_ms);
}

/* The task may go wherever its load is, unless the user says otherwise. */
static enum bind_mode chosen_bind(const struct sim_params *params, const struct place_request *request)
{
    return params->single_cpu ? BIND_ONE : request->bind_given ? request->bind : BIND_RANGE;
}

void sim_place_cpus(const struct sim_params *params, const struct place_request *request, struct placement *placement)
{
    placement->bind = chosen_bind(params, request);
    cpuset_clear(&placement->cpus);
    if (placement->bind == BIND_ONE)
        cpuset_add(&placement->cpus, request->order[0]);
    else if (placement->bind == BIND_RANGE)
        placement->cpus = request->cpus;
}

void sim_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
               struct placement *placement)
{
    const struct sim_params *p = params;
    struct place_request wanted = *request;

    if (p->real_time && !wanted.fifo) {
        wanted.fifo = true;
        wanted.fifo_priority = SIM_TASK_PRIORITY;
    }
    wanted.bind = chosen_bind(p, request);
    place_copy(&wanted, copy, placement);
    sim_place_cpus(p, request, placement);
    placement->lock_memory = placement->policy == SCHED_FIFO;
    if (party == SIM_TIMER) {
        placement->policy = SCHED_FIFO; /* in every mode */
        placement->rt_priority = SIM_TIMER_PRIORITY;
        placement->nice_given = false;
    }
}

void sim_calibrate(void *params, double loops_per_ms)
{
    ((struct sim_params *)params)->loops_per_ms = loops_per_ms;
}

const struct metric sim_metrics[SIM_N_METRICS] = {
    [SIM_METRIC_LATENCY] = {.id = "latency",
                            .unit = "ns",
                            .better = "lower",
                            .value = VALUE_MEAN,
                            .headline = true,
                            .title = "from the wake-up to running, every wake-up, missed ones too"},
    [SIM_METRIC_CLASSIC] = {.id = "latency_classic",
                            .unit = "ns",
                            .better = "lower",
                            .value = VALUE_MEAN,
                            .title = "the same by Interbench's rule"},
    [SIM_METRIC_DESIRED_CPU] = {.id = "desired_cpu",
                                .unit = "%",
                                .better = "higher",
                                .value = VALUE_MEAN,
                                .title = "work done, of the work wanted"},
    [SIM_METRIC_DEADLINES] = {.id = "deadlines_met",
                              .unit = "%",
                              .better = "higher",
                              .value = VALUE_MEAN,
                              .title = "work done before the next wake-up"},
    [SIM_METRIC_TIMER] = {.id = "timer_latency",
                          .unit = "ns",
                          .better = "lower",
                          .value = VALUE_MEDIAN,
                          .title = "from the deadline to the timing thread"},
};

static double percent(double part, double rest)
{
    return part + rest > 0 ? 100 * part / (part + rest) : (double)NAN;
}

int sim_reduce(const struct trial *trial, struct results *results)
{
    const struct sim_params *params = trial_spec_of(trial)->params;
    const struct hist *latency = trial_recorder(trial, SIM_TASK, 0, SIM_LATENCY);
    const struct hist *classic = trial_recorder(trial, SIM_TASK, 0, SIM_CLASSIC);
    const double *n = trial_recorder(trial, SIM_TASK, 0, SIM_NUMBERS);
    double busy = (double)params->busy_ns;
    double desired =
        params->interval_ns ? percent(n[SIM_BURNS_DONE], n[SIM_BURNS_MISSED]) : percent(busy, hist_mean(classic));
    int error = 0;

    error |= results_hist(results, 0, SIM_METRIC_LATENCY, latency);
    error |= results_sample(results, 0, SIM_METRIC_LATENCY, hist_mean(latency));
    error |= results_series(results, 0, SIM_METRIC_LATENCY, trial_recorder(trial, SIM_TASK, 0, SIM_SERIES));
    error |= results_hist(results, 0, SIM_METRIC_CLASSIC, classic);
    error |= results_sample(results, 0, SIM_METRIC_CLASSIC, hist_mean(classic));
    error |= results_sample(results, 0, SIM_METRIC_DESIRED_CPU, desired);
    if (!params->interval_ns)
        return error;
    const struct hist *timer = trial_recorder(trial, SIM_TIMER, 0, TIMER_LATENCY);
    error |= results_sample(results, 0, SIM_METRIC_DEADLINES, percent(n[SIM_DEADLINES_MET], n[SIM_DEADLINES_MISSED]));
    error |= results_hist(results, 0, SIM_METRIC_TIMER, timer);
    error |= results_sample(results, 0, SIM_METRIC_TIMER, hist_quantile(timer, 0.5));
    return error;
}
