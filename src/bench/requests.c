/* SPDX-License-Identifier: MIT */
/* The task requests: messengers wake workers, which serve a request each. Method: schbench by Chris Mason (2016), as
 * documented. */
#include <sys/socket.h>

#include "bench/tasks.h"

/* A worker sleeps for so long before and after its work, as if it waited for others. */
#define SLEEP_NS 100000u

enum { REQUESTS_WHOLE = TASKS_OWN_RECORDER, REQUESTS_NUMBERS, REQUESTS_SERVED, REQUESTS_WHOLE_SERIES };
enum { NUMBER_SERVED, NUMBER_SECONDS, REQUESTS_N_NUMBERS };

static const char *const hand_over_names[] = {"futex", "pipe", "socket", NULL};
static const char *const cpus_names[] = {"any", "cache", "spread", NULL};

struct messenger {
    uint32_t asked;         /* futex: changes with each worker that asks or ends */
    uint32_t working;       /* workers that have not ended */
    struct worker *waiting; /* those that asked, the last one first */
} __attribute__((aligned(64)));

struct worker {
    uint32_t turn;                    /* futex: 1: has a request */
    int fd[2];                        /* instead; fd[1] 0: none */
    bool over;                        /* its turn is to end */
    uint64_t posted_ns;               /* when it got its request */
    uint64_t begun_ns;                /* when the first one of its chain did */
    struct worker *first, *following; /* of its chain; NULL: it is the last */
    struct worker *next;              /* waiting */
    struct messenger *messenger;
    struct requests *requests;
    uint64_t *matrices; /* three */
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
    uint64_t *matrices;     /* of all workers */
    struct cpu_lock *locks; /* by CPU */
    /* Held for some 20 ns a request, after its last clock reading. */
    pthread_mutex_t record;
    uint64_t served_ns;    /* when the last request was served; 0: none */
    struct cpuset allowed; /* to be shared among the workers; empty: each has them all */
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

/* One after the other. */
static size_t workers_of_chain(const struct requests_params *params)
{
    return (size_t)larger(params->chain, 1);
}

static size_t all_workers(const struct requests_params *params)
{
    const size_t chain = workers_of_chain(params);

    return chain * (size_t)larger((params->sim.workers + chain - 1) / chain, params->messengers);
}

size_t requests_cache_cpus(const unsigned *cache, size_t n, const struct cpuset *allowed, size_t number,
                           struct cpuset *out)
{
    struct cpuset caches = {0};

    for_each_cpu(cpu, allowed)
        if (cpu < n && cache[cpu] != CPUSET_NONE)
            cpuset_add(&caches, cache[cpu]);
    const size_t n_caches = cpuset_count(&caches);
    unsigned chosen = cpuset_next(&caches, 0);
    for (size_t i = n_caches ? number % n_caches : 0; i; i--)
        chosen = cpuset_next(&caches, chosen + 1);
    cpuset_clear(out);
    for_each_cpu(cpu, allowed)
        if (cpu < n && cache[cpu] == chosen)
            cpuset_add(out, cpu);
    return n_caches;
}

static void bind_to(struct requests *r, const struct cpuset *cpus)
{
    const int error = task_set_affinity(cpus);

    if (error)
        party_degraded(r->context, "CPU affinity refused: %s", strerror(-error));
}

static size_t choose_cpus(const struct requests *r, const struct cpuset *allowed, size_t number, struct cpuset *out)
{
    return requests_cache_cpus(r->worker_threads.cache, r->worker_threads.n_cpus, allowed, number, out);
}

/* The other threads follow the main one. */
static void place(struct requests *r, int how)
{
    struct cpuset allowed, cpus;

    if (how == WORKERS_ANY || task_get_affinity(&allowed))
        return;
    const size_t caches = choose_cpus(r, &allowed, 0, &cpus);
    if (!caches)
        party_degraded(r->context, "the last-level caches are not known: workers run on any CPU");
    else if (how == WORKERS_CACHE)
        bind_to(r, &cpus);
    else if (caches > 1)
        r->allowed = allowed;
    else
        party_degraded(r->context, "there is one last-level cache only");
}

static int setup(struct party_context *context)
{
    const struct requests_params *params = context->params;
    struct requests *r = context->state;
    const size_t chain = workers_of_chain(params);

    if (threads_find_caches(&r->worker_threads, context))
        return -1;
    const size_t n_cpus = r->worker_threads.n_cpus;
    r->context = context;
    r->n_messengers = (size_t)params->messengers;
    r->n_workers = all_workers(params);
    r->side = (size_t)sqrt((double)(params->footprint_bytes / (3 * sizeof(*r->matrices))));
    const size_t words = 3 * r->side * r->side;
    r->workers = threads_memory(r->n_workers, sizeof(*r->workers));
    r->messengers = threads_memory(r->n_messengers, sizeof(*r->messengers));
    r->locks = threads_memory(n_cpus, sizeof(*r->locks));
    r->matrices = threads_memory(r->n_workers, words * sizeof(*r->matrices));
    if (!r->workers || !r->messengers || !r->locks || !r->matrices)
        return party_fail(context, "out of memory");
    pthread_mutex_init(&r->record, NULL);
    for (size_t cpu = 0; cpu < n_cpus; cpu++)
        pthread_mutex_init(&r->locks[cpu].mutex, NULL);
    for (size_t i = 0; i < r->n_workers; i++) {
        struct worker *const worker = &r->workers[i];
        const bool last = i % chain == chain - 1;
        *worker = (struct worker){.messenger = &r->messengers[i / chain % r->n_messengers],
                                  .first = worker - i % chain,
                                  .following = last ? NULL : worker + 1,
                                  .requests = r,
                                  .matrices = r->matrices + i * words};
        worker->messenger->working += last;
        if (params->hand_over == HAND_OVER_PIPE     ? pipe(worker->fd)
            : params->hand_over == HAND_OVER_SOCKET ? socketpair(AF_UNIX, SOCK_STREAM, 0, worker->fd)
                                                    : 0)
            return party_fail(context, "cannot make the %s of worker %zu: %s%s", hand_over_names[params->hand_over],
                              i + 1, strerror(errno), errno == EMFILE ? " (RLIMIT_NOFILE)" : "");
        for (size_t k = 0; k < words; k++)
            worker->matrices[k] = k;
        multiply(worker->matrices, r->side); /* warm-up */
    }
    place(r, params->cpus);
    return 0;
}

static void change(uint32_t *futex)
{
    __atomic_add_fetch(futex, 1, __ATOMIC_RELEASE);
    futex_wake_all(futex);
}

static void wake(struct worker *worker)
{
    if (worker->fd[1]) {
        while (write(worker->fd[1], "", 1) < 0 && errno == EINTR) {
        }
        return;
    }
    futex_set(&worker->turn, 1);
}

/* Returns false at its end. */
static bool wait_for_turn(struct worker *worker)
{
    char byte;

    if (worker->fd[1]) {
        while (read(worker->fd[0], &byte, 1) < 0 && errno == EINTR) {
        }
        return !worker->over;
    }
    futex_await(&worker->turn);
    __atomic_store_n(&worker->turn, 0, __ATOMIC_RELAXED);
    return !worker->over;
}

static void hand_over(struct worker *worker, uint64_t begun_ns)
{
    worker->posted_ns = clock_monotonic_ns();
    worker->begun_ns = begun_ns ? begun_ns : worker->posted_ns;
    wake(worker);
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
            hand_over(worker, 0);
            worker = next;
        }
    }
}

static void ask(struct worker *worker)
{
    struct messenger *m = worker->messenger;

    worker->next = __atomic_load_n(&m->waiting, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&m->waiting, &worker->next, worker, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    change(&m->asked);
}

/* Like data of a CPU: whoever is preempted with the lock holds up the next one there. */
static pthread_mutex_t *lock_cpu(struct requests *r)
{
    for (;;) {
        const unsigned cpu = task_current_cpu();
        pthread_mutex_t *mutex = &r->locks[cpu % r->worker_threads.n_cpus].mutex;
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
    /* thousands of workers would otherwise go on for long when the run is over */
    for (uint64_t i = 0; i < params->operations && !party_stopped(r->context); i++)
        multiply(worker->matrices, r->side);
    if (mutex)
        pthread_mutex_unlock(mutex);
    clock_sleep_ns(SLEEP_NS);
}

static void record(const struct worker *worker, uint64_t ran_ns, uint64_t done_ns)
{
    struct requests *r = worker->requests;
    struct party_context *context = r->context;
    struct hist *latency = context->recorder[TASKS_HIST];
    double *numbers = context->recorder[REQUESTS_NUMBERS];

    pthread_mutex_lock(&r->record);
    series_add(context->recorder[TASKS_SERIES], latency->n, ran_ns - worker->posted_ns);
    hist_add(latency, ran_ns - worker->posted_ns);
    if (!worker->following) {
        series_add(context->recorder[REQUESTS_WHOLE_SERIES], (uint64_t)numbers[NUMBER_SERVED],
                   done_ns - worker->begun_ns);
        hist_add_class(context->recorder[REQUESTS_WHOLE], done_ns - worker->begun_ns);
        numbers[NUMBER_SERVED]++;
        if (r->served_ns)
            slices_add(context->recorder[REQUESTS_SERVED], 1, r->served_ns, larger(done_ns, r->served_ns));
        r->served_ns = larger(done_ns, r->served_ns);
    }
    pthread_mutex_unlock(&r->record);
}

/* The last worker of a chain. */
static void end_chain(struct worker *last)
{
    for (struct worker *worker = last->first; worker != last; worker++) {
        worker->over = true;
        wake(worker);
    }
    last->over = true;
    __atomic_sub_fetch(&last->messenger->working, 1, __ATOMIC_RELEASE);
    change(&last->messenger->asked);
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct requests *r = worker->requests;
    struct thread_account account;
    struct cpuset cpus;

    if (!threads_wait(&r->worker_threads))
        return NULL;
    if (!cpuset_is_empty(&r->allowed)) {
        choose_cpus(r, &r->allowed, (size_t)(worker - r->workers), &cpus);
        bind_to(r, &cpus);
    }
    thread_begins(&account);
    if (worker == worker->first)
        ask(worker);
    while (!worker->over && wait_for_turn(worker)) {
        const uint64_t ran = clock_monotonic_ns();
        thread_woke(&account, &r->worker_threads);
        serve(worker);
        record(worker, ran, clock_monotonic_ns());
        thread_worked(&account);
        if (worker->following)
            hand_over(worker->following, worker->begun_ns);
        else if (!party_stopped(r->context))
            ask(worker->first);
        else
            end_chain(worker);
    }
    threads_count(&r->worker_threads, &account);
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
    numbers[NUMBER_SECONDS] = threads_report(&r->worker_threads, context);
    threads_join(&r->messenger_threads);
    return numbers[NUMBER_SERVED] > 0 ? 0 : party_fail(context, "no request was served");
}

static void teardown(struct party_context *context)
{
    struct requests *r = context->state;

    if (r->worker_threads.id || r->messenger_threads.id)
        return; /* they still use it */
    threads_join(&r->worker_threads);
    for (size_t i = 0; r->workers && i < r->n_workers; i++)
        if (r->workers[i].fd[1]) {
            close(r->workers[i].fd[0]);
            close(r->workers[i].fd[1]);
        }
    free(r->workers);
    free(r->messengers);
    free(r->matrices);
    free(r->locks);
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct requests_params *p = of->params;

    row_param_count(out, PARAM_WORK, "messengers", p->messengers);
    row_param_count(out, PARAM_WORK, "workers", all_workers(p));
    row_param_count(out, PARAM_WORK, "operations", p->operations);
    row_param_count(out, PARAM_WORK, "footprint_kib", p->footprint_bytes >> 10);
    if (p->no_lock)
        row_param_add(out, PARAM_WORK, "lock", "none");
    if (workers_of_chain(p) > 1)
        row_param_count(out, PARAM_WORK, "chain", p->chain);
    if (p->hand_over != HAND_OVER_FUTEX)
        row_param_add(out, PARAM_WORK, "hand_over", "%s", hand_over_names[p->hand_over]);
    if (p->cpus != WORKERS_ANY)
        row_param_add(out, PARAM_WORK, "worker_cpus", "%s", cpus_names[p->cpus]);
}

static const struct metric metrics[] = {
    TASKS_LATENCIES("time from the hand-over of a request until its worker ran"),
    {METRIC("request_latency", "ns", "lower", "time from the hand-over of a request until it was served"),
     .above = TASKS_ABOVE},
    {TASKS_QUANTILE("request_p99", 0.99, "99th percentile of the request latency"), .of = TASKS_OWN_METRIC},
    {METRIC("request_rate", "1/s", "higher", "requests served")},
    {METRIC("stable_after", "s", "lower", "time after which the rate of requests changed no more")},
    TASKS_SAME,
    TASKS_LOAD_RATE,
};

double requests_stable_s(const struct slices *served)
{
    double each_ns[REQUESTS_SLICES];
    size_t at[REQUESTS_SLICES / CHANGE_POINTS_SIDE];

    if (served->n < REQUESTS_SLICES / 2)
        return NAN;
    for (size_t i = 0; i < served->n; i++)
        each_ns[i] = slice_ns(&served->slice[i]);
    const size_t n = change_points(each_ns, served->n, 0.01, 1, at);
    if (n == SIZE_MAX)
        return NAN;
    return n ? (double)(served->slice[at[n - 1]].start_ns - served->slice[0].start_ns) * 1e-9 : 0;
}

static void reduce(const struct trial *trial, struct results *results)
{
    const double *n = trial_recorder(trial, 0, 0, REQUESTS_NUMBERS);

    tasks_reduce(trial, results);
    results_events(results, 0, TASKS_OWN_METRIC, trial_recorder(trial, 0, 0, REQUESTS_WHOLE),
                   trial_recorder(trial, 0, 0, REQUESTS_WHOLE_SERIES));
    tasks_same(trial, results);
    results_samples(results, 0, TASKS_OWN_METRIC + 2, n[NUMBER_SERVED] / n[NUMBER_SECONDS],
                    requests_stable_s(trial_recorder(trial, 0, 0, REQUESTS_SERVED)));
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
    {OWN("chain", chain, "workers that a request passes, one after the other"), OPTION_NUMBER(COUNT, "N", 1, 1024),
     .preset[0] = "1"},
    {OWN("hand-over", hand_over, "how a request gets to a worker"), OPTION_ONE_OF("HOW", hand_over_names),
     .preset[0] = "futex"},
    {OWN("worker-cpus", cpus, "where workers run: on any CPU, on those of one last-level cache, or of each in turn"),
     OPTION_ONE_OF("WHERE", cpus_names), .preset[0] = "any"},
};

/* Without room for the footprints the kernel might end another program. */
static int supported(const struct bench_case *of, struct error *why)
{
    const struct requests_params *p = of->params;
    const size_t workers = all_workers(p);
    bool of_group;

    return (double)workers * (double)p->footprint_bytes > (double)machine_memory_left(&of_group)
               ? error_set(why, "%zu workers with %s each need more memory than is left", workers,
                           TEXT_BYTES(p->footprint_bytes))
               : 0;
}

const struct bench bench_requests = {
    TASKS_BENCH("requests", "threads that others wake, as in a server", struct requests_params, metrics),
    BENCH_OPTIONS(options),
    BENCH_PARTY(
        PARTY_IS("requests", TASKS_RECORDERS(0), [REQUESTS_WHOLE] = {RECORD_HIST, 1000},
                 [REQUESTS_NUMBERS] = {RECORD_NUMBERS, REQUESTS_N_NUMBERS},
                 [REQUESTS_SERVED] = {RECORD_SLICES, REQUESTS_SLICES}, [REQUESTS_WHOLE_SERIES] = {RECORD_SERIES, 0}),
        TASKS_PARTY(struct requests, THREADS), .teardown = teardown),
    TASKS_SAMPLING(20),
    .supported = supported,
};
