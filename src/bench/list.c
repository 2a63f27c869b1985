/* SPDX-License-Identifier: MIT */
/* The array of all benchmarks, and look-ups of their metrics. */
#include "bench/list.h"

#include <string.h>

#define ADDRESS(name) &bench_##name,
const struct bench *const bench_list[] = {BENCHES(ADDRESS) NULL};

const struct metric *bench_find_metric(const char *suite, const char *test, const char *metric)
{
    const struct metric *found = NULL;

    for (size_t b = 0; bench_list[b]; b++) {
        const bool named = !strcmp(bench_list[b]->name, test);
        if (strcmp(bench_list[b]->suite, suite) != 0 || (found && !named))
            continue;
        for (unsigned m = 0; m < bench_list[b]->n_metrics; m++)
            if (!strcmp(bench_metric(bench_list[b], m)->id, metric))
                found = bench_metric(bench_list[b], m);
    }
    return found;
}

bool bench_is_headline(const char *suite, const char *metric, const char *better)
{
    bool known = false;

    for (size_t b = 0; bench_list[b]; b++)
        for (unsigned m = 0; m < bench_list[b]->n_metrics && !strcmp(bench_list[b]->suite, suite); m++) {
            const struct metric *candidate = bench_metric(bench_list[b], m);
            if (strcmp(candidate->id, metric) != 0)
                continue;
            if (candidate->headline)
                return candidate->better[0];
            known = true;
        }
    return !known && better[0];
}
