/* SPDX-License-Identifier: MIT */
/* What loads have in common while they run: the threads beside the main one, and when counts are brought up to date. */
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Counts are never older. */
#define LOAD_REFRESH_NS 20000000u

/* The threads of a load beside its main one. All zero is a crew of none. */
struct crew {
    pthread_t *threads;
    uint32_t n, made, at_work, ended;
};

/* Starts n threads with small stacks: number i runs body(members + i * member_size). 0, or -1 with a reason that names
 * the limit; the threads that were started are then in the crew. */
int crew_start(struct crew *crew, struct party_context *context, size_t n, void *(*body)(void *), void *members,
               size_t member_size);

/* A thread waits until all have been made: those at work would keep the main one from making more. False when it is to
 * end instead. */
bool crew_wait(struct crew *crew);
/* A thread says, once, that it is at work; whether all have. */
void crew_at_work(struct crew *crew);
bool crew_complete(const struct crew *crew);

/* Asks the threads to end. Those that sleep, but for crew_wait(), are for the caller to wake. */
void crew_end(struct crew *crew);
bool crew_ended(const struct crew *crew);
/* Waits until they have ended. The crew is one of none then. */
void crew_join(struct crew *crew);

/* True, and *due_ns is set to the next time, when now_ns has reached *due_ns. */
bool load_due(uint64_t *due_ns, uint64_t now_ns);
/* Brings LOAD_CPU up to date when that is due. */
void load_count_cpu(struct party_context *context, uint64_t *due_ns);

/* Bytes as a user would type them, in the largest unit that divides them: "256M". */
void load_size_text(uint64_t bytes, char *buf, size_t size);

#endif
