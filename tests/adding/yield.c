/* SPDX-License-Identifier: MIT */
/* Rate of sched_yield(). */
#include <sched.h>

#include "bench/unix_kernel.h"

static int work(struct party_context *context, uint64_t count)
{
    (void)context;
    for (uint64_t i = 0; i < count; i++)
        (void)sched_yield();
    return 0;
}

static const struct party parties[] = {
    {.name = "yield", .role = ROLE_MEASURED, .kind = PARTY_PROCESS, .stop = STOP_FLAG, UNIX_RECORDERS, .work = work},
};
static const struct metric metrics[UNIX_N_METRICS] = UNIX_METRICS("lps", 1, 0);

const struct bench bench_yield = {
    UNIX_BENCH("yield", "sched_yield()"),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .parties = parties,
    .n_parties = 1,
    .metrics = metrics,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe_plain,
};
