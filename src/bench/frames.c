/* SPDX-License-Identifier: MIT */
/* The task frame: a game or a desktop that draws frame after frame, with the help of worker threads, for a display or
 * as fast as it can. */

#include "bench/tasks.h"

#define SECOND_NS 1000000000u
/* A frame stutters when it takes more than so many times the median of the second before. */
#define STUTTER 2u
/* The work of a frame, in % of its time; of one that waits for no display. */
#define WORK_PCT    60u
#define UNLOCKED_NS 4000000u
/* Until the first vertical blank all threads are there. */
#define FIRST_BLANK_NS 1000000u

static const char *const rate_names[] = {"60", "120", "144", "240", "unlocked", NULL};

static uint64_t period_ns(const struct frame_params *params)
{
    static const uint64_t rates[FRAMES_UNLOCKED] = {60, 120, 144, 240};

    return params->rate == FRAMES_UNLOCKED ? 0 : SECOND_NS / rates[params->rate];
}

static uint64_t work_ns(const struct frame_params *params)
{
    const uint64_t period = period_ns(params);

    return params->work_ns ? params->work_ns : period ? period * WORK_PCT / 100 : UNLOCKED_NS;
}

/* --- Accounting. --- */

/* Whether it is above twice the median: whether twice the time of more than half of them is below it. */
static bool stutters(const struct frame_account *a, uint64_t took_ns)
{
    uint32_t below = 0;

    for (uint32_t i = 0; i < a->n; i++)
        below += STUTTER * a->took_ns[(a->oldest + i) % FRAME_WINDOW] < took_ns;
    return a->n >= FRAME_WINDOW_LEAST && below > a->n / 2;
}

void frame_shown(struct frame_account *a, uint64_t now_ns)
{
    const uint64_t took_ns = now_ns - a->shown_ns;

    if (!a->shown_ns) {
        a->first_ns = a->shown_ns = now_ns;
        return;
    }
    for (; a->n && (a->n == FRAME_WINDOW || a->at_ns[a->oldest] + SECOND_NS < a->shown_ns); a->n--)
        a->oldest = (a->oldest + 1) % FRAME_WINDOW;
    a->stutters += stutters(a, took_ns);
    if (a->series)
        series_add(a->series, a->times->n, took_ns);
    hist_add_class(a->times, took_ns);
    const uint32_t newest = (a->oldest + a->n++) % FRAME_WINDOW;
    a->at_ns[newest] = now_ns;
    a->took_ns[newest] = took_ns;
    a->shown_ns = now_ns;
}

uint64_t frame_blank(struct frame_account *a, uint64_t k, uint64_t ready_ns)
{
    const uint64_t due = k + 1, next = (ready_ns + a->period_ns - 1) / a->period_ns;

    a->missed += next > due ? next - due : 0;
    return larger(next, due);
}

/* --- The frames. --- */

enum { FRAME_NUMBERS = TASKS_OWN_RECORDER };
enum { NUMBER_STUTTERS, NUMBER_MISSED, NUMBER_MINUTES, FRAME_N_NUMBERS };

struct frame {
    struct party_context *context;
    struct threads threads;
    uint32_t begun;    /* frames whose work the workers may do; see sim_wait_above() */
    uint32_t finished; /* workers that have done it */
    struct frame_account account;
};

static int setup(struct party_context *context)
{
    const struct frame_params *params = context->params;
    struct frame *f = context->state;

    f->context = context;
    f->account.period_ns = period_ns(params);
    f->account.times = context->recorder[TASKS_HIST];
    f->account.series = context->recorder[TASKS_SERIES];
    memset(f->account.at_ns, 0, sizeof(f->account.at_ns)); /* touched */
    return threads_find_caches(&f->threads, context) ? -1 : sim_setup(context);
}

static void *worker_main(void *argument)
{
    struct frame *f = argument;
    const struct frame_params *params = f->context->params;
    const uint64_t part_ns = work_ns(params) / 4;
    struct thread_account account;

    if (!threads_wait(&f->threads))
        return NULL;
    thread_begins(&account);
    for (uint64_t done = 0; sim_wait_above(&f->begun, done) > done; done++) {
        thread_woke(&account, &f->threads);
        sim_work_for(&params->sim, part_ns);
        if (__atomic_add_fetch(&f->finished, 1, __ATOMIC_ACQ_REL) == params->sim.workers)
            futex_wake_all(&f->finished);
        thread_worked(&account);
    }
    threads_count(&f->threads, &account);
    return NULL;
}

/* A quarter of the work before that of the workers, who do one quarter each, and half of it after. */
static void draw(struct frame *f, uint64_t number)
{
    const struct frame_params *params = f->context->params;
    const uint64_t work = work_ns(params);

    sim_work_for(&params->sim, work / 4); /* input, simulation */
    __atomic_store_n(&f->finished, 0, __ATOMIC_RELEASE);
    sim_put_count(&f->begun, number + 1);
    sim_wait_above(&f->finished, params->sim.workers - 1);
    sim_work_for(&params->sim, work / 2); /* rendering */
}

/* Shown is a frame when the thread goes on after the vertical blank; without a display when it is drawn. */
static void show_frames(struct frame *f)
{
    struct frame_account *a = &f->account;
    const uint64_t start = clock_monotonic_ns() + FIRST_BLANK_NS;
    uint64_t blank = 0;

    for (uint64_t number = 0;; number++) {
        if (a->period_ns)
            clock_sleep_until(start + blank * a->period_ns);
        frame_shown(a, clock_monotonic_ns());
        if (party_stopped(f->context) && a->times->n)
            break;
        if (a->period_ns)
            thread_woke(&f->threads.main, &f->threads);
        draw(f, number);
        thread_worked(&f->threads.main);
        if (a->period_ns)
            blank = frame_blank(a, blank, clock_monotonic_ns() - start);
    }
    sim_end_count(&f->begun);
}

static int run(struct party_context *context)
{
    const struct frame_params *params = context->params;
    struct frame *f = context->state;
    struct frame_account *a = &f->account;
    double *numbers = context->recorder[FRAME_NUMBERS];

    /* Threads of a start that failed end with the process. */
    if (threads_start(&f->threads, context, (size_t)params->sim.workers, worker_main, f, 0))
        return -1;
    show_frames(f);
    threads_report(&f->threads, context);
    numbers[NUMBER_STUTTERS] = (double)a->stutters;
    numbers[NUMBER_MISSED] = (double)a->missed;
    numbers[NUMBER_MINUTES] = (double)(a->shown_ns - a->first_ns) / (60.0 * SECOND_NS);
    return 0;
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct frame_params *p = of->params;

    row_param_add(out, PARAM_WORK, "frame_rate", "%s", rate_names[p->rate]);
    row_param_count(out, PARAM_WORK, "work_us", work_ns(p) / 1000);
    row_param_count(out, PARAM_WORK, "workers", p->sim.workers);
    row_param_add(out, PARAM_OUTCOME, "loops_per_ms", "%.0f", p->sim.loops_per_ms);
}

enum { METRIC_TIME, METRIC_RATE, METRIC_LOW_MEAN, METRIC_LOW_P99, METRIC_STUTTERS, METRIC_MISSED };
static const struct metric metrics[] = {
    [METRIC_TIME] = {METRIC("frame_time", "ns", "lower", "time from one frame shown to the next"), .headline = true,
                     .above = TASKS_ABOVE},
    [METRIC_RATE] = {METRIC("frame_rate", "1/s", "higher", "frames shown")},
    [METRIC_LOW_MEAN] = {METRIC("low1_mean", "1/s", "higher", "frame rate of the mean of the slowest 1 % of frames")},
    [METRIC_LOW_P99] = {METRIC("low1_p99", "1/s", "higher", "frame rate of the 99th percentile of the frame times")},
    [METRIC_STUTTERS] = {METRIC("stutters", "1/min", "lower",
                                "frames that took over twice the median of the second before")},
    [METRIC_MISSED] = METRIC_OPTIONAL("missed_vblanks", "1/min", "lower", "vertical blanks without a new frame"),
    {TASKS_QUANTILE("frame_p99", 0.99, "99th percentile of the frame time"), .headline = true},
    TASKS_SAME,
    TASKS_LOAD_RATE,
};

static void reduce(const struct trial *trial, struct results *results)
{
    const struct frame_params *params = trial->spec.params;
    const struct hist *times = trial_recorder(trial, 0, 0, TASKS_HIST);
    const double *n = trial_recorder(trial, 0, 0, FRAME_NUMBERS);
    const double p99 = (double)times->n * 0.01 + 1e-6 >= TASKS_ABOVE ? hist_quantile(times, 0.99) : NAN;

    results_events(results, 0, METRIC_TIME, times, trial_recorder(trial, 0, 0, TASKS_SERIES));
    results_samples(results, 0, METRIC_RATE, 1e9 / hist_mean(times),
                    isnan(p99) ? NAN : 1e9 / hist_top_mean(times, 0.01), 1e9 / p99,
                    n[NUMBER_STUTTERS] / n[NUMBER_MINUTES]);
    if (period_ns(params))
        results_sample(results, 0, METRIC_MISSED, n[NUMBER_MISSED] / n[NUMBER_MINUTES]);
    tasks_same(trial, results);
    tasks_load_rate(trial, results);
}

#define OWN(name_, member_, help_) OPTION(name_, 0, struct frame_params, member_, help_)
static const struct option options[] = {
    {OWN("frame-rate", rate, "vertical blanks a second, or no display to wait for"),
     OPTION_ONE_OF("HZ|unlocked", rate_names), .preset[0] = "60"},
    {OWN("frame-work", work_ns, "work of a frame; default: 60 % of its time, unlocked 4 ms"),
     OPTION_NUMBER(DURATION, "TIME", 1e3, 10e9)},
    {OWN("frame-workers", sim.workers, "threads that help to draw a frame; default: one per CPU"),
     OPTION_NUMBER(COUNT, "N", 1, 4096)},
};

const struct bench bench_frame = {
    TASKS_BENCH("frame", "frames for a display, drawn by several threads", struct frame_params, metrics),
    BENCH_OPTIONS(options),
    BENCH_PARTY(PARTY_IS("frame", TASKS_RECORDERS(1000), [FRAME_NUMBERS] = {RECORD_NUMBERS, FRAME_N_NUMBERS}),
                TASKS_PARTY(struct frame, THREADS)),
    TASKS_SAMPLING(20),
};
