/* SPDX-License-Identifier: MIT */
/* Threads of a task or load, and what the tasks made of them have in common. */
#include "bench/tasks.h"

/* Small: there may be thousands, which do little but system calls. */
#define STACK_BYTES (64L << 10)

int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size)
{
    const long least = sysconf(_SC_THREAD_STACK_MIN); /* some vector units have much state: a signal's frame is large */
    pthread_attr_t attributes;
    int error = 0;

    *threads = (struct threads){.id = n <= UINT32_MAX ? calloc(n ? n : 1, sizeof(*threads->id)) : NULL,
                                .cache = threads->cache,
                                .n_cpus = threads->n_cpus};
    if (!threads->id || pthread_mutex_init(&threads->lock, NULL) || pthread_attr_init(&attributes))
        return party_fail(context, "out of memory");
    pthread_attr_setstacksize(&attributes, (size_t)(least > STACK_BYTES / 2 ? 2 * least : STACK_BYTES));
    while (threads->n < n && !error) {
        error = pthread_create(&threads->id[threads->n], &attributes, body, (char *)members + threads->n * member_size);
        threads->n += !error;
    }
    pthread_attr_destroy(&attributes);
    if (!error) {
        threads->start_ns = clock_raw_ns();
        place_read_back(&threads->seen);
        thread_begins(&threads->main);
        futex_set(&threads->made, 1);
        return 0;
    }
    return party_fail(context, "cannot make thread %u of %zu: %s%s", threads->n + 1, n, strerror(error),
                      error == EAGAIN ? " (RLIMIT_NPROC, the pids cgroup or memory)" : "");
}

bool threads_wait(struct threads *threads)
{
    futex_await(&threads->made);
    return !threads_ended(threads);
}

void threads_end(struct threads *threads)
{
    __atomic_store_n(&threads->ended, 1, __ATOMIC_RELEASE);
    futex_set(&threads->made, 1);
}

static void wait_for_end(const struct threads *threads)
{
    for (uint32_t i = 0; i < threads->n; i++)
        pthread_join(threads->id[i], NULL);
}

void threads_join(struct threads *threads)
{
    wait_for_end(threads);
    free(threads->id);
    free(threads->cache);
    *threads = (struct threads){0};
}

int threads_find_caches(struct threads *threads, struct party_context *context)
{
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    struct cpuset shared;

    threads->n_cpus = cpus > 0 ? (size_t)cpus : 1;
    threads->cache = calloc(threads->n_cpus, sizeof(*threads->cache));
    if (!threads->cache)
        return party_fail(context, "out of memory");
    for (unsigned cpu = 0; cpu < threads->n_cpus; cpu++)
        threads->cache[cpu] = machine_last_cache(cpu, &shared) ? cpuset_next(&shared, 0) : CPUSET_NONE;
    return 0;
}

void thread_begins(struct thread_account *account)
{
    *account = (struct thread_account){.cpu = CPUSET_NONE};
    task_read_counters(&account->counters);
}

void thread_woke(struct thread_account *account, const struct threads *threads)
{
    const unsigned cpu = task_current_cpu(), *cache = threads->cache;
    const bool known = cpu < threads->n_cpus && account->cpu < threads->n_cpus;
    const bool cached = known && cache[cpu] != CPUSET_NONE;

    account->wakes[WAKES_KNOWN] += known;
    account->wakes[WAKES_SAME_CPU] += known && cpu == account->cpu;
    account->wakes[WAKES_CACHE_KNOWN] += cached;
    account->wakes[WAKES_SAME_CACHE] += cached && cache[cpu] == cache[account->cpu];
}

void threads_count(struct threads *threads, const struct thread_account *account)
{
    struct task_counters now;

    task_read_counters(&now);
    known_subtract(&now, &account->counters, sizeof(now));
    pthread_mutex_lock(&threads->lock);
    known_add(&threads->sum.counters, &now, sizeof(now));
    for (size_t i = 0; i < N_WAKES; i++)
        threads->sum.wakes[i] += account->wakes[i];
    pthread_mutex_unlock(&threads->lock);
}

double threads_report(struct threads *threads, struct party_context *context)
{
    wait_for_end(threads);
    threads_count(threads, &threads->main);
    memcpy(context->recorder[TASKS_WAKES], threads->sum.wakes, sizeof(threads->sum.wakes));
    const struct party_measured measured = {.counters = &threads->sum.counters,
                                            .seen = threads->seen,
                                            .start_ns = threads->start_ns,
                                            .end_ns = clock_raw_ns(),
                                            .last_cpu = task_current_cpu()};
    party_measured(context, &measured);
    threads->n = 0;
    threads_join(threads);
    return (double)(measured.end_ns - measured.start_ns) * 1e-9;
}

void *threads_memory(size_t n, size_t size)
{
    void *memory;

    if (n > SIZE_MAX / size || posix_memalign(&memory, 64, n * size))
        return NULL;
    return memset(memory, 0, n * size);
}

void tasks_load_rate(const struct trial *trial, struct results *results)
{
    const struct load *load = trial->spec.load;

    for (unsigned i = 0; load && trial->load_s > 0 && i < LOAD_COUNTS; i++)
        if (load->least[i] > 0) {
            results_sample(results, 0, trial->spec.bench->n_metrics - 1, trial->load_count[i] / trial->load_s);
            return;
        }
}

static void sample_share(struct results *results, unsigned metric, double same, double known)
{
    if (known > 0)
        results_sample(results, 0, metric, 100 * same / known);
}

void tasks_same(const struct trial *trial, struct results *results)
{
    const double *wakes = trial_recorder(trial, 0, 0, TASKS_WAKES);
    const unsigned last = trial->spec.bench->n_metrics - 1;

    sample_share(results, last - 2, wakes[WAKES_SAME_CPU], wakes[WAKES_KNOWN]);
    sample_share(results, last - 1, wakes[WAKES_SAME_CACHE], wakes[WAKES_CACHE_KNOWN]);
}

const struct hist *tasks_reduce(const struct trial *trial, struct results *results)
{
    const struct hist *latency = trial_recorder(trial, 0, 0, TASKS_HIST);

    results_events(results, 0, TASKS_LATENCY, latency, trial_recorder(trial, 0, 0, TASKS_SERIES));
    tasks_load_rate(trial, results);
    return latency;
}

/* --- A load alone: what it does when nobody takes the CPU from it. --- */

static int run_alone(struct party_context *context)
{
    clock_sleep_ns(context->time_ns);
    return 0;
}

static const struct metric metrics_alone[] = {
    {METRIC("load_rate", "1/s", "", "what the load did a second, as param counts it"), .headline = true},
};

const struct bench bench_alone = {
    BENCH_IS("latency", "alone", "a load without a task beside it", struct sim_params),
    BENCH_PARTY(.name = "alone", .run = run_alone),
    BENCH_METRICS(metrics_alone),
    .sampling = {SAMPLING(1, 1, 5000, 600), SAMPLING(1, 1, 1000, 600), SAMPLING(1, 1, 5000, 600)},
    .switches = true,
    .place = sim_place,
    .reduce = tasks_load_rate,
};

#define ADDRESS(name) &bench_##name,
const struct bench *const bench_list[] = {BENCHES(ADDRESS) NULL};
