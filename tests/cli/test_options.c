/* SPDX-License-Identifier: MIT */
/* Every option of every command, seen to have its effect, and every way to get a command line wrong. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../refuse.h"
#include "cli.h"
#include "program.h"

/* The shortest measurement there is. */
#define FAST       "-q", "-n", "1000", "-i", "1"
#define FAST_QUICK "stream", "array", "-q", "-n", "1000", "--sizes", "25", "--quick"

/* Runs it in the work folder; it must succeed, say nothing on standard error, and leave one CSV, which is read and
 * removed. */
static void measure(const struct cli *cli, const char *const *args, struct cli_csv *csv)
{
    char names[CLI_FILES][256], path[CLI_PATH];
    struct cli_result result;

    cli_expect_args(cli, args, 0, &result);
    assert_string_equal(result.err, "");
    cli_csv_only(cli->work, csv);
    (void)cli_files(cli->work, names);
    (void)snprintf(path, sizeof(path), "%s/%s", cli->work, names[0]);
    assert_int_equal(unlink(path), 0);
    cli_result_free(&result);
}

/* The value of a column in the first row of cycles. */
static void expect_cell(const struct cli *cli, const char *const *args, const char *column, const char *value)
{
    struct cli_csv csv;

    measure(cli, args, &csv);
    size_t row = cli_row(&csv, NULL, NULL, 0);
    assert_string_equal(cli_cell(&csv, row, column), value);
    cli_csv_free(&csv);
}

/* Returns the number of samples of the first row of cycles. */
static size_t samples_of(const struct cli *cli, const char *const *args)
{
    struct cli_csv csv;

    measure(cli, args, &csv);
    size_t n = cli_items(cli_cell(&csv, cli_row(&csv, NULL, "cycles", 0), "samples"));
    cli_csv_free(&csv);
    return n;
}

/* --- Options of all that measure. --- */

CLI_TEST(test_options_cpus)
{
    const struct cli *cli = *state;
    struct cli_csv csv;

    expect_cell(cli, ARGS("prime", FAST, "--cpus", cli_cpu), "cpus", cli_cpu);
    cli_need_cpus(2);
    expect_cell(cli, ARGS("prime", FAST, "--cpus=1"), "cpus", "1");
    expect_cell(cli, ARGS("prime", FAST, "--cpus", "0-1:2"), "cpus", "0");
    measure(cli, ARGS("prime", FAST, "--cpus", "0-1"), &csv);
    assert_int_equal(cli_count(&csv, "prime", "cycles"), 2);
    const char *a = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "cpus");
    const char *b = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 1), "cpus");
    assert_int_equal(atoi(a) + atoi(b), 1);
    assert_string_not_equal(a, b);
    cli_expect_all(&csv, "copies", "2");
    cli_csv_free(&csv);
}

CLI_TEST(test_options_cpus_all)
{
    struct cli_csv csv;

    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    measure(*state, ARGS("prime", FAST, "--cpus", "all"), &csv);
    assert_int_equal(cli_count(&csv, "prime", "cycles"), sysconf(_SC_NPROCESSORS_ONLN));
    cli_csv_free(&csv);
}

CLI_TEST(test_options_bind)
{
    const struct cli *cli = *state;
    struct cli_csv csv;

    expect_cell(cli, ARGS("prime", FAST), "bind", "one");
    expect_cell(cli, ARGS("prime", FAST, "--bind", "none"), "bind", "none");
    cli_need_cpus(2);
    measure(cli, ARGS("prime", FAST, "--bind", "range", "--cpus", "0-1", "--copies", "1"), &csv);
    cli_expect_all(&csv, "bind", "range");
    cli_expect_all(&csv, "cpus", "0-1");
    cli_csv_free(&csv);
    measure(cli, ARGS("prime", FAST, "--bind=one", "--cpus", "0-1", "--copies", "1"), &csv);
    cli_expect_all(&csv, "bind", "one");
    assert_int_equal(strlen(cli_cell(&csv, 0, "cpus")), 1);
    cli_csv_free(&csv);
}

CLI_TEST(test_options_nice)
{
    expect_cell(*state, ARGS("prime", FAST), "nice", "0");
    expect_cell(*state, ARGS("prime", FAST, "--nice", "5"), "nice", "5");
    expect_cell(*state, ARGS("prime", FAST, "--nice=19"), "nice", "19");
    cli_need_root();
    expect_cell(*state, ARGS("prime", FAST, "--nice", "-20"), "nice", "-20");
}

CLI_TEST(test_options_fifo)
{
    const struct cli *cli = *state;
    struct cli_csv csv;

    expect_cell(cli, ARGS("prime", FAST), "policy", "other");
    cli_need_fifo();
    cli_need_cpus(2);
    measure(cli, ARGS("prime", FAST, "--cpus", "1", "--fifo"), &csv);
    cli_expect_all(&csv, "policy", "fifo");
    cli_expect_all(&csv, "rt_priority", "50");
    cli_expect_all(&csv, "status", "ok");
    cli_csv_free(&csv);
    expect_cell(cli, ARGS("prime", FAST, "--cpus", "1", "--fifo=1"), "rt_priority", "1");
    expect_cell(cli, ARGS("prime", FAST, "--cpus", "1", "--fifo=95"), "rt_priority", "95");
}

CLI_TEST(test_options_samples_and_its_aliases)
{
    static const char *const forms[][3] = {{"--samples", "3"}, {"--passes=3"}, {"-i", "3"}, {"-qi3"}, {"--samp", "3"}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        assert_int_equal(samples_of(*state, ARGS("prime", "-q", "-n", "100", forms[i][0], forms[i][1])), 3);
}

/* Fewer than five samples have no interval, so any precision takes five; none as fine as this is reached before the
 * time is up, which the least number of samples is allowed to outlast. */
CLI_TEST(test_options_precision_and_max_time)
{
    const struct cli *cli = *state;

    assert_int_equal(samples_of(cli, ARGS(FAST_QUICK)), 3);
    assert_true(samples_of(cli, ARGS(FAST_QUICK, "--precision", "100", "--max-time", "10s")) >= 5);
    assert_int_equal(samples_of(cli, ARGS(FAST_QUICK, "--precision", "0.01", "--max-time", "1ms")), 3);
    const uint64_t from = cli_now_ns();
    const size_t n = samples_of(cli, ARGS(FAST_QUICK, "--precision", "0.01%", "--max-time", "0.4s"));
    if (n <= 5 && cli_now_ns() - from < 400000000u)
        fail_msg("%zu samples, although 0.4 s were not over", n);
}

CLI_TEST(test_options_layout)
{
    struct cli_csv csv;

    measure(*state, ARGS("prime", FAST, "--layout", "random"), &csv);
    assert_memory_equal(cli_cell(&csv, 0, "layout"), "random", strlen("random"));
    cli_csv_free(&csv);
    measure(*state, ARGS("prime", FAST, "--layout", "fixed"), &csv);
    const char *layout = cli_cell(&csv, 0, "layout");
    if (strcmp(layout, "fixed")) /* as seccomp may have it */
        assert_string_equal(layout, "random (fixed was refused)");
    cli_csv_free(&csv);
}

CLI_TEST(test_options_output_file)
{
    const struct cli *cli = *state;
    static const char *const forms[][3] = {{"-oa.csv"}, {"--output", "./a.csv"}};
    char path[CLI_PATH];
    struct cli_csv csv;

    (void)snprintf(path, sizeof(path), "%s/a.csv", cli->work);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const struct cli_run run = {.args = ARGS("prime", FAST, forms[i][0], forms[i][1])};
        struct cli_result result;
        cli_expect(cli, &run, 0, &result);
        cli_expect_files(cli->work, 1);
        cli_csv_read(path, &csv);
        assert_int_equal(cli_count(&csv, "prime", "cycles"), 1);
        cli_csv_free(&csv);
        cli_result_free(&result);
        assert_int_equal(unlink(path), 0);
    }
}

CLI_TEST(test_options_output_to_standard_output)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1", "-o", "-")};
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(cli, &run, 0, &result);
    cli_csv_parse(result.out, &csv);
    assert_int_equal(csv.n_rows, cli_metrics(cli, "prime"));
    cli_expect_text(result.err, "Prime loop: all runs together");
    cli_expect_no_text(result.err, "CSV:");
    cli_expect_files(cli->work, 0);
    cli_csv_free(&csv);
    cli_result_free(&result);
}

CLI_TEST(test_options_no_csv)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1", "--no-csv")};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    cli_expect_text(result.out, "Prime loop: all runs together");
    cli_expect_no_text(result.out, "CSV:");
    cli_expect_files(cli->work, 0);
    cli_expect_files(cli->tmp, 0);
    cli_result_free(&result);
}

CLI_TEST(test_options_no_samples)
{
    static const char *const columns[] = {"samples", "hist", "series"};
    struct cli_csv csv;

    for (int without = 0; without < 2; without++) {
        measure(*state, without ? ARGS("prime", FAST, "--no-samples") : ARGS("prime", FAST), &csv);
        for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
            assert_int_equal(!cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), columns[i])[0], without);
        cli_csv_free(&csv);
    }
}

CLI_TEST(test_options_comment)
{
    static const char comment[] = "quiet \"box\", \xc3\xbc\r\nsecond line; =1+1";
    struct cli_csv csv;

    measure(*state, ARGS("prime", FAST, "-m", comment), &csv);
    cli_expect_all(&csv, "comment", "quiet \"box\", \xc3\xbc??second line; =1+1");
    cli_csv_free(&csv);
    measure(*state, ARGS("prime", FAST, "--comment", "x"), &csv);
    cli_expect_all(&csv, "comment", "x");
    cli_csv_free(&csv);
}

static void expect_param(const struct cli *cli, const char *const *args, const char *part)
{
    struct cli_csv csv;

    measure(cli, args, &csv);
    cli_expect_text(cli_cell(&csv, 0, "param"), part);
    cli_csv_free(&csv);
}

CLI_TEST(test_options_quick)
{
    expect_param(*state, ARGS("prime", "-q", "-i", "1"), "experiments=1000000 ");
    expect_param(*state, ARGS("prime", "-q", "-i", "1", "--quick"), "experiments=200000 ");
    expect_param(*state, ARGS("prime", "-q", "-i", "1", "--quick", "-n", "50"), "experiments=50 ");
    expect_param(*state, ARGS("stream", "array", "-q", "-i", "1", "--quick", "--sizes", "25"), "experiments=10000 ");
    expect_param(*state, ARGS("stream", "bandwidth", "-q", "--quick", "--array-size", "64K"), "repetitions=3 ");
}

/* The figures of the method's description. */
CLI_TEST(test_options_classic_sweeps_the_limits)
{
    static const struct {
        const char *limit;
        double divisions, primes;
    } expected[] = {{"limit=10 ", 18, 4},   {"limit=14 ", 42, 6},   {"limit=18 ", 62, 7},   {"limit=22 ", 84, 8},
                    {"limit=26 ", 112, 9},  {"limit=30 ", 144, 10}, {"limit=34 ", 178, 11}, {"limit=38 ", 220, 12},
                    {"limit=42 ", 264, 13}, {"limit=46 ", 310, 14}};
    const size_t n = sizeof(expected) / sizeof(expected[0]);
    bool seen[sizeof(expected) / sizeof(expected[0])] = {false};
    struct cli_csv csv;

    measure(*state, ARGS("prime", "--classic", "--samples", "1", "-q", "-n", "100"), &csv);
    assert_int_equal(cli_count(&csv, "prime", "cycles"), n);
    for (size_t i = 0; i < n; i++) {
        size_t divisions = cli_row(&csv, "prime", "divisions", i), primes = cli_row(&csv, "prime", "primes", i);
        const char *param = cli_cell(&csv, divisions, "param");
        assert_string_equal(cli_cell(&csv, primes, "param"), param);
        for (size_t k = 0; k < n; k++)
            if (!strncmp(param, expected[k].limit, strlen(expected[k].limit))) {
                assert_true(cli_number(&csv, divisions, "value") == expected[k].divisions);
                assert_true(cli_number(&csv, primes, "value") == expected[k].primes);
                seen[k] = true;
            }
    }
    for (size_t k = 0; k < n; k++)
        assert_true(seen[k]);
    cli_csv_free(&csv);
}

/* One copy on each CPU: real-time work always leaves the last CPU free. */
CLI_TEST(test_options_strict)
{
    const struct cli *cli = *state;
    const struct cli_run lax = {.args = ARGS("prime", FAST, "--no-csv", "--cpus", "all", "--fifo")};
    const struct cli_run strict = {.args = ARGS("prime", FAST, "--no-csv", "--cpus", "all", "--fifo", "--strict")};
    const struct cli_run good = {.args = ARGS("prime", FAST, "--no-csv", "--strict")};
    const struct cli_run spread = {.args =
                                       ARGS("prime", FAST, "--no-csv", "-i", "3", "--strict", "--max-rsd", "0.01%")};
    const struct cli_run wide = {.args = ARGS("prime", FAST, "--no-csv", "-i", "3", "--strict", "--max-rsd=1000")};
    struct cli_result result;

    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    cli_expect(cli, &lax, 0, &result);
    cli_expect_text(result.out, "degraded");
    cli_result_free(&result);
    cli_expect(cli, &strict, 3, &result);
    cli_expect_text(result.out, "degraded");
    cli_result_free(&result);
    cli_expect(cli, &good, 0, &result); /* one sample cannot be unstable */
    cli_result_free(&result);
    cli_expect(cli, &spread, 3, &result); /* no three samples are as equal as that */
    cli_result_free(&result);
    cli_expect(cli, &wide, 0, &result);
    cli_result_free(&result);
}

/* What is measured meets a requirement or not, and the exit status says so. */
CLI_TEST(test_options_require)
{
    const struct cli *cli = *state;
    const struct {
        const char *const *args;
        int status;
        const char *shown;
    } cases[] = {
        {ARGS("prime", FAST, "-q", "--no-csv", "--require", "prime/cycles.min>=1", "--require=prime/cycles.n < 1M"), 0,
         "Requirements: 2 passed, 0 failed\n"},
        {ARGS("prime", FAST, "-q", "--no-csv", "--require", "prime/cycles.min<1", "--require=prime/cycles.n<1M"), 4,
         "Requirements: 1 passed, 1 failed\n"},
        {ARGS("prime", FAST, "-q", "--no-csv", "--requirements", "health"), 0, "Requirements: 1 passed, 0 failed\n"},
        {ARGS("prime", FAST, "-q", "--no-csv", "--strict", "--requirements", "health", "--require=prime/cycles<1"), 4,
         "Requirements: 1 passed, 1 failed\n"},
        /* One sample has no interval. */
        {ARGS("prime", FAST, "-q", "--no-csv", "--require", "prime/cycles.ci95_hi<1000000"), 4, "failed: "},
    };
    struct cli_result result;

    cli_write_file(cli->work, "health", "# of this node\nprime/time.median < 1 s # a long time\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cli_run run = {.args = cases[i].args};
        cli_expect(cli, &run, cases[i].status, &result);
        cli_expect_text(result.out, cases[i].shown);
        cli_result_free(&result);
    }
}

/* Names and units are wrong before anything runs. */
CLI_TEST(test_options_require_wrong)
{
    const struct cli *cli = *state;
    static const char nul[] = "prime/cycles<5\0";
    const struct {
        const char *option, *value, *error;
    } cases[] = {
        {"--require", "prim/cycles<5", "--require 'prim/cycles<5': unknown test 'prim'; did you mean 'prime'?"},
        {"--require", "noise/lost<5", "--require 'noise/lost<5': test 'noise' is not measured by this command line"},
        {"--require", "prime/time<5kg", "--require 'prime/time<5kg': 'kg' is no unit of this figure, which is in ns"},
        {"--require", "prime/cycles\x1b[2J", "--require 'prime/cycles?[2J': has no <, <=, > or >="},
        {"--requirements", "none", "--requirements 'none': No such file or directory"},
        {"--requirements", ".", "--requirements '.': Is a directory"},
        {"--requirements", "empty", "--requirements 'empty': there is no requirement in it"},
        {"--requirements", "binary", "--requirements 'binary': it is no text"},
        {"--requirements", "/dev/zero", "--requirements '/dev/zero': it is no text"},
        {"--requirements", "wrong", "--requirements 'wrong': line 2: unknown statistic 'p9'; did you mean 'p90'?"},
    };
    char path[CLI_PATH], line[300];
    struct cli_result result;

    cli_write_file(cli->work, "empty", "\n# nothing\n");
    cli_write_file(cli->work, "wrong", "\nprime/cycles.p9<5\n");
    (void)snprintf(path, sizeof(path), "%s/binary", cli->work);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(nul, 1, sizeof(nul), file), sizeof(nul));
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cli_run run = {.args = ARGS("prime", cases[i].option, cases[i].value)};
        cli_expect(cli, &run, 2, &result);
        (void)snprintf(line, sizeof(line), "jitbench prime: %s\n", cases[i].error);
        assert_string_equal(result.err, line);
        assert_string_equal(result.out, "");
        cli_result_free(&result);
    }
    cli_expect_files(cli->work, 3); /* no CSV was begun */
}

/* A FIFO is read to its end; a signal ends the wait for it. */
CLI_TEST(test_options_requirements_from_a_fifo)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", FAST, "-q", "--no-csv", "--requirements", "fifo")};
    struct cli_child child;
    struct cli_result result;
    char path[CLI_PATH];

    (void)snprintf(path, sizeof(path), "%s/fifo", cli->work);
    assert_int_equal(mkfifo(path, 0600), 0);
    cli_start(cli, &run, &child);
    cli_sleep_ms(300);
    (void)kill(child.pid, SIGTERM);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGTERM);
    assert_string_equal(result.err, "jitbench prime: --requirements 'fifo': ended by a signal\n");
    cli_result_free(&result);
    cli_start(cli, &run, &child);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    cli_sleep_ms(100);
    assert_int_equal(write(fd, "prime/cyc", 9), 9);
    cli_sleep_ms(100);
    assert_int_equal(write(fd, "les>1\n", 6), 6);
    (void)close(fd);
    cli_wait(&child, &result);
    cli_expect_status(&result, 0);
    cli_expect_text(result.out, "Requirements: 1 passed, 0 failed\n");
    cli_result_free(&result);
}

/* Events are in the CSV of each run, in a table on request, and what a filter forbids is said once. */
CLI_TEST(test_options_counters)
{
    const struct cli *cli = *state;
    struct refusal refusals[] = {{.kind = REFUSE_CALL, .number = SYS_perf_event_open, .error = EPERM}, {.kind = 0}};
    const struct cli_run measures[] = {
        {.args = ARGS("prime", FAST, "-q", "--counters", "-o", "own.csv")},
        {.args = ARGS("prime", FAST, "-q", "-o", "refused.csv"), .prepare = refuse, .context = refusals},
    };
    const struct cli_run shows[] = {{.args = ARGS("show", "-q", "--counters", "own.csv")},
                                    {.args = ARGS("show", "-q", "--counters", "refused.csv")}};
    struct cli_result measured, shown;
    struct cli_csv csv;
    char path[CLI_PATH];

    for (size_t i = 0; i < 2; i++) {
        cli_expect(cli, &measures[i], 0, &measured);
        cli_expect(cli, &shows[i], 0, &shown);
        cli_expect_text(shown.out, "Events of all samples together");
        if (i == 0)
            assert_string_equal(measured.out, shown.out);
        else
            cli_expect_text(shown.out, "forbidden (perf_event_paranoid or a filter)");
        (void)snprintf(path, sizeof(path), "%s/%s.csv", cli->work, i ? "refused" : "own");
        cli_csv_read(path, &csv);
        const char *counters = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "counters");
        cli_expect_text(counters, "task_clock_ms=");
        cli_expect_text(counters, ";page_faults=");
        cli_expect_no_text(counters, "cycles=0");
        cli_csv_free(&csv);
        cli_result_free(&measured);
        cli_result_free(&shown);
    }
}

CLI_TEST(test_options_quiet_and_verbose)
{
    const struct cli *cli = *state;
    static const char *const header[] = {"Machine ", "Setting ", "Quiet? ", "CSV: jitbench-"};
    static const char *const forms[] = {"-q", "--quiet", "-v", "--verbose"};

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1", forms[i])};
        struct cli_result result;
        cli_expect(cli, &run, 0, &result);
        cli_expect_text(result.out, "Prime loop: all runs together");
        for (size_t h = 0; h < sizeof(header) / sizeof(header[0]); h++) {
            if (i < 2)
                cli_expect_no_text(result.out, header[h]);
            else
                cli_expect_text(result.out, header[h]);
        }
        if (i < 2)
            cli_expect_no_text(result.out, "Histogram of");
        else
            cli_expect_text(result.out, "Histogram of");
        cli_result_free(&result);
    }
}

/* --- Options of prime. --- */

/* The file holds every experiment: its mean of a run is the CSV's sample. */
CLI_TEST(test_options_series)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-q", "-n", "100", "-i", "2", "-o", "p.csv", "--series", "s")};
    struct cli_result result;
    struct cli_csv csv;
    char path[CLI_PATH];
    double sum[2] = {0, 0};
    unsigned n[2] = {0, 0};
    size_t size;

    cli_expect(cli, &run, 0, &result);
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/s", cli->work);
    char *text = cli_read_file(path, &size), *line = strtok(text, "\n");
    assert_string_equal(line, "limit,run,copy,experiment,ticks");
    while ((line = strtok(NULL, "\n"))) {
        unsigned limit, sample, copy, experiment, ticks;
        assert_int_equal(sscanf(line, "%u,%u,%u,%u,%u", &limit, &sample, &copy, &experiment, &ticks), 5);
        assert_int_equal(limit, 22);
        assert_true(sample < 2);
        assert_int_equal(copy, 0);
        assert_int_equal(experiment, n[sample]++);
        sum[sample] += ticks;
    }
    free(text);
    (void)snprintf(path, sizeof(path), "%s/p.csv", cli->work);
    cli_csv_read(path, &csv);
    char *next, *samples = strdup(cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "samples"));
    assert_non_null(samples);
    next = samples;
    for (unsigned i = 0; i < 2; i++, next++) {
        double mean = strtod(next, &next);
        assert_int_equal(n[i], 100);
        assert_true(fabs(mean - sum[i] / 100) < 1e-6 * mean);
    }
    free(samples);
    cli_csv_free(&csv);
}

/* --- Options of stream. --- */

CLI_TEST(test_options_array_size)
{
    struct cli_csv csv;

    measure(*state, ARGS("stream", "bandwidth", "-q", "-i", "1", "--array-size", "128K"), &csv);
    assert_int_equal(cli_count(&csv, "array", NULL), 0);
    for (size_t row = 0; row < csv.n_rows; row++)
        cli_expect_text(cli_cell(&csv, row, "param"), "array_bytes=131072 ");
    cli_csv_free(&csv);
}

/* The first repetition is not counted. */
CLI_TEST(test_options_repetitions)
{
    static const char *const forms[][3] = {{"-k", "4"}, {"--repetitions=4"}};
    struct cli_csv csv;

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        measure(*state, ARGS("stream", "bandwidth", "-q", "-i", "2", "--array-size", "64K", forms[i][0], forms[i][1]),
                &csv);
        cli_expect_text(cli_cell(&csv, 0, "param"), "repetitions=4 ");
        assert_true(cli_number(&csv, cli_row(&csv, "bandwidth", "triad_time", 0), "n") == 6);
        cli_csv_free(&csv);
    }
}

/* The options of all that measure, on the command that the other tests do not try them on. */
CLI_TEST(test_options_of_stream_together)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("stream", "array", "--sizes", "50", "--experiments", "500", "--passes",
                                             "2", "--cpus", cli_cpu, "--bind", "range", "--copies", "2", "--nice", "1",
                                             "--layout", "fixed", "--precision", "5", "--max-time", "2s", "-m", "c",
                                             "-o", "s.csv", "--series", "s.txt", "-qv", "--quick")};
    struct cli_result result;
    struct cli_csv csv;
    char path[CLI_PATH];
    size_t size;

    cli_expect(cli, &run, 0, &result);
    cli_expect_text(result.out, "Array copy, each run");
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/s.csv", cli->work);
    cli_csv_read(path, &csv);
    assert_int_equal(cli_count(&csv, "array", "cycles"), 2);
    cli_expect_all(&csv, "cpus", cli_cpu);
    cli_expect_all(&csv, "bind", "range");
    cli_expect_all(&csv, "copies", "2");
    cli_expect_all(&csv, "nice", "1");
    cli_expect_all(&csv, "comment", "c");
    assert_true(cli_number(&csv, cli_row(&csv, "array", "cycles", 0), "n") == 1000);
    cli_csv_free(&csv);
    (void)snprintf(path, sizeof(path), "%s/s.txt", cli->work);
    char *text = cli_read_file(path, &size);
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 2 * 2 * 500);
    assert_memory_equal(text, "elements,run,copy,experiment,ticks\n", 35);
    free(text);
}

/* --- list, help, version. --- */

/* Returns the standard output of a command that succeeds, prints nothing on standard error and leaves no file. The
 * caller frees it. */
static char *output_of(const struct cli *cli, const char *const *args)
{
    struct cli_result result;

    cli_expect_args(cli, args, 0, &result);
    assert_string_equal(result.err, "");
    cli_expect_files(cli->work, 0);
    char *out = strdup(result.out);
    assert_non_null(out);
    cli_result_free(&result);
    return out;
}

/* Every metric that a run has rows of is in the list, and the other way round. */
CLI_TEST(test_options_list_metrics_is_what_a_run_has)
{
    const struct cli *cli = *state;
    struct cli_csv csv;
    char *list = output_of(cli, ARGS("list", "--metrics"));

    measure(cli, ARGS("prime", FAST), &csv);
    assert_int_equal(csv.n_rows, cli_metrics(cli, "prime"));
    for (size_t row = 0; row < csv.n_rows; row++) {
        char line[80];
        (void)snprintf(line, sizeof(line), "\n    %s ", cli_cell(&csv, row, "metric"));
        cli_expect_text(list, line);
    }
    cli_csv_free(&csv);
    free(list);
}

/* --- Bad command lines. --- */

struct bad {
    const char *args[8];
    const char *parts[4]; /* what the one line must name: option, value, range */
};

static const struct bad bad_commands[] = {
    {{"prim"}, {"command", "'prim'", "did you mean 'prime'?"}},
    {{"pirme"}, {"command", "'pirme'", "did you mean 'prime'?"}},
    {{"STREAM"}, {"command", "'STREAM'", "did you mean 'stream'?"}},
    {{"steam", "array"}, {"command", "'steam'", "did you mean 'stream'?"}},
    {{"frobnicate"}, {"command", "'frobnicate'", "jitbench help"}},
    {{""}, {"command", "''"}},
    {{"--frobnicate"}, {"option", "'--frobnicate'"}},
    {{"-x"}, {"option", "'-x'"}},
    {{"@worker"}, {"command", "'@worker'"}},
    {{"@worker", "3"}, {"command", "'@worker'"}},
    {{"help", "prim"}, {"command", "'prim'", "did you mean 'prime'?"}},
    {{"help", "prime", "stream"}, {"help", "at most one"}},
    {{"version", "now"}, {"version", "takes no options or operands"}},
    {{"version", "--all"}, {"version", "takes no options or operands"}},
    {{"list", "prime", "unix"}, {"list", "takes at most one"}},
    {{"list", "unit"}, {"unknown suite 'unit'", "did you mean 'unix'?"}},
    {{"latency", "-D", "5"}, {"'-D'", "--time"}},
    {{"latency", "--duration", "5"}, {"'--duration'", "--time"}},
    {{"latency", "-T", "5"}, {"'-T'", "did you mean '-t', --time?"}},
    {{"noise", "--prio", "80"}, {"'--prio'", "--fifo"}},
    {{"noise", "-p80"}, {"'-p'", "--fifo"}},
    {{"run", "-r", "5", "--", "true"}, {"'-r'", "--samples"}},
    {{"run", "-N", "--", "true"}, {"'-N'", "--shell"}},
    {{"run", "--export-json", "x", "--", "true"}, {"'--export-json'", "jitbench export"}},
    {{"run", "--", "sleep 0.01"}, {"'sleep 0.01'", "--shell"}},
    {{"export", "--json", "x"}, {"'--json'", "--format json"}},
    {{"export", "-f", "prometheus", "x"}, {"'prometheus'", "did you mean 'openmetrics'?"}},
    {{"prime", "--fifo=99"}, {"'99'", "1 to 95", "99 the kernel's"}},
    {{"list", "--metrix"}, {"'--metrix'", "did you mean '--metrics'?"}},
    {{"all", "prime"}, {"all", "takes no operands", "'prime'"}},
    {{"all", "--limit", "22"}, {"all", "unknown option", "'--limit'"}},
    {{"prime", "22"}, {"prime", "takes no operands", "'22'"}},
    {{"prime", "--experimnts", "3"}, {"'--experimnts'", "did you mean '--experiments'?"}},
    {{"prime", "--sizes", "25"}, {"unknown option", "'--sizes'"}},
    {{"prime", "-z"}, {"unknown option", "'-z'"}},
    {{"prime", "-limit", "22"}, {"unknown option", "did you mean '--limit'?"}},
    {{"prime", "--s", "3"}, {"'--s'", "--samples", "--strict", "--series"}},
    {{"stream", "arry"}, {"test", "'arry'", "did you mean 'array'?"}},
    {{"stream", "bandwith"}, {"test", "'bandwith'", "did you mean 'bandwidth'?"}},
    {{"stream", "triad"}, {"test", "'triad'"}},
    {{"stream", "array", ""}, {"test", "''"}},
};

static const struct bad bad_common[] = {
    {{"prime", "--cpus", "1-0"}, {"--cpus", "'1-0'", "reversed"}},
    {{"prime", "--cpus", "0,0"}, {"--cpus", "'0,0'", "twice"}},
    {{"prime", "--cpus", "quite"}, {"--cpus", "'quite'", "CPU list"}},
    {{"prime", "--cpus", "8191"}, {"--cpus", "8191", "offline", "online:"}},
    {{"prime", "--cpus", "0,8190-8191"}, {"--cpus", "8190-8191", "offline"}},
    {{"prime", "--cpus", "8192"}, {"--cpus", "'8192'", "8191"}},
    {{"prime", "--bind", "two"}, {"--bind", "'two'", "one, range or none"}},
    {{"prime", "--copies", "0"}, {"--copies", "'0'", "1 to 4096"}},
    {{"prime", "--copies", "4097"}, {"--copies", "'4097'", "1 to 4096"}},
    {{"prime", "--nice", "20"}, {"--nice", "'20'", "-20 to 19"}},
    {{"prime", "--nice", "-21"}, {"--nice", "'-21'", "-20 to 19"}},
    {{"prime", "--fifo=0"}, {"--fifo", "'0'", "1 to 95"}},
    {{"prime", "--fifo=96"}, {"--fifo", "'96'", "1 to 95"}},
    {{"prime", "--fifo=99"}, {"--fifo", "'99'", "1 to 95"}},
    {{"prime", "--samples", "0"}, {"--samples", "'0'", "1 to 1M"}},
    {{"prime", "--samples", "1000001"}, {"--samples", "'1000001'", "1 to 1M"}},
    {{"prime", "--precision", "0"}, {"--precision", "'0'", "0.01 % to 100 %"}},
    {{"prime", "--precision", "101"}, {"--precision", "'101'", "0.01 % to 100 %"}},
    {{"prime", "--max-rsd", "0"}, {"--max-rsd", "'0'", "0.01 % to 1000 %"}},
    {{"prime", "--max-time", "0"}, {"--max-time", "'0'", "1 ms to 168 h"}},
    {{"prime", "--max-time", "169h"}, {"--max-time", "'169h'", "1 ms to 168 h"}},
    {{"prime", "--layout", "sorted"}, {"--layout", "'sorted'", "random or fixed"}},
    {{"prime", "-o", "there"}, {"-o", "'there'", "exists", "never overwrites"}},
    {{"all", "-o", "there"}, {"-o", "'there'", "exists", "never overwrites"}},
    {{"prime", "-o", "/nonexistent/a.csv"}, {"-o", "there is no folder '/nonexistent'"}},
    {{"prime", "-o", "there/a.csv"}, {"-o", "'there/a.csv'", "Not a directory"}},
    {{"prime", "-o", "/"}, {"-o", "'/'", "directory"}},
    {{"prime", "-o", "a.csv", "--no-csv"}, {"--no-csv", "--output", "exclude"}},
    {{"prime", "--no-csv=1"}, {"--no-csv", "takes no value"}},
    {{"prime", "--quick", "--classic"}, {"--quick", "--classic", "exclude"}},
    {{"all", "--quick", "--classic"}, {"--quick", "--classic", "exclude"}},
    {{"prime", "--strict=yes"}, {"--strict", "takes no value"}},
};

static const struct bad bad_own[] = {
    {{"prime", "--limit", "2"}, {"--limit", "'2'", "3 to 100K"}},
    {{"prime", "--limit", "100001"}, {"--limit", "'100001'", "3 to 100K"}},
    {{"prime", "--limit", "3:1003:1"}, {"--limit", "1,000"}},
    {{"prime", "-n", "0"}, {"--experiments", "'0'", "1 to 1T"}},
    {{"prime", "-n", "2T"}, {"--experiments", "'2T'", "1 to 1T"}},
    {{"prime", "--series", "there"}, {"--series", "'there'", "exists", "never overwrites"}},
    {{"prime", "--series", "/nonexistent/s"}, {"--series", "'/nonexistent/s'", "No such file"}},
    {{"prime", "--series", "s", "-o", "there"}, {"-o", "'there'", "exists"}},
    {{"prime", "--series", "s", "--cpus", "8191"}, {"--cpus", "8191"}},
    {{"stream", "--sizes", "0"}, {"--sizes", "'0'", "1 to 1048576"}},
    {{"stream", "--sizes", "1048577"}, {"--sizes", "'1048577'", "1 to 1048576"}},
    {{"stream", "-n", "0"}, {"--experiments", "'0'", "1 to 1T"}},
    {{"stream", "--array-size", "1K"}, {"--array-size", "'1K'", "4 KiB"}},
    {{"stream", "--array-size", "900T"}, {"--array-size", "memory"}},
    {{"stream", "-k", "1"}, {"--repetitions", "'1'", "2 to 200"}},
    {{"stream", "-k", "201"}, {"--repetitions", "'201'", "2 to 200"}},
    {{"unix", "-c", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33"},
     {"--copies", "more than 32 numbers"}},
};

/* The file "there" is no CSV that has them. */
static const struct bad bad_latency[] = {
    {{"latency", "custom", "-C", "10"}, {"--custom-interval (-I)", "missing", "100 us to 10 s"}},
    {{"latency", "custom", "-I", "5000"}, {"--custom-cpu (-C)", "missing", "0.1 to 100"}},
    {{"latency", "custom", "-C", "101", "-I", "5000"}, {"--custom-cpu", "'101'", "0.1 % to 100 %"}},
    {{"latency", "custom", "-C", "0", "-I", "5000"}, {"--custom-cpu", "'0'", "0.1 % to 100 %"}},
    {{"latency", "custom", "-C", "10", "-I", "99"}, {"--custom-interval", "'99'", "100 us to 10 s"}},
    {{"latency", "custom", "-C", "10", "-I", "11s"}, {"--custom-interval", "'11s'", "100 us to 10 s"}},
    {{"latency", "-t", "9ms"}, {"--time", "'9ms'", "10 ms to 24 h"}},
    {{"latency", "vidoe"}, {"test", "'vidoe'", "did you mean 'video'?"}},
    {{"latency", "burn"}, {"test", "'burn'"}},
    {{"latency", "-W", "audoi"}, {"--task", "'audoi'", "did you mean 'audio'?"}},
    {{"latency", "--load", "brun"}, {"--load", "'brun'", "did you mean 'burn'?"}},
    {{"latency", "-w", "none,audio"}, {"--load", "'audio'"}},
    {{"latency", "-L", "0"}, {"--load-cpus", "'0'", "1 to 4096"}},
    {{"latency", "-N", "20"}, {"--load-nice", "'20'", "-20 to 19"}},
    {{"latency", "-B", "-21"}, {"--nice", "'-21'", "-20 to 19"}},
    {{"latency", "-l", "0"}, {"--loops-per-ms", "'0'", "100 to 1000000000"}},
    {{"latency", "-l", "99"}, {"--loops-per-ms", "'99'", "100 to 1000000000"}},
    {{"latency", "-l", "nan"}, {"--loops-per-ms", "nan", "No such file"}},
    {{"latency", "-l", "nofile.csv"}, {"--loops-per-ms", "nofile.csv", "No such file"}},
    {{"latency", "-l", "there"}, {"--loops-per-ms", "'there'", "loops_per_ms"}},
    {{"latency", "-l", "1000", "-b"}, {"--calibrate (-b)", "--loops-per-ms (-l)", "exclude"}},
    {{"unix", "context1", "--pairs", "far"}, {"--pairs", "context1-two", "not among the tests"}},
    {{"unix", "context1-two", "--pairs", "near,wide"}, {"--pairs", "'wide'", "near, far or halves"}},
    {{"latency", "-C", "20"}, {"--custom-interval (-I)", "--custom-cpu (-C)", "together"}},
    {{"latency", "-I", "1000"}, {"--custom-interval (-I)", "--custom-cpu (-C)", "together"}},
    {{"latency", "-W", "audio", "-X", "audio"}, {"--exclude-task (-X)", "no task"}},
    {{"latency", "-w", "burn", "-x", "burn"}, {"--exclude-load (-x)", "no load"}},
    {{"latency", "video", "-w", "video"}, {"--task", "--load", "no pair"}},
    {{"latency", "--quick", "--classic"}, {"--quick", "--classic", "exclude"}},
    {{"latency", "-c", "-o", "a.csv"}, {"--no-csv", "--output", "exclude"}},
    {{"latency", "--file-size", "1M"}, {"--file-size", "'1M'", "8 MiB to 16 TiB"}},
    {{"latency", "--memload-size", "1M"}, {"--memload-size", "'1M'", "16 MiB to 1 PiB"}},
    {{"latency", "--hack-groups", "0"}, {"--hack-groups", "'0'", "1 to 1K"}},
    {{"latency", "--copies", "2"}, {"unknown option", "'--copies'"}},
};

/* Exit 2, one line on standard error that names what is wrong, nothing on standard output, no file. All of the table's
 * lines are tried before the test fails. */
static void expect_bad(const struct cli *cli, const struct bad *table, size_t n)
{
    char names[CLI_FILES][256];
    unsigned wrong = 0;

    cli_write_file(cli->work, "there", "mine\n");
    for (size_t i = 0; i < n; i++) {
        const struct bad *bad = &table[i];
        const struct cli_run run = {.args = bad->args};
        struct cli_child child;
        struct cli_result result;
        if (!bad->parts[0])
            continue;
        cli_start(cli, &run, &child);
        cli_wait(&child, &result);
        const char *end = strchr(result.err, '\n');
        bool good = result.status == 2 && !result.out_size && !strncmp(result.err, "jitbench", 8) && end && !end[1];
        for (size_t p = 0; p < 4 && bad->parts[p]; p++)
            good = good && strstr(result.err, bad->parts[p]);
        size_t files = cli_files(cli->work, names) + cli_files(cli->tmp, names);
        if (!good || files != 1) {
            wrong++;
            print_error("%s %s %s %s %s: exit %d, %zu bytes on stdout, %zu files besides, stderr: %s\n", bad->args[0],
                        bad->args[1] ? bad->args[1] : "", bad->args[1] && bad->args[2] ? bad->args[2] : "",
                        bad->args[1] && bad->args[2] && bad->args[3] ? bad->args[3] : "",
                        bad->args[1] && bad->args[2] && bad->args[3] && bad->args[4] ? bad->args[4] : "", result.status,
                        result.out_size, files - 1, result.err);
        }
        for (size_t f = cli_files(cli->work, names); f > 0; f--) {
            char path[CLI_PATH];
            (void)snprintf(path, sizeof(path), "%s/%s", cli->work, names[f - 1]);
            if (strcmp(names[f - 1], "there"))
                (void)unlink(path);
        }
        cli_result_free(&result);
    }
    assert_int_equal(wrong, 0);
}

CLI_TEST(test_options_bad_commands)
{
    expect_bad(*state, bad_commands, sizeof(bad_commands) / sizeof(bad_commands[0]));
}

CLI_TEST(test_options_bad_values_of_common_options)
{
    expect_bad(*state, bad_common, sizeof(bad_common) / sizeof(bad_common[0]));
}

CLI_TEST(test_options_bad_values_of_own_options)
{
    expect_bad(*state, bad_own, sizeof(bad_own) / sizeof(bad_own[0]));
}

CLI_TEST(test_options_bad_values_of_latency)
{
    expect_bad(*state, bad_latency, sizeof(bad_latency) / sizeof(bad_latency[0]));
}

CLI_TEST(test_options_output_never_overwrites)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", FAST, "-o", "there")};
    struct cli_result result;
    char path[CLI_PATH];
    size_t size;

    cli_write_file(cli->work, "there", "mine\n");
    cli_expect(cli, &run, 2, &result);
    (void)snprintf(path, sizeof(path), "%s/there", cli->work);
    char *text = cli_read_file(path, &size);
    assert_string_equal(text, "mine\n");
    free(text);
    cli_result_free(&result);
}

/* A value of any length and with any bytes still makes one line that can be read. */
/* --force replaces a plain file, and does not go through a link to one. */
CLI_TEST(test_options_force_replaces_a_file)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1", "-q", "-o", "old.csv", "--force")};
    const struct cli_run link = {.args = ARGS("prime", "-n", "1000", "-i", "1", "-q", "-o", "link", "--force")};
    struct cli_child child;
    struct cli_result result;
    char path[CLI_PATH], *content;
    size_t size;

    cli_write_file(cli->work, "old.csv", "mine\n");
    cli_expect(cli, &run, 0, &result);
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/old.csv", cli->work);
    content = cli_read_file(path, &size);
    assert_int_equal(strncmp(content, "schema,", 7), 0);
    free(content);
    cli_write_file(cli->work, "target", "mine\n");
    (void)snprintf(path, sizeof(path), "%s/link", cli->work);
    assert_int_equal(symlink("target", path), 0);
    cli_start(cli, &link, &child);
    cli_wait(&child, &result);
    assert_int_equal(result.status, 2);
    cli_expect_text(result.err, "a symbolic link");
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/target", cli->work);
    content = cli_read_file(path, &size);
    assert_string_equal(content, "mine\n");
    free(content);
}

/* On a terminal, unless told otherwise: the status of a row that is not ok. */
CLI_TEST(test_options_color)
{
    static const struct {
        const char *const args[4];
        bool terminal, colored;
    } cases[] = {
        {{"check", "--color", "always", NULL}, false, true},
        {{"check", NULL}, false, false},
        {{"check", NULL}, true, true},
        {{"check", "--color", "never", NULL}, true, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cli_run run = {.args = cases[i].args,
                                    .out = cases[i].terminal ? CLI_TERMINAL : CLI_DEFAULT,
                                    .columns = 100,
                                    .env = ARGS("PATH=/bin:/usr/bin", "TERM=xterm")};
        struct cli_child child;
        struct cli_result result;
        cli_start(*state, &run, &child);
        cli_wait(&child, &result);
        const char *shown = cases[i].terminal ? result.terminal : result.out;
        assert_int_equal(strstr(shown, "\033[33mnoisy\033[0m") != NULL, cases[i].colored);
        cli_result_free(&result);
    }
}

CLI_TEST(test_options_bad_value_of_any_length)
{
    const struct cli *cli = *state;
    static char value[100001];
    struct cli_result result;

    memset(value, '\n', sizeof(value) - 1);
    value[0] = '1';
    for (unsigned i = 0; i < 2; i++) {
        const struct cli_run run = {.args = i ? ARGS("prime", "--comment", value) : ARGS("prime", "--samples", value)};
        cli_expect(cli, &run, 2, &result);
        assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
        assert_true(strlen(result.err) < 300);
        cli_result_free(&result);
    }
    cli_expect_files(cli->work, 0);
}

/* --- Printing that fails. --- */

CLI_TEST(test_options_what_only_prints_says_when_it_cannot)
{
    static const struct {
        const char *args[3], *name;
    } all[] = {{{"help"}, "help"},          {{"--help"}, "help"},
               {{"help", "run"}, "help"},   {{"list"}, "list"},
               {{"list", "-h"}, "list"},    {{"version"}, "version"},
               {{"--version"}, "version"},  {{"completion", "bash"}, "completion"},
               {{"prime", "-h"}, "prime"},  {{"all", "--help"}, "all"},
               {{"fleet", "-h"}, "fleet"},  {{"compare", "-h"}, "compare"},
               {{"init", "-h"}, "init"},    {{"tune", "-h"}, "tune"},
               {{"check", "-h"}, "check"},  {{"version", "-h"}, "help"},
               {{"report", "-h"}, "report"}};
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct cli_result result;
    char line[128];
    int ends[2];

    if (full < 0)
        cli_skip("no /dev/full");
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int closed = 0; closed < 3; closed++) {
            const struct cli_run run = {.args = all[i].args, .out = closed == 2 ? ends[1] : closed ? CLI_CLOSED : full};
            cli_expect(*state, &run, closed == 2 ? 0 : 1, &result);
            (void)snprintf(line, sizeof(line), "jitbench %s: standard output cannot be written: %s\n", all[i].name,
                           strerror(closed ? EBADF : ENOSPC));
            assert_string_equal(result.err, closed == 2 ? "" : line);
            cli_result_free(&result);
        }
    (void)close(full);
    (void)close(ends[1]);
}

/* Also for values outside of options: names of commands, tests, settings or files, and times. */
CLI_TEST(test_options_errors_are_one_printable_line)
{
    const struct cli *cli = *state;
    const char *const *const cases[] = {
        ARGS("no\ncommand"),
        ARGS("prime", "x\n\033[2J"),
        ARGS("prime", "--start-at", "a\nb"),
        ARGS("prime", "-o", "no\n/x.csv"),
        ARGS("prime", "-o", "%\n"),
        ARGS("tune", "a\nb"),
        ARGS("list", "a\nb"),
        ARGS("compare", "no\n.csv", "no\r.csv"),
        ARGS("export", "no\n.csv"),
        ARGS("show", "no\n.csv"),
        ARGS("help", "no\ncommand"),
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cli_run run = {.args = cases[i]};
        struct cli_result result;
        cli_expect(cli, &run, 2, &result);
        const size_t length = strlen(result.err);
        assert_true(length > 1 && result.err[length - 1] == '\n');
        for (size_t c = 0; c + 1 < length; c++)
            if ((unsigned char)result.err[c] < ' ' || result.err[c] == 0x7f)
                fail_msg("case %zu: '%s'", i, result.err);
        cli_result_free(&result);
    }
    cli_expect_files(cli->work, 0);
}
