/* SPDX-License-Identifier: MIT */
/* How steady last-level cache and memory are. Every ms a short pointer chase in a set that no cache holds and a
 * short reading are timed. Now and then the last-level cache is probed: right after a set was brought into it, and 2
 * ms later, when others have evicted a part. */
#include <math.h>
#include <string.h>

#include "bench/memory.h"
#include "engine/engine.h"

enum { RECORD_CACHE, RECORD_RELOAD, RECORD_MEMORY, RECORD_READ, RECORD_SERIES_OF, RECORD_STRETCH };
enum {
    METRIC_MEMORY,
    METRIC_CACHE,
    METRIC_RELOAD,
    METRIC_BANDWIDTH,
    METRIC_SPREAD,
    METRIC_WORST,
    METRIC_PROBE,
    N_METRICS
};

#define EVERY_NS 1000000u
/* Loads of a probe of memory: 25 to 60 us. */
#define LOADS 256u
/* In a timed reading. */
#define READ_BYTES 65536u
/* Probes are averaged over it; the worst average is reported. */
#define STRETCH_NS 50000000u
/* Then another chase shows what was evicted. Others fill some 32 MiB within 3 to 10 ms. */
#define RELOAD_NS 2000000u
/* The next cache probe comes after so many times the time of its loads (without RELOAD_NS): at most a tenth of the
 * time, however large the set. */
#define CACHE_REST 9u
/* Hundredths of a ns, since a histogram has whole numbers. */
#define PARTS 100u
/* Before the timed round: until a victim cache (of what smaller caches evict) has nearly the whole set. */
#define CACHE_ROUNDS 3u
/* See chase_link_blocks(). */
#define STRIDE (2u * CHASE_LINE)
#define BLOCK  ((size_t)2 << 20)

struct work {
    struct chase cache, memory, reading; /* `reading` has no ring */
    size_t read_at;
};

static int setup(struct party_context *context)
{
    const struct memory_steady_params *params = context->params;
    struct work *work = context->state; /* unmapped when the process ends */
    const uint64_t half = params->memory_bytes / 2;

    if (chase_map(&work->memory, half, CHASE_HUGE) ||
        chase_link_blocks(&work->memory, 2 * context->sample + 1, STRIDE, BLOCK) ||
        chase_map(&work->reading, half > READ_BYTES ? half : READ_BYTES, CHASE_HUGE) ||
        (params->cache_bytes && (chase_map(&work->cache, params->cache_bytes, CHASE_HUGE) ||
                                 chase_link(&work->cache, 2 * context->sample + 2))))
        return party_fail(context, "out of memory for %llu bytes",
                          (unsigned long long)params->cache_bytes + params->memory_bytes);
    /* Linking has brought the rings into the caches. */
    memset(work->reading.set, 1, work->reading.bytes);
    return 0;
}

static uint64_t timed_walk(struct chase *chase, uint64_t loads)
{
    const uint64_t start = clock_raw_ns();

    chase_walk(chase, loads);
    return clock_raw_ns() - start;
}

static uint64_t timed_read(struct work *work)
{
    const uint64_t *from = (const void *)(work->reading.set + work->read_at);
    const uint64_t start = clock_raw_ns();
    uint64_t sum = 0;

    for (size_t i = 0; i < READ_BYTES / sizeof(*from); i++)
        sum += from[i];
    __asm__ volatile("" : : "r"(sum));
    const uint64_t took = clock_raw_ns() - start;
    work->read_at = (work->read_at + READ_BYTES) % (work->reading.bytes / READ_BYTES * READ_BYTES);
    return took;
}

/* Then accesses memory untimed, so that its next probe finds TLB and small caches as always. A timed line was used
 * one round ago; since then the rest of the set has gone through the smaller caches. Returns when the next probe is
 * due. */
static uint64_t probe_cache(struct party_context *context, struct work *work)
{
    const uint64_t loads = work->cache.bytes / CHASE_LINE / CHASE_UNROLLED * CHASE_UNROLLED, begin = clock_raw_ns();

    chase_walk(&work->cache, CACHE_ROUNDS * loads);
    hist_add(context->recorder[RECORD_CACHE], PARTS * timed_walk(&work->cache, loads) / loads);
    clock_spin_until(clock_raw_ns() + RELOAD_NS);
    hist_add(context->recorder[RECORD_RELOAD], PARTS * timed_walk(&work->cache, loads) / loads);
    chase_walk(&work->memory, LOADS);
    timed_read(work);
    const uint64_t end = clock_raw_ns();
    return end + CACHE_REST * (end - begin - RELOAD_NS);
}

/* A stretch of STRETCH_NS: index, number of probes, sum of times. */
struct stretch {
    uint64_t number, n, sum_ns;
};

/* A probe due at_ns after the start took took_ns. *worst: the longest mean of a complete stretch. */
static void stretch_add(struct stretch *stretch, uint64_t at_ns, uint64_t took_ns, double *worst)
{
    if (at_ns / STRETCH_NS != stretch->number) {
        if (stretch->n && (double)stretch->sum_ns / (double)stretch->n > *worst)
            *worst = (double)stretch->sum_ns / (double)stretch->n;
        *stretch = (struct stretch){.number = at_ns / STRETCH_NS};
    }
    stretch->n++;
    stretch->sum_ns += took_ns;
}

static int run(struct party_context *context)
{
    struct work *work = context->state;
    struct stretch stretch = {.n = 0};
    const uint64_t begin = clock_raw_ns();
    uint64_t next = begin, next_cache = work->cache.set ? begin : UINT64_MAX;

    while (!party_stopped(context)) {
        if (clock_raw_ns() >= next_cache)
            next_cache = probe_cache(context, work);
        /* Probes missed while something else ran. */
        for (next += EVERY_NS; clock_raw_ns() > next + EVERY_NS; next += EVERY_NS) {
        }
        clock_spin_until(next);
        const uint64_t memory = timed_walk(&work->memory, LOADS);
        hist_add(context->recorder[RECORD_READ], timed_read(work));
        hist_add(context->recorder[RECORD_MEMORY], memory);
        series_add(context->recorder[RECORD_SERIES_OF], (next - begin) / 1000, memory);
        stretch_add(&stretch, next - begin, memory, context->recorder[RECORD_STRETCH]);
    }
    return 0;
}

/* By how many % the 90th percentile exceeds the median. */
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

static void reduce(const struct trial *trial, struct results *results)
{
    const struct hist *cache = trial_recorder(trial, 0, 0, RECORD_CACHE);
    const struct hist *reload = trial_recorder(trial, 0, 0, RECORD_RELOAD);
    const struct hist *memory = trial_recorder(trial, 0, 0, RECORD_MEMORY);
    const struct hist *reading = trial_recorder(trial, 0, 0, RECORD_READ);
    const double *worst = trial_recorder(trial, 0, 0, RECORD_STRETCH);
    const double usual = hist_quantile(memory, 0.5);

    results_hist(results, 0, METRIC_PROBE, memory);
    results_series(results, 0, METRIC_PROBE, trial_recorder(trial, 0, 0, RECORD_SERIES_OF));
    if (!memory->n)
        return;
    results_sample(results, 0, METRIC_MEMORY, usual / LOADS);
    results_sample(results, 0, METRIC_CACHE, hist_quantile(cache, 0.5) / PARTS);
    results_sample(results, 0, METRIC_RELOAD, hist_quantile(reload, 0.5) / PARTS);
    results_sample(results, 0, METRIC_BANDWIDTH, READ_BYTES * 1e3 / hist_quantile(reading, 0.5));
    results_sample(results, 0, METRIC_SPREAD, spread_pct(memory));
    if (*worst > 0)
        results_sample(results, 0, METRIC_WORST, 100 * (*worst - usual) / usual);
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_steady_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_CPU, "cache_set", "%llu", (unsigned long long)p->cache_bytes);
    row_param_add(out, PARAM_CPU, "bytes", "%llu", (unsigned long long)p->memory_bytes);
}

static const struct party parties[] = {
    {PARTY_IS("steady", [RECORD_CACHE] = {RECORD_HIST, 0}, [RECORD_RELOAD] = {RECORD_HIST, 0},
              [RECORD_MEMORY] = {RECORD_HIST, 0}, [RECORD_READ] = {RECORD_HIST, 0},
              [RECORD_SERIES_OF] = {RECORD_SERIES, 0}, [RECORD_STRETCH] = {RECORD_NUMBERS, 1}),
     .stop = STOP_FLAG, .state_size = sizeof(struct work), .setup = setup, .run = run},
};

static const struct metric metrics[] = {
    [METRIC_MEMORY] = {METRIC("memory_latency", "ns", "lower", "time of a load from memory, median of the probes"),
                       .value = VALUE_MEDIAN, .headline = true},
    [METRIC_CACHE] = METRIC_MEDIAN("cache_latency", "ns", "lower",
                                   "time of a load from the last cache, right after the set was brought into it"),
    [METRIC_RELOAD] = METRIC_MEDIAN("cache_reload", "ns", "lower",
                                    "time of a load of the same set 2 ms later: longer by what others have evicted"),
    [METRIC_BANDWIDTH] =
        METRIC_MEDIAN("memory_bandwidth", "MB/s", "higher", "bytes read by one CPU, median of the probes"),
    [METRIC_SPREAD] = METRIC_MEDIAN("memory_spread", "%", "lower",
                                    "how much longer than the median probe of memory one of ten takes at least"),
    [METRIC_WORST] = {METRIC("memory_worst", "%", "lower",
                             "how much longer than the median the probes of the worst 50 ms take"),
                      .value = VALUE_MAX, .optional = true},
    [METRIC_PROBE] = METRIC_MEDIAN("memory_probe", "ns", "lower", "time of a probe of memory: 256 loads"),
};

const struct bench bench_memory_steady = {
    BENCH_WITH("memory", "steady", "How steady the last cache and memory are", struct memory_steady_params, parties,
               metrics),
    .sampling = {SAMPLING_EXACT(20, 150, 60), SAMPLING_EXACT(6, 150, 60), SAMPLING_EXACT(20, 150, 60)},
    .huge_pages = true,
    .describe = describe,
    .reduce = reduce,
};
