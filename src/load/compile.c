/* SPDX-License-Identifier: MIT */
/* The loads burn, write and read together, which resembles a parallel build. */
#include <stdio.h>

#include "load/disk.h"
#include "load/parties.h"

static void describe(const void *params, char *buf, size_t size)
{
    const struct load_params *p = params;
    char file[32];

    disk_describe(params, file, sizeof(file));
    (void)snprintf(buf, size, "threads=%llu %s", (unsigned long long)p->threads, file);
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
