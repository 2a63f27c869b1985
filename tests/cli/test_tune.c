/* SPDX-License-Identifier: MIT */
/* Tests of tune and untune on this machine, with settings that do no harm for a moment; each test restores them even if
 * it fails. All settings that tune can write are the same before and after. */
#include <glob.h>
#include <grp.h>

#include "../irq_fixture.h"
#include "../refuse.h"
#include "cli.h"
#include "program.h"

/* Items that the tests tune, at the end of ARGS(): thp is NULL where /sys cannot be written. */
#define HARMLESS "stat_interval", "perf_rate", "watchdogs", thp
#define INTERVAL "/proc/sys/vm/stat_interval"
#define THP      "/sys/kernel/mm/transparent_hugepage/enabled"

static const char *thp = "thp";
static bool irqs_move; /* irqbalance changes the affinity of interrupts at any time */

/* All that tune writes, and what kernels change along with it. */
static const char *const patterns[] = {
    "/proc/irq/*/smp_affinity",
    "/proc/irq/default_smp_affinity",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/perf_cpu_time_max_percent",
    "/proc/sys/kernel/perf_event_max_sample_rate",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/sched_rt_runtime_us",
    "/proc/sys/kernel/soft_watchdog",
    "/proc/sys/kernel/watchdog",
    "/proc/sys/kernel/watchdog_cpumask",
    "/proc/sys/kernel/watchdog_thresh",
    "/proc/sys/vm/min_free_kbytes",
    "/proc/sys/vm/stat_interval",
    "/sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_m*_freq",
    "/sys/devices/system/cpu/cpu*/cpufreq/boost",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/intel_pstate/*_*",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/virtual/workqueue/*/cpumask",
    "/sys/devices/virtual/workqueue/cpumask",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/sys/kernel/mm/transparent_hugepage/enabled",
};

static void append_content(const char *path, FILE *state)
{
    char part[4096];
    FILE *file = fopen(path, "re");

    (void)fprintf(state, "%s: ", path);
    for (size_t n; file && (n = fread(part, 1, sizeof(part), file)) > 0;)
        (void)fwrite(part, 1, n, state);
    (void)fputc('\n', state);
    if (file)
        (void)fclose(file);
}

/* The caller frees it. It is as long as there are CPUs and interrupts. */
static char *read_state(void)
{
    char *text = NULL;
    size_t size;
    FILE *state = open_memstream(&text, &size);

    assert_non_null(state);
    for (size_t i = 0; i < COUNT(patterns); i++) {
        glob_t found;
        if ((irqs_move && strstr(patterns[i], "/irq/")) || glob(patterns[i], 0, NULL, &found))
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            append_content(found.gl_pathv[k], state);
        globfree(&found);
    }
    assert_int_equal(fclose(state), 0);
    return text;
}

static void expect_state(const char *before)
{
    char *now = read_state();

    assert_string_equal(now, before);
    free(now);
}

static char *state_before;
static char interval_before[32]; /* "" unless the test has set another */

/* The snapshot of a test is in its folder. */
static void snapshot_path(char path[CLI_PATH])
{
    (void)snprintf(path, CLI_PATH, "%s/snapshot", cli->root);
}

static bool write_interval(const char *text)
{
    int fd = open(INTERVAL, O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        (void)close(fd);
    return written;
}

/* Gives the interval the value that kernels start with, so that there is one setting that is not good. */
static void spoil_interval(void)
{
    FILE *file = fopen(INTERVAL, "re");

    interval_before[0] = 0;
    if (file && fgets(interval_before, sizeof(interval_before), file) &&
        (!strcmp(interval_before, "1\n") || !write_interval("1\n")))
        interval_before[0] = 0;
    if (file)
        (void)fclose(file);
}

static int setup(void **state)
{
    int status = cli_setup(state);

    spoil_interval();
    state_before = read_state();
    return status;
}

/* Nothing is left even after a failure. */
static int teardown(void **state)
{
    char path[CLI_PATH];

    snapshot_path(path);
    if (access(path, F_OK) == 0) {
        pid_t child = fork();
        if (child == 0) {
            (void)execl(cli_binary, "jitbench", "untune", "--snapshot", path, (char *)NULL);
            _exit(127);
        }
        (void)waitpid(child, NULL, 0);
    }
    free(state_before);
    bool left = interval_before[0] && !write_interval(interval_before);
    return cli_teardown(state) || left ? -1 : 0;
}

/* Runs in one line: what is to be seen on standard output and error ("": nothing; NULL: anything). */
static void expect_run(const struct cli_run *run, int status, const char *out, const char *err)
{
    struct cli_result result;

    cli_expect(run, status, &result);
    if (out && !out[0])
        assert_string_equal(result.out, "");
    else if (out)
        cli_expect_text(result.out, out);
    if (err && !err[0])
        assert_string_equal(result.err, "");
    else if (err)
        cli_expect_text(result.err, err);
}

static void expect_tune(int status, const char *out, const char *err)
{
    char path[CLI_PATH];

    snapshot_path(path);
    const struct cli_run run = {.args = ARGS("tune", "--snapshot", path, HARMLESS)};
    expect_run(&run, status, out, err);
}

static void expect_untune(int status, const char *out, const char *err)
{
    char path[CLI_PATH];

    snapshot_path(path);
    const struct cli_run run = {.args = ARGS("untune", "--snapshot", path)};
    expect_run(&run, status, out, err);
}

/* Root may write one of them. */
static void need_settings(void)
{
    cli_need_root();
    if (access(INTERVAL, W_OK))
        cli_skip("needs a writable %s: %s", INTERVAL, strerror(errno));
}

static bool has_snapshot(void)
{
    char path[CLI_PATH];
    struct stat status;

    snapshot_path(path);
    return lstat(path, &status) == 0;
}

/* --- There and back. --- */

TEST_WITH(test_tune_sets_and_untune_restores, setup, teardown)
{
    need_settings();
    expect_tune(0, "jitbench untune --snapshot", "");
    char *tuned = read_state();
    cli_expect_text(tuned, INTERVAL ": 20\n");
    free(tuned);
    assert_true(has_snapshot());
    expect_untune(0, "restored", "");
    expect_state(state_before);
    assert_false(has_snapshot());
    cli_expect_files(cli->root, 2); /* work and tmp */
}

/* A closed standard output keeps nothing from being set or restored. */
TEST_WITH(test_tune_without_output, setup, teardown)
{
    char path[CLI_PATH];

    need_settings();
    snapshot_path(path);
    const struct cli_run tune = {.args = ARGS("tune", "--snapshot", path, HARMLESS), .out = CLI_CLOSED};
    const struct cli_run untune = {.args = ARGS("untune", "--snapshot", path), .out = CLI_CLOSED, .err = CLI_CLOSED};
    expect_run(&tune, 0, NULL, "");
    assert_true(has_snapshot());
    expect_run(&untune, 0, NULL, NULL);
    expect_state(state_before);
}

TEST_WITH(test_tune_says_when_its_table_is_lost, setup, teardown)
{
    char path[CLI_PATH];
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC), ends[2];

    if (full < 0)
        cli_skip("no /dev/full");
    need_settings();
    snapshot_path(path);
    const struct cli_run tune = {.args = ARGS("tune", "--snapshot", path, HARMLESS), .out = full};
    const struct cli_run dry = {.args = ARGS("tune", "--dry-run", "--snapshot", path), .out = full};
    const struct cli_run untune = {.args = ARGS("untune", "--snapshot", path), .out = full};
    expect_run(&dry, 1, NULL, "jitbench tune: standard output cannot be written: No space left on device\n");
    expect_run(&tune, 1, NULL, "jitbench tune: standard output cannot be written: No space left on device\n");
    assert_true(has_snapshot());
    expect_run(&untune, 1, NULL, "jitbench untune: standard output cannot be written: No space left on device\n");
    assert_false(has_snapshot());
    expect_state(state_before);
    (void)close(full);
    /* A reader that has seen enough is none of our business. */
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    const struct cli_run unread = {.args = ARGS("tune", "--dry-run", "--snapshot", path), .out = ends[1]};
    expect_run(&unread, 0, NULL, "");
    (void)close(ends[1]);
}

/* --- Refusals. --- */

static int become_nobody(void *context)
{
    (void)context;
    if (geteuid() != 0)
        return 0;
    return setgroups(0, NULL) || setgid(65534) || setuid(65534) ? -1 : 0;
}

TEST_WITH(test_tune_as_nobody, setup, teardown)
{
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    if (!strstr(state_before, INTERVAL ": 1\n"))
        cli_skip("needs a setting that is not good");
    const struct cli_run run = {.program = binary, .args = ARGS("tune"), .prepare = become_nobody};
    expect_run(&run, 1, "", "only root may set ");
    expect_run(&run, 1, "", "stat_interval");
    const struct cli_run dry = {.program = binary, .args = ARGS("tune", "--dry-run"), .prepare = become_nobody};
    expect_run(&dry, 0, "would be set to 20", "");
    expect_state(state_before);
}

/* Without a place for the snapshot nothing is written. */
TEST_WITH(test_tune_needs_a_place_for_the_snapshot, setup, teardown)
{
    need_settings();
    const struct cli_run missing = {.args = ARGS("tune", "--snapshot", "/nonexistent/snapshot", HARMLESS)};
    expect_run(&missing, 1, "", "'/nonexistent/snapshot': No such file");
    const struct cli_run folder = {.args = ARGS("tune", "--snapshot", "/dev/null/snapshot", HARMLESS)};
    expect_run(&folder, 1, "", "Not a directory");
    expect_state(state_before);
}

/* A file system without files that have no name yet. */
TEST_WITH(test_tune_without_newer_calls, setup, teardown)
{
    char path[CLI_PATH];

    need_settings();
    if (!program_has_our_calls(cli_binary))
        cli_skip("a program for another machine: its emulator's calls would be refused");
    snapshot_path(path);
    struct refusal refusals[] = {{.kind = REFUSE_FLAG,
                                  .number = SYS_openat,
                                  .argument = 2,
                                  .mask = O_TMPFILE,
                                  .value = O_TMPFILE,
                                  .error = EISDIR},
                                 {.kind = 0}};
    const struct cli_run run = {
        .args = ARGS("tune", "stat_interval", "--snapshot", path), .prepare = refuse, .context = refusals};
    expect_run(&run, 0, "1 file changed", "");
    assert_true(has_snapshot());
    cli_expect_files(cli->root, 3); /* the snapshot alone beside work and tmp */
    expect_run(&run, 1, NULL, "is there already");
    expect_untune(0, NULL, "");
    expect_state(state_before);
}

TEST_WITH(test_untune_refuses_a_damaged_snapshot, setup, teardown)
{
    char path[CLI_PATH], other[CLI_PATH + 8];
    size_t size;

    need_settings();
    snapshot_path(path);
    (void)snprintf(other, sizeof(other), "%s-other", path);
    expect_tune(0, NULL, "");
    char *tuned = read_state(), *text = cli_read_file(path, &size);
    assert_int_equal(truncate(path, (off_t)size / 2), 0);
    expect_untune(1, "", "is not a whole snapshot");
    expect_state(tuned);
    cli_write_file(cli->root, "snapshot", text);
    /* Restored by one of its names, it would stay under the other. */
    assert_int_equal(link(path, other), 0);
    const struct cli_run by_other = {.args = ARGS("untune", "--snapshot", other)};
    expect_run(&by_other, 1, "", "has 2 names (hard links): not trusted");
    expect_untune(1, "", "has 2 names (hard links): not trusted");
    assert_int_equal(unlink(other), 0);
    expect_state(tuned);
    assert_int_equal(chmod(path, 0602), 0);
    expect_untune(1, "", "can be written by others: not trusted");
    expect_state(tuned);
    free(tuned);
    assert_int_equal(chmod(path, 0600), 0);
    expect_untune(0, NULL, "");
    expect_state(state_before);
}

/* --- Killed. --- */

/* Starts it, and kills it after a while. Returns whether it had ended before, with all done. */
static bool kill_after(const char *const *args, unsigned us)
{
    const struct cli_run run = {.args = args};
    const struct timespec moment = {.tv_nsec = (long)us * 1000};
    struct cli_child child;
    struct cli_result result;

    cli_start(&run, &child);
    (void)nanosleep(&moment, NULL);
    (void)kill(child.pid, SIGKILL);
    cli_wait(&child, &result);
    const bool done = result.status != -SIGKILL;
    if (done)
        cli_expect_status(&result, 0);
    return done;
}

static unsigned duration_us(const char *const *args)
{
    struct cli_result result;

    cli_expect_args(args, 0, &result);
    unsigned us = (unsigned)(result.seconds * 1e6);
    return us < 500000 ? us : 500000;
}

/* Whatever it had come to, untune restores it, or there was nothing to restore. */
TEST_WITH(test_tune_killed_at_any_moment_is_restored, setup, teardown)
{
    unsigned seed = (unsigned)getpid();
    char path[CLI_PATH];

    need_settings();
    snapshot_path(path);
    const char *const *args = ARGS("tune", "--snapshot", path, HARMLESS);
    unsigned most = duration_us(args) + 1000;
    expect_untune(0, NULL, "");
    for (unsigned i = 0; i < 20; i++) {
        const bool done = kill_after(args, (unsigned)rand_r(&seed) % most);
        assert_true(!done || has_snapshot());
        expect_untune(has_snapshot() ? 0 : 1, NULL, NULL);
        expect_state(state_before);
        assert_false(has_snapshot());
        cli_expect_files(cli->root, 2);
    }
}

TEST_WITH(test_untune_killed_at_any_moment_can_be_repeated, setup, teardown)
{
    unsigned seed = (unsigned)getpid(), most;
    char path[CLI_PATH];

    need_settings();
    snapshot_path(path);
    const char *const *args = ARGS("untune", "--snapshot", path);
    expect_tune(0, NULL, "");
    most = duration_us(args) + 1000;
    for (unsigned i = 0; i < 20; i++) {
        expect_tune(0, NULL, "");
        const bool done = kill_after(args, (unsigned)rand_r(&seed) % most);
        assert_false(done && has_snapshot());
        if (has_snapshot())
            expect_untune(0, NULL, "");
        expect_state(state_before);
    }
}

/* A signal that asks for the end does not end it half-way. */
TEST_WITH(test_tune_interrupted_is_whole, setup, teardown)
{
    char path[CLI_PATH];

    need_settings();
    snapshot_path(path);
    for (unsigned i = 0; i < 5; i++) {
        const struct cli_run run = {.args = ARGS("tune", "--snapshot", path, HARMLESS)};
        const struct timespec moment = {.tv_nsec = (long)i * 1000000};
        struct cli_child child;
        struct cli_result result;
        cli_start(&run, &child);
        (void)nanosleep(&moment, NULL);
        (void)kill(child.pid, SIGINT);
        cli_wait(&child, &result);
        assert_true(result.status == 0 || result.status == -SIGINT); /* before it had begun */
        assert_int_equal(has_snapshot(), result.status == 0);
        if (has_snapshot())
            expect_untune(0, NULL, "");
        expect_state(state_before);
    }
}

/* --- Places. --- */

/* Folders over /run and /dev/shm, and what cannot be written, in a mount namespace of its own. */
struct place {
    char run[CLI_PATH], shm[CLI_PATH];
    const char *readonly[3], *hidden[3];
};

static int make_place(void *context)
{
    const struct place *place = context;

    if (cli_own_mounts())
        return -1;
    if (mount(place->run, "/run", NULL, MS_BIND, NULL) || mount(place->shm, "/dev/shm", NULL, MS_BIND, NULL))
        return -1;
    for (size_t i = 0; i < 3 && place->readonly[i]; i++)
        if (mount(place->readonly[i], place->readonly[i], NULL, MS_BIND | MS_REC, NULL) ||
            mount(NULL, place->readonly[i], NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
            return -1;
    for (size_t i = 0; i < 3 && place->hidden[i]; i++)
        if (mount("none", place->hidden[i], "tmpfs", 0, "size=64k"))
            return -1;
    return 0;
}

static void init_place(struct place *place)
{
    memset(place, 0, sizeof(*place));
    (void)snprintf(place->run, sizeof(place->run), "%s/run", cli->root);
    (void)snprintf(place->shm, sizeof(place->shm), "%s/shm", cli->root);
    if ((mkdir(place->run, 0755) && errno != EEXIST) || (mkdir(place->shm, 0755) && errno != EEXIST))
        fail_msg("%s: %s", cli->root, strerror(errno));
}

/* The default place of the snapshot; the directory is the test's own. */
static void expect_default_place(const struct place *place, const char *folder)
{
    char path[CLI_PATH], names[CLI_FILES][256];
    const struct cli_run tune = {
        .args = ARGS("tune", "stat_interval"), .prepare = make_place, .context = (void *)place};
    const struct cli_run untune = {.args = ARGS("untune"), .prepare = make_place, .context = (void *)place};

    expect_run(&tune, 0, "'jitbench untune' restores", "");
    assert_int_equal(cli_files(folder, names), 1);
    assert_string_equal(names[0], "jitbench.snapshot");
    /* Not beside another: who restored the older one first would get the newer one's values. */
    snapshot_path(path);
    const struct cli_run second = {
        .args = ARGS("tune", "perf_rate", "--snapshot", path), .prepare = make_place, .context = (void *)place};
    expect_run(&second, 1, "", "/jitbench.snapshot' is there already; 'jitbench untune' restores what it holds");
    assert_false(has_snapshot());
    /* A copy for the teardown, in case the test fails. */
    (void)snprintf(path, sizeof(path), "%s/jitbench.snapshot", folder);
    char *text = cli_read_file(path, NULL);
    cli_write_file(cli->root, "snapshot", text);
    expect_run(&untune, 0, "1 file restored", "");
    snapshot_path(path);
    assert_int_equal(unlink(path), 0);
    cli_expect_files(folder, 0);
    expect_run(&untune, 1, "", "nothing to restore");
    expect_state(state_before);
}

TEST_WITH(test_tune_keeps_the_snapshot_in_run, setup, teardown)
{
    struct place place;

    need_settings();
    cli_need_mount_namespace();
    init_place(&place);
    expect_default_place(&place, place.run);
}

TEST_WITH(test_tune_keeps_the_snapshot_in_shared_memory_otherwise, setup, teardown)
{
    struct place place;

    need_settings();
    cli_need_mount_namespace();
    init_place(&place);
    place.readonly[0] = "/run";
    expect_default_place(&place, place.shm);
    place.readonly[1] = "/dev/shm";
    const struct cli_run nowhere = {.args = ARGS("tune", "stat_interval"), .prepare = make_place, .context = &place};
    expect_run(&nowhere, 1, "", "'/run/jitbench.snapshot': Read-only file system");
    expect_state(state_before);
}

/* As in a container. */
TEST_WITH(test_tune_where_nothing_can_be_written, setup, teardown)
{
    struct place place;

    need_settings();
    cli_need_mount_namespace();
    init_place(&place);
    place.readonly[0] = "/proc/sys";
    place.readonly[1] = "/sys";
    const struct cli_run run = {.args = ARGS("tune", HARMLESS), .prepare = make_place, .context = &place};
    const struct cli_run quiet = {.args = ARGS("tune", "-q", HARMLESS), .prepare = make_place, .context = &place};
    expect_run(&run, 1, "refused: mounted read-only, as in a container", "");
    expect_run(&run, 1, "Nothing was changed.", "");
    expect_run(&quiet, 1, "", "jitbench tune: " INTERVAL ": refused: mounted read-only");
    expect_state(state_before);
    cli_expect_files(place.run, 0); /* no snapshot stands in the way of the next one */
}

static int make_place_with_one_irq(void *context)
{
    const int *irq = context;

    return cli_own_mounts() || irq_show_only(*irq) ? -1 : 0;
}

/* Interrupts that cannot be moved are reported, but are not a failure. */
TEST_WITH(test_tune_leaves_interrupts_that_the_kernel_manages, setup, teardown)
{
    char path[CLI_PATH], line[64];
    int irq = irq_find_managed();

    need_settings();
    cli_need_mount_namespace();
    cli_need_cpus(2);
    if (irq < 0)
        cli_skip("all interrupts can be moved");
    snapshot_path(path);
    (void)snprintf(line, sizeof(line), "irqs  /proc/irq/%d/smp_affinity_list ", irq);
    const struct cli_run run = {.args = ARGS("tune", "irqs", "--cpus", "0", "--snapshot", path),
                                .prepare = make_place_with_one_irq,
                                .context = &irq};
    expect_run(&run, 0, line, "");
    expect_run(&run, 0, "refused: the kernel manages this interrupt itself\nNothing was changed.\n", "");
    assert_false(has_snapshot());
    expect_state(state_before);
}

TEST_WITH(test_tune_without_proc_and_sys, setup, teardown)
{
    struct place place;

    cli_need_root();
    cli_need_mount_namespace();
    init_place(&place);
    place.hidden[0] = "/proc";
    place.hidden[1] = "/sys";
    const struct cli_run run = {.args = ARGS("tune"), .prepare = make_place, .context = &place};
    expect_run(&run, 0, "/sys is not mounted", "");
    expect_run(&run, 0, "Nothing was changed.", "");
    const struct cli_run untune = {.args = ARGS("untune"), .prepare = make_place, .context = &place};
    expect_run(&untune, 1, "", "nothing to restore");
    expect_state(state_before);
}

static bool runs_irqbalance(void)
{
    glob_t found;
    char name[32];
    bool runs = false;

    if (glob("/proc/[1-9]*/comm", 0, NULL, &found))
        return false;
    for (size_t i = 0; i < found.gl_pathc && !runs; i++) {
        FILE *file = fopen(found.gl_pathv[i], "re");
        runs = file && fgets(name, sizeof(name), file) && !strcmp(name, "irqbalance\n");
        if (file)
            (void)fclose(file);
    }
    globfree(&found);
    return runs;
}

static int group_setup(void **state)
{
    irqs_move = runs_irqbalance();
    if (access(THP, W_OK) && errno == EROFS)
        thp = NULL;
    return cli_group_setup(state);
}

GROUP(group_setup, NULL);
