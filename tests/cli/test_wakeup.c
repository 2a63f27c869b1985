/* SPDX-License-Identifier: MIT */
/* Tests of jitbench wakeup with the real program: rows of each CPU, the end at a late wake-up, missing rights, wrong
 * options, cyclictest's letters, and the export in its form. */

#include "cli.h"

#define SHORT "-q", "-D", "200ms"

static void measure(struct cli_run run, int status, struct cli_csv *csv)
{
    cli_expect(&run, status, NULL);
    cli_csv_only(cli->work, csv);
}

/* The counts of the column hist, which is a list of low:count. */
static double counts_of(const char *hist)
{
    double n = 0;

    for (const char *at = hist; (at = strchr(at, ':')); at++)
        n += strtod(at + 1, NULL);
    return n;
}

/* 2,000 wake-ups, 100 us apart, unless the machine stood still; the classes are whole microseconds. */
CLI_TEST(test_wakeup_has_a_row_for_each_cpu)
{
    struct cli_csv csv;

    cli_need_cpus(2);
    measure((struct cli_run){.args = ARGS("wakeup", SHORT, "-i", "100", "--cpus", "0,1")}, 0, &csv);
    assert_int_equal(csv.n_rows, 2 * 3 + 2);
    for (size_t cpu = 0; cpu < 2; cpu++) {
        const size_t row = cli_row(&csv, "wakeup", "latency", cpu);
        const double n = cli_number(&csv, row, "n"), max = cli_number(&csv, row, "max");
        assert_in_range(n, 1000, 2000);
        assert_true(counts_of(cli_cell(&csv, row, "hist")) == n);
        assert_true(fmod(strtod(cli_cell(&csv, row, "hist"), NULL), 1000) == 0);
        assert_string_equal(cli_cell(&csv, row, "unit"), "ns");
        assert_non_null(strstr(cli_cell(&csv, row, "param"), "interval_us=100"));
        assert_true(cli_number(&csv, row, "min") <= cli_number(&csv, row, "median"));
        assert_true(cli_number(&csv, row, "median") <= cli_number(&csv, row, "p99"));
        assert_true(cli_number(&csv, row, "p99") <= max && max > 0);
        assert_true(cli_number(&csv, cli_row(&csv, "worst", "latency_max", 0), "value") >= max);
    }
}

/* SCHED_FIFO 80 on all CPUs at once: no copy gives it up. */
CLI_TEST(test_wakeup_is_real_time_on_every_cpu)
{
    struct cli_csv csv;

    cli_need_root();
    cli_need_fifo();
    measure((struct cli_run){.args = ARGS("wakeup", SHORT)}, 0, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        assert_string_equal(cli_cell(&csv, row, "policy"), "fifo");
        assert_string_equal(cli_cell(&csv, row, "rt_priority"), "80");
        assert_null(strstr(cli_cell(&csv, row, "reason"), "SCHED_FIFO"));
    }
}

/* cyclictest's line as its users type it. -p 0 is the normal policy, which needs no right. */
CLI_TEST(test_wakeup_takes_the_letters_of_cyclictest)
{
    struct cli_csv csv;

    measure((struct cli_run){.args = ARGS("wakeup", "-q", "-m", "-S", "-p", "0", "-i", "500", "-h", "100", "-D", "0.1",
                                          "-a", cli_cpu, "-t", "1", "--default-system", "--comment", "box 7")},
            0, &csv);
    const size_t row = cli_row(&csv, "wakeup", "latency", 0);
    assert_int_equal(cli_count(&csv, "wakeup", "latency"), 1);
    assert_string_equal(cli_cell(&csv, row, "policy"), "other");
    assert_string_equal(cli_cell(&csv, row, "cpus"), cli_cpu);
    assert_string_equal(cli_cell(&csv, row, "comment"), "box 7");
    assert_string_equal(cli_cell(&csv, row, "timer_latency_held"), "no");
    assert_non_null(strstr(cli_cell(&csv, row, "param"), "interval_us=500"));
    assert_non_null(strstr(cli_cell(&csv, row, "param"), "histogram_us=100"));
    assert_in_range(cli_number(&csv, row, "n"), 50, 200);
}

/* What is done anyhow is accepted in silence, and the rest with a note that names the option as typed. */
CLI_TEST(test_wakeup_ignores_letters_of_cyclictest)
{
    const char *const silent[] = {"wakeup", "-q",  "-nsMAu", "-d",    "0",  "--latency=0", "--policy=other",
                                  "-l",     "40",  "-i",     "500",   "-D", "9",           "--cpus",
                                  cli_cpu,  "-t1", "-o",     "a.csv", NULL};
    const char *const noted[] = {"wakeup", "-q",     "-Smp99", "-d", "5",     "--tracemark", "-D",
                                 "20ms",   "--cpus", cli_cpu,  "-o", "b.csv", NULL};
    struct cli_csv csv;
    struct cli_result result;

    measure((struct cli_run){.args = silent}, 0, &csv);
    const size_t row = cli_row(&csv, "wakeup", "latency", 0);
    assert_string_equal(cli_cell(&csv, row, "policy"), "other");
    assert_in_range(cli_number(&csv, row, "n"), 38, 40); /* of 18,000 in 9 s */
    cli_expect(&(struct cli_run){.args = noted}, 0, &result);
    cli_expect_text(result.err, "jitbench wakeup: -p 99 is taken as 95: 96 to 98 are jitbench's own timing and control "
                                "threads, 99 the kernel's; -d is ignored: the threads of all CPUs wake up at once; "
                                "--tracemark is ignored: with -b, --who prints what ran before the late wake-up\n");
}

/* Of each CPU so far, once a second. */
CLI_TEST(test_wakeup_shows_live_maxima)
{
    struct cli_result result;

    cli_expect(&(struct cli_run){.args = ARGS("wakeup", "-p", "0", "-D", "1200ms", "--cpus", cli_cpu, "--no-csv"),
                                 .err = CLI_TERMINAL},
               0, &result);
    const char *at = strstr(result.terminal, "(running for 1 s; max ");
    assert_non_null(at);
    assert_true(strtod(at + strlen("(running for 1 s; max "), NULL) > 0);
}

/* No machine wakes a thread within a microsecond. */
CLI_TEST(test_wakeup_ends_at_a_late_one)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(&(struct cli_run){.args = ARGS("wakeup", "-q", "-D", "60", "-b", "1", "-p", "0")}, 4, &result);
    cli_expect_text(result.err, " us late, more than 1 us");
    assert_true(result.seconds < 20);
    cli_csv_only(cli->work, &csv);
    size_t stopped = 0;
    for (size_t row = 0; row < csv.n_rows; row++)
        if (!strcmp(cli_cell(&csv, row, "metric"), "latency"))
            stopped += strstr(cli_cell(&csv, row, "param"), "stopped_us=") != NULL;
    assert_true(stopped >= 1);
}

static int become_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

/* Without the right the rows say so, and are there. */
CLI_TEST(test_wakeup_without_rights_is_degraded)
{
    struct cli_csv csv;
    char path[CLI_PATH];
    struct cli_result result;

    cli_need_root();
    cli_copy_binary(path);
    cli_expect(&(struct cli_run){.program = path, .args = ARGS("wakeup", SHORT, "-o", "-"), .prepare = become_nobody},
               0, &result);
    cli_csv_parse(result.out, &csv);
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_all(&csv, "policy", "other");
    assert_non_null(strstr(cli_cell(&csv, 0, "reason"), "SCHED_FIFO 80 refused"));
    assert_true(cli_number(&csv, cli_row(&csv, "wakeup", "latency", 0), "n") >= 100);
}

CLI_TEST(test_wakeup_is_required_to_be_in_time)
{
    struct cli_result result;

    cli_expect(
        &(struct cli_run){.args = ARGS("wakeup", SHORT, "--no-csv", "-p0", "--require", "wakeup/latency.max<1us")}, 4,
        &result);
    cli_expect_text(result.out, "wakeup/latency.max<1us");
    cli_expect(
        &(struct cli_run){.args = ARGS("wakeup", SHORT, "--no-csv", "-p0", "--require", "worst/latency_max<60s")}, 0,
        &result);
}

CLI_TEST(test_wakeup_beside_a_load)
{
    struct cli_csv csv;

    measure((struct cli_run){.args = ARGS("wakeup", SHORT, "-w", "none,burn")}, 0, &csv);
    assert_string_equal(cli_cell(&csv, 0, "load"), "none");
    const size_t row = cli_row(&csv, "worst", "latency_max", 1);
    assert_string_equal(cli_cell(&csv, row, "load"), "burn");
}

/* Leaves the structure of what cyclictest or the export wrote: each digit becomes N, in JSON each number, and there
 * texts become T; lines that are then equal become one. The numbers of cycles that overflowed are left out. */
static char *structure_of(char *text, bool json)
{
    char *out = text, *last = NULL;

    for (char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        const char *value = json ? memmem(at, length, ": \"", 3) : NULL, *end = at + length;
        char *line = out;
        if (value)
            end = value + 2;
        else if (!strncmp(at, "# Thread ", 9))
            end = strchr(at, ':') + 1;
        for (const char *c = at; c < end; c++) {
            const bool digit = *c >= '0' && *c <= '9';
            if (json && ((digit && out > line && out[-1] == 'N') || *c == '-'))
                continue;
            *out++ = (char)(digit ? 'N' : *c);
        }
        if (value)
            *out++ = 'T';
        if (value && at[length - 1] == ',')
            *out++ = ',';
        *out++ = '\n';
        const bool same = last && line - last == out - line && !memcmp(last, line, (size_t)(out - line));
        last = same ? last : line;
        out = same ? line : out;
        at += length + (at[length] == '\n');
    }
    *out = '\0';
    return text;
}

static const char text_structure[] = "# Histogram\n"
                                     "NNNNNN NNNNNN\tNNNNNN\n"
                                     "# Total: NNNNNNNNN NNNNNNNNN\n"
                                     "# Min Latencies: NNNNN NNNNN\n"
                                     "# Avg Latencies: NNNNN NNNNN\n"
                                     "# Max Latencies: NNNNN NNNNN\n"
                                     "# Histogram Overflows: NNNNN NNNNN\n"
                                     "# Histogram Overflow at cycle number:\n"
                                     "# Thread N:\n"
                                     "\n";
#define THREAD \
    "    \"N\": {\n      \"histogram\": {\n        \"N\": N,\n        \"N\": N\n      },\n      \"cycles\": N,\n" \
    "      \"min\": N,\n      \"max\": N,\n      \"avg\": N.N,\n      \"cpu\": N,\n      \"node\": N\n    }"
static const char json_structure[] =
    "{\n  \"file_version\": N,\n  \"cmdline:\": T,\n  \"rt_test_version:\": T,\n  \"start_time\": T,\n"
    "  \"end_time\": T,\n  \"return_code\": N,\n  \"sysinfo\": {\n    \"sysname\": T,\n    \"nodename\": T,\n"
    "    \"release\": T,\n    \"version\": T,\n    \"machine\": T,\n    \"realtime\": N\n  },\n"
    "  \"num_threads\": N,\n  \"resolution_in_ns\": N,\n  \"thread\": {\n" THREAD ",\n" THREAD "\n  }\n}\n";

/* The export and, where it is installed, cyclictest itself write the same but for the figures. */
CLI_TEST(test_wakeup_is_exported_as_cyclictest_writes)
{
    struct cli_result result;

    cli_need_cpus(2);
    cli_expect(&(struct cli_run){.args = ARGS("wakeup", SHORT, "-p0", "--default-system", "--cpus", "0,1", "-h",
                                              "20000", "-o", "run.csv")},
               0, &result);
    cli_expect(&(struct cli_run){.args = ARGS("export", "-f", "cyclictest", "run.csv")}, 0, &result);
    assert_string_equal(structure_of(result.out, false), text_structure);
    cli_expect(&(struct cli_run){.args = ARGS("export", "-f", "cyclictest-json", "run.csv")}, 0, &result);
    assert_string_equal(structure_of(result.out, true), json_structure);

    cli_expect(&(struct cli_run){.program = "sh",
                                 .args = ARGS("-c", "command -v cyclictest >/dev/null || exit 0; cyclictest -q "
                                                    "--default-system -t2 -a0-1 -l200 -h20000 --json=theirs.json")},
               0, &result);
    if (result.out[0]) {
        assert_string_equal(structure_of(result.out, false), text_structure);
        char *json = cli_read_file(cli_path("%s/theirs.json", cli->work), NULL);
        assert_string_equal(structure_of(json, true), json_structure);
    }
}
