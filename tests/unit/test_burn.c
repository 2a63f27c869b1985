/* SPDX-License-Identifier: MIT */
/* The load burn: so many threads that never sleep. */
#include "load_fixture.h"

TEST(test_burn_has_so_many_threads_and_counts_their_cpu_time)
{
    struct load_params params = {.threads = 3};
    struct load_party l;
    uint64_t alone = load_alone();

    load_party_begin(&l, &load_burn, &params);
    assert_false(load_party_proved(&l));
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_CPU, 0.02));
    if (alone)
        assert_int_equal(load_count_threads(), alone + 3);
    assert_true(load_party_wait(&l, LOAD_CPU, load_party_count(&l, LOAD_CPU) + 0.05));
    assert_true(load_party_count(&l, LOAD_CPU) <= task_process_cpu_s());
    assert_string_equal(load_party_degraded(&l), "");
    assert_int_equal(load_party_end(&l), 0);
    if (alone)
        assert_int_equal(load_alone(), alone);
}

TEST(test_burn_never_sleeps)
{
    struct load_params params = {.threads = 1};
    struct load_party l;

    if (load_emulated())
        skip_because("an emulator's threads sleep while they wait for each other");
    load_party_begin(&l, &load_burn, &params);
    load_party_start(&l);
    double first = task_process_cpu_s();
    assert_true(load_party_wait(&l, LOAD_CPU, first + 0.1));
    assert_int_equal(load_party_end(&l), 0);
    /* One sleep between two updates would make some five. */
    assert_true(l.used.ctx_voluntary < 3);
}

TEST(test_burn_says_how_many_threads)
{
    const struct load_params params = {.threads = 4096};

    load_assert_described(&load_burn, &params, "threads=4096");
}

static int without_threads(void)
{
    const struct rlimit limit = {.rlim_cur = 2, .rlim_max = 2};
    struct load_params params = {.threads = 30};
    struct load_party l;

    if (setrlimit(RLIMIT_NPROC, &limit) || (geteuid() == 0 && setresuid(64124, 64124, 64124)))
        return CANNOT;
    load_party_begin(&l, &load_burn, &params);
    l.p.head->stop = 1; /* where limits do not hold, it ends at once */
    if (l.p.party->run(&l.p.context) == 0)
        return CANNOT;
    CHECK(strncmp(l.p.reason, "cannot make thread ", 19) == 0);
    CHECK(strstr(l.p.reason, " of 29: "));
    CHECK(strstr(l.p.reason, "RLIMIT_NPROC"));
    CHECK(!load_party_proved(&l));
    fixture_party_end(&l.p);
    CHECK(load_count_threads() <= 1);
    return 0;
}

TEST(test_burn_fails_when_a_thread_cannot_be_made)
{
    assert_int_equal(fixture_in_child(without_threads), 0);
}
