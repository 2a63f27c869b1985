/* SPDX-License-Identifier: MIT */
/* Bad places and bad moments: closed and full descriptors, folders that cannot be written, missing rights, missing
 * /proc, signals in the middle. The measurement goes on or says why not, and leaves no process behind. */
#include <grp.h>
#include <sys/ioctl.h>

#include "../refuse.h"
#include "cli.h"
#include "program.h"

#define FAST "-q", "-n", "1000", "-i", "1"
/* Two limits, two samples each in turn: while the second sample of the long one runs, which takes half a second or
 * more, the rows of the short one are written. */
#define LONG "prime", "-q", "--limit", "22:20022:20000", "-n", "12", "-i", "2"

static const char *const nothing[] = {NULL};

/* --- Helpers. --- */

/* The rows of a run of prime with one item and one copy, all good. */
static void expect_prime(const struct cli_csv *csv)
{
    assert_int_equal(csv->n_rows, cli_metrics("prime"));
    cli_expect_all(csv, "status", "ok");
    assert_true(cli_number(csv, cli_row(csv, "prime", "primes", 0), "value") == 8);
}

static void expect_prime_in(const char *directory)
{
    struct cli_csv csv;

    cli_csv_only(directory, &csv);
    expect_prime(&csv);
}

static void run_prime(struct cli_run run)
{
    run.args = run.args ? run.args : ARGS("prime", FAST);
    cli_expect(&run, 0, NULL);
    expect_prime_in(cli->work);
}

static void need_program(const char *name)
{
    static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"};
    char path[CLI_PATH];

    for (size_t i = 0; i < COUNT(folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folders[i], name);
        if (access(path, X_OK) == 0)
            return;
    }
    cli_skip("needs the program %s", name);
}

/* Without any right. */
static int become_nobody(void *context)
{
    const struct rlimit none = {0, 0};

    (void)context;
    if (setrlimit(RLIMIT_RTPRIO, &none) || setrlimit(RLIMIT_NICE, &none))
        return -1;
    return cli_become_nobody();
}

/* A mount namespace with changes that end with the process. */
struct place {
    const char *work;      /* entered anew at last */
    const char *hidden[3]; /* an empty file system over it */
    const char *readonly[3];
    const char *small;     /* where 64 KiB of file system are */
    const char *from, *to; /* a file bound over another */
    bool one_cpu;
};

static int make_readonly(const char *path)
{
    if (mount(path, path, NULL, MS_BIND | MS_REC, NULL))
        return -1;
    return mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL);
}

static int only_cpu_0(void *context)
{
    cpu_set_t one;

    (void)context;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    return sched_setaffinity(0, sizeof(one), &one);
}

static int make_place(void *context)
{
    const struct place *place = context;

    if (cli_own_mounts())
        return -1;
    if (place->from && mount(place->from, place->to, NULL, MS_BIND, NULL))
        return -1;
    if (place->small && mount("none", place->small, "tmpfs", 0, "size=64k,mode=0777"))
        return -1;
    for (size_t i = 0; i < 3 && place->readonly[i]; i++)
        if (make_readonly(place->readonly[i]))
            return -1;
    for (size_t i = 0; i < 3 && place->hidden[i]; i++)
        if (mount("none", place->hidden[i], "tmpfs", 0, "size=64k"))
            return -1;
    if (place->one_cpu && only_cpu_0(NULL))
        return -1;
    return chdir(place->work);
}

/* Returns the number of whole lines of the only file in a directory; 0 when there is none. */
static size_t lines_in(const char *directory)
{
    char names[CLI_FILES][256];
    size_t size, n = 0;

    if (cli_files(directory, names) != 1)
        return 0;
    char *text = cli_read_file(cli_path("%s/%s", directory, names[0]), &size);
    for (const char *at = text; (at = strstr(at, "\r\n")); at += 2)
        n++;
    return n;
}

static void wait_rows(size_t rows)
{
    const uint64_t until = cli_deadline(20);

    while (lines_in(cli->work) < rows + 1) {
        if (cli_now_ns() > until)
            fail_msg("not %zu rows", rows);
        cli_sleep_ms(5);
    }
}

/* Starts LONG and comes back in the middle: the short item's rows are there, the long one's second sample runs. */
static pid_t start_long(struct cli_run run, struct cli_child *child)
{
    run.args = ARGS(LONG);
    cli_start(&run, child);
    wait_rows(cli_metrics("prime"));
    return cli_wait_worker(child->pid);
}

static void expect_long_finished(const struct cli_csv *csv, size_t metrics)
{
    assert_true(csv->n_rows >= metrics);
    for (size_t row = 0; row < metrics; row++) {
        cli_expect_text(cli_cell(csv, row, "param"), "limit=22 ");
        assert_string_not_equal(cli_cell(csv, row, "status"), "failed");
        assert_string_not_equal(cli_cell(csv, row, "status"), "degraded");
    }
    assert_int_equal(cli_items(cli_cell(csv, cli_row(csv, "prime", "cycles", 0), "samples")), 2);
}

/* --- Descriptors. --- */

/* Standard output is closed early, as by `jitbench prime | head -1`. */
CLI_TEST(test_places_closed_pipe)
{
    struct cli_child child;
    struct cli_result result;
    int pipe_fds[2];
    char byte = 0;

    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    const struct cli_run run = {.args = ARGS("prime", "-v", "-n", "1000", "-i", "1"), .out = pipe_fds[1]};
    cli_start(&run, &child);
    (void)close(pipe_fds[1]);
    while (read(pipe_fds[0], &byte, 1) == 1 && byte != '\n') {
    }
    (void)close(pipe_fds[0]);
    cli_wait(&child, &result);
    assert_int_equal(byte, '\n');
    cli_expect_status(&result, 0);
    assert_string_equal(result.err, "");
    expect_prime_in(cli->work);
}

CLI_TEST(test_places_closed_pipe_for_the_csv)
{
    struct cli_result result;
    int pipe_fds[2];

    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    (void)close(pipe_fds[0]);
    const struct cli_run run = {.args = ARGS("prime", FAST, "-o", "-"), .out = pipe_fds[1]};
    cli_expect(&run, 0, &result);
    (void)close(pipe_fds[1]);
    cli_expect_text(result.err, "Prime loop: all runs together");
    cli_expect_files(cli->work, 0);
}

CLI_TEST(test_places_closed_standard_descriptors)
{
    char names[CLI_FILES][256];

    /* Each alone, and all. */
    for (unsigned closed = 1; closed < 8; closed = closed < 4 ? 2 * closed : closed + 3) {
        run_prime((struct cli_run){.in = closed & 1 ? CLI_CLOSED : CLI_DEFAULT,
                                   .out = closed & 2 ? CLI_CLOSED : CLI_DEFAULT,
                                   .err = closed & 4 ? CLI_CLOSED : CLI_DEFAULT});
        (void)cli_files(cli->work, names);
        assert_int_equal(unlink(cli_path("%s/%s", cli->work, names[0])), 0);
    }
}

CLI_TEST(test_places_full_standard_output)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    assert_true(full >= 0);
    run_prime((struct cli_run){.out = full});
    (void)close(full);
}

/* Output that is nowhere else is lost, which is a failure; the CSV, where there is one, has everything. */
CLI_TEST(test_places_full_standard_output_is_said)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    const struct cli_run runs[] = {{.args = ARGS("prime", FAST, "--no-csv"), .out = full},
                                   {.args = ARGS("prime", FAST), .out = full}};
    const size_t n = COUNT(runs);

    assert_true(full >= 0);
    for (size_t i = 0; i < n; i++) {
        struct cli_result result;
        cli_expect(&runs[i], i + 1 < n ? 1 : 0, &result);
        cli_expect_text(result.err, ": standard output cannot be written: No space left on device\n");
    }
    (void)close(full);
}

/* Found out before anything is measured. */
CLI_TEST(test_places_full_device_for_the_csv)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    const struct cli_run runs[] = {{.args = ARGS("prime", FAST, "-o", "/dev/full")},
                                   {.args = ARGS("prime", FAST, "-o", "-"), .out = full}};

    assert_true(full >= 0);
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct cli_result result;
        cli_expect(&runs[i], 2, &result);
        assert_int_equal(result.out_size, 0);
        cli_expect_text(result.err, i ? "-o -: No space left" : "-o '/dev/full': No space left");
        cli_expect_files(cli->work, 0);
    }
    (void)close(full);
}

CLI_TEST(test_places_null_device_for_the_csv)
{
    struct cli_result result;

    cli_expect_args(ARGS("prime", FAST, "-o", "/dev/null"), 0, &result);
    cli_expect_files(cli->work, 0);
    assert_string_equal(result.err, "");
}

/* --- Folders. --- */

static void expect_fallback(const struct cli_result *result, const char *reason)
{
    char names[CLI_FILES][256];

    cli_expect_files(cli->tmp, 1);
    (void)cli_files(cli->tmp, names);
    cli_expect_text(result->err, cli_path("%s/%s", cli->tmp, names[0]));
    cli_expect_text(result->err, reason);
    assert_ptr_equal(strchr(result->err, '\n'), result->err + strlen(result->err) - 1);
    expect_prime_in(cli->tmp);
}

CLI_TEST(test_places_unwritable_folder)
{
    struct cli_result result;
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    assert_int_equal(chmod(cli->work, 0555), 0);
    const struct cli_run run = {.program = binary, .args = ARGS("prime", FAST), .prepare = become_nobody};
    cli_expect(&run, 0, &result);
    cli_expect_files(cli->work, 0);
    expect_fallback(&result, "Permission denied");
}

CLI_TEST(test_places_unwritable_folder_named)
{
    struct cli_result result;
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    assert_int_equal(chmod(cli->work, 0555), 0);
    const struct cli_run run = {
        .program = binary, .args = ARGS("prime", FAST, "-o", "a.csv"), .prepare = become_nobody};
    cli_expect(&run, 2, &result);
    cli_expect_text(result.err, "-o 'a.csv': Permission denied");
    assert_int_equal(result.out_size, 0);
    cli_expect_files(cli->work, 0);
    cli_expect_files(cli->tmp, 0);
}

CLI_TEST(test_places_readonly_file_system)
{
    struct place place = {.work = cli->work, .readonly = {cli->work}};
    const struct cli_run run = {.args = ARGS("prime", FAST), .prepare = make_place, .context = &place};
    struct cli_result result;

    cli_need_mount_namespace();
    cli_expect(&run, 0, &result);
    expect_fallback(&result, "Read-only file system");
}

/* The CSV follows the table on standard output. */
CLI_TEST(test_places_nowhere_to_write)
{
    struct place place = {.work = cli->work, .readonly = {"/tmp", "/dev/shm"}};
    const struct cli_run run = {.args = ARGS("prime", FAST), .prepare = make_place, .context = &place};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_mount_namespace();
    cli_expect(&run, 0, &result);
    cli_expect_text(result.err, "Read-only file system");
    cli_expect_text(result.err, "standard output");
    const char *rows = strstr(result.out, "schema,run_id,");
    assert_non_null(rows);
    assert_true(strstr(result.out, "Prime loop: all runs together") < rows);
    cli_csv_parse(rows, &csv);
    expect_prime(&csv);
}

/* Four items of some 25 KiB each on a disk of 64: what does not fit goes on in $TMPDIR. The shell saves what the mount
 * namespace would take with it. */
CLI_TEST(test_places_full_disk)
{
    struct place place = {.work = cli->work, .small = cli->work};
    struct cli_csv first, second;
    struct cli_result result;
    char saved[CLI_PATH];

    cli_need_mount_namespace();
    (void)snprintf(saved, sizeof(saved), "%s/saved", cli->root);
    assert_int_equal(mkdir(saved, 0777), 0);
    const struct cli_run run = {
        .program = "sh",
        .args = ARGS("-c", "\"$1\" prime -q -n 20000 -i 1 --limit 10:22:4; status=$?; cp ./* \"$2\"; exit $status",
                     "sh", cli_binary, saved),
        .prepare = make_place,
        .context = &place};
    cli_expect(&run, 0, &result);
    cli_expect_text(result.err, "No space left");
    cli_expect_text(result.err, cli->tmp);
    cli_csv_only(saved, &first);
    cli_csv_only(cli->tmp, &second);
    assert_true(first.n_rows > 0 && second.n_rows > 0);
    assert_int_equal(first.n_rows + second.n_rows, 4 * cli_metrics("prime"));
    assert_int_equal(cli_count(&first, "prime", "primes") + cli_count(&second, "prime", "primes"), 4);
    assert_string_equal(cli_cell(&first, 0, "run_id"), cli_cell(&second, 0, "run_id"));
}

CLI_TEST(test_places_same_second_in_one_folder)
{
    const struct cli_run run = {.args = ARGS("prime", "-q", "-n", "10", "-i", "1")};
    char names[CLI_FILES][256], ids[4][64];
    struct cli_child child[4];
    struct cli_result result;
    struct cli_csv csv;

    for (size_t i = 0; i < 4; i++)
        cli_start(&run, &child[i]);
    for (size_t i = 0; i < 4; i++) {
        cli_wait(&child[i], &result);
        cli_expect_status(&result, 0);
    }
    cli_expect_files(cli->work, 4);
    (void)cli_files(cli->work, names);
    for (size_t i = 0; i < 4; i++) {
        cli_csv_read(cli_path("%s/%s", cli->work, names[i]), &csv);
        expect_prime(&csv);
        cli_expect_all(&csv, "run_id", cli_cell(&csv, 0, "run_id"));
        (void)snprintf(ids[i], sizeof(ids[i]), "%s", cli_cell(&csv, 0, "run_id"));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ids[i], ids[k]);
    }
}

/* --- Environment, rights, limits. --- */

CLI_TEST(test_places_empty_environment)
{
    run_prime((struct cli_run){.env = nothing});
}

CLI_TEST(test_places_hostile_environment)
{
    const char *const env[] = {"TMPDIR=relative",
                               "LC_ALL=de_DE.UTF-8",
                               "LANG=tr_TR.UTF-8",
                               "POSIXLY_CORRECT=1",
                               "COLUMNS=1",
                               "TZ=:/nonexistent",
                               "PATH=",
                               NULL};

    run_prime((struct cli_run){.env = env});
}

/* Rows name the requests that the user nobody was refused; the exit status is 0. */
CLI_TEST(test_places_nobody)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_copy_binary(binary);
    const struct cli_run plain = {.program = binary, .args = ARGS("prime", FAST), .prepare = become_nobody};
    run_prime(plain);
    const struct cli_run fifo = {.program = binary,
                                 .args = ARGS("prime", FAST, "-o", "f.csv", "--copies", "1", "--cpus", "0", "--fifo"),
                                 .prepare = become_nobody};
    cli_need_cpus(2); /* on one CPU another reason would come first */
    cli_expect(&fifo, 0, &result);
    cli_expect_text(result.out, "degraded");
    cli_csv_read(cli_path("%s/f.csv", cli->work), &csv);
    assert_int_equal(csv.n_rows, cli_metrics("prime"));
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_all(&csv, "policy", "other");
    cli_expect_all(&csv, "rt_priority", "0");
    for (size_t row = 0; row < csv.n_rows; row++)
        cli_expect_text(cli_cell(&csv, row, "reason"), "SCHED_FIFO 50 refused: Operation not permitted");
    const struct cli_run strict = {.program = binary,
                                   .args = ARGS("prime", FAST, "--no-csv", "--cpus", "0", "--fifo", "--strict"),
                                   .prepare = become_nobody};
    cli_expect(&strict, 3, &result);
}

CLI_TEST(test_places_nobody_with_nice)
{
    char binary[CLI_PATH];
    struct cli_csv csv;

    cli_copy_binary(binary);
    const struct cli_run run = {
        .program = binary, .args = ARGS("prime", FAST, "--nice", "-5"), .prepare = become_nobody};
    cli_expect(&run, 0, NULL);
    cli_csv_only(cli->work, &csv);
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_all(&csv, "nice", "0");
    cli_expect_text(cli_cell(&csv, 0, "reason"), "nice -5 refused");
}

/* Allowed on CPU 0 only: it runs there. A real-time policy is either in effect or reported as missing. */
CLI_TEST(test_places_allowed_on_one_cpu)
{
    const struct cli_run run = {.args = ARGS("prime", FAST, "--fifo", "-o", "f.csv"), .prepare = only_cpu_0};
    struct cli_csv csv;

    cli_need_cpus(1);
    cli_expect(&run, 0, NULL);
    cli_csv_read(cli_path("%s/f.csv", cli->work), &csv);
    cli_expect_all(&csv, "cpus", "0");
    cli_expect_all(&csv, "copies", "1");
    if (strcmp(cli_cell(&csv, 0, "policy"), "fifo")) {
        cli_expect_all(&csv, "status", "degraded");
        cli_expect_text(cli_cell(&csv, 0, "reason"), "SCHED_FIFO");
    } else {
        cli_expect_all(&csv, "status", "ok");
    }
}

/* The machine's only CPU is never given to real-time work that does not sleep. */
CLI_TEST(test_places_machine_with_one_cpu)
{
    char online[CLI_PATH], path[CLI_PATH];
    struct place place = {.work = cli->work, .from = online, .to = "/sys/devices/system/cpu/online", .one_cpu = true};
    struct cli_csv csv;

    cli_need_mount_namespace();
    cli_need_cpus(1);
    (void)snprintf(online, sizeof(online), "%s/online", cli->root);
    cli_write_file(cli->root, "online", "0\n");
    static const char *const forms[][2] = {
        {"--bind", "one"}, {"--bind", "range"}, {"--bind", "none"}, {"--copies", "2"}};
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct cli_run run = {.args = ARGS("prime", FAST, "--fifo", "-o", "f.csv", forms[i][0], forms[i][1]),
                                    .prepare = make_place,
                                    .context = &place};
        cli_expect(&run, 0, NULL);
        (void)snprintf(path, sizeof(path), "%s/f.csv", cli->work);
        cli_csv_read(path, &csv);
        cli_expect_all(&csv, "cpus_online", "1");
        cli_expect_all(&csv, "policy", "other");
        cli_expect_all(&csv, "status", "degraded");
        cli_expect_text(cli_cell(&csv, 0, "reason"), "SCHED_FIFO left out");
        assert_int_equal(unlink(path), 0);
    }
}

struct limit {
    bool processes; /* otherwise descriptors */
    rlim_t value;
    uid_t user; /* 0: stays */
};

static int set_limit(void *context)
{
    const struct limit *limit = context;
    const struct rlimit both = {limit->value, limit->value};

    if (setrlimit(limit->processes ? RLIMIT_NPROC : RLIMIT_NOFILE, &both))
        return -1;
    return limit->user && (setgroups(0, NULL) || setgid(limit->user) || setuid(limit->user)) ? -1 : 0;
}

/* However few descriptors there are: either the rows are there, or one says why not. */
CLI_TEST(test_places_few_descriptors)
{
    bool worked = false;

    cli_need_processor("an emulator needs descriptors too");
    for (rlim_t n = 3; n <= 16; n += n < 8 ? 1 : 4) {
        struct limit limit = {.value = n};
        const struct cli_run run = {.args = ARGS("prime", FAST, "-o", "-"), .prepare = set_limit, .context = &limit};
        struct cli_child child;
        struct cli_result result;
        struct cli_csv csv;
        cli_start(&run, &child);
        cli_wait(&child, &result);
        assert_int_equal(result.unprepared, 0);
        cli_csv_parse(result.out, &csv);
        assert_true(csv.n_rows > 0);
        if (result.status == 1) {
            assert_false(worked); /* more of them never are worse */
            cli_expect_all(&csv, "status", "failed");
            assert_true(cli_cell(&csv, 0, "reason")[0] != 0);
        } else {
            cli_expect_status(&result, 0);
            worked = true;
            assert_int_equal(csv.n_rows, cli_metrics("prime"));
        }
    }
    assert_true(worked);
}

/* A separate user, so that other processes of nobody do not count. */
CLI_TEST(test_places_few_processes)
{
    struct limit limit = {.processes = true, .value = 3, .user = (uid_t)(60000 + getpid() % 5000)};
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root(); /* to become that user */
    cli_copy_binary(binary);
    const struct cli_run run = {
        .program = binary, .args = ARGS("prime", FAST, "--copies", "4,1"), .prepare = set_limit, .context = &limit};
    cli_expect(&run, 1, &result);
    cli_csv_only(cli->work, &csv);
    size_t failed = 0, good = 0;
    for (size_t row = 0; row < csv.n_rows; row++) {
        bool one_copy = !strcmp(cli_cell(&csv, row, "copies"), "1");
        assert_string_equal(cli_cell(&csv, row, "status"), one_copy ? "ok" : "failed");
        if (!one_copy) {
            cli_expect_text(cli_cell(&csv, row, "reason"), "RLIMIT_NPROC");
            assert_string_equal(cli_cell(&csv, row, "value"), "");
        }
        failed += !one_copy;
        good += one_copy;
    }
    assert_true(failed >= 1);
    assert_int_equal(good, cli_metrics("prime"));
    cli_expect_text(result.out, "failed");
    cli_expect_text(result.out, "RLIMIT_NPROC");
}

/* --- Without /proc and /sys. --- */

static const char *const from_proc[] = {"irqs", "softirqs", "steal_ms"};

static void expect_unknown(const struct cli_csv *csv)
{
    for (size_t i = 0; i < COUNT(from_proc); i++)
        cli_expect_all(csv, from_proc[i], "");
    /* Counters of getrusage() are known without procfs, as are those that noise measures itself. */
    for (size_t row = 0; row < csv->n_rows; row++) {
        const char *causes = cli_cell(csv, row, "causes");
        if (strcmp(cli_cell(csv, row, "suite"), "noise"))
            cli_expect_no_text(causes, ":");
        cli_expect_no_text(causes, "timer=");
        cli_expect_no_text(causes, "softirq=");
        assert_int_equal(causes[0] != 0, cli_cell(csv, row, "wall_s")[0] != 0);
        if (causes[0])
            cli_expect_text(causes, "fault=");
    }
}

static void hide(const char *first, const char *second, const char *unknown)
{
    struct place place = {.work = cli->work, .hidden = {first, second}};
    const struct cli_run run = {
        .args = ARGS("prime", "-n", "1000", "-i", "1"), .prepare = make_place, .context = &place};
    char names[CLI_FILES][256];
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(&run, 0, &result);
    assert_string_equal(result.err, "");
    cli_expect_text(result.out, unknown);
    cli_csv_only(cli->work, &csv);
    expect_prime(&csv);
    if (!strcmp(first, "/proc")) {
        cli_expect_text(result.out, "Quiet?    not known");
        expect_unknown(&csv);
        cli_expect_all(&csv, "layout", "random env (ASLR not known)");
    }
    (void)cli_files(cli->work, names);
    assert_int_equal(unlink(cli_path("%s/%s", cli->work, names[0])), 0);
}

CLI_TEST(test_places_without_proc_and_sys)
{
    cli_need_mount_namespace();
    hide("/proc", NULL, "Unknown   /proc not mounted");
    hide("/sys", NULL, "Unknown   /sys not mounted");
    hide("/proc", "/sys", "Unknown   /proc and /sys not mounted");
}

/* The rows of a suite in a root without /proc, /sys, /dev, /tmp and /bin/sh. */
static void expect_only_binary(const struct cli_csv *csv)
{
    for (size_t row = 0; row < csv->n_rows; row++) {
        const char *suite = cli_cell(csv, row, "suite"), *test = cli_cell(csv, row, "test"),
                   *status = cli_cell(csv, row, "status"), *reason = cli_cell(csv, row, "reason");
        const bool shell = !strncmp(test, "shell", 5);
        /* Whether the machine has a disk and a constant speed does not matter. */
        const bool may_be_degraded = !strcmp(suite, "latency") || strstr(reason, "no second CPU is allowed");
        /* Without tracefs; which rights there are to record does not matter either. */
        if (!strcmp(test, "who")) {
            assert_false(cli_is_measured(status));
            continue;
        }
        if (!strcmp(suite, "wakeup")) {
            assert_string_equal(status, "degraded");
            if (!strcmp(cli_cell(csv, row, "policy"), "fifo"))
                cli_expect_text(reason, "/dev/cpu_dma_latency cannot be held: No such file");
        } else if (!cli_is_measured(status) && (!may_be_degraded || strcmp(status, "degraded")))
            assert_string_equal(status, "skipped");
        assert_int_equal(!strcmp(status, "skipped"), shell);
        if (shell)
            cli_expect_text(reason, "/bin/sh");
        else if (!cli_is_made_of_rows(test))
            assert_string_equal(cli_cell(csv, row, "layout"), "random env (ASLR not known)");
    }
    cli_expect_all(csv, "cpus_online", "");
    expect_unknown(csv);
}

/* Nothing but the binary, and it is PID 1: all suites, each for a short time. */
CLI_TEST(test_places_chroot_with_nothing_but_the_binary)
{
    static const struct {
        const char *suite, *test, *options[3];
    } runs[] = {{"noise", "noise", {"--time", "200ms"}},
                {"noise", "who", {"--who", "--time=200ms"}},
                {"wakeup", "wakeup", {"--time", "200ms"}},
                {"prime", "prime", {NULL}},
                {"memory", "steady", {"steady", "--max-size=4M"}},
                {"stream", "bandwidth", {"bandwidth", "--array-size=1M"}},
                {"unix", "dhry2reg", {"--time", "10ms"}},
                {"latency", "gaming", {"--load=none", "--time=50ms"}},
                {"latency", "audio", {"audio", "--exclude-load=memload", "--time=50ms"}}};
    char jail[CLI_PATH / 2], path[CLI_PATH];

    cli_need_root();
    cli_need_mount_namespace();
    need_program("unshare");
    need_program("chroot");
    cli_copy_binary(path);
    (void)snprintf(jail, sizeof(jail), "%s/bin", cli->root);
    for (size_t i = 0; i < COUNT(runs); i++) {
        const struct cli_run run = {.program = "unshare",
                                    .args = ARGS("-fp", "chroot", jail, "/jitbench", runs[i].suite, "--quick",
                                                 "--samples", "1", "-o", "out.csv", "--force", runs[i].options[0],
                                                 runs[i].options[1], runs[i].options[2]),
                                    .limit_s = 90};
        struct cli_result result;
        struct cli_csv csv;
        cli_expect(&run, 0, &result);
        assert_string_equal(result.err, "");
        cli_expect_text(result.out, "Unknown   /proc and /sys not mounted");
        cli_expect_text(result.out, "number of CPUs not known");
        cli_expect_text(result.out, "Quiet?    not known");
        cli_expect_files(jail, 2);
        cli_csv_read(cli_path("%s/out.csv", jail), &csv);
        /* A test that did not run has one row; what is not known, as under load, has none. */
        assert_true(cli_count(&csv, runs[i].test, NULL) > 1);
        expect_only_binary(&csv);
    }
}

/* A root with nothing in it but the binary, no /proc, no /dev, no /tmp, no user database, and the calls of Linux 3.2:
 * no memory file, no exec of a descriptor. */
struct bare {
    const char *jail;
    bool readonly;
};

static int make_bare(void *context)
{
    const struct bare *bare = context;
    /* The last that Linux 3.2 has. */
    struct refusal newer[] = {{.kind = REFUSE_ABOVE, .number = SYS_process_vm_writev, .error = ENOSYS}, {.kind = 0}};

    if (cli_own_mounts() || (bare->readonly && make_readonly(bare->jail)))
        return -1;
    if (chroot(bare->jail) || chdir("/"))
        return -1;
    (void)umask(0777);
    return refuse(newer);
}

/* A sandbox that does not let files be flushed: all rows are written, and one message says so. */
CLI_TEST(test_places_where_files_cannot_be_flushed)
{
    static const int errors[] = {EPERM, EACCES, ENOSYS};
    char names[CLI_FILES][256], line[160];
    struct cli_result result;

    if (!program_has_our_calls(cli_binary))
        cli_skip("a program for another machine: its emulator's calls would be refused");
    for (size_t i = 0; i < COUNT(errors); i++) {
        struct refusal sync[] = {{.kind = REFUSE_CALL, .number = SYS_fdatasync, .error = errors[i]}, {.kind = 0}};
        const struct cli_run run = {.args = ARGS("prime", FAST), .prepare = refuse, .context = sync};
        cli_expect(&run, 0, &result);
        (void)snprintf(line, sizeof(line),
                       "jitbench: CSV: fdatasync: %s: rows are written, but a power cut may lose them\n",
                       strerror(errors[i]));
        assert_string_equal(result.err, line);
        expect_prime_in(cli->work);
        (void)cli_files(cli->work, names);
        assert_int_equal(unlink(cli_path("%s/%s", cli->work, names[0])), 0);
    }
}

static void need_bare(char *jail, size_t size)
{
    char path[CLI_PATH];

    cli_need_root();
    cli_need_mount_namespace();
    if (!program_has_our_calls(cli_binary))
        cli_skip("a program for another machine: its emulator's calls would be refused");
    cli_copy_binary(path);
    (void)snprintf(jail, size, "%s/bin", cli->root);
}

static void run_bare(struct bare *bare, const char *const *args, int status, struct cli_result *result)
{
    const struct cli_run run = {
        .program = "/jitbench", .args = args, .env = nothing, .prepare = make_bare, .context = bare};

    cli_expect(&run, status, result);
    cli_expect_all_gone(args[0]);
    cli_expect_files(bare->jail, 1);
}

static void run_bare_rows(struct bare *bare, const char *const *args, struct cli_csv *csv)
{
    struct cli_result result;

    run_bare(bare, args, 0, &result);
    cli_csv_parse(result.out, csv);
}

/* Expects the test's row to have the status and the reason, and a value unless it was skipped. */
static void expect_bare(const struct cli_csv *csv, const char *layout, const char *test, const char *status,
                        const char *reason)
{
    size_t row = cli_row(csv, test, NULL, 0);

    assert_string_equal(cli_cell(csv, row, "status"), status);
    cli_expect_text(cli_cell(csv, row, "reason"), reason);
    if (strcmp(status, "skipped")) {
        assert_string_not_equal(cli_cell(csv, row, "value"), "");
        assert_string_equal(cli_cell(csv, row, "layout"), layout);
    }
}

/* Not even a place to write: workers are plain forks then, and rows say so. */
CLI_TEST(test_places_bare_readonly_root)
{
    static const char *const layout = "inherited (plain fork)";
    char jail[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    need_bare(jail, sizeof(jail));
    struct bare bare = {.jail = jail, .readonly = true};
    run_bare(&bare, ARGS("version"), 0, &result);
    run_bare(&bare, ARGS("check"), 4, &result);
    run_bare(&bare, ARGS("tune", "--dry-run"), 0, &result);
    run_bare_rows(&bare,
                  ARGS("unix", "-q", "-o", "-", "-c", "1", "-i", "1", "-t", "20ms", "pipe", "context1", "spawn",
                       "execl", "fcopy256", "shell1"),
                  &csv);
    expect_bare(&csv, layout, "pipe", "ok", "");
    expect_bare(&csv, layout, "context1", "ok", "");
    expect_bare(&csv, layout, "spawn", "ok", "");
    expect_bare(&csv, layout, "execl", "skipped", "no place for a copy of the program");
    expect_bare(&csv, layout, "fcopy256", "skipped", "Read-only file system");
    expect_bare(&csv, layout, "shell1", "skipped", "/bin/sh");
    run_bare_rows(&bare, ARGS("noise", "-q", "-o", "-", "-t", "50ms"), &csv);
    expect_bare(&csv, layout, "noise", "ok", "");
    run_bare_rows(
        &bare, ARGS("latency", "audio", "-q", "-o", "-", "-i", "1", "-t", "50ms", "-w", "burn", "-l", "100000"), &csv);
    expect_bare(&csv, layout, "audio", "ok", "");
}

CLI_TEST(test_places_bare_writable_root)
{
    static const char *const layout = "random env (ASLR not known)";
    char jail[CLI_PATH];
    struct cli_csv csv;

    need_bare(jail, sizeof(jail));
    struct bare bare = {.jail = jail};
    run_bare_rows(&bare, ARGS("unix", "-q", "-o", "-", "-c", "1", "-i", "1", "-t", "20ms", "execl", "fcopy256"), &csv);
    expect_bare(&csv, layout, "execl", "degraded", "execveat is refused and there is no /proc");
    expect_bare(&csv, layout, "fcopy256", "ok", "");
}

/* The program makes its own files readable and writable for their owner, whatever the umask: otherwise nobody could not
 * use them, and directories would be left behind. */
static int nobody_without_mode_bits(void *context)
{
    (void)umask(0777);
    return become_nobody(context);
}

CLI_TEST(test_places_umask_that_forbids_the_owner)
{
    static const char *const tests[] = {"fcopy256", "shell1"};
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_copy_binary(binary);
    const struct cli_run run = {
        .program = binary,
        .args = ARGS("unix", "-q", "-o", "-", "-c", "1", "-i", "1", "-t", "20ms", "fcopy256", "shell1"),
        .prepare = nobody_without_mode_bits};
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    for (size_t i = 0; i < COUNT(tests); i++)
        assert_string_equal(cli_cell(&csv, cli_row(&csv, tests[i], NULL, 0), "status"), "ok");
    cli_expect_all_gone("umask 0777");
}

/* --- Signals. --- */

/* SIGINT and SIGHUP: with a terminal, below. */
CLI_TEST(test_places_terminate)
{
    size_t metrics = cli_metrics("prime");
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    (void)start_long((struct cli_run){.args = NULL}, &child);
    (void)kill(child.pid, SIGTERM);
    assert_true(cli_ends(&child, 2, &result));
    cli_expect_status(&result, 128 + SIGTERM);
    assert_int_equal(cli_workers(), 0);
    cli_csv_only(cli->work, &csv);
    expect_long_finished(&csv, metrics);
    assert_int_equal(csv.n_rows, 2 * metrics);
    for (size_t row = metrics; row < csv.n_rows; row++) {
        cli_expect_text(cli_cell(&csv, row, "param"), "limit=20022 ");
        assert_string_equal(cli_cell(&csv, row, "status"), "degraded");
        cli_expect_text(cli_cell(&csv, row, "reason"), "ended by ");
    }
    assert_int_equal(cli_items(cli_cell(&csv, cli_row(&csv, "prime", "cycles", 1), "samples")), 1);
    cli_expect_text(result.out, "degraded");
}

/* Ctrl-C: the terminal signals its foreground group. */
CLI_TEST(test_places_interrupt_from_the_terminal)
{
    const struct cli_run run = {.args = ARGS(LONG, "-v"), .in = CLI_TERMINAL, .out = CLI_TERMINAL, .err = CLI_TERMINAL};
    struct cli_child child;
    struct cli_result result;

    cli_start(&run, &child);
    (void)cli_wait_worker(child.pid);
    assert_int_equal(write(child.terminal, "\003", 1), 1);
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGINT);
    assert_int_equal(cli_workers(), 0);
}

/* The terminal is closed: SIGHUP, and standard output is gone. */
CLI_TEST(test_places_terminal_goes_away)
{
    size_t metrics = cli_metrics("prime");
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    (void)start_long((struct cli_run){.in = CLI_TERMINAL, .out = CLI_TERMINAL, .err = CLI_TERMINAL}, &child);
    (void)close(child.terminal);
    child.terminal = -1;
    cli_wait(&child, &result);
    cli_expect_status(&result, 128 + SIGHUP);
    assert_int_equal(cli_workers(), 0);
    cli_csv_only(cli->work, &csv);
    expect_long_finished(&csv, metrics);
}

/* Whatever it was doing: at the header, in the set-up of a worker, between two rows. Before its handlers are there the
 * signal kills it outright, which leaves nothing either. */
CLI_TEST(test_places_terminate_at_any_moment)
{
    char names[CLI_FILES][256], path[CLI_PATH];

    for (unsigned ms = 0; ms < 60; ms += 5) {
        const struct cli_run run = {.args = ARGS("prime", "-q", "-n", "100", "-i", "20", "--limit", "10:22:4")};
        struct cli_child child;
        struct cli_result result;
        struct cli_csv csv;
        cli_start(&run, &child);
        cli_sleep_ms(ms);
        (void)kill(child.pid, SIGTERM);
        const uint64_t until = cli_deadline(2);
        cli_wait(&child, &result);
        assert_true(cli_now_ns() < until);
        if (result.status != -SIGTERM)
            cli_expect_status(&result, 128 + SIGTERM);
        assert_int_equal(cli_workers(), 0);
        for (size_t n = cli_files(cli->work, names); n > 0; n--) {
            (void)snprintf(path, sizeof(path), "%s/%s", cli->work, names[n - 1]);
            if (result.status != -SIGTERM) {
                cli_csv_read(path, &csv);
            }
            assert_int_equal(unlink(path), 0);
        }
    }
}

/* Its row is failed and says why; the rest goes on. */
CLI_TEST(test_places_killed_worker)
{
    const struct cli_run run = {.args = ARGS("stream", "array", "-q", "-i", "1", "-n", "2000", "--sizes", "1M,25")};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_start(&run, &child);
    (void)kill(cli_wait_worker(child.pid), SIGKILL);
    cli_wait(&child, &result);
    cli_expect_status(&result, 1);
    cli_expect_text(result.out, "failed");
    cli_csv_only(cli->work, &csv);
    size_t failed = 0, good = 0;
    for (size_t row = 0; row < csv.n_rows; row++) {
        if (!strcmp(cli_cell(&csv, row, "status"), "failed")) {
            failed++;
            cli_expect_text(cli_cell(&csv, row, "param"), "elements=1000000 ");
            cli_expect_text(cli_cell(&csv, row, "reason"), "killed by signal 9");
            assert_string_equal(cli_cell(&csv, row, "value"), "");
        } else {
            good++;
            assert_string_equal(cli_cell(&csv, row, "status"), "ok");
            cli_expect_text(cli_cell(&csv, row, "param"), "elements=25 ");
        }
    }
    assert_true(failed >= 1);
    assert_int_equal(good, cli_metrics("array"));
}

/* An item whose worker was killed in a later sample has no row with status ok. */
CLI_TEST(test_places_killed_worker_of_a_later_sample)
{
    size_t metrics = cli_metrics("prime");
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    (void)kill(start_long((struct cli_run){.args = NULL}, &child), SIGKILL);
    cli_wait(&child, &result);
    cli_expect_status(&result, 1);
    cli_csv_only(cli->work, &csv);
    expect_long_finished(&csv, metrics);
    assert_true(csv.n_rows > metrics);
    for (size_t row = metrics; row < csv.n_rows; row++)
        assert_string_equal(cli_cell(&csv, row, "status"), "failed");
}

CLI_TEST(test_places_killed_parent_leaves_no_worker)
{
    const struct cli_run run = {
        .args = ARGS("stream", "array", "-q", "-i", "1", "-n", "1M", "--sizes", "1M", "--copies", "3")};
    struct cli_child child;
    struct cli_result result;

    cli_start(&run, &child);
    (void)cli_wait_worker(child.pid);
    for (const uint64_t until = cli_deadline(10); cli_workers() < 3 && cli_now_ns() < until;)
        cli_sleep_ms(5);
    assert_int_equal(cli_workers(), 3);
    (void)kill(child.pid, SIGKILL);
    const uint64_t until = cli_deadline(2);
    cli_wait(&child, &result);
    cli_expect_status(&result, -SIGKILL);
    while (cli_workers() && cli_now_ns() < until)
        cli_sleep_ms(5);
    assert_int_equal(cli_workers(), 0);
}

/* A reader that has stopped to read (a pager, Ctrl-S) must not make the program deaf. */
CLI_TEST(test_places_terminate_while_nobody_reads)
{
    struct cli_child child;
    struct cli_result result;
    int pipe_fds[2], unread = 0, before = -1;

    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    const struct cli_run run = {.args = ARGS("prime", "-q", "-n", "20000", "-i", "1", "--limit", "10:30:4", "-o", "-"),
                                .out = pipe_fds[1]};
    cli_start(&run, &child);
    /* Full is when nothing has been added for a while. */
    for (unsigned still = 0; still < 40; still = unread == before && unread > 4096 ? still + 1 : 0) {
        before = unread;
        cli_sleep_ms(10);
        assert_int_equal(ioctl(pipe_fds[0], FIONREAD, &unread), 0);
    }
    (void)kill(child.pid, SIGTERM);
    const bool ended = cli_ends(&child, 2, &result);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
    assert_true(ended);
    cli_expect_status(&result, 128 + SIGTERM);
}

static int ignore_hangup(void *context)
{
    (void)context;
    return signal(SIGHUP, SIG_IGN) == SIG_ERR ? -1 : 0;
}

/* As nohup starts it. */
CLI_TEST(test_places_ignored_hangup_stays_ignored)
{
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_need_processor("qemu-user does not hand an ignored signal on through exec");
    size_t metrics = cli_metrics("prime");
    pid_t worker = start_long((struct cli_run){.prepare = ignore_hangup}, &child);
    (void)kill(child.pid, SIGHUP);
    (void)kill(worker, SIGHUP);
    cli_wait(&child, &result);
    cli_expect_status(&result, 0);
    cli_csv_only(cli->work, &csv);
    assert_int_equal(csv.n_rows, 2 * metrics);
    expect_long_finished(&csv, metrics);
}
