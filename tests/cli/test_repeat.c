/* SPDX-License-Identifier: MIT */
/* --runs and --interleave: several runs of one command line, each with a file of its own. */

#include "cli.h"

#define SHORT "prime", "-i", "2", "-n", "100", "--limit", "10", "--cpus", cli_cpu, "--core-probe", "off"

/* Reads the file of a run, whose comment must be the one given. */
static void read_run(const char *name, const char *comment, char id[64])
{
    char path[CLI_PATH + 64];
    struct cli_csv csv;

    (void)snprintf(path, sizeof(path), "%s/%s", cli->work, name);
    char *text = cli_read_file(path, NULL);
    cli_csv_parse(text, &csv);
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "prime", "cycles", 0), "n"), "200");
    assert_string_equal(cli_cell(&csv, 0, "comment"), comment);
    (void)snprintf(id, 64, "%s", cli_cell(&csv, 0, "run_id"));
}

/* A value that looks like the option is none, and goes to each run. */
CLI_TEST(test_repeat_makes_a_file_of_each_run)
{
    const struct cli_run run = {.args = ARGS(SHORT, "-m", "--runs", "--run=3", "-o", "a.b.csv", "--start-at", "+0.1")};
    struct cli_result result;
    char id[3][64];

    cli_expect(&run, 0, &result);
    assert_string_equal(result.out, "Run 1 of 3: a.b-1.csv\nRun 2 of 3: a.b-2.csv\nRun 3 of 3: a.b-3.csv\n");
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "a.b-%u.csv", i + 1);
        read_run(name, "--runs", id[i]);
    }
    assert_true(strcmp(id[0], id[1]) != 0 && strcmp(id[1], id[2]) != 0 && strcmp(id[0], id[2]) != 0);
    /* They are there now. The first that cannot write its file ends it. */
    cli_expect(&run, 2, &result);
    cli_expect_text(result.err, "a.b-1.csv': the file exists");
    assert_string_equal(result.out, "Run 1 of 3: a.b-1.csv\n");
}

/* A B B A, and the files say which is which. */
CLI_TEST(test_repeat_alternates_two_binaries)
{
    char binary[CLI_PATH], id[64];
    struct cli_result result;

    cli_copy_binary(binary);
    cli_expect_args(ARGS(SHORT, "--runs", "2", "-o", "100%%", "--interleave", binary), 0, &result);
    assert_string_equal(result.out, "Run 1 of 2: 100%-a1\nRun 1 of 2: 100%-b1\nRun 2 of 2: 100%-b2\nRun 2 of 2: "
                                    "100%-a2\nCompare them: jitbench compare --across build '100%-a*' -- '100%-b*'\n");
    read_run("100%-a2", "", id);
    read_run("100%-b1", "", id);
}

/* Another program, whose exit status is 0, makes no file; no further run begins. An old file does not count. */
CLI_TEST(test_repeat_ends_with_a_program_that_is_no_jitbench)
{
    static const char error[] =
        "jitbench prime: --interleave '/bin/true': made no file 't-b1.csv' (exit status 0); is it a jitbench?\n";
    const struct cli_run run = {.args =
                                    ARGS(SHORT, "--force", "--runs", "2", "-o", "t.csv", "--interleave", "/bin/true")};
    struct cli_result result;

    if (access("/bin/true", X_OK))
        cli_skip("no /bin/true");
    for (int i = 0; i < 2; i++) {
        cli_expect(&run, 1, &result);
        assert_string_equal(result.out, "Run 1 of 2: t-a1.csv\nRun 1 of 2: t-b1.csv\n");
        assert_string_equal(result.err, error);
        cli_write_file(cli->work, "t-b1.csv", "old\n");
    }
}

/* Its own value is written, so that nothing changes here. */
CLI_TEST(test_repeat_with_a_file_of_settings)
{
    static const char path[] = "/proc/sys/kernel/randomize_va_space";
    const struct cli_run no = {.args = ARGS(SHORT, "-q", "--runs", "2", "-o", "n.csv", "--interleave", "wrong,same")};
    char line[CLI_PATH + 16], now[16] = "", id[64];
    struct cli_result result;

    cli_need_root();
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, now, sizeof(now) - 1) < 2)
        cli_skip("no %s", path);
    (void)close(fd);
    (void)snprintf(line, sizeof(line), "# as it is\n\n%s=%s", path, now);
    cli_write_file(cli->work, "same", line);
    cli_expect_args(ARGS(SHORT, "-q", "--runs", "1", "-o", "s.csv", "--interleave", "same"), 0, &result);
    assert_string_equal(result.out, "");
    read_run("s-a1.csv", "", id);
    read_run("s-b1.csv", "", id);
    cli_write_file(cli->work, "wrong", "/proc/sys/kernel/no_such_setting=1\n");
    cli_expect(&no, 1, &result);
    assert_string_equal(result.err,
                        "jitbench prime: 1 of 1 settings refused (/proc/sys/kernel/no_such_setting: No such "
                        "file or directory)\n");
    cli_expect_files(cli->work, 4); /* those before */
}

#define EXT "/sys/kernel/sched_ext"

/* Settings that are files of the test: a command that is measured can remove one, which can then not be restored. */
static int make_settings(void *context)
{
    static const char *const mounts[] = {"/proc/sys", "/proc/irq", "/sys", "/run"};
    static const char *const folders[] = {
        "/proc/sys/vm", "/proc/sys/kernel", "/proc/sys/kernel/random", "/sys/kernel", EXT, EXT "/root"};
    static const struct {
        const char *folder, *name, *text;
    } files[] = {{"/proc/sys/vm", "stat_interval", "1\n"},
                 {"/proc/sys/kernel/random", "boot_id", "boot\n"},
                 {"/proc/sys/kernel", "hostname", "host\n"},
                 {EXT, "state", "disabled\n"},
                 {EXT "/root", "ops", "made_up\n"}};

    (void)context;
    if (cli_own_mounts())
        return -1;
    for (size_t i = 0; i < COUNT(mounts); i++)
        if (mount("none", mounts[i], "tmpfs", 0, "size=64k"))
            return -1;
    for (size_t i = 0; i < COUNT(folders); i++)
        if (mkdir(folders[i], 0755))
            return -1;
    for (size_t i = 0; i < COUNT(files); i++)
        cli_write_file(files[i].folder, files[i].name, files[i].text);
    return 0;
}

#define INTERVAL "/proc/sys/vm/stat_interval"

/* No further run begins: it would have the settings of another side. */
CLI_TEST(test_repeat_ends_where_settings_are_not_restored)
{
    static const char left[] = "jitbench run: run 1 of 2 left settings that are not restored, so no further run "
                               "begins; run 'jitbench untune'\n";
    static const char what[] = "jitbench: " INTERVAL " could not be set back to '1': No such file or directory\n"
                               "jitbench: 1 of 1 files could not be restored; '/run/jitbench.snapshot' is kept, and "
                               "'jitbench untune' tries again\n";
    static const char script[] = "read v <" INTERVAL "; [ $v = 1 ] || rm " INTERVAL;
    struct cli_result result;
    char expected[1024];

    cli_need_root();
    cli_need_mount_namespace();
    cli_write_file(cli->work, "list", INTERVAL "=20\n");
#define RUN(...) \
    { \
        .args = ARGS("run", "-i", "1", "--core-probe", "off", "-q", "--runs", "2", "-o", __VA_ARGS__, "--", "/bin/sh", \
                     "-c", script), \
        .prepare = make_settings \
    }
    const struct cli_run sides = RUN("s.csv", "--interleave", "list"), tuned = RUN("t.csv", "--tuned");
    cli_expect(&sides, 1, &result);
    (void)snprintf(expected, sizeof(expected), "%s%s", what, left);
    assert_string_equal(result.err, expected);
    cli_expect(&tuned, 1, &result);
    assert_string_equal(result.err, expected);
    cli_expect_files(cli->work, 4); /* list, s-a1.csv, s-b1.csv and t-1.csv */
}

/* The side's runs are not those of its settings then; its machine has the old value again. */
CLI_TEST(test_repeat_ends_when_something_else_sets_a_side_s_file)
{
    static const char expected[] =
        "jitbench: something else has set " INTERVAL " to '19' during the run\n"
        "jitbench run: run 1 of 2 had other settings for a part of the time, so no further run begins\n";
    static const char script[] = "read v <" INTERVAL "; [ $v = 1 ] || echo 19 >" INTERVAL;
    struct cli_result result;
    const struct cli_run sides = RUN("s.csv", "--interleave", "list");

    cli_need_root();
    cli_need_mount_namespace();
    cli_write_file(cli->work, "list", INTERVAL "=20\n");
    cli_expect(&sides, 1, &result);
    assert_string_equal(result.err, expected);
    cli_expect_files(cli->work, 3); /* list, s-a1.csv and s-b1.csv */
}

/* Whatever the rows are, settings that stay changed are a failure. */
CLI_TEST(test_repeat_of_one_run_says_that_settings_are_not_restored)
{
    struct cli_result result;
    const struct cli_run run = {.args = ARGS("run", "-i", "1", "--core-probe", "off", "-q", "--no-csv", "--tuned",
                                             "--strict", "--", "/bin/rm", INTERVAL),
                                .prepare = make_settings};

    cli_need_root();
    cli_need_mount_namespace();
    cli_expect(&run, 1, &result);
    cli_expect_text(result.err, "'jitbench untune' tries again\n");
}

/* Stands in for the loader of a sched_ext scheduler. */
static void make_loader(void)
{
    static const char script[] = "[ $1 = hangs ] && exec sleep 60\n"
                                 "[ -p held ] && exec 9>held\n"
                                 "trap 'echo disabled >" EXT "/state; exit' INT\n"
                                 "[ $1 = starts ] && setsid sleep 999 >&- 2>&- &\n"
                                 "[ $1 = stays ] && trap '' INT\n"
                                 "echo enabled >" EXT "/state\n"
                                 "while [ $1 = leaves ] && [ ! -e l.csv ]; do sleep 0.01; done\n"
                                 "[ $1 = leaves ] && echo disabled >" EXT "/state\n"
                                 "while :; do sleep 1; done\n";

    cli_write_file(cli->work, "loader", script);
}

#define PRIME(...) \
    { \
        .args = ARGS(SHORT, "-q", "-o", "l.csv", __VA_ARGS__), .prepare = make_settings \
    }

/* It begins again in the next run, so that it has left. */
CLI_TEST(test_repeat_with_a_scheduler_as_a_side)
{
    const struct cli_run run = {
        .args = ARGS(SHORT, "-o", "l.csv", "--runs", "2", "--interleave", "none,with:/bin/sh 'loader' starts"),
        .prepare = make_settings};
    char path[CLI_PATH + 16], id[64];
    struct cli_result result;
    struct cli_csv csv;
    size_t size;

    cli_need_root();
    cli_need_mount_namespace();
    make_loader();
    cli_expect(&run, 0, &result);
    cli_expect_all_gone("the scheduler's");
    cli_expect_text(result.out, "Compare them: jitbench compare --across scheduler 'l-a*.csv' -- 'l-b*.csv'\n");
    assert_string_equal(result.err, "");
    read_run("l-a2.csv", "", id);
    for (unsigned i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/l-%c2.csv", cli->work, 'a' + i);
        char *text = cli_read_file(path, &size);
        cli_csv_parse(text, &csv);
        assert_int_equal(strstr(cli_cell(&csv, 0, "settings"), "scheduler=sched_ext_made_up") != NULL, i);
    }
    cli_expect_files(cli->work, 5);
}

CLI_TEST(test_repeat_with_schedulers_that_hang_leave_or_stay)
{
    static const char hangs[] = "jitbench prime: --with '/bin/sh loader hangs': its scheduler was not in force after "
                                "200 ms\n";
    static const char ends[] = "jitbench prime: --with '/bin/true': ended before its scheduler was in force\n";
    static const char stays[] = "jitbench prime: --with '/bin/sh loader stays': still running 1 s after SIGINT; "
                                "killed\n"
                                "jitbench prime: --with '/bin/sh loader stays': has ended, but a scheduler is still in "
                                "force\n";
    const struct {
        struct cli_run run;
        const char *error;
        unsigned files;
    } cases[] = {
        {PRIME("--with-timeout", "200ms", "--with", "/bin/sh loader hangs"), hangs, 1},
        {PRIME("--with", "/bin/true"), ends, 1},
        {PRIME("--runs", "2", "--interleave", "with:/bin/true"), ends, 2},
        {PRIME("--with-timeout", "1s", "--force", "--runs", "2", "--interleave", "with:/bin/sh loader stays"), stays,
         3},
        {PRIME("--force", "-i", "1000000", "--with", "/bin/sh loader leaves"), "", 4},
    };
    char path[CLI_PATH + 16];
    struct cli_result result;
    struct cli_csv csv;
    size_t size;

    cli_need_root();
    cli_need_mount_namespace();
    make_loader();
    for (size_t i = 0; i < COUNT(cases); i++) {
        cli_expect(&cases[i].run, 1, &result);
        if (cases[i].error[0])
            assert_string_equal(result.err, cases[i].error);
        cli_expect_files(cli->work, cases[i].files);
    }
    (void)snprintf(path, sizeof(path), "%s/l.csv", cli->work);
    char *text = cli_read_file(path, &size);
    cli_csv_parse(text, &csv);
    cli_expect_all(&csv, "status", "failed");
    cli_expect_all(&csv, "reason", "the scheduler left");
}

/* Nobody else would end it. */
CLI_TEST(test_repeat_killed_ends_the_scheduler)
{
    const struct cli_run run = PRIME("-i", "1000000", "--with", "/bin/sh loader good");
    char path[CLI_PATH + 16], byte;
    struct cli_child child;
    struct cli_result result;

    cli_need_root();
    cli_need_mount_namespace();
    make_loader();
    (void)snprintf(path, sizeof(path), "%s/held", cli->work);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int held = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cli_start(&run, &child);
    for (unsigned i = 0; i < 1000 && read(held, &byte, 1) == 0; i++)
        (void)usleep(10000);
    assert_int_equal(read(held, &byte, 1), -1); /* it runs */
    (void)kill(child.pid, SIGKILL);
    cli_wait(&child, &result);
    for (unsigned i = 0; i < 1000 && read(held, &byte, 1) < 0; i++)
        (void)usleep(10000);
    assert_int_equal(read(held, &byte, 1), 0);
    (void)close(held);
}

/* A signal to this program alone reaches the run, whose rows are written, and no further run begins. */
CLI_TEST(test_repeat_passes_a_signal_on)
{
    const struct cli_run run = {
        .args = ARGS("prime", "-n", "100K", "-i", "100000", "--max-time", "30s", "--runs", "3", "-o", "s.csv")};
    char path[CLI_PATH + 16];
    struct cli_child child;
    struct cli_result result;

    (void)snprintf(path, sizeof(path), "%s/s-1.csv", cli->work);
    cli_start(&run, &child);
    for (unsigned i = 0; i < 1000 && access(path, F_OK); i++)
        (void)usleep(10000);
    (void)kill(child.pid, SIGTERM);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGTERM);
    cli_expect_text(result.out, "Run 1 of 3");
    cli_expect_no_text(result.out, "Run 2");
    assert_string_equal(result.err,
                        "jitbench prime: run 1 of 3 was ended by SIGTERM; what was finished is in 's-1.csv'\n");
    (void)cli_read_file(path, NULL);
}
