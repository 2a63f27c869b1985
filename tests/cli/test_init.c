/* SPDX-License-Identifier: MIT */
/* jitbench init as far as a running machine can test it: as an ordinary process, and as PID 1 of a namespace. As PID 1
 * of a machine it is tested by tests/boot. */
#include <dirent.h>

#include "cli.h"

#define BEGIN "-----BEGIN JITBENCH CSV "
#define END   "-----END JITBENCH CSV, cksum "

/* --- helpers --- */

/* A folder with the binary alone, by the name "init" or "jitbench". */
static void make_jail(const char *name, char jail[CLI_PATH / 2])
{
    char path[CLI_PATH], other[CLI_PATH];

    cli_copy_binary(path);
    (void)snprintf(jail, CLI_PATH / 2, "%s/bin", cli->root);
    (void)snprintf(other, sizeof(other), "%s/bin/%s", cli->root, name);
    if (strcmp(path, other) != 0)
        assert_int_equal(rename(path, other), 0);
}

/* Parses the CSV between the marker lines, with its original line ends. The test fails when there is none, or its
 * length is not the one after the end marker. */
static void cut_csv(const char *out, struct cli_csv *csv)
{
    const char *begin = strstr(out, "\n" BEGIN), *end = strstr(out, "\n" END);
    unsigned long sum, length;
    size_t n = 0;

    if (!begin || !end || end < begin)
        fail_msg("no CSV between marker lines in: %.2000s", out);
    begin = strchr(begin + 1, '\n') + 1;
    char *text = malloc(2 * (size_t)(end + 1 - begin) + 1);
    assert_non_null(text);
    for (const char *at = begin; at <= end; at++) {
        if (*at == '\n')
            text[n++] = '\r';
        text[n++] = *at;
    }
    text[n] = '\0';
    assert_int_equal(sscanf(end + 1, END "%lu %lu-----", &sum, &length), 2);
    assert_int_equal(length, n);
    cli_csv_parse(text, csv);
    free(text);
}

/* A child of that process, 0 when there is none. */
static pid_t child_of(pid_t parent)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    pid_t found = 0;

    assert_non_null(folder);
    while (!found && (entry = readdir(folder))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && cli_parent_of(pid) == parent)
            found = pid;
    }
    (void)closedir(folder);
    return found;
}

/* The run below an init that measures for long. */
static pid_t start_long(struct cli_child *child)
{
    static const char *const args[] = {"init", "--", "prime", "--quick", "-n", "100", "--samples", "100000", NULL};
    const struct cli_run run = {.args = args};
    const uint64_t until = cli_deadline(10);
    pid_t pid;

    cli_start(&run, child);
    while (!(pid = child_of(child->pid))) {
        if (cli_now_ns() > until)
            fail_msg("nothing is run");
        cli_sleep_ms(2);
    }
    (void)cli_wait_worker(pid);
    return pid;
}

/* --- as an ordinary process --- */

CLI_TEST(test_init_runs_and_prints_the_csv)
{
    const struct cli_run run = {.args = ARGS("init", "--run", "prime -n 1K --samples 2 -m 'two words'")};
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.err, "jitbench init: runs prime -n 1K --samples 2 -m two words\n");
    cli_expect_text(result.out, "Prime loop: all runs together");
    cut_csv(result.out, &csv);
    assert_int_equal(csv.n_rows, cli_metrics("prime"));
    cli_expect_all(&csv, "comment", "two words");
    cli_expect_files(cli->work, 0);
}

CLI_TEST(test_init_prints_what_it_cannot_store)
{
    const struct cli_run run = {.args =
                                    ARGS("init", "--out", "null:/a.csv", "--run", "prime -n 1K --samples 1 --quick")};
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.err,
                    "jitbench init: out: /dev/null: Block device required; the CSV will follow on the console\n");
    cut_csv(result.out, &csv);
}

/* 64 MiB is the limit of other files that are read. */
CLI_TEST(test_init_hands_over_a_csv_of_any_size)
{
    const struct cli_run run = {
        .args = ARGS("init", "--run", "run -q --no-csv -i 1 --keep-output large.csv -- head -c 67108870 /dev/zero")};
    struct cli_result result;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, "\n" BEGIN "large.csv-----\n");
    cli_expect_no_text(result.err, "large.csv:");
}

CLI_TEST(test_init_says_that_the_run_crashed)
{
    static const int numbers[] = {SIGSEGV, SIGKILL};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct cli_child child;
        struct cli_result result;
        char line[64];
        pid_t run = start_long(&child);
        assert_int_equal(kill(run, numbers[i]), 0);
        cli_wait(&child, &result);
        cli_expect_status(&result, 128 + numbers[i]);
        (void)snprintf(line, sizeof(line), "jitbench init: the run crashed: ended by signal %d (", numbers[i]);
        cli_expect_text(result.err, line);
        cli_expect_text(result.out, "\n" BEGIN);
    }
}

CLI_TEST(test_init_passes_a_signal_on)
{
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    (void)start_long(&child);
    assert_int_equal(kill(child.pid, SIGINT), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, 130);
    cli_expect_text(result.err, "jitbench init: ending the run; once more ends it at once\n");
    cli_expect_text(result.err, "jitbench init: the run ended with status 130\n");
    cut_csv(result.out, &csv);
    for (size_t row = 0; row < csv.n_rows; row++)
        cli_expect_text(cli_cell(&csv, row, "reason"), "ended by SIGINT");
}

/* A run that does not listen: it is stopped. */
CLI_TEST(test_init_a_second_signal_kills)
{
    struct cli_child child;
    struct cli_result result;
    pid_t run = start_long(&child);

    assert_int_equal(kill(run, SIGSTOP), 0);
    assert_int_equal(kill(child.pid, SIGTERM), 0);
    cli_sleep_ms(200);
    assert_int_equal(kill(child.pid, SIGTERM), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGKILL);
    assert_true(result.seconds < 15); /* it would be killed after 20 s anyway */
}

static int ignore_hangup(void *context)
{
    (void)context;
    return signal(SIGHUP, SIG_IGN) == SIG_ERR ? -1 : 0;
}

/* As nohup starts it. */
CLI_TEST(test_init_leaves_ignored_signals_ignored)
{
    static const char *const args[] = {"init", "--", "prime", "--quick", "-n", "100", "--samples", "100000", NULL};
    const struct cli_run how = {.args = args, .prepare = ignore_hangup};
    struct cli_child child;
    struct cli_result result;
    const uint64_t until = cli_deadline(10);
    pid_t run;

    cli_start(&how, &child);
    while (!(run = child_of(child.pid)) && cli_now_ns() < until)
        cli_sleep_ms(2);
    assert_int_not_equal(run, 0);
    (void)cli_wait_worker(run);
    assert_int_equal(kill(child.pid, SIGHUP), 0);
    assert_int_equal(kill(run, SIGHUP), 0);
    assert_int_equal(kill(run, SIGSEGV), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGSEGV);
    cli_expect_no_text(result.err, "ending the run"); /* as SIGHUP is the lower number it would be seen first */
    cli_expect_text(result.out, "\n" BEGIN);
}

/* Losing the CSV is a failure. */
CLI_TEST(test_init_lost_csv_is_a_failure)
{
    const struct cli_run run = {
        .program = "sh", .args = ARGS("-c", "\"$0\" init -- prime --quick -n 1K --samples 1 >/dev/full", cli_binary)};
    struct cli_result result;

    cli_expect(&run, 1, &result);
    cli_expect_text(result.err, "jitbench init: the CSV is not printed to its end: No space left on device\n");
}

CLI_TEST(test_init_shell_follows)
{
    int pipe_fd[2];
    struct cli_result result;

    assert_int_equal(pipe(pipe_fd), 0);
    assert_int_equal(write(pipe_fd[1], "echo from the shell\n", 20), 20);
    (void)close(pipe_fd[1]);
    const struct cli_run run = {.args = ARGS("init", "--end", "shell", "list"), .in = pipe_fd[0]};
    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, "\nfrom the shell\n");
    (void)close(pipe_fd[0]);
}

static int become_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

/* Never as root: it would. */
CLI_TEST(test_init_without_rights_cannot_end_the_machine)
{
    static const char *const ends[][2] = {{"poweroff", "power off"}, {"reboot", "restart"}, {"halt", "halt"}};
    char path[CLI_PATH], expected[128];
    struct cli_result result;

    cli_copy_binary(path);
    for (size_t i = 0; i < COUNT(ends); i++) {
        const struct cli_run run = {
            .program = path, .args = ARGS("init", "--end", ends[i][0], "list"), .prepare = become_nobody};
        (void)snprintf(expected, sizeof(expected),
                       "jitbench init: runs list\njitbench init: cannot %s: Operation not permitted\n", ends[i][1]);
        cli_expect(&run, 1, &result);
        assert_string_equal(result.err, expected);
    }
}

/* --- mounts --- */

CLI_TEST(test_init_mounts_what_is_missing_and_takes_it_away)
{
    char jail[CLI_PATH / 2];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    cli_need_mount_namespace();
    make_jail("jitbench", jail);
    const struct cli_run run = {
        .program = "unshare", .args = ARGS("-m", "chroot", jail, "/jitbench", "init", "--run", "prime --quick -n 1K")};
    cli_expect(&run, 0, &result);
    cli_expect_no_text(result.err, "cannot be mounted");
    cli_expect_no_text(result.out, "Unknown   ");
    cut_csv(result.out, &csv);
    cli_expect_files(jail, 1);
}

CLI_TEST(test_init_mounts_nothing_that_is_there)
{
    const struct cli_run run = {.program = "unshare",
                                .args = ARGS("-m", "sh", "-c",
                                             "before=$(cat /proc/self/mountinfo); \"$0\" init list >/dev/null && "
                                             "test \"$before\" = \"$(cat /proc/self/mountinfo)\" && echo the same",
                                             cli_binary)};
    struct cli_result result;

    cli_need_root();
    cli_need_mount_namespace();
    cli_expect(&run, 0, &result);
    assert_string_equal(result.out, "the same\n");
}

/* A regular file is where /proc should be. */
CLI_TEST(test_init_goes_on_without_proc)
{
    char jail[CLI_PATH / 2];
    struct cli_result result;

    cli_need_root();
    cli_need_mount_namespace();
    make_jail("jitbench", jail);
    cli_write_file(jail, "proc", "");
    const struct cli_run run = {
        .program = "unshare", .args = ARGS("-m", "chroot", jail, "/jitbench", "init", "--run", "prime --quick -n 1K")};
    cli_expect(&run, 0, &result);
    cli_expect_text(result.err, "jitbench init: /proc is missing and cannot be mounted: Not a directory\n");
    cli_expect_text(result.out, "Unknown   /proc not mounted");
    cli_expect_text(result.out, "\n" BEGIN);
    cli_expect_files(jail, 2);
}

/* --- as PID 1 of a namespace --- */

/* The exit status of unshare, when a signal ended its child, differs between versions. */
static void run_as_first(const struct cli_run *run, struct cli_result *result)
{
    struct cli_child child;

    cli_start(run, &child);
    cli_wait(&child, result);
    if (result->unprepared) {
        int error = result->unprepared;
        cli_skip("unshare: %s", strerror(error));
    }
}

CLI_TEST(test_init_first_process_of_a_container_is_an_ordinary_program)
{
    const struct cli_run run = {.program = "unshare", .args = ARGS("-fpm", "--mount-proc", cli_binary, "version")};
    const struct cli_run wrong = {.program = "unshare", .args = ARGS("-fpm", "--mount-proc", cli_binary, "frob")};
    const struct cli_run none = {.program = "unshare", .args = ARGS("-fpm", "--mount-proc", cli_binary)};
    struct cli_result result;

    cli_need_root();
    cli_need_mount_namespace();
    cli_expect(&run, 0, &result);
    cli_expect_no_text(result.err, "jitbench init");
    cli_expect_text(result.out, "jitbench");
    cli_expect(&wrong, 2, &result);
    assert_string_equal(result.err, "jitbench: unknown command 'frob'; 'jitbench help' shows them\n");
    cli_expect(&none, 0, &result);
    cli_expect_text(result.out, "Usage: jitbench COMMAND");
}

CLI_TEST(test_init_first_process_named_init)
{
    char jail[CLI_PATH / 2], path[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    cli_need_mount_namespace();
    make_jail("init", jail);
    (void)snprintf(path, sizeof(path), "%s/init", jail);
    const struct cli_run run = {
        .program = "unshare",
        .args = ARGS("-fpm", "--mount-proc", path, "jitbench.end=poweroff", "prime", "--quick", "-n", "1K")};
    run_as_first(&run, &result);
    assert_int_not_equal(result.status, 0); /* SIGINT is how a namespace is powered off: reboot(2) */
    cli_expect_text(result.err, "jitbench init: runs prime --quick -n 1K\n");
    cli_expect_no_text(result.err, "cannot power off");
    cut_csv(result.out, &csv);
}

/* Nothing in a container may wait for a key. */
CLI_TEST(test_init_first_process_of_a_container_exits)
{
    char jail[CLI_PATH / 2], path[CLI_PATH];
    struct cli_result result;

    cli_need_root();
    cli_need_mount_namespace();
    make_jail("init", jail);
    (void)snprintf(path, sizeof(path), "%s/init", jail);
    const struct cli_run run = {.program = "unshare", .args = ARGS("-fpm", "--mount-proc", path, "list")};
    const struct cli_run wrong = {.program = "unshare",
                                  .args = ARGS("-fpm", "--mount-proc", path, "jitbench.frob=1", "list")};
    cli_expect(&run, 0, &result);
    cli_expect_text(result.err, "jitbench init: runs list\n");
    cli_expect(&wrong, 2, &result);
    assert_string_equal(result.err, "jitbench init: nothing was run: unknown order 'jitbench.frob'\n");
    /* The kernel passes no words to it here, so an unknown command is an error. */
    const struct cli_run mistyped = {.program = "unshare",
                                     .args = ARGS("-fpm", "--kill-child", "--mount-proc", path, "lst")};
    cli_expect(&mistyped, 2, &result);
    assert_string_equal(result.err,
                        "jitbench init: nothing was run: unknown command 'lst'; 'jitbench help' shows them\n");
}

/* --- a device --- */

/* Runs a script on a loop device with an ext4 file system, $L, which it finds mounted nowhere: in a mount namespace,
 * with $M and $N, two empty folders, and store PATH, which has init write its CSV there and prints what it says. */
static void with_device(const char *script, struct cli_result *result)
{
    static const char around[] =
        "cd \"$2\" && mkdir m n && truncate -s 8M disk && mke2fs -q -t ext4 -O ^has_journal disk || exit 77\n"
        "L=$(losetup -f --show disk) || exit 77\n"
        "M=$PWD/m N=$PWD/n\n"
        "trap 'umount -q $N; umount -q $M; losetup -d $L; rm -rf disk m n' EXIT\n"
        "mount -t ext4 $L $M && umount $M || exit 77\n"
        "store() { \"$0\" init --out \"$L:$1\" -- prime --quick -n 1K --samples 1 2>&1 >/dev/null | "
        "sed -n '/runs/d; s/^jitbench init: //; s,/dev/loop[0-9]*,LOOP,; p'; }\n"
        "eval \"$1\"\n";
    const struct cli_run run = {.program = "unshare",
                                .args = ARGS("-m", "sh", "-c", around, cli_binary, script, cli->work)};
    struct cli_child child;

    cli_need_root();
    cli_need_mount_namespace();
    cli_start(&run, &child);
    cli_wait(&child, result);
    if (result->unprepared || WEXITSTATUS(result->status) == 77) {
        cli_skip("no loop device with ext4 can be had");
    }
}

static void expect_device(const char *script, const char *out)
{
    struct cli_result result;

    with_device(script, &result);
    assert_string_equal(result.out, out);
}

CLI_TEST(test_init_device_keeps_its_mount_flags)
{
    expect_device("mount -o ro,nosuid,nodev,noexec,noatime $L $M; store /a.csv; ls $M/a.csv >/dev/null && "
                  "findmnt -no OPTIONS $M",
                  "CSV written to LOOP:/a.csv\nro,nosuid,nodev,noexec,noatime\n");
}

/* Only one of two places is read-only: the other stays writable. */
CLI_TEST(test_init_device_leaves_other_places_alone)
{
    expect_device("mount $L $M; mount --bind $M $N; mount -o remount,bind,ro $M; store /a.csv; ls $N/a.csv >/dev/null; "
                  "findmnt -no OPTIONS $M; touch $N/b && echo still writable",
                  "CSV written to LOOP:/a.csv\nro,relatime\nstill writable\n");
}

/* Something else is mounted over it: that is not the device. */
CLI_TEST(test_init_device_under_another_mount)
{
    expect_device(
        "mount $L $M; mount --bind $M $N; mount -t tmpfs none $M; store /a.csv; ls $M; ls $N/a.csv >/dev/null "
        "&& echo there",
        "CSV written to LOOP:/a.csv\nthere\n");
}

/* A folder's change time says whether a file was in it, be it for a moment. */
CLI_TEST(test_init_device_symbolic_links_do_not_lead_out)
{
    struct cli_result result;

    with_device("mount $L $M; ln -s $N $M/x; umount $M; before=$(stat -c %z $N); store /x/a.csv; store /x/; "
                "test \"$before\" = \"$(stat -c %z $N)\" && echo untouched",
                &result);
    cli_expect_text(result.out, "out: LOOP:/x/a.csv: leads away from that device\n");
    cli_expect_text(result.out, "\nuntouched\n");
}

/* Prints init's messages when scratch files are made in the directory "$1" of the device, and the type of the file
 * system in the rows. */
#define SCRATCH \
    "export TMPDIR=/dev/shm; scratch() { \"$0\" init --scratch \"$L:$1\" -- unix fread256 -q -c 1 -t 20ms --samples " \
    "1 2>&1 | sed -n " \
    "'/init: runs/d; s,/dev/loop[0-9]*,LOOP,; s/^jitbench init: //p; s/.*,ext[234/]*,.*/a row of the disk/p; " \
    "s/.*,tmpfs,.*/a row of tmpfs/p' | uniq; e2fsck -fn disk >/dev/null 2>&1 && echo clean; }; "

CLI_TEST(test_init_scratch_is_on_the_device)
{
    expect_device(SCRATCH "scratch /a/b; findmnt $L; mount $L $M && find $M/a -printf '%P %m\\n'",
                  "scratch files go to LOOP:/a/b (ext4)\na row of the disk\nclean\n 755\nb 755\n");
}

/* A root file system is mounted read-only already; and so it is again afterwards, with the files that it had. */
CLI_TEST(test_init_scratch_on_a_device_mounted_read_only)
{
    expect_device(SCRATCH "mount -o ro,noatime $L $M; scratch /; findmnt -no OPTIONS $M; ls -A $M | grep -v lost+found",
                  "scratch files go to LOOP:/ (ext4)\na row of the disk\nclean\nro,noatime\n");
}

/* A scratch directory that cannot be used is reported, and the tests run without it. */
CLI_TEST(test_init_scratch_that_cannot_be_had)
{
#define NOT "; the file tests do not measure that disk\n"
    struct cli_result result;

    with_device(SCRATCH "mount $L $M; ln -s $N $M/x; umount $M; scratch /x/y; ls $N; "
                        "dd if=/dev/zero of=$L bs=1M count=2 2>/dev/null; scratch /a; (L=/dev/null; scratch /a)",
                &result);
    cli_expect_text(result.out, "scratch: LOOP:/x/y: Not a directory" NOT "a row of tmpfs\nclean\n");
    cli_expect_text(result.out, "scratch: LOOP:/a: not a file system that this kernel knows" NOT "a row of tmpfs\n");
    cli_expect_text(result.out, "scratch: /dev/null:/a: Block device required" NOT "a row of tmpfs\n");
}
