/* SPDX-License-Identifier: MIT */
/* burn and ring at once: threads that never sleep, and others that wake each other. */
#include "load/load.h"

static void describe(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "threads", ((const struct load_params *)params)->threads);
}

static const struct party parties[] = {{LOAD_BURN_PARTY}, {LOAD_RING_PARTY}};

const struct load load_mixed = {
    LOAD("mixed", "burn and ring together"),           .only_named = true,   BENCH_PARTIES(parties),
    .least = {[LOAD_CPU] = 0.05, [LOAD_WAKEUPS] = 10}, .describe = describe,
};
