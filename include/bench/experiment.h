/* SPDX-License-Identifier: MIT */
/* Prime, and what it shares with array. */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include "bench/list.h"

/* A very short, fixed piece of work (an experiment) is run and timed many times. Method: M. Kot's thesis, which
 * jitbench-prime(1) names, with a histogram of constant size instead of stored samples. */

enum {
    EXPERIMENT_HIST,
    EXPERIMENT_SERIES,
    EXPERIMENT_NUMBERS,
    EXPERIMENT_CHECKS,
    EXPERIMENT_CORE,
    EXPERIMENT_FLOORS,
    EXPERIMENT_LEVELS
};
enum { NUMBER_COST_MEDIAN, NUMBER_GRAIN, NUMBER_MIGRATED, NUMBER_OWN, NUMBER_COUNT = NUMBER_OWN + 4 };
#define EXPERIMENT_PARTY(name_) \
    PARTY_IS(name_, [EXPERIMENT_HIST] = {RECORD_HIST, 0}, [EXPERIMENT_SERIES] = {RECORD_SERIES, 0}, \
             [EXPERIMENT_NUMBERS] = {RECORD_NUMBERS, NUMBER_COUNT}, [EXPERIMENT_CHECKS] = {RECORD_CHECKS, 8}, \
             [EXPERIMENT_CORE] = {RECORD_CORE, 0}, [EXPERIMENT_FLOORS] = {RECORD_SERIES, 0}, \
             [EXPERIMENT_LEVELS] = {RECORD_SERIES, 0})

/* A benchmark's own metrics follow from METRIC_OWN on. */
enum {
    METRIC_CYCLES,
    METRIC_CYCLES_ALONE,
    METRIC_TIME,
    METRIC_SD,
    METRIC_CI90,
    METRIC_FLOOR, /* then the median; each with a series over blocks of the run */
    METRIC_LEVEL,
    METRIC_DELAYS,                      /* number and mean size of delays of each class A to D */
    METRIC_DELAYED = METRIC_DELAYS + 8, /* % of time in delays over 400, 2000 ticks above mean, median */
    METRIC_BUCKETS_EXACT = METRIC_DELAYED + 4,
    METRIC_CLOCK_COST,
    METRIC_CLOCK_GRAIN,
    METRIC_CLOCK_HZ,
    METRIC_MIGRATED,
    METRIC_OWN,
};
extern const struct metric experiment_metrics[METRIC_OWN];
#define EXPERIMENT_METRICS(own_) \
    .metrics = experiment_metrics, .n_shared_metrics = METRIC_OWN, .own_metrics = own_, \
    .n_metrics = METRIC_OWN + COUNT(own_)

#define EXPERIMENT_FROM(params_) \
    OPTION("from", 0, params_, from, "first of the 500 experiments in a row that the CSV keeps"), \
        OPTION_NUMBER(COUNT, "N", 0, 1e12), .preset = {"0"}

/* Of a run at most; the median of a block is that of so many of its experiments, evenly spaced. */
#define BLOCKS_MAX    128u
#define BLOCK_SAMPLES 64u

/* State of the measuring loop; the benchmark's state begins with it. */
struct experiment {
    struct hist *hist;
    struct series *series, *floors, *levels;
    uint64_t number; /* of the next experiment */
    uint64_t migrated;
    uint32_t cpu;   /* of the last one */
    uint64_t apart; /* an experiment is sampled if number & apart is then 0 */
    uint64_t least; /* of the block */
    /* Gets a line for each experiment; negative: not requested, or a write failed. */
    int fd;
    char prefix[48];
    char *buffer;
    size_t used, n_sampled;
    uint64_t sampled[BLOCK_SAMPLES]; /* sorted */
};

/* For the struct experiment with which context->state begins. size: of the work, for the lines of --series. Returns
 * 0, or -1 with a reason. */
int experiment_setup(struct party_context *context, uint64_t size);
/* Runs `counts` experiments, with a core probe after each slice, and measures the clock's cost. The histogram starts
 * below the warm-up's least value, the series at experiment `from`. Returns 0, or -1 with a reason. */
int experiment_run(struct party_context *context, uint64_t counts, uint64_t from,
                   int (*work)(struct party_context *, uint64_t count));
void experiment_teardown(struct party_context *context);
void experiment_write(struct experiment *e, uint64_t ticks);
void experiment_sample(struct experiment *e, uint64_t ticks);

/* An experiment took `ticks`, and ended on `cpu`. After the second reading of the clock. */
ALWAYS_INLINE void experiment_record(struct experiment *e, uint64_t ticks, uint32_t cpu)
{
    if (__builtin_expect(cpu != e->cpu, 0)) {
        e->cpu = cpu;
        e->migrated++;
    }
    hist_add(e->hist, ticks);
    series_add(e->series, e->number++, ticks);
    e->least = smaller(e->least, ticks);
    if (__builtin_expect(!(e->number & e->apart), 0))
        experiment_sample(e, ticks);
    if (__builtin_expect(e->fd >= 0, 0))
        experiment_write(e, ticks);
}

/* Samples of the common metrics, for each copy. */
void experiment_reduce(const struct trial *trial, struct results *results);

struct prime_params {
    struct option_sweep limits; /* by the user (--limit), measured one by one */
    uint64_t limit;             /* one of them: primes below it are counted */
    uint64_t experiments;       /* in a run */
    uint64_t from;              /* as for experiment_run() */
};

#endif
