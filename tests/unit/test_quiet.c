/* SPDX-License-Identifier: MIT */
/* Which CPU is taken for the quietest, by made-up shares and on this machine. */

#include "engine_fixture.h"

#include "bench/noise.h"
#include "cmd/cmd.h"

static const struct bench *const registry[] = {&bench_noise, NULL};

static struct error why;
static const double unknown[] = {NAN, NAN, NAN, NAN};

static unsigned pick(const double *lost, size_t n)
{
    static const unsigned cpus[] = {4, 2, 6, 0}; /* the boot CPU last, as copies take them */

    return quiet_pick(cpus, unknown, lost, n, 0, &why);
}
#define PICK(...) pick((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

TEST(test_quiet_the_least_noisy_is_picked)
{
    assert_int_equal(PICK(0.3, 0.1, 0.2, 0.4), 2);
    assert_int_equal(PICK(0.3, 0.1, 0.05, 0.4), 6);
    assert_int_equal(PICK(0.1, 0.1, 0.1, 0.1), 4);
}

TEST(test_quiet_the_boot_cpu_must_be_twice_as_quiet)
{
    assert_int_equal(PICK(0.9, 0.5, 0.3, 0.2), 6);
    assert_int_equal(PICK(0.9, 0.5, 0.4, 0.2), 6); /* exactly twice is not more than twice */
    assert_int_equal(PICK(0.9, 0.5, 0.41, 0.2), 0);
    assert_int_equal(PICK(0.9, 0.5, 0.1, 0), 0);
    assert_int_equal(PICK(0.9, 0, 0.1, 0), 2);
}

TEST(test_quiet_the_boot_cpu_stands_anywhere)
{
    static const unsigned first[] = {0, 4, 2}, between[] = {4, 0, 2};

    assert_int_equal(quiet_pick(first, unknown, (const double[]){0.1, 0.3, 0.9}, 3, 0, &why), 0);
    assert_int_equal(quiet_pick(first, unknown, (const double[]){0.2, 0.3, 0.1}, 3, 0, &why), 2);
    assert_int_equal(quiet_pick(between, unknown, (const double[]){0.9, 0.4, 0.9}, 3, 0, &why), 0);
    assert_int_equal(quiet_pick(between, unknown, (const double[]){0.5, 0.4, 0.1}, 3, 0, &why), 2);
}

TEST(test_quiet_what_is_not_known_is_the_worst)
{
    assert_int_equal(PICK(NAN, 5, NAN, NAN), 2);
    assert_int_equal(PICK(NAN, NAN, NAN, 3), 0);
    assert_int_equal(PICK(NAN, NAN, NAN, NAN), 4);
}

/* The CPU that loses least time has a neighbour on its core. */
TEST(test_quiet_counts_the_speed_that_others_of_the_core_take)
{
    static const unsigned cpus[] = {4, 2, 6};
    static const double lost[] = {0.1, 3, 0.2}, slower[] = {20.1, 12.7, 17}, of_two[] = {20.1, NAN, 7};

    assert_int_equal(quiet_pick(cpus, unknown, lost, 3, 0, &why), 4);
    assert_int_equal(quiet_pick(cpus, slower, lost, 3, 0, &why), 2);
    assert_string_equal(
        why.text,
        "CPU 2 lost 12.7 % of its speed in half a second: 3 % to detours, 10 % of the rest to sharing its core, the "
        "noisiest 20.1 %");
    assert_int_equal(quiet_pick(cpus, of_two, lost, 3, 0, &why), 6);
}

TEST(test_quiet_of_one_cpu_it_is_that_one)
{
    static const unsigned boot[] = {0}, other[] = {3};
    static const double lost[] = {50};

    assert_int_equal(quiet_pick(boot, unknown, lost, 1, 0, &why), 0);
    assert_int_equal(quiet_pick(boot, unknown, unknown, 1, 0, &why), 0);
    assert_int_equal(quiet_pick(other, unknown, lost, 1, 0, &why), 3);
    assert_int_equal(quiet_pick(other, unknown, unknown, 1, 0, &why), 3);
}

static void assert_explained(const double *lost, unsigned picked, const char *expected)
{
    static const unsigned cpus[] = {4, 2, 0};

    assert_int_equal(quiet_pick(cpus, unknown, lost, 3, 0, &why), picked);
    assert_string_equal(why.text, expected);
}
#define LOST(...) ((const double[]){__VA_ARGS__})

TEST(test_quiet_what_decided_is_said_in_few_digits)
{
    assert_explained(LOST(0.123456, 1.5, 72.8594), 4,
                     "CPU 4 lost 0.123 % of its speed in half a second, the noisiest 72.9 %");
    assert_explained(LOST(99.97, 0, 0.00005), 2, "CPU 2 lost 0 % of its speed in half a second, the noisiest 100 %");
    assert_explained(LOST(9.996, 0.00005, 0.0001234), 2,
                     "CPU 2 lost less than 0.0001 % of its speed in half a second, the noisiest 10 %");
    assert_explained(LOST(NAN, 3, 1), 0, "CPU 0 lost 1 % of its speed in half a second, the noisiest an unknown share");
    /* If all are equal, none is the noisiest. */
    assert_explained(LOST(0.25, 0.25, 0.25), 4, "CPU 4 lost 0.25 % of its speed in half a second");
}

TEST(test_quiet_a_boot_cpu_that_was_passed_over_is_named)
{
    assert_explained(LOST(72.8594, 80, 60.1111), 4,
                     "CPU 4 lost 72.9 % of its speed in half a second, the noisiest 80 %; CPU 0 lost 60.1 %, but it is "
                     "the boot CPU");
    assert_explained(LOST(72.8594, 72.8594, 60.1111), 4,
                     "CPU 4 lost 72.9 % of its speed in half a second; CPU 0 lost 60.1 %, but it is the boot CPU");
    assert_explained(LOST(9, 8, 2), 0, "CPU 0 lost 2 % of its speed in half a second, the noisiest 9 %");
}

TEST(test_quiet_cpu_is_one_of_those_allowed)
{
    static struct place_request place, all;
    char begins[32];

    fixture_place(&all);
    place = all;
    assert_int_equal(quiet_cpu(&place, &fixture_clock, true, &why), 0);
    fixture_assert_no_children();
    assert_true(cpuset_has(&all.cpus, place.order[0]) && cpuset_has(&place.cpus, place.order[0]));
    assert_int_equal(place.n_order, 1);
    (void)snprintf(begins, sizeof(begins), "CPU %u %s ", place.order[0], all.n_order > 1 ? "lost" : "is");
    assert_ptr_equal(strstr(why.text, begins), why.text);
}

/* Nothing has to be measured for that. */
TEST(test_quiet_the_only_cpu_is_not_looked_at)
{
    static struct place_request place = {.order = {77}, .n_order = 1};

    assert_int_equal(quiet_cpu(&place, &fixture_clock, true, &why), 0);
    assert_int_equal(place.order[0], 77);
    assert_string_equal(why.text, "CPU 77 is the only one");
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
