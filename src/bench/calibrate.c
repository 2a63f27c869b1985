/* SPDX-License-Identifier: MIT */
/* Rounds of the simulated tasks' busy loop in a millisecond, on their CPUs. */
#include <sched.h>

#include "bench/sim.h"

#define CPUS_MAX   16u /* of more, evenly spaced ones are calibrated */
#define WARM_NS    20000000u
#define BLOCK_NS   2000000u
#define BLOCKS     9u
#define CHECK_MS   10
#define PAUSE_NS   20000000u
#define TRIES      10
#define WITHIN     0.01
#define EACH_NS    1000000000ull /* upper estimate for one CPU */
#define AFTERWARDS 0.05

enum { CALIBRATE_N, CALIBRATE_FIRST, CALIBRATE_NUMBERS = CALIBRATE_FIRST + CPUS_MAX };

static uint64_t time_of(uint64_t loops)
{
    uint64_t from = clock_raw_ns();

    sim_work(loops);
    return clock_raw_ns() - from;
}

/* Returns about how many loops take BLOCK_NS. */
static uint64_t warm_up(void)
{
    uint64_t begin = clock_raw_ns(), loops = 1024, took;

    while ((took = time_of(loops)) < BLOCK_NS / 2)
        loops *= 2;
    while (clock_raw_ns() - begin < WARM_NS)
        took = time_of(loops);
    return (uint64_t)((double)loops * BLOCK_NS / (double)(took + 1)) + 1;
}

static double median_rate(uint64_t loops)
{
    double rates[BLOCKS];

    for (unsigned i = 0; i < BLOCKS; i++)
        rates[i] = (double)loops * 1e6 / (double)(time_of(loops) + 1);
    return stats_median(rates, BLOCKS);
}

static bool holds(double rate, double tolerance)
{
    double ms = (double)time_of((uint64_t)(rate * CHECK_MS)) / 1e6;

    return ms > CHECK_MS * (1 - tolerance) && ms < CHECK_MS * (1 + tolerance);
}

/* Until work of 10 ms takes that within 1 %, and within 5 % once more after a pause. Returns false after ten tries
 * (a noisy machine); rate is then the last. */
static bool calibrate_cpu(double *rate)
{
    uint64_t loops = warm_up();

    for (int tries = 0; tries < TRIES; tries++) {
        *rate = median_rate(loops);
        if (!holds(*rate, WITHIN))
            continue;
        clock_sleep_ns(PAUSE_NS);
        time_of(loops); /* the frequency may have dropped in the sleep */
        if (holds(*rate, AFTERWARDS))
            return true;
    }
    return false;
}

static int setup(struct party_context *context)
{
    struct cpuset all;

    if (task_get_affinity(&all))
        cpuset_clear(&all);
    const unsigned count = cpuset_count(&all);
    context->expected_ns = EACH_NS * (smaller(count, CPUS_MAX) + 1);
    return 0;
}

static int run(struct party_context *context)
{
    double *numbers = context->recorder[0];
    struct cpuset all = {{0}}, one;
    unsigned n = 0, restless = 0, number = 0;

    if (task_get_affinity(&all))
        cpuset_add(&all, 0);
    const unsigned step = (cpuset_count(&all) + CPUS_MAX - 1) / CPUS_MAX;
    for_each_cpu(cpu, &all) {
        if (number++ % step)
            continue;
        cpuset_clear(&one);
        cpuset_add(&one, cpu);
        task_set_affinity(&one); /* if it fails, the CPUs stay */
        restless += !calibrate_cpu(&numbers[CALIBRATE_FIRST + n]);
        n++;
    }
    task_set_affinity(&all);
    numbers[CALIBRATE_N] = n;
    if (restless)
        party_degraded(context, "the speed of %u of %u CPUs varied by more than %.0f %%", restless, n, 100 * WITHIN);
    return 0;
}

static void place(const struct place_of *of, struct placement *placement)
{
    place_copy(of->request, of->copy, placement);
    sim_place_cpus(of->params, of->request, placement);
    placement->policy = SCHED_OTHER;
    placement->rt_priority = 0;
    placement->slice_ns = 0;
}

static void reduce(const struct trial *trial, struct results *results)
{
    const double *numbers = trial_recorder(trial, 0, 0, 0);

    for (unsigned i = 0; i < (unsigned)numbers[CALIBRATE_N]; i++)
        results_sample(results, 0, 0, numbers[CALIBRATE_FIRST + i]);
}

static const struct metric metrics[] = {
    {METRIC("loops_per_ms", "1/ms", "", "loops of the simulations' work in a millisecond, one sample per CPU"),
     .value = VALUE_MEDIAN, .headline = true},
};

const struct bench bench_calibrate = {
    BENCH_IS("latency", "calibrate", "the speed of the simulations' work on the CPUs that will be used",
             struct sim_params),
    BENCH_PARTY(PARTY_IS("calibrate", {RECORD_NUMBERS, CALIBRATE_NUMBERS}), .setup = setup, .run = run),
    BENCH_METRICS(metrics),
    .sampling = SAMPLING_ALWAYS(SAMPLING(1, 1, 0, 60)),
    .place = place,
    .reduce = reduce,
};
