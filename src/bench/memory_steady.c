/* SPDX-License-Identifier: MIT */
/* How steady the speed of the last cache and of memory is. Every millisecond: a short pointer chase in a set that only
 * the last cache holds, one in a set that no cache holds, and a short reading of memory. Their spread shows others who
 * use the same cache and memory, as that of core probes shows others who use the same core. */
#include <math.h>
#include <stdio.h>

#include "bench/memory.h"
#include "engine/core.h"
#include "engine/plan.h"
#include "engine/trial.h"

enum { RECORD_CACHE, RECORD_MEMORY, RECORD_READ, RECORD_SERIES_OF, RECORD_STRETCH, N_RECORDERS };
enum {
    METRIC_MEMORY,
    METRIC_CACHE,
    METRIC_BANDWIDTH,
    METRIC_SPREAD,
    METRIC_WORST,
    METRIC_PROBE,
    METRIC_CACHE_PROBE,
    N_METRICS
};

#define EVERY_NS 1000000u
/* Number of loads in a probe, which takes some 7 us in memory. */
#define LOADS 64u
/* Bytes of memory that are read each time. */
#define READ_BYTES 65536u
/* Number of consecutive probes (100 ms) that are averaged; the worst average is reported. */
#define STRETCH 100u

struct work {
    struct chase cache, memory;
    size_t read_at;
};

static int setup(struct party_context *context)
{
    const struct memory_steady_params *params = context->params;
    struct work *work = context->state; /* its memory is unmapped when the process ends */

    if (chase_map(&work->cache, params->cache_bytes, CHASE_HUGE) || chase_link(&work->cache, 2 * context->sample + 1) ||
        chase_map(&work->memory, params->memory_bytes, CHASE_HUGE) ||
        chase_link(&work->memory, 2 * context->sample + 2))
        return party_fail(context, "out of memory for %llu bytes",
                          (unsigned long long)params->cache_bytes + params->memory_bytes);
    (void)chase_warm_up(&work->cache);
    return 0;
}

static uint64_t timed_walk(struct chase *chase)
{
    const uint64_t start = clock_raw_ns();

    chase_walk(chase, LOADS);
    return clock_raw_ns() - start;
}

static uint64_t timed_read(struct work *work)
{
    const uint64_t *from = (const void *)(work->memory.set + work->read_at);
    const uint64_t start = clock_raw_ns();
    uint64_t sum = 0;

    for (size_t i = 0; i < READ_BYTES / sizeof(*from); i++)
        sum += from[i];
    __asm__ volatile("" : : "r"(sum));
    const uint64_t took = clock_raw_ns() - start;
    work->read_at = (work->read_at + READ_BYTES) % (work->memory.bytes / READ_BYTES * READ_BYTES);
    return took;
}

static int run(struct party_context *context)
{
    struct work *work = context->state;
    double *worst = context->recorder[RECORD_STRETCH];
    const uint64_t begin = clock_raw_ns();
    uint64_t next = begin, stretch = 0;

    for (uint64_t n = 1; !party_stopped(context); n++) {
        /* Skips the probes that were missed while something else ran. */
        for (next += EVERY_NS; clock_raw_ns() > next + EVERY_NS; next += EVERY_NS) {
        }
        while (clock_raw_ns() < next && !party_stopped(context)) {
            /* a sleep would let the core's clock and caches go cold */
        }
        const uint64_t memory = timed_walk(&work->memory);
        hist_add(context->recorder[RECORD_CACHE], timed_walk(&work->cache));
        hist_add(context->recorder[RECORD_READ], timed_read(work));
        hist_add(context->recorder[RECORD_MEMORY], memory);
        series_add(context->recorder[RECORD_SERIES_OF], (next - begin) / 1000, memory);
        stretch += memory;
        if (n % STRETCH)
            continue;
        if ((double)stretch / STRETCH > *worst)
            *worst = (double)stretch / STRETCH;
        stretch = 0;
    }
    return 0;
}

/* Returns by how many % the 90th percentile of the probes' times exceeds their median. */
static double spread_pct(const struct hist *probes)
{
    const double usual = hist_quantile(probes, 0.5);

    return 100 * (hist_quantile(probes, 0.9) - usual) / usual;
}

double memory_steady_spread_pct(const struct trial *trial)
{
    const struct hist *probes = trial_recorder(trial, 0, 0, RECORD_MEMORY);

    return probes->n ? spread_pct(probes) : (double)NAN;
}

static int reduce(const struct trial *trial, struct results *results)
{
    const struct hist *cache = trial_recorder(trial, 0, 0, RECORD_CACHE);
    const struct hist *memory = trial_recorder(trial, 0, 0, RECORD_MEMORY);
    const struct hist *reading = trial_recorder(trial, 0, 0, RECORD_READ);
    const double *worst = trial_recorder(trial, 0, 0, RECORD_STRETCH);
    const double usual = hist_quantile(memory, 0.5);
    int error = results_hist(results, 0, METRIC_PROBE, memory) | results_hist(results, 0, METRIC_CACHE_PROBE, cache) |
                results_series(results, 0, METRIC_PROBE, trial_recorder(trial, 0, 0, RECORD_SERIES_OF));

    if (!memory->n)
        return error;
    error |= results_sample(results, 0, METRIC_MEMORY, usual / LOADS) |
             results_sample(results, 0, METRIC_CACHE, hist_quantile(cache, 0.5) / LOADS) |
             results_sample(results, 0, METRIC_BANDWIDTH, READ_BYTES * 1e3 / hist_quantile(reading, 0.5)) |
             results_sample(results, 0, METRIC_SPREAD, spread_pct(memory));
    return *worst > 0 ? error | results_sample(results, 0, METRIC_WORST, 100 * (*worst - usual) / usual) : error;
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_steady_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_CPU, "cache_set", "%llu", (unsigned long long)p->cache_bytes);
    row_param_add(out, PARAM_CPU, "bytes", "%llu", (unsigned long long)p->memory_bytes);
}

static const struct party parties[] = {
    {.name = "steady",
     .stop = STOP_FLAG,
     .recorders = {[RECORD_CACHE] = {RECORD_HIST, 0},
                   [RECORD_MEMORY] = {RECORD_HIST, 0},
                   [RECORD_READ] = {RECORD_HIST, 0},
                   [RECORD_SERIES_OF] = {RECORD_SERIES, 0},
                   [RECORD_STRETCH] = {RECORD_NUMBERS, 1}},
     .n_recorders = N_RECORDERS,
     .state_size = sizeof(struct work),
     .setup = setup,
     .run = run},
};

static const struct metric metrics[] = {
    [METRIC_MEMORY] = {.id = "memory_latency",
                       .unit = "ns",
                       .better = "lower",
                       .value = VALUE_MEDIAN,
                       .headline = true,
                       .title = "time of a load from memory, median of the probes"},
    [METRIC_CACHE] = {.id = "cache_latency",
                      .unit = "ns",
                      .better = "lower",
                      .value = VALUE_MEDIAN,
                      .title = "time of a load from the last cache, median of the probes"},
    [METRIC_BANDWIDTH] = {.id = "memory_bandwidth",
                          .unit = "MB/s",
                          .better = "higher",
                          .value = VALUE_MEDIAN,
                          .title = "bytes read by one CPU, median of the probes"},
    [METRIC_SPREAD] = {.id = "memory_spread",
                       .unit = "%",
                       .better = "lower",
                       .value = VALUE_MEDIAN,
                       .title = "how much longer than the median probe of memory one of ten takes at least"},
    [METRIC_WORST] = {.id = "memory_worst",
                      .unit = "%",
                      .better = "lower",
                      .value = VALUE_MAX,
                      .optional = true,
                      .title = "how much longer than the median the probes of the worst 100 ms take"},
    [METRIC_PROBE] = {.id = "memory_probe",
                      .unit = "ns",
                      .better = "lower",
                      .value = VALUE_MEDIAN,
                      .title = "time of a probe of memory: 64 loads"},
    [METRIC_CACHE_PROBE] = {.id = "cache_probe",
                            .unit = "ns",
                            .better = "lower",
                            .value = VALUE_MEDIAN,
                            .title = "time of a probe of the last cache: 64 loads"},
};

const struct bench bench_memory_steady = {
    .name = "steady",
    .suite = "memory",
    .title = "How steady the last cache and memory are",
    .params_size = sizeof(struct memory_steady_params),
    .parties = parties,
    .n_parties = sizeof(parties) / sizeof(parties[0]),
    .own_metrics = metrics,
    .n_metrics = N_METRICS,
    .sampling = {[PRESET_DEFAULT] = SAMPLING_EXACT(5, 600, 60),
                 [PRESET_QUICK] = SAMPLING_EXACT(3, 300, 60),
                 [PRESET_CLASSIC] = SAMPLING_EXACT(5, 600, 60)},
    .huge_pages = true,
    .describe = describe,
    .reduce = reduce,
};
