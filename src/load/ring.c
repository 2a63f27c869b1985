/* SPDX-License-Identifier: MIT */
/* Threads that wake each other in a circle: all sleep but the one with the token. */
#include <semaphore.h>

#include "load/load.h"

/* Padded to a cache line: threads share one only when the token is passed. */
struct seat {
    sem_t token;
    struct seat *next;
    struct threads *threads;
} __attribute__((aligned(64)));

static size_t size_of(const struct load_params *params)
{
    return params->threads > 2 ? (size_t)params->threads : 2;
}

/* A signal may interrupt the wait. */
static void wait_for_token(struct seat *seat)
{
    while (sem_wait(&seat->token)) {
    }
}

static void *sit(void *argument)
{
    struct seat *seat = argument;

    for (;;) {
        wait_for_token(seat);
        if (threads_ended(seat->threads))
            return NULL;
        sem_post(&seat->next->token);
    }
}

int load_ring_setup(struct party_context *context)
{
    struct ring *ring = context->state;
    size_t n = size_of(context->params);

    ring->seats = threads_memory(n, sizeof(*ring->seats));
    if (!ring->seats)
        return party_fail(context, "out of memory");
    ring->n = n;
    for (size_t i = 0; i < n; i++) {
        ring->seats[i].next = &ring->seats[(i + 1) % n];
        ring->seats[i].threads = &ring->threads;
        sem_init(&ring->seats[i].token, 0, 0);
    }
    return 0;
}

int load_ring_run(struct party_context *context)
{
    struct ring *ring = context->state;
    struct seat *first = ring->seats;
    uint64_t due_ns = 0;

    if (threads_start(&ring->threads, context, ring->n - 1, sit, ring->seats + 1, sizeof(*ring->seats)))
        return -1;
    while (!party_stopped(context)) {
        sem_post(&first->next->token);
        wait_for_token(first);
        load_add(context, LOAD_WAKEUPS, (double)ring->n);
        load_count_cpu(context, &due_ns);
        party_proved(context); /* the token has come round: all threads work */
    }
    return 0;
}

void load_ring_teardown(struct party_context *context)
{
    struct ring *ring = context->state;

    threads_end(&ring->threads);
    for (size_t i = 0; i < ring->n; i++)
        sem_post(&ring->seats[i].token);
    threads_join(&ring->threads);
    for (size_t i = 0; i < ring->n; i++)
        sem_destroy(&ring->seats[i].token);
    free(ring->seats);
}

static void describe(const void *params, struct row_params *out)
{
    row_param_add(out, PARAM_WORK, "threads", "%zu", size_of(params));
}

const struct load load_ring = {
    LOAD("ring", "threads that wake each other in a circle"),
    BENCH_PARTY(LOAD_RING_PARTY),
    .least = {[LOAD_WAKEUPS] = 100},
    .describe = describe,
};
