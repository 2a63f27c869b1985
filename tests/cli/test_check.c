/* SPDX-License-Identifier: MIT */
/* jitbench check on the machine that the tests run on, whatever that is like. What it finds in machines of other kinds
 * is in tests/unit/test_settings.c. */
#include <grp.h>

#include "cli.h"

#define DONE    0
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

/* --- items --- */

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
