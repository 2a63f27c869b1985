/* SPDX-License-Identifier: MIT */
/* jitbench latency: its matrix, its options as the CSV shows them, a stall that is made, what is refused, what cannot
 * run, and what is left behind.
 *
 * Samples are short and the calibration is made once, so that all of this takes a minute. */
#include <dirent.h>

#include "../refuse.h"
#include "cli.h"
#include "program.h"

/* The CSV on standard output, the tables on standard error. */
#define CSV "-q", "-o", "-"
/* No calibration of its own. */
#define KNOWN "-l", loops
#define FAST  CSV, KNOWN, "-t", "100ms"
/* The least file of write and read. */
#define SMALL "--file-size", "8M"
/* Real-time tasks run on this CPU alone, so that another one is left to everything else. */
#define CPU   1
#define CPU_S "1"

/* One more with --classic. */
enum { N_METRICS = 6, N_METRICS_GAMING = 3 };

/* Loops a millisecond of this machine, whole: the first test that runs anything finds it. */
static char loops[32];

/* --- Running. --- */

static void need_loops(void)
{
    struct cli_result result;
    struct cli_csv csv;

    if (loops[0])
        return;
    cli_expect_args(ARGS("latency", "audio", "--load", "none", "-t", "10ms", CSV), 0, &result);
    cli_csv_parse(result.out, &csv);
    (void)snprintf(loops, sizeof(loops), "%.0f",
                   cli_number(&csv, cli_row(&csv, "calibrate", "loops_per_ms", 0), "value"));
}

static void measure_as(const struct cli_run *run, int status, struct cli_result *result, struct cli_csv *csv)
{
    need_loops();
    cli_expect(run, status, result);
    cli_csv_parse(result->out, csv);
}

/* Fixture of tests that read only the rows. */
static void measure(const char *const *args, int status, struct cli_csv *csv)
{
    const struct cli_run run = {.args = args};
    struct cli_result result;

    measure_as(&run, status, &result, csv);
}

static void measure_prepared(const char *const *args, int (*prepare)(void *), void *context, int status,
                             struct cli_csv *csv)
{
    char binary[CLI_PATH];
    struct cli_result result;

    cli_copy_binary(binary); /* where nobody can reach it, too */
    const struct cli_run run = {.program = binary, .args = args, .prepare = prepare, .context = context};
    measure_as(&run, status, &result, csv);
}

/* --- Rows. --- */

static bool is_pair(const struct cli_csv *csv, size_t row, const char *test, const char *load)
{
    return !strcmp(cli_cell(csv, row, "test"), test) && !strcmp(cli_cell(csv, row, "load"), load);
}

static size_t count_pair(const struct cli_csv *csv, const char *test, const char *load)
{
    size_t n = 0;

    for (size_t row = 0; row < csv->n_rows; row++)
        n += is_pair(csv, row, test, load);
    return n;
}

static size_t pair_row(const struct cli_csv *csv, const char *test, const char *load, const char *metric)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (is_pair(csv, row, test, load) && !strcmp(cli_cell(csv, row, "metric"), metric))
            return row;
    fail_msg("no row of %s under %s has %s", test, load, metric);
    return 0;
}

static double pair_number(const struct cli_csv *csv, const char *test, const char *load, const char *metric,
                          const char *column)
{
    return cli_number(csv, pair_row(csv, test, load, metric), column);
}

/* A word "name=value" of a pair's param, "" when it has none of that name. */
static const char *word_of(const struct cli_csv *csv, const char *test, const char *load, const char *name)
{
    static char value[64];
    const char *param = cli_cell(csv, pair_row(csv, test, load, "latency"), "param");
    size_t length = strlen(name);

    value[0] = 0;
    for (const char *at = param; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (!strncmp(at, name, length) && at[length] == '=')
            (void)snprintf(value, sizeof(value), "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
    return value;
}

static void expect_word(const struct cli_csv *csv, const char *test, const char *load, const char *name,
                        const char *value)
{
    const char *word = word_of(csv, test, load, name);

    if (strcmp(word, value))
        fail_msg("%s under %s has %s=%s, not %s: %s", test, load, name, word, value,
                 cli_cell(csv, pair_row(csv, test, load, "latency"), "param"));
}

static void expect_status(const struct cli_csv *csv, const char *test, const char *load, const char *status,
                          const char *reason)
{
    size_t row = pair_row(csv, test, load, "latency");

    if (strcmp(cli_cell(csv, row, "status"), status) || !strstr(cli_cell(csv, row, "reason"), reason))
        fail_msg("%s under %s is %s (%s), not %s (%s)", test, load, cli_cell(csv, row, "status"),
                 cli_cell(csv, row, "reason"), status, reason);
    if (!strcmp(status, "skipped") || !strcmp(status, "failed")) {
        assert_int_equal(count_pair(csv, test, load), 1);
        assert_string_equal(cli_cell(csv, row, "value"), "");
    }
}

/* It ran: what it is marked with (no rights, no disk) is of the machine. */
static void expect_rows(const struct cli_csv *csv, const char *test, const char *load, bool classic)
{
    bool gaming = !strcmp(test, "gaming");
    size_t row = pair_row(csv, test, load, "latency");
    const char *status = cli_cell(csv, row, "status");

    if (strcmp(status, "ok") && strcmp(status, "degraded"))
        fail_msg("%s under %s is %s: %s", test, load, status, cli_cell(csv, row, "reason"));
    assert_int_equal(count_pair(csv, test, load), (gaming ? N_METRICS_GAMING : N_METRICS) + classic);
    assert_true(cli_number(csv, row, "n") > 0);
    assert_int_equal(cli_items(cli_cell(csv, row, "series")), cli_number(csv, row, "n"));
    assert_true(cli_items(cli_cell(csv, row, "hist")) > 0);
}

static void expect_measured(const struct cli_csv *csv, const char *test, const char *load)
{
    expect_rows(csv, test, load, false);
}

/* The pairs, each line as "audio none burn": all of them, in that order, and no other. */
static void expect_matrix(const struct cli_csv *csv, const char *const *lines)
{
    size_t row = cli_count(csv, "calibrate", NULL);
    char test[16], load[16];

    for (; *lines; lines++) {
        int used = 0, n;
        assert_int_equal(sscanf(*lines, "%15s%n", test, &used), 1);
        for (const char *at = *lines + used; sscanf(at, " %15s%n", load, &n) == 1; at += n) {
            if (row >= csv->n_rows || !is_pair(csv, row, test, load))
                fail_msg("%s under %s is not where it should be, in row %zu", test, load, row);
            row += count_pair(csv, test, load);
        }
    }
    assert_int_equal(row, csv->n_rows);
}

/* --- The matrix. --- */

static char *printed_so_far(const struct cli_child *child)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", child->out);
    return cli_read_file(path, NULL);
}

/* Nothing is measured before the plan is printed. */
static void wait_plan(const struct cli_child *child, const char *plan)
{
    const uint64_t until = cli_deadline(10);

    for (bool there = false; !there; cli_sleep_ms(1)) {
        bool measures = cli_workers() > 0;
        char *text = printed_so_far(child);
        there = strstr(text, plan) != NULL;
        if (!there && (measures || cli_now_ns() > until))
            fail_msg("the plan '%s' is not there%s: %s", plan, measures ? ", but a worker is" : "", text);
        free(text);
    }
}

/* Checks the plan by its rows: pairs that a signal kept from beginning have rows, too. */
static void expect_planned(const char *const *args, const char *plan, const char *const *pairs)
{
    const struct cli_run run = {.args = args};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_start(&run, &child);
    wait_plan(&child, plan);
    assert_int_equal(kill(child.pid, SIGINT), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGINT);
    cli_csv_only(cli->work, &csv);
    assert_int_equal(unlink(cli_path("%s/rows.csv", cli->work)), 0);
    expect_matrix(&csv, pairs);
}

CLI_TEST(test_latency_plan_comes_first)
{
    static const char *const telling[] = {"audio none x burn write read ring compile",
                                          "video none x burn write compile", "x none video burn write compile",
                                          "gaming none burn compile", NULL};

    expect_planned(ARGS("latency", "-o", "rows.csv"), "\nPlan      21 measurements, 1 sample each, about ", telling);
}

CLI_TEST(test_latency_loads_of_today)
{
    struct cli_csv csv;
    char threads[16];

    /* The command is begun again and again; it fails where the one before left a process behind. */
    measure(ARGS("latency", "audio", "-w",
                 "burn,burn2,storm,mixed,cmd:sh -c 'read p <left && kill -0 $p && exit 9; setsid sleep 999 & echo $! "
                 ">left; for i in 1 2 3 4 5 6 7 8 9; do echo 2.5; echo a; done; while [ $((n += 1)) -lt 9999 ]; do :; "
                 "done'",
                 CSV, KNOWN, "-t", "600ms"),
            0, &csv);
    (void)snprintf(threads, sizeof(threads), "%ld", 2 * strtol(word_of(&csv, "audio", "burn", "threads"), NULL, 10));
    expect_word(&csv, "audio", "burn2", "threads", threads);
    assert_true(strtod(word_of(&csv, "audio", "burn2", "load_cpu_s"), NULL) > 0);
    assert_true(strtod(word_of(&csv, "audio", "storm", "load_started"), NULL) > 0);
    assert_true(strtod(word_of(&csv, "audio", "mixed", "load_cpu_s"), NULL) > 0);
    assert_true(strtod(word_of(&csv, "audio", "mixed", "load_wakeups"), NULL) > 0);
    assert_true(strtod(word_of(&csv, "audio", "cmd", "load_cpu_s"), NULL) > 0);
    const double numbers = strtod(word_of(&csv, "audio", "cmd", "load_numbers"), NULL);
    assert_true(numbers > 0);
    assert_true(strtod(word_of(&csv, "audio", "cmd", "load_started"), NULL) > 1);
    assert_true(fabs(strtod(word_of(&csv, "audio", "cmd", "load_printed"), NULL) / numbers - 2.5) < 1e-9);
}

/* What the command starts in a session of its own is the load, too. */
CLI_TEST(test_latency_command_in_another_session)
{
    struct cli_csv csv;

    measure(ARGS("latency", "audio", CSV, KNOWN, "-t", "1s", "-w", "cmd:setsid -w sh -c 'while :; do :; done'"), 0,
            &csv);
    expect_status(&csv, "audio", "cmd", "ok", "");
    assert_true(strtod(word_of(&csv, "audio", "cmd", "load_cpu_s"), NULL) > 0);
}

/* Rows but for same_cpu and same_cache, which are there where a thread woke up again and caches are known. */
static size_t count_others(const struct cli_csv *csv, const char *test, const char *load)
{
    size_t n = count_pair(csv, test, load);

    for (size_t row = 0; row < csv->n_rows; row++)
        if (is_pair(csv, row, test, load) && !strncmp(cli_cell(csv, row, "metric"), "same_", 5)) {
            const double share = cli_number(csv, row, "value");
            assert_true(share >= 0 && share <= 100);
            n--;
        }
    return n;
}

/* Each row is there, and the figures agree with each other. */
CLI_TEST(test_latency_tasks_of_today)
{
    struct cli_csv csv;

    measure(ARGS("latency", "requests", "frame", "launch", "input", "audio-period", "-w", "none,burn", CSV, KNOWN, "-t",
                 "300ms", "--workers", "3", "--operations", "1", "--audio-period", "5ms"),
            0, &csv);
    for (unsigned i = 0; i < 2; i++) {
        const char *load = i ? "burn" : "none";
        const double n = pair_number(&csv, "requests", load, "latency", "n");
        const bool more = n >= 10000; /* P99.9 is known */
        assert_int_equal(count_pair(&csv, "alone", load), i);
        assert_int_equal(count_others(&csv, "requests", load), 7 + i + more);
        assert_true(count_others(&csv, "requests", load) < count_pair(&csv, "requests", load));
        assert_int_equal(count_others(&csv, "frame", load), 7 + i);
        assert_int_equal(count_pair(&csv, "launch", load), 4 + i);
        assert_int_equal(count_others(&csv, "input", load), 3 + i);
        assert_true(pair_number(&csv, "input", load, "latency", "min") > 0);
        assert_int_equal(count_others(&csv, "audio-period", load), 4 + i);
        expect_word(&csv, "audio-period", load, "interval_us", "5000");
        expect_word(&csv, "audio-period", load, "busy_us", "1500");
        assert_true(pair_number(&csv, "audio-period", load, "latency", "n") > 1);
        assert_true(pair_number(&csv, "audio-period", load, "xruns", "value") >= 0);
        if (i) /* nobody takes more than the CPUs have */
            assert_true(pair_number(&csv, "requests", load, "load_rate", "value") > 0 &&
                        pair_number(&csv, "alone", load, "load_rate", "value") > 0);
        expect_word(&csv, "requests", load, "workers", "3");
        expect_status(&csv, "requests", load, "ok", "");
        if (n >= 1000) {
            const double p99 = pair_number(&csv, "requests", load, "latency_p99", "value");
            assert_true(p99 >= pair_number(&csv, "requests", load, "latency_p99", "ci95_lo"));
            assert_true(p99 <= pair_number(&csv, "requests", load, "latency_p99", "ci95_hi"));
            assert_true(p99 <= pair_number(&csv, "requests", load, "latency_max", "value"));
        }
        assert_true(n > 0 && n == pair_number(&csv, "requests", load, "request_latency", "n"));
        assert_true(pair_number(&csv, "requests", load, "request_rate", "value") > 0);
        assert_true(pair_number(&csv, "requests", load, "request_latency", "min") >= 200000);
        assert_true(pair_number(&csv, "frame", load, "frame_rate", "value") <= 60.1);
        assert_true(pair_number(&csv, "launch", load, "latency", "min") >
                    pair_number(&csv, "launch", load, "fork_time", "min"));
    }
    for (unsigned i = 0; i < 2; i++) {
        const char *how = i ? "socket" : "pipe", *where = i ? "spread" : "cache";
        measure(ARGS("latency", "requests", "-w", "none", FAST, "--workers", "3", "--operations", "1", "--chain", "2",
                     "--hand-over", how, "--worker-cpus", where),
                0, &csv);
        expect_word(&csv, "requests", "none", "workers", "4");
        expect_word(&csv, "requests", "none", "chain", "2");
        expect_word(&csv, "requests", "none", "hand_over", how);
        expect_word(&csv, "requests", "none", "worker_cpus", where);
        assert_true(pair_number(&csv, "requests", "none", "latency", "n") ==
                    2 * pair_number(&csv, "requests", "none", "request_latency", "n"));
        const char *reason = cli_cell(&csv, 0, "reason"); /* as the machine is */
        assert_true(!reason[0] || strstr(reason, "last-level cache"));
    }
    measure(ARGS("latency", "frame", "-w", "none", FAST, "--frame-rate", "unlocked", "--frame-work", "1ms"), 0, &csv);
    assert_int_equal(count_others(&csv, "frame", "none"), 6); /* no display misses a frame */
    assert_true(pair_number(&csv, "frame", "none", "frame_time", "min") > 0);
}

CLI_TEST(test_latency_sweeps_cpus)
{
    struct cli_csv csv;
    size_t two = 0;

    cli_need_cpus(2);
    measure(ARGS("latency", "input", "-w", "none", FAST, "--sweep-cpus", "1,2"), 0, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        const bool one = strspn(cli_cell(&csv, row, "cpus"), "0123456789") == strlen(cli_cell(&csv, row, "cpus"));
        two += !one;
        if (!strstr(cli_cell(&csv, row, "param"), one ? " cpus=1" : " cpus=2"))
            fail_msg("on CPU %s: %s", cli_cell(&csv, row, "cpus"), cli_cell(&csv, row, "param"));
    }
    assert_int_equal(two, csv.n_rows / 2);
}

/* All threads of each task and of its load share one CPU. */
CLI_TEST(test_latency_tasks_of_today_on_one_cpu)
{
    struct cli_csv csv;

    measure(ARGS("latency", "requests", "frame", "launch", "input", "audio-period", "-w", "mixed", FAST, "--cpus", "0"),
            0, &csv);
    cli_expect_all(&csv, "cpus", "0");
    cli_expect_all(&csv, "status", "ok");
    assert_int_equal(count_pair(&csv, "alone", "mixed"), 1);
}

CLI_TEST(test_latency_audio_under_every_load_but_memload)
{
    static const char *const pairs[] = {"audio none video x burn write read ring compile", NULL};
    static const struct {
        const char *load, *counts[4];
    } did[] = {
        {"video", {"load_bursts"}},
        {"x", {NULL}}, /* a busy machine may not let it end one of its pieces of up to 100 ms */
        {"burn", {"load_cpu_s"}},
        {"write", {"load_written"}},
        {"read", {"load_read"}},
        {"ring", {"load_wakeups"}},
        {"compile", {"load_cpu_s", "load_written", "load_read"}},
    };
    struct cli_csv csv;

    measure(ARGS("latency", "-W", "audio", "-x", "memload", CSV, KNOWN, "-t", "600ms", SMALL), 0, &csv);
    expect_matrix(&csv, pairs);
    expect_measured(&csv, "audio", "none");
    expect_word(&csv, "audio", "none", "load", "");
    for (size_t i = 0; i < COUNT(did); i++) {
        expect_measured(&csv, "audio", did[i].load);
        expect_word(&csv, "audio", did[i].load, "load", "other");
        for (size_t c = 0; did[i].counts[c]; c++)
            if (!(strtod(word_of(&csv, "audio", did[i].load, did[i].counts[c]), NULL) > 0))
                fail_msg("%s has no %s", did[i].load, did[i].counts[c]);
    }
}

/* --- Options. --- */

CLI_TEST(test_latency_loops_are_measured_unless_given)
{
    struct cli_csv csv;

    measure(ARGS("latency", "audio", "-w", "none", "-t", "50ms", "-l", "1234567", CSV), 0, &csv);
    assert_int_equal(csv.n_rows, N_METRICS);
    expect_word(&csv, "audio", "none", "loops_per_ms", "1234567");
    measure(ARGS("latency", "audio", "-w", "none", "-t", "50ms", "-b", CSV), 0, &csv);
    assert_int_equal(csv.n_rows, N_METRICS + 1);
    assert_int_equal(cli_row(&csv, "calibrate", "loops_per_ms", 0), 0);
    (void)snprintf(loops, sizeof(loops), "%.0f", cli_number(&csv, 0, "value"));
    expect_word(&csv, "audio", "none", "loops_per_ms", loops);
}

/* From the calibration's own row, or from a parameter when that is not there. */
CLI_TEST(test_latency_loops_from_an_earlier_file)
{
    const struct cli_run first = {.args = ARGS("latency", "audio", "-w", "none", "-t", "50ms", "-q", "-o", "1.csv")};
    const struct cli_run second = {
        .args = ARGS("latency", "audio", "-w", "none", "-t", "50ms", "-q", "-l", "1.csv", "-o", "2.csv")};
    char found[32];
    struct cli_csv csv;

    cli_expect(&first, 0, NULL);
    cli_csv_read(cli_path("%s/1.csv", cli->work), &csv);
    (void)snprintf(found, sizeof(found), "%.0f", cli_number(&csv, cli_row(&csv, "calibrate", NULL, 0), "value"));
    cli_expect(&second, 0, NULL);
    measure(ARGS("latency", "x", "-w", "none", "-t", "50ms", CSV, "-l", "2.csv"), 0, &csv);
    assert_int_equal(cli_count(&csv, "calibrate", NULL), 0);
    expect_word(&csv, "x", "none", "loops_per_ms", found);
}

/* Threads of the worker processes of a run. */
static unsigned threads_below(pid_t parent)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    unsigned n = 0;

    assert_non_null(proc);
    while ((entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        char path[64];
        struct stat status;
        if (pid <= 0 || cli_parent_of(pid) != parent)
            continue;
        (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
        if (stat(path, &status) == 0)
            n += (unsigned)status.st_nlink - 2; /* a folder a thread */
    }
    (void)closedir(proc);
    return n;
}

/* The task, its timing thread, and those of the load. */
static void expect_load_threads(const char *const *args, unsigned of_load, const char *load, const char *name,
                                const char *value)
{
    const struct cli_run run = {.args = args};
    const uint64_t until = cli_deadline(10);
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_need_processor("an emulator has threads of its own");
    need_loops();
    cli_start(&run, &child);
    for (unsigned n; (n = threads_below(child.pid)) != 2 + of_load; cli_sleep_ms(1))
        if (cli_ended(child.pid) || cli_now_ns() > until)
            fail_msg("%s: the load has never had %u threads; now there are %u with the task's 2", load, of_load, n);
    cli_wait(&child, &result);
    cli_expect_status(&result, 0);
    cli_csv_parse(result.out, &csv);
    expect_word(&csv, "audio", load, name, value);
}

CLI_TEST(test_latency_threads_of_the_load)
{
    expect_load_threads(ARGS("latency", "audio", "-w", "burn", "-L", "3", FAST), 3, "burn", "threads", "3");
    expect_load_threads(ARGS("latency", "audio", "-w", "ring", "-L5", FAST), 5, "ring", "threads", "5");
    expect_load_threads(ARGS("latency", "audio", "-w", "hack", "--hack-groups", "2", FAST), 81, "hack", "groups", "2");
}

CLI_TEST(test_latency_no_file)
{
    struct cli_result result;

    need_loops();
    cli_expect_args(ARGS("latency", "audio", "-w", "none", KNOWN, "-t", "50ms", "-c"), 0, &result);
    cli_expect_text(result.out, "Simulated Audio under each load");
    cli_expect_no_text(result.out, "CSV:");
    cli_expect_files(cli->work, 0);
}

/* Task, timing thread and load are on the same CPUs: the words would name others. */
CLI_TEST(test_latency_single_cpu)
{
    struct cli_csv csv;

    cli_need_cpus(2);
    measure(ARGS("latency", "audio", "-w", "burn", FAST, "--cpus", "0-1"), 0, &csv);
    cli_expect_all(&csv, "cpus", "0-1");
    cli_expect_all(&csv, "bind", "range");
    expect_word(&csv, "audio", "burn", "threads", "2");
    expect_word(&csv, "audio", "burn", "load", "other");
    measure(ARGS("latency", "audio", "-w", "burn", FAST, "--cpus", "0-1", "-u"), 0, &csv);
    assert_int_equal(strlen(cli_cell(&csv, 0, "cpus")), 1);
    cli_expect_all(&csv, "cpus", cli_cell(&csv, 0, "cpus"));
    cli_expect_all(&csv, "bind", "one");
    expect_word(&csv, "audio", "burn", "threads", "2"); /* no fewer, as Interbench has it */
    expect_word(&csv, "audio", "burn", "load", "other");
    measure(ARGS("latency", "audio", "-w", "burn,ring", FAST, "--cpus", "0-1", "-u", "-L", "3"), 0, &csv);
    expect_word(&csv, "audio", "burn", "threads", "3");
    expect_word(&csv, "audio", "ring", "threads", "3");
    measure(ARGS("latency", "audio", "-w", "burn", FAST, "--cpus", "0-1", "--bind", "one"), 0, &csv);
    expect_word(&csv, "audio", "burn", "threads", "1");
    measure(ARGS("latency", "audio", "-w", "burn", FAST, "-u", "--cpus", CPU_S), 0, &csv);
    cli_expect_all(&csv, "cpus", CPU_S);
    expect_word(&csv, "audio", "burn", "threads", "1");
}

/* x and gaming have no such mode of their own. */
CLI_TEST(test_latency_real_time)
{
    static const char *const fine[] = {"audio none", "video none", NULL};
    struct cli_csv csv;

    cli_need_fifo();
    measure(ARGS("latency", "-r", "-w", "none", FAST), 0, &csv);
    expect_matrix(&csv, fine);
    cli_expect_all(&csv, "status", "ok");
    cli_expect_all(&csv, "policy", "fifo");
    cli_expect_all(&csv, "rt_priority", "95");
    expect_word(&csv, "audio", "none", "timer", "fifo:96");
    expect_word(&csv, "audio", "none", "control", "fifo:98");
    measure(ARGS("latency", "-r", "gaming", "audio", "-w", "burn", FAST), 0, &csv);
    expect_status(&csv, "audio", "burn", "ok", "");
    expect_word(&csv, "audio", "burn", "load", "other");
    expect_status(&csv, "gaming", "burn", "skipped", "--fifo");
    cli_need_cpus(2);
    measure(ARGS("latency", "-r", "gaming", "audio", "-w", "none", FAST, "--fifo=40"), 0, &csv);
    cli_expect_all(&csv, "status", "ok");
    cli_expect_all(&csv, "rt_priority", "40");
}

CLI_TEST(test_latency_custom)
{
    struct cli_csv csv;

    cli_need_processor("a busy emulator is late, and then in a hurry");
    measure(ARGS("latency", "custom", "audio", "-w", "none,custom", "-C", "10", "-I", "2000", FAST), 0, &csv);
    expect_matrix(&csv, ARGS("audio none custom", "custom none"));
    expect_word(&csv, "custom", "none", "interval_us", "2000");
    expect_word(&csv, "custom", "none", "busy_us", "200");
    assert_true(pair_number(&csv, "custom", "none", "latency", "n") == 50);
    /* As many bursts as there are intervals, but for those that a busy machine swallows. */
    double bursts = strtod(word_of(&csv, "audio", "custom", "load_bursts"), NULL);
    if (!(bursts > 1 && bursts < 60))
        fail_msg("custom has had %.0f bursts in 100 ms", bursts);
    /* With its figures it is one of the tasks. */
    measure(ARGS("latency", "-C", "2.5", "-I", "10ms", "-w", "none", "--late-after", "3ms", FAST), 0, &csv);
    expect_matrix(&csv, ARGS("audio none", "video none", "x none", "gaming none", "custom none"));
    expect_word(&csv, "custom", "none", "interval_us", "10000");
    expect_word(&csv, "custom", "none", "busy_us", "250");
    expect_word(&csv, "custom", "none", "late_after_us", "3000");
    expect_word(&csv, "audio", "none", "late_after_us", "3000");
    /* Total (from due to running) is never less than latency (from wake-up to running). */
    assert_true(pair_number(&csv, "custom", "none", "total", "n") ==
                pair_number(&csv, "custom", "none", "latency", "n"));
    assert_true(pair_number(&csv, "custom", "none", "total", "value") >
                pair_number(&csv, "custom", "none", "latency", "value"));
}

CLI_TEST(test_latency_x_sweeps)
{
    struct cli_csv csv;

    measure(ARGS("latency", "x", "-w", "none", CSV, KNOWN, "-t", "600ms"), 0, &csv);
    expect_measured(&csv, "x", "none");
    expect_word(&csv, "x", "none", "busy", "sweep");
    /* Six wake-ups with 0, 20, ... 100 % of 100 ms. */
    double cpu_s = pair_number(&csv, "x", "none", "latency", "cpu_s");
    if (!(cpu_s > 0.05 && cpu_s < 0.5))
        fail_msg("x has used %g s of 0.6 s", cpu_s);
}

/* Work that is over long before its time has no excess: no latency, no deviation, all of the CPU that was wanted. */
CLI_TEST(test_latency_gaming)
{
    struct cli_csv csv;

    measure(ARGS("latency", "gaming", "-w", "none", CSV, KNOWN, "-t", "300ms"), 0, &csv);
    expect_measured(&csv, "gaming", "none");
    expect_word(&csv, "gaming", "none", "busy_us", "100000");
    measure(ARGS("latency", "gaming", "-w", "none", CSV, "-l", "100", "-t", "20ms"), 0, &csv);
    assert_true(pair_number(&csv, "gaming", "none", "latency", "n") > 1);
    /* But where it waited longer for its CPU than the 100 ms that it has. */
    const size_t row = pair_row(&csv, "gaming", "none", "latency");
    const double waited_ns = 1e6 * (cli_number(&csv, row, "run_delay_ms") + cli_number(&csv, row, "steal_ms"));
    assert_true(cli_number(&csv, row, "value") * cli_number(&csv, row, "n") <= fmax(0, waited_ns - 1e8));
    if (waited_ns < 1e8) {
        assert_string_equal(cli_cell(&csv, row, "value"), "0");
        assert_string_equal(cli_cell(&csv, row, "sd"), "0");
        assert_string_equal(cli_cell(&csv, pair_row(&csv, "gaming", "none", "desired_cpu"), "value"), "100");
    }
}

/* --- A stall. --- */

#define STALL_NS  300000000.0
#define PERIOD_NS 5000000.0
#define PERIODS   400

/* Takes the CPU from all but the timing thread, once. Returns how long, to the pipe. */
static void hog(int report)
{
    const struct rlimit limit = {1000000, 2000000};
    const struct sched_param param = {.sched_priority = 50};
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(CPU, &one);
    (void)alarm(3);
    if (setrlimit(RLIMIT_RTTIME, &limit) || sched_setaffinity(0, sizeof(one), &one) ||
        sched_setscheduler(0, SCHED_FIFO, &param))
        _exit(1);
    uint64_t from = cli_now_ns(), took;
    while ((took = cli_now_ns() - from) < (uint64_t)STALL_NS) {
    }
    _exit(write(report, &took, sizeof(took)) == sizeof(took) ? 0 : 1);
}

static double stall(void)
{
    uint64_t took = 0;
    int report[2], status = -1;

    assert_int_equal(pipe2(report, O_CLOEXEC), 0);
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        hog(report[1]);
    (void)close(report[1]);
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read(report[0], &took, sizeof(took)), sizeof(took));
    (void)close(report[0]);
    return (double)took;
}

static void expect_between(double value, double least, double most, const char *what)
{
    if (!(value >= least && value <= most))
        fail_msg("%s is %g, not %g to %g", what, value, least, most);
}

/* Time that others than the hog kept the task from its CPU, by the kernel's counts: tasks of a higher priority, the
 * hypervisor, and interrupts that made the timer late. */
static double others_ns(const struct cli_csv *csv, double stalled_ns)
{
    double waited_ns = 1e6 * pair_number(csv, "custom", "none", "latency", "run_delay_ms");

    return fmax(0, waited_ns - stalled_ns) + 1e6 * pair_number(csv, "custom", "none", "latency", "steal_ms") +
           pair_number(csv, "custom", "none", "timer_latency", "max");
}

/* Compares with the figures computed from the stall: each wake-up during it is late by the rest of the stall; the first
 * one may be missing. Other disturbances can only add to that. */
static void expect_stall(const struct cli_csv *csv, double stalled_ns, bool classic)
{
    const double lost = floor(stalled_ns / PERIOD_NS), more = others_ns(csv, stalled_ns);
    double sum = 0;

    for (double left = stalled_ns; left > 0; left -= PERIOD_NS)
        sum += left;
    expect_between(pair_number(csv, "custom", "none", "latency", "max"), stalled_ns - PERIOD_NS,
                   1.05 * stalled_ns + more, "the maximum");
    expect_between(pair_number(csv, "custom", "none", "latency", "mean"), 0.9 * sum / PERIODS,
                   1.1 * sum / PERIODS + more, "the mean");
    if (classic) /* one latency, to which each period that was lost adds its length */
        expect_between(pair_number(csv, "custom", "none", "latency_classic", "max"),
                       stalled_ns + (lost - 2) * PERIOD_NS, 1.05 * stalled_ns + lost * PERIOD_NS + 2 * more,
                       "the maximum by the classic rule");
    /* A turn of a tenth of its period is spoilt by nine tenths of a period at the least. */
    const double most = lost + 6 + more / (0.9 * PERIOD_NS);
    expect_between(PERIODS * (1 - pair_number(csv, "custom", "none", "deadlines_met", "value") / 100), lost - 2, most,
                   "missed deadlines");
    expect_between(PERIODS * (1 - pair_number(csv, "custom", "none", "desired_cpu", "value") / 100), lost - 2, most,
                   "missed work");
}

/* Real-time with a priority below the hog: only the hog and tasks of a higher priority keep the task from its CPU. */
static void check_stall(bool classic)
{
    const struct cli_run run = {.args =
                                    ARGS("latency", "custom", "-C", "10", "-I", "5000", "-u", "--cpus", CPU_S, "--load",
                                         "none", "-t", "2", CSV, KNOWN, "--fifo=10", classic ? "--classic" : "-q")};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    cli_need_fifo();
    need_loops();
    cli_start(&run, &child);
    (void)cli_wait_worker(child.pid);
    cli_sleep_ms(700);
    double stalled_ns = stall();
    assert_false(cli_ended(child.pid));
    cli_wait(&child, &result);
    cli_expect_status(&result, 0);
    cli_csv_parse(result.out, &csv);
    expect_status(&csv, "custom", "none", "ok", "");
    expect_rows(&csv, "custom", "none", classic);
    /* With --classic the same: each wake-up, and each that was skipped. The last ones may be behind the end. */
    expect_between(pair_number(&csv, "custom", "none", "latency", "n"), PERIODS - (classic ? STALL_NS / PERIOD_NS : 0),
                   PERIODS, "the number of wake-ups");
    expect_stall(&csv, stalled_ns, classic);
    /* The timing thread is above the hog. */
    double timer_ns = pair_number(&csv, "custom", "none", "timer_latency", "max");
    expect_between(timer_ns, 0, STALL_NS / 3 + 1e6 * pair_number(&csv, "custom", "none", "latency", "steal_ms"),
                   "the timer's lateness");
    /* Everything stood still only if it was late by more than a whole interval. */
    double interval_ns = 1e3 * strtod(word_of(&csv, "custom", "none", "interval_us"), NULL);
    assert_true(interval_ns > 0);
    assert_int_equal(strstr(result.err, "Stall: under none") != NULL, timer_ns > interval_ns);
}

CLI_TEST(test_latency_sees_a_stall)
{
    check_stall(false);
}

/* The same stall as Interbench counts it, and its true length. */
CLI_TEST(test_latency_classic_sees_a_stall)
{
    check_stall(true);
}

CLI_TEST(test_latency_classic)
{
    struct cli_csv csv;

    measure(ARGS("latency", "--classic", "audio", "x", "gaming", "-w", "none,video", FAST), 0, &csv);
    expect_matrix(&csv, ARGS("audio none video", "x none video", "gaming none video"));
    for (size_t row = 0; row < csv.n_rows; row++) {
        const char *test = cli_cell(&csv, row, "test");
        bool gaming = !strcmp(test, "gaming");
        expect_rows(&csv, test, cli_cell(&csv, row, "load"), true);
        assert_int_equal(strstr(cli_cell(&csv, row, "param"), " protocol=classic") == NULL, gaming);
    }
}

/* --- Safety. --- */

static void wait_living(pid_t parent, unsigned n)
{
    const uint64_t until = cli_deadline(10);

    while (cli_living(parent) < n) {
        if (cli_now_ns() > until)
            fail_msg("not %u processes", n);
        cli_sleep_ms(2);
    }
}

/* Milliseconds of CPU time that a process which does not sleep has had on the CPU in half a second. */
static unsigned cpu_ms_left(void)
{
    int status = -1;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(CPU, &one);
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        uint64_t until = cli_now_ns() + 500000000u;
        struct timespec used = {.tv_sec = 0};
        if (sched_setaffinity(0, sizeof(one), &one))
            _exit(0);
        (void)setpriority(PRIO_PROCESS, 0, -20); /* before other tests that run on this CPU */
        while (cli_now_ns() < until)
            (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        _exit((int)(used.tv_nsec / 1000000) / 2); /* less than 256 */
    }
    assert_true(pid > 0);
    for (unsigned tries = 0; waitpid(pid, &status, WNOHANG) == 0; tries++) {
        if (tries == 1000)
            (void)kill(pid, SIGKILL);
        cli_sleep_ms(5);
    }
    return WIFEXITED(status) ? 2 * (unsigned)WEXITSTATUS(status) : 0;
}

CLI_TEST(test_latency_real_time_leaves_the_cpu_to_others)
{
    const struct cli_run run = {.args = ARGS("latency", "audio", "-r", "-u", "--cpus", CPU_S, "--load", "burn", "-t",
                                             "30", KNOWN, "-o", "rows.csv")};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    cli_need_fifo();
    need_loops();
    cli_start(&run, &child);
    wait_living(child.pid, 2);
    cli_sleep_ms(300);
    unsigned ms = cpu_ms_left();
    if (ms < 20)
        fail_msg("only %u ms of 500 were left", ms);
    assert_int_equal(kill(child.pid, SIGINT), 0);
    assert_true(cli_ends(&child, 2, &result)); /* it would take 30 s */
    cli_expect_status(&result, 128 + SIGINT);
    cli_csv_only(cli->work, &csv);
    expect_status(&csv, "audio", "burn", "skipped", "SIGINT");
    cli_expect_all_gone("burn");
}

CLI_TEST(test_latency_leaves_nothing)
{
    static const char *const loads[] = {"burn", "hack", "write", "read",
                                        "cmd:sh -c 'setsid sleep 999 & sleep 999 & while :; do :; done'"};
    static const int signals[] = {SIGINT, SIGKILL, 0};

    need_loops();
    for (size_t i = 0; i < COUNT(loads) * COUNT(signals); i++) {
        const char *load = loads[i / COUNT(signals)];
        int number = signals[i % COUNT(signals)];
        const struct cli_run run = {.args = ARGS("latency", "audio", "-w", load, "-q", "-c", KNOWN, SMALL, "-d",
                                                 cli->tmp, "-t", number ? "60s" : "100ms", "--hack-groups", "1")};
        struct cli_child child;
        struct cli_result result;
        cli_start(&run, &child);
        wait_living(child.pid, 2);
        cli_sleep_ms(number ? 200 : 0);
        if (number)
            assert_int_equal(kill(child.pid, number), 0);
        cli_wait(&child, &result);
        cli_expect_all_gone(load);
        cli_expect_status(&result, number == SIGKILL ? -number : number ? 128 + number : 0);
    }
}

static int without_proc(void *context)
{
    (void)context;
    return cli_own_mounts() || mount("none", "/proc", "tmpfs", 0, "size=64k") ? -1 : 0;
}

/* Whether it works could not be seen. */
CLI_TEST(test_latency_command_needs_proc)
{
    struct cli_csv csv;

    cli_need_mount_namespace();
    measure_prepared(ARGS("latency", "audio", "-w", "cmd:/bin/true", FAST), without_proc, NULL, 1, &csv);
    expect_status(&csv, "audio", "cmd", "failed", "its CPU time is not known without /proc");
}

/* The load learns of CPU time and of jitbench's end at once, and cannot tell it that it works. */
CLI_TEST(test_latency_killed_before_the_load_works)
{
    const struct cli_run run = {
        .args = ARGS("latency", "requests", "-q", "-c", KNOWN, "-t", "60s", "-w",
                     "cmd:sh -c 'setsid sleep 999 & read a b c jitbench d </proc/$PPID/stat; kill -STOP $PPID; i=0; "
                     "while [ $i -lt 300000 ]; do i=$((i+1)); done; kill -9 $jitbench; kill -CONT $PPID; "
                     "while :; do :; done'")};
    struct cli_child child;
    struct cli_result result;

    need_loops();
    cli_start(&run, &child);
    cli_wait(&child, &result);
    cli_expect_all_gone("the load's");
    cli_expect_status(&result, -SIGKILL);
}

#define GROUPS "find /sys/fs/cgroup -type d -name '.jitbench-*' 2>&1"

/* What there is when jitbench is killed: its own, and perhaps of others that run. */
static void expect_no_group(char names[8192])
{
    for (char *name; (name = strsep(&names, "\n"));)
        for (unsigned tries = 0; name[0] && !access(name, F_OK); tries++) {
            assert_true(tries < 600);
            cli_sleep_ms(50);
        }
}

CLI_TEST(test_latency_group_of_the_load)
{
    char names[8192] = "";
    struct cli_csv csv;

    measure(ARGS("latency", "requests", "-w", "mixed", CSV, KNOWN, "-t", "500ms", "--load-weight", "10", "--load-limit",
                 "50%", "--load-policy", "idle"),
            0, &csv);
    if (!strcmp(cli_cell(&csv, 0, "status"), "skipped"))
        cli_skip("%s", cli_cell(&csv, 0, "reason"));
    expect_word(&csv, "requests", "mixed", "load_weight", "10");
    expect_word(&csv, "requests", "mixed", "load_limit", "50%");
    expect_word(&csv, "requests", "mixed", "load", "idle");
    assert_true(pair_number(&csv, "requests", "mixed", "load_rate", "value") < 0.8);

    const struct cli_run run = {.args = ARGS("latency", "requests", "-w", "compile", "-q", "-c", KNOWN, SMALL, "-d",
                                             cli->tmp, "-t", "60s", "--load-weight", "10")};
    struct cli_child child;
    struct cli_result result;
    cli_start(&run, &child);
    for (unsigned tries = 0; !names[0] && tries < 600; tries++) {
        FILE *find = popen(GROUPS, "r");
        names[fread(names, 1, sizeof(names) - 1, find)] = '\0';
        pclose(find);
        cli_sleep_ms(20);
    }
    assert_true(names[0]);
    wait_living(child.pid, 3);
    assert_int_equal(kill(child.pid, SIGKILL), 0);
    cli_wait(&child, &result);
    cli_expect_all_gone("the group's");
    expect_no_group(names);
    cli_expect_status(&result, -SIGKILL);
}

/* What each side won, and what its load paid, is told at the end. */
CLI_TEST(test_latency_sides_are_compared)
{
    const struct cli_run run = {.args = ARGS("latency", "requests", "-w", "none", KNOWN, "-t", "50ms", "--runs", "1",
                                             "-o", "sides.csv", "--interleave", cli_binary)};
    struct cli_result result;

    need_loops();
    cli_expect(&run, 0, &result);
    assert_non_null(strstr(result.out, "jitbench compare --across build 'sides-a*.csv' -- 'sides-b*.csv'"));
    assert_non_null(strstr(result.out, "Not decided: "));
}

/* --- What is refused. --- */

CLI_TEST(test_latency_says_what_was_refused)
{
    static const struct {
        unsigned number;
        const char *option, *value, *reason, *column, *seen;
    } denied[] = {
        {SYS_sched_setscheduler, "-L", "1", "timer: SCHED_FIFO 96 refused: ", "policy", "other"},
        {SYS_sched_setscheduler, "-i", "1", "control", NULL, NULL},
        {SYS_sched_setscheduler, "--fifo=50", "-u", "SCHED_FIFO 50 refused: ", "policy", "other"},
        {SYS_sched_setaffinity, "-L", "1", "CPU affinity refused: ", NULL, NULL},
        {SYS_setpriority, "-B", "5", "nice 5 refused: ", "nice", "0"},
        {SYS_setpriority, "-N", "5", "load: nice 5 refused: ", NULL, NULL},
        {SYS_mlockall, "-r", "-u", "mlockall refused: ", "policy", "fifo"},
    };
    struct cli_csv csv;

    cli_need_fifo(); /* its lack would be another reason */
    if (!program_has_our_calls(cli_binary))
        cli_skip("the program's system calls have other numbers than the test's");
    for (size_t i = 0; i < COUNT(denied); i++) {
        struct refusal refusals[] = {{.kind = REFUSE_CALL, .number = denied[i].number, .error = EPERM}, {.kind = 0}};
        const char *task = strcmp(denied[i].reason, "control") ? "audio" : "gaming"; /* has no timing thread */
        measure_prepared(ARGS("latency", task, "-w", "burn", FAST, denied[i].option, denied[i].value), refuse, refusals,
                         0, &csv);
        expect_status(&csv, task, "burn", "degraded", denied[i].reason);
        expect_status(&csv, task, "burn", "degraded", "Operation not permitted");
        cli_expect_all(&csv, "status", "degraded");
        if (denied[i].column)
            cli_expect_all(&csv, denied[i].column, denied[i].seen);
    }
}

/* Runs as nobody, without real-time rights. The context is the limit of processes; NULL: no limit. */
static int become_nobody(void *context)
{
    const struct rlimit none = {0, 0}, *processes = context;

    if (setrlimit(RLIMIT_RTPRIO, &none) || (processes && setrlimit(RLIMIT_NPROC, processes)))
        return -1;
    return cli_become_nobody();
}

CLI_TEST(test_latency_nobody)
{
    struct cli_csv csv;

    measure_prepared(ARGS("latency", "audio", "-w", "burn", FAST), become_nobody, NULL, 0, &csv);
    expect_status(&csv, "audio", "burn", "degraded", "timer: SCHED_FIFO 96 refused: ");
    expect_status(&csv, "audio", "burn", "degraded", "needs root; CAP_SYS_NICE or ulimit -r");
    expect_word(&csv, "audio", "burn", "timer", "other");
    expect_word(&csv, "audio", "burn", "control", "");
    assert_true(pair_number(&csv, "audio", "burn", "latency", "n") == 2);
    measure_prepared(ARGS("latency", "audio", "-r", "-w", "none", FAST), become_nobody, NULL, 0, &csv);
    expect_status(&csv, "audio", "none", "degraded", "SCHED_FIFO 95 refused: ");
    cli_expect_all(&csv, "policy", "other");
}

static int hide_devices(void *context)
{
    (void)context;
    return cli_own_mounts() || mount("none", "/dev", "tmpfs", 0, "size=64k") ? -1 : 0;
}

#define HOLDING "latency", "audio", "-w", "none", FAST, "--hold-latency"

CLI_TEST(test_latency_holds_latency)
{
    struct cli_csv csv;

    cli_need_fifo();
    measure(ARGS("latency", "audio", "-w", "none", FAST), 0, &csv);
    cli_expect_all(&csv, "timer_latency_held", "no");
    cli_expect_all(&csv, "status", "ok");
    if (access("/dev/cpu_dma_latency", R_OK | W_OK) == 0) {
        measure(ARGS(HOLDING), 0, &csv);
        cli_expect_all(&csv, "timer_latency_held", "yes");
        cli_expect_all(&csv, "status", "ok");
    }
    cli_need_root();
    measure_prepared(ARGS(HOLDING), become_nobody, NULL, 0, &csv);
    cli_expect_all(&csv, "timer_latency_held", "no");
    cli_expect_all(&csv, "status", "degraded");
    cli_need_mount_namespace();
    measure_prepared(ARGS(HOLDING), hide_devices, NULL, 0, &csv);
    cli_expect_all(&csv, "timer_latency_held", "no");
    expect_status(&csv, "audio", "none", "degraded", "--hold-latency: /dev/cpu_dma_latency: No such file");
}

/* --- Disks. --- */

static void expect_on_disk(const struct cli_csv *csv, const char *load, const char *moved, const char *counted)
{
    double did = strtod(word_of(csv, "audio", load, moved), NULL);
    double disk = strtod(word_of(csv, "audio", load, counted), NULL);

    expect_status(csv, "audio", load, "ok", "");
    if (!(did >= 1048576 && disk >= did / 2))
        fail_msg("%s: %s is %.0f, %s %.0f", load, moved, did, counted, disk);
}

CLI_TEST(test_latency_disk_loads_reach_the_disk)
{
    static const char *const disks[] = {"ext4", "xfs", "btrfs", "f2fs"};
    struct cli_csv csv;
    bool disk = false;

    cli_need_fifo();
    measure(ARGS("latency", "audio", "-w", "write,read,compile", CSV, KNOWN, "-t", "500ms", "--file-size", "16M", "-d",
                 cli->tmp),
            0, &csv);
    const char *fs = cli_cell(&csv, 0, "scratch_fs");
    for (size_t i = 0; i < COUNT(disks); i++)
        disk |= !strcmp(fs, disks[i]);
    if (!disk)
        cli_skip("%s is on %s, which is not known to be a disk", cli->tmp, fs);
    cli_expect_all(&csv, "scratch_fs", fs);
    expect_word(&csv, "audio", "write", "file", "16M");
    expect_on_disk(&csv, "write", "load_written", "load_disk_written");
    expect_on_disk(&csv, "read", "load_read", "load_disk_read");
    expect_on_disk(&csv, "compile", "load_written", "load_disk_written");
    expect_on_disk(&csv, "compile", "load_read", "load_disk_read");
}

/* In a mount namespace, the scratch directory as a file system of its own. */
struct mounted {
    const char *folder, *options;
};

static int mount_scratch(void *context)
{
    const struct mounted *m = context;

    return cli_own_mounts() || mount("none", m->folder, "tmpfs", 0, m->options) ? -1 : 0;
}

CLI_TEST(test_latency_tmpfs_is_no_disk)
{
    struct mounted mounted = {.folder = cli->tmp, .options = "size=64m,mode=0777"};
    struct cli_csv csv;

    cli_need_mount_namespace();
    cli_need_fifo();
    measure_prepared(ARGS("latency", "audio", "-w", "write,read", FAST, SMALL), mount_scratch, &mounted, 0, &csv);
    cli_expect_all(&csv, "scratch_fs", "tmpfs");
    expect_status(&csv, "audio", "write", "degraded", "tmpfs is not a disk");
    expect_status(&csv, "audio", "read", "degraded", "tmpfs is not a disk");
}

/* --- Loads that cannot run. --- */

static void expect_no_disk_loads(const struct cli_csv *csv, const char *reason)
{
    expect_status(csv, "audio", "write", "skipped", reason);
    expect_status(csv, "audio", "read", "skipped", reason);
    expect_status(csv, "audio", "compile", "skipped", reason);
    expect_measured(csv, "audio", "none");
    expect_measured(csv, "audio", "burn");
}

#define AROUND_DISKS "latency", "audio", "-w", "none,burn,write,read,compile", FAST

CLI_TEST(test_latency_no_place_for_files)
{
    struct mounted mounted = {.folder = cli->tmp, .options = "size=64k,mode=0777"};
    struct cli_csv csv;

    measure(ARGS(AROUND_DISKS, "-d", "/nonexistent"), 0, &csv);
    expect_no_disk_loads(&csv, "'/nonexistent': No such file");
    assert_int_equal(chmod(cli->tmp, 0555), 0);
    measure_prepared(ARGS(AROUND_DISKS, "-d", cli->tmp), become_nobody, NULL, 0, &csv);
    assert_int_equal(chmod(cli->tmp, 0777), 0);
    expect_no_disk_loads(&csv, "Permission denied");
    cli_need_mount_namespace();
    measure_prepared(ARGS(AROUND_DISKS), mount_scratch, &mounted, 0, &csv);
    expect_no_disk_loads(&csv, " free; not ");
}

/* The row says which limit, and those behind it are measured. */
CLI_TEST(test_latency_too_few_processes)
{
    struct rlimit few = {50, 50};
    struct cli_csv csv;

    cli_need_root(); /* which itself is not bound by the limit */
    measure_prepared(ARGS("latency", "audio", "-w", "none,burn,ring,write", "-L", "64", FAST, SMALL), become_nobody,
                     &few, 1, &csv);
    expect_measured(&csv, "audio", "none");
    /* The load's threads or that of the timer: they are made at once. */
    expect_status(&csv, "audio", "burn", "failed", "RLIMIT_NPROC");
    expect_status(&csv, "audio", "ring", "failed", "RLIMIT_NPROC");
    expect_measured(&csv, "audio", "write");
}

static bool has_swap(void)
{
    char line[128];
    unsigned long kib = 1;
    FILE *file = fopen("/proc/meminfo", "re");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file))
        (void)sscanf(line, "SwapTotal: %lu", &kib);
    (void)fclose(file);
    return kib > 0;
}

/* Not unless it is named: it would take nearly all of the memory, and there is nowhere to put it. */
CLI_TEST(test_latency_memload_without_swap)
{
    struct cli_csv csv;

    cli_need_fifo();
    measure(ARGS("latency", "audio", "-w", "memload", "--memload-size", "64M", FAST), 0, &csv);
    expect_status(&csv, "audio", "memload", "ok", "");
    expect_word(&csv, "audio", "memload", "memory", "64M");
    assert_true(strtod(word_of(&csv, "audio", "memload", "load_moved"), NULL) >= 1048576);
    if (has_swap())
        cli_skip("there is swap");
    measure(ARGS("latency", "audio", "-x", "none,video,x,burn,write,read,ring", "-x", "compile", FAST), 0, &csv);
    expect_status(&csv, "audio", "memload", "skipped", "no swap");
    expect_status(&csv, "audio", "memload", "skipped", "--load memload");
}
