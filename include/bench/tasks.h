/* SPDX-License-Identifier: MIT */
/* Tasks of today beside Interbench's. */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <pthread.h>

#include "bench/sim.h"

/* Threads of a process of a task or load, other than its main one. */

/* Wake-ups whose CPU before is known, on this CPU; whose last cache is known, in this cache. */
enum { WAKES_KNOWN, WAKES_SAME_CPU, WAKES_CACHE_KNOWN, WAKES_SAME_CACHE, N_WAKES };

/* Of one thread, by itself. */
struct thread_account {
    struct task_counters counters; /* as it began; of a sum: what was counted since */
    double wakes[N_WAKES];
    unsigned cpu; /* where it was when it had done its work; CPUSET_NONE: nowhere yet */
};

/* All zero: no threads. */
struct threads {
    pthread_t *id;
    uint32_t n, made, at_work, ended;
    uint64_t start_ns;
    unsigned *cache;            /* by CPU: the lowest one that shares its last cache, or CPUSET_NONE */
    size_t n_cpus;              /* of cache; 0: not looked up */
    struct placement_seen seen; /* by the thread that started them, as they began */
    struct thread_account main; /* of that thread */
    struct thread_account sum;  /* of all, by threads_count() */
    pthread_mutex_t lock;       /* of sum */
};

/* For thread_woke(). Returns 0, or -1 with a reason; threads_join() frees it. */
int threads_find_caches(struct threads *threads, struct party_context *context);

/* Starts n threads with small stacks; number i runs body(members + i * member_size). Returns 0, or -1 with a reason;
 * the caller then ends and joins those that did start. */
int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size);

/* In a thread: waits until all are created, which running ones would slow. Returns false when it is to end. */
bool threads_wait(struct threads *threads);
/* A thread calls threads_at_work() once, when its work has begun; threads_complete(): all have. */
static inline void threads_at_work(struct threads *threads)
{
    __atomic_add_fetch(&threads->at_work, 1, __ATOMIC_RELEASE);
}
static inline bool threads_complete(const struct threads *threads)
{
    return __atomic_load_n(&threads->at_work, __ATOMIC_ACQUIRE) == threads->n;
}

/* The caller wakes threads that sleep elsewhere than in threads_wait(). */
void threads_end(struct threads *threads);
static inline bool threads_ended(const struct threads *threads)
{
    return __atomic_load_n(&threads->ended, __ATOMIC_ACQUIRE) != 0;
}
/* Resets the struct too. */
void threads_join(struct threads *threads);

/* In a thread: as it begins; when it runs after a wait; when it has done its work; at its end. */
void thread_begins(struct thread_account *account);
void thread_woke(struct thread_account *account, const struct threads *threads);
static inline void thread_worked(struct thread_account *account)
{
    account->cpu = task_current_cpu();
}
void threads_count(struct threads *threads, const struct thread_account *account);

/* In the thread that started a task's threads: joins them, and reports what all did (recorder TASKS_WAKES included).
 * Returns the seconds that took. */
double threads_report(struct threads *threads, struct party_context *context);

/* Zeroed memory for n members, on cache lines of their own if size is a multiple of 64. NULL: out of memory. */
void *threads_memory(size_t n, size_t size);

/* A percentile is known where so many events are above it. */
#define TASKS_ABOVE 10u

/* The first recorders of a task: the events of its first metric, and where its threads woke up. */
enum { TASKS_HIST, TASKS_SERIES, TASKS_WAKES, TASKS_OWN_RECORDER };
#define TASKS_RECORDERS(class_ns_) \
    [TASKS_HIST] = {RECORD_HIST, class_ns_}, [TASKS_SERIES] = {RECORD_SERIES, 0}, \
    [TASKS_WAKES] = {RECORD_NUMBERS, N_WAKES}

/* The first metrics of all tasks but frame, and the last one of all. */
enum { TASKS_LATENCY, TASKS_LATENCY_P99, TASKS_LATENCY_P999, TASKS_LATENCY_MAX, TASKS_OWN_METRIC };
/* Of the first metric. */
#define TASKS_QUANTILE(id_, quantile_, title_) \
    METRIC(id_, "ns", "lower", title_), .quantile = quantile_, .above = quantile_ < 1 ? TASKS_ABOVE : 0
#define TASKS_LATENCIES(title_) \
    {METRIC("latency", "ns", "lower", title_), .headline = true, .above = TASKS_ABOVE}, \
        {TASKS_QUANTILE("latency_p99", 0.99, "99th percentile of the latency"), .headline = true}, \
        {TASKS_QUANTILE("latency_p999", 0.999, "99.9th percentile of the latency"), .optional = true}, \
    { \
        TASKS_QUANTILE("latency_max", 1, "longest latency") \
    }
#define TASKS_LOAD_RATE METRIC_OPTIONAL("load_rate", "1/s", "", "what the load did a second, as param counts it")
/* Before it, of tasks with threads. */
#define TASKS_SAME \
    METRIC_OPTIONAL("same_cpu", "%", "", "share of the wake-ups on the CPU of the thread's work before"), \
        METRIC_OPTIONAL("same_cache", "%", "", "share of the wake-ups on a CPU that shares its last cache")

/* A sample of the last metric, of what the load is checked for (load.least). */
void tasks_load_rate(const struct trial *trial, struct results *results);
/* Samples of TASKS_SAME, where known. */
void tasks_same(const struct trial *trial, struct results *results);
/* The rate of the load, and the latencies, which it returns. */
const struct hist *tasks_reduce(const struct trial *trial, struct results *results);

#define TASKS_SAMPLING(seconds_) \
    .sampling = {SAMPLING(1, 1, (seconds_)*1000, 600), SAMPLING(1, 1, 2000, 600), SAMPLING(1, 1, 30000, 600)}
#define TASKS_BENCH(name_, title_, params_, metrics_) \
    BENCH_IS("latency", name_, title_, params_), BENCH_METRICS(metrics_), \
        .switches = true, .describe = describe, .place = sim_place, .calibrate = sim_calibrate, .reduce = reduce
#define TASKS_PARTY(state_, children_) \
    .stop = STOP_FLAG, .children = CHILDREN_##children_, .state_size = sizeof(state_), .setup = setup, .run = run

/* The CPUs, the calibration and the number of worker threads are in `sim`. */

enum hand_over { HAND_OVER_FUTEX, HAND_OVER_PIPE, HAND_OVER_SOCKET };
enum worker_cpus { WORKERS_ANY, WORKERS_CACHE, WORKERS_SPREAD };
struct requests_params {
    struct sim_params sim;
    uint64_t messengers, chain;           /* chain: workers that a request passes; 0: 1 */
    uint64_t operations, footprint_bytes; /* of a worker's work for a request */
    bool no_lock;
    int hand_over; /* enum hand_over */
    int cpus;      /* enum worker_cpus */
};

/* Finds the allowed CPUs that share a last-level cache: number `number`, in turn. cache: by CPU, of n: the lowest one
 * that shares it, or CPUSET_NONE. Returns the number of caches; 0: not known. */
size_t requests_cache_cpus(const unsigned *cache, size_t n, const struct cpuset *allowed, size_t number,
                           struct cpuset *out);

/* Seconds until the last change of the rate of requests, as history finds changes; NAN: fewer than half the slices. */
#define REQUESTS_SLICES 64u
double requests_stable_s(const struct slices *served);

enum frame_rate { FRAMES_60, FRAMES_120, FRAMES_144, FRAMES_240, FRAMES_UNLOCKED };
struct frame_params {
    struct sim_params sim;
    int rate;         /* enum frame_rate */
    uint64_t work_ns; /* of a frame, one step after the other; 0: by the rate */
};

struct launch_params {
    struct sim_params sim;
    uint64_t touch_bytes; /* by the program launched */
    uint64_t pause_ns;    /* between two launches */
};

/* Accounting of frames, in ns of one clock. */

/* Frames of the last second, of which the median is taken: the last FRAME_WINDOW where there are more. */
#define FRAME_WINDOW 1024u
/* Fewer have no median. */
#define FRAME_WINDOW_LEAST 10u

struct frame_account {
    uint64_t period_ns;          /* 0: not locked to a display */
    uint64_t first_ns, shown_ns; /* when the first frame was shown, and the last; 0: none yet */
    uint64_t stutters, missed;   /* missed: vertical blanks without a new frame */
    struct hist *times;          /* from one frame to the next, added in classes */
    struct series *series;       /* may be NULL */
    uint32_t n, oldest;          /* frames in the window, and which of took_ns is the oldest */
    uint64_t at_ns[FRAME_WINDOW], took_ns[FRAME_WINDOW];
};

void frame_shown(struct frame_account *a, uint64_t now_ns);

/* The frame begun at vertical blank k, due at the next, was ready ready_ns after blank 0. Returns the blank at which it
 * is shown, and counts those that it missed. */
uint64_t frame_blank(struct frame_account *a, uint64_t k, uint64_t ready_ns);

/* A process that executes this program, which touches memory, reports and ends. */
struct launch_words {
    char fd[16], bytes[24];
};
/* fd: gets when that had touched so much memory, in ns of CLOCK_MONOTONIC, as uint64_t; -1: no report. */
void launch_prepare(struct launch_words *words, int fd, uint64_t touch_bytes);
/* Returns its id, or -1 with a reason. */
pid_t launch_start(struct party_context *context, struct launch_words *words);
/* In that program, if argv says so ("@launched"). To be called first in main(). */
void launch_main(int argc, char **argv);

#endif
