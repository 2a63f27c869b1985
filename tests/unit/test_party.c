/* SPDX-License-Identifier: MIT */
/* Functions of the parties of a trial: what they write into their slot, reasons, state and the barrier. */
#include <poll.h>
#include <pthread.h>

#include "engine_fixture.h"

#include "engine/trial.h"

enum { COPIES = 3 };

struct made_up_party {
    struct trial_head *head;
    struct party_context context[COPIES];
    char reason[24];
    int event[2];
};

static int begin(void **state)
{
    struct made_up_party *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->head = calloc(1, sizeof(*p->head) + COPIES * sizeof(p->head->slot[0]));
    assert_non_null(p->head);
    assert_int_equal(pipe(p->event), 0);
    p->head->event_fd = p->event[1];
    p->head->n_slots = COPIES;
    for (unsigned i = 0; i < COPIES; i++)
        p->context[i] = (struct party_context){.copy = i,
                                               .copies = COPIES,
                                               .reason = p->reason,
                                               .reason_size = sizeof(p->reason),
                                               .head = p->head,
                                               .slot = &p->head->slot[i]};
    *state = p;
    return 0;
}

static int end(void **state)
{
    struct made_up_party *p = *state;

    (void)close(p->event[0]);
    (void)close(p->event[1]);
    free(p->head);
    free(p);
    return 0;
}

/* A benchmark is stopped by one flag, a load by another. */
TEST_WITH(test_party_is_stopped_by_its_own_flag, begin, end)
{
    struct made_up_party *p = *state;

    p->head->slot[1].of_load = true;
    assert_false(party_stopped(&p->context[0]) || party_stopped(&p->context[1]));
    party_stop_all(&p->context[1]);
    assert_true(party_stopped(&p->context[0]) && !party_stopped(&p->context[1]));
    p->head->stop = 0;
    p->head->stop_loads = 1;
    assert_true(!party_stopped(&p->context[0]) && party_stopped(&p->context[1]));
}

TEST_WITH(test_party_state_is_zeroed_and_aligned, begin, end)
{
    struct made_up_party *p = *state;
    const struct party none = {.name = "made up"}, some = {.name = "made up", .state_size = 100};

    assert_int_equal(party_make_state(&p->context[0], &none), 0);
    assert_null(p->context[0].state);
    /* Blocks that were used before are not zero any more. */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(party_make_state(&p->context[0], &some), 0);
        unsigned char *bytes = p->context[0].state;
        assert_int_equal((uintptr_t)bytes % 64, 0);
        for (size_t k = 0; k < some.state_size; k++)
            assert_int_equal(bytes[k], 0);
        memset(bytes, 0xff, some.state_size);
        free(bytes);
    }
    const struct party huge = {.name = "made up", .state_size = SIZE_MAX / 2};
    assert_int_equal(party_make_state(&p->context[0], &huge), -1);
    assert_string_equal(p->reason, "out of memory");
}

TEST_WITH(test_party_that_measured_another_process_stands_for_it, begin, end)
{
    const struct task_counters counters = {.cpu_ns = 1,
                                           .ctx_voluntary = 2,
                                           .ctx_involuntary = 3,
                                           .migrations = 4,
                                           .faults_minor = 5,
                                           .faults_major = 6,
                                           .run_delay_ns = 7};
    struct party_measured measured = {.counters = &counters, .start_ns = 11, .end_ns = 12, .last_cpu = 13};
    struct made_up_party *p = *state;
    const struct trial_slot *slot = &p->head->slot[2];

    measured.seen.policy = SCHED_BATCH;
    cpuset_add(&measured.seen.cpus, 9);
    party_measured(&p->context[2], &measured);
    assert_true(slot->stands_for);
    assert_memory_equal(&slot->counters, &counters, sizeof(counters));
    assert_int_equal(slot->seen.policy, SCHED_BATCH);
    assert_true(cpuset_equal(&slot->seen.cpus, &measured.seen.cpus));
    assert_true(slot->seen.fresh_exec);
    assert_int_equal(slot->start_ns, 11);
    assert_int_equal(slot->end_ns, 12);
    assert_int_equal(slot->last_cpu, 13);
    assert_false(p->head->slot[1].stands_for);
}

/* Number of bytes in the pipe to the parent, which are read. */
static unsigned told(const struct made_up_party *p)
{
    struct pollfd wait = {.fd = p->event[0], .events = POLLIN};
    char byte;
    unsigned n = 0;

    while (poll(&wait, 1, 0) == 1) {
        assert_int_equal(read(p->event[0], &byte, 1), 1);
        n++;
    }
    return n;
}

/* The parent is told once, and not by a party that has ended meanwhile. */
TEST_WITH(test_party_that_starts_is_ready_once, begin, end)
{
    struct made_up_party *p = *state;
    uint32_t *of = &p->head->slot[0].state;

    *of = STATE_STARTING;
    party_proved(&p->context[0]);
    assert_int_equal(*of, STATE_READY);
    assert_int_equal(told(p), 1);
    party_proved(&p->context[0]);
    assert_int_equal(*of, STATE_READY);
    assert_int_equal(told(p), 0);
}

/* --- The barrier. --- */

enum { ROUNDS = 50 };
static unsigned arrivals[ROUNDS];

static void *meet(void *argument)
{
    struct party_context *context = argument;

    for (unsigned round = 0; round < ROUNDS; round++) {
        __atomic_add_fetch(&arrivals[round], 1, __ATOMIC_SEQ_CST);
        party_barrier(context);
        if (__atomic_load_n(&arrivals[round], __ATOMIC_SEQ_CST) != COPIES)
            return context;
    }
    return NULL;
}

TEST_WITH(test_party_barrier_lets_nobody_pass_before_all_are_there, begin, end)
{
    struct made_up_party *p = *state;
    pthread_t thread[COPIES];

    memset(arrivals, 0, sizeof(arrivals));
    for (unsigned i = 0; i < COPIES; i++)
        p->head->slot[i].party = 5;
    for (unsigned i = 0; i < COPIES; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, meet, &p->context[i]), 0);
    for (unsigned i = 0; i < COPIES; i++) {
        void *passed;
        assert_int_equal(pthread_join(thread[i], &passed), 0);
        assert_null(passed);
    }
    assert_int_equal(p->head->barrier_round[5], ROUNDS);
    assert_int_equal(p->head->barrier_arrived[5], 0);
    assert_int_equal(p->head->barrier_round[0], 0);
}
