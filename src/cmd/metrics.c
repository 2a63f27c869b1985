/* SPDX-License-Identifier: MIT */
/* Makes the table of metrics from the benchmarks' descriptors. */

#include "bench/list.h"
#include "cmd/unix.h"

static struct {
    struct metrics metrics;
    struct metrics_suite *suite;
    struct metrics_test *test, *of_rows;
    struct metrics_metric *metric;
    size_t n_metrics;
} made;

static void add_test(const struct bench *bench)
{
    struct metrics_metric *first = &made.metric[made.n_metrics];

    for (unsigned m = 0; m < bench->n_metrics; m++) {
        const struct metric *metric = bench_metric(bench, m);
        made.metric[made.n_metrics++] = (struct metrics_metric){.id = metric->id,
                                                                .title = metric->title,
                                                                .unit = metric->unit,
                                                                .better = metric->better,
                                                                .headline = metric->headline};
    }
    made.test[made.metrics.n_tests++] = (struct metrics_test){.suite = bench->suite,
                                                              .name = bench->name,
                                                              .title = bench->title,
                                                              .row_per_cpu = bench->group_per_copy,
                                                              .named_by_user = bench == &bench_command,
                                                              .metric = first,
                                                              .n = bench->n_metrics};
}

const struct metrics *metrics_table(void)
{
    size_t n_suites = 0, n_tests = 0, n_metrics = 0;

    if (made.metrics.n_tests)
        return &made.metrics;
    while (suite_list[n_suites])
        n_suites++;
    for (size_t b = 0; bench_list[b]; b++, n_tests++)
        n_metrics += bench_list[b]->n_metrics;
    for (size_t t = 0; unix_test_at(t).name; t++)
        n_tests++;
    made.suite = memory_get(n_suites, sizeof(*made.suite));
    made.test = memory_get(n_tests, sizeof(*made.test));
    made.metric = memory_get(n_metrics, sizeof(*made.metric));
    made.of_rows = memory_get(n_suites, sizeof(*made.of_rows));
    made.metrics = (struct metrics){.suite = made.suite, .n_suites = n_suites, .test = made.test, .made = made.of_rows};
    for (size_t s = 0; s < n_suites; s++) {
        made.suite[s] =
            (struct metrics_suite){.name = suite_list[s]->command.name, .title = suite_list[s]->command.title};
        if (suite_list[s]->made)
            made.of_rows[made.metrics.n_made++] = *suite_list[s]->made;
    }
    for (size_t b = 0; bench_list[b]; b++)
        add_test(bench_list[b]);
    struct unix_test test;
    for (size_t t = 0; (test = unix_test_at(t)).name; t++)
        if (!metrics_test(&made.metrics, suite_unix.command.name, test.name))
            made.test[made.metrics.n_tests++] =
                (struct metrics_test){.suite = suite_unix.command.name, .name = test.name, .title = test.title};
    return &made.metrics;
}
