/* SPDX-License-Identifier: MIT */
/* Recording, and the figures of M. Kot's method. */
#include "bench/experiment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core.h"
#include "sys/base.h"
#include "sys/file.h"

#define BUFFER_SIZE     65536u
#define LINE_MAX_LENGTH 96u

const struct metric experiment_metrics[METRIC_OWN] = {
    [METRIC_CYCLES] = {METRIC("cycles", NULL, "lower", "one experiment"), .value = VALUE_MEDIAN, .headline = true},
    [METRIC_CYCLES_ALONE] = {METRIC("cycles_alone", NULL, "lower",
                                    "mean of the experiments in slices in which the core was free"),
                             .alone = true, .of = METRIC_CYCLES, .recorder = EXPERIMENT_CORE},
    [METRIC_TIME] = METRIC_MEDIAN("time", "ns", "lower", "time of one experiment"),
    [METRIC_SD] = {METRIC("cycles_sd", NULL, "lower", "standard deviation of a run's experiments")},
    [METRIC_CI90] = {METRIC("cycles_ci90", NULL, "lower", "half-width of the 90 % interval of a run's mean")},
    [METRIC_DELAYS] = {METRIC("delays_a", "events", "lower", "delays over 150 up to 400 above the mean, in a run")},
    {METRIC("delays_a_size", NULL, "", "mean size of the delays over 150 up to 400")},
    {METRIC("delays_b", "events", "lower", "delays over 400 up to 2000 above the mean, in a run")},
    {METRIC("delays_b_size", NULL, "", "mean size of the delays over 400 up to 2000")},
    {METRIC("delays_c", "events", "lower", "delays over 2000 up to 6000 above the mean, in a run")},
    {METRIC("delays_c_size", NULL, "", "mean size of the delays over 2000 up to 6000")},
    {METRIC("delays_d", "events", "lower", "delays over 6000 above the mean, in a run")},
    {METRIC("delays_d_size", NULL, "", "mean size of the delays over 6000")},
    [METRIC_DELAYED] = {METRIC("delayed_400", "%", "lower", "share of the time in delays over 400 above the mean")},
    {METRIC("delayed_2000", "%", "lower", "share of the time in delays over 2000 above the mean")},
    {METRIC("delayed_400_median", "%", "lower", "share of the time in delays over 400 above the median")},
    {METRIC("delayed_2000_median", "%", "lower", "share of the time in delays over 2000 above the median")},
    [METRIC_BUCKETS_EXACT] = {METRIC("buckets_exact", "bool", "",
                                     "1 if every limit of the delay classes is a limit of a histogram bin"),
                              .value = VALUE_MIN},
    [METRIC_CLOCK_COST] =
        METRIC_MEDIAN("clock_cost", NULL, "lower", "time between two consecutive readings of the clock"),
    [METRIC_CLOCK_GRAIN] = {METRIC("clock_grain", NULL, "lower", "smallest step between two readings of the clock"),
                            .value = VALUE_MIN},
    [METRIC_CLOCK_HZ] =
        METRIC_MEDIAN("clock_hz", "Hz", "", "the clock's frequency, measured against CLOCK_MONOTONIC_RAW"),
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
    e->fd = -1; /* no lines in the warm-up */
    snprintf(e->prefix, sizeof(e->prefix), "%llu,%llu,%u,", (unsigned long long)size,
             (unsigned long long)context->sample, context->copy);
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
    e->used += (size_t)snprintf(e->buffer + e->used, LINE_MAX_LENGTH, "%s%llu,%llu\n", e->prefix,
                                (unsigned long long)(e->number - 1), (unsigned long long)ticks);
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
    number[NUMBER_COST_MIN] = cost.min;
    number[NUMBER_COST_MEDIAN] = cost.median;
    number[NUMBER_GRAIN] = cost.grain;
    return 0;
}

/* h->sum holds distances from h->base. */
static double sum_of(const struct hist *h)
{
    return h->sum + (double)h->n * (double)h->base;
}

int experiment_run(struct party_context *context, uint64_t counts, int (*work)(struct party_context *, uint64_t count))
{
    struct experiment *e = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[EXPERIMENT_CORE]};
    double fit = context->rate * CORE_SLICE_NS * 1e-9;
    uint64_t slice = core.probe && fit < (double)counts ? (uint64_t)fit + 1 : counts;

    uint64_t least = e->hist->n ? e->hist->min : 0;
    hist_init(e->hist, least - least / 8);
    series_init(e->series);
    e->number = 0;
    e->fd = context->series_fd;
    core_begin(&core, context->expected_ns);
    for (uint64_t done = 0; done < counts; done += slice) {
        double before = sum_of(e->hist);
        uint64_t start = clock_raw_ns(), count = counts - done < slice ? counts - done : slice;
        if (work(context, count))
            return -1;
        core_slice(&core, (double)count, sum_of(e->hist) - before, start);
    }
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

static void reduce_buckets(const struct hist *h, double mean, unsigned group, struct results *results)
{
    bool exact = true;

    for (unsigned b = 0; b < COUNT(buckets); b++) {
        struct hist_range in = hist_range(h, mean + buckets[b].low, mean + buckets[b].high);
        exact = exact && in.exact;
        results_sample(results, group, METRIC_DELAYS + 2 * b, (double)in.count);
        results_sample(results, group, METRIC_DELAYS + 2 * b + 1,
                       in.count ? in.sum / (double)in.count - mean : (double)NAN);
    }
    results_sample(results, group, METRIC_BUCKETS_EXACT, exact);
}

static void reduce_copy(const struct trial *trial, unsigned copy, struct results *results)
{
    const struct hist *h = trial_recorder(trial, 0, copy, EXPERIMENT_HIST);
    const double *number = trial_recorder(trial, 0, copy, EXPERIMENT_NUMBERS);
    const double mean = hist_mean(h), sd = hist_sd(h), levels[] = {mean, hist_quantile(h, 0.5)};

    reduce_buckets(h, mean, copy, results);
    results_sample(results, copy, METRIC_CYCLES, mean);
    results_hist(results, copy, METRIC_CYCLES, h);
    results_series(results, copy, METRIC_CYCLES, trial_recorder(trial, 0, copy, EXPERIMENT_SERIES));
    results_sample(results, copy, METRIC_SD, sd);
    results_sample(results, copy, METRIC_CI90, 1.6448536269514722 * sd / sqrt((double)h->n));
    for (unsigned l = 0; l < COUNT(levels); l++) {
        results_sample(results, copy, METRIC_DELAYED + 2 * l, delayed_pct(h, levels[l], 400));
        results_sample(results, copy, METRIC_DELAYED + 2 * l + 1, delayed_pct(h, levels[l], 2000));
    }
    results_sample(results, copy, METRIC_CLOCK_COST, number[NUMBER_COST_MEDIAN]);
    results_sample(results, copy, METRIC_CLOCK_GRAIN, number[NUMBER_GRAIN]);
    results_sample(results, copy, METRIC_CLOCK_HZ, results_clock_hz(results));
}

void experiment_reduce(const struct trial *trial, struct results *results)
{
    for (unsigned copy = 0; copy < trial_spec_of(trial)->copies; copy++)
        reduce_copy(trial, copy, results);
    results_scaled(results, METRIC_TIME, METRIC_CYCLES, 1e9 / results_clock_hz(results));
}
