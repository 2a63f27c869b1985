/* SPDX-License-Identifier: MIT */
/* The loads burn, write and read together, which resembles a parallel build. */
#include <stdio.h>

#include "load/disk.h"
#include "load/parties.h"

static void describe(const void *params, struct row_params *out)
{
    const struct load_params *p = params;

    row_param_add(out, PARAM_WORK, "threads", "%llu", (unsigned long long)p->threads);
    disk_describe(params, out);
}

static const struct party parties[] = {LOAD_BURN_PARTY, LOAD_WRITE_PARTY, LOAD_READ_PARTY};

const struct load load_compile = {
    LOAD("compile", "Burn, write and read together"),
    LOAD_DISK,
    .parties = parties,
    .n_parties = sizeof(parties) / sizeof(parties[0]),
    .least = {[LOAD_CPU] = 0.05, [LOAD_WRITTEN] = LOAD_DISK_LEAST, [LOAD_READ] = LOAD_DISK_LEAST},
    .describe = describe,
};
