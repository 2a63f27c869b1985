/* SPDX-License-Identifier: MIT */
/* Loads made of parties of other files: the simulated video, x and custom, whose timing thread has the normal policy
 * here; compile; and none. */

#include "load/load.h"

const struct load load_none = {LOAD("none", "nothing beside the benchmark")};

#define SIM_LOAD(name_, title_)                                                                                        \
    LOAD(name_, title_), .parties = sim_load_parties, .n_parties = 2, .shared_size = SIM_SHARED_SIZE,                  \
                         .least = {[LOAD_BURSTS] = 0.5}, .calibrate = sim_calibrate

const struct load load_video = {SIM_LOAD("video", "video playing: 40 % of a CPU, 60 times a second")};
const struct load load_x = {SIM_LOAD("x", "a window being dragged: 0 to 100 % of a CPU")};

static void describe_custom(const void *params, struct row_params *out)
{
    const struct sim_params *sim = params;

    row_param_add(out, PARAM_WORK, "load_interval_us", "%llu", (unsigned long long)(sim->interval_ns / 1000));
    row_param_add(out, PARAM_WORK, "load_busy_us", "%llu", (unsigned long long)(sim->busy_ns / 1000));
}

const struct load load_custom = {
    SIM_LOAD("custom", "the custom simulation as a load"),
    .only_named = true,
    .describe = describe_custom,
};

static void describe_compile(const void *params, struct row_params *out)
{
    const struct load_params *p = params;

    row_param_add(out, PARAM_WORK, "threads", "%llu", (unsigned long long)p->threads);
    disk_describe(params, out);
}

static const struct party parties_compile[] = {LOAD_BURN_PARTY, LOAD_WRITE_PARTY, LOAD_READ_PARTY};

/* Resembles a parallel build: one computes, one writes, one reads. */
const struct load load_compile = {
    LOAD("compile", "Burn, write and read together"),
    LOAD_DISK,
    BENCH_PARTIES(parties_compile),
    .least = {[LOAD_CPU] = 0.05, [LOAD_WRITTEN] = LOAD_DISK_LEAST, [LOAD_READ] = LOAD_DISK_LEAST},
    .describe = describe_compile,
};
