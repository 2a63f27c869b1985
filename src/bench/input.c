/* SPDX-License-Identifier: MIT */
/* The task input: events of a mouse, of which a first thread does a little work and a second one, a compositor, draws
 * the result. */
#include <math.h>

#include "bench/tasks.h"

/* Between two events: this, give or take a quarter, at random. */
#define EVENT_NS   8000000u
#define RANDOM_NS  4000000u
#define HANDLE_NS  300000u
#define COMPOSE_NS 2000000u
/* Until the first event both threads are there. */
#define FIRST_NS 1000000u
/* Events are kept; of those that wait to be drawn, the last half of so many. */
#define WAITING 1024u

enum { INPUT_LATENCY, INPUT_SERIES };

struct input {
    struct party_context *context;
    struct threads threads;
    uint32_t handled; /* events; see sim_wait_above() */
    volatile uint64_t due_ns[WAITING];
    struct thread_counters counters;
};

static int setup(struct party_context *context)
{
    struct input *input = context->state;

    input->context = context;
    pthread_mutex_init(&input->counters.lock, NULL);
    return sim_setup(context);
}

/* Draws all events that have been handled at once. */
static void *compose(void *argument)
{
    struct input *input = argument;
    struct party_context *context = input->context;
    struct task_counters begun;

    if (!threads_wait(&input->threads))
        return NULL;
    task_read_counters(&begun);
    for (uint64_t drawn = 0, handled; (handled = sim_wait_above(&input->handled, drawn)) > drawn;) {
        sim_work_for(context->params, COMPOSE_NS);
        const uint64_t now = clock_monotonic_ns();
        for (drawn = larger(drawn, handled > WAITING / 2 ? handled - WAITING / 2 : 0); drawn < handled; drawn++) {
            const uint64_t latency_ns = now - input->due_ns[drawn % WAITING];
            hist_add_class(context->recorder[INPUT_LATENCY], latency_ns);
            series_add(context->recorder[INPUT_SERIES], drawn, latency_ns);
        }
    }
    threads_count(&input->counters, &begun);
    return NULL;
}

/* Events come at their times, however late the thread is. */
static void handle_events(struct input *input)
{
    uint64_t random = 1, due = clock_monotonic_ns() + FIRST_NS;

    for (uint64_t n = 0; !party_stopped(input->context) || !n; n++) {
        clock_sleep_until(due);
        sim_work_for(input->context->params, HANDLE_NS);
        input->due_ns[n % WAITING] = due;
        sim_put_count(&input->handled, n + 1);
        due += EVENT_NS - RANDOM_NS / 2 + stats_random(&random) % RANDOM_NS;
    }
    sim_end_count(&input->handled);
}

static int run(struct party_context *context)
{
    struct input *input = context->state;
    struct threads_span span;

    /* Threads of a start that failed end with the process. */
    if (threads_start(&input->threads, context, 1, compose, input, 0))
        return -1;
    threads_begin(&span);
    handle_events(input);
    threads_report(&input->threads, context, &span, &input->counters);
    return 0;
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "interval_us", EVENT_NS / 1000);
    row_param_count(out, PARAM_WORK, "busy_us", (HANDLE_NS + COMPOSE_NS) / 1000);
    row_param_add(out, PARAM_OUTCOME, "loops_per_ms", "%.0f", ((const struct sim_params *)of->params)->loops_per_ms);
}

enum { METRIC_LATENCY, METRIC_LATENCY_P99, METRIC_LOAD };
static const struct metric metrics[] = {
    [METRIC_LATENCY] = {METRIC("latency", "ns", "lower", "time from an event until its result was drawn"),
                        .headline = true, .above = TASKS_ABOVE},
    [METRIC_LATENCY_P99] = {METRIC("latency_p99", "ns", "lower", "99th percentile of the latency of a run"),
                            .headline = true},
    [METRIC_LOAD] = TASKS_LOAD_RATE,
};

static void reduce(const struct trial *trial, struct results *results)
{
    const struct hist *latency = trial_recorder(trial, 0, 0, INPUT_LATENCY);

    results_hist(results, 0, METRIC_LATENCY, latency);
    results_series(results, 0, METRIC_LATENCY, trial_recorder(trial, 0, 0, INPUT_SERIES));
    results_samples(results, 0, METRIC_LATENCY, hist_mean(latency), tasks_percentile(latency, 0.99));
    tasks_load_rate(trial, results, METRIC_LOAD);
}

const struct bench bench_input = {
    BENCH_IS("latency", "input", "events of a mouse, drawn by a second thread", struct sim_params),
    BENCH_PARTY(PARTY_IS("input", [INPUT_LATENCY] = {RECORD_HIST, 1000}, [INPUT_SERIES] = {RECORD_SERIES, 0}),
                .stop = STOP_FLAG, .children = CHILDREN_NORMAL, .state_size = sizeof(struct input), .setup = setup,
                .run = run),
    BENCH_METRICS(metrics),
    TASKS_SAMPLING,
    .switches = true,
    .describe = describe,
    .place = sim_place,
    .calibrate = sim_calibrate,
    .reduce = reduce,
};
