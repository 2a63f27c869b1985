/* SPDX-License-Identifier: MIT */
/* Threads of a task or load, and what the tasks made of them have in common. */
#include <math.h>

#include "bench/tasks.h"

/* Small: there may be thousands, which do little but system calls. */
#define STACK_BYTES (64L << 10)

/* A signal frame may need more than STACK_BYTES: some vector units have much state. */
static size_t stack_size(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);

    return (size_t)(least > STACK_BYTES / 2 ? 2 * least : STACK_BYTES);
}

static void let_go(struct threads *threads)
{
    __atomic_store_n(&threads->made, 1, __ATOMIC_RELEASE);
    futex_wake_all(&threads->made);
}

int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size)
{
    pthread_attr_t attributes;
    int error = 0;

    *threads = (struct threads){.id = n <= UINT32_MAX ? calloc(n ? n : 1, sizeof(*threads->id)) : NULL};
    if (!threads->id || pthread_attr_init(&attributes))
        return party_fail(context, "out of memory");
    pthread_attr_setstacksize(&attributes, stack_size());
    while (threads->n < n && !error) {
        error = pthread_create(&threads->id[threads->n], &attributes, body, (char *)members + threads->n * member_size);
        threads->n += !error;
    }
    pthread_attr_destroy(&attributes);
    if (!error) {
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

void threads_join(struct threads *threads)
{
    for (uint32_t i = 0; i < threads->n; i++)
        pthread_join(threads->id[i], NULL);
    free(threads->id);
    *threads = (struct threads){.n = 0};
}

void threads_count(struct thread_counters *counters, const struct task_counters *begun)
{
    struct task_counters now;

    task_read_counters(&now);
    known_subtract(&now, begun, sizeof(now));
    pthread_mutex_lock(&counters->lock);
    known_add(&counters->sum, &now, sizeof(now));
    pthread_mutex_unlock(&counters->lock);
}

void threads_begin(struct threads_span *span)
{
    span->start_ns = clock_raw_ns();
    place_read_back(&span->seen);
    task_read_counters(&span->begun);
}

void threads_report(struct threads *threads, struct party_context *context, const struct threads_span *span,
                    struct thread_counters *counters)
{
    threads_count(counters, &span->begun);
    threads_join(threads);
    party_measured(context, &(struct party_measured){.counters = &counters->sum,
                                                     .seen = span->seen,
                                                     .start_ns = span->start_ns,
                                                     .end_ns = clock_raw_ns(),
                                                     .last_cpu = task_current_cpu()});
}

void *threads_memory(size_t n, size_t size)
{
    void *memory;

    if (n > SIZE_MAX / size || posix_memalign(&memory, 64, n * size))
        return NULL;
    return memset(memory, 0, n * size);
}

double tasks_percentile(const struct hist *hist, double p)
{
    return (double)hist->n * (1 - p) + 1e-6 >= TASKS_ABOVE ? hist_quantile(hist, p) : (double)NAN;
}

void tasks_load_rate(const struct trial *trial, struct results *results, unsigned metric)
{
    const struct load *load = trial->spec.load;
    unsigned count = 0;

    while (load && count < LOAD_COUNTS && !(load->least[count] > 0))
        count++;
    if (load && count < LOAD_COUNTS && trial->wall_ns)
        results_sample(results, 0, metric, trial->load_count[count] / ((double)trial->wall_ns * 1e-9));
}
