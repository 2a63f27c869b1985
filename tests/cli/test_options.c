/* SPDX-License-Identifier: MIT */
/* Every option of every command, seen to have its effect, and every way to get a command line wrong. */

#include "../refuse.h"
#include "cli.h"
#include "program.h"

/* The shortest measurement there is. */
#define FAST       "-q", "-n", "1000", "-i", "1"
#define FAST_QUICK "stream", "array", "-q", "-n", "1000", "--sizes", "25", "--quick"

/* Runs it in the work folder; it must succeed, say nothing on standard error, and leave one CSV, which is read and
 * removed. */
static void measure(const char *const *args, struct cli_csv *csv)
{
    char names[CLI_FILES][256];
    struct cli_result result;

    cli_expect_args(args, 0, &result);
    assert_string_equal(result.err, "");
    cli_csv_only(cli->work, csv);
    (void)cli_files(cli->work, names);
    assert_int_equal(unlink(cli_path("%s/%s", cli->work, names[0])), 0);
}

/* The value of a column in the first row of cycles. */
static void expect_cell(const char *const *args, const char *column, const char *value)
{
    struct cli_csv csv;

    measure(args, &csv);
    size_t row = cli_row(&csv, NULL, NULL, 0);
    assert_string_equal(cli_cell(&csv, row, column), value);
}

/* Returns the number of samples of the first row of cycles. */
static size_t samples_of(const char *const *args)
{
    struct cli_csv csv;

    measure(args, &csv);
    size_t n = cli_items(cli_cell(&csv, cli_row(&csv, NULL, "cycles", 0), "samples"));
    return n;
}

/* --- Options of all that measure. --- */

CLI_TEST(test_options_cpus)
{
    struct cli_csv csv;

    expect_cell(ARGS("prime", FAST, "--cpus", cli_cpu), "cpus", cli_cpu);
    cli_need_cpus(2);
    expect_cell(ARGS("prime", FAST, "--cpus=1"), "cpus", "1");
    expect_cell(ARGS("prime", FAST, "--cpus", "0-1:2"), "cpus", "0");
    measure(ARGS("prime", FAST, "--cpus", "0-1"), &csv);
    assert_int_equal(cli_count(&csv, "prime", "cycles"), 2);
    const char *a = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "cpus");
    const char *b = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 1), "cpus");
    assert_int_equal(atoi(a) + atoi(b), 1);
    assert_string_not_equal(a, b);
    cli_expect_all(&csv, "copies", "2");
}

CLI_TEST(test_options_cpus_all)
{
    struct cli_csv csv;

    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    measure(ARGS("prime", FAST, "--cpus", "all"), &csv);
    assert_int_equal(cli_count(&csv, "prime", "cycles"), sysconf(_SC_NPROCESSORS_ONLN));
}

CLI_TEST(test_options_bind)
{
    struct cli_csv csv;

    expect_cell(ARGS("prime", FAST), "bind", "one");
    expect_cell(ARGS("prime", FAST, "--bind", "none"), "bind", "none");
    cli_need_cpus(2);
    measure(ARGS("prime", FAST, "--bind", "range", "--cpus", "0-1", "--copies", "1"), &csv);
    cli_expect_all(&csv, "bind", "range");
    cli_expect_all(&csv, "cpus", "0-1");
    measure(ARGS("prime", FAST, "--bind=one", "--cpus", "0-1", "--copies", "1"), &csv);
    cli_expect_all(&csv, "bind", "one");
    assert_int_equal(strlen(cli_cell(&csv, 0, "cpus")), 1);
}

CLI_TEST(test_options_nice)
{
    expect_cell(ARGS("prime", FAST), "nice", "0");
    expect_cell(ARGS("prime", FAST, "--nice", "5"), "nice", "5");
    expect_cell(ARGS("prime", FAST, "--nice=19"), "nice", "19");
    cli_need_root();
    expect_cell(ARGS("prime", FAST, "--nice", "-20"), "nice", "-20");
}

/* Read back; what this kernel or user may not have is said. */
static void expect_granted(const char *const *args, const char *column, const char *granted, const char *refused)
{
    struct cli_csv csv;

    measure(args, &csv);
    if (!strstr(cli_cell(&csv, 0, column), granted) &&
        (strcmp(cli_cell(&csv, 0, "status"), "degraded") != 0 || !strstr(cli_cell(&csv, 0, "reason"), refused)))
        fail_msg("%s: %s (%s)", cli_cell(&csv, 0, column), cli_cell(&csv, 0, "status"), cli_cell(&csv, 0, "reason"));
}

CLI_TEST(test_options_policy_and_slice)
{
    expect_cell(ARGS("prime", FAST, "--policy", "batch"), "policy", "batch");
    expect_cell(ARGS("prime", FAST, "--policy", "idle"), "policy", "idle");
    expect_granted(ARGS("prime", FAST, "--slice", "3ms"), "param", " slice_us=3000", "slice of 3 ms");
    expect_granted(ARGS("prime", FAST, "--policy", "ext"), "policy", "ext", "policy ext refused: ");
    expect_granted(ARGS("prime", FAST, "--uclamp", "10,900"), "param", " uclamp=10:900", "uclamp 10 to 900 refused: ");
    expect_granted(ARGS("prime", FAST, "--policy", "rr"), "policy", "rr", "policy rr ");
    expect_granted(ARGS("prime", FAST, "--policy", "deadline", "--bind", "none"), "policy", "deadline",
                   "policy deadline ");
}

CLI_TEST(test_options_fifo)
{
    struct cli_csv csv;

    expect_cell(ARGS("prime", FAST), "policy", "other");
    cli_need_fifo();
    cli_need_cpus(2);
    measure(ARGS("prime", FAST, "--cpus", "1", "--fifo"), &csv);
    cli_expect_all(&csv, "policy", "fifo");
    cli_expect_all(&csv, "rt_priority", "50");
    cli_expect_all(&csv, "status", "ok");
    expect_cell(ARGS("prime", FAST, "--cpus", "1", "--fifo=1"), "rt_priority", "1");
    expect_cell(ARGS("prime", FAST, "--cpus", "1", "--fifo=95"), "rt_priority", "95");
}

CLI_TEST(test_options_samples_and_its_aliases)
{
    static const char *const forms[][3] = {{"--samples", "3"}, {"--passes=3"}, {"-i", "3"}, {"-qi3"}, {"--samp", "3"}};

    for (size_t i = 0; i < COUNT(forms); i++)
        assert_int_equal(samples_of(ARGS("prime", "-q", "-n", "100", forms[i][0], forms[i][1])), 3);
}

/* Fewer than five samples have no interval, so any precision takes five; none as fine as this is reached before the
 * time is up, which the least number of samples is allowed to outlast. */
CLI_TEST(test_options_precision_and_max_time)
{
    assert_int_equal(samples_of(ARGS(FAST_QUICK)), 3);
    assert_true(samples_of(ARGS(FAST_QUICK, "--precision", "100", "--max-time", "10s")) >= 5);
    assert_int_equal(samples_of(ARGS(FAST_QUICK, "--precision", "0.01", "--max-time", "1ms")), 3);
    const uint64_t from = cli_now_ns();
    const size_t n = samples_of(ARGS(FAST_QUICK, "--precision", "0.01%", "--max-time", "0.4s"));
    if (n <= 5 && cli_now_ns() - from < 400000000u)
        fail_msg("%zu samples, although 0.4 s were not over", n);
}

CLI_TEST(test_options_layout)
{
    struct cli_csv csv;

    measure(ARGS("prime", FAST, "--layout", "random"), &csv);
    assert_memory_equal(cli_cell(&csv, 0, "layout"), "random", strlen("random"));
    measure(ARGS("prime", FAST, "--layout", "fixed"), &csv);
    const char *layout = cli_cell(&csv, 0, "layout");
    if (strcmp(layout, "fixed")) /* as seccomp may have it */
        assert_string_equal(layout, "random (fixed was refused)");
}

CLI_TEST(test_options_output_file)
{
    static const char *const forms[][3] = {{"-oa.csv"}, {"--output", "./a.csv"}};
    char path[CLI_PATH];
    struct cli_csv csv;

    (void)snprintf(path, sizeof(path), "%s/a.csv", cli->work);
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct cli_result result;
        cli_expect_args(ARGS("prime", FAST, forms[i][0], forms[i][1]), 0, &result);
        cli_expect_files(cli->work, 1);
        cli_csv_read(path, &csv);
        assert_int_equal(cli_count(&csv, "prime", "cycles"), 1);
        assert_int_equal(unlink(path), 0);
    }
}

CLI_TEST(test_options_output_to_standard_output)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_expect_args(ARGS("prime", "-n", "1000", "-i", "1", "-o", "-"), 0, &result);
    cli_csv_parse(result.out, &csv);
    assert_int_equal(csv.n_rows, cli_metrics("prime"));
    cli_expect_text(result.err, "Prime loop: all runs together");
    cli_expect_no_text(result.err, "CSV:");
    cli_expect_files(cli->work, 0);
}

CLI_TEST(test_options_no_csv)
{
    struct cli_result result;

    cli_expect_args(ARGS("prime", "-n", "1000", "-i", "1", "--no-csv"), 0, &result);
    cli_expect_text(result.out, "Prime loop: all runs together");
    cli_expect_no_text(result.out, "CSV:");
    cli_expect_files(cli->work, 0);
    cli_expect_files(cli->tmp, 0);
}

CLI_TEST(test_options_no_samples)
{
    static const char *const columns[] = {"samples", "hist", "series"};
    struct cli_csv csv;

    for (int without = 0; without < 2; without++) {
        measure(without ? ARGS("prime", FAST, "--no-samples") : ARGS("prime", FAST), &csv);
        for (size_t i = 0; i < COUNT(columns); i++)
            assert_int_equal(!cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), columns[i])[0], without);
    }
}

CLI_TEST(test_options_comment)
{
    static const char comment[] = "quiet \"box\", \xc3\xbc\r\nsecond line; =1+1";
    struct cli_csv csv;

    measure(ARGS("prime", FAST, "-m", comment), &csv);
    cli_expect_all(&csv, "comment", "quiet \"box\", \xc3\xbc??second line; =1+1");
    measure(ARGS("prime", FAST, "--comment", "x"), &csv);
    cli_expect_all(&csv, "comment", "x");
}

static void expect_param(const char *const *args, const char *part)
{
    struct cli_csv csv;

    measure(args, &csv);
    cli_expect_text(cli_cell(&csv, 0, "param"), part);
}

CLI_TEST(test_options_quick)
{
    expect_param(ARGS("prime", "-q", "-i", "1"), "experiments=1000000 ");
    expect_param(ARGS("prime", "-q", "-i", "1", "--quick"), "experiments=200000 ");
    expect_param(ARGS("prime", "-q", "-i", "1", "--quick", "-n", "50"), "experiments=50 ");
    expect_param(ARGS("stream", "array", "-q", "-i", "1", "--quick", "--sizes", "25"), "experiments=10000 ");
    expect_param(ARGS("stream", "bandwidth", "-q", "--quick", "--array-size", "64K"), "repetitions=3 ");
}

/* One copy on each CPU: real-time work always leaves the last CPU free. */
CLI_TEST(test_options_strict)
{
    const struct cli_run lax = {.args = ARGS("prime", FAST, "--no-csv", "--cpus", "all", "--fifo")};
    const struct cli_run strict = {.args = ARGS("prime", FAST, "--no-csv", "--cpus", "all", "--fifo", "--strict")};
    const struct cli_run good = {.args = ARGS("prime", FAST, "--no-csv", "--strict")};
    const struct cli_run spread = {.args =
                                       ARGS("prime", FAST, "--no-csv", "-i", "3", "--strict", "--max-rsd", "0.01%")};
    const struct cli_run wide = {.args = ARGS("prime", FAST, "--no-csv", "-i", "3", "--strict", "--max-rsd=1000")};
    struct cli_result result;

    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    cli_expect(&lax, 0, &result);
    cli_expect_text(result.out, "degraded");
    cli_expect(&strict, 3, &result);
    cli_expect_text(result.out, "degraded");
    cli_expect(&good, 0, &result);   /* one sample cannot be unstable */
    cli_expect(&spread, 3, &result); /* no three samples are as equal as that */
    cli_expect(&wide, 0, &result);
}

/* What is measured meets a requirement or not, and the exit status says so. */
CLI_TEST(test_options_require)
{
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
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i].args};
        cli_expect(&run, cases[i].status, &result);
        cli_expect_text(result.out, cases[i].shown);
    }
}

/* A FIFO is read to its end; a signal ends the wait for it. */
CLI_TEST(test_options_requirements_from_a_fifo)
{
    const struct cli_run run = {.args = ARGS("prime", FAST, "-q", "--no-csv", "--requirements", "fifo")};
    struct cli_child child;
    struct cli_result result;
    char path[CLI_PATH];

    (void)snprintf(path, sizeof(path), "%s/fifo", cli->work);
    assert_int_equal(mkfifo(path, 0600), 0);
    cli_start(&run, &child);
    cli_sleep_ms(300);
    (void)kill(child.pid, SIGTERM);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGTERM);
    assert_string_equal(result.err, "jitbench prime: --requirements 'fifo': ended by a signal\n");
    cli_start(&run, &child);
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
}

/* Events are in the CSV of each run, in a table on request, and what a filter forbids is said once. */
CLI_TEST(test_options_counters)
{
    struct refusal refusals[] = {{.kind = REFUSE_CALL, .number = SYS_perf_event_open, .error = EPERM}, {.kind = 0}};
    const struct cli_run measures[] = {
        {.args = ARGS("prime", FAST, "-q", "--counters", "-o", "own.csv")},
        {.args = ARGS("prime", FAST, "-q", "-o", "refused.csv"), .prepare = refuse, .context = refusals},
    };
    const struct cli_run shows[] = {{.args = ARGS("show", "-q", "--counters", "own.csv")},
                                    {.args = ARGS("show", "-q", "--counters", "refused.csv")}};
    struct cli_result measured, shown;
    struct cli_csv csv;

    for (size_t i = 0; i < 2; i++) {
        cli_expect(&measures[i], 0, &measured);
        cli_expect(&shows[i], 0, &shown);
        cli_expect_text(shown.out, "Events of all samples together");
        if (i == 0)
            assert_string_equal(measured.out, shown.out);
        else
            cli_expect_text(shown.out, "forbidden (perf_event_paranoid or a filter)");
        cli_csv_read(cli_path("%s/%s.csv", cli->work, i ? "refused" : "own"), &csv);
        const char *counters = cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "counters");
        cli_expect_text(counters, "task_clock_ms=");
        cli_expect_text(counters, ";page_faults=");
        cli_expect_no_text(counters, "cycles=0");
    }
}

CLI_TEST(test_options_quiet_and_verbose)
{
    static const char *const header[] = {"Machine ", "Setting ", "Quiet? ", "CSV: jitbench-"};
    static const char *const forms[] = {"-q", "--quiet", "-v", "--verbose"};

    for (size_t i = 0; i < COUNT(forms); i++) {
        struct cli_result result;
        cli_expect_args(ARGS("prime", "-n", "1000", "-i", "1", forms[i]), 0, &result);
        cli_expect_text(result.out, "Prime loop: all runs together");
        for (size_t h = 0; h < COUNT(header); h++) {
            if (i < 2)
                cli_expect_no_text(result.out, header[h]);
            else
                cli_expect_text(result.out, header[h]);
        }
        if (i < 2)
            cli_expect_no_text(result.out, "Histogram of");
        else
            cli_expect_text(result.out, "Histogram of");
    }
}

/* --- Options of stream. --- */

/* The options of all that measure, on the command that the other tests do not try them on. */
CLI_TEST(test_options_of_stream_together)
{
    const struct cli_run run = {.args = ARGS("stream", "array", "--sizes", "50", "--experiments", "500", "--passes",
                                             "2", "--cpus", cli_cpu, "--bind", "range", "--copies", "2", "--nice", "1",
                                             "--layout", "fixed", "--precision", "5", "--max-time", "2s", "-m", "c",
                                             "-o", "s.csv", "--series", "s.txt", "-qv", "--quick")};
    struct cli_result result;
    struct cli_csv csv;
    size_t size;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, "Array copy, each run");
    cli_csv_read(cli_path("%s/s.csv", cli->work), &csv);
    assert_int_equal(cli_count(&csv, "array", "cycles"), 2);
    cli_expect_all(&csv, "cpus", cli_cpu);
    cli_expect_all(&csv, "bind", "range");
    cli_expect_all(&csv, "copies", "2");
    cli_expect_all(&csv, "nice", "1");
    cli_expect_all(&csv, "comment", "c");
    assert_true(cli_number(&csv, cli_row(&csv, "array", "cycles", 0), "n") == 1000);
    char *text = cli_read_file(cli_path("%s/s.txt", cli->work), &size);
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 2 * 2 * 500);
    assert_memory_equal(text, "elements,run,copy,experiment,ticks\n", 35);
}

/* --- Bad command lines. --- */

/* The others are golden. */
CLI_TEST(test_options_values_that_this_machine_does_not_have)
{
    cli_expect_error_with(ARGS("prime", "--cpus", "8191"), "--cpus: CPU 8191 is offline");
    cli_expect_error_with(ARGS("noise", "--cpus", "0,8190-8191"), "--cpus: CPU 8190-8191 is offline");
    cli_expect_error_with(ARGS("prime", "--series", "s", "--cpus", "8191"), "(online: ");
    cli_expect_error_with(ARGS("tune", "--cpus", "8191"), "(online: ");
    cli_expect_error_with(ARGS("stream", "--array-size", "900T"), "memory");
    cli_expect_files(cli->work, 0);
}

/* --force replaces a plain file, and does not go through a link to one. */
CLI_TEST(test_options_force_replaces_a_file)
{
    const struct cli_run link = {.args = ARGS("prime", "-n", "1000", "-i", "1", "-q", "-o", "link", "--force")};
    struct cli_child child;
    struct cli_result result;
    char *content;

    cli_write_file(cli->work, "old.csv", "mine\n");
    cli_expect_args(ARGS("prime", "-n", "1000", "-i", "1", "-q", "-o", "old.csv", "--force"), 0, &result);
    content = cli_read_file(cli_path("%s/old.csv", cli->work), NULL);
    assert_int_equal(strncmp(content, "schema,", 7), 0);
    cli_write_file(cli->work, "target", "mine\n");
    assert_int_equal(symlink("target", cli_path("%s/link", cli->work)), 0);
    cli_start(&link, &child);
    cli_wait(&child, &result);
    assert_int_equal(result.status, 2);
    cli_expect_text(result.err, "a symbolic link");
    content = cli_read_file(cli_path("%s/target", cli->work), NULL);
    assert_string_equal(content, "mine\n");
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

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i].args,
                                    .out = cases[i].terminal ? CLI_TERMINAL : CLI_DEFAULT,
                                    .columns = 100,
                                    .env = ARGS("PATH=/bin:/usr/bin", "TERM=xterm")};
        struct cli_child child;
        struct cli_result result;
        cli_start(&run, &child);
        cli_wait(&child, &result);
        const char *shown = cases[i].terminal ? result.terminal : result.out;
        assert_int_equal(strstr(shown, "\033[33mnoisy\033[0m") != NULL, cases[i].colored);
    }
}

/* A value of any length and with any bytes still makes one line that can be read. */
CLI_TEST(test_options_bad_value_of_any_length)
{
    static char value[100001];
    struct cli_result result;

    memset(value, '\n', sizeof(value) - 1);
    value[0] = '1';
    for (unsigned i = 0; i < 2; i++) {
        const struct cli_run run = {.args = i ? ARGS("prime", "--comment", value) : ARGS("prime", "--samples", value)};
        cli_expect(&run, 2, &result);
        assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
        assert_true(strlen(result.err) < 300);
    }
    cli_expect_files(cli->work, 0);
}

/* --- Printing that fails. --- */

CLI_TEST(test_options_what_only_prints_says_when_it_cannot)
{
    static char base[CLI_PATH], slow[CLI_PATH];
    static const struct {
        const char *args[4], *name;
    } all[] = {{{"help"}, "help"},           {{"--help"}, "help"},
               {{"help", "run"}, "help"},    {{"list"}, "list"},
               {{"list", "-h"}, "list"},     {{"version"}, "version"},
               {{"--version"}, "version"},   {{"completion", "bash"}, "completion"},
               {{"prime", "-h"}, "prime"},   {{"all", "--help"}, "all"},
               {{"fleet", "-h"}, "fleet"},   {{"compare", "-h"}, "compare"},
               {{"init", "-h"}, "init"},     {{"tune", "-h"}, "tune"},
               {{"check", "-h"}, "check"},   {{"version", "-h"}, "help"},
               {{"report", "-h"}, "report"}, {{"check", "aslr"}, "check"},
               {{"fleet", base}, "fleet"},   {{"compare", base, slow}, "compare"},
               {{"export", base}, "export"}, {{"report", base}, "report"},
               {{"show", base}, "show"}};
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct cli_result result;
    char line[128];
    int ends[2];

    if (full < 0)
        cli_skip("no /dev/full");
    assert_non_null(realpath("tests/golden/in/compare/ten-base.csv", base));
    assert_non_null(realpath("tests/golden/in/compare/ten-slow.csv", slow));
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    for (size_t i = 0; i < COUNT(all); i++)
        for (int closed = 0; closed < 3; closed++) {
            const struct cli_run run = {.args = all[i].args, .out = closed == 2 ? ends[1] : closed ? CLI_CLOSED : full};
            cli_expect(&run, closed == 2 ? 0 : 1, &result);
            (void)snprintf(line, sizeof(line), "jitbench %s: standard output cannot be written: %s\n", all[i].name,
                           strerror(closed ? EBADF : ENOSPC));
            assert_string_equal(result.err, closed == 2 ? "" : line);
        }
    (void)close(full);
    (void)close(ends[1]);
}

/* Also for values outside of options: names of commands, tests, settings or files, and times. */
CLI_TEST(test_options_errors_are_one_printable_line)
{
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

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i]};
        struct cli_result result;
        cli_expect(&run, 2, &result);
        const size_t length = strlen(result.err);
        assert_true(length > 1 && result.err[length - 1] == '\n');
        for (size_t c = 0; c + 1 < length; c++)
            if ((unsigned char)result.err[c] < ' ' || result.err[c] == 0x7f)
                fail_msg("case %zu: '%s'", i, result.err);
    }
    cli_expect_files(cli->work, 0);
}
