/* SPDX-License-Identifier: MIT */
/* A CSV file of many hosts given to `fleet`, `project` and `history`. The first byte says how. */

#include "stats/stats.h"
#include "tables.h"

/* A grid coarser than the program's own: its Fourier transforms take 10 s and more with libFuzzer's instrumentation. */
#define POINTS 1024u

void __real_project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                                size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown);
void __wrap_project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                                size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown);
void __wrap_project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                                size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown)
{
    (void)points;
    __real_project_slowdown_on(POINTS, hosts, n_hosts, step_ns, n_steps, ranks, n_ranks, slowdown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ways[][8] = {
        {"fleet", "a.csv", NULL},
        {"fleet", "--fail-on", "outlier", "a.csv", "a.csv", NULL},
        {"project", "a.csv", NULL},
        {"project", "--ranks", "1:1000", "--step", "1ms", "a.csv", NULL},
        {"fleet", "--verbose", "folder", NULL},
        {"fleet", "-o", "x.csv", "--by", "rank", "a.csv", NULL},
        {"project", "-o", "x.csv", "a.csv", NULL},
        {"history", "-v", "a.csv", NULL},
        {"history", "--stat", "mean", "--min-effect", "0", "a.csv", NULL},
    };
    size_t at = 0;

    if (!size)
        return -1;
    world_reset();
    world_put("a.csv", data + 1, size - 1);
    world_put("folder/a.csv", data + 1, size - 1);
    (void)tables_run(ways[data[0] % (sizeof(ways) / sizeof(ways[0]))]);
    FUZZ_CHECK_OF(wellformed_lines(world_out.data, world_out.length, &at), world_out.data + at, world_out.length - at);
    return 0;
}
