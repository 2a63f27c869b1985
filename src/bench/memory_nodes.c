/* SPDX-License-Identifier: MIT */
/* Latency and bandwidth from each NUMA node's CPUs to each node's memory. */
#include <string.h>

#include "bench/memory.h"
#include "engine/core.h"
#include "engine/engine.h"
#include "sys/machine.h"

enum { RECORD_TIMES, RECORD_READS, RECORD_PAGES = CHASE_RECORDER };
enum { METRIC_LATENCY, METRIC_BANDWIDTH, N_METRICS };

#define SLICES 16u
#define READS  8u
/* Number of pages whose node is checked. */
#define PAGES_LOOKED_AT 256u

static int setup(struct party_context *context)
{
    const struct memory_nodes_params *params = context->params;
    struct chase *chase = context->state; /* unmapped when the process ends */
    unsigned there = 0;

    if (chase_map(chase, params->bytes, CHASE_HUGE))
        return party_fail(context, "out of memory");
    int error = memory_node_bind(chase->set, chase->map_bytes, params->memory_node);
    if (error)
        return party_fail(context, "mbind: %s", strerror(-error));
    if (chase_link(chase, context->sample + 1))
        return party_fail(context, "out of memory");
    int asked = memory_node_count(chase->set, chase->bytes, params->memory_node, PAGES_LOOKED_AT, &there);
    if (asked < 0)
        return party_fail(context, "move_pages: %s", strerror(-asked));
    if (there < (unsigned)asked)
        return party_fail(context, "only %u of %d pages are on node %u", there, asked, params->memory_node);
    context->expected_ns = 500000000u;
    return 0;
}

static int run(struct party_context *context)
{
    struct chase *chase = context->state;
    struct core_meter core = {.probe = NULL};
    const uint64_t loads = chase_warm_up(chase);
    uint64_t sum = 0;

    for (unsigned i = 0; i < SLICES; i++)
        chase_slice(chase, loads, context->recorder[RECORD_TIMES], &core);
    for (unsigned i = 0; i < READS; i++) {
        const uint64_t start = clock_raw_ns();
        for (size_t at = 0; at < chase->bytes; at += sizeof(uint64_t))
            sum += *(const uint64_t *)(const void *)(chase->set + at);
        __asm__ volatile("" : : "r"(sum));
        slices_add(context->recorder[RECORD_READS], chase->bytes, start, clock_raw_ns());
    }
    return 0;
}

static void place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                  struct placement *placement)
{
    const struct memory_nodes_params *p = params;

    (void)party;
    place_one(request, copy, p->cpu, placement);
}

static void reduce(const struct trial *trial, struct results *results)
{
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
    results_sample(results, 0, METRIC_LATENCY, chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES)));
    results_sample(results, 0, METRIC_BANDWIDTH, 1e3 / chase_median_ns(trial_recorder(trial, 0, 0, RECORD_READS)));
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_nodes_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_WORK, "from_node", "%u", p->cpu_node);
    row_param_add(out, PARAM_WORK, "to_node", "%u", p->memory_node);
    row_param_add(out, PARAM_CPU, "bytes", "%llu", (unsigned long long)p->bytes);
}

static const struct party parties[] = {
    {PARTY_IS("nodes", [RECORD_TIMES] = {RECORD_SLICES, SLICES}, [RECORD_READS] = {RECORD_SLICES, READS},
              [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
     .state_size = sizeof(struct chase), .setup = setup, .run = run, .verify = chase_verify},
};

static const struct metric metrics[] = {
    [METRIC_LATENCY] = {METRIC("node_latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [METRIC_BANDWIDTH] = METRIC_MEDIAN("node_bandwidth", "MB/s", "higher", "bytes that one CPU reads"),
};

const struct bench bench_memory_nodes = {
    BENCH_WITH("memory", "nodes", "Latency and bandwidth between memory nodes", struct memory_nodes_params, parties,
               metrics),
    .sampling = {SAMPLING_EXACT(3, 0, 3), SAMPLING_EXACT(1, 0, 1), SAMPLING_EXACT(3, 0, 3)},
    .huge_pages = true,
    .describe = describe,
    .place = place,
    .reduce = reduce,
};
