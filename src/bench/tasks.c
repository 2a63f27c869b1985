/* SPDX-License-Identifier: MIT */
/* Threads of a task or load, and what the tasks made of them have in common. */
#include "bench/tasks.h"

/* Small: there may be thousands, which do little but system calls. */
#define STACK_BYTES (64L << 10)

static void let_go(struct threads *threads)
{
    __atomic_store_n(&threads->made, 1, __ATOMIC_RELEASE);
    futex_wake_all(&threads->made);
}

int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size)
{
    const long least = sysconf(_SC_THREAD_STACK_MIN); /* some vector units have much state: a signal's frame is large */
    pthread_attr_t attributes;
    int error = 0, policy, priority, refused;

    *threads = (struct threads){.id = n <= UINT32_MAX ? calloc(n ? n : 1, sizeof(*threads->id)) : NULL};
    if (!threads->id || pthread_mutex_init(&threads->lock, NULL) || pthread_attr_init(&attributes))
        return party_fail(context, "out of memory");
    pthread_attr_setstacksize(&attributes, (size_t)(least > STACK_BYTES / 2 ? 2 * least : STACK_BYTES));
    /* What this thread starts has its real-time policy too. The engine has told of SCHED_DEADLINE, which is refused. */
    if (!task_get_policy(&policy, &priority) && task_is_realtime(policy) &&
        (refused = task_set_policy_inherited(policy, priority)))
        party_degraded(context, "threads run with the normal policy: %s", strerror(-refused));
    while (threads->n < n && !error) {
        error = pthread_create(&threads->id[threads->n], &attributes, body, (char *)members + threads->n * member_size);
        threads->n += !error;
    }
    pthread_attr_destroy(&attributes);
    if (!error) {
        threads->start_ns = clock_raw_ns();
        place_read_back(&threads->seen);
        task_read_counters(&threads->before);
        let_go(threads);
        return 0;
    }
    return party_fail(context, "cannot make thread %u of %zu: %s%s", threads->n + 1, n, strerror(error),
                      error == EAGAIN ? " (RLIMIT_NPROC, the pids cgroup or memory)" : "");
}

bool threads_wait(struct threads *threads)
{
    while (!__atomic_load_n(&threads->made, __ATOMIC_ACQUIRE))
        futex_wait(&threads->made, 0);
    return !threads_ended(threads);
}

void threads_end(struct threads *threads)
{
    __atomic_store_n(&threads->ended, 1, __ATOMIC_RELEASE);
    let_go(threads);
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
    *threads = (struct threads){.n = 0};
}

void threads_count(struct threads *threads, const struct task_counters *begun)
{
    struct task_counters now;

    task_read_counters(&now);
    known_subtract(&now, begun, sizeof(now));
    pthread_mutex_lock(&threads->lock);
    known_add(&threads->sum, &now, sizeof(now));
    pthread_mutex_unlock(&threads->lock);
}

double threads_report(struct threads *threads, struct party_context *context)
{
    wait_for_end(threads);
    threads_count(threads, &threads->before);
    const struct party_measured measured = {.counters = &threads->sum,
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
    unsigned count = 0;

    while (load && count < LOAD_COUNTS && !(load->least[count] > 0))
        count++;
    if (load && count < LOAD_COUNTS && trial->wall_ns)
        results_sample(results, 0, trial->spec.bench->n_metrics - 1,
                       trial->load_count[count] / ((double)trial->wall_ns * 1e-9));
}

const struct hist *tasks_reduce(const struct trial *trial, struct results *results)
{
    const struct hist *latency = trial_recorder(trial, 0, 0, TASKS_HIST);

    results_events(results, 0, TASKS_LATENCY, latency, trial_recorder(trial, 0, 0, TASKS_SERIES));
    tasks_load_rate(trial, results);
    return latency;
}

/* --- A load without a task beside it: what it does when nobody takes the CPU from it. --- */

static int run_alone(struct party_context *context)
{
    clock_sleep_ns(context->time_ns);
    return 0;
}

static const struct metric metrics_alone[] = {
    {METRIC("load_rate", "1/s", "higher", "what the load did a second, as param counts it"), .headline = true},
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
