/* SPDX-License-Identifier: MIT */
/* The load hack: groups that send each other messages. */
#include "load_fixture.h"

#include <sys/socket.h>

enum { THREADS = 40, DESCRIPTORS = 40 }; /* of a group */

static uint64_t n_received;

ssize_t __real_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
    const ssize_t n = __real_recv(fd, to, size, flags);

    __atomic_fetch_add(&n_received, n > 0, __ATOMIC_RELAXED);
    return n;
}

static void send_messages(uint64_t groups)
{
    struct load_params params = {.groups = groups};
    struct load_party l;
    uint64_t alone = load_alone();
    int fds = fixture_count_fds();

    n_received = 0; /* all of them; some are not counted yet at the end */
    load_party_begin(&l, &load_hack, &params);
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_WAKEUPS, 5000));
    if (alone)
        assert_int_equal(load_count_threads(), alone + 1 + groups * THREADS);
    assert_int_equal(fixture_count_fds(), fds + (int)groups * DESCRIPTORS);
    assert_true(load_party_wait(&l, LOAD_WAKEUPS, load_party_count(&l, LOAD_WAKEUPS) + 5000));
    for (unsigned look = 0; look < 5; look++)
        assert_true(load_party_wait(&l, LOAD_WAKEUPS, load_party_count(&l, LOAD_WAKEUPS) + 1));
    assert_true(load_party_count(&l, LOAD_CPU) > 0);
    assert_string_equal(load_party_degraded(&l), "");
    assert_true(load_party_count(&l, LOAD_WAKEUPS) <= (double)__atomic_load_n(&n_received, __ATOMIC_RELAXED));
    assert_int_equal(load_party_end(&l), 0);
    assert_int_equal(fixture_count_fds(), fds);
    if (alone)
        assert_int_equal(load_alone(), alone);
}

TEST(test_hack_sends_messages_in_every_group)
{
    send_messages(1);
    send_messages(3);
}

static int limit_files(int soft, int hard)
{
    const struct rlimit limit = {.rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard};

    return setrlimit(RLIMIT_NOFILE, &limit);
}

/* The test may have been started with more than the usual three: what follows counts on numbers. Returns the first. */
static int close_others(void)
{
    for (int fd = 3; fd < 4096; fd++)
        (void)close(fd);
    return 3;
}

static bool any_open(int first)
{
    for (int fd = first; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return true;
    return false;
}

static int with_room_for_two(void)
{
    struct load_params params = {.groups = 5};
    struct load_party l;
    const int first = close_others();

    if (limit_files(first + 10, first + 2 * DESCRIPTORS + 20))
        return CANNOT;
    load_party_begin(&l, &load_hack, &params);
    load_party_start(&l);
    CHECK(load_party_wait(&l, LOAD_WAKEUPS, 1000));
    CHECK(strcmp(load_party_degraded(&l), "hack: 2 of 5 groups: Too many open files (RLIMIT_NOFILE)") == 0);
    if (load_count_threads())
        CHECK(load_count_threads() == 2 + 2 * THREADS);
    CHECK(load_party_end(&l) == 0);
    CHECK(!any_open(first));
    return 0;
}

TEST(test_hack_runs_with_as_many_groups_as_fit)
{
    assert_int_equal(fixture_in_child(with_room_for_two), 0);
}

static int with_room_for_none(void)
{
    struct load_params params = {.groups = 5};
    struct load_party l;
    const int first = close_others();

    if (limit_files(first + DESCRIPTORS - 1, first + DESCRIPTORS - 1))
        return CANNOT;
    load_party_begin(&l, &load_hack, &params);
    CHECK(l.p.party->setup(&l.p.context) == -1);
    CHECK(strcmp(l.p.reason, "cannot make the socket pairs of a group: Too many open files (RLIMIT_NOFILE)") == 0);
    fixture_party_end(&l.p);
    CHECK(!any_open(first));
    return 0;
}

TEST(test_hack_fails_when_no_group_fits)
{
    assert_int_equal(fixture_in_child(with_room_for_none), 0);
}

/* A limit of descriptors that just suffices for one group is enough. */
static int with_room_for_just_one(void)
{
    struct load_params params = {.groups = 1};
    struct load_party l;
    const int first = close_others();

    if (limit_files(first, first + DESCRIPTORS))
        return CANNOT;
    load_party_begin(&l, &load_hack, &params);
    CHECK(l.p.party->setup(&l.p.context) == 0);
    CHECK(load_party_degraded(&l)[0] == 0);
    fixture_party_end(&l.p);
    return 0;
}

TEST(test_hack_takes_what_the_hard_limit_allows)
{
    assert_int_equal(fixture_in_child(with_room_for_just_one), 0);
}
