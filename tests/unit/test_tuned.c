/* SPDX-License-Identifier: MIT */
/* Settings made good around a run, on this machine, in a mount namespace that hides all but the harmless ones. */

#include "../irq_fixture.h"
#include "fixture.h"
#include "settings/settings.h"
#include "sys/process.h"

#define INTERVAL "/proc/sys/vm/stat_interval"
#define SNAPSHOT "/run/jitbench.snapshot"

static const char *const files[] = {
    INTERVAL,
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/perf_event_max_sample_rate",
    "/proc/sys/kernel/soft_watchdog",
    "/proc/sys/kernel/watchdog",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/sys/kernel/mm/transparent_hugepage/enabled",
};

static char folder[64];

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/jitbench-tuned-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

/* Each file's first line. */
static void read_files(char *text, size_t size)
{
    char line[128];

    text[0] = 0;
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)procfs_read_line(files[i], line, sizeof(line));
        (void)snprintf(text + strlen(text), size - strlen(text), "%s: %s\n", files[i], line);
    }
}

#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

/* The snapshot comes to the folder; interrupts, work and clocks are left alone, and so is all of a /sys that cannot be
 * written. */
static int make_place(void)
{
    static const char *const hidden[] = {"/proc/irq", "/sys/devices/system/cpu", "/sys/devices/virtual/workqueue"};
    const bool no_sys = access(THP, W_OK) && errno == EROFS;

    if (geteuid() != 0 || access(INTERVAL, W_OK) || fixture_own_mounts() || mount(folder, "/run", NULL, MS_BIND, NULL))
        return -1;
    if (no_sys && mount("none", "/sys", "tmpfs", 0, "size=64k"))
        return -1;
    for (size_t i = 0; i < COUNT(hidden); i++)
        if (access(hidden[i], F_OK) == 0 && mount("none", hidden[i], "tmpfs", 0, "size=64k"))
            return -1;
    return 0;
}

static void ignore_report(void *context, const struct snapshot_report *report)
{
    (void)context;
    (void)report;
}

/* Restores from the snapshot. Returns 0, -1 if there is no usable one, or 1 if not all could be restored. */
static int restore_by(const char *file)
{
    struct snapshot *snapshot;
    struct error error;
    int code = snapshot_open(file, &snapshot, &error);

    if (code)
        return code;
    code = snapshot_restore(snapshot, ignore_report, NULL, &error) ? 1 : 0;
    snapshot_close(snapshot);
    return code;
}

/* Removes what a failed test left behind. */
static int put_back(void **state)
{
    char file[96];

    (void)snprintf(file, sizeof(file), "%s/jitbench.snapshot", folder);
    return restore_by(file) == -1 && access(file, F_OK) ? 0 : -1;
}

static int (*part)(void);

static int part_in_place(void)
{
    return make_place() ? CANNOT : part();
}

/* Runs in a child in the test's directory, where it may change anything. Returns its status as waitpid() gives it. */
static int in_place(int (*test)(void))
{
    part = test;
    int status = fixture_status_of(part_in_place);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        skip_because("needs root, a mount namespace and settings that can be written");
    return status;
}

/* The same for the end of the run. Returns 0, or the error. */
static void assert_good_in_place(int (*test)(void))
{
    int status = in_place(test);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static struct cpuset first_cpu(void)
{
    struct cpuset cpus;

    cpuset_clear(&cpus);
    cpuset_add(&cpus, 0);
    return cpus;
}

static int begin_tuning(const struct cpuset *cpus, struct error *message)
{
    static struct machine machine;
    const struct settings_view view = {.machine = &machine, .bench = cpus};

    machine_read(&machine);
    return tuned_begin(&view, message);
}

static int begin_and_end(void)
{
    const struct cpuset cpus = first_cpu();
    struct error message;
    char before[2048], after[2048];

    read_files(before, sizeof(before));
    if (begin_tuning(&cpus, &message) || !strstr(message.text, "settings changed until the end"))
        return 1;
    read_files(after, sizeof(after));
    if (!strstr(after, INTERVAL ": 20\n") || !strstr(after, "/watchdog: 0\n") ||
        (access(THP, F_OK) == 0 && !strstr(after, "[never]")))
        return 2;
    if (access(SNAPSHOT, F_OK))
        return 3;
    tuned_end();
    read_files(after, sizeof(after));
    if (strcmp(before, after) != 0 || access(SNAPSHOT, F_OK) == 0)
        return 4;
    tuned_end();
    /* Once more. */
    if (begin_tuning(&cpus, &message))
        return 5;
    tuned_end();
    read_files(after, sizeof(after));
    return strcmp(before, after) != 0 ? 6 : 0;
}

TEST_WITH(test_tuned_begin_changes_and_end_restores, NULL, put_back)
{
    assert_good_in_place(begin_and_end);
}

static int begin_and_die(void)
{
    const struct cpuset cpus = first_cpu();
    struct error message;

    (void)begin_tuning(&cpus, &message);
    return kill(getpid(), SIGKILL);
}

/* Another process's snapshot exists: nothing is changed, and it is kept. */
static int find_snapshot(void)
{
    const struct cpuset cpus = first_cpu();
    struct error message;
    char after[2048];

    procfs_read_line(INTERVAL, message.text, sizeof(message.text));
    if (strcmp(message.text, "20") != 0)
        return 1;
    FILE *interval = fopen(INTERVAL, "w");
    if (!interval || fputs("19\n", interval) < 0 || fclose(interval))
        return 2;
    if (begin_tuning(&cpus, &message) != -1 || !strstr(message.text, "untune"))
        return 3;
    tuned_end();
    read_files(after, sizeof(after));
    if (!strstr(after, INTERVAL ": 19\n"))
        return 4;
    return restore_by(SNAPSHOT) ? 5 : 0;
}

TEST_WITH(test_tuned_leaves_a_snapshot_when_it_is_killed, NULL, put_back)
{
    char before[2048], after[2048];

    read_files(before, sizeof(before));
    int status = in_place(begin_and_die);
    assert_true(WIFSIGNALED(status));
    assert_good_in_place(find_snapshot);
    read_files(after, sizeof(after));
    assert_string_equal(after, before);
}

static int begin_as_nobody(void)
{
    const struct cpuset cpus = first_cpu();
    struct error message;

    if (fixture_become_nobody())
        return CANNOT;
    int status = begin_tuning(&cpus, &message);
    tuned_end();
    return status == -1 && !strcmp(message.text, "needs root; no setting was changed") ? 0 : 1;
}

TEST_WITH(test_tuned_needs_root, NULL, put_back)
{
    assert_good_in_place(begin_as_nobody);
}

static int begin_read_only(void)
{
    static const char *const readonly[] = {"/proc/sys", "/sys"};
    const struct cpuset cpus = first_cpu();
    struct error message;

    for (size_t i = 0; i < 2; i++)
        if (mount(readonly[i], readonly[i], NULL, MS_BIND | MS_REC, NULL) ||
            mount(NULL, readonly[i], NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
            return CANNOT;
    int status = begin_tuning(&cpus, &message);
    if (status != -1 || !strstr(message.text, "settings refused (") || !strstr(message.text, "mounted read-only"))
        return 1;
    tuned_end();
    return access(SNAPSHOT, F_OK) == 0 ? 2 : 0;
}

TEST_WITH(test_tuned_says_what_was_refused, NULL, put_back)
{
    assert_good_in_place(begin_read_only);
}

/* There is nothing that anybody could do about it: no reason to call every row degraded. */
static int begin_with_managed(void)
{
    const struct cpuset cpus = first_cpu();
    struct error message;
    char expected[128];
    int irq = umount("/proc/irq") ? -1 : irq_find_managed();

    if (irq < 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2 || irq_show_only(irq))
        return CANNOT;
    int status = begin_tuning(&cpus, &message);
    tuned_end();
    (void)snprintf(expected, sizeof(expected), "; interrupts that the kernel manages itself stay: %d", irq);
    if (status || !strstr(message.text, "settings changed until the end") || !strstr(message.text, expected))
        return 1;
    return access(SNAPSHOT, F_OK) == 0 ? 2 : 0;
}

TEST_WITH(test_tuned_goes_on_without_interrupts_that_the_kernel_manages, NULL, put_back)
{
    assert_good_in_place(begin_with_managed);
}

/* A list of settings, and the number of its first line that is none; 0: it is good. */
static const struct {
    const char *text;
    unsigned wrong;
} lists[] = {
    {"", 0},
    {"\n# a comment without one\n\n" INTERVAL "=20\n/sys/kernel/mm/ksm/run=\n", 0},
    {"/proc/irq/7/smp_affinity=1\n" INTERVAL "=a=b [c]", 0},
    {INTERVAL "\n", 1},
    {"#\n" INTERVAL "=1\n\n" INTERVAL " 1", 4},
    {INTERVAL "=1\n/etc/passwd=1\n", 2},
    {INTERVAL "=1\n/sys/../etc/passwd=1\n", 2},
    {"\n/proc/sys/kernel/modprobe=/tmp/evil\n", 2},
    {" " INTERVAL "=1\n", 1},
};

TEST(test_tuned_lists_are_checked)
{
    struct error message;
    char file[96], expected[128];

    (void)snprintf(file, sizeof(file), "%s/list", folder);
    for (size_t i = 0; i < COUNT(lists); i++) {
        FILE *list = fopen(file, "w");
        assert_non_null(list);
        assert_true(fputs(lists[i].text, list) >= 0);
        assert_int_equal(fclose(list), 0);
        (void)strcpy(message.text, "unset");
        (void)snprintf(expected, sizeof(expected), "line %u is not PATH=VALUE with a file below /proc/sys or /sys",
                       lists[i].wrong);
        assert_int_equal(tuned_check_file(file, &message), lists[i].wrong ? -1 : 0);
        assert_string_equal(message.text, lists[i].wrong ? expected : "unset");
    }
    assert_int_equal(unlink(file), 0);
    assert_int_equal(tuned_check_file(file, &message), -1);
    assert_string_equal(message.text, strerror(ENOENT));
    assert_int_equal(tuned_begin_file(file, &message), -1);
    assert_string_equal(message.text, strerror(ENOENT));
    tuned_end();
}

static int begin_good_list(const char *text, const char *expected)
{
    struct error message;
    FILE *list = fopen("/run/list", "w");

    if (!list || fputs(text, list) < 0 || fclose(list))
        return 6;
    if (tuned_begin_file("/run/list", &message) || strcmp(message.text, expected) != 0)
        return 7;
    tuned_end();
    return access(SNAPSHOT, F_OK) == 0 ? 8 : 0;
}

static int begin_list(void)
{
    struct error message;
    char text[32];
    FILE *list = fopen("/run/list", "w");

    if (!list || fputs("# ours\n" INTERVAL "=21\n/proc/sys/vm/missing=1\n", list) < 0 || fclose(list))
        return 1;
    if (tuned_begin_file("/run/list", &message) != -1 ||
        strcmp(message.text, "1 of 2 settings refused (/proc/sys/vm/missing: No such file or directory)") != 0)
        return 2;
    procfs_read_line(INTERVAL, text, sizeof(text));
    if (strcmp(text, "21") != 0)
        return 3;
    tuned_end();
    procfs_read_line(INTERVAL, text, sizeof(text));
    if (strcmp(text, "21") == 0 || access(SNAPSHOT, F_OK) == 0)
        return 4;
    int code = begin_good_list("# nothing\n", "");
    if (!code)
        code = begin_good_list(INTERVAL "=21\n", "1 settings changed until the end of the run");
    return unlink("/run/list") ? 5 : code;
}

TEST_WITH(test_tuned_sets_what_a_list_names, NULL, put_back)
{
    assert_good_in_place(begin_list);
}

TEST(test_tuned_refusal_knows_what_the_kernel_means)
{
    assert_non_null(strstr(tuned_refusal("/proc/irq/5/smp_affinity", -EIO), "manages this interrupt"));
    assert_string_equal(tuned_refusal("/sys/x", -EIO), strerror(EIO));
    assert_true(tuned_is_managed("/proc/irq/5/smp_affinity", -EIO));
    assert_int_equal(tuned_is_managed("/proc/irq/5/smp_affinity", -EPERM), geteuid() == 0);
    assert_false(tuned_is_managed("/proc/irq/5/smp_affinity", -EINVAL));
    assert_false(tuned_is_managed("/proc/irq/default_smp_affinity", -EIO));
    assert_false(tuned_is_managed("/sys/x", -EPERM));
    assert_non_null(strstr(tuned_refusal("/sys/x", -EROFS), "read-only"));
    assert_string_equal(tuned_refusal("/sys/x", -EBUSY), strerror(EBUSY));
    assert_string_equal(tuned_refusal("/sys/x", -EPERM),
                        geteuid() == 0 ? "the kernel or the firmware forbids it" : strerror(EPERM));
}

GROUP(make_folder, remove_folder);
