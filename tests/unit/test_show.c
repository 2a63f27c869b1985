/* SPDX-License-Identifier: MIT */
/* The tables of rows that may have come from a file: what is known of the run is only what the rows say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "cmd/cmd.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct row_run run;

static struct row make_row(const char *suite, const char *test, const char *param, const char *metric, uint64_t item)
{
    static double samples[64]; /* by item, which is its own value */
    struct row row = ROW(&run, NAN, .suite = suite, .test = test, .param = param, .metric = metric);
    row.copies = 1;
    row.value = row.stats.mean = row.stats.median = 10.0 * (double)(item ? item : 9);
    row.stats.n = 2;
    row.item = item;
    assert_true(item < COUNT(samples));
    samples[item] = row.value;
    row.samples = &samples[item];
    row.n_samples = 1;
    return row;
}

static bool all_columns;

/* Returns the tables of the rows, whose headlines are marked first. The caller frees the text. */
static char *shown(struct row *rows, size_t n)
{
    const struct show_how how = {.fd = -1, .more = "--samples", .verbose = all_columns};
    struct text out = {0}, warnings = {0};

    for (size_t i = 0; i < n; i++)
        rows[i].number = i;
    metrics_mark_headlines(metrics_table(), rows, n);
    show_rows(rows, n, &how, &out, &warnings);
    assert_false(out.failed);
    text_free(&warnings);
    text_append(&out, "", 0);
    return out.data ? out.data : strdup("");
}

static void assert_in_order(const char *text, const char *const *parts, size_t n)
{
    const char *at = text;

    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("no '%s' behind '%s' in:\n%s", parts[i], i ? parts[i - 1] : "", text);
        at = found + strlen(parts[i]);
    }
}
#define IN_ORDER(text, ...)                                   \
    assert_in_order(text, (const char *const[]){__VA_ARGS__}, \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The row of an index has no place in the plan, and tells nothing of the order. */
TEST(test_show_lists_tests_as_planned)
{
    struct row rows[] = {make_row("unix", "syscall", "", "rate", 2), make_row("unix", "index", "", "index", 0),
                         make_row("unix", "pipe", "", "rate", 1)};
    char *text = shown(rows, 3);

    IN_ORDER(text, "Pipe Throughput", "System Call Overhead");
    free(text);
}

/* Two tests, and the rate of one of them with the core free: twice the rate, and so twice the index. */
TEST(test_show_of_a_shared_core)
{
    struct row rows[] = {make_row("unix", "syscall", "", "rate", 1), make_row("unix", "syscall", "", "rate_alone", 1),
                         make_row("unix", "shell1", "", "rate", 2)};

    rows[0].index = rows[2].index = 100;
    rows[0].headline = rows[2].headline = 1;
    text_copy(rows[0].core_share, sizeof(rows[0].core_share), "0.735");
    text_copy(rows[2].core_share, sizeof(rows[2].core_share), "own");
    rows[1].value = 40;
    rows[0].value = 10;
    char *text = shown(rows, 3);
    IN_ORDER(text, " RESULT           INDEX  RSD %        Alone\n", "System Call Overhead", " 40.0\n",
             "Left out: BASELINE, Core % (shown with -v)\n");
    free(text);
    all_columns = true;
    text = shown(rows, 3);
    IN_ORDER(text, "RSD %  Core %        Alone\n", "System Call Overhead", "     74         40.0\n", "Shell Scripts",
             "    own            -\n", " 100.0\n", "with the core free", " 200.0\n");
    free(text);
    rows[1].value = (double)NAN; /* nobody knows: then there is no index either */
    text = shown(rows, 3);
    IN_ORDER(text, "System Call Overhead", "     74            -\n");
    assert_null(strstr(text, "with the core free"));
    free(text);
    text_copy(rows[1].metric, sizeof(rows[1].metric), "start_spread"); /* nothing was probed */
    text = shown(rows, 3);
    assert_null(strstr(text, "Core %"));
    free(text);
    all_columns = false;
}

TEST(test_show_tells_the_protocol_by_the_rows)
{
    struct row stable[] = {make_row("unix", "context1", "halves=free", "rate", 1)};
    struct row classic[] = {make_row("unix", "context1", "halves=free protocol=classic", "rate", 1)};
    char *text = shown(stable, 1);

    IN_ORDER(text, "1 parallel copy of tests, stable protocol\n", "Context Switching ", " - ");
    free(text);
    text = shown(classic, 1);
    /* It is one of the index there: its baseline is shown. */
    IN_ORDER(text, "1 parallel copy of tests, classic protocol\n", "Context Switching ", "4000.0");
    free(text);
}

TEST(test_show_tells_classic_latency_by_the_rows)
{
    struct row rows[] = {make_row("latency", "audio", "interval_us=50000 protocol=classic", "latency", 1),
                         make_row("latency", "audio", "interval_us=50000 protocol=classic", "latency_classic", 1)};
    char *text = shown(rows, 2);

    IN_ORDER(text, "Simulated Audio under each load, counted as Interbench did (metric latency_classic)\n");
    free(text);
}

/* The command line, unless a name was given; the ratio is to what stood first on the command line. */
TEST(test_show_names_commands_as_they_were_typed)
{
    struct row rows[] = {make_row("run", "sleep", "command=/bin/sleep 1", "wall", 3),
                         make_row("run", "mine", "command=sleep 2", "wall", 2),
                         make_row("run", "sh", "shell=yes command=cd /; sh -c true", "wall", 4),
                         make_row("run", "my prog", "command='./my prog' x", "wall", 1)};
    char *text = shown(rows, 4);

    IN_ORDER(text, "ratio to the first", "\n'./my prog' x ", " 1.000", "\nmine ", " 2.000", "\n/bin/sleep 1 ", " 3.000",
             "\nsh ");
    free(text);
}

TEST(test_show_puts_long_command_lines_below)
{
    static const char line[] = "tar --create --file=/dev/null --exclude='a  b' --verbose /usr/share/doc";
    struct row rows[] = {make_row("run", "true", "command=true", "wall", 2), make_row("run", "tar", "", "wall", 1),
                         make_row("run", "tar", "", "user", 1)};

    row_param_add(&rows[1].param, PARAM_WORK, "warmup", "1");
    row_param_add(&rows[1].param, PARAM_COMMAND, "command", "%s", line);
    rows[2].param = rows[1].param;
    char *text = shown(rows, 3);
    IN_ORDER(text, "\ntar --create ", "\ntrue ", "\nCommand lines in full:\n  ", line, "\n\n");
    free(text);
}

/* A command that is given twice has two lines. */
TEST(test_show_keeps_equal_commands_apart)
{
    struct row rows[] = {make_row("run", "true", "command=true", "wall", 1),
                         make_row("run", "true", "command=true", "wall", 2)};
    char *text = shown(rows, 2);

    IN_ORDER(text, "\ntrue ", " 1.000", "\ntrue ", " 2.000");
    free(text);
}

TEST(test_show_finds_the_clock_in_the_rows)
{
    struct row rows[] = {make_row("prime", "prime", "limit=22 experiments=5 clock=cntvct", "cycles", 1),
                         make_row("prime", "prime", "limit=22 experiments=5 clock=cntvct", "clock_cost", 1)};
    char *text;

    text_copy(rows[1].unit, sizeof(rows[1].unit), "cycles");
    text = shown(rows, 2);
    IN_ORDER(text, "Unit: cycles of cntvct at ", "take 10 cycles");
    free(text);
}

TEST(test_show_unknown_rows_in_a_plain_table)
{
    struct row rows[] = {make_row("tides", "high", "moon=full", "level", 1),
                         make_row("tides", "high", "moon=full", "rise", 1),
                         make_row("prime", "sieve", "limit=5", "cycles", 1)};
    char *text = shown(rows, 2);

    rows[1].value = 1.0 / 3;
    IN_ORDER(text, "Suite tides\nTest ", "Metric ", "\nhigh ", " moon=full ", " level ", "\nhigh ", " rise ");
    free(text);
    text = shown(rows + 1, 1);
    IN_ORDER(text, " rise    0.3333 ");
    free(text);
    /* Its suite is known, but has no table for this test. */
    text = shown(rows + 2, 1);
    IN_ORDER(text, "Suite prime\n", "\nsieve ");
    free(text);
}

TEST(test_show_nothing_of_what_did_not_begin)
{
    struct row rows[] = {make_row("unix", "pipe", "", "rate", 1), make_row("unix", "syscall", "", "rate", 2)};
    char *text;

    for (size_t i = 0; i < 2; i++) {
        rows[i].status = ROW_SKIPPED;
        text_copy(rows[i].reason, sizeof(rows[i].reason), "ended by SIGINT before the first sample");
    }
    text = shown(rows, 2);
    assert_string_equal(text, "");
    free(text);
    text_copy(rows[1].reason, sizeof(rows[1].reason), "no shell here");
    text = shown(rows, 2);
    IN_ORDER(text, "Pipe Throughput", "skipped: no shell here (syscall)\n");
    free(text);
}
