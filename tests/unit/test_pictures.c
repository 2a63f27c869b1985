/* SPDX-License-Identifier: MIT */
/* All that the suites noise and latency print of made-up rows: tables, sentences and pictures, compared as a whole. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sim.h"
#include "cmd/cmd.h"
#include "golden_fixture.h"
#include "load/load.h"
#include "memory_fixture.h"
#include "row_fixture.h"

enum { ROWS_MAX = 32, SERIES = 40 };
static struct row_run run;
static struct row rows[ROWS_MAX];
static struct stats_point series[ROWS_MAX][SERIES], hist[ROWS_MAX][2];
static size_t n_rows;

static int begin(void **state)
{
    n_rows = 0;
    row_run_init(&run);
    return 0;
}

static struct row *add_row(double value, const struct row_words *words)
{
    struct row *row = &rows[n_rows];

    assert_true(n_rows < ROWS_MAX);
    *row = row_of_words(&run, value, words);
    row->number = n_rows++;
    row->copies = 1;
    row->stats = (struct stats_summary){.n = 1,
                                        .mean = value + 1,
                                        .sd = value / 8,
                                        .min = value / 4,
                                        .median = value / 2,
                                        .p99 = value * 2,
                                        .p999 = value * 3,
                                        .max = value * 4};
    return row;
}

static void expect(const struct suite *suite, unsigned table_width, bool pictures, const char *text)
{
    const struct table_rows all = {
        .rows = rows, .n = n_rows, .alone = true, .pictures = pictures, .width = 70, .table_width = table_width};
    struct text out = {0};
    const size_t live = allocations_live;

    suite->print(&all, &out);
    expect_golden(&out, text);
    assert_int_equal(allocations_live, live);
}

/* --- noise --- */

/* The rows of one CPU: the lost time, which is the headline, with a series, and the detours with a histogram. */
static void add_cpu(const char *cpu, double lost, bool has_hist)
{
    const size_t i = n_rows;
    struct row *row = add_row(lost, &(const struct row_words){.suite = "noise",
                                                              .test = "noise",
                                                              .param = "threshold=8x",
                                                              .metric = "lost",
                                                              .unit = "%",
                                                              .cpus = cpu,
                                                              .bind = "one"});

    row->headline = 1;
    row->n_series = SERIES;
    row->series = series[i];
    for (size_t k = 0; k < SERIES; k++)
        series[i][k] =
            (struct stats_point){1e4 * (double)k, (double)((k * (i + 1)) % 5) * pow(10, (double)((k + i) % 4) + 2)};
    row = add_row(1e3 * (double)(i + 2), &(const struct row_words){.suite = "noise",
                                                                   .test = "noise",
                                                                   .param = "threshold=8x",
                                                                   .metric = "detour",
                                                                   .unit = "ns",
                                                                   .cpus = cpu,
                                                                   .bind = "one"});
    hist[i][0] = (struct stats_point){1000 * (double)(i + 1), 10};
    hist[i][1] = (struct stats_point){5000 * (double)(i + 1), 3 + (double)i};
    row->hist = hist[i];
    row->n_hist = has_hist ? 2 : 0;
    (void)add_row(7 + (double)i, &(const struct row_words){.suite = "noise",
                                                           .test = "noise",
                                                           .param = "threshold=8x",
                                                           .metric = "count_timer",
                                                           .cpus = cpu,
                                                           .bind = "one"});
}

/* A row that has no place in the tables, whatever its metric. */
static void add_other_suite(void)
{
    struct row *row = add_row(
        0.01,
        &(const struct row_words){.suite = "other", .test = "noise", .metric = "lost", .cpus = "9", .bind = "one"});

    row->headline = 1;
}

TEST_WITH(test_pictures_of_noise, begin, NULL)
{
    add_cpu("7", 1.5, true);
    add_cpu("0", 0.25, true);
    add_other_suite();
    add_cpu("2", (double)NAN, true);
    add_cpu("11", 0.25, false);
    add_cpu("5", 0.125, true);
    add_cpu("6", 0.0625, true);
    expect(&suite_noise, 0, true,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Loop ns  Detours/s  Lost %  Blind %   Min  Median    P99  P99.9    Max  Preempted  Fault  "
           "Migrated  Interrupt  Steal  Periodic  Shared  Not seen\n"
           "   1  6          -          -  0.0625        -  4.50    9.00  36.00  54.00  72.00          -      -        "
           " -          -      -         -       -         -\n"
           "   2  5          -          -  0.1250        -  3.75    7.50  30.00  45.00  60.00          -      -        "
           " -          -      -         -       -         -\n"
           "   3  0          -          -  0.2500        -  1.25    2.50  10.00  15.00  20.00          -      -        "
           " -          -      -         -       -         -\n"
           "   4  11         -          -  0.2500        -  3.00    6.00  24.00  36.00  48.00          -      -        "
           " -          -      -         -       -         -\n"
           "   5  7          -          -  1.5000        -  0.50    1.00   4.00   6.00   8.00          -      -        "
           " -          -      -         -       -         -\n"
           "   6  2          -          -       -        -  2.25    4.50  18.00  27.00  36.00          -      -        "
           " -          -      -         -       -         -\n"
           "Quietest: CPU 6; detours took 0.0625 % of its time\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  6     23.0        -    -       -        -\n"
           "   2  5     20.0        -    -       -        -\n"
           "   3  0     10.0        -    -       -        -\n"
           "   4  11    17.0        -    -       -        -\n"
           "   5  7      7.0        -    -       -        -\n"
           "   6  2     14.0        -    -       -        -\n"
           "\n"
           "Lost time  start                                end\n"
           "CPU 6       =+*- +*-= *-=+ -=+* =+*- +*-= *-=+ -=+*\n"
           "CPU 5       +*-= *-=+ -=+* =+*- +*-= *-=+ -=+* =+*-\n"
           "CPU 0       -=+* =+*- +*-= *-=+ -=+* =+*- +*-= *-=+\n"
           "CPU 11      *-=+ -=+* =+*- +*-= *-=+ -=+* =+*- +*-=\n"
           "CPU 7       =+*- +*-= *-=+ -=+* =+*- +*-= *-=+ -=+*\n"
           "CPU 2       -=+* =+*- +*-= *-=+ -=+* =+*- +*-= *-=+\n"
           "lost: ' ' nothing  . less  : 0.0001 %  - 0.001 %  = 0.01 %  + 0.1 %  * 1 %  # 10 %  @ 100 % or more\n"
           "\n"
           "Detours of CPU 6 by length (bars: logarithm of the count)\n"
           "15000 .. 20000 ns 10 |##########################################\n"
           "20000 .. 25000 ns  0 |\n"
           "25000 .. 30000 ns  0 |\n"
           "30000 .. 35000 ns  0 |\n"
           "35000 .. 40000 ns  0 |\n"
           "40000 .. 45000 ns  0 |\n"
           "45000 .. 50000 ns  0 |\n"
           "50000 .. 55000 ns  0 |\n"
           "55000 .. 60000 ns  0 |\n"
           "60000 .. 65000 ns  0 |\n"
           "65000 .. 70000 ns  0 |\n"
           "70000 .. 75000 ns  0 |\n"
           "75000 .. 80000 ns  0 |\n"
           "80000 .. 85000 ns  0 |\n"
           "85000 .. 90000 ns 19 |################################################\n"
           "\n"
           "Detours of CPU 2 by length (bars: logarithm of the count)\n"
           " 8000 .. 10000 ns 10 |################################################\n"
           "10000 .. 12000 ns  0 |\n"
           "12000 .. 14000 ns  0 |\n"
           "14000 .. 16000 ns  0 |\n"
           "16000 .. 18000 ns  0 |\n"
           "18000 .. 20000 ns  0 |\n"
           "20000 .. 22000 ns  0 |\n"
           "22000 .. 24000 ns  0 |\n"
           "24000 .. 26000 ns  0 |\n"
           "26000 .. 28000 ns  0 |\n"
           "28000 .. 30000 ns  0 |\n"
           "30000 .. 32000 ns  0 |\n"
           "32000 .. 34000 ns  0 |\n"
           "34000 .. 36000 ns  0 |\n"
           "36000 .. 38000 ns  0 |\n"
           "38000 .. 40000 ns  0 |\n"
           "40000 .. 42000 ns 10 |################################################\n"
           "\n"
           "Detours of CPU 5 by length (bars: logarithm of the count)\n"
           "10000 .. 15000 ns 10 |############################################\n"
           "15000 .. 20000 ns  0 |\n"
           "20000 .. 25000 ns  0 |\n"
           "25000 .. 30000 ns  0 |\n"
           "30000 .. 35000 ns  0 |\n"
           "35000 .. 40000 ns  0 |\n"
           "40000 .. 45000 ns  0 |\n"
           "45000 .. 50000 ns  0 |\n"
           "50000 .. 55000 ns  0 |\n"
           "55000 .. 60000 ns  0 |\n"
           "60000 .. 65000 ns  0 |\n"
           "65000 .. 70000 ns  0 |\n"
           "70000 .. 75000 ns 16 |################################################\n"
           "\n"
           "Detours of CPU 7 by length (bars: logarithm of the count)\n"
           "1000 .. 1200 ns 10 |##################################################\n"
           "1200 .. 1400 ns  0 |\n"
           "1400 .. 1600 ns  0 |\n"
           "1600 .. 1800 ns  0 |\n"
           "1800 .. 2000 ns  0 |\n"
           "2000 .. 2200 ns  0 |\n"
           "2200 .. 2400 ns  0 |\n"
           "2400 .. 2600 ns  0 |\n"
           "2600 .. 2800 ns  0 |\n"
           "2800 .. 3000 ns  0 |\n"
           "3000 .. 3200 ns  0 |\n"
           "3200 .. 3400 ns  0 |\n"
           "3400 .. 3600 ns  0 |\n"
           "3600 .. 3800 ns  0 |\n"
           "3800 .. 4000 ns  0 |\n"
           "4000 .. 4200 ns  0 |\n"
           "4200 .. 4400 ns  0 |\n"
           "4400 .. 4600 ns  0 |\n"
           "4600 .. 4800 ns  0 |\n"
           "4800 .. 5000 ns  0 |\n"
           "5000 .. 5200 ns  3 |#####################################\n");
    expect(&suite_noise, 70, false,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Lost %    Max  Preempted  Interrupt  Steal  Not seen\n"
           "   1  6    0.0625  72.00          -          -      -         -\n"
           "   2  5    0.1250  60.00          -          -      -         -\n"
           "   3  0    0.2500  20.00          -          -      -         -\n"
           "   4  11   0.2500  48.00          -          -      -         -\n"
           "   5  7    1.5000   8.00          -          -      -         -\n"
           "   6  2         -  36.00          -          -      -         -\n"
           "Left out: Loop ns, Detours/s, Blind %, Min, Median, P99, P99.9, Fault,\n"
           "  Migrated, Periodic, Shared (shown with -v, and in the CSV)\n"
           "Quietest: CPU 6; detours took 0.0625 % of its time\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  6     23.0        -    -       -        -\n"
           "   2  5     20.0        -    -       -        -\n"
           "   3  0     10.0        -    -       -        -\n"
           "   4  11    17.0        -    -       -        -\n"
           "   5  7      7.0        -    -       -        -\n"
           "   6  2     14.0        -    -       -        -\n");
}

static void add_core(const char *cpu, double slower, double share, double free, double mhz, double alone)
{
    static const char *const metrics[] = {"slower", "core_share", "core_free", "core_mhz", "lost_alone"};
    const double values[] = {slower, share, free, mhz, alone};

    for (size_t i = 0; i < 5; i++)
        (void)add_row(values[i], &(const struct row_words){.suite = "noise",
                                                           .test = "noise",
                                                           .param = "threshold=8x",
                                                           .metric = metrics[i],
                                                           .cpus = cpu,
                                                           .bind = "one"});
}

/* CPU 7 loses less time than CPU 0, but has less of its core; what CPU 2 has of its core is not known. */
TEST_WITH(test_pictures_of_noise_beside_neighbours, begin, NULL)
{
    add_cpu("7", 0.5, false);
    add_core("7", 20.4, 80, 9.96, 3200, 0.5);
    add_cpu("0", 1.5, false);
    add_core("0", 2.98, 98, 60, 3201.4, 1);
    add_cpu("2", 0.25, false);
    expect(&suite_noise, 100, false,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Lost %  Slower %  Core %  Free %   MHz    Max  Preempted  Interrupt  Steal  Not seen\n"
           "   1  0    1.5000    2.9800    98.0    60.0  3201  40.00          -          -      -         -\n"
           "   2  7    0.5000   20.4000    80.0    10.0  3200   8.00          -          -      -         -\n"
           "   3  2    0.2500         -       -       -     -  72.00          -          -      -         -\n"
           "Left out: Loop ns, Detours/s, Blind %, Min, Median, P99, P99.9, Fault, Migrated, Periodic, Shared\n"
           "  (shown with -v, and in the CSV)\n"
           "Quietest: CPU 0; detours took 1.0000 % of its time, sharing its core 2.0000 % of the rest: 2.9800 % slower "
           "in all\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  0     15.0        -    -       -        -\n"
           "   2  7      7.0        -    -       -        -\n"
           "   3  2     23.0        -    -       -        -\n");
}

TEST_WITH(test_pictures_of_noise_on_one_cpu, begin, NULL)
{
    add_cpu("3", 0.5, true);
    expect(&suite_noise, 0, true,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Loop ns  Detours/s  Lost %  Blind %   Min  Median   P99  P99.9   Max  Preempted  Fault  "
           "Migrated  Interrupt  Steal  Periodic  Shared  Not seen\n"
           "   1  3          -          -  0.5000        -  0.50    1.00  4.00   6.00  8.00          -      -         "
           "-          -      -         -       -         -\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  3      7.0        -    -       -        -\n"
           "\n"
           "Lost time  start                                end\n"
           "CPU 3       =+*- +*-= *-=+ -=+* =+*- +*-= *-=+ -=+*\n"
           "lost: ' ' nothing  . less  : 0.0001 %  - 0.001 %  = 0.01 %  + 0.1 %  * 1 %  # 10 %  @ 100 % or more\n"
           "\n"
           "Detours of CPU 3 by length (bars: logarithm of the count)\n"
           "1000 .. 1200 ns 10 |##################################################\n"
           "1200 .. 1400 ns  0 |\n"
           "1400 .. 1600 ns  0 |\n"
           "1600 .. 1800 ns  0 |\n"
           "1800 .. 2000 ns  0 |\n"
           "2000 .. 2200 ns  0 |\n"
           "2200 .. 2400 ns  0 |\n"
           "2400 .. 2600 ns  0 |\n"
           "2600 .. 2800 ns  0 |\n"
           "2800 .. 3000 ns  0 |\n"
           "3000 .. 3200 ns  0 |\n"
           "3200 .. 3400 ns  0 |\n"
           "3400 .. 3600 ns  0 |\n"
           "3600 .. 3800 ns  0 |\n"
           "3800 .. 4000 ns  0 |\n"
           "4000 .. 4200 ns  0 |\n"
           "4200 .. 4400 ns  0 |\n"
           "4400 .. 4600 ns  0 |\n"
           "4600 .. 4800 ns  0 |\n"
           "4800 .. 5000 ns  0 |\n"
           "5000 .. 5200 ns  3 |#####################################\n");
}

/* The quietest is named only where each copy had a CPU of its own, and its loss is known. */
TEST_WITH(test_pictures_of_noise_without_a_quietest, begin, NULL)
{
    add_cpu("3", 0.5, true);
    add_cpu("4", 0.75, true);
    text_copy(rows[0].bind, sizeof(rows[0].bind), "none");
    expect(&suite_noise, 0, false,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Loop ns  Detours/s  Lost %  Blind %   Min  Median    P99  P99.9    Max  Preempted  Fault  "
           "Migrated  Interrupt  Steal  Periodic  Shared  Not seen\n"
           "   1  3          -          -  0.5000        -  0.50    1.00   4.00   6.00   8.00          -      -        "
           " -          -      -         -       -         -\n"
           "   2  4          -          -  0.7500        -  1.25    2.50  10.00  15.00  20.00          -      -        "
           " -          -      -         -       -         -\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  3      7.0        -    -       -        -\n"
           "   2  4     10.0        -    -       -        -\n");
    rows[0].value = rows[3].value = (double)NAN;
    text_copy(rows[0].bind, sizeof(rows[0].bind), "one");
    expect(&suite_noise, 0, false,
           "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %\n"
           "Rank  CPU  Loop ns  Detours/s  Lost %  Blind %   Min  Median    P99  P99.9    Max  Preempted  Fault  "
           "Migrated  Interrupt  Steal  Periodic  Shared  Not seen\n"
           "   1  3          -          -       -        -  0.50    1.00   4.00   6.00   8.00          -      -        "
           " -          -      -         -       -         -\n"
           "   2  4          -          -       -        -  1.25    2.50  10.00  15.00  20.00          -      -        "
           " -          -      -         -       -         -\n"
           "\n"
           "Interrupts a second\n"
           "Rank  CPU  Timer  Resched  IPI  Device  Softirq\n"
           "   1  3      7.0        -    -       -        -\n"
           "   2  4     10.0        -    -       -        -\n");
}

/* The quieter of two CPUs is named; a CPU without detours has no histogram. */
TEST_WITH(test_pictures_of_noise_on_two_cpus, begin, NULL)
{
    struct text out = {0};

    add_cpu("3", 0.5, false);
    add_cpu("4", 0.75, true);
    const struct table_rows all = {.rows = rows, .n = n_rows, .pictures = true, .width = 70};
    suite_noise.print(&all, &out);
    assert_non_null(strstr(out.data, "\nQuietest: CPU 3; detours took 0.5000 % of its time\n"));
    assert_non_null(strstr(out.data, "\nDetours of CPU 4 by length"));
    assert_null(strstr(out.data, "Detours of CPU 3"));
    text_free(&out);
}

/* Each period of a CPU, from its own parameter and no other; rows of the tasks that took the time are no CPU. */
TEST_WITH(test_pictures_of_noise_with_periods, begin, NULL)
{
    static const struct {
        const char *param, *line;
    } cases[] = {
        {"threshold=8x periods=10ms:31us;4.5ms:2.25us", "Periodic: CPU 3 every 10 ms, 31 us; every 4.5 ms, 2.25 us\n"},
        {"periods=4ms:2us x=a;5ms:7us", "Periodic: CPU 3 every 4 ms, 2 us\n"},
        {"periods=4ms:2us;x;5ms:7us", "Periodic: CPU 3 every 4 ms, 2 us\n"},
        {"periods=4ms", ""},
        {"threshold=8x", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[200];
        struct text out = {0};
        (void)begin(state);
        add_cpu("3", 0.5, false);
        add_cpu("4", 0.75, false);
        add_row(9, &(const struct row_words){.suite = "noise", .test = "who", .metric = "taken", .cpus = "5"})
            ->headline = 1;
        rows[0].headline = 0; /* the first row of all begins a CPU in any case */
        set_params(&rows[0], cases[i].param);
        const struct table_rows all = {.rows = rows, .n = n_rows, .width = 70, .table_width = 70};
        suite_noise.print(&all, &out);
        (void)snprintf(expected, sizeof(expected),
                       "\nQuietest: CPU 3; detours took 0.5000 %% of its time\n%s\nInterrupts", cases[i].line);
        if (!strstr(out.data, expected))
            fail_msg("no '%s' in:\n%s", expected, out.data);
        assert_non_null(strstr(out.data, "\n   2  4 "));
        assert_null(strstr(out.data, "\n   3  "));
        text_free(&out);
    }
}

/* By loss, then in the order of the rows; what is not known comes last. */
TEST_WITH(test_pictures_of_noise_in_order, begin, NULL)
{
    static const struct {
        double lost[3];
        const char *order;
    } cases[] = {{{NAN, 0.5, 0.25}, "210"}, {{0.5, NAN, 0.25}, "201"},  {{0.5, 0.25, NAN}, "102"},
                 {{NAN, NAN, 0.25}, "201"}, {{0.25, 0.5, 0.25}, "021"}, {{NAN, NAN, NAN}, "012"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static const char *const cpus[] = {"0", "1", "2"};
        struct text out = {0};
        char order[4] = "";
        (void)begin(state);
        for (size_t cpu = 0; cpu < 3; cpu++)
            add_cpu(cpus[cpu], cases[i].lost[cpu], false);
        const struct table_rows all = {.rows = rows, .n = n_rows, .width = 70, .table_width = 70};
        suite_noise.print(&all, &out);
        const char *first = strstr(out.data, "\n   1  ");
        assert_non_null(first);
        assert_int_equal(sscanf(first, " 1 %c %*[^\n] 2 %c %*[^\n] 3 %c", &order[0], &order[1], &order[2]), 3);
        assert_string_equal(order, cases[i].order);
        text_free(&out);
    }
}

TEST_WITH(test_pictures_of_nothing, begin, NULL)
{
    expect(&suite_noise, 0, true, "");
    expect(&suite_latency, 0, true, "");
    add_other_suite();
    expect(&suite_noise, 0, true, "");
    expect(&suite_latency, 0, true, "");
}

/* --- latency --- */

static struct row *add_latency(const char *test, const char *load, const char *metric, double value, const char *param)
{
    return add_row(value, &(const struct row_words){.suite = "latency",
                                                    .test = test,
                                                    .load = load,
                                                    .param = param,
                                                    .metric = metric,
                                                    .unit = "ns",
                                                    .cpus = "1",
                                                    .policy = "other"});
}

static void add_latencies(const char *param)
{
    struct row *row = add_latency("calibration", "", "loops_per_ms", 123456.6, "");

    row->stats.n = 2;
    row->stats.min = 123000.4;
    row->stats.max = 124000.6;
    text_copy(row->cpus, sizeof(row->cpus), "0-1");
    row->status = ROW_UNSTABLE;
    text_copy(row->reason, sizeof(row->reason), "the frequency changed");
    (void)add_latency("audio", "none", "latency", 2e3, param);
    (void)add_latency("audio", "none", "timer_latency", 9e6, param);
    (void)add_latency("audio", "none", "desired_cpu", 99.5, param);
    (void)add_latency("audio", "burn", "latency", 4e5, param);
    (void)add_latency("audio", "burn", "timer_latency", 1e7, param);
    (void)add_latency("gaming", "memload", "latency", 6e6, "interval_us=100000");
    (void)add_latency("gaming", "memload", "desired_cpu", 88.5, "interval_us=100000");
    (void)add_latency("custom", "a load with a name", "latency", 8e4, "late_after_us=1980");
    (void)add_latency("custom", "a load with a name", "total", 9e4, "late_after_us=1980");
}

TEST_WITH(test_pictures_of_latency, begin, NULL)
{
    add_latencies("interval_us=39000 busy_us=2500");
    expect(&suite_latency, 0, true,
           "Simulated Audio under each load (late: by more than 50 ms, when its buffer is empty)\n"
           "Load  Latency  +/- SD (ms)  Median    P99    Max  % Done  % Late  % Met  Timer  Timer Max  Total  Total "
           "Max\n"
           "none    0.002        0.000   0.001  0.004  0.008    99.5       -      -  4.500     36.000      -        "
           "  -\n"
           "burn    0.400        0.050   0.200  0.800  1.600       -       -      -  5.000     40.000      -        "
           "  -\n"
           "\n"
           "Simulated Gaming under each load (late: by more than 7 ms, which people notice)\n"
           "Load     Latency  +/- SD (ms)  Median     P99     Max  % Done  % Late\n"
           "memload    6.000        0.750   3.000  12.000  24.000    88.5       -\n"
           "\n"
           "Simulated Custom under each load (late: by more than 1.98 ms)\n"
           "Load                Latency  +/- SD (ms)  Median    P99    Max  % Done  % Late  % Met  Timer  Timer Max "
           " Total  Total Max\n"
           "a load with a name    0.080        0.010   0.040  0.160  0.320       -       -      -      -          - "
           " 0.090      0.360\n"
           "Stall: under burn the timer of audio fired up to 40 ms late: Total includes this, Latency does not\n"
           "\n"
           "Calibrated: 123457 loops a millisecond on CPUs 0-1, 123000 to 124001: the frequency changed\n"
           "\n"
           "Latency, log scale  100ns   1us    10us    100us  1ms     10ms   100ms\n"
           "                    +-------+------+-------+------+-------+------+\n"
           "audio   none        .    [--*===|-].       .      .       .      .\n"
           "audio   burn        .       .      .       [-*===|--]     .      .\n"
           "gaming  memload     .       .      .       .      .[--*===|-]    .\n"
           "custom  a load wit  .       .      . [--*===|-]   .       .      .\n"
           "[ minimum  * median  | p99  ] maximum\n");
    expect(&suite_latency, 70, false,
           "Simulated Audio under each load (late: by more than 50 ms, when its buffer is empty)\n"
           "Load  Latency    P99    Max  % Done  % Late  % Met  Total Max\n"
           "none    0.002  0.004  0.008    99.5       -      -          -\n"
           "burn    0.400  0.800  1.600       -       -      -          -\n"
           "Left out: +/- SD (ms), Median, Timer, Timer Max, Total (shown with -v,\n"
           "  and in the CSV)\n"
           "\n"
           "Simulated Gaming under each load (late: by more than 7 ms, which people notice)\n"
           "Load     Latency  +/- SD (ms)  Median     P99     Max  % Done  % Late\n"
           "memload    6.000        0.750   3.000  12.000  24.000    88.5       -\n"
           "\n"
           "Simulated Custom under each load (late: by more than 1.98 ms)\n"
           "Load                Latency    Max  % Done  % Late  % Met  Total Max\n"
           "a load with a name    0.080  0.320       -       -      -      0.360\n"
           "Left out: +/- SD (ms), Median, P99, Timer, Timer Max, Total (shown\n"
           "  with -v, and in the CSV)\n"
           "Stall: under burn the timer of audio fired up to 40 ms late: Total includes this, Latency does not\n"
           "\n"
           "Calibrated: 123457 loops a millisecond on CPUs 0-1, 123000 to 124001: the frequency changed\n");
}

/* In microseconds where a task under a load was real-time; the calibration's policy does not matter. */
TEST_WITH(test_pictures_of_real_time_latency, begin, NULL)
{
    add_latencies("interval_us=40000 busy_us=2500");
    text_copy(rows[0].policy, sizeof(rows[0].policy), "fifo");
    rows[0].status = ROW_OK;
    rows[0].reason[0] = '\0';
    rows[0].stats.n = 1;
    rows[1].status = ROW_FAILED;
    rows[2].stats.max = NAN;
    n_rows = 4;
    expect(&suite_latency, 0, true,
           "Simulated Audio under each load (late: by more than 50 ms, when its buffer is empty)\n"
           "Load  Latency  +/- SD (ms)  Median    P99    Max  % Done  % Late  % Met  Timer  Timer Max  Total  Total "
           "Max\n"
           "none    0.002        0.000   0.001  0.004  0.008    99.5       -      -  4.500          -      -        "
           "  -  failed\n"
           "\n"
           "Calibrated: 123457 loops a millisecond on CPU 0-1\n"
           "\n"
           "Latency, log scale  100ns                  1us                   10us\n"
           "                    +----------------------+---------------------+\n"
           "audio   none        .               [------*============|------] .\n"
           "[ minimum  * median  | p99  ] maximum\n");
    text_copy(rows[3].policy, sizeof(rows[3].policy), "fifo");
    rows[0].status = ROW_SKIPPED;
    expect(&suite_latency, 0, true,
           "Simulated Audio under each load (late: by more than 50 ms, when its buffer is empty)\n"
           "Load  Latency  +/- SD (us)  Median  P99  Max  % Done  % Late  % Met   Timer  Timer Max  Total  Total "
           "Max\n"
           "none      2.0          0.2     1.0  4.0  8.0    99.5       -      -  4500.0          -      -          "
           "-  failed\n"
           "\n"
           "Latency, log scale  100ns                  1us                   10us\n"
           "                    +----------------------+---------------------+\n"
           "audio   none        .               [------*============|------] .\n"
           "[ minimum  * median  | p99  ] maximum\n");
}

TEST_WITH(test_pictures_of_classic_latency, begin, NULL)
{
    add_latencies("interval_us=50000 protocol=classic");
    (void)add_latency("audio", "none", "latency_classic", 3e3, "interval_us=50000 protocol=classic");
    expect(&suite_latency, 0, false,
           "Simulated Audio under each load, counted as Interbench did (metric latency_classic)\n"
           "Load  Latency  +/- SD (ms)  Median    P99  Max Latency  % Desired CPU  % Deadlines Met  Timer  Timer "
           "Max\n"
           "none    0.003        0.000   0.002  0.006        0.012           99.5                -  4.500     "
           "36.000\n"
           "burn        -            -       -      -            -              -                -  5.000     "
           "40.000\n"
           "\n"
           "Simulated Gaming under each load, counted as Interbench did (metric latency_classic)\n"
           "Load     Latency  +/- SD (ms)  Median  P99  Max Latency  % Desired CPU\n"
           "memload        -            -       -    -            -           88.5\n"
           "\n"
           "\n"
           "Calibrated: 123457 loops a millisecond on CPUs 0-1, 123000 to 124001: the frequency changed\n");
    n_rows = 0;
    (void)add_latency("gaming", "none", "latency_classic", 3e3, "");
    text_copy(rows[0].policy, sizeof(rows[0].policy), "fifo");
    expect(&suite_latency, 0, false,
           "Simulated Gaming under each load, counted as Interbench did (metric latency_classic)\n"
           "Load  Latency  +/- SD (us)  Median  P99  Max Latency  % Desired CPU\n"
           "none      3.0          0.4     1.5  6.0         12.0              -\n");
}

/* A calibration, and pairs of which one is skipped. */
TEST_WITH(test_pictures_of_the_plan_of_latency, begin, NULL)
{
    static const struct {
        const struct bench *bench;
        const struct load *load;
        bool skip;
    } items[] = {{&bench_calibrate, NULL, false},
                 {&bench_audio, &load_none, false},
                 {&bench_audio, &load_burn, true},
                 {&bench_video, &load_burn, false}};
    static const char *const expected[] = {"Plan      0 pairs\n",
                                           "Plan      1 pair, 1 sample of 1.5 s each, about 1.9 s\n"
                                           "            audio   under none\n",
                                           "Plan      1 pair, 1 sample of 1.5 s each, about 1.9 s\n"
                                           "            audio   under none (burn)\n",
                                           "Plan      2 pairs, 3 samples of 1.5 s each, about 7.4 s\n"
                                           "            audio   under none (burn)\n"
                                           "            video   under burn\n"};
    const size_t live = allocations_live;
    struct plan plan = {.schedule = SCHEDULE_SEQUENCE};
    static char params[4096];

    for (size_t i = 0; i < 4; i++) {
        struct text out = {0};
        struct plan_item *item = plan_add(&plan, items[i].bench, params);
        item->load = items[i].load;
        item->skip = items[i].skip ? "no right to" : NULL;
        item->sampling = (struct sampling){.time_ns = 1500000000, .min_samples = i == 1 ? 1 : 3};
        suite_latency.announce(NULL, &plan, &out);
        expect_golden(&out, expected[i]);
    }
    plan_free(&plan);
    assert_int_equal(allocations_live, live);
}
