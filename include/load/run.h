/* SPDX-License-Identifier: MIT */
/* Common code of running loads: their threads other than the main one, and updates of the counts of their work. */
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Time in ns between two updates of a load's counts (enum load_count). */
#define LOAD_REFRESH_NS 20000000u

/* The threads of a load other than its main thread. Initialise to zero for no threads. */
struct threads {
    pthread_t *id;
    uint32_t n, made, at_work, ended;
};

/* Starts n threads with small stacks; thread number i runs body(members + i * member_size). Returns 0, or -1 with a
 * reason; the caller then ends and joins the threads that did start. */
int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size);

/* Called by a thread: waits until all threads have been created, because running ones would slow the creation of
 * others. Returns false when the thread is to end instead. */
bool threads_wait(struct threads *threads);
/* threads_at_work() is called by each thread once, when it has begun its work; threads_complete() returns whether all
 * have. */
void threads_at_work(struct threads *threads);
bool threads_complete(const struct threads *threads);

/* Asks the threads to end. The caller wakes threads that sleep elsewhere than in threads_wait(). */
void threads_end(struct threads *threads);
bool threads_ended(const struct threads *threads);
/* Waits for the threads to end, and resets the struct. */
void threads_join(struct threads *threads);

/* Returns whether an update is due: now_ns has reached *due_ns. If so, sets *due_ns to LOAD_REFRESH_NS after now_ns. */
bool load_due(uint64_t *due_ns, uint64_t now_ns);
/* Updates the load's count of CPU time (LOAD_CPU) if load_due() says so. */
void load_count_cpu(struct party_context *context, uint64_t *due_ns);

/* Formats bytes as a user would type them, in the largest unit that divides them: "256M". */
void load_size_text(uint64_t bytes, char *buf, size_t size);

#endif
