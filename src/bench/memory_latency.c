/* SPDX-License-Identifier: MIT */
/* Time of a load by working set: from below the first cache to several times the last. */

#include "bench/memory.h"
#include "engine/core.h"
#include "engine/engine.h"

enum { RECORD_TIMES, RECORD_LOADS, RECORD_PAGES = CHASE_RECORDER };
enum { METRIC_LATENCY, METRIC_ALONE, METRIC_CYCLES, N_METRICS };

#define SLICES 16u

static int setup(struct party_context *context)
{
    const struct memory_latency_params *params = context->params;
    struct chase *chase = context->state; /* unmapped when the process ends */

    if (chase_map(chase, params->bytes, (enum chase_pages)params->chase) || chase_link(chase, context->sample + 1))
        return party_fail(context, "out of memory for %llu bytes", (unsigned long long)params->bytes);
    context->expected_ns = 2 * SLICES * CORE_SLICE_NS;
    return 0;
}

static int run(struct party_context *context)
{
    struct chase *chase = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[RECORD_LOADS]};
    const uint64_t loads = chase_warm_up(chase);

    core_begin(&core, SLICES * CORE_SLICE_NS);
    for (unsigned i = 0; i < SLICES; i++)
        chase_slice(chase, loads, context->recorder[RECORD_TIMES], &core);
    return 0;
}

static void reduce(const struct trial *trial, struct results *results)
{
    const struct core_record *core = trial_recorder(trial, 0, 0, RECORD_LOADS);
    const double ns = chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES));

    results_sample(results, 0, METRIC_LATENCY, ns);
    if (core->cycles_per_tick > 0)
        results_sample(results, 0, METRIC_CYCLES, ns * 1e-9 * core->cycles_per_tick * results_clock_hz(results));
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_latency_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_WORK, "set", "%llu", (unsigned long long)p->bytes);
    row_param_add(out, PARAM_WORK, "chase", "%s", chase_names[p->chase]);
}

static const struct party parties[] = {
    {PARTY_IS("latency", [RECORD_TIMES] = {RECORD_SLICES, SLICES}, [RECORD_LOADS] = {RECORD_CORE, 0},
              [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
     .state_size = sizeof(struct chase), .setup = setup, .run = run, .verify = chase_verify},
};

static const struct metric metrics[] = {
    [METRIC_LATENCY] = {METRIC("latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [METRIC_ALONE] = {METRIC("latency_alone", "ns", "lower", "mean time of a load over the slices with the core free"),
                      .alone = true, .of = METRIC_LATENCY, .recorder = RECORD_LOADS},
    [METRIC_CYCLES] = {METRIC("latency_cycles", "cycles", "lower", "time of a load in cycles of the core"),
                       .value = VALUE_MEDIAN, .optional = true},
};

const struct bench bench_memory_latency = {
    BENCH_WITH("memory", "latency", "Time of a load by working set", struct memory_latency_params, parties, metrics),
    .sampling = SAMPLING_ALWAYS(SAMPLING_EXACT(1, 0, 1)),
    .huge_pages = true,
    .describe = describe,
    .reduce = reduce,
};
