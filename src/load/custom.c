/* SPDX-License-Identifier: MIT */
/* The user-defined simulation of bench/ as a load, with a timing thread of normal policy. */
#include <stdio.h>

#include "load/params.h"

static void describe(const void *params, struct row_params *out)
{
    const struct sim_params *sim = params;

    row_param_add(out, PARAM_WORK, "load_interval_us", "%llu", (unsigned long long)(sim->interval_ns / 1000));
    row_param_add(out, PARAM_WORK, "load_busy_us", "%llu", (unsigned long long)(sim->busy_ns / 1000));
}

const struct load load_custom = {
    LOAD("custom", "the custom simulation as a load"),
    .parties = sim_load_parties,
    .n_parties = 2,
    .shared_size = SIM_SHARED_SIZE,
    .least = {[LOAD_BURSTS] = 0.5},
    .describe = describe,
    .calibrate = sim_calibrate,
};
