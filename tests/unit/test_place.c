/* SPDX-License-Identifier: MIT */
/* Unit tests of placement: what each party is given, what is refused, and what is read back. */
#include <sys/prctl.h>

#include "engine_fixture.h"

static void assert_cpus(const struct placement *placement, const char *expected)
{
    char text[64];

    (void)cpuset_format(&placement->cpus, text, sizeof(text));
    assert_string_equal(text, expected);
}

TEST(test_place_copy_binds_one_to_one_in_order)
{
    static const char *const expected[] = {"5", "1", "3", "5", "1"};
    struct place_request request;
    struct placement placement;

    fixture_place_of_three(&request, BIND_ONE, false);
    for (unsigned copy = 0; copy < COUNT(expected); copy++) {
        memset(&placement, 0xff, sizeof(placement));
        place_copy(&request, copy, &placement);
        assert_cpus(&placement, expected[copy]);
        assert_int_equal(placement.policy, SCHED_OTHER);
        assert_int_equal(placement.rt_priority, 0);
        assert_false(placement.nice_given);
        assert_false(placement.lock_memory);
        assert_int_equal(placement.timer_slack_ns, 0);
        assert_string_equal(placement.refused, "");
    }
}

TEST(test_place_copy_binds_to_the_range_or_not)
{
    struct place_request request;
    struct placement placement;

    fixture_place_of_three(&request, BIND_RANGE, true);
    request.nice_given = true;
    request.nice = -7;
    place_copy(&request, 1, &placement);
    assert_cpus(&placement, "1,3,5");
    assert_true(placement.nice_given);
    assert_int_equal(placement.nice, -7);
    request.bind = BIND_NONE;
    place_copy(&request, 1, &placement);
    assert_cpus(&placement, "");
}

/* Wherever the user wants the others. */
TEST(test_place_one_binds_to_that_cpu)
{
    struct place_request request;
    struct placement placement;

    for (int bind = BIND_ONE; bind <= BIND_NONE; bind++) {
        fixture_place_of_three(&request, (enum bind_mode)bind, false);
        request.nice_given = true;
        request.nice = 4;
        place_one(&request, 1, 77, &placement);
        assert_cpus(&placement, "77");
        assert_int_equal(placement.bind, BIND_ONE);
        assert_int_equal(placement.nice, 4);
    }
}

TEST(test_place_copy_gives_the_policy_asked_for)
{
    struct place_request request;
    struct placement placement;

    fixture_place_of_three(&request, BIND_ONE, false);
    request.fifo = true;
    request.fifo_priority = 42;
    place_copy(&request, 2, &placement);
    assert_int_equal(placement.policy, SCHED_FIFO);
    assert_int_equal(placement.rt_priority, 42);
    assert_string_equal(placement.refused, "");
}

/* --- Applying: in a child each, so that this process stays as it is. --- */

static int apply_body(void)
{
    struct placement placement = {.nice_given = true, .nice = 6, .timer_slack_ns = 7777};
    struct placement_seen seen;
    struct cpuset all;
    char refused[64] = "rubbish";
    unsigned last = 0;

    CHECK(task_get_affinity(&all) == 0);
    for (unsigned cpu = cpuset_next(&all, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&all, cpu + 1))
        last = cpu;
    cpuset_add(&placement.cpus, last);
    place_apply(&placement, refused, sizeof(refused));
    CHECK(strcmp(refused, "") == 0);
    memset(&seen, 0xff, sizeof(seen));
    place_read_back(&seen);
    CHECK(cpuset_equal(&seen.cpus, &placement.cpus));
    CHECK(seen.nice == 6);
    CHECK(seen.policy == SCHED_OTHER && seen.rt_priority == 0);
    CHECK(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == 7777);
    CHECK(seen.layout_fixed == task_layout_fixed());
    CHECK(!seen.fresh_exec);
    return 0;
}

TEST(test_place_apply_is_read_back)
{
    assert_int_equal(fixture_in_child(apply_body), 0);
}

static int refused_body(void)
{
    struct placement placement = {.nice_given = true, .nice = -21, .refused = "left out before"};
    char refused[300] = "rubbish", small[24] = "rubbish";

    cpuset_add(&placement.cpus, CPUSET_MAX - 1); /* no machine here has it */
    place_apply(&placement, refused, sizeof(refused));
    CHECK(strcmp(refused, "left out before; CPU affinity refused: Invalid argument (CPU 8191 offline?); nice -21 "
                          "refused: Invalid argument "
                          "(needs root, CAP_SYS_NICE or ulimit -e)") == 0);
    small[16] = 'g';
    place_apply(&placement, small, 16);
    CHECK(strcmp(small, "left out before") == 0);
    CHECK(small[16] == 'g');
    return 0;
}

TEST(test_place_apply_says_what_was_refused)
{
    assert_int_equal(fixture_in_child(refused_body), 0);
}

static int fifo_body(void)
{
    struct placement placement = {.policy = SCHED_FIFO, .rt_priority = 3};
    struct placement_seen seen;
    struct rlimit limit;
    char refused[200] = "";

    if (task_set_policy(SCHED_FIFO, 3) || task_set_policy(SCHED_OTHER, 0))
        return CANNOT;
    place_apply(&placement, refused, sizeof(refused));
    place_read_back(&seen);
    CHECK(seen.policy == SCHED_OTHER); /* only when it is ready */
    place_apply_policy(&placement, 1500000, refused, sizeof(refused));
    CHECK(strcmp(refused, "") == 0);
    place_read_back(&seen);
    CHECK(seen.policy == SCHED_FIFO && seen.rt_priority == 3);
    CHECK(getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur == 1500000);
    return 0;
}

TEST(test_place_apply_policy_with_its_limit)
{
    assert_int_equal(fixture_in_child(fifo_body), 0);
}

static int no_limit_body(void)
{
    struct placement placement = {.policy = SCHED_FIFO, .rt_priority = 3};
    struct placement_seen seen;
    char refused[200] = "";

    place_apply_policy(&placement, 0, refused, sizeof(refused));
    place_read_back(&seen);
    CHECK(seen.policy == SCHED_OTHER);
    CHECK(strcmp(refused, "SCHED_FIFO 3 refused: Invalid argument (RLIMIT_RTTIME cannot be set)") == 0);
    return 0;
}

TEST(test_place_apply_policy_never_without_a_limit)
{
    assert_int_equal(fixture_in_child(no_limit_body), 0);
}

static int priority_too_high_body(void)
{
    struct placement placement = {.policy = SCHED_FIFO, .rt_priority = TASK_FIFO_MAX + 1};
    struct placement_seen seen;
    char refused[200] = "first";

    place_apply_policy(&placement, 1000000, refused, sizeof(refused));
    place_read_back(&seen);
    CHECK(seen.policy == SCHED_OTHER);
    CHECK(strcmp(refused,
                 "first; SCHED_FIFO 99 refused: Invalid argument (needs root, CAP_SYS_NICE or ulimit -r; a cpu "
                 "cgroup may forbid it)") == 0);
    return 0;
}

TEST(test_place_apply_policy_says_what_was_refused)
{
    assert_int_equal(fixture_in_child(priority_too_high_body), 0);
}
