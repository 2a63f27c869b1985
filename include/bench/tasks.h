/* SPDX-License-Identifier: MIT */
/* Tasks of today beside Interbench's: requests, frame and launch. */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <pthread.h>

#include "bench/sim.h"

/* Threads of a process of a task or load, other than its main one. */

/* All zero: no threads. */
struct threads {
    pthread_t *id;
    uint32_t n, made, at_work, ended;
};

/* Starts n threads with small stacks; number i runs body(members + i * member_size). Returns 0, or -1 with a reason;
 * the caller then ends and joins those that did start. */
int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size);

/* In a thread: waits until all are created, because running ones would slow that. Returns false when the thread is
 * to end. */
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

/* Adds what the kernel has counted of the calling thread since `begun` to the sum of all threads, for party_measured().
 */
struct thread_counters {
    pthread_mutex_t lock;
    struct task_counters sum;
};
void threads_count(struct thread_counters *counters, const struct task_counters *begun);

/* Around the work of a task's main thread. threads_report() joins the threads, which the caller has told to end. */
struct threads_span {
    struct placement_seen seen;
    struct task_counters begun;
    uint64_t start_ns;
};
void threads_begin(struct threads_span *span);
void threads_report(struct threads *threads, struct party_context *context, const struct threads_span *span,
                    struct thread_counters *counters);

/* Zeroed memory for n members, on cache lines of their own if size is a multiple of 64. NULL: out of memory. */
void *threads_memory(size_t n, size_t size);

/* A percentile is known where so many events are above it. */
#define TASKS_ABOVE 10u
double tasks_percentile(const struct hist *hist, double p);

/* The load's own rate beside the task: a sample of this metric, of what the load is checked for (load.least); none
 * without a load. */
void tasks_load_rate(const struct trial *trial, struct results *results, unsigned metric);
#define TASKS_LOAD_RATE METRIC_OPTIONAL("load_rate", "1/s", "higher", "what the load did a second, as param counts it")

#define TASKS_SAMPLING .sampling = {SAMPLING(1, 1, 20000, 600), SAMPLING(1, 1, 2000, 600), SAMPLING(1, 1, 30000, 600)}

/* Parameters. The CPUs, the calibration and the number of worker threads are in `sim`. */

struct requests_params {
    struct sim_params sim;
    uint64_t messengers;
    uint64_t operations, footprint_bytes; /* of a request's work */
    bool no_lock;
};

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
    uint64_t at_ns[FRAME_WINDOW], took_ns[FRAME_WINDOW], sorted_ns[FRAME_WINDOW];
};

/* A frame was shown at now_ns. */
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
