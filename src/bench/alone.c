/* SPDX-License-Identifier: MIT */
/* A load without a task beside it: what it does when nobody takes the CPU from it. */
#include "bench/tasks.h"

static int run(struct party_context *context)
{
    clock_sleep_ns(context->time_ns);
    return 0;
}

static const struct metric metrics[] = {
    {METRIC("load_rate", "1/s", "higher", "what the load did a second, as param counts it"), .headline = true},
};

const struct bench bench_alone = {
    BENCH_IS("latency", "alone", "a load without a task beside it", struct sim_params),
    BENCH_PARTY(.name = "alone", .run = run),
    BENCH_METRICS(metrics),
    .sampling = {SAMPLING(1, 1, 5000, 600), SAMPLING(1, 1, 1000, 600), SAMPLING(1, 1, 5000, 600)},
    .switches = true,
    .place = sim_place,
    .reduce = tasks_load_rate,
};
