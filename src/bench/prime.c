/* SPDX-License-Identifier: MIT */
/* Primes below a limit by trial division, in registers only; and what prime and array share. */

#include "bench/experiment.h"
#include "sys/file.h"

#define BUFFER_SIZE     65536u
#define LINE_MAX_LENGTH 96u

#define DELAYS(class_, limits_) \
    {METRIC("delays_" class_, "events", "lower", "delays over " limits_ " above the mean, in a run")}, \
    { \
        METRIC("delays_" class_ "_size", NULL, "", "mean size of the delays over " limits_) \
    }
#define DELAYED(limit_, level_, suffix_) \
    { \
        METRIC("delayed_" limit_ suffix_, "%", "lower", \
               "share of the time in delays over " limit_ " above the " level_) \
    }

const struct metric experiment_metrics[METRIC_OWN] = {
    [METRIC_CYCLES] = {METRIC("cycles", NULL, "lower", "one experiment"), .value = VALUE_MEDIAN, .headline = true},
    [METRIC_CYCLES_ALONE] = {METRIC("cycles_alone", NULL, "lower",
                                    "mean of the experiments in slices in which the core was free"),
                             .alone = true, .of = METRIC_CYCLES, .recorder = EXPERIMENT_CORE},
    [METRIC_TIME] = METRIC_MEDIAN("time", "ns", "lower", "time of one experiment"),
    [METRIC_SD] = {METRIC("cycles_sd", NULL, "lower", "standard deviation of a run's experiments")},
    [METRIC_CI90] = {METRIC("cycles_ci90", NULL, "lower", "half-width of the 90 % interval of a run's mean")},
    [METRIC_FLOOR] = {METRIC("cycles_floor", NULL, "lower", "least experiment of a run; series: of each block")},
    [METRIC_LEVEL] = {METRIC("cycles_level", NULL, "lower", "median experiment of a run; series: of each block")},
    [METRIC_DELAYS] = DELAYS("a", "150 up to 400"),
    DELAYS("b", "400 up to 2000"),
    DELAYS("c", "2000 up to 6000"),
    DELAYS("d", "6000"),
    [METRIC_DELAYED] = DELAYED("400", "mean", ""),
    DELAYED("2000", "mean", ""),
    DELAYED("400", "median", "_median"),
    DELAYED("2000", "median", "_median"),
    [METRIC_BUCKETS_EXACT] = {METRIC("buckets_exact", "bool", "",
                                     "1 if every limit of the delay classes is a limit of a histogram bin"),
                              .value = VALUE_MIN},
    [METRIC_CLOCK_COST] =
        METRIC_MEDIAN("clock_cost", NULL, "lower", "time between two consecutive readings of the clock"),
    [METRIC_CLOCK_GRAIN] = {METRIC("clock_grain", NULL, "lower", "smallest step between two readings of the clock"),
                            .value = VALUE_MIN},
    [METRIC_CLOCK_HZ] =
        METRIC_MEDIAN("clock_hz", "Hz", "", "the clock's frequency, measured against CLOCK_MONOTONIC_RAW"),
    [METRIC_MIGRATED] = {METRIC("migrated", "events", "lower",
                                "experiments in a run that ended on another CPU than the one before")},
};

/* Delays above the mean by more than low, at most high, in ticks. */
static const struct {
    double low, high;
} buckets[] = {{150, 400}, {400, 2000}, {2000, 6000}, {6000, HUGE_VAL}};

int experiment_setup(struct party_context *context, uint64_t size)
{
    struct experiment *e = context->state;

    e->hist = context->recorder[EXPERIMENT_HIST];
    e->series = context->recorder[EXPERIMENT_SERIES];
    e->floors = context->recorder[EXPERIMENT_FLOORS];
    e->levels = context->recorder[EXPERIMENT_LEVELS];
    e->fd = -1; /* no lines and no blocks in the warm-up */
    e->apart = UINT64_MAX;
    TEXT_PRINT(e->prefix, "%" PRIu64 ",%" PRIu64 ",%u,", size, context->sample, context->copy);
    if (context->series_fd < 0)
        return 0;
    e->buffer = malloc(BUFFER_SIZE);
    return e->buffer && memset(e->buffer, 0, BUFFER_SIZE) ? 0 : party_fail(context, "out of memory");
}

void experiment_write(struct experiment *e, uint64_t ticks)
{
    if (BUFFER_SIZE - e->used < LINE_MAX_LENGTH) {
        if (new_file_write(e->fd, e->buffer, e->used))
            e->fd = -2; /* a write failed; finish() reports it */
        e->used = 0;
    }
    e->used += (size_t)snprintf(e->buffer + e->used, LINE_MAX_LENGTH, "%s%" PRIu64 ",%" PRIu64 "\n", e->prefix,
                                e->number - 1, ticks);
}

/* False where the kernel does not set it. */
static bool tells_cpu(enum clock_kind kind, uint32_t *cpu)
{
    if (!COUNTER_CPU || kind != CLOCK_KIND_COUNTER)
        return false;
    counter_read_cpu(cpu);
    return ((*cpu ^ task_current_cpu()) & COUNTER_CPU) == 0;
}

void experiment_sample(struct experiment *e, uint64_t ticks)
{
    const uint64_t first = e->number - (e->apart + 1) * BLOCK_SAMPLES;
    size_t i = e->n_sampled++;

    for (; i > 0 && e->sampled[i - 1] > ticks; i--)
        e->sampled[i] = e->sampled[i - 1];
    e->sampled[i] = ticks;
    if (e->n_sampled < BLOCK_SAMPLES)
        return;
    series_add(e->floors, first, e->least);
    series_add(e->levels, first, e->sampled[BLOCK_SAMPLES / 2]);
    e->n_sampled = 0;
    e->least = UINT64_MAX;
}

static int finish(struct party_context *context, struct experiment *e)
{
    double *number = context->recorder[EXPERIMENT_NUMBERS];
    struct clock_cost cost;

    if (e->fd >= 0 && new_file_write(e->fd, e->buffer, e->used))
        e->fd = -2;
    if (e->fd == -2)
        return party_fail(context, "--series: cannot write: %s", strerror(errno));
    clock_cost_measure(context->clock, &cost);
    number[NUMBER_COST_MEDIAN] = cost.median;
    number[NUMBER_GRAIN] = cost.grain;
    return 0;
}

/* h->sum holds distances from h->base. */
static double sum_of(const struct hist *h)
{
    return h->sum + (double)h->n * (double)h->base;
}

int experiment_run(struct party_context *context, uint64_t counts, uint64_t from,
                   int (*work)(struct party_context *, uint64_t count))
{
    struct experiment *e = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[EXPERIMENT_CORE]};
    double fit = context->rate * CORE_SLICE_NS * 1e-9;
    uint64_t slice = core.probe && fit < (double)counts ? (uint64_t)fit + 1 : counts;

    uint64_t least = e->hist->n ? e->hist->min : 0;
    hist_init(e->hist, least - least / 8);
    series_init(e->series);
    e->series->from = from;
    e->number = 0;
    for (e->apart = 0; counts / (e->apart + 1) > BLOCKS_MAX * BLOCK_SAMPLES;)
        e->apart += e->apart + 1;
    e->least = UINT64_MAX;
    e->fd = context->series_fd;
    e->migrated = 0;
    const bool told = tells_cpu(context->clock, &e->cpu);
    core_begin(&core, context->expected_ns);
    for (uint64_t done = 0, count; done < counts; done += count) {
        double before = sum_of(e->hist);
        uint64_t start = clock_raw_ns();
        count = smaller(smaller(counts - done, slice), done < from ? from - done : UINT64_MAX);
        if (done == from)
            e->series->threshold = 0;
        if (work(context, count))
            return -1;
        core_slice(&core, (double)count, sum_of(e->hist) - before, start);
    }
    ((double *)context->recorder[EXPERIMENT_NUMBERS])[NUMBER_MIGRATED] =
        told && tells_cpu(context->clock, &e->cpu) ? (double)e->migrated : NAN;
    return finish(context, e);
}

void experiment_teardown(struct party_context *context)
{
    free(((struct experiment *)context->state)->buffer);
}

/* % of the total time beyond `level`, of experiments more than limit above it. */
static double delayed_pct(const struct hist *h, double level, double limit)
{
    struct hist_range delays = hist_range(h, level + limit, HUGE_VAL);
    return 100 * (delays.sum - (double)delays.count * level) / (hist_mean(h) * (double)h->n);
}

static void reduce_copy(const struct trial *trial, unsigned copy, struct results *results)
{
    const struct hist *h = trial_recorder(trial, 0, copy, EXPERIMENT_HIST);
    const double *number = trial_recorder(trial, 0, copy, EXPERIMENT_NUMBERS);
    const double mean = hist_mean(h), sd = hist_sd(h), levels[] = {mean, hist_quantile(h, 0.5)};
    bool exact = true;

    for (unsigned b = 0; b < COUNT(buckets); b++) {
        const struct hist_range in = hist_range(h, mean + buckets[b].low, mean + buckets[b].high);
        exact = exact && in.exact;
        results_samples(results, copy, METRIC_DELAYS + 2 * b, (double)in.count, in.sum / (double)in.count - mean);
    }
    results_sample(results, copy, METRIC_BUCKETS_EXACT, exact);
    results_events(results, copy, METRIC_CYCLES, h, trial_recorder(trial, 0, copy, EXPERIMENT_SERIES));
    results_samples(results, copy, METRIC_SD, sd, 1.6448536269514722 * sd / sqrt((double)h->n), (double)h->min,
                    levels[1]);
    for (unsigned b = 0; b < 2; b++) {
        const struct series *blocks = trial_recorder(trial, 0, copy, EXPERIMENT_FLOORS + b);
        if ((trial->spec.sample + 1) * blocks->n <= SERIES_LARGEST) /* more would be left out by size */
            results_series_from(results, copy, METRIC_FLOOR + b, blocks, trial->spec.sample * h->n);
    }
    for (unsigned l = 0; l < COUNT(levels); l++)
        results_samples(results, copy, METRIC_DELAYED + 2 * l, delayed_pct(h, levels[l], 400),
                        delayed_pct(h, levels[l], 2000));
    results_samples(results, copy, METRIC_CLOCK_COST, number[NUMBER_COST_MEDIAN], number[NUMBER_GRAIN],
                    results_clock_hz(results));
    if (number[NUMBER_MIGRATED] >= 0)
        results_sample(results, copy, METRIC_MIGRATED, number[NUMBER_MIGRATED]);
}

void experiment_reduce(const struct trial *trial, struct results *results)
{
    for (unsigned copy = 0; copy < trial->spec.copies; copy++)
        reduce_copy(trial, copy, results);
    results_scaled(results, METRIC_TIME, METRIC_CYCLES, 1e9 / results_clock_hz(results));
}

enum { NUMBER_DIVISIONS = NUMBER_OWN, NUMBER_PRIMES, NUMBER_INSTRUCTIONS };
enum { METRIC_DIVISIONS = METRIC_OWN, METRIC_PRIMES, METRIC_INSTRUCTIONS };

/* The measured work. With NULL the compiler removes the count of divisions. The divisor passes through an empty asm:
 * a compiler that knows its first value (2) makes the first division a bit test. */
ALWAYS_INLINE uint32_t count_primes(uint32_t limit, uint64_t *divisions)
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

ALWAYS_INLINE uint32_t measure(struct experiment *e, uint32_t limit, uint32_t primes, uint64_t count,
                               enum clock_kind clock)
{
    uint32_t wrong = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t cpu;
        uint64_t begin = clock_begin(clock);
        /* The empty asm keeps the work between the readings: its limit is known only after the first, its result
         * needed before the second. */
        __asm__ volatile("" : "+r"(limit));
        uint32_t found = count_primes(limit, NULL);
        __asm__ volatile("" : "+r"(found));
        uint64_t ticks = clock_end_cpu(clock, &cpu) - begin;
        wrong |= found ^ primes;
        experiment_record(e, ticks, cpu);
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
    FREED uint32_t *least = calloc((size_t)limit + 1, sizeof(*least));

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
               ? NAN
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
    const struct prime_params *params = context->params;

    return experiment_run(context, params->experiments, params->from, work);
}

static void reduce(const struct trial *trial, struct results *results)
{
    experiment_reduce(trial, results);
    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const double *number = trial_recorder(trial, 0, copy, EXPERIMENT_NUMBERS);
        results_samples(results, copy, METRIC_DIVISIONS, number[NUMBER_DIVISIONS], number[NUMBER_PRIMES],
                        number[NUMBER_INSTRUCTIONS]);
    }
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct prime_params *p = of->params;

    row_param_count(out, PARAM_WORK, "limit", p->limit);
    row_param_count(out, PARAM_WORK, "experiments", p->experiments);
    row_param_add(out, PARAM_CPU, "clock", "%s", of->clock->name);
    if (p->from)
        row_param_count(out, PARAM_OUTCOME, "window", p->from);
}

static const struct option options[] = {
    {OPTION("limit", 0, struct prime_params, limits, "count the primes below N, or below each of A, A+STEP, .. B"),
     OPTION_NUMBER(SWEEP, "N|A:B:STEP", 3, 1e5), .preset = {"22", "22", "10:46:4", "10:46:4"}},
    {OPTION("experiments", 'n', struct prime_params, experiments, "experiments a run"),
     OPTION_NUMBER(COUNT, "N", 1, 1e12), .preset = {"1M", "200K", "10M", "1M"}},
    {EXPERIMENT_FROM(struct prime_params)},
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
    BENCH_PARTY(EXPERIMENT_PARTY("prime"), .state_size = sizeof(struct experiment), .setup = setup, .work = work,
                .counts = counts, .run = run, .teardown = experiment_teardown),
    EXPERIMENT_METRICS(own_metrics),
    .sampling = {SAMPLING(10, 0, 0, 12), SAMPLING(5, 0, 0, 2), SAMPLING(100, 100, 0, 3600), SAMPLING(5, 5, 0, 3600)},
    .group_per_copy = true,
    .describe = describe,
    .reduce = reduce,
};
