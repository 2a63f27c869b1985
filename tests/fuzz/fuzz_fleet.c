/* SPDX-License-Identifier: MIT */
/* A CSV file of many hosts given to `fleet`, `project` and `history`. The first byte says how. */

#include "fuzz.h"
#include "stats/stats.h"

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
    static const way ways[] = {
        {"fleet", "a.csv"},
        {"fleet", "--fail-on", "outlier", "a.csv", "a.csv"},
        {"project", "a.csv"},
        {"project", "--ranks", "1:1000", "--step", "1ms", "a.csv"},
        {"fleet", "--verbose", "folder"},
        {"fleet", "-o", "x.csv", "--by", "rank", "a.csv"},
        {"project", "-o", "x.csv", "a.csv"},
        {"history", "-v", "a.csv"},
        {"history", "--stat", "mean", "--min-effect", "0", "a.csv"},
    };

    if (run_one_of(ways, COUNT(ways), data, size) < 0)
        return -1;
    check_printed();
    return 0;
}
