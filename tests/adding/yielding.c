/* SPDX-License-Identifier: MIT */
/* A load that gives up its CPU all the time. */
#include <sched.h>

#include "load/load.h"

static int run(struct party_context *context)
{
    uint64_t due_ns = 0;

    party_proved(context);
    while (!party_stopped(context)) {
        (void)sched_yield();
        load_count_cpu(context, &due_ns);
    }
    return 0;
}

static const struct party parties[] = {{LOAD_PARTY("yielding"), .run = run}};

const struct load load_yielding = {
    LOAD("yielding", "a process that calls sched_yield() without end"),
    .parties = parties,
    .n_parties = 1,
    .least = {[LOAD_CPU] = 0.05},
};
