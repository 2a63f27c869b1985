/* SPDX-License-Identifier: MIT */
/* The CPUs that check and tune are told to measure on. */

#include "../test.h"
#include "said.h"

static struct machine machine;

static int make_machine(void **state)
{
    memset(&machine, 0, sizeof(machine));
    for (unsigned cpu = 0; cpu < 4; cpu++)
        cpuset_add(&machine.online, cpu);
    return 0;
}

TEST_WITH(test_cpus_by_name, make_machine, NULL)
{
    const struct option_cpus named = {.choice = CPUS_ALL};
    struct cpuset bench;

    assert_string_equal(cpus_choices[CPUS_ALL], "all");
    assert_int_equal(cpus_bench(&named, &machine, &bench), 0);
    assert_true(cpuset_equal(&bench, &machine.online));
}

TEST_WITH(test_cpus_listed_must_be_online, make_machine, NULL)
{
    struct option_cpus named = {.choice = -1};
    struct cpuset bench;

    cpuset_add(&named.set, 0);
    cpuset_add(&named.set, 3);
    assert_int_equal(cpus_bench(&named, &machine, &bench), 0);
    assert_true(cpuset_equal(&named.set, &bench));
    cpuset_add(&named.set, 4);
    cpuset_add(&named.set, 6);
    assert_int_equal(cpus_bench(&named, &machine, &bench), EXIT_USAGE);
    assert_string_equal(said.text, "--cpus: CPU 4,6 is offline or does not exist (online: 0-3)");
    cpuset_clear(&machine.online); /* not known: nothing can be said against them */
    assert_int_equal(cpus_bench(&named, &machine, &bench), 0);
}

/* Whether the kernel allows them is tried by going there. */
TEST_WITH(test_cpus_listed_are_tried_and_left, make_machine, NULL)
{
    static struct place_request place;
    struct option_cpus named = {.choice = -1};
    struct cpuset before, after;

    assert_int_equal(task_get_affinity(&before), 0);
    cpuset_add(&named.set, cpuset_next(&before, 0));
    machine.online = before;
    assert_int_equal(cpus_place(&named, &machine, &place), 0);
    assert_true(cpuset_equal(&place.cpus, &named.set));
    assert_int_equal(task_get_affinity(&after), 0);
    assert_true(cpuset_equal(&after, &before));
}
