/* SPDX-License-Identifier: MIT */
/* Formats of other tools for rows made by hand: the whole text of each, rows left out with the reason, and names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/export.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct row_run first = {.run_id = "r1", .utc = "2026-11-21T08:00:00Z", .host = "box", .cpus_online = 2};
static const struct row_run second = {.run_id = "r2", .utc = "2026-11-21T09:00:00Z", .host = "box", .cpus_online = 2};

/* "suite test load param metric unit better", '-' for an empty one and '+' for a space in param. */
static struct row make_row(const struct row_run *run, const char *words, double value)
{
    struct row row;
    char *to[] = {row.suite, row.test, row.load, row.param.text, row.metric, row.unit, row.better};

    row_init(&row, run);
    for (size_t i = 0; i < COUNT(to); i++) {
        size_t length = strcspn(words, " ");
        memcpy(to[i], words, length);
        to[i][length] = '\0';
        if (!strcmp(to[i], "-"))
            to[i][0] = '\0';
        words += length + (words[length] == ' ');
    }
    for (char *c = row.param.text; *c; c++)
        *c = *c == '+' ? ' ' : *c;
    row_params_read(&row.param);
    row.copies = 1;
    row.value = value;
    return row;
}

/* Samples stay the caller's. */
static struct row with_samples(struct row row, double *samples, size_t n)
{
    row.samples = samples;
    row.n_samples = n;
    row.stats.n = n;
    return row;
}

static const struct metrics_test test_pipe = {.suite = "unix", .name = "pipe", .title = "Pipe Throughput"};
static const struct metrics metrics = {.test = &test_pipe, .n_tests = 1};

/* A macro, so that the failing line is named. */
#define assert_exports(format, rows, n, expected)                     \
    do {                                                              \
        struct export_left_out left_;                                 \
        struct text out_ = {0};                                       \
        (void)export_write(format, rows, n, &metrics, &out_, &left_); \
        assert_false(out_.failed);                                    \
        assert_string_equal(out_.data ? out_.data : "", expected);    \
        text_free(&out_);                                             \
    } while (0)

#define assert_export_has(format, rows, n, expected)                           \
    do {                                                                       \
        struct export_left_out left_;                                          \
        struct text out_ = {0};                                                \
        (void)export_write(format, rows, n, &metrics, &out_, &left_);          \
        if (!out_.data || !strstr(out_.data, expected))                        \
            fail_msg("no '%s' in:\n%s", expected, out_.data ? out_.data : ""); \
        text_free(&out_);                                                      \
    } while (0)

#define assert_leaves_out(format, rows, n, expected)                  \
    do {                                                              \
        struct export_left_out left_;                                 \
        struct text out_ = {0}, said_ = {0};                          \
        (void)export_write(format, rows, n, &metrics, &out_, &left_); \
        export_describe(&left_, (format)->name, n, &said_);           \
        assert_string_equal(said_.data ? said_.data : "", expected);  \
        text_free(&out_);                                             \
        text_free(&said_);                                            \
    } while (0)

TEST(test_export_names_are_those_of_the_formats)
{
    size_t n = 0;

    for (; export_formats[n]; n++)
        assert_string_equal(export_formats[n]->name, export_names[n]);
    assert_null(export_names[n]);
    assert_true(n >= 7);
}

/* --- Names. --- */

/* The names of the groups, ' ' between, each with the number of its rows. */
static struct text names_of(const struct row *rows, size_t n)
{
    const struct row *pointers[16];
    struct export_rows all = {.rows = pointers, .n = n, .all = rows, .n_all = n};
    struct export_groups groups;
    struct text out = {0};

    assert_true(n <= COUNT(pointers));
    for (size_t i = 0; i < n; i++)
        pointers[i] = &rows[i];
    export_group(&all, &groups);
    for (size_t g = 0; g < groups.n; g++)
        text_printf(&out, "%s%s:%zu", g ? " " : "", groups.group[g].name, groups.group[g].n);
    export_groups_free(&groups);
    return out;
}

#define assert_names(rows, n, expected)             \
    do {                                            \
        struct text names_ = names_of(rows, n);     \
        assert_string_equal(names_.data, expected); \
        text_free(&names_);                         \
    } while (0)

TEST(test_export_names_leave_out_what_differs_between_runs)
{
    struct row rows[] = {
        make_row(&first, "latency audio burn interval_us=5+loops_per_ms=7+load=other+load_cpu_s=1+x latency ns lower",
                 1),
        make_row(&second, "latency audio burn interval_us=5+loops_per_ms=8+load=other+x+load_read=3 latency ns lower",
                 1),
        make_row(&first, "latency audio burn loops_per_ms=8 latency ns lower", 1),
        make_row(&first, "prime prime - - cycles cycles lower", 1),
    };

    assert_names(rows, 4,
                 "latency/audio/burn/interval_us=5/load=other/x/latency:2 latency/audio/burn/latency:1 prime/cycles:1");
}

TEST(test_export_names_have_copies)
{
    struct row rows[] = {make_row(&first, "unix pipe - a=1 rate lps higher", 1),
                         make_row(&first, "unix pipe - a=1 rate lps higher", 1)};

    rows[1].copies = 2;
    assert_names(rows, 2, "unix/pipe/a=1/rate:1 unix/pipe/copies=2/a=1/rate:1");
    rows[0].copies = 0;
    assert_names(rows, 1, "unix/pipe/a=1/rate:1");
}

TEST(test_export_names_are_told_apart_within_a_run)
{
    struct row rows[] = {
        make_row(&first, "noise noise - - lost % lower", 1), make_row(&second, "noise noise - - lost % lower", 1),
        make_row(&first, "noise noise - - lost % lower", 1), make_row(&first, "noise noise - - loop ns lower", 1),
        make_row(&first, "noise noise - - lost % lower", 1),
    };

    strcpy(rows[0].cpus, "0");
    strcpy(rows[1].cpus, "0");
    strcpy(rows[2].cpus, "1");
    strcpy(rows[3].cpus, "1");
    strcpy(rows[4].cpus, "1");
    assert_names(rows, 5, "noise/lost/cpus=0:2 noise/lost/cpus=1:1 noise/loop:1 noise/lost/cpus=1#2:1");
    assert_names(rows, 2, "noise/lost:2");
}

/* --- What goes out as seconds. --- */

static double seconds(const char *unit, const char *better, double value)
{
    struct row row = make_row(&first, "s t - - m - -", 1);

    strcpy(row.unit, unit);
    strcpy(row.better, better);
    return export_seconds(&row, value);
}

/* Rounds to double even where results and constants are kept in a wider format. */
static bool takes(const char *unit, const char *better, double value, double expected)
{
    volatile double got = seconds(unit, better, value), rounded = expected;

    return got == rounded;
}

TEST(test_export_seconds_of_times_and_rates)
{
    assert_true(takes("s", "lower", 2, 2));
    assert_true(takes("ms", "lower", 2, 0.002));
    assert_true(takes("us", "lower", 2, 2e-6));
    assert_true(takes("ns", "lower", 123, 123e-9));
    assert_true(takes("lps", "higher", 4, 0.25));
    assert_true(takes("lpm", "higher", 120, 0.5));
    assert_true(takes("KBps", "higher", 1, 1.0 / 1024));
    assert_true(takes("MB/s", "higher", 4, 0.25e-6));
    assert_true(takes("MWIPS", "higher", 2, 0.5e-6));
    assert_true(takes("1/ms", "higher", 2, 0.0005));
    /* Turned round, these would be better the wrong way; others are no times. */
    assert_true(isnan(seconds("1/s", "lower", 1)));
    assert_true(isnan(seconds("ns", "higher", 1)));
    assert_true(isnan(seconds("ns", "", 1)));
    assert_true(isnan(seconds("%", "lower", 1)));
    assert_true(isnan(seconds("cycles", "lower", 1)));
    assert_true(isnan(seconds("furlong", "lower", 1)));
}

/* --- Formats. --- */

TEST(test_export_json_is_every_column)
{
    static struct stats_point hist[] = {{1, 2}, {3.5, 4}}, series[] = {{0, 7}};
    static double samples[] = {1, NAN, 0.5};
    static const char *const members[] = {
        "{\"rows\": [\n{\"schema\": ",
        "\"run_id\": \"r\\\"1\", \"utc\": \"\", \"host\": \"b\\u000ax\xef\xbf\xbd\", ",
        "\"cpus_online\": null, ",
        "\"suite\": \"s\", \"test\": \"t\", \"load\": \"\", \"param\": \"a b\", \"copies\": 1, \"metric\": \"m\", ",
        "\"n\": 3, \"value\": 2, \"mean\": null, ",
        "\"status\": \"failed\", ",
        "\"wall_s\": null, ",
        "\"samples\": [1, null, 0.5], \"hist\": [[1, 2], [3.5, 4]], \"series\": [[0, 7]], "
        "\"scratch_disk\": \"\", \"item\": null, \"core_share\": \"\", \"core_mhz\": null, \"explained_pct\": null, "
        "\"counters\": \"\", \"culprits\": \"\", \"series_left_out\": 9}\n]}\n",
    };
    struct export_left_out left;
    struct text out = {0};
    struct row_run run = {.run_id = "r\"1", .host = "b\nx\xff"};
    struct row row = with_samples(make_row(&run, "s t - a+b m ns lower", 2), samples, 3);

    row.status = ROW_FAILED;
    row.wall_s = INFINITY;
    row.hist = hist;
    row.n_hist = 2;
    row.series = series;
    row.n_series = 1;
    row.series_left_out = 9;
    assert_int_equal(export_write(&export_json, &row, 1, NULL, &out, &left), 1);
    for (size_t i = 0; i < COUNT(members); i++)
        if (!strstr(out.data, members[i]))
            fail_msg("no '%s' in '%s'", members[i], out.data);
    /* All columns, in their order. */
    const char *at = out.data;
    for (size_t c = 0; c < row_n_columns; c++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "\"%s\": ", row_columns[c].name);
        at = strstr(at, name);
        if (!at)
            fail_msg("no %s where it should be in '%s'", name, out.data);
    }
    text_free(&out);
    assert_leaves_out(&export_json, &row, 1, "");
}

TEST(test_export_json_of_two_rows_and_empty_lists)
{
    struct row rows[] = {make_row(&first, "s t - - m ns lower", NAN), make_row(&first, "s u - - m ns lower", 1)};
    struct export_left_out left;
    struct text out = {0};

    assert_int_equal(export_write(&export_json, rows, 2, NULL, &out, &left), 2);
    assert_non_null(strstr(out.data,
                           "\"samples\": [], \"hist\": [], \"series\": [], \"scratch_disk\": \"\", "
                           "\"item\": null, \"core_share\": \"\", \"core_mhz\": null, \"explained_pct\": "
                           "null, \"counters\": \"\", \"culprits\": \"\", \"series_left_out\": 0},\n{\"schema\""));
    assert_non_null(strstr(out.data, "\"value\": null"));
    text_free(&out);
}

TEST(test_export_pyperf)
{
    static double rates[] = {2, 4}, times[] = {500}, sizes[] = {1, 3}, cycles[] = {7.5};
    const struct row rows[] = {
        with_samples(make_row(&first, "unix pipe - a=\"x rate lps higher", 3), rates, 2),
        with_samples(make_row(&first, "prime prime - - time ns lower", 500), times, 1),
        with_samples(make_row(&second, "unix pipe - a=\"x rate lps higher", 3), rates + 1, 1),
        with_samples(make_row(&first, "run true - - max_rss KiB lower", 2), sizes, 2),
        with_samples(make_row(&first, "prime prime - - cycles cycles lower", 2), cycles, 1),
    };

    assert_exports(&export_pyperf, rows, COUNT(rows),
                   "{\"version\": \"1.0\", \"metadata\": {\"unit\": \"second\"}, \"benchmarks\": [\n"
                   "{\"metadata\": {\"name\": \"unix/pipe/a=\\\"x/rate\"}, \"runs\": [{\"values\": [0.5]}, "
                   "{\"values\": [0.25]}, {\"values\": [0.25]}]},\n"
                   "{\"metadata\": {\"name\": \"prime/time\"}, \"runs\": [{\"values\": [4.9999999999999998e-07]}]},\n"
                   "{\"metadata\": {\"name\": \"run/true/max_rss\", \"unit\": \"byte\"}, \"runs\": [{\"values\": "
                   "[1024]}, {\"values\": [3072]}]},\n"
                   "{\"metadata\": {\"name\": \"prime/cycles\", \"unit\": \"integer\"}, \"runs\": [{\"values\": "
                   "[7.5]}]}\n"
                   "]}\n");
    assert_leaves_out(&export_pyperf, rows, COUNT(rows), "");
}

TEST(test_export_pyperf_leaves_out_what_it_cannot_carry)
{
    static double good[] = {1}, zero[] = {1, 0}, unknown[] = {NAN}, infinite[] = {INFINITY};
    const struct row rows[] = {
        make_row(&first, "s t - - a ns lower", 1),
        with_samples(make_row(&first, "s t - - b % lower", 1), good, 1),
        with_samples(make_row(&first, "s t - - c 1/s lower", 1), good, 1),
        with_samples(make_row(&first, "s t - - d bytes -", 1), good, 1),
        with_samples(make_row(&first, "s t - - e ns lower", 1), zero, 2),
        with_samples(make_row(&first, "s t - - f ns lower", 1), unknown, 1),
        with_samples(make_row(&first, "s t - - g ns lower", 1), infinite, 1),
    };

    assert_exports(&export_pyperf, rows, COUNT(rows), "");
    assert_leaves_out(&export_pyperf, rows, COUNT(rows),
                      "7 of 7 rows left out of pyperf: 1 without samples, 3 that are neither a lower-is-better "
                      "time, size or number nor a higher-is-better rate, 3 with a sample that is not above 0");
    assert_leaves_out(&export_pyperf, rows, 1, "1 of 1 row left out of pyperf: 1 without samples");
}

TEST(test_export_hyperfine)
{
    static double wall[] = {1, 2, 6}, user[] = {0.5, 1, 1.5}, system[] = {0, 0, 0}, rates[] = {4};
    const struct row rows[] = {
        with_samples(make_row(&first, "run sleep,\"1\" - - wall s lower", 3), wall, 3),
        with_samples(make_row(&first, "run sleep,\"1\" - - user s lower", 1), user, 3),
        with_samples(make_row(&first, "run sleep,\"1\" - - system s lower", 0), system, 3),
        with_samples(make_row(&first, "run sleep,\"1\" - - max_rss bytes lower", 0), wall, 3),
        with_samples(make_row(&first, "unix pipe - - rate lps higher", 4), rates, 1),
        with_samples(make_row(&first, "other t - - system s lower", 0), system, 3),
    };

    assert_exports(
        &export_hyperfine_json, rows, COUNT(rows),
        "{\"results\": [\n"
        "{\"command\": \"run/sleep,\\\"1\\\"/wall\", \"mean\": 3, \"stddev\": 2.6457513110645907, \"median\": 2, "
        "\"user\": 1, \"system\": 0, \"min\": 1, \"max\": 6, \"times\": [1, 2, 6], "
        "\"exit_codes\": [null, null, null]},\n"
        "{\"command\": \"unix/pipe/rate\", \"mean\": 0.25, \"stddev\": null, \"median\": 0.25, \"user\": "
        "null, \"system\": null, \"min\": 0.25, \"max\": 0.25, \"times\": [0.25], \"exit_codes\": [null]}\n"
        "]}\n");
    assert_leaves_out(&export_hyperfine_json, rows, COUNT(rows),
                      "2 of 6 rows left out of hyperfine-json: 1 whose metric is neither a time nor a rate, 1 "
                      "with a sample that is not above 0");
}

/* A command is named by its line, unless a run has it twice; unknown values are null. */
TEST(test_export_hyperfine_json)
{
    static double wall[] = {1, 2, 6}, user[] = {0.5, 1, 1.5}, codes[] = {0, 0, 3}, rates[] = {4};
    struct row rows[] = {
        with_samples(make_row(&first, "run make - - wall s lower", 3), wall, 3),
        with_samples(make_row(&first, "run make - - user s lower", 1), user, 3),
        with_samples(make_row(&first, "run make - - exit_code count lower", 0), codes, 3),
        with_samples(make_row(&first, "unix pipe - - rate lps higher", 4), rates, 1),
    };

    for (size_t i = 0; i < 3; i++)
        set_params(&rows[i], "command=make -j2 all");
    assert_exports(&export_hyperfine_json, rows, COUNT(rows),
                   "{\"results\": [\n"
                   "{\"command\": \"make -j2 all\", \"mean\": 3, \"stddev\": 2.6457513110645907, \"median\": 2, "
                   "\"user\": 1, \"system\": null, \"min\": 1, \"max\": 6, \"times\": [1, 2, 6], "
                   "\"exit_codes\": [0, 0, 3]},\n"
                   "{\"command\": \"unix/pipe/rate\", \"mean\": 0.25, \"stddev\": null, \"median\": 0.25, \"user\": "
                   "null, \"system\": null, \"min\": 0.25, \"max\": 0.25, \"times\": [0.25], \"exit_codes\": [null]}\n"
                   "]}\n");
    struct row twice[] = {rows[0], rows[0]};
    twice[1].copies = 2;
    assert_exports(&export_hyperfine_json, twice, 1,
                   "{\"results\": [\n{\"command\": \"make -j2 all\", \"mean\": 3, \"stddev\": 2.6457513110645907, "
                   "\"median\": 2, \"user\": null, \"system\": null, \"min\": 1, \"max\": 6, \"times\": [1, 2, 6], "
                   "\"exit_codes\": [null, null, null]}\n]}\n");
    struct text out = {0};
    struct export_left_out left_out;
    assert_int_equal(export_write(&export_hyperfine_json, twice, 2, NULL, &out, &left_out), 2);
    assert_non_null(strstr(out.data, "\"run/make/copies=2/command=make -j2 all/wall\""));
    text_free(&out);
}

TEST(test_export_hyperfine_of_two_runs)
{
    static double wall[] = {1, 3, 5}, user[] = {0.5, 1.5, 1};
    struct row rows[] = {
        with_samples(make_row(&first, "run true - - wall s lower", 3), wall, 2),
        with_samples(make_row(&first, "run true - - user s lower", 1), user, 2),
        with_samples(make_row(&second, "run true - - wall s lower", 3), wall + 2, 1),
        with_samples(make_row(&second, "run true - - user s lower", 3), user + 2, 1),
    };

    assert_exports(&export_hyperfine_json, rows, 4,
                   "{\"results\": [\n{\"command\": \"run/true/wall\", \"mean\": 3, \"stddev\": 2, \"median\": 3, "
                   "\"user\": 1, \"system\": null, \"min\": 1, \"max\": 5, \"times\": [1, 3, 5], "
                   "\"exit_codes\": [null, null, null]}\n]}\n");
    /* Where a run does not know it, it is not known. */
    assert_exports(&export_hyperfine_json, rows, 3,
                   "{\"results\": [\n{\"command\": \"run/true/wall\", \"mean\": 3, \"stddev\": 2, \"median\": 3, "
                   "\"user\": null, \"system\": null, \"min\": 1, \"max\": 5, \"times\": [1, 3, 5], "
                   "\"exit_codes\": [null, null, null]}\n]}\n");
}

TEST(test_export_gbench)
{
    static double wall[] = {1, 3}, user[] = {0.5, 1.5}, system[] = {0.25, 0}, rates[] = {4};
    struct row rows[] = {
        with_samples(make_row(&first, "run a\"b - - wall s lower", 2), wall, 2),
        with_samples(make_row(&first, "run a\"b - - user s lower", 1), user, 2),
        with_samples(make_row(&first, "run a\"b - - system s lower", 0), system, 2),
        with_samples(make_row(&first, "unix pipe - - rate lps higher", 4), rates, 1),
    };
    static const char expected[] =
        "{\"context\": {\"date\": \"2026-11-21T08:00:00Z\", \"host_name\": \"box\", \"executable\": \"jitbench\", "
        "\"num_cpus\": 2, \"caches\": []},\n\"benchmarks\": [\n"
        "{\"name\": \"run/a\\\"b/wall\", \"run_name\": \"run/a\\\"b/wall\", \"run_type\": \"iteration\", "
        "\"repetitions\": 2, \"repetition_index\": 0, \"threads\": 1, \"iterations\": 1, \"real_time\": 1000000000, "
        "\"cpu_time\": 750000000, \"time_unit\": \"ns\"},\n"
        "{\"name\": \"run/a\\\"b/wall\", \"run_name\": \"run/a\\\"b/wall\", \"run_type\": \"iteration\", "
        "\"repetitions\": 2, \"repetition_index\": 1, \"threads\": 1, \"iterations\": 1, \"real_time\": 3000000000, "
        "\"cpu_time\": 1500000000, \"time_unit\": \"ns\"},\n"
        "{\"name\": \"run/a\\\"b/wall_mean\", \"run_name\": \"run/a\\\"b/wall\", \"run_type\": \"aggregate\", "
        "\"repetitions\": 2, \"threads\": 1, \"aggregate_name\": \"mean\", \"aggregate_unit\": \"time\", "
        "\"iterations\": 2, \"real_time\": 2000000000, \"cpu_time\": 1125000000, \"time_unit\": \"ns\"},\n"
        "{\"name\": \"run/a\\\"b/wall_median\", \"run_name\": \"run/a\\\"b/wall\", \"run_type\": \"aggregate\", "
        "\"repetitions\": 2, \"threads\": 1, \"aggregate_name\": \"median\", \"aggregate_unit\": \"time\", "
        "\"iterations\": 2, \"real_time\": 2000000000, \"cpu_time\": 1125000000, \"time_unit\": \"ns\"},\n";
    struct export_left_out left;
    struct text out = {0};

    rows[3].copies = 2;
    rows[3].wall_s = 2;
    rows[3].cpu_s = 1;
    assert_int_equal(export_write(&export_gbench, rows, 1, NULL, &out, &left), 1);
    assert_null(strstr(out.data, "nan"));
    assert_non_null(strstr(out.data, "\"cpu_time\": 0, "));
    text_free(&out);
    assert_int_equal(export_write(&export_gbench, rows, 4, NULL, &out, &left), 3);
    assert_memory_equal(out.data, expected, sizeof expected - 1);
    assert_non_null(strstr(out.data,
                           "/wall_cv\", \"run_name\": \"run/a\\\"b/wall\", \"run_type\": \"aggregate\", "
                           "\"repetitions\": 2, \"threads\": 1, \"aggregate_name\": \"cv\", "
                           "\"aggregate_unit\": \"percentage\", \"iterations\": 2, \"real_time\": 0.707106781"));
    assert_non_null(strstr(out.data, "{\"name\": \"unix/pipe/copies=2/rate\""));
    assert_non_null(strstr(out.data, "\"threads\": 2, \"iterations\": 8, \"real_time\": 250000000, \"cpu_time\": "
                                     "125000000, \"time_unit\": \"ns\"}\n]}\n"));
    text_free(&out);
}

TEST(test_export_openmetrics)
{
    struct row_run odd = {.run_id = "r3", .utc = "2026-11-21T08:00:00Z", .host = "b\"\\\n\xff", .comment = "c"};
    struct row rows[] = {
        make_row(&first, "unix pipe - x=1+load_read=2 rate lps higher", 120),
        make_row(&odd, "noise noise - - lost % lower", 50),
        make_row(&first, "unix shell1 - - rate lpm higher", 120),
        make_row(&first, "unix index - protocol=stable index ratio higher", 900),
        make_row(&first, "prime prime - - delays_a events lower", 3),
        make_row(&first, "latency calibrate - - loops_per_ms 1/ms -", 2),
        make_row(&first, "prime prime - - divisions count -", 84),
        make_row(&first, "x y - - page_count furlong/h -", -0.5),
        make_row(&first, "x y - - none ns lower", NAN),
    };

    strcpy(rows[0].cpus, "0-1");
    rows[1].copies = 0;
    rows[1].status = ROW_DEGRADED;
    assert_exports(
        &export_openmetrics, rows, COUNT(rows),
        "# HELP jitbench_rate_per_second Value of jitbench's metric rate, higher is better.\n"
        "# TYPE jitbench_rate_per_second gauge\n"
        "# UNIT jitbench_rate_per_second per_second\n"
        "jitbench_rate_per_second{host=\"box\",suite=\"unix\",test=\"pipe\",param=\"x=1\",copies=\"1\",cpus=\"0-1\","
        "status=\"ok\"} 120\n"
        "jitbench_rate_per_second{host=\"box\",suite=\"unix\",test=\"shell1\",copies=\"1\",status=\"ok\"} 2\n"
        "# HELP jitbench_lost_ratio Value of jitbench's metric lost, lower is better.\n"
        "# TYPE jitbench_lost_ratio gauge\n"
        "# UNIT jitbench_lost_ratio ratio\n"
        "jitbench_lost_ratio{host=\"b\\\"\\\\\\n\xef\xbf\xbd\",suite=\"noise\",test=\"noise\",status=\"degraded\"} "
        "0.5\n"
        "# HELP jitbench_index_ratio Value of jitbench's metric index, higher is better.\n"
        "# TYPE jitbench_index_ratio gauge\n"
        "# UNIT jitbench_index_ratio ratio\n"
        "jitbench_index_ratio{host=\"box\",suite=\"unix\",test=\"index\",param=\"protocol=stable\","
        "protocol=\"stable protocol\",copies=\"1\",status=\"ok\"} 900\n"
        "# HELP jitbench_delaysa_events Value of jitbench's metric delays_a, lower is better.\n"
        "# TYPE jitbench_delaysa_events gauge\n"
        "# UNIT jitbench_delaysa_events events\n"
        "jitbench_delaysa_events{host=\"box\",suite=\"prime\",test=\"prime\",copies=\"1\",status=\"ok\"} 3\n"
        "# HELP jitbench_loops_per_second Value of jitbench's metric loops_per_ms.\n"
        "# TYPE jitbench_loops_per_second gauge\n"
        "# UNIT jitbench_loops_per_second per_second\n"
        "jitbench_loops_per_second{host=\"box\",suite=\"latency\",test=\"calibrate\",copies=\"1\",status=\"ok\"} 2000\n"
        "# HELP jitbench_divisions Value of jitbench's metric divisions.\n"
        "# TYPE jitbench_divisions gauge\n"
        "jitbench_divisions{host=\"box\",suite=\"prime\",test=\"prime\",copies=\"1\",status=\"ok\"} 84\n"
        "# HELP jitbench_page_count_furlongh Value of jitbench's metric page_count.\n"
        "# TYPE jitbench_page_count_furlongh gauge\n"
        "# UNIT jitbench_page_count_furlongh furlongh\n"
        "jitbench_page_count_furlongh{host=\"box\",suite=\"x\",test=\"y\",copies=\"1\",status=\"ok\"} -0.5\n"
        "# HELP jitbench_run_info What the values were measured on.\n"
        "# TYPE jitbench_run_info gauge\n"
        "jitbench_run_info{host=\"box\",run_id=\"r1\",utc=\"2026-11-21T08:00:00Z\"} 1\n"
        "jitbench_run_info{host=\"b\\\"\\\\\\n\xef\xbf\xbd\",run_id=\"r3\",utc=\"2026-11-21T08:00:00Z\",comment=\"c\"} "
        "1\n"
        "# EOF\n");
    assert_leaves_out(&export_openmetrics, rows, COUNT(rows), "1 of 9 rows left out of openmetrics: 1 without a value");
}

TEST(test_export_openmetrics_keeps_the_newest)
{
    const struct row rows[] = {
        make_row(&second, "unix pipe - load_read=2 rate lps higher", 2),
        make_row(&first, "unix pipe - load_read=3 rate lps higher", 1),
        make_row(&first, "a b - - event_total count -", 5),
    };

    assert_exports(&export_openmetrics, rows, COUNT(rows),
                   "# HELP jitbench_rate_per_second Value of jitbench's metric rate, higher is better.\n"
                   "# TYPE jitbench_rate_per_second gauge\n"
                   "# UNIT jitbench_rate_per_second per_second\n"
                   "jitbench_rate_per_second{host=\"box\",suite=\"unix\",test=\"pipe\",copies=\"1\",status=\"ok\"} 2\n"
                   "# HELP jitbench_event_total_value Value of jitbench's metric event_total.\n"
                   "# TYPE jitbench_event_total_value gauge\n"
                   "jitbench_event_total_value{host=\"box\",suite=\"a\",test=\"b\",copies=\"1\",status=\"ok\"} 5\n"
                   "# HELP jitbench_run_info What the values were measured on.\n"
                   "# TYPE jitbench_run_info gauge\n"
                   "jitbench_run_info{host=\"box\",run_id=\"r2\",utc=\"2026-11-21T09:00:00Z\"} 1\n"
                   "jitbench_run_info{host=\"box\",run_id=\"r1\",utc=\"2026-11-21T08:00:00Z\"} 1\n"
                   "# EOF\n");
    assert_leaves_out(&export_openmetrics, rows, COUNT(rows),
                      "1 of 3 rows left out of openmetrics: 1 older than another row with the same labels");
}

/* Two ranks whose runs differ only in the rank, and a file that was given twice: no line may be repeated. */
TEST(test_export_openmetrics_has_no_line_twice)
{
    const struct row_run one = {.host = "n1", .rank = "0"}, other = {.host = "n1", .rank = "1"};
    const struct row rows[] = {make_row(&one, "a b - - m count -", 1), make_row(&other, "a b - - m count -", 2),
                               make_row(&one, "a b - - m count -", 1)};

    assert_exports(&export_openmetrics, rows, COUNT(rows),
                   "# HELP jitbench_m Value of jitbench's metric m.\n"
                   "# TYPE jitbench_m gauge\n"
                   "jitbench_m{host=\"n1\",rank=\"1\",suite=\"a\",test=\"b\",copies=\"1\",status=\"ok\"} 2\n"
                   "jitbench_m{host=\"n1\",rank=\"0\",suite=\"a\",test=\"b\",copies=\"1\",status=\"ok\"} 1\n"
                   "# HELP jitbench_run_info What the values were measured on.\n"
                   "# TYPE jitbench_run_info gauge\n"
                   "jitbench_run_info{host=\"n1\"} 1\n"
                   "# EOF\n");
    assert_leaves_out(&export_openmetrics, rows, COUNT(rows),
                      "1 of 3 rows left out of openmetrics: 1 with the labels and the time of another row");
}

TEST(test_export_unixbench)
{
    static double samples[] = {1, 2};
    struct row rows[] = {
        with_samples(make_row(&first, "unix pipe - - rate lps higher", 1244000), samples, 2),
        with_samples(make_row(&first, "unix pipe - - rate lps higher", 2488000), samples, 2),
        with_samples(make_row(&first, "unix a,b - - rate lpm higher", 42.4), samples, 2),
        make_row(&first, "unix failed - - rate lps higher", NAN),
        make_row(&first, "unix index - - index ratio higher", 1000),
        with_samples(make_row(&first, "unix hanoi - - rate lps higher", 7), samples, 1),
        with_samples(make_row(&second, "unix pipe - - rate lps higher", 124400), samples, 1),
    };
    struct row twelve[14];

    rows[0].wall_s = 20;
    rows[0].index = 1000;
    rows[1].copies = 2;
    rows[1].index = 2000;
    rows[2].index = 10;
    rows[6].index = 100;
    assert_exports(&export_unixbench, rows, 6,
                   "Benchmark Run: 2026-11-21T08:00:00Z on box\n"
                   "2 CPUs in system; running 1 parallel copy of tests\n\n"
                   "Pipe Throughput                             1244000.0 lps   (10.0 s, 2 samples)\n"
                   "a,b                                              42.4 lpm   (0.0 s, 2 samples)\n"
                   "hanoi                                             7.0 lps   (0.0 s, 1 samples)\n"
                   "\n"
                   "System Benchmarks Partial Index              BASELINE       RESULT    INDEX\n"
                   "Pipe Throughput                               12440.0    1244000.0   1000.0\n"
                   "a,b                                              42.4         42.4     10.0\n"
                   "                                                                   ========\n"
                   "System Benchmarks Index Score (Partial Only)                          100.0\n"
                   "\n\n"
                   "Benchmark Run: 2026-11-21T08:00:00Z on box\n"
                   "2 CPUs in system; running 2 parallel copies of tests\n\n"
                   "Pipe Throughput                             2488000.0 lps   (0.0 s, 2 samples)\n"
                   "\n"
                   "System Benchmarks Partial Index              BASELINE       RESULT    INDEX\n"
                   "Pipe Throughput                               12440.0    2488000.0   2000.0\n"
                   "                                                                   ========\n"
                   "System Benchmarks Index Score (Partial Only)                         2000.0\n");
    assert_leaves_out(&export_unixbench, rows, COUNT(rows),
                      "2 of 7 rows left out of unixbench: 1 without a value, 1 that are not rates of suite unix");
    assert_exports(&export_unixbench_csv, rows, COUNT(rows),
                   "Concurrency,Pipe Throughput,\"a,b\"\n1,1244000.0,42.4\n2,2488000.0,\n1,124400.0,\n");
    /* Twelve are the whole index, whose row says of which protocol; that of other copies says nothing of these. */
    for (size_t i = 0; i < 12; i++) {
        char words[64];
        (void)snprintf(words, sizeof(words), "unix t%zu - - rate lps higher", i);
        twelve[i] = with_samples(make_row(&first, words, 1), samples, 1);
        twelve[i].index = 100;
    }
    twelve[12] = make_row(&first, "unix index - protocol=classic+tests=12 index ratio higher", 100);
    twelve[13] = make_row(&first, "unix index - protocol=other+tests=12 index ratio higher", 100);
    twelve[13].copies = 2;
    assert_export_has(&export_unixbench, twelve, 14, "running 1 parallel copy of tests, classic protocol\n\nt0  ");
    assert_export_has(&export_unixbench, twelve, 14, "\nSystem Benchmarks Index Values               BASELINE");
    assert_export_has(&export_unixbench, twelve, 14,
                      "\nSystem Benchmarks Index Score                     classic protocol    100.0\n");
    twelve[0].index = NAN;
    assert_export_has(&export_unixbench, twelve, 14,
                      "\nSystem Benchmarks Index Score (Partial Only)      classic protocol    100.0\n");
}

TEST(test_export_takes_no_rows)
{
    for (size_t i = 0; export_formats[i]; i++) {
        struct export_left_out left;
        struct text out = {0};
        assert_int_equal(export_write(export_formats[i], NULL, 0, NULL, &out, &left), 0);
        assert_int_equal(out.length, 0);
        text_free(&out);
    }
}

/* Blanks and slashes of a command line stay; what is in front of it are words. */
TEST(test_export_param_keeps_a_command_line_as_it_was_typed)
{
    struct row row;
    struct text out = {0};

    row_init(&row, NULL);
    set_params(&row, "shell=yes  warmup=1 prepare='a  b' command=sh -c 'x  y' load_cpu=3");
    export_param(&row, '/', &out);
    assert_string_equal(out.data, "shell=yes/warmup=1/prepare='a  b' command=sh -c 'x  y' load_cpu=3");
    text_free(&out);
}

/* --- cyclictest. --- */

static struct stats_point of_cpu1[] = {{2000, 5}, {3000, 1}, {4000, 2}}, of_cpu0[] = {{0, 7}, {2000, 1}};

static struct row woken(const char *cpus, struct stats_point *hist, size_t n, double min, double mean, double max)
{
    struct row row = make_row(&first, "wakeup wakeup - interval_us=1000+histogram_us=4 latency ns lower", 2500);

    (void)snprintf(row.cpus, sizeof(row.cpus), "%s", cpus);
    (void)snprintf(row.timer_latency_held, sizeof(row.timer_latency_held), "yes");
    row.copies = 2;
    row.wall_s = 2;
    row.hist = hist;
    row.n_hist = n;
    row.stats.min = min;
    row.stats.mean = mean;
    row.stats.max = max;
    return row;
}

/* CPUs in the order of their numbers; what is at the histogram's end or beyond is an overflow. */
TEST(test_export_cyclictest_text)
{
    const struct row rows[] = {woken("1", of_cpu1, COUNT(of_cpu1), 2001, 2750.5, 4999),
                               woken("0", of_cpu0, 2, 10, 275, 2500)};

    assert_exports(&export_cyclictest, rows, 2,
                   "# /dev/cpu_dma_latency set to 0us\n# Histogram\n"
                   "000000 000007\t000000\n000001 000000\t000000\n000002 000001\t000005\n000003 000000\t000001\n"
                   "# Total: 000000008 000000006\n# Min Latencies: 00000 00002\n# Avg Latencies: 00000 00002\n"
                   "# Max Latencies: 00002 00004\n# Histogram Overflows: 00000 00002\n"
                   "# Histogram Overflow at cycle number:\n# Thread 0:\n# Thread 1: # 00002 others\n\n");
}

TEST(test_export_cyclictest_json)
{
    struct row_run run = first;
    struct row rows[] = {woken("1", of_cpu1, COUNT(of_cpu1), 2001, 2750.5, 4999), woken("0", NULL, 0, NAN, NAN, NAN)};

    (void)snprintf(run.kernel, sizeof(run.kernel), "6.12.1-rt #1 SMP PREEMPT_RT Debian");
    (void)snprintf(run.arch, sizeof(run.arch), "x86_64");
    (void)snprintf(run.build, sizeof(run.build), "0.1");
    rows[0].run = &run;
    assert_exports(
        &export_cyclictest_json, rows, 2,
        "{\n  \"file_version\": 1,\n  \"cmdline:\": \"jitbench wakeup\",\n  \"rt_test_version:\": \"0.1\",\n"
        "  \"start_time\": \"Sat, 21 Nov 2026 08:00:00 +0000\",\n"
        "  \"end_time\": \"Sat, 21 Nov 2026 08:00:02 +0000\",\n  \"return_code\": 0,\n  \"sysinfo\": {\n"
        "    \"sysname\": \"Linux\",\n    \"nodename\": \"box\",\n    \"release\": \"6.12.1-rt\",\n"
        "    \"version\": \"#1 SMP PREEMPT_RT Debian\",\n    \"machine\": \"x86_64\",\n    \"realtime\": 1\n  },\n"
        "  \"num_threads\": 1,\n  \"resolution_in_ns\": 0,\n  \"thread\": {\n    \"0\": {\n"
        "      \"histogram\": {\n        \"2\": 5,\n        \"3\": 1\n      },\n      \"cycles\": 8,\n"
        "      \"min\": 2,\n      \"max\": 4,\n      \"avg\": 2.75,\n      \"cpu\": 1,\n      \"node\": -1\n"
        "    }\n  }\n}\n");
    assert_leaves_out(&export_cyclictest_json, rows, 2,
                      "1 of 2 rows left out of cyclictest-json: 1 without a histogram");
}

/* A second run and a second load would be further files. */
TEST(test_export_cyclictest_has_one_run)
{
    struct row rows[] = {woken("0", of_cpu0, 2, 10, 275, 2500), woken("0", of_cpu0, 2, 10, 275, 2500),
                         woken("0", of_cpu0, 2, 10, 275, 2500), make_row(&first, "noise noise - - lost % lower", 1)};

    rows[1].run = &second;
    (void)snprintf(rows[2].load, sizeof(rows[2].load), "burn");
    assert_leaves_out(
        &export_cyclictest, rows, 4,
        "3 of 4 rows left out of cyclictest: 1 that are not latencies of suite wakeup, 2 of further runs or loads");
}
