/* SPDX-License-Identifier: MIT */
/* Rate of sched_yield(). */
#include <sched.h>

#include "bench/unix.h"

static int work(struct party_context *context, uint64_t count)
{
    (void)context;
    for (uint64_t i = 0; i < count; i++)
        (void)sched_yield();
    return 0;
}

static const struct party parties[] = {
    {UNIX_MEASURED("yield"), .work = work},
};

const struct bench bench_yield = {
    UNIX_BENCH("yield", "sched_yield()", parties, UNIX_METRICS("lps", 1, 0)),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe,
};
