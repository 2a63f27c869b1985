/* SPDX-License-Identifier: MIT */
/* The table of metrics: that of the program's own benchmarks, and what it says of rows that it does not know. */

#include "../test.h"
#include "bench/list.h"
#include "cmd/cmd.h"
#include "row_fixture.h"

TEST(test_metric_tables_has_all_of_the_benchmarks)
{
    for (size_t b = 0; bench_list[b]; b++) {
        const struct metrics_test *test = metrics_test(metrics_table(), bench_list[b]->suite, bench_list[b]->name);
        assert_non_null(test);
        assert_int_equal(test->n, bench_list[b]->n_metrics);
        for (unsigned m = 0; m < test->n; m++) {
            const struct metric *metric = bench_metric(bench_list[b], m);
            assert_string_equal(test->metric[m].id, metric->id);
            assert_string_equal(test->metric[m].title, metric->title);
            assert_ptr_equal(test->metric[m].unit, metric->unit);
            assert_string_equal(test->metric[m].better, metric->better);
            assert_int_equal(test->metric[m].headline, metric->headline);
        }
    }
}

TEST(test_metric_tables_titles)
{
    const struct metrics *metrics = metrics_table();
    const struct row unknown = ROW(NULL, 1, .suite = "unix", .test = "pipe", .metric = "hue");
    const struct row variant = ROW(NULL, 1, .suite = "unix", .test = "context1-same", .metric = "start_spread");
    const struct row command = ROW(NULL, 1, .suite = "run", .test = "sleep", .metric = "start_spread");

    assert_string_equal(metrics_test_title(metrics, "unix", "pipe"), "Pipe Throughput");
    assert_string_equal(metrics_test_title(metrics, "unix", "context1-two"), "Pipe-based Context Switching (two CPUs)");
    assert_string_equal(metrics_test_title(metrics, "run", "sleep"), "sleep");
    assert_string_equal(metrics_test_title(metrics, "tides", "ebb"), "ebb");
    assert_string_equal(metrics_title(metrics, &unknown), "hue");
    assert_string_equal(metrics_title(metrics, &variant), "first to last copy's start");
    assert_string_equal(metrics_title(metrics, &command), "first to last copy's exec");
    assert_string_equal(metrics_suite_title(metrics, "unix"), suite_unix.command.title);
    assert_string_equal(metrics_suite_title(metrics, "tides"), "");
    assert_string_equal(metrics_test_title(NULL, "unix", "pipe"), "pipe");
}

/* A row is compared by the headline metrics of its suite; a metric that nobody knows counts when it has a direction. */
TEST(test_metric_tables_tells_which_rows_are_compared)
{
    static const struct {
        const char *suite, *metric, *better;
        bool compared, alone;
    } rows[] = {
        {"unix", "rate", "", true, false},
        {"unix", "start_spread", "lower", false, false},
        {"unix", "index", "higher", true, false},
        {"tides", "ebb", "lower", true, false},
        {"tides", "ebb", "", false, false},
        {"unix", "index_alone", "higher", false, true},
        {"unix", "rate_alone", "", false, true},
        {"unix", "start_spread_alone", "lower", false, false},
        {"tides", "ebb_alone", "lower", false, true},
        {"tides", "ebb_alone", "", false, false},
        {"tides", "_alone", "lower", true, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row row =
            ROW(NULL, 1, .suite = rows[i].suite, .test = "pipe", .metric = rows[i].metric, .better = rows[i].better);
        if (metrics_is_compared(metrics_table(), &row) != rows[i].compared ||
            metrics_is_compared_alone(metrics_table(), &row) != rows[i].alone)
            fail_msg("%s %s", rows[i].suite, rows[i].metric);
    }
}

/* The headline of an unknown test is the first metric of each measurement. */
TEST(test_metric_tables_marks_headlines)
{
    struct row rows[] = {
        ROW(NULL, 1, .suite = "unix", .test = "pipe", .metric = "start_spread"),
        ROW(NULL, 1, .suite = "unix", .test = "pipe", .metric = "rate"),
        ROW(NULL, 1, .suite = "unix", .test = "pipe", .metric = "hue"),
        ROW(NULL, 1, .suite = "tides", .test = "ebb", .metric = "height"),
        ROW(NULL, 1, .suite = "tides", .test = "ebb", .metric = "rate"),
        ROW(NULL, 1, .suite = "tides", .test = "flood", .metric = "rate"),
        ROW(NULL, 1, .suite = "tides", .test = "flood", .param = "moon=new", .metric = "height"),
        ROW(NULL, 1, .suite = "unix", .test = "context1-same", .metric = "rate"),
        ROW(NULL, 1, .suite = "unix", .test = "context1-same", .metric = "start_spread"),
    };
    static const bool expected[] = {false, true, false, true, false, true, true, true, false};

    metrics_mark_headlines(metrics_table(), rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(rows[i].headline, expected[i]);
}
