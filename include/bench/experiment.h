/* SPDX-License-Identifier: MIT */
/* Common code of the benchmarks prime and array: a very short, fixed piece of work (an experiment) is run many times (a
 * million or 100,000 by default), and each run is timed. Method: M. Kot, 'Evaluation of Bare Metal CPU and Memory
 * Performance of the Unikernel IncludeOS and Ubuntu', University of Oslo, 2019, with a histogram of constant size
 * instead of stored samples. */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include <stdint.h>

#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"

/* Indices of the recorders (memory that the parent process reads after the run) of these benchmarks. */
enum { EXPERIMENT_HIST, EXPERIMENT_SERIES, EXPERIMENT_NUMBERS, EXPERIMENT_CHECKS, EXPERIMENT_CORE };
enum { NUMBER_COST_MIN, NUMBER_COST_MEDIAN, NUMBER_GRAIN, NUMBER_OWN, NUMBER_COUNT = NUMBER_OWN + 4 };
#define EXPERIMENT_PARTY(name_)                                                                                        \
    PARTY_IS(name_, [EXPERIMENT_HIST] = {RECORD_HIST, 0}, [EXPERIMENT_SERIES] = {RECORD_SERIES, 0},                    \
             [EXPERIMENT_NUMBERS] = {RECORD_NUMBERS, NUMBER_COUNT}, [EXPERIMENT_CHECKS] = {RECORD_CHECKS, 8},          \
             [EXPERIMENT_CORE] = {RECORD_CORE, 0})

/* The common metrics come first; the benchmark's own metrics follow from METRIC_OWN on. */
enum {
    METRIC_CYCLES,
    METRIC_CYCLES_ALONE,
    METRIC_TIME,
    METRIC_SD,
    METRIC_CI90,
    METRIC_DELAYS,                      /* number and mean size of the delays of each of the classes A to D */
    METRIC_DELAYED = METRIC_DELAYS + 8, /* % of time in delays over 400, 2000 ticks above mean, median, minimum */
    METRIC_BUCKETS_EXACT = METRIC_DELAYED + 6,
    METRIC_CLOCK_COST,
    METRIC_CLOCK_GRAIN,
    METRIC_CLOCK_HZ,
    METRIC_OWN,
};
extern const struct metric experiment_metrics[METRIC_OWN];
#define EXPERIMENT_METRICS(own_)                                                                                       \
    .metrics = experiment_metrics, .n_shared_metrics = METRIC_OWN, .own_metrics = own_,                                \
    .n_metrics = METRIC_OWN + sizeof(own_) / sizeof((own_)[0])

/* State of the measuring loop, in the measured process. The state struct of the benchmark begins with it. */
struct experiment {
    struct hist *hist;
    struct series *series;
    uint64_t number; /* number of the next experiment */
    /* Descriptor to which every experiment is written as a line of text; negative: not requested, or a write failed. */
    int fd;
    char prefix[48];
    char *buffer;
    size_t used;
};

/* Prepares the struct experiment with which context->state begins. size: size of the work, which each line of --series
 * contains. Returns 0, or -1 with a reason. */
int experiment_setup(struct party_context *context, uint64_t size);
/* Runs `counts` experiments, with a core probe after each slice of about CORE_SLICE_NS, and measures the cost of
 * reading the clock. Resets the recorders first; the histogram starts below the least value seen in the warm-up.
 * Returns 0, or -1 with a reason. */
int experiment_run(struct party_context *context, uint64_t counts, int (*work)(struct party_context *, uint64_t count));
void experiment_teardown(struct party_context *context);
void experiment_write(struct experiment *e, uint64_t ticks);

/* Records an experiment that took `ticks` ticks of the clock. Called after the second reading of the clock. */
static inline __attribute__((always_inline)) void experiment_record(struct experiment *e, uint64_t ticks)
{
    hist_add(e->hist, ticks);
    series_add(e->series, e->number++, ticks);
    if (__builtin_expect(e->fd >= 0, 0))
        experiment_write(e, ticks);
}

/* Adds the samples of the common metrics to the results, for each copy of the benchmark (a process) in a trial. */
void experiment_reduce(const struct trial *trial, struct results *results);

#endif
