/* SPDX-License-Identifier: MIT */
/* Time of a load on one CPU, a pointer chase, while the others read blocks with a pause after each. */
#include <math.h>
#include <sys/mman.h>

#include "bench/memory.h"
#include "engine/core.h"
#include "engine/engine.h"

enum { RECORD_TIMES, RECORD_LOADS, RECORD_PAGES = CHASE_RECORDER };
enum { METRIC_LATENCY, METRIC_BANDWIDTH, N_METRICS };

/* Slices of 1.5 ms in a run; more are joined in pairs. */
#define SLICES_MAX 128u
/* By the other CPUs between two pauses; many in a slice. */
#define BLOCK_BYTES 4096u

struct work {
    struct chase chase; /* of the first copy; first member, for chase_verify() */
    uint64_t *stream;   /* that the others read; NULL: nothing */
    uint64_t loads;     /* in a slice */
};

static int setup_stream(struct party_context *context, struct work *work)
{
    const struct memory_loaded_params *params = context->params;

    if (params->pause_ns == UINT64_MAX)
        return 0;
    work->stream = pages_map(params->stream_bytes, MADV_HUGEPAGE);
    if (!work->stream)
        return party_fail(context, "out of memory for %llu bytes", (unsigned long long)params->stream_bytes);
    for (uint64_t i = 0; i < params->stream_bytes / sizeof(uint64_t); i++)
        work->stream[i] = i; /* not all zero, which some machines compress */
    return 0;
}

static int setup(struct party_context *context)
{
    const struct memory_loaded_params *params = context->params;
    struct work *work = context->state; /* unmapped when the process ends */

    if (context->copy)
        return setup_stream(context, work);
    if (chase_map(&work->chase, params->bytes, CHASE_HUGE) || chase_link(&work->chase, context->sample + 1))
        return party_fail(context, "out of memory for %llu bytes", (unsigned long long)params->bytes);
    work->loads = chase_warm_up(&work->chase);
    return 0;
}

static uint64_t read_block(const uint64_t *from)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BLOCK_BYTES / sizeof(*from); i++)
        sum += from[i];
    return sum;
}

/* Again and again until the trial is stopped, in slices of at least CORE_SLICE_NS. */
static void stream(struct party_context *context, const struct work *work)
{
    const struct memory_loaded_params *params = context->params;
    const uint64_t blocks = params->stream_bytes / BLOCK_BYTES;
    uint64_t sum = 0, n = 0, start = clock_raw_ns();

    for (uint64_t block = 0; !party_stopped(context); block = (block + 1) % blocks) {
        sum += read_block(work->stream + block * (BLOCK_BYTES / sizeof(uint64_t)));
        __asm__ volatile("" : : "r"(sum));
        n += BLOCK_BYTES;
        uint64_t now = clock_raw_ns();
        if (params->pause_ns) {
            clock_spin_until(now + params->pause_ns);
            now = clock_raw_ns();
        }
        if (now - start >= CORE_SLICE_NS) {
            slices_add(context->recorder[RECORD_TIMES], n, start, now);
            start = now;
            n = 0;
        }
    }
}

static int run(struct party_context *context)
{
    struct work *work = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[RECORD_LOADS]};

    if (context->copy) {
        if (work->stream)
            stream(context, work);
        return 0;
    }
    core_begin(&core, context->time_ns);
    do
        chase_slice(&work->chase, work->loads, context->recorder[RECORD_TIMES], &core);
    while (!party_stopped(context));
    return 0;
}

/* Bytes a second that all others read during the first copy's run. */
static double bandwidth(const struct trial *trial)
{
    const struct slices *chase = trial_recorder(trial, 0, 0, RECORD_TIMES);
    double bytes = 0;

    if (!chase->n)
        return (double)NAN;
    const uint64_t from = chase->slice[0].start_ns, to = chase->slice[chase->n - 1].end_ns;
    for (unsigned copy = 1; copy < trial_spec_of(trial)->copies; copy++)
        bytes += slices_completed(trial_recorder(trial, 0, copy, RECORD_TIMES), from, to);
    return bytes * 1e9 / (double)(to - from);
}

static void reduce(const struct trial *trial, struct results *results)
{
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
    results_sample(results, 0, METRIC_LATENCY, chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES)));
    results_sample(results, 0, METRIC_BANDWIDTH, bandwidth(trial) * 1e-6);
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_loaded_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_WORK, "step", "%u", p->step);
    if (p->pause_ns == UINT64_MAX)
        row_param_add(out, PARAM_WORK, "others", "idle");
    else
        row_param_add(out, PARAM_WORK, "pause_ns", "%llu", (unsigned long long)p->pause_ns);
    row_param_add(out, PARAM_CPU, "bytes", "%llu", (unsigned long long)p->bytes);
}

static const struct party parties[] = {
    {PARTY_IS("loaded", [RECORD_TIMES] = {RECORD_SLICES, SLICES_MAX}, [RECORD_LOADS] = {RECORD_CORE, 0},
              [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
     .stop = STOP_FLAG, .state_size = sizeof(struct work), .setup = setup, .run = run, .verify = chase_verify},
};

static const struct metric metrics[] = {
    [METRIC_LATENCY] = {METRIC("loaded_latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [METRIC_BANDWIDTH] =
        METRIC_MEDIAN("loaded_bandwidth", "MB/s", "higher", "bytes that the other CPUs read meanwhile"),
};

const struct bench bench_memory_loaded = {
    BENCH_WITH("memory", "loaded", "Time of a load while the other CPUs read memory", struct memory_loaded_params,
               parties, metrics),
    .sampling = {SAMPLING_EXACT(3, 60, 10), SAMPLING_EXACT(1, 40, 10), SAMPLING_EXACT(3, 60, 10)},
    .huge_pages = true,
    .describe = describe,
    .reduce = reduce,
};
