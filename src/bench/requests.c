/* SPDX-License-Identifier: MIT */
/* The task requests: messengers wake workers, which serve a request each. Method: schbench by Chris Mason (2016), as
 * documented. */
#include <math.h>

#include "bench/tasks.h"

/* A worker sleeps for so long before and after its work, as if it waited for others. */
#define SLEEP_NS 100000u

enum { REQUESTS_LATENCY, REQUESTS_WHOLE, REQUESTS_SERIES, REQUESTS_NUMBERS };
enum {
    NUMBER_SERVED,
    NUMBER_CPUS_KNOWN,
    NUMBER_SAME_CPU,
    NUMBER_CACHES_KNOWN,
    NUMBER_SAME_CACHE,
    NUMBER_SECONDS,
    REQUESTS_N_NUMBERS
};

struct requests;

struct messenger {
    uint32_t asked;         /* futex: changes with each worker that asks or ends */
    uint32_t working;       /* workers that have not ended */
    struct worker *waiting; /* those that asked, the last one first */
} __attribute__((aligned(64)));

struct worker {
    uint32_t turn;      /* futex: 1: has a request */
    uint64_t posted_ns; /* when it got that */
    struct worker *next;
    struct messenger *messenger;
    struct requests *requests;
    uint64_t *matrices; /* three */
    unsigned cpu;       /* where it was at the end of its last request; CPUSET_NONE: not known */
} __attribute__((aligned(64)));

struct cpu_lock {
    pthread_mutex_t mutex;
} __attribute__((aligned(64)));

struct requests {
    struct party_context *context;
    struct threads worker_threads, messenger_threads;
    size_t n_workers, n_messengers, side; /* of a matrix */
    struct worker *workers;
    struct messenger *messengers;
    uint64_t *matrices; /* of all workers */
    struct cpu_lock *locks;
    unsigned *cache; /* by CPU: the lowest one that shares its last cache */
    size_t n_cpus;   /* of locks and cache */
    /* Held for some 20 ns a request, after its last reading of the clock. */
    pthread_mutex_t record;
    struct thread_counters counters;
    struct placement_seen seen; /* by a worker */
    unsigned last_cpu;
};

static void multiply(uint64_t *matrices, size_t side)
{
    const uint64_t *a = matrices, *b = a + side * side;
    uint64_t *product = matrices + 2 * side * side;

    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k < side; k++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < side; j++)
                sum += a[i * side + j] * b[j * side + k];
            product[i * side + k] = sum;
        }
}

static int setup(struct party_context *context)
{
    const struct requests_params *params = context->params;
    struct requests *r = context->state;
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);

    r->context = context;
    r->n_messengers = (size_t)params->messengers;
    r->n_workers = (size_t)larger(params->sim.workers, params->messengers);
    r->side = (size_t)sqrt((double)(params->footprint_bytes / (3 * sizeof(*r->matrices))));
    r->n_cpus = cpus > 0 ? (size_t)cpus : 1;
    const size_t words = 3 * r->side * r->side;
    r->workers = threads_memory(r->n_workers, sizeof(*r->workers));
    r->messengers = threads_memory(r->n_messengers, sizeof(*r->messengers));
    r->locks = threads_memory(r->n_cpus, sizeof(*r->locks));
    r->matrices = threads_memory(r->n_workers, words * sizeof(*r->matrices));
    r->cache = calloc(r->n_cpus, sizeof(*r->cache));
    if (!r->workers || !r->messengers || !r->locks || !r->matrices || !r->cache)
        return party_fail(context, "out of memory");
    pthread_mutex_init(&r->record, NULL);
    pthread_mutex_init(&r->counters.lock, NULL);
    for (unsigned cpu = 0; cpu < r->n_cpus; cpu++) {
        struct cpuset shared;
        pthread_mutex_init(&r->locks[cpu].mutex, NULL);
        r->cache[cpu] = machine_last_cache(cpu, &shared) ? cpuset_next(&shared, 0) : CPUSET_NONE;
    }
    for (size_t i = 0; i < r->n_workers; i++) {
        struct messenger *messenger = &r->messengers[i % r->n_messengers];
        r->workers[i] = (struct worker){
            .messenger = messenger, .requests = r, .matrices = r->matrices + i * words, .cpu = CPUSET_NONE};
        messenger->working++;
        for (size_t k = 0; k < words; k++)
            r->workers[i].matrices[k] = k;
        multiply(r->workers[i].matrices, r->side); /* warm-up */
    }
    return 0;
}

static void change(uint32_t *futex)
{
    __atomic_add_fetch(futex, 1, __ATOMIC_RELEASE);
    futex_wake_all(futex);
}

/* Until all its workers have ended. */
static void *messenger_main(void *argument)
{
    struct messenger *m = argument;

    for (;;) {
        const uint32_t asked = __atomic_load_n(&m->asked, __ATOMIC_ACQUIRE);
        struct worker *worker = __atomic_exchange_n(&m->waiting, NULL, __ATOMIC_ACQUIRE);
        if (!worker && !__atomic_load_n(&m->working, __ATOMIC_ACQUIRE))
            return NULL;
        if (!worker)
            futex_wait(&m->asked, asked);
        while (worker) {
            struct worker *const next = worker->next; /* of it alone until it has its request */
            worker->posted_ns = clock_monotonic_ns();
            __atomic_store_n(&worker->turn, 1, __ATOMIC_RELEASE);
            futex_wake_all(&worker->turn);
            worker = next;
        }
    }
}

static void ask(struct worker *worker)
{
    struct messenger *m = worker->messenger;

    __atomic_store_n(&worker->turn, 0, __ATOMIC_RELAXED);
    worker->next = __atomic_load_n(&m->waiting, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&m->waiting, &worker->next, worker, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    change(&m->asked);
    while (!__atomic_load_n(&worker->turn, __ATOMIC_ACQUIRE))
        futex_wait(&worker->turn, 0);
}

/* Like data of a CPU: whoever is preempted with the lock holds up the next one there. */
static pthread_mutex_t *lock_cpu(struct requests *r)
{
    for (;;) {
        const unsigned cpu = task_current_cpu();
        pthread_mutex_t *mutex = &r->locks[cpu % r->n_cpus].mutex;
        pthread_mutex_lock(mutex);
        if (task_current_cpu() == cpu)
            return mutex;
        pthread_mutex_unlock(mutex);
    }
}

static void serve(const struct worker *worker)
{
    struct requests *r = worker->requests;
    const struct requests_params *params = r->context->params;

    clock_sleep_ns(SLEEP_NS);
    pthread_mutex_t *mutex = params->no_lock ? NULL : lock_cpu(r);
    for (uint64_t i = 0; i < params->operations; i++)
        multiply(worker->matrices, r->side);
    if (mutex)
        pthread_mutex_unlock(mutex);
    clock_sleep_ns(SLEEP_NS);
}

/* cpu: where it was woken. */
static void record(struct worker *worker, unsigned cpu, uint64_t latency_ns, uint64_t whole_ns)
{
    struct requests *r = worker->requests;
    struct party_context *context = r->context;
    double *numbers = context->recorder[REQUESTS_NUMBERS];
    const bool known = cpu < r->n_cpus && worker->cpu < r->n_cpus;
    const bool cached = known && r->cache[cpu] != CPUSET_NONE;

    pthread_mutex_lock(&r->record);
    hist_add(context->recorder[REQUESTS_LATENCY], latency_ns);
    hist_add_class(context->recorder[REQUESTS_WHOLE], whole_ns);
    series_add(context->recorder[REQUESTS_SERIES], (uint64_t)numbers[NUMBER_SERVED]++, latency_ns);
    numbers[NUMBER_CPUS_KNOWN] += known;
    numbers[NUMBER_SAME_CPU] += known && cpu == worker->cpu;
    numbers[NUMBER_CACHES_KNOWN] += cached;
    numbers[NUMBER_SAME_CACHE] += cached && r->cache[cpu] == r->cache[worker->cpu];
    pthread_mutex_unlock(&r->record);
    worker->cpu = task_current_cpu();
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct requests *r = worker->requests;
    struct task_counters begun;

    if (!threads_wait(&r->worker_threads))
        return NULL;
    if (worker == r->workers)
        place_read_back(&r->seen);
    task_read_counters(&begun);
    while (!party_stopped(r->context)) {
        ask(worker);
        const uint64_t ran = clock_monotonic_ns(), posted = worker->posted_ns;
        const unsigned cpu = task_current_cpu();
        serve(worker);
        record(worker, cpu, ran - posted, clock_monotonic_ns() - posted);
    }
    threads_count(&r->counters, &begun);
    r->last_cpu = worker->cpu;
    __atomic_sub_fetch(&worker->messenger->working, 1, __ATOMIC_RELEASE);
    change(&worker->messenger->asked);
    return NULL;
}

static int run(struct party_context *context)
{
    struct requests *r = context->state;
    double *numbers = context->recorder[REQUESTS_NUMBERS];

    /* Threads of a start that failed end with the process. */
    if (threads_start(&r->messenger_threads, context, r->n_messengers, messenger_main, r->messengers,
                      sizeof(*r->messengers)) ||
        threads_start(&r->worker_threads, context, r->n_workers, worker_main, r->workers, sizeof(*r->workers)))
        return -1;
    const uint64_t start = clock_raw_ns();
    threads_join(&r->worker_threads);
    const uint64_t end = clock_raw_ns();
    threads_join(&r->messenger_threads);
    numbers[NUMBER_SECONDS] = (double)(end - start) * 1e-9;
    party_measured(
        context,
        &(struct party_measured){
            .counters = &r->counters.sum, .seen = r->seen, .start_ns = start, .end_ns = end, .last_cpu = r->last_cpu});
    return numbers[NUMBER_SERVED] > 0 ? 0 : party_fail(context, "no request was served");
}

static void teardown(struct party_context *context)
{
    struct requests *r = context->state;

    if (r->worker_threads.id || r->messenger_threads.id)
        return; /* they still use it */
    free(r->workers);
    free(r->messengers);
    free(r->matrices);
    free(r->locks);
    free(r->cache);
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct requests_params *p = of->params;

    row_param_count(out, PARAM_WORK, "messengers", p->messengers);
    row_param_count(out, PARAM_WORK, "workers", larger(p->sim.workers, p->messengers));
    row_param_count(out, PARAM_WORK, "operations", p->operations);
    row_param_count(out, PARAM_WORK, "footprint_kib", p->footprint_bytes >> 10);
    if (p->no_lock)
        row_param_add(out, PARAM_WORK, "lock", "none");
}

enum {
    METRIC_LATENCY,
    METRIC_LATENCY_P99,
    METRIC_REQUEST,
    METRIC_REQUEST_P99,
    METRIC_RATE,
    METRIC_SAME_CPU,
    METRIC_SAME_CACHE,
    METRIC_LOAD
};
static const struct metric metrics[] = {
    [METRIC_LATENCY] = {METRIC("latency", "ns", "lower", "time from the hand-over of a request until its worker ran"),
                        .headline = true, .above = TASKS_ABOVE},
    [METRIC_LATENCY_P99] = {METRIC("latency_p99", "ns", "lower", "99th percentile of the latency of a run"),
                            .headline = true},
    [METRIC_REQUEST] = {METRIC("request_latency", "ns", "lower",
                               "time from the hand-over of a request until it was served"),
                        .above = TASKS_ABOVE},
    [METRIC_REQUEST_P99] = {METRIC("request_p99", "ns", "lower", "99th percentile of the request latency of a run")},
    [METRIC_RATE] = {METRIC("request_rate", "1/s", "higher", "requests served")},
    [METRIC_SAME_CPU] = {METRIC("same_cpu", "%", "", "share of the wake-ups on the CPU of the worker's last request")},
    [METRIC_SAME_CACHE] = {METRIC("same_cache", "%", "", "share of the wake-ups on a CPU that shares its last cache")},
    [METRIC_LOAD] = TASKS_LOAD_RATE,
};

static void reduce(const struct trial *trial, struct results *results)
{
    const struct hist *latency = trial_recorder(trial, 0, 0, REQUESTS_LATENCY);
    const struct hist *whole = trial_recorder(trial, 0, 0, REQUESTS_WHOLE);
    const double *n = trial_recorder(trial, 0, 0, REQUESTS_NUMBERS);

    results_hist(results, 0, METRIC_LATENCY, latency);
    results_series(results, 0, METRIC_LATENCY, trial_recorder(trial, 0, 0, REQUESTS_SERIES));
    results_hist(results, 0, METRIC_REQUEST, whole);
    results_samples(results, 0, METRIC_LATENCY, hist_mean(latency), tasks_percentile(latency, 0.99), hist_mean(whole),
                    tasks_percentile(whole, 0.99), n[NUMBER_SERVED] / n[NUMBER_SECONDS],
                    100 * n[NUMBER_SAME_CPU] / n[NUMBER_CPUS_KNOWN],
                    100 * n[NUMBER_SAME_CACHE] / n[NUMBER_CACHES_KNOWN]);
    tasks_load_rate(trial, results, METRIC_LOAD);
}

#define OWN(name_, member_, help_) OPTION(name_, 0, struct requests_params, member_, help_)
static const struct option options[] = {
    {OWN("messengers", messengers, "threads that hand out requests"), OPTION_NUMBER(COUNT, "N", 1, 1024),
     .preset[0] = "1"},
    {OWN("workers", sim.workers, "threads that serve them, shared among the messengers; default: one per CPU"),
     OPTION_NUMBER(COUNT, "N", 1, 4096)},
    {OWN("operations", operations, "multiplications of two matrices in a request"), OPTION_NUMBER(COUNT, "N", 1, 1e6),
     .preset[0] = "5"},
    {OWN("footprint", footprint_bytes, "memory of a worker's three matrices"),
     OPTION_NUMBER(SIZE, "SIZE", 1 << 10, 1 << 30), .preset[0] = "256K"},
    {OWN("no-lock", no_lock, "work without a lock of the CPU")},
};

const struct bench bench_requests = {
    BENCH_IS("latency", "requests", "threads that others wake, as in a server", struct requests_params),
    BENCH_OPTIONS(options),
    BENCH_PARTY(
        PARTY_IS("requests", [REQUESTS_LATENCY] = {RECORD_HIST, 0}, [REQUESTS_WHOLE] = {RECORD_HIST, 1000},
                 [REQUESTS_SERIES] = {RECORD_SERIES, 0}, [REQUESTS_NUMBERS] = {RECORD_NUMBERS, REQUESTS_N_NUMBERS}),
        .stop = STOP_FLAG, .children = CHILDREN_NORMAL, .state_size = sizeof(struct requests), .setup = setup,
        .run = run, .teardown = teardown),
    BENCH_METRICS(metrics),
    TASKS_SAMPLING,
    .switches = true,
    .describe = describe,
    .place = sim_place,
    .reduce = reduce,
};
