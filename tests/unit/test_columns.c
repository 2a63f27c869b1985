/* SPDX-License-Identifier: MIT */
/* Tables of the suites, printed from rows whose figures are all different. Checks that each column shows the figure
 * that its heading names. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "cmd/cmd.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum figure { VALUE, MEAN, SD, HALF, MIN, MEDIAN, P99, P999, MAX, SAMPLE };

/* The expected content of a column: the figure of the metric times scale, with so many decimals. */
struct column {
    const char *heading, *metric;
    enum figure figure;
    unsigned decimals;
    double scale;
};

enum { METRICS_MAX = 32 };
static const struct row_run run = {.host = "here"};
static struct row rows[METRICS_MAX];
static size_t n_rows;

static double made_up(size_t metric, enum figure figure)
{
    return 1e6 * (double)(metric + 1) + 5e4 * (double)figure;
}

static void add_row(const char *suite, const char *test, const char *metric, const char *param)
{
    struct row *row = &rows[n_rows];

    assert_true(n_rows < METRICS_MAX);
    row_init(row, &run);
    (void)snprintf(row->suite, sizeof(row->suite), "%s", suite);
    (void)snprintf(row->test, sizeof(row->test), "%s", test);
    (void)snprintf(row->metric, sizeof(row->metric), "%s", metric);
    set_params(row, param);
    (void)snprintf(row->cpus, sizeof(row->cpus), "1");
    (void)snprintf(row->load, sizeof(row->load), "none");
    row->item = row->copies = 1;
    row->headline = n_rows == 0;
    row->number = n_rows;
    row->value = made_up(n_rows, VALUE);
    row->stats = (struct stats_summary){.n = 7,
                                        .mean = made_up(n_rows, MEAN),
                                        .sd = made_up(n_rows, SD),
                                        .ci95_lo = 0,
                                        .ci95_hi = 2 * made_up(n_rows, HALF),
                                        .min = made_up(n_rows, MIN),
                                        .median = made_up(n_rows, MEDIAN),
                                        .p99 = made_up(n_rows, P99),
                                        .p999 = made_up(n_rows, P999),
                                        .max = made_up(n_rows, MAX)};
    row->samples = malloc(sizeof(*row->samples));
    assert_non_null(row->samples);
    row->samples[row->n_samples++] = made_up(n_rows++, SAMPLE);
}

/* A row of each metric that the columns name, of which the first is the headline. */
static void add_rows(const char *suite, const char *test, const char *param, const struct column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < n_rows; k++)
            known = known || !strcmp(rows[k].metric, columns[i].metric);
        if (!known)
            add_row(suite, test, columns[i].metric, param);
    }
}

static size_t metric_number(const char *metric)
{
    size_t i = 0;

    while (i < n_rows && strcmp(rows[i].metric, metric) != 0)
        i++;
    assert_true(i < n_rows);
    return i;
}

static int free_rows(void **state)
{
    for (size_t i = 0; i < n_rows; i++)
        row_free(&rows[i]);
    n_rows = 0;
    return 0;
}

/* Copies the next cell of a line; cells are separated by two blanks or more. "" at the end of the line. Returns what
 * follows the cell. */
static const char *next_cell(const char *line, char *cell, size_t size)
{
    size_t length = 0;

    line += strspn(line, " ");
    while (line[length] && line[length] != '\n' && strncmp(line + length, "  ", 2) != 0)
        length++;
    (void)snprintf(cell, size, "%.*s", (int)length, line);
    return line + length;
}

static const char *find_line(const char *text, const char *word)
{
    const char *found = strstr(text, word);

    if (!found)
        fail_msg("no '%s' in:\n%s", word, text);
    while (found > text && found[-1] != '\n')
        found--;
    return found;
}

/* Finds the column by its heading in the table with that title, and compares the figure below. */
static void assert_column(const char *table, const char *title, const struct column *column)
{
    char heading[64] = "", cell[64];
    const char *headings = strchr(find_line(table, title), '\n') + 1, *figures = strchr(headings, '\n') + 1;
    const double expected = made_up(metric_number(column->metric), column->figure) * column->scale;

    while (strcmp(heading, column->heading) != 0) {
        headings = next_cell(headings, heading, sizeof(heading));
        figures = next_cell(figures, cell, sizeof(cell));
        if (!heading[0])
            fail_msg("no column '%s' in:\n%s", column->heading, table);
    }
    if (!(fabs(strtod(cell, NULL) - expected) <= 0.51 * pow(10, -(double)column->decimals)))
        fail_msg("'%s' of %s is %s, not %g, in:\n%s", column->heading, column->metric, cell, expected, table);
}

static void assert_columns(const struct suite *suite, bool verbose, const char *title, const struct column *columns,
                           size_t n)
{
    const struct table_rows r = {.rows = rows, .n = n_rows, .verbose = verbose, .width = 100};
    struct text out = {0};

    suite->print(&r, &out);
    assert_false(out.failed);
    for (size_t i = 0; i < n; i++)
        assert_column(out.data, title, &columns[i]);
    text_free(&out);
}

TEST_WITH(test_columns_of_run, NULL, free_rows)
{
    static const struct column table[] = {
        {"Mean", "wall", MEAN, 3, 1},     {"+-95%", "wall", HALF, 3, 1},
        {"SD", "wall", SD, 3, 1},         {"Median", "wall", MEDIAN, 3, 1},
        {"Min", "wall", MIN, 3, 1},       {"Max", "wall", MAX, 3, 1},
        {"User", "user", MEAN, 3, 1},     {"System", "system", MEAN, 3, 1},
        {"Exit", "exit_code", MAX, 0, 1}, {"Peak MiB", "max_rss", VALUE, 1, 1.0 / (1 << 20)},
    };
    static const struct column each[] = {
        {"Wall", "wall", SAMPLE, 3, 1},      {"User", "user", SAMPLE, 3, 1},
        {"System", "system", SAMPLE, 3, 1},  {"Peak MiB", "max_rss", SAMPLE, 1, 1.0 / (1 << 20)},
        {"Exit", "exit_code", SAMPLE, 0, 1},
    };

    add_rows("run", "true", "command=true", table, COUNT(table));
    assert_columns(&suite_run, true, "Commands, from exec to end", table, COUNT(table));
    assert_columns(&suite_run, true, "Each run", each, COUNT(each));
}

TEST_WITH(test_columns_of_noise, NULL, free_rows)
{
    static const struct column detours[] = {
        {"Lost %", "lost", VALUE, 4, 1},
        {"Loop ns", "loop", VALUE, 1, 1},
        {"Detours/s", "detours", VALUE, 1, 1},
        {"Blind %", "blind", VALUE, 2, 1},
        {"Min", "detour", MIN, 2, 1e-3},
        {"Median", "detour", MEDIAN, 2, 1e-3},
        {"P99", "detour", P99, 2, 1e-3},
        {"P99.9", "detour", P999, 2, 1e-3},
        {"Max", "detour", MAX, 2, 1e-3},
        {"Preempted", "lost_preempted", VALUE, 4, 1},
        {"Fault", "lost_fault", VALUE, 4, 1},
        {"Migrated", "lost_migrated", VALUE, 4, 1},
        {"Interrupt", "lost_interrupt", VALUE, 4, 1},
        {"Steal", "lost_steal", VALUE, 4, 1},
        {"Not seen", "lost_unexplained", VALUE, 4, 1},
        {"Slower %", "slower", VALUE, 4, 1},
        {"Core %", "core_share", VALUE, 1, 1},
        {"Free %", "core_free", VALUE, 1, 1},
        {"MHz", "core_mhz", VALUE, 0, 1},
    };
    static const struct column counts[] = {
        {"Timer", "count_timer", VALUE, 1, 1},     {"Resched", "count_resched", VALUE, 1, 1},
        {"IPI", "count_ipi", VALUE, 1, 1},         {"Device", "count_device", VALUE, 1, 1},
        {"Softirq", "count_softirq", VALUE, 1, 1},
    };

    add_rows("noise", "noise", "threshold=8x", detours, COUNT(detours));
    add_rows("noise", "noise", "threshold=8x", counts, COUNT(counts));
    assert_columns(&suite_noise, false, "Noise, the quietest CPU first", detours, COUNT(detours));
    assert_columns(&suite_noise, true, "Interrupts a second", counts, COUNT(counts));
}

TEST_WITH(test_columns_of_prime, NULL, free_rows)
{
    static const struct column all[] = {
        {"Median", "cycles", MEDIAN, 1, 1}, {"ns", "time", MEDIAN, 1, 1},     {"Mean", "cycles", MEAN, 2, 1},
        {"+-95%", "cycles", HALF, 2, 1},    {"SD", "cycles", SD, 1, 1},       {"+-90%run", "cycles_ci90", VALUE, 3, 1},
        {"Min", "cycles", MIN, 0, 1},       {"P99", "cycles", P99, 0, 1},     {"P99.9", "cycles", P999, 0, 1},
        {"Max", "cycles", MAX, 0, 1},       {"Max us", "time", MAX, 1, 1e-3}, {"Divisions", "divisions", VALUE, 0, 1},
        {"Primes", "primes", VALUE, 0, 1},
    };
    static const struct column share[] = {
        {">400 mean", "delayed_400", VALUE, 3, 1},
        {">2000 mean", "delayed_2000", VALUE, 3, 1},
        {">400 median", "delayed_400_median", VALUE, 3, 1},
        {">2000 median", "delayed_2000_median", VALUE, 3, 1},
    };
    static const struct column each[] = {
        {"Mean", "cycles", SAMPLE, 2, 1},     {"SD", "cycles_sd", SAMPLE, 1, 1},
        {"CountA", "delays_a", SAMPLE, 0, 1}, {"SizeA", "delays_a_size", SAMPLE, 0, 1},
        {"CountB", "delays_b", SAMPLE, 0, 1}, {"SizeB", "delays_b_size", SAMPLE, 0, 1},
        {"CountC", "delays_c", SAMPLE, 0, 1}, {"SizeC", "delays_c_size", SAMPLE, 0, 1},
        {"CountD", "delays_d", SAMPLE, 0, 1}, {"SizeD", "delays_d_size", SAMPLE, 0, 1},
    };
    const char param[] = "limit=22 experiments=1000 clock=rdtsc";

    add_rows("prime", "prime", param, all, COUNT(all));
    add_rows("prime", "prime", param, share, COUNT(share));
    assert_columns(&suite_prime, false, "all runs together", all, COUNT(all));
    assert_columns(&suite_prime, true, "Time lost, in %, in delays", share, COUNT(share));
    (void)free_rows(state);
    add_rows("prime", "prime", param, each, COUNT(each));
    assert_columns(&suite_prime, true, "each run", each, COUNT(each));
}

/* Times in ns, shown in ms or us. */
TEST_WITH(test_columns_of_latency, NULL, free_rows)
{
    static const struct column table[] = {
        {"Latency", "latency", MEAN, 3, 1e-6},
        {"+/- SD (ms)", "latency", SD, 3, 1e-6},
        {"Median", "latency", MEDIAN, 3, 1e-6},
        {"P99", "latency", P99, 3, 1e-6},
        {"Max", "latency", MAX, 3, 1e-6},
        {"% Done", "desired_cpu", VALUE, 1, 1},
        {"% Late", "late", VALUE, 1, 1},
        {"% Met", "deadlines_met", VALUE, 1, 1},
        {"Timer", "timer_latency", MEDIAN, 3, 1e-6},
        {"Timer Max", "timer_latency", MAX, 3, 1e-6},
        {"Total", "total", MEAN, 3, 1e-6},
        {"Total Max", "total", MAX, 3, 1e-6},
    };
    static const struct column classic[] = {
        {"Latency", "latency_classic", MEAN, 3, 1e-6},     {"+/- SD (ms)", "latency_classic", SD, 3, 1e-6},
        {"Median", "latency_classic", MEDIAN, 3, 1e-6},    {"P99", "latency_classic", P99, 3, 1e-6},
        {"Max Latency", "latency_classic", MAX, 3, 1e-6},  {"% Desired CPU", "desired_cpu", VALUE, 1, 1},
        {"% Deadlines Met", "deadlines_met", VALUE, 1, 1}, {"Timer", "timer_latency", MEDIAN, 3, 1e-6},
        {"Timer Max", "timer_latency", MAX, 3, 1e-6},
    };

    add_rows("latency", "audio", "interval_us=50000 busy_us=2500", table, COUNT(table));
    assert_columns(&suite_latency, true, "Simulated", table, COUNT(table));
    (void)free_rows(state);
    add_rows("latency", "audio", "interval_us=50000 busy_us=2500 protocol=classic", classic, COUNT(classic));
    assert_columns(&suite_latency, false, "counted as Interbench did", classic, COUNT(classic));
}
