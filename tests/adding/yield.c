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

const struct bench bench_yield = {
    UNIX_BENCH("yield", "sched_yield()", "lps", 1, 0, .work = work),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe,
};
