/* SPDX-License-Identifier: MIT */
/* Functions that parties call: to report, to wait for each other, to get a scratch directory. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/arena.h"
#include "engine/engine.h"
#include "sys/cpu.h"
#include "sys/file.h"

/* For a living parent to kill all parties, after one has ended unexpectedly. */
#define ORPHANED_NS 500000000u

bool party_stopped(const struct party_context *context)
{
    const struct trial_head *head = context->head;

    return __atomic_load_n(context->slot->of_load ? &head->stop_loads : &head->stop, __ATOMIC_RELAXED) != 0;
}

void party_stop_all(const struct party_context *context)
{
    __atomic_store_n(&context->head->stop, 1, __ATOMIC_RELEASE);
}

int party_make_state(struct party_context *context, const struct party *party)
{
    void *state;

    if (!party->state_size)
        return 0;
    if (posix_memalign(&state, 64, party->state_size))
        return party_fail(context, "out of memory");
    context->state = memset(state, 0, party->state_size);
    return 0;
}

void party_degraded(struct party_context *context, const char *format, ...)
{
    struct trial_slot *slot = context->slot;
    va_list arguments;

    if (slot->refused[0])
        return;
    va_start(arguments, format);
    (void)vsnprintf(slot->refused, sizeof(slot->refused), format, arguments);
    va_end(arguments);
}

void party_measured(struct party_context *context, const struct party_measured *measured)
{
    struct trial_slot *slot = context->slot;

    slot->stands_for = true;
    slot->counters = *measured->counters;
    slot->seen = measured->seen;
    slot->seen.fresh_exec = true;
    slot->start_ns = measured->start_ns;
    slot->end_ns = measured->end_ns;
    slot->last_cpu = measured->last_cpu;
}

/* Spins for a moment, since they nearly always arrive together, then sleeps. */
void party_barrier(struct party_context *context)
{
    struct trial_head *head = context->head;
    uint32_t *arrived = &head->barrier_arrived[context->slot->party];
    uint32_t *round = &head->barrier_round[context->slot->party];
    uint32_t now = __atomic_load_n(round, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) == context->copies) {
        __atomic_store_n(arrived, 0, __ATOMIC_RELEASE);
        __atomic_add_fetch(round, 1, __ATOMIC_ACQ_REL);
        futex_wake_all(round);
        return;
    }
    for (unsigned i = 0; i < 2000; i++)
        if (__atomic_load_n(round, __ATOMIC_ACQUIRE) != now)
            return;
    while (__atomic_load_n(round, __ATOMIC_ACQUIRE) == now)
        futex_wait(round, now);
}

void arena_tell_parent(const struct trial_head *head)
{
    char byte = 0;

    while (write(head->event_fd, &byte, 1) < 0 && errno == EINTR) {
        /* when the pipe is full the parent wakes up anyway */
    }
}

void arena_remove_scratch(const struct trial_head *head)
{
    for (unsigned i = 0; i < head->n_slots; i++)
        scratch_remove_noted(&head->slot[i].scratch);
}

/* By the keeper of a killed party: gives the parent time to end the others, then removes all scratch directories:
 * parent and other keepers may be gone. */
static void trial_orphaned(void *head)
{
    clock_sleep_ns(ORPHANED_NS);
    arena_remove_scratch(head);
}

int party_scratch_folder(struct party_context *context, const char *dir, struct scratch_keeper *keeper)
{
    *keeper =
        (struct scratch_keeper){.note = &context->slot->scratch, .orphaned = trial_orphaned, .context = context->head};
    return scratch_kept_folder(dir, keeper);
}

void party_proved(struct party_context *context)
{
    uint32_t starting = STATE_STARTING;

    if (__atomic_compare_exchange_n(&context->slot->state, &starting, STATE_READY, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        arena_tell_parent(context->head);
}
