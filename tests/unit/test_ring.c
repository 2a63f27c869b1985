/* SPDX-License-Identifier: MIT */
/* The load ring: threads that hand a token round. */
#include "load_fixture.h"

static void hand_round(uint64_t threads, uint64_t expected)
{
    struct load_params params = {.threads = threads};
    struct load_party l;
    uint64_t alone = load_alone();
    const double rounds = 200;

    load_party_begin(&l, &load_ring, &params);
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_WAKEUPS, rounds * (double)expected));
    if (alone)
        assert_int_equal(load_count_threads(), alone + expected);
    assert_true(load_party_count(&l, LOAD_CPU) > 0);
    assert_int_equal(load_party_end(&l), 0);
    /* Only one thread runs at a time, so a thread that waits for the token nearly always sleeps: the main thread once
     * in each round. With two threads the token may return before the main thread sleeps. */
    if (expected > 2)
        assert_true((double)l.used.ctx_voluntary > rounds / 2);
    if (alone)
        assert_int_equal(load_alone(), alone);
}

TEST(test_ring_wakes_every_thread_in_turn)
{
    hand_round(5, 5);
    hand_round(50, 50);
}

TEST(test_ring_has_at_least_two_threads)
{
    hand_round(1, 2);
    hand_round(2, 2);
}

TEST(test_ring_counts_whole_rounds)
{
    struct load_params params = {.threads = 7};
    struct load_party l;

    load_party_begin(&l, &load_ring, &params);
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_WAKEUPS, 7));
    double n = load_party_count(&l, LOAD_WAKEUPS);
    assert_true(fmod(n, 7) <= 0);
    assert_int_equal(load_party_end(&l), 0);
}

/* All of its threads sleep then and have to be woken. */
TEST(test_ring_ends_at_once_when_nobody_wants_it)
{
    struct load_params params = {.threads = 3};
    struct load_party l;

    load_party_begin(&l, &load_ring, &params);
    assert_int_equal(l.p.party->setup(&l.p.context), 0);
    l.p.head->stop = 1;
    assert_int_equal(l.p.party->run(&l.p.context), 0);
    assert_false(load_party_proved(&l));
    assert_true(load_party_count(&l, LOAD_WAKEUPS) <= 0);
    fixture_party_end(&l.p);
}

TEST(test_ring_says_how_many_threads)
{
    struct load_params params = {.threads = 1};

    load_assert_described(&load_ring, &params, "threads=2");
    params.threads = 100;
    load_assert_described(&load_ring, &params, "threads=100");
}

static int without_threads(void)
{
    const struct rlimit limit = {.rlim_cur = 4, .rlim_max = 4};
    struct load_params params = {.threads = 30};
    struct load_party l;

    if (setrlimit(RLIMIT_NPROC, &limit) || (geteuid() == 0 && setresuid(64125, 64125, 64125)))
        return CANNOT;
    load_party_begin(&l, &load_ring, &params);
    CHECK(l.p.party->setup(&l.p.context) == 0);
    l.p.head->stop = 1;
    if (l.p.party->run(&l.p.context) == 0)
        return CANNOT;
    CHECK(strncmp(l.p.reason, "cannot make thread ", 19) == 0);
    CHECK(strstr(l.p.reason, " of 29: "));
    CHECK(!load_party_proved(&l));
    fixture_party_end(&l.p); /* those that wait for the token are woken */
    return 0;
}

TEST(test_ring_fails_when_a_thread_cannot_be_made)
{
    assert_int_equal(fixture_in_child(without_threads), 0);
}
