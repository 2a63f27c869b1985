/* SPDX-License-Identifier: MIT */
/* What prime and array have in common: one very short, fixed piece of work, run a million times, each run timed.
 * Method: M. Kot, 'Evaluation of Bare Metal CPU and Memory Performance of the Unikernel IncludeOS and Ubuntu',
 * University of Oslo, 2019, with a histogram in constant memory in place of its stored samples. */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include <stdint.h>

#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/trial.h"

/* The recorders of such a benchmark, in this order. */
enum {
    EXPERIMENT_HIST,
    EXPERIMENT_SERIES,
    EXPERIMENT_NUMBERS,
    EXPERIMENT_CHECKS,
    EXPERIMENT_CORE,
    EXPERIMENT_N_RECORDERS
};
enum { NUMBER_COST_MIN, NUMBER_COST_MEDIAN, NUMBER_GRAIN, NUMBER_OWN, NUMBER_COUNT = NUMBER_OWN + 4 };
#define EXPERIMENT_RECORDERS                                                                                           \
    .recorders = {[EXPERIMENT_HIST] = {RECORD_HIST, 0},                                                                \
                  [EXPERIMENT_SERIES] = {RECORD_SERIES, 0},                                                            \
                  [EXPERIMENT_NUMBERS] = {RECORD_NUMBERS, NUMBER_COUNT},                                               \
                  [EXPERIMENT_CHECKS] = {RECORD_CHECKS, 8},                                                            \
                  [EXPERIMENT_CORE] = {RECORD_CORE, 0}},                                                               \
    .n_recorders = EXPERIMENT_N_RECORDERS

/* The metrics they share come first; a benchmark's own follow from METRIC_OWN on. */
enum {
    METRIC_CYCLES,
    METRIC_CYCLES_ALONE,
    METRIC_TIME,
    METRIC_SD,
    METRIC_CI90,
    METRIC_COUNT_A,
    METRIC_SIZE_A,
    METRIC_COUNT_B,
    METRIC_SIZE_B,
    METRIC_COUNT_C,
    METRIC_SIZE_C,
    METRIC_COUNT_D,
    METRIC_SIZE_D,
    METRIC_PCT_400,
    METRIC_PCT_2000,
    METRIC_PCT_400_MEDIAN,
    METRIC_PCT_2000_MEDIAN,
    METRIC_PCT_400_MIN,
    METRIC_PCT_2000_MIN,
    METRIC_BUCKETS_EXACT,
    METRIC_CLOCK_COST,
    METRIC_CLOCK_GRAIN,
    METRIC_CLOCK_HZ,
    METRIC_OWN,
};
extern const struct metric experiment_metrics[METRIC_OWN];

/* What the measuring loop writes to. Lives in the worker. */
struct experiment {
    struct hist *hist;
    struct series *series;
    uint64_t number; /* of the next experiment */
    /* Every experiment as a line of text, when asked for. */
    int fd;
    char prefix[48];
    char *buffer;
    size_t used;
    void *own; /* the benchmark's */
};

int experiment_setup(struct party_context *context, struct experiment *e, const char *prefix);
/* A run of so many counts of work, in slices with core probes between, and the clock's own cost. The recorders are
 * emptied first; the histogram begins below the least value that the warm-up saw. */
int experiment_run(struct party_context *context, struct experiment *e, uint64_t counts,
                   int (*work)(struct party_context *, uint64_t count));
void experiment_teardown(struct experiment *e);
void experiment_write(struct experiment *e, uint64_t ticks);

/* After each experiment, behind the second reading of the clock. */
static inline __attribute__((always_inline)) void experiment_record(struct experiment *e, uint64_t ticks)
{
    hist_add(e->hist, ticks);
    series_add(e->series, e->number++, ticks);
    if (__builtin_expect(e->fd >= 0, 0))
        experiment_write(e, ticks);
}

/* Enters the shared metrics of all copies of a trial. */
int experiment_reduce(const struct trial *trial, struct results *results);

#endif
