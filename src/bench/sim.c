/* SPDX-License-Identifier: MIT */
/* Simulated tasks: the accounting, the task's loop, and the thread that wakes it, as benchmarks and as loads. */
#include <sched.h>

#include "bench/sim.h"

/* Steps of the task x, with enough wake-ups: 0, 1, ... 100 % of its interval. */
#define SWEEP_STEPS 101u

/* ns of work of wake-up k in a run of time_ns (0: of unknown length). */
static uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns)
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

static uint64_t due(const struct sim_account *a, uint64_t k)
{
    return a->start_ns + k * a->interval_ns;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void add_latency(struct sim_account *a, uint64_t k, uint64_t late_ns, uint64_t total_ns)
{
    a->n_late += total_ns > a->late_after_ns;
    if (!a->latency)
        return;
    hist_add(a->latency, late_ns);
    hist_add(a->total, total_ns);
    series_add(a->series, k, late_ns);
}

/* When the timing thread woke, or, overwritten, when it was due. Reads the entry before `claimed`; the writer has
 * the opposite order. */
static uint64_t woke_at(const struct sim_account *a, const struct sim_ring *ring, uint64_t k)
{
    uint64_t woke = ring->woke_ns[k % SIM_RING];

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&ring->claimed, __ATOMIC_RELAXED) > k + SIM_RING ? due(a, k) : woke;
}

uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const struct sim_ring *ring)
{
    uint64_t current = posted - 1, first = a->next, lost = current - first;

    for (uint64_t k = first + a->no_sleep; k <= current; k++)
        add_latency(a, k, above(now_ns, woke_at(a, ring, k)), above(now_ns, due(a, k)));
    a->burns_missed += lost;
    a->deadlines_missed += lost;
    a->next = current;
    return current;
}

void sim_end(struct sim_account *a, uint64_t now_ns, bool to_the_end)
{
    a->next++;
    a->burns_done++;
    if (now_ns <= due(a, a->next))
        a->deadlines_met++;
    else
        a->deadlines_missed++;
    a->no_sleep = to_the_end;
}

void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns)
{
    uint64_t excess = above(took_ns, busy_ns);

    add_latency(a, number, excess, excess);
    hist_add(a->classic, excess);
    a->burns_done++;
}

uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   struct sim_ring *ring)
{
    uint64_t behind = first + 1;

    while (behind < limit && now_ns >= start_ns + behind * interval_ns)
        behind++;
    __atomic_store_n(&ring->claimed, (uint32_t)behind, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (uint64_t k = behind - first > SIM_RING ? behind - SIM_RING : first; k < behind; k++)
        ring->woke_ns[k % SIM_RING] = now_ns;
    return behind;
}

struct sim_turn sim_turn(const struct sim_params *params, uint64_t k, uint64_t time_ns)
{
    uint64_t busy = sim_busy_ns(params, k, time_ns), shift = params->sweep ? busy : 0;

    return (struct sim_turn){.busy_ns = busy, .interval_ns = params->interval_ns - shift, .shift_ns = shift};
}

/* Moves a missed deadline after now_ns. Returns the intervals (turn->interval_ns) skipped. A latency is added for
 * each period (a->interval_ns): x's intervals shrink to nothing, its periods do not. */
static uint64_t skip(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns)
{
    uint64_t n = (now_ns - a->deadline_ns) / turn->interval_ns + 1;

    for (uint64_t missed_ns = a->deadline_ns; missed_ns <= now_ns; missed_ns += a->interval_ns)
        add_latency(a, a->next++, now_ns - missed_ns, now_ns - missed_ns);
    a->deadlines_missed += n;
    a->late_ns += n * turn->interval_ns;
    a->deadline_ns += n * turn->interval_ns;
    return n;
}

static void end_turn(struct sim_account *a, const struct sim_turn *turn)
{
    if (a->classic)
        hist_add(a->classic, a->late_ns);
    a->asked_ns = turn->interval_ns ? a->deadline_ns : 0;
    a->deadline_ns += turn->shift_ns;
}

bool sim_turn_woken(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns, uint64_t woke_ns)
{
    uint64_t overslept = a->asked_ns ? above(woke_ns, a->asked_ns) : 0;

    if (a->asked_ns)
        add_latency(a, a->next++, above(now_ns, woke_ns), above(now_ns, a->asked_ns));
    a->late_ns = above(now_ns, a->deadline_ns + overslept);
    if (!turn->interval_ns || now_ns <= a->deadline_ns + turn->interval_ns)
        return true;
    a->deadline_ns += turn->interval_ns;
    a->burns_missed += skip(a, turn, now_ns);
    end_turn(a, turn);
    return false;
}

void sim_turn_done(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns)
{
    a->burns_done++;
    a->deadline_ns += turn->interval_ns;
    if (a->deadline_ns >= now_ns) {
        a->deadlines_met++;
    } else if (turn->interval_ns) {
        uint64_t n = skip(a, turn, now_ns);
        a->burns_missed += n > 1 ? n : 0; /* Interbench: one missed deadline is no missed work */
    }
    if (!turn->interval_ns)
        a->deadline_ns = now_ns;
    end_turn(a, turn);
}

#define MS_NS 1000000.0
/* Until the first wake-up both threads are ready. */
#define FIRST_WAKE_NS 1000000u
/* Work that warms up caches and frequency. */
#define WARM_MS 20

/* Common to task and timing thread. posted and asked are each a counter on which the other sleeps. */
struct sim_shared {
    uint32_t posted;   /* wake-ups announced */
    uint32_t asked;    /* --classic: sleeps requested */
    uint64_t start_ns; /* first wake-up, without --classic */
    uint64_t until_ns; /* --classic: end of the requested sleep */
    uint64_t woke_ns;  /* --classic: when the timing thread woke from it */
    char apart[32];    /* keeps the ring off the counters' cache line */
    struct sim_ring ring;
};
typedef char shared_fits[sizeof(struct sim_shared) <= SIM_SHARED_SIZE ? 1 : -1];

void sim_work(uint64_t loops)
{
    uint64_t x = loops | 1;

    /* A multiplication and an addition on the last round's result; the empty asm keeps the compiler from combining
     * rounds. */
    for (uint64_t i = 0; i < loops; i++) {
        x = x * 3 + i;
        __asm__ volatile("" : "+r"(x));
    }
}

void sim_work_for(const struct sim_params *params, uint64_t busy_ns)
{
    sim_work((uint64_t)((double)busy_ns / MS_NS * params->loops_per_ms));
}

int sim_setup(struct party_context *context)
{
    const struct sim_params *params = context->params;

    if (!(params->loops_per_ms >= 1))
        return party_fail(context, "not calibrated: %g loops a millisecond", params->loops_per_ms);
    sim_work_for(params, WARM_MS * (uint64_t)MS_NS);
    return 0;
}

uint64_t sim_wait_above(uint32_t *counter, uint64_t number)
{
    for (;;) {
        uint32_t count = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
        if ((count & ~SIM_COUNT_END) > number || count & SIM_COUNT_END)
            return count & ~SIM_COUNT_END;
        futex_wait(counter, count);
    }
}

void sim_put_count(uint32_t *counter, uint64_t count)
{
    futex_set(counter, (uint32_t)count);
}

void sim_end_count(uint32_t *counter)
{
    __atomic_or_fetch(counter, SIM_COUNT_END, __ATOMIC_RELEASE);
    futex_wake_all(counter);
}

/* At each wake-up until the last one announced. burst() (NULL: none) after each work. */
static void task_loop(struct party_context *context, struct sim_account *a,
                      void (*burst)(struct party_context *context))
{
    const struct sim_params *params = context->params;
    struct sim_shared *shared = context->shared;

    for (uint64_t posted; (posted = sim_wait_above(&shared->posted, a->next)) > a->next;) {
        a->start_ns = shared->start_ns;
        uint64_t k = sim_begin(a, clock_monotonic_ns(), posted, &shared->ring);
        uint64_t busy_ns = sim_busy_ns(params, k, context->time_ns);
        sim_work_for(params, busy_ns);
        sim_end(a, clock_monotonic_ns(), params->sweep && busy_ns >= params->interval_ns);
        if (burst)
            burst(context);
    }
}

/* Interbench's protocol, while the next deadline is within time_ns. The timing thread sleeps on the task's behalf. */
static void classic_loop(struct party_context *context, struct sim_account *a, uint64_t time_ns,
                         void (*burst)(struct party_context *context))
{
    const struct sim_params *params = context->params;
    struct sim_shared *shared = context->shared;
    uint64_t start = clock_monotonic_ns() + FIRST_WAKE_NS, sleeps = 0;

    a->deadline_ns = a->asked_ns = start;
    for (uint64_t k = 0; a->deadline_ns - start < time_ns; k++) {
        const struct sim_turn turn = sim_turn(params, k, context->time_ns);
        if (a->asked_ns) {
            shared->until_ns = a->asked_ns;
            sim_put_count(&shared->asked, ++sleeps);
            sim_wait_above(&shared->posted, sleeps - 1);
        }
        if (!sim_turn_woken(a, &turn, clock_monotonic_ns(), shared->woke_ns))
            continue;
        sim_work_for(params, turn.busy_ns);
        sim_turn_done(a, &turn, clock_monotonic_ns());
        if (burst)
            burst(context);
    }
    sim_end_count(&shared->asked);
}

static void bursts_loop(struct party_context *context, struct sim_account *a)
{
    const struct sim_params *params = context->params;
    uint64_t from = clock_monotonic_ns();

    for (uint64_t k = 0; !party_stopped(context); k++) {
        sim_work_for(params, params->busy_ns);
        uint64_t to = clock_monotonic_ns();
        sim_burst(a, k, params->busy_ns, to - from);
        from = to;
    }
}

static int task_run(struct party_context *context)
{
    const struct sim_params *params = context->params;
    double *numbers = context->recorder[SIM_NUMBERS];
    struct sim_account a = {.interval_ns = params->interval_ns,
                            .late_after_ns = params->late_after_ns,
                            .latency = context->recorder[SIM_LATENCY],
                            .total = context->recorder[SIM_TOTAL],
                            .classic = context->recorder[SIM_CLASSIC],
                            .series = context->recorder[SIM_SERIES]};

    if (!params->interval_ns)
        bursts_loop(context, &a);
    else if (params->classic)
        classic_loop(context, &a, context->time_ns, NULL);
    else
        task_loop(context, &a, NULL);
    numbers[SIM_BURNS_DONE] = (double)a.burns_done;
    numbers[SIM_BURNS_MISSED] = (double)a.burns_missed;
    numbers[SIM_DEADLINES_MET] = (double)a.deadlines_met;
    numbers[SIM_DEADLINES_MISSED] = (double)a.deadlines_missed;
    numbers[SIM_LATE] = (double)a.n_late;
    return a.burns_done || a.next ? 0 : party_fail(context, "the simulated task never ran");
}

/* Without a sleep every wake-up would appear to be on time. */
static int timer_setup(struct party_context *context)
{
    const int error = clock_sleep_until(0);

    return error ? party_fail(context, "cannot sleep: clock_nanosleep: %s", strerror(error)) : 0;
}

/* Until the task requests no more sleeps. */
static void sleep_for_task(struct sim_shared *shared, struct hist *hist)
{
    for (uint64_t k = 0; sim_wait_above(&shared->asked, k) > k; k++) {
        clock_sleep_until(shared->until_ns);
        uint64_t woke = shared->woke_ns = clock_monotonic_ns(), until = shared->until_ns;
        sim_put_count(&shared->posted, k + 1);
        if (hist)
            hist_add(hist, woke - until);
    }
}

/* At their due times, whether or not the task has run. */
static void keep_schedule(struct party_context *context, struct sim_shared *shared, struct hist *hist)
{
    const struct sim_params *params = context->params;
    uint64_t interval = params->interval_ns, start = clock_monotonic_ns() + FIRST_WAKE_NS;
    uint64_t limit = context->time_ns ? context->time_ns / interval : SIM_COUNT_END - 1;

    shared->start_ns = start;
    limit = limit ? limit : 1;
    /* With a planned length the number is known, and the stop flag is not looked at: it may be set before the last
     * wake-up is due, or while this thread is delayed. */
    for (uint64_t k = 0; k < limit && (context->time_ns || !party_stopped(context));) {
        clock_sleep_until(start + k * interval);
        uint64_t woke = clock_monotonic_ns(), behind = sim_timer(start, interval, k, limit, woke, &shared->ring);
        sim_put_count(&shared->posted, behind);
        for (; k < behind; k++)
            if (hist)
                hist_add(hist, woke - (start + k * interval));
    }
    sim_end_count(&shared->posted);
}

/* Announces each wake-up right after reading the clock, then records its own lateness (not in a load). */
static int timer_run(struct party_context *context)
{
    const struct sim_params *params = context->params;
    struct hist *hist = context->recorder[TIMER_LATENCY];

    if (params->classic)
        sleep_for_task(context->shared, hist);
    else
        keep_schedule(context, context->shared, hist);
    return 0;
}

const struct party sim_parties[2] = {
    [SIM_TASK] =
        {PARTY_IS(
             "task", [SIM_LATENCY] = {RECORD_HIST, 0}, [SIM_TOTAL] = {RECORD_HIST, 0}, [SIM_CLASSIC] = {RECORD_HIST, 0},
             [SIM_SERIES] = {RECORD_SERIES, 0}, [SIM_NUMBERS] = {RECORD_NUMBERS, SIM_N_NUMBERS}),
         .stop = STOP_FLAG, .setup = sim_setup, .run = task_run},
    [SIM_TIMER] = {PARTY_IS("timer", [TIMER_LATENCY] = {RECORD_HIST, 0}), .role = ROLE_TIMER, .kind = PARTY_THREAD,
                   .stop = STOP_FLAG, .timer_slack_ns = 1, .setup = timer_setup, .run = timer_run},
};

static void count_burst(struct party_context *context)
{
    load_add(context, LOAD_BURSTS, 1);
    load_set(context, LOAD_CPU, task_process_cpu_s());
    party_proved(context);
}

static int load_run(struct party_context *context)
{
    const struct sim_params *params = context->params;
    struct sim_account a = {.interval_ns = params->interval_ns}; /* only bursts are read of a load */

    if (params->classic)
        classic_loop(context, &a, UINT64_MAX, count_burst);
    else
        task_loop(context, &a, count_burst);
    return 0;
}

/* Until the trial ends, perhaps after its planned time. */
static int load_timer_run(struct party_context *context)
{
    party_proved(context);
    context->time_ns = 0;
    return timer_run(context);
}

const struct party sim_load_parties[2] = {
    [SIM_TASK] = {LOAD_PARTY("load"), .setup = sim_setup, .run = load_run},
    [SIM_TIMER] = {.name = "load's timer", /* without a recorder */
                   .role = ROLE_LOAD,
                   .kind = PARTY_THREAD,
                   .stop = STOP_KILL,
                   .before_gate = true,
                   .setup = timer_setup,
                   .run = load_timer_run},
};

static void sim_describe(const struct bench_case *of, struct row_params *out)
{
    const struct sim_params *p = of->params;

    if (p->interval_ns)
        row_param_count(out, PARAM_WORK, "interval_us", p->interval_ns / 1000);
    if (p->sweep)
        row_param_add(out, PARAM_WORK, "busy", "sweep");
    else
        row_param_count(out, PARAM_WORK, "busy_us", p->busy_ns / 1000);
    row_param_add(out, PARAM_OUTCOME, "loops_per_ms", "%.0f", p->loops_per_ms);
    if (p->late_after_given)
        row_param_count(out, PARAM_WORK, "late_after_us", p->late_after_ns / 1000);
    if (p->classic && p->interval_ns)
        row_param_add(out, PARAM_WORK, "protocol", "classic");
}

/* One CPU if all is to run on one; else the user's choice, by default the whole range, as its load. */
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

void sim_place(const struct place_of *of, struct placement *placement)
{
    const struct sim_params *p = of->params;
    struct place_request wanted = *of->request;

    if (p->real_time && !wanted.fifo) {
        wanted.fifo = true;
        wanted.fifo_priority = SIM_TASK_PRIORITY;
    }
    wanted.bind = chosen_bind(p, of->request);
    place_copy(&wanted, of->copy, placement);
    sim_place_cpus(p, of->request, placement);
    placement->lock_memory = task_is_realtime(placement->policy);
    if (of->party == SIM_TIMER) {
        placement->policy = SCHED_FIFO; /* in every mode */
        placement->rt_priority = SIM_TIMER_PRIORITY;
        placement->nice_given = false;
        placement->uclamp[1] = 0;
    }
}

void sim_calibrate(void *params, double loops_per_ms)
{
    ((struct sim_params *)params)->loops_per_ms = loops_per_ms;
}

static const struct metric sim_metrics[SIM_N_METRICS] = {
    [SIM_METRIC_LATENCY] = {METRIC("latency", "ns", "lower",
                                   "time from the wake-up until the task ran, missed wake-ups included"),
                            .headline = true},
    [SIM_METRIC_CLASSIC] = {METRIC("latency_classic", "ns", "lower",
                                   "latency as Interbench counts it; with --classic only"),
                            .optional = true},
    [SIM_METRIC_DESIRED_CPU] = {METRIC("desired_cpu", "%", "higher", "share of the wanted work that was done")},
    [SIM_METRIC_LATE] = {METRIC("late", "%", "lower", "share of the wake-ups that are so late that a person notices")},
    [SIM_METRIC_DEADLINES] = {METRIC("deadlines_met", "%", "higher",
                                     "share of the work that was done before the next wake-up")},
    [SIM_METRIC_TIMER] =
        METRIC_MEDIAN("timer_latency", "ns", "lower", "time from the deadline until the timing thread ran"),
    [SIM_METRIC_TOTAL] = {METRIC("total", "ns", "lower",
                                 "time from the deadline until the task ran: timer and wake-up")},
    [SIM_METRIC_P99] = {METRIC("latency_p99", "ns", "lower", "99th percentile of the latency"), .optional = true,
                        .of = SIM_METRIC_LATENCY, .quantile = 0.99, .above = 10},
};

static double percent(double part, double rest)
{
    return part + rest > 0 ? 100 * part / (part + rest) : NAN;
}

static void sim_reduce(const struct trial *trial, struct results *results)
{
    const struct sim_params *params = trial->spec.params;
    const struct hist *latency = trial_recorder(trial, SIM_TASK, 0, SIM_LATENCY);
    const double *n = trial_recorder(trial, SIM_TASK, 0, SIM_NUMBERS);
    double busy = (double)params->busy_ns;
    double desired =
        params->interval_ns ? percent(n[SIM_BURNS_DONE], n[SIM_BURNS_MISSED]) : percent(busy, hist_mean(latency));

    results_events(results, 0, SIM_METRIC_LATENCY, latency, trial_recorder(trial, SIM_TASK, 0, SIM_SERIES));
    if (params->classic)
        results_events(results, 0, SIM_METRIC_CLASSIC, trial_recorder(trial, SIM_TASK, 0, SIM_CLASSIC), NULL);
    results_samples(results, 0, SIM_METRIC_DESIRED_CPU, desired,
                    percent(n[SIM_LATE], (double)latency->n - n[SIM_LATE]));
    if (!params->interval_ns)
        return;
    const struct hist *timer = trial_recorder(trial, SIM_TIMER, 0, TIMER_LATENCY);
    results_sample(results, 0, SIM_METRIC_DEADLINES, percent(n[SIM_DEADLINES_MET], n[SIM_DEADLINES_MISSED]));
    results_hist(results, 0, SIM_METRIC_TIMER, timer);
    results_sample(results, 0, SIM_METRIC_TIMER, hist_quantile(timer, 0.5));
    results_events(results, 0, SIM_METRIC_TOTAL, trial_recorder(trial, SIM_TASK, 0, SIM_TOTAL), NULL);
}

/* --- The simulated tasks. --- */

/* parties_ is 2 with a timing thread; 1 without, for a task that never sleeps (gaming). */
#define SIM(name_, title_, parties_, metrics_, ...) \
    const struct sim_params sim_##name_ = {__VA_ARGS__}; \
    const struct bench bench_##name_ = { \
        BENCH_IS("latency", #name_, title_, struct sim_params), \
        .parties = sim_parties, \
        .n_parties = parties_, \
        .metrics = sim_metrics, \
        .n_shared_metrics = metrics_, \
        .n_metrics = metrics_, \
        .shared_size = SIM_SHARED_SIZE, \
        .control_fifo = true, \
        .switches = true, \
        .describe = sim_describe, \
        .place = sim_place, \
        .calibrate = sim_calibrate, \
        .reduce = sim_reduce, \
        .sampling = {SAMPLING(1, 1, 4000, 600), SAMPLING(1, 1, 1000, 600), SAMPLING(1, 1, 30000, 600)}, \
    }

SIM(audio, "sound: 5 % of a CPU every 50 ms", 2, SIM_N_METRICS, .interval_ns = 50000000, .busy_ns = 2500000,
    .late_after_ns = 50000000);
SIM(video, "video: 40 % of a CPU, 60 times a second", 2, SIM_N_METRICS, .interval_ns = 16666000, .busy_ns = 6666000,
    .late_after_ns = 16666000);
SIM(x, "a window being dragged: 0 to 100 % of a CPU, every 100 ms", 2, SIM_N_METRICS, .interval_ns = 100000000,
    .sweep = true, .late_after_ns = SIM_NOTICED_NS);
SIM(gaming, "a game: all of a CPU, in bursts of 100 ms of work", 1, SIM_METRIC_DEADLINES, .busy_ns = 100000000,
    .late_after_ns = SIM_NOTICED_NS);
SIM(custom, "custom task: -C % of a CPU every -I microseconds", 2, SIM_N_METRICS, .late_after_ns = SIM_NOTICED_NS);
