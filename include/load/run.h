/* SPDX-License-Identifier: MIT */
/* Threads of a load other than the main one, and updates of its counts. */
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* ns between two updates of the counts. */
#define LOAD_REFRESH_NS 20000000u

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
void threads_at_work(struct threads *threads);
bool threads_complete(const struct threads *threads);

/* The caller wakes threads that sleep elsewhere than in threads_wait(). */
void threads_end(struct threads *threads);
bool threads_ended(const struct threads *threads);
/* Resets the struct too. */
void threads_join(struct threads *threads);

/* If due, sets *due_ns to LOAD_REFRESH_NS after now_ns. */
bool load_due(uint64_t *due_ns, uint64_t now_ns);
/* If load_due(). */
void load_count_cpu(struct party_context *context, uint64_t *due_ns);

/* In the largest unit that divides them: "256M". */
void load_size_text(uint64_t bytes, char *buf, size_t size);

#endif
