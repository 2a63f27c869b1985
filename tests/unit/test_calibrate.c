/* SPDX-License-Identifier: MIT */
/* The speed of the simulations' work: found on a machine that is made up here, and by a real trial. */

#include "bench/sim.h"
#include "bench_fixture.h"

/* --- A simulated machine: its clock moves only by work and sleep. --- */

enum { MACHINE_CPUS = 2000 };
#define SPEED 100000.0 /* loops in a millisecond */

static struct {
    double now_ns;
    struct cpuset allowed, at;
    bool no_affinity, refuses;       /* sched_getaffinity or sched_setaffinity fails */
    double speed[MACHINE_CPUS];      /* of each CPU, times SPEED */
    double (*slower)(unsigned call); /* by what factor a call of sim_work() is longer than it should be */
    double after_sleep;              /* likewise, for so long */
    double cold_until_ns, cold_ns;
    unsigned calls, sleeps;
    unsigned visited[MACHINE_CPUS], n_visited;
} machine;

static uint64_t machine_clock(void)
{
    return (uint64_t)machine.now_ns;
}

static void machine_work(uint64_t loops)
{
    unsigned cpu = cpuset_next(&machine.at, 0);
    double took = (double)loops * 1e6 / (SPEED * machine.speed[cpu]);

    if (machine.slower)
        took *= machine.slower(machine.calls);
    if (machine.now_ns < machine.cold_until_ns)
        took *= machine.after_sleep;
    machine.now_ns += took;
    machine.calls++;
}

static void machine_sleep(uint64_t ns)
{
    machine.now_ns += (double)ns;
    machine.cold_until_ns = machine.now_ns + machine.cold_ns;
    machine.sleeps++;
}

static int machine_get_affinity(struct cpuset *set)
{
    cpuset_clear(set);
    if (machine.no_affinity)
        return -ENOSYS;
    *set = machine.allowed;
    return 0;
}

static int machine_set_affinity(const struct cpuset *set)
{
    if (machine.refuses)
        return -EPERM;
    machine.at = *set;
    if (cpuset_count(set) == 1)
        machine.visited[machine.n_visited++] = cpuset_next(set, 0);
    return 0;
}

/* The same source, on that machine. */
#define clock_raw_ns      machine_clock
#define clock_sleep_ns    machine_sleep
#define sim_work          machine_work
#define task_get_affinity machine_get_affinity
#define task_set_affinity machine_set_affinity
#define bench_calibrate   bench_on_machine
#include "../../src/bench/calibrate.c"
#undef clock_raw_ns
#undef clock_sleep_ns
#undef sim_work
#undef task_get_affinity
#undef task_set_affinity
#undef bench_calibrate

static struct fixture_party p;

static void machine_of(unsigned cpus)
{
    memset(&machine, 0, sizeof(machine));
    machine.now_ns = 1e12;
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        cpuset_add(&machine.allowed, cpu);
    machine.at = machine.allowed;
    for (unsigned cpu = 0; cpu < MACHINE_CPUS; cpu++)
        machine.speed[cpu] = 1;
}

/* The loops of a millisecond, by CPU. */
static const double *calibrate_machine(unsigned expected)
{
    static const struct sim_params params;

    fixture_party_begin(&p, &bench_on_machine, &params);
    assert_int_equal(p.party->run(&p.context), 0);
    const double *numbers = p.context.recorder[0];
    assert_true(numbers[CALIBRATE_N] == expected);
    assert_true(cpuset_equal(&machine.at, &machine.allowed)); /* as it was */
    return numbers + CALIBRATE_FIRST;
}

static void assert_speed(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-4 * expected))
        fail_msg("%.10g is not %.10g", got, expected);
}

static void assert_degraded(const char *reason)
{
    assert_string_equal(p.head->slot[0].refused, reason);
}

TEST(test_calibrate_finds_the_speed_of_a_steady_cpu)
{
    machine_of(1);
    assert_speed(calibrate_machine(1)[0], SPEED);
    assert_degraded("");
    assert_int_equal(machine.sleeps, 1);
    fixture_party_end(&p);
}

TEST(test_calibrate_measures_each_cpu_on_its_own)
{
    machine_of(3);
    machine.speed[1] = 2;
    machine.speed[2] = 0.5;
    const double *loops = calibrate_machine(3);
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        assert_speed(loops[cpu], SPEED * machine.speed[cpu]);
        assert_int_equal(machine.visited[cpu], cpu);
    }
    assert_int_equal(machine.n_visited, 3);
    assert_degraded("");
    fixture_party_end(&p);
}

static void check_spread(unsigned cpus, unsigned measured, unsigned step)
{
    machine_of(cpus);
    (void)calibrate_machine(measured);
    assert_int_equal(machine.n_visited, measured);
    for (unsigned i = 0; i < measured; i++)
        assert_int_equal(machine.visited[i], i * step);
    fixture_party_end(&p);
}

TEST(test_calibrate_takes_some_of_many_cpus)
{
    check_spread(16, 16, 1);
    check_spread(17, 9, 2);
    check_spread(32, 16, 2);
    check_spread(40, 14, 3);
    check_spread(MACHINE_CPUS, 16, 125);
}

TEST(test_calibrate_measures_where_it_is_when_it_cannot_move)
{
    machine_of(2);
    machine.refuses = true;
    machine.speed[0] = 3;
    const double *loops = calibrate_machine(2);
    assert_speed(loops[0], 3 * SPEED);
    assert_speed(loops[1], 3 * SPEED);
    fixture_party_end(&p);
}

TEST(test_calibrate_without_sched_getaffinity_measures_one)
{
    static const struct sim_params params;

    machine_of(4);
    machine.no_affinity = machine.refuses = true;
    fixture_party_begin(&p, &bench_on_machine, &params);
    assert_int_equal(p.party->run(&p.context), 0);
    const double *numbers = p.context.recorder[0];
    assert_true(numbers[CALIBRATE_N] == 1);
    assert_speed(numbers[CALIBRATE_FIRST], SPEED);
    fixture_party_end(&p);
}

/* --- A machine that is disturbed. --- */

static unsigned disturbed_from, disturbed_to;
static double disturbed_by;

static double disturbed(unsigned call)
{
    return call >= disturbed_from && call < disturbed_to ? disturbed_by : 1;
}

/* So many calls are made until the blocks begin. */
static unsigned warm_calls(void)
{
    unsigned all;

    machine_of(1);
    (void)calibrate_machine(1);
    all = machine.calls;
    fixture_party_end(&p);
    return all - BLOCKS - 3; /* behind them: a check, a block after the pause, and a check */
}

static const double *calibrate_disturbed(unsigned from, unsigned to, double by)
{
    disturbed_from = from;
    disturbed_to = to;
    disturbed_by = by;
    machine_of(1);
    machine.slower = disturbed;
    return calibrate_machine(1);
}

TEST(test_calibrate_tries_again_when_the_check_does_not_hold)
{
    unsigned check = warm_calls() + BLOCKS;

    assert_speed(calibrate_disturbed(check, check + 1, 1.012)[0], SPEED);
    assert_degraded("");
    assert_int_equal(machine.sleeps, 1); /* the first try did not come to it */
    assert_int_equal(machine.calls, check + 1 + BLOCKS + 3);
    fixture_party_end(&p);
    assert_speed(calibrate_disturbed(check, check + 1, 0.988)[0], SPEED);
    assert_int_equal(machine.calls, check + 1 + BLOCKS + 3);
    fixture_party_end(&p);
    (void)calibrate_disturbed(check, check + 1, 1.008);
    assert_int_equal(machine.calls, check + 3);
    fixture_party_end(&p);
    /* Too slow from the first block on: that is what is found, and then it is not held. */
    assert_speed(calibrate_disturbed(check - BLOCKS, check, 2)[0], SPEED);
    assert_degraded("");
    fixture_party_end(&p);
}

/* On CPU 1 the check is never like the blocks: there are nine of them, and every other call is slower. */
static double restless(unsigned call)
{
    return cpuset_has(&machine.at, 1) && call % 2 ? 1.1 : 1;
}

TEST(test_calibrate_says_that_a_cpu_is_restless)
{
    machine_of(3);
    machine.slower = restless;
    const double *loops = calibrate_machine(3);
    assert_speed(loops[0], SPEED);
    assert_speed(loops[1], SPEED / 1.1); /* better than none */
    assert_speed(loops[2], SPEED);
    assert_degraded("the speed of 1 of 3 CPUs varied by more than 1 %");
    assert_int_equal(machine.sleeps, 2);
    fixture_party_end(&p);
}

/* --- On this one. --- */

static const struct bench *const registry[] = {&bench_calibrate, NULL};

TEST(test_calibrate_is_never_real_time)
{
    struct sim_params params = {.real_time = true};
    static struct place_request request;
    struct placement placement;

    fixture_place(&request);
    request.fifo = true;
    request.fifo_priority = 50;
    memset(&placement, 0xff, sizeof(placement));
    bench_calibrate.place(&(struct place_of){&params, &request, 0, 0}, &placement);
    assert_int_equal(placement.policy, SCHED_OTHER);
    assert_int_equal(placement.rt_priority, 0);
    assert_true(cpuset_equal(&placement.cpus, &request.cpus));
    assert_int_equal(placement.bind, BIND_RANGE);
    params.single_cpu = true;
    bench_calibrate.place(&(struct place_of){&params, &request, 0, 0}, &placement);
    assert_int_equal(cpuset_count(&placement.cpus), 1);
    assert_true(cpuset_has(&placement.cpus, request.order[0]));
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
