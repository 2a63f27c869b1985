/* SPDX-License-Identifier: MIT */
/* Unit tests of the text table: golden texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/out.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct row make_row(const char *test, const char *load, const char *metric, double value)
{
    struct row row = ROW(NULL, value, .test = test, .load = load, .metric = metric);
    row.copies = 1;
    return row;
}

static void assert_table_of(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width,
                            const char *expected)
{
    struct text out = {0};
    table_print(layout, rows, n, width, &out);
    assert_false(out.failed);
    assert_string_equal(out.length == 0 ? "" : out.data, expected);
    text_free(&out);
}

static void assert_table(const struct table_layout *layout, const struct row *rows, size_t n, const char *expected)
{
    assert_table_of(layout, rows, n, 0, expected);
}

static const struct table_column latency_columns[] = {
    {.heading = "Load", .field = TABLE_LOAD},
    {.heading = "Latency", .metric = "latency", .field = TABLE_MEAN, .decimals = 3, .scale = 1e-6},
    {.heading = "+/- SD (ms)", .metric = "latency", .field = TABLE_SD, .decimals = 3, .scale = 1e-6},
    {.heading = "Max Latency", .metric = "latency", .field = TABLE_MAX, .decimals = 2, .scale = 1e-6},
    {.heading = "% Deadlines Met", .metric = "deadlines", .field = TABLE_VALUE, .decimals = 1},
};
static const struct table_layout latency_layout = {
    .title = "audio", .columns = latency_columns, .n_columns = COUNT(latency_columns)};

static const struct table_column ranked_columns[] = {
    {.heading = "first", .field = TABLE_TEST},
    {.heading = "second", .field = TABLE_VALUE, .rank = 2},
    {.heading = "third", .field = TABLE_MEAN, .rank = 1},
    {.heading = "fourth", .field = TABLE_COPIES, .rank = 2},
};
static const struct table_layout ranked_layout = {.columns = ranked_columns, .n_columns = COUNT(ranked_columns)};

/* The columns of a rank go together, and the line that names them is broken between words. */
TEST(test_table_leaves_out_columns_until_it_fits)
{
    struct row row = make_row("t", "", "m", 1);
    row.stats.mean = 2;
    static const struct {
        unsigned width;
        const char *expected;
    } cases[] = {
        {0, "first  second  third  fourth\n"
            "t           1      2       1\n"},
        {28, "first  second  third  fourth\n"
             "t           1      2       1\n"},
        {27, "first  third\n"
             "t          2\n"},
        {11, "first\n"
             "t\n"},
        {3, "first\n"
            "t\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_table_of(&ranked_layout, &row, 1, cases[i].width, cases[i].expected);
}

/* The status behind a line has to fit as well; where another table shows it, it takes no room. */
TEST(test_table_leaves_room_for_the_status)
{
    struct table_layout layout = ranked_layout;
    struct row row = make_row("t", "", "m", 1);
    row.stats.mean = 2;
    row.status = ROW_DEGRADED;
    assert_table_of(&layout, &row, 1, 38,
                    "first  second  third  fourth\n"
                    "t           1      2       1  degraded\n");
    assert_table_of(&layout, &row, 1, 37,
                    "first  third\n"
                    "t          2  degraded\n");
    layout.no_status = 1;
    assert_table_of(&layout, &row, 1, 28,
                    "first  second  third  fourth\n"
                    "t           1      2       1\n");
}

TEST(test_table_puts_metrics_of_a_group_on_one_line)
{
    struct row rows[] = {
        make_row("audio", "none", "latency", 5000),
        make_row("audio", "burn", "latency", 1e6),
        make_row("audio", "none", "deadlines", 100),
        make_row("audio", "burn", "deadlines", 99.25),
    };
    rows[0].stats.mean = 5123;
    rows[0].stats.sd = 499.6;
    rows[0].stats.max = 12345678;
    rows[1].stats.mean = 1234567;
    rows[1].stats.max = 2.5e9;
    assert_table(&latency_layout, rows, 4,
                 "audio\n"
                 "Load  Latency  +/- SD (ms)  Max Latency  % Deadlines Met\n"
                 "none    0.005        0.000        12.35            100.0\n"
                 "burn    1.235            -      2500.00             99.2\n");
}

TEST(test_table_leaves_out_groups_of_other_metrics)
{
    struct row rows[] = {
        make_row("audio", "none", "deadlines", 50),
        make_row("pipe", "none", "rate", 1),
    };
    assert_table(&latency_layout, rows, 2,
                 "audio\n"
                 "Load  Latency  +/- SD (ms)  Max Latency  % Deadlines Met\n"
                 "none        -            -            -             50.0\n");
    assert_table(&latency_layout, rows + 1, 1, "");
    assert_table(&latency_layout, rows, 0, "");
}

TEST(test_table_groups_by_all_of_the_key)
{
    static const struct table_column columns[] = {
        {.heading = "test", .field = TABLE_TEST},   {.heading = "param", .field = TABLE_PARAM},
        {.heading = "cpus", .field = TABLE_CPUS},   {.heading = "copies", .field = TABLE_COPIES},
        {.heading = "unit", .field = TABLE_UNIT},   {.heading = "value", .field = TABLE_VALUE, .decimals = 1},
        {.heading = "index", .field = TABLE_INDEX},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = COUNT(columns)};
    struct row rows[6];
    for (size_t i = 0; i < 6; i++)
        rows[i] = make_row("t", "none", "rate", (double)i);
    set_params(&rows[1], "size=4");
    strcpy(rows[2].cpus, "0-1");
    rows[3].copies = 8;
    strcpy(rows[3].unit, "lps");
    rows[4].copies = 0;
    strcpy(rows[4].load, "burn");
    strcpy(rows[5].test, "u");
    rows[5].index = 975.6;
    assert_table(&layout, rows, 6,
                 "test  param   cpus  copies  unit  value  index\n"
                 "t                        1          0.0      -\n"
                 "t     size=4             1          1.0      -\n"
                 "t             0-1        1          2.0      -\n"
                 "t                        8  lps     3.0      -\n"
                 "t                        -          4.0      -\n"
                 "u                        1          5.0    976\n");
}

static const char *title_of(const char *test)
{
    return strcmp(test, "pipe") == 0 ? "Pipe Throughput" : NULL;
}

TEST(test_table_takes_the_headline_row)
{
    static const struct table_column columns[] = {
        {.heading = "", .field = TABLE_TITLE},
        {.heading = NULL, .field = TABLE_VALUE, .decimals = 1},
    };
    const struct table_layout layout = {.columns = columns, .n_columns = 2, .title_of = title_of};
    struct row rows[] = {
        make_row("pipe", "", "a", 1),
        make_row("pipe", "", "b", 2),
        make_row("new", "", "a", 3),
        make_row("new", "", "b", 4),
    };
    rows[1].headline = 1;
    assert_table(&layout, rows, 4,
                 "\n"
                 "Pipe Throughput  2.0\n"
                 "new              3.0\n");
}

TEST(test_table_shows_status_and_each_reason_once)
{
    static const struct table_column columns[] = {
        {.heading = "test", .field = TABLE_TEST},
        {.heading = "value", .metric = "rate", .field = TABLE_VALUE, .decimals = 0},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = 2};
    struct row rows[] = {
        make_row("good", "", "rate", 1),   make_row("bad", "", "rate", 22), make_row("bad", "", "other", 1),
        make_row("worse", "", "rate", 33), make_row("shell", "", "", NAN),  make_row("unseen", "", "other", 1),
    };
    rows[1].status = ROW_UNSTABLE;
    rows[2].status = ROW_DEGRADED;
    strcpy(rows[2].reason, "SCHED_FIFO is refused");
    rows[3].status = ROW_DEGRADED;
    strcpy(rows[3].reason, "SCHED_FIFO is refused");
    rows[4].status = ROW_SKIPPED;
    strcpy(rows[4].reason, "needs /bin/sh and od");
    rows[5].status = ROW_FAILED;
    strcpy(rows[5].reason, "is not in this table");
    assert_table(&layout, rows, 6,
                 "test   value\n"
                 "good       1\n"
                 "bad       22  degraded\n"
                 "worse     33  degraded\n"
                 "shell      -  skipped\n"
                 "degraded: SCHED_FIFO is refused\n"
                 "skipped: needs /bin/sh and od\n");
}

TEST(test_table_status_column_replaces_the_status_after_the_line)
{
    static const struct table_column columns[] = {
        {.heading = "status", .field = TABLE_STATUS},
        {.heading = "value", .field = TABLE_VALUE},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = 2};
    struct row rows[] = {make_row("a", "", "rate", 1), make_row("b", "", "rate", 2)};
    rows[1].status = ROW_FAILED;
    assert_table(&layout, rows, 2,
                 "status  value\n"
                 "            1\n"
                 "failed      2\n");
}

TEST(test_table_prints_all_statistics)
{
    static const struct table_column columns[] = {
        {.heading = "n", .field = TABLE_N},
        {.heading = "rsd", .field = TABLE_RSD, .decimals = 1},
        {.heading = "ci", .field = TABLE_CI95_HALF, .decimals = 2},
        {.heading = "min", .field = TABLE_MIN},
        {.heading = "med", .field = TABLE_MEDIAN},
        {.heading = "p90", .field = TABLE_P90},
        {.heading = "p99", .field = TABLE_P99},
        {.heading = "p999", .field = TABLE_P999},
        {.heading = "max", .field = TABLE_MAX, .scale = -1},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = COUNT(columns)};
    struct row row = make_row("t", "", "m", 1);
    row.stats = (struct stats_summary){.n = 12,
                                       .rsd_pct = 2.25,
                                       .ci95_lo = 9,
                                       .ci95_hi = 10.5,
                                       .min = 1,
                                       .median = 2,
                                       .p90 = 3,
                                       .p99 = 4,
                                       .p999 = INFINITY,
                                       .max = 6};
    assert_table(&layout, &row, 1,
                 " n  rsd    ci  min  med  p90  p99  p999  max\n"
                 "12  2.2  0.75    1    2    3    4     -   -6\n");
}

TEST(test_table_per_sample_prints_a_line_a_sample)
{
    static const struct table_column columns[] = {
        {.heading = "limit", .field = TABLE_PARAM},
        {.heading = "mean", .metric = "mean", .field = TABLE_SAMPLE, .decimals = 1},
        {.heading = "countA", .metric = "countA", .field = TABLE_SAMPLE},
        {.heading = "all", .metric = "mean", .field = TABLE_VALUE},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = COUNT(columns), .per_sample = 1};
    double means[] = {906.26, 1000.04, 880}, counts[] = {7, 12};
    struct row rows[] = {
        make_row("prime", "", "mean", 907),
        make_row("prime", "", "countA", 19),
        make_row("lame", "", "mean", NAN),
    };
    set_params(&rows[0], "22");
    set_params(&rows[1], "22");
    rows[0].samples = means;
    rows[0].n_samples = 3;
    rows[1].samples = counts;
    rows[1].n_samples = 2;
    rows[2].status = ROW_FAILED;
    assert_table(&layout, rows, 3,
                 "limit    mean  countA  all\n"
                 "22      906.3       7  907\n"
                 "22     1000.0      12  907\n"
                 "22      880.0       -  907\n"
                 "            -       -    -  failed\n");
}

TEST(test_table_aligns_utf8_and_disarms_control_characters)
{
    static const struct table_column columns[] = {
        {.heading = "Gr\xc3\xb6\xc3\x9f"
                    "e",
         .field = TABLE_PARAM},
        {.heading = "\xc2\xb5s", .field = TABLE_VALUE},
    };
    static const struct table_layout layout = {.columns = columns, .n_columns = 2};
    struct row rows[] = {make_row("a", "", "m", 1), make_row("b", "", "m", 10)};
    set_params(&rows[0], "\x1b[2J\x7f");
    set_params(&rows[1], "\xc3\xa9");
    assert_table(&layout, rows, 2,
                 "Gr\xc3\xb6\xc3\x9f"
                 "e  \xc2\xb5s\n"
                 "?[2J?   1\n"
                 "\xc3\xa9      10\n");
}

TEST(test_table_holds_the_largest_number)
{
    static const struct table_column columns[] = {{.heading = "v", .field = TABLE_VALUE, .decimals = 4000000000u}};
    static const struct table_layout layout = {.columns = columns, .n_columns = 1};
    struct row row = make_row("a", "", "m", 1.7976931348623157e308);
    struct text out = {0};
    table_print(&layout, &row, 1, 0, &out);
    /* The heading's line is as wide: 309 digits, the point, 17 decimals. */
    assert_int_equal(out.length, 2 * (309 + 1 + 17 + 1));
    text_free(&out);
}
