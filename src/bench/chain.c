/* SPDX-License-Identifier: MIT */
/* The tasks input (a mouse and a compositor) and audio-period (three clients of a sound device): threads of which each
 * wakes the next; time wakes the first. */

#include "bench/tasks.h"

/* Of input. */
#define EVENT_NS  8000000u
#define RANDOM_NS 4000000u
/* Work of a client, in % of the period. */
#define CLIENT_PCT 10u
/* Until the first event all threads are there. */
#define FIRST_NS 1000000u
#define THREADS  3u

struct chain_kind {
    unsigned n;                /* threads, the first one included */
    bool periods;              /* the first thread too does all at once that have come */
    uint64_t random_ns;        /* between two events: the interval, give or take half of this */
    uint64_t work_ns[THREADS]; /* 0: CLIENT_PCT of the interval */
};
static const struct chain_kind mouse = {.n = 2, .random_ns = RANDOM_NS, .work_ns = {300000, 2000000}},
                               sound = {.n = 3, .periods = true};

/* The next one. */
struct event {
    uint64_t due_ns, random;
};

struct chain_member {
    struct chain *chain;
    uint32_t come; /* events */
} __attribute__((aligned(64)));
struct chain {
    struct party_context *context;
    struct threads threads;
    struct chain_member member[THREADS];
    struct event drawn; /* of the last member */
};

static uint64_t interval_ns(const struct sim_params *params)
{
    return params->interval_ns ? params->interval_ns : EVENT_NS;
}

static uint64_t work_ns(const struct chain_kind *kind, const struct sim_params *params, unsigned member)
{
    return kind->work_ns[member] ? kind->work_ns[member] : interval_ns(params) * CLIENT_PCT / 100;
}

static void advance(struct event *event, const struct chain_kind *kind, const struct sim_params *params)
{
    event->due_ns += interval_ns(params) - kind->random_ns / 2;
    event->due_ns += kind->random_ns ? stats_random(&event->random) % kind->random_ns : 0;
}

static int setup(struct party_context *context)
{
    struct chain *chain = context->state;

    chain->context = context;
    for (unsigned i = 0; i < THREADS; i++)
        chain->member[i].chain = chain;
    return threads_find_caches(&chain->threads, context) ? -1 : sim_setup(context);
}

static void record(struct chain *chain, uint64_t done, uint64_t come)
{
    const struct party_context *context = chain->context;
    const uint64_t now = clock_monotonic_ns();

    for (; done < come; done++) {
        const uint64_t latency_ns = now - chain->drawn.due_ns;
        hist_add_class(context->recorder[TASKS_HIST], latency_ns);
        series_add(context->recorder[TASKS_SERIES], done, latency_ns);
        advance(&chain->drawn, context->bench->test, context->params);
    }
}

/* Does all events at once that have come. */
static void *follow(void *argument)
{
    struct chain_member *member = argument;
    struct chain *chain = member->chain;
    const struct party_context *context = chain->context;
    const struct chain_kind *kind = context->bench->test;
    const unsigned number = (unsigned)(member - chain->member);
    const uint64_t work = work_ns(kind, context->params, number);
    const bool last = number == kind->n - 1;
    struct thread_account account;

    if (!threads_wait(&chain->threads))
        return NULL;
    thread_begins(&account);
    for (uint64_t done = 0, come; (come = sim_wait_above(&member->come, done)) > done; done = come) {
        thread_woke(&account, &chain->threads);
        sim_work_for(context->params, work);
        if (last)
            record(chain, done, come);
        else
            sim_put_count(&member[1].come, come);
        thread_worked(&account);
    }
    if (!last)
        sim_end_count(&member[1].come);
    threads_count(&chain->threads, &account);
    return NULL;
}

/* Events come at their times, however late the thread is. */
static void lead(struct chain *chain)
{
    const struct party_context *context = chain->context;
    const struct sim_params *params = context->params;
    const struct chain_kind *kind = context->bench->test;
    const uint64_t work = work_ns(kind, params, 0);
    struct event next = {.due_ns = clock_monotonic_ns() + FIRST_NS, .random = 1};
    uint64_t n = 0;

    chain->drawn = next;
    do {
        clock_sleep_until(next.due_ns);
        thread_woke(&chain->threads.main, &chain->threads);
        const uint64_t now = clock_monotonic_ns();
        do
            advance(&next, kind, params), n++;
        while (kind->periods && next.due_ns <= now);
        sim_work_for(params, work);
        sim_put_count(&chain->member[1].come, n);
        thread_worked(&chain->threads.main);
    } while (!party_stopped(context));
    /* Those that this thread is behind with, which would be later still: without them a long wait would not count. */
    for (const uint64_t now = clock_monotonic_ns(); next.due_ns <= now; n++)
        advance(&next, kind, params);
    sim_put_count(&chain->member[1].come, n);
    sim_end_count(&chain->member[1].come);
}

static int run(struct party_context *context)
{
    struct chain *chain = context->state;
    const struct chain_kind *kind = context->bench->test;

    /* Threads of a start that failed end with the process. */
    if (threads_start(&chain->threads, context, kind->n - 1, follow, &chain->member[1], sizeof(chain->member[0])))
        return -1;
    lead(chain);
    threads_report(&chain->threads, context);
    return 0;
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct chain_kind *kind = of->bench->test;
    const struct sim_params *params = of->params;
    uint64_t busy_ns = 0;

    for (unsigned i = 0; i < kind->n; i++)
        busy_ns += work_ns(kind, params, i);
    row_param_count(out, PARAM_WORK, "interval_us", interval_ns(params) / 1000);
    row_param_count(out, PARAM_WORK, "busy_us", busy_ns / 1000);
    row_param_add(out, PARAM_OUTCOME, "loops_per_ms", "%.0f", params->loops_per_ms);
}

static void reduce(const struct trial *trial, struct results *results)
{
    const struct hist *latency = tasks_reduce(trial, results);
    const double period_ns = (double)interval_ns(trial->spec.params);

    tasks_same(trial, results);
    if (((const struct chain_kind *)trial->spec.bench->test)->periods)
        results_sample(results, 0, TASKS_OWN_METRIC,
                       (double)hist_range(latency, period_ns, INFINITY).count / (double)latency->n * 60e9 / period_ns);
}

static const struct metric mouse_metrics[] = {
    TASKS_LATENCIES("time from an event until its result was drawn"),
    TASKS_SAME,
    TASKS_LOAD_RATE,
};

static const struct metric sound_metrics[] = {
    TASKS_LATENCIES("time from the start of a period until its last client had finished"),
    {METRIC("xruns", "1/min", "lower", "periods whose last client had not finished when the next one began")},
    TASKS_SAME,
    TASKS_LOAD_RATE,
};

const struct bench bench_input = {
    TASKS_BENCH("input", "events of a mouse, drawn by a second thread", struct sim_params, mouse_metrics),
    BENCH_PARTY(PARTY_IS("input", TASKS_RECORDERS(1000)), TASKS_PARTY(struct chain, THREADS)),
    TASKS_SAMPLING(20),
    .test = &mouse,
};

const struct bench bench_audio_period = {
    TASKS_BENCH("audio-period", "sound that three threads pass on in each period", struct sim_params, sound_metrics),
    BENCH_PARTY(PARTY_IS("audio-period", TASKS_RECORDERS(1000)), TASKS_PARTY(struct chain, THREADS)),
    TASKS_SAMPLING(24), /* over 1,000 periods, for P99 */
    .test = &sound,
};
