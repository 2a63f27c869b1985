/* SPDX-License-Identifier: MIT */
/* jitbench check on the machine that the tests run on, whatever that is like. What it finds in machines of other kinds
 * is in tests/unit/test_settings.c. */
#include <grp.h>

#include "cli.h"

#define DONE    0
#define USAGE   2
#define FINDING 4

/* --- helpers --- */

/* Runs it, and reads the CSV that it writes to standard output; result has the table as err. */
static void check(const struct cli_run *how, struct cli_csv *csv, struct cli_result *result)
{
    struct cli_run run = *how;
    struct cli_child child;

    cli_start(&run, &child);
    cli_wait(&child, result);
    if (result->unprepared) {
        int error = result->unprepared;
        cli_skip("this place cannot be made here: %s", strerror(error));
    }
    if (result->status != DONE && result->status != FINDING)
        cli_expect_status(result, FINDING);
    cli_csv_parse(result->out, csv);
    assert_true(csv->n_rows > 0);
}

static size_t row_of(const struct cli_csv *csv, const char *item)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "item"), item))
            return row;
    fail_msg("no item '%s'", item);
    return 0;
}

/* The line of a table that begins with the item; "" when there is none. */
static const char *line_of(const char *text, const char *item)
{
    size_t length = strlen(item);

    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (!strncmp(at, item, length) && at[length] == ' ')
            return at;
    return "";
}

static int become_nobody(void *context)
{
    (void)context;
    if (geteuid() != 0)
        return 0;
    return setgroups(0, NULL) || setgid(65534) || setuid(65534) ? -1 : 0;
}

static int hide_proc_and_sys(void *context)
{
    (void)context;
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return -1;
    return mount("none", "/proc", "tmpfs", 0, NULL) || mount("none", "/sys", "tmpfs", 0, NULL) ? -1 : 0;
}

static int only_cpu_0(void *context)
{
    cpu_set_t one;

    (void)context;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    return sched_setaffinity(0, sizeof(one), &one);
}

/* --- what it prints --- */

/* Beside the whole outputs of made-up machines in tests/golden: the kernel that runs is the one that is read. */
CLI_TEST(test_check_reads_this_machine)
{
    char level[2] = "", value[32];
    struct cli_result result;
    struct cli_csv csv;
    int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);

    if (read(fd, level, 1) != 1)
        cli_skip("/proc/sys/kernel/randomize_va_space cannot be read");
    (void)close(fd);
    (void)snprintf(value, sizeof(value), "\"value\": \"%s (", level);
    cli_expect_args(ARGS("check", "--cpus", "0", "aslr", "--json", "-o", "found.csv"), DONE, &result);
    cli_expect_text(result.out, value);
    cli_csv_read(cli_path("%s/found.csv", cli->work), &csv);
    assert_int_equal(csv.n_rows, 1);
    assert_memory_equal(cli_cell(&csv, 0, "now"), value + strlen("\"value\": \""), 3);
    cli_expect(&(struct cli_run){.args = ARGS("check", "aslr")}, DONE, &result);
    assert_memory_equal(result.out, "Where     ", 10);
    cli_expect_text(result.out, geteuid() == 0 ? "root\n" : "not as");
}

CLI_TEST(test_check_is_100_columns_wide_without_a_terminal)
{
    const struct cli_run run = {.args = ARGS("check", "-q")};
    struct cli_child child;
    struct cli_result result;
    size_t longest = 0;

    cli_start(&run, &child);
    cli_wait(&child, &result);
    for (const char *at = result.out; *at; at += strcspn(at, "\n") + 1)
        longest = strcspn(at, "\n") > longest ? strcspn(at, "\n") : longest;
    if (longest > 100 || longest < 70)
        fail_msg("%zu columns", longest);
}

CLI_TEST(test_check_quiet_is_only_the_table)
{
    struct cli_result result;

    cli_expect_args(ARGS("check", "-q", "aslr", "hz"), DONE, &result);
    assert_memory_equal(result.out, "Item ", 5);
    cli_expect_no_text(result.out, "Where");
    cli_expect_no_text(result.out, " unknown,");
    cli_expect_no_text(result.out, "\n\n");
    assert_string_equal(result.err, "");
}

/* --- items --- */

/* Alone each item has the verdict that it has among all, and the exit status goes by it. */
CLI_TEST(test_check_items_alone_and_the_exit_status)
{
    static const char *const steady[] = {"aslr", "isolated", "rcu_nocbs", "thp", "clocksource", "hypervisor", "power"};
    const struct cli_run all = {.args = ARGS("check", "-o", "-")};
    struct cli_result result;
    struct cli_csv csv;

    check(&all, &csv, &result);
    for (size_t i = 0; i < COUNT(steady); i++) {
        const struct cli_run one = {.args = ARGS("check", "-q", steady[i])};
        const char *verdict = cli_cell(&csv, row_of(&csv, steady[i]), "verdict");
        cli_expect(&one, strcmp(verdict, "noisy") ? DONE : FINDING, &result);
        cli_expect_text(line_of(result.out, steady[i]), verdict);
    }
}

CLI_TEST(test_check_items_in_the_order_of_the_list_and_once)
{
    const struct cli_run run = {.args = ARGS("check", "hz", "-o", "-", "governor", "hz", "thp")};
    struct cli_result result;
    struct cli_csv csv;

    check(&run, &csv, &result);
    assert_int_equal(csv.n_rows, 3);
    assert_string_equal(cli_cell(&csv, 0, "item"), "governor");
    assert_string_equal(cli_cell(&csv, 1, "item"), "thp");
    assert_string_equal(cli_cell(&csv, 2, "item"), "hz");
}

CLI_TEST(test_check_cpus)
{
    const struct cli_run named = {.args = ARGS("check", "--cpus", "0", "aslr")};
    const struct cli_run none = {.args = ARGS("check", "--cpus", "0,8191")};
    struct cli_result result;

    cli_need_cpus(1);
    cli_expect(&named, DONE, &result);
    cli_expect_text(result.out, "\nCPUs      0 to measure on");
    cli_expect(&none, USAGE, &result);
    cli_expect_text(result.err, "jitbench check: --cpus: CPU 8191 is offline or does not exist (online: 0");
}

CLI_TEST(test_check_cpus_by_name)
{
    const struct cli_run all = {.args = ARGS("check", "--cpus", "all", "aslr")};
    const struct cli_run quiet = {.args = ARGS("check", "--cpus", "quiet", "aslr")};
    struct cli_result result;
    unsigned cpu;
    char end;

    cli_need_cpus(2);
    cli_expect(&all, DONE, &result);
    cli_expect_text(result.out, " to measure on (bench CPUs), none for all else");
    cli_expect(&quiet, DONE, &result);
    const char *line = strstr(result.out, "\nCPUs ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\nCPUs %u to measure on (bench CPUs)%c", &cpu, &end), 2);
    assert_int_equal(end, ',');
}

/* Bound to one CPU it judges that; with several, the one that booted is left out. */
CLI_TEST(test_check_default_cpus)
{
    const struct cli_run bound = {.args = ARGS("check", "aslr"), .prepare = only_cpu_0};
    const struct cli_run free_run = {.args = ARGS("check", "aslr")};
    struct cli_result result;

    cli_need_cpus(2);
    cli_expect(&bound, DONE, &result);
    cli_expect_text(result.out, "\nCPUs      0 to measure on");
    cli_expect(&free_run, DONE, &result);
    cli_expect_no_text(result.out, "\nCPUs      0");
}

/* --- the CSV --- */

CLI_TEST(test_check_never_overwrites)
{
    cli_write_file(cli->work, "mine", "precious");
    cli_expect_error(ARGS("check", "-o", "mine"),
                     "jitbench check: -o 'mine': the file exists; jitbench never overwrites without --force\n");
    char *text = cli_read_file(cli_path("%s/mine", cli->work), NULL);
    assert_string_equal(text, "precious");
    assert_int_equal(symlink("nowhere", cli_path("%s/link", cli->work)), 0);
    cli_expect_error(ARGS("check", "-o", "link"),
                     "jitbench check: -o 'link': a symbolic link; jitbench makes only new files\n");
    cli_expect_files(cli->work, 2);
}

CLI_TEST(test_check_csv_that_cannot_be_written)
{
    const struct cli_run device = {.args = ARGS("check", "aslr", "-o", "/dev/full")};
    struct cli_result result;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    if (full < 0)
        cli_skip("no /dev/full");
    const struct cli_run to_stdout = {.args = ARGS("check", "aslr", "-o", "-"), .out = full};
    cli_expect(&device, 1, &result);
    cli_expect_text(result.err, "jitbench check: /dev/full cannot be written: No space left on device\n");
    cli_expect(&to_stdout, 1, &result);
    cli_expect_text(result.err, "jitbench check: standard output cannot be written: No space left on device\n");
    (void)close(full);
}

CLI_TEST(test_check_with_standard_output_closed)
{
    const struct cli_run file = {.args = ARGS("check", "aslr", "-o", "c.csv"), .out = CLI_CLOSED};

    cli_expect(&file, DONE, NULL);
}

/* --- which items matter --- */

/* On any machine: clocksource may be good or bad, but "isolated" is noisy for a CPU list with the boot CPU unless that
 * is isolated. */
CLI_TEST(test_check_fail_on_and_ignore)
{
    const struct cli_run noisy = {.args = ARGS("check", "-q", "isolated", "aslr")};
    const struct cli_run other = {.args = ARGS("check", "-q", "isolated", "aslr", "--fail-on", "aslr")};
    const struct cli_run itself = {.args = ARGS("check", "-q", "isolated", "aslr", "--fail-on=aslr,isolated")};
    const struct cli_run ignored = {.args = ARGS("check", "-q", "isolated", "aslr", "--ignore", "isolated")};
    const struct cli_run all = {.args = ARGS("check", "-v", "--ignore", "isolated,steal", "--fail-on", "aslr")};
    struct cli_child child;
    struct cli_result result;

    cli_start(&noisy, &child);
    cli_wait(&child, &result);
    if (result.status != FINDING)
        cli_skip("CPUs are isolated here");
    cli_expect(&other, DONE, &result);
    cli_expect_text(line_of(result.out, "isolated"), "noisy");
    cli_expect(&itself, FINDING, &result);
    cli_expect(&ignored, DONE, &result);
    assert_string_equal(line_of(result.out, "isolated"), "");
    cli_expect(&all, DONE, &result);
    assert_string_equal(line_of(result.out, "isolated"), "");
    assert_string_not_equal(line_of(result.out, "aslr"), "");
}

/* The last lines: at least one item is noisy on any machine without isolated CPUs. */
CLI_TEST(test_check_ends_with_what_to_do)
{
    const struct cli_run run = {.args = ARGS("check", "--cpus", "0", "isolated")};
    const struct cli_run quiet = {.args = ARGS("check", "-q", "--cpus", "0", "isolated")};
    struct cli_child child;
    struct cli_result result;

    cli_start(&run, &child);
    cli_wait(&child, &result);
    if (result.status != FINDING)
        cli_skip("CPU 0 is isolated here, or that cannot be read");
    cli_expect_text(result.out, "\n\nWhat to do\nboot         ");
    cli_expect(&quiet, FINDING, &result);
    cli_expect_no_text(result.out, "What to do");
}

/* --- places --- */

CLI_TEST(test_check_as_nobody)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_copy_binary(binary);
    const struct cli_run run = {.program = binary, .args = ARGS("check", "-o", "-"), .prepare = become_nobody};
    check(&run, &csv, &result);
    cli_expect_text(result.err, "settings cannot be read\n");
    /* Settings in files that everybody may read are known. */
    assert_string_not_equal(cli_cell(&csv, row_of(&csv, "load"), "verdict"), "unknown");
}

CLI_TEST(test_check_without_proc_and_sys)
{
    static const char *const unknown[] = {"governor", "irqs",  "thp",       "watchdogs", "stat_interval",
                                          "swap",     "steal", "rcu_nocbs", "aslr",      "caches"};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_mount_namespace();
    const struct cli_run run = {.args = ARGS("check", "-o", "-"), .prepare = hide_proc_and_sys};
    check(&run, &csv, &result);
    cli_expect_text(result.err, "\nUnknown   /proc and /sys not mounted: most settings cannot be known\n");
    for (size_t i = 0; i < COUNT(unknown); i++) {
        size_t row = row_of(&csv, unknown[i]);
        assert_string_equal(cli_cell(&csv, row, "verdict"), "unknown");
        cli_expect_text(cli_cell(&csv, row, "why"), " is not mounted");
    }
}

/* --- it only looks --- */

static char *read_all(const char *const *paths, size_t n)
{
    char *all = calloc(n, 4096);

    assert_non_null(all);
    for (size_t i = 0; i < n; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? 0 : read(fd, all + i * 4096, 4095);
        (void)length;
        if (fd >= 0)
            (void)close(fd);
    }
    return all;
}

CLI_TEST(test_check_changes_nothing)
{
    static const char *const paths[] = {
        "/proc/sys/vm/stat_interval",
        "/proc/sys/kernel/perf_event_max_sample_rate",
        "/proc/sys/kernel/sched_rt_runtime_us",
        "/proc/sys/kernel/randomize_va_space",
        "/proc/irq/default_smp_affinity",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/kernel/mm/transparent_hugepage/defrag",
        "/sys/devices/virtual/workqueue/cpumask",
        "/sys/devices/system/cpu/online",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    };
    const size_t n = COUNT(paths);
    const struct cli_run run = {.args = ARGS("check")};
    struct cli_child child;
    struct cli_result result;
    char *before = read_all(paths, n);

    cli_start(&run, &child);
    cli_wait(&child, &result);
    char *after = read_all(paths, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(before + i * 4096, after + i * 4096);
    free(before);
    free(after);
}
