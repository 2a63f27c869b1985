/* SPDX-License-Identifier: MIT */
/* Primes below a limit by trial division, in registers only: memory does not disturb it. */
#include "bench/experiment.h"

#include <math.h>
#include <stdlib.h>

#include "sys/base.h"
#include "sys/cpu.h"

enum { NUMBER_DIVISIONS = NUMBER_OWN, NUMBER_PRIMES, NUMBER_INSTRUCTIONS };
enum { METRIC_DIVISIONS = METRIC_OWN, METRIC_PRIMES, METRIC_INSTRUCTIONS };

/* The measured work. With NULL the compiler removes the count of divisions. The divisor passes through an empty asm:
 * a compiler that knows its first value (2) makes the first division a bit test. */
static inline __attribute__((always_inline)) uint32_t count_primes(uint32_t limit, uint64_t *divisions)
{
    uint32_t primes = 0;

    for (uint32_t candidate = 2; candidate < limit; candidate++) {
        uint32_t divisor = 2;
        __asm__ volatile("" : "+r"(divisor));
        for (;; divisor++) {
            if (divisions)
                ++*divisions;
            if (candidate % divisor == 0)
                break;
        }
        primes += divisor == candidate;
    }
    return primes;
}

static inline __attribute__((always_inline)) uint32_t measure(struct experiment *e, uint32_t limit, uint32_t primes,
                                                              uint64_t count, enum clock_kind clock)
{
    uint32_t wrong = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = clock_begin(clock);
        /* The empty asm keeps the work between the readings: its limit is known only after the first, its result
         * needed before the second. */
        __asm__ volatile("" : "+r"(limit));
        uint32_t found = count_primes(limit, NULL);
        __asm__ volatile("" : "+r"(found));
        uint64_t ticks = clock_end(clock) - begin;
        wrong |= found ^ primes;
        experiment_record(e, ticks);
    }
    return wrong;
}

/* One for each clock: no test in the measured loop. */
__attribute__((noinline)) uint32_t prime_measure_counter(struct experiment *e, uint32_t limit, uint32_t primes,
                                                         uint64_t count);
__attribute__((noinline)) uint32_t prime_measure_counter(struct experiment *e, uint32_t limit, uint32_t primes,
                                                         uint64_t count)
{
    return measure(e, limit, primes, count, CLOCK_KIND_COUNTER);
}

static __attribute__((noinline)) uint32_t prime_measure_gettime(struct experiment *e, uint32_t limit, uint32_t primes,
                                                                uint64_t count)
{
    return measure(e, limit, primes, count, CLOCK_KIND_GETTIME);
}

/* By a sieve of least prime factors: a candidate takes that many divisions minus one. Returns -1 when out of memory. */
static int expected_work(uint32_t limit, double *divisions, double *primes)
{
    FREED_BY(memory_free) uint32_t *least = calloc((size_t)limit + 1, sizeof(*least));

    if (!least)
        return -1;
    *divisions = *primes = 0;
    for (uint32_t i = 2; i < limit; i++) {
        if (!least[i]) {
            ++*primes;
            for (uint64_t k = i; k < limit; k += i)
                if (!least[k])
                    least[k] = i;
        }
        *divisions += least[i] - 1;
    }
    return 0;
}

/* count_primes() and the calls around it, while the counters are on; NAN: not counted. */
static __attribute__((noinline)) double instructions_with(uint32_t limit)
{
    struct counters counters;
    struct counters_reading after;
    struct counts counts;

    counters_open(&counters, false, false);
    counters_start();
    __asm__ volatile("" : "+r"(limit));
    uint32_t found = count_primes(limit, NULL);
    __asm__ volatile("" : : "r"(found));
    counters_stop();
    counters_read(&counters, &after);
    counters_difference(NULL, &after, &counts);
    counters_close(&counters);
    return counts.error[COUNTER_INSTRUCTIONS] || counts.scaled[COUNTER_INSTRUCTIONS]
               ? (double)NAN
               : counts.value[COUNTER_INSTRUCTIONS];
}

static int setup(struct party_context *context)
{
    const struct prime_params *params = context->params;
    double *number = context->recorder[EXPERIMENT_NUMBERS], divisions, primes;
    struct checks *checks = context->recorder[EXPERIMENT_CHECKS];
    uint64_t counted = 0;

    if (expected_work((uint32_t)params->limit, &divisions, &primes))
        return party_fail(context, "out of memory");
    uint32_t found = count_primes((uint32_t)params->limit, &counted);
    number[NUMBER_DIVISIONS] = (double)counted;
    number[NUMBER_PRIMES] = (double)found;
    /* With limit 2 only the calls remain. */
    number[NUMBER_INSTRUCTIONS] = instructions_with((uint32_t)params->limit) - instructions_with(2);
    checks_add(checks, "number of divisions", (double)counted, divisions, 0);
    checks_add(checks, "number of primes", (double)found, primes, 0);
    return experiment_setup(context, params->limit);
}

static int work(struct party_context *context, uint64_t count)
{
    const struct prime_params *params = context->params;
    const double *number = context->recorder[EXPERIMENT_NUMBERS];
    uint32_t limit = (uint32_t)params->limit, primes = (uint32_t)number[NUMBER_PRIMES];
    struct experiment *e = context->state;
    uint32_t wrong = context->clock == CLOCK_KIND_COUNTER ? prime_measure_counter(e, limit, primes, count)
                                                          : prime_measure_gettime(e, limit, primes, count);

    return wrong ? party_fail(context, "self-check failed: an experiment found another number of primes") : 0;
}

static uint64_t counts(const void *params)
{
    return ((const struct prime_params *)params)->experiments;
}

static int run(struct party_context *context)
{
    return experiment_run(context, counts(context->params), work);
}

static void reduce(const struct trial *trial, struct results *results)
{
    experiment_reduce(trial, results);
    for (unsigned copy = 0; copy < trial_spec_of(trial)->copies; copy++) {
        const double *number = trial_recorder(trial, 0, copy, EXPERIMENT_NUMBERS);
        results_sample(results, copy, METRIC_DIVISIONS, number[NUMBER_DIVISIONS]);
        results_sample(results, copy, METRIC_PRIMES, number[NUMBER_PRIMES]);
        results_sample(results, copy, METRIC_INSTRUCTIONS, number[NUMBER_INSTRUCTIONS]);
    }
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct prime_params *p = params;

    row_param_add(out, PARAM_WORK, "limit", "%llu", (unsigned long long)p->limit);
    row_param_add(out, PARAM_WORK, "experiments", "%llu", (unsigned long long)p->experiments);
    row_param_add(out, PARAM_CPU, "clock", "%s", clock->name);
}

static const struct option options[] = {
    {OPTION("limit", 0, struct prime_params, limits, "count the primes below N, or below each of A, A+STEP, .. B"),
     OPTION_NUMBER(OPTION_SWEEP, "N|A:B:STEP", 3, 1e5), .preset = {"22", "22", "10:46:4"}},
    {OPTION("experiments", 'n', struct prime_params, experiments, "experiments a run"),
     OPTION_NUMBER(OPTION_COUNT, "N", 1, 1e12), .preset = {"1M", "200K", "10M"}},
};

static const struct party parties[] = {
    {EXPERIMENT_PARTY("prime"), .state_size = sizeof(struct experiment), .setup = setup, .work = work, .counts = counts,
     .run = run, .teardown = experiment_teardown},
};

static const struct metric own_metrics[] = {
    [METRIC_DIVISIONS - METRIC_OWN] =
        METRIC_MEDIAN("divisions", "count", "", "divisions in an experiment, counted by an untimed run"),
    [METRIC_PRIMES - METRIC_OWN] = METRIC_MEDIAN("primes", "count", "", "primes found in an experiment"),
    [METRIC_INSTRUCTIONS - METRIC_OWN] =
        METRIC_MEDIAN("instructions", "count", "", "instructions of an experiment's work, counted by an untimed run"),
};

const struct bench bench_prime = {
    BENCH_IS("prime", "prime", "Prime loop: CPU noise", struct prime_params),
    BENCH_OPTIONS(options),
    BENCH_PARTIES(parties),
    EXPERIMENT_METRICS(own_metrics),
    .sampling = {SAMPLES_WITHIN(10, 0, 12), SAMPLES_WITHIN(5, 0, 2), SAMPLES_WITHIN(100, 100, 3600)},
    .group_per_copy = true,
    .describe = describe,
    .reduce = reduce,
};
