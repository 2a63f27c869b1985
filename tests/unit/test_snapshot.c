/* SPDX-License-Identifier: MIT */
/* Settings are changed and restored, to the byte, in made-up trees with a made-up kernel behind them; whatever happens
 * in between: refusals, kills, damaged and planted snapshots. */

#include "../refuse.h"
#include "fixture.h"
#include "memory_fixture.h"
#include "settings/settings.h"
#include "tree_fixture.h"

#define CPUFREQ   "/sys/devices/system/cpu/cpu%u/cpufreq/%s"
#define GOVERNOR2 "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"
#define NO_TURBO  "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define THP       "/sys/kernel/mm/transparent_hugepage/enabled"
#define MIN_FREE  "/proc/sys/vm/min_free_kbytes"
#define BOOST     "/sys/devices/system/cpu/cpufreq/boost"
#define SMT       "/sys/devices/system/cpu/smt/control"
#define CPU2      "/sys/devices/system/cpu/cpu2"
#define INTERVAL  "/proc/sys/vm/stat_interval"
#define WATCHDOG  "/proc/sys/kernel/watchdog"
#define NMI       "/proc/sys/kernel/nmi_watchdog"
#define BOOT_ID   "/proc/sys/kernel/random/boot_id"
#define HEAD      "# jitbench snapshot of boot 11111111-2222-3333-4444-555555555555\n"
#define LAST      "# end\n"
#define CPUS      4u
#define ITEMS_MAX 32
#define TEXT_SIZE 65536

/* --- The made-up kernel. --- */

static struct {
    struct {
        const char *path;
        int error;
    } refuses[4];
    unsigned writes;  /* how many there were */
    unsigned kill_at; /* the process dies before that one; 0: never */
    char log[4096];   /* the last component of each path, a blank behind */
} kernel;

static void plain_write(const char *path, const char *text)
{
    char full[512];

    (void)snprintf(full, sizeof(full), "%s%s", tree_root, path);
    FILE *file = fopen(full, "r+");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A list of choices shows them all, the chosen one in brackets. */
static int choose(const char *path, const char *value)
{
    static const char *const choices[] = {"always", "madvise", "never"};
    char text[128] = "";
    bool known = false;

    for (size_t i = 0; i < 3; i++) {
        bool chosen = !strcmp(choices[i], value);
        known = known || chosen;
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), chosen ? "%s[%s]" : "%s%s", i ? " " : "",
                       choices[i]);
    }
    if (!known)
        return -EINVAL;
    (void)strcat(text, "\n");
    plain_write(path, text);
    return 0;
}

/* Side effects of writing a file, as kernels have them. */
static void change_along(const char *path, const char *value)
{
    char neighbour[256];
    unsigned cpu;

    if (!strcmp(path, WATCHDOG)) {
        (void)snprintf(neighbour, sizeof(neighbour), "%s\n", value);
        plain_write(NMI, neighbour);
    }
    for (cpu = 0; cpu < CPUS && !strcmp(path, BOOST); cpu++) {
        (void)snprintf(neighbour, sizeof(neighbour), CPUFREQ, cpu, "boost");
        plain_write(neighbour, !strcmp(value, "1") ? "1\n" : "0\n");
    }
    if (sscanf(path, "/sys/devices/system/cpu/cpu%u/", &cpu) == 1 && strstr(path, "/scaling_governor")) {
        plain_write(NO_TURBO, "0\n");
        if (!strcmp(value, "performance")) {
            (void)snprintf(neighbour, sizeof(neighbour), CPUFREQ, cpu, "energy_performance_preference");
            plain_write(neighbour, "performance\n");
        }
    }
}

static bool has(const char *path)
{
    char full[512];

    (void)snprintf(full, sizeof(full), "%s%s", tree_root, path);
    return access(full, F_OK) == 0;
}

static int kernel_write(const char *path, const char *value)
{
    char line[4200];

    kernel.writes++;
    if (kernel.kill_at == kernel.writes)
        (void)kill(getpid(), SIGKILL);
    if (strlen(kernel.log) < sizeof(kernel.log) - 100)
        (void)snprintf(kernel.log + strlen(kernel.log), 100, "%s ", strrchr(path, '/') + 1);
    for (size_t i = 0; i < sizeof(kernel.refuses) / sizeof(kernel.refuses[0]); i++)
        if (kernel.refuses[i].path && !strcmp(kernel.refuses[i].path, path))
            return kernel.refuses[i].error;
    if (!strcmp(path, THP)) {
        if (has(MIN_FREE))
            plain_write(MIN_FREE, !strcmp(value, "never") ? "19832\n" : "67584\n");
        return choose(path, value);
    }
    (void)snprintf(line, sizeof(line), "%s\n", value);
    plain_write(path, line);
    change_along(path, value);
    return 0;
}

/* Errors of flushing a file, and a folder. */
static int flush_errors[2];

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    errno = flush_errors[S_ISDIR(status.st_mode) != 0];
    return errno ? -1 : __real_fsync(fd);
}

/* --- The tree, and what is written into it. --- */

static char snapshot_file[128];
static const char *file_used;
static struct setting_write items[ITEMS_MAX];
static struct setting_writes writes;

static void add(const char *path, const char *value)
{
    assert_true(writes.n < ITEMS_MAX);
    items[writes.n].path = strdup(path);
    items[writes.n++].value = strdup(value);
}

static void forget_writes(void)
{
    for (size_t i = 0; i < writes.n; i++) {
        free(items[i].path);
        free(items[i].value);
    }
    writes.n = 0;
}

static void add_for_cpus(const char *name, const char *value)
{
    char path[256];

    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        (void)snprintf(path, sizeof(path), CPUFREQ, cpu, name);
        add(path, value);
    }
}

static void put_for_cpus(const char *name, const char *text)
{
    char path[256];

    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        (void)snprintf(path, sizeof(path), CPUFREQ, cpu, name);
        tree_put(path, text);
    }
}

/* A laptop: what must be written of it, and what changes along. */
static int make(void **state)
{
    if (tree_make(state))
        return -1;
    memset(&kernel, 0, sizeof(kernel));
    tree_put(BOOT_ID, "11111111-2222-3333-4444-555555555555\n");
    put_for_cpus("scaling_governor", "powersave\n");
    put_for_cpus("energy_performance_preference", "balance_power\n");
    tree_put(NO_TURBO, "0\n");
    tree_put("/sys/devices/system/cpu/intel_pstate/min_perf_pct", "16\n");
    tree_put(THP, "always [madvise] never\n");
    tree_put(INTERVAL, "1\n");
    tree_put(WATCHDOG, "1\n");
    tree_put(NMI, "0\n");
    tree_put("/proc/sys/vm/swappiness", "60\n");
    tree_put("/run/other", "not ours\n");
    (void)snprintf(snapshot_file, sizeof(snapshot_file), "%s/run/jitbench.snapshot", tree_root);
    file_used = snapshot_file;
    snapshot_write = kernel_write;
    writes = (struct setting_writes){.write = items, .capacity = ITEMS_MAX};
    add_for_cpus("scaling_governor", "performance");
    add(NO_TURBO, "1");
    add(THP, "never");
    add(WATCHDOG, "0");
    add(INTERVAL, "20");
    return 0;
}

static int clean(void **state)
{
    forget_writes();
    return tree_remove(state);
}

/* All files with their contents as one text, which must be the same before and after. */
static char *whole_tree;

static int append_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    size_t length = strlen(whole_tree);

    (void)where;
    assert_true(length < TEXT_SIZE - 8192);
    length += (size_t)snprintf(whole_tree + length, 1024, "%s %o:", path, (unsigned)status->st_mode);
    FILE *file = kind == FTW_F && S_ISREG(status->st_mode) ? fopen(path, "r") : NULL;
    if (file) {
        length += fread(whole_tree + length, 1, 7000, file);
        (void)fclose(file);
    }
    (void)strcpy(whole_tree + length, "\n");
    return 0;
}

static char *tree_text(void)
{
    whole_tree = calloc(1, TEXT_SIZE);
    assert_non_null(whole_tree);
    assert_int_equal(nftw(tree_root, append_file, 16, FTW_PHYS), 0);
    return whole_tree;
}

/* nftw() goes in the order of the folder, which a file that came and went may change. */
static void assert_unchanged(char *before)
{
    char *after = tree_text(), *line = NULL;

    if (strlen(before) != strlen(after))
        fail_msg("before: %s\nafter: %s", before, after);
    for (char *at = before; (line = strtok_r(at, "\n", &at));)
        if (!strstr(after, line))
            fail_msg("changed: '%s' is not in: %s", line, after);
    free(before);
    free(after);
}

static void assert_content(const char *path, const char *expected)
{
    char text[8192];

    tree_get(path, text, sizeof(text));
    assert_string_equal(text, expected);
}

static bool file_exists(void)
{
    struct stat status;
    return lstat(snapshot_file, &status) == 0;
}

/* --- Reports. --- */

struct reports {
    size_t n;
    struct {
        size_t index;
        char path[256], was[64], wanted[64], now[64];
        enum snapshot_result result;
        int error;
    } report[64];
};

static void put_report(void *context, const struct snapshot_report *report)
{
    struct reports *reports = context;
    size_t n = reports->n++;

    assert_true(n < 64);
    reports->report[n].index = report->index;
    (void)snprintf(reports->report[n].path, 256, "%s", report->path);
    (void)snprintf(reports->report[n].was, 64, "%.60s", report->was);
    (void)snprintf(reports->report[n].wanted, 64, "%.60s", report->wanted);
    (void)snprintf(reports->report[n].now, 64, "%.60s", report->now);
    reports->report[n].result = report->result;
    reports->report[n].error = report->error;
}

static size_t find_report(const struct reports *reports, const char *path)
{
    for (size_t i = 0; i < reports->n; i++)
        if (!strcmp(reports->report[i].path, path))
            return i;
    fail_msg("%s is not reported", path);
    return 0;
}

static void assert_report(const struct reports *reports, const char *path, enum snapshot_result result, int error,
                          const char *was, const char *now)
{
    size_t i = find_report(reports, path);

    assert_int_equal(reports->report[i].result, result);
    assert_int_equal(reports->report[i].error, error);
    assert_string_equal(reports->report[i].was, was);
    assert_string_equal(reports->report[i].now, now);
}

/* Looks and saves: NULL and the code when the latter cannot be. */
static struct snapshot *try_take(struct setting_writes *of, int *code, struct error *error)
{
    struct snapshot *snapshot = NULL;

    assert_int_equal(snapshot_look(file_used, of, &snapshot), 0);
    *code = snapshot_save(snapshot, error);
    if (*code == 0)
        return snapshot;
    snapshot_close(snapshot);
    return NULL;
}

static struct snapshot *take(void)
{
    struct error error = {""};
    int code;
    struct snapshot *snapshot = try_take(&writes, &code, &error);

    if (!snapshot)
        fail_msg("%d: %s", code, error.text);
    return snapshot;
}

static void assert_not_taken(int expected, const char *text)
{
    struct error error = {""};
    char *before = tree_text();
    int code;

    assert_null(try_take(&writes, &code, &error));
    assert_int_equal(code, expected);
    if (!strstr(error.text, text))
        fail_msg("'%s' is not in '%s'", text, error.text);
    assert_unchanged(before);
}

/* Takes, applies and lets go: what `tune` does. */
static void tune(struct reports *reports)
{
    struct snapshot *snapshot = take();

    memset(reports, 0, sizeof(*reports));
    snapshot_apply(snapshot, put_report, reports);
    snapshot_close(snapshot);
}

/* Does the work of `untune`. Returns 0, -1 if the snapshot cannot be opened, or 1 if not all could be restored. */
static int untune(struct reports *reports, struct error *error)
{
    struct snapshot *snapshot;
    int code = snapshot_open(file_used, &snapshot, error);

    memset(reports, 0, sizeof(*reports));
    if (code)
        return code;
    code = snapshot_restore(snapshot, put_report, reports, error) ? 1 : 0;
    snapshot_close(snapshot);
    return code;
}

static void expect_untune(int code, const char *text)
{
    struct reports reports;
    struct error error = {""};

    assert_int_equal(untune(&reports, &error), code);
    if (!strstr(error.text, text))
        fail_msg("'%s' is not in '%s'", text, error.text);
}

/* --- There and back. --- */

TEST_WITH(test_snapshot_is_whole_before_anything_is_written, make, clean)
{
    char text[TEXT_SIZE], *before = tree_text();
    struct stat status;

    struct snapshot *snapshot = take();
    assert_int_equal(kernel.writes, 0);
    assert_int_equal(stat(snapshot_file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    tree_get("/run/jitbench.snapshot", text, sizeof(text));
    /* The files to write, each after those that change along with it. */
    assert_string_equal(
        text, HEAD
        "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference=balance_power\n" NO_TURBO "=0\n"
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor=powersave\n"
        "/sys/devices/system/cpu/cpu1/cpufreq/energy_performance_preference=balance_power\n"
        "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor=powersave\n"
        "/sys/devices/system/cpu/cpu2/cpufreq/energy_performance_preference=balance_power\n" GOVERNOR2 "=powersave\n"
        "/sys/devices/system/cpu/cpu3/cpufreq/energy_performance_preference=balance_power\n"
        "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor=powersave\n"
        "/sys/devices/system/cpu/intel_pstate/min_perf_pct=16\n" NO_TURBO "=0\n" THP "=madvise\n" NMI "=0\n" WATCHDOG
        "=1\n" INTERVAL "=1\n" LAST);
    snapshot_close(snapshot);
    assert_int_equal(unlink(snapshot_file), 0);
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_restore_gives_every_byte_back, make, clean)
{
    struct reports reports;
    struct error error = {""};
    char *before = tree_text();

    tune(&reports);
    assert_content("/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n");
    kernel.log[0] = 0;
    assert_int_equal(untune(&reports, &error), 0);
    assert_int_equal(strncmp(kernel.log, "stat_interval watchdog ", 23), 0); /* in reverse order */
    assert_report(&reports, THP, SNAPSHOT_DONE, 0, "never", "madvise");
    assert_report(&reports, "/sys/devices/system/cpu/cpu2/cpufreq/energy_performance_preference", SNAPSHOT_DONE, 0,
                  "performance", "balance_power");
    assert_report(&reports, "/sys/devices/system/cpu/intel_pstate/min_perf_pct", SNAPSHOT_ALREADY, 0, "16", "16");
    assert_unchanged(before);
    expect_untune(-1, "nothing to restore");
}

/* The old value is restored, whatever has been written since. */
TEST_WITH(test_snapshot_restores_what_another_changed_since, make, clean)
{
    struct reports reports;
    char *before = tree_text();

    tune(&reports);
    tree_put(INTERVAL, "7\n");
    tree_put(THP, "[always] madvise never\n");
    expect_untune(0, "");
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_keeps_long_and_odd_contents, make, clean)
{
    static const char odd[] = "a\tb\\x41 c= # [e]f ] [\n";
    char mask[2305], *before;
    struct reports reports;

    for (size_t i = 0; i < sizeof(mask) - 1; i++)
        mask[i] = i % 9 == 8 ? ',' : 'f';
    mask[2303] = '\n';
    mask[2304] = 0;
    tree_put("/proc/irq/7/smp_affinity", mask);
    tree_put("/sys/odd", odd);
    tree_put("/sys/no-list", "x[a] b\n");
    add("/proc/irq/7/smp_affinity", "1");
    add("/sys/odd", "x");
    add("/sys/no-list", "y");
    before = tree_text();
    tune(&reports);
    assert_report(&reports, "/sys/odd", SNAPSHOT_DONE, 0, "a\tb\\x41 c= # [e]f ] [", "x");
    assert_content("/sys/odd", "x\n");
    expect_untune(0, "");
    assert_unchanged(before);
}

/* --- What the kernel changes along. --- */

/* Switching both watchdogs on again by the one switch starts the one that was off: it needs another write. */
TEST_WITH(test_snapshot_restores_what_changed_along, make, clean)
{
    struct reports reports;
    struct error error = {""};
    char *before;

    tree_put(NO_TURBO, "1\n"); /* it was off, and the governor resets it: nothing of the writes names it */
    before = tree_text();
    forget_writes();
    add_for_cpus("scaling_governor", "performance");
    add(WATCHDOG, "0");
    tune(&reports);
    assert_content(NMI, "0\n");
    assert_int_equal(untune(&reports, &error), 0);
    assert_content(NMI, "0\n");
    assert_content(NO_TURBO, "1\n");
    assert_report(&reports, NMI, SNAPSHOT_DONE, 0, "0", "0");
    assert_unchanged(before);
}

/* Side effects: the file that a setting writes, and the file that the kernel changes with it, with its value before. A
 * %u in its name stands for CPUs or interrupts 0, 3 and 12. */
static const struct {
    const char *setting, *written, *changed, *value;
} along[] = {
    {"governor", CPU2 "/cpufreq/scaling_governor", CPU2 "/cpufreq/energy_performance_preference", "balance_power"},
    {"governor", CPU2 "/cpufreq/scaling_governor", NO_TURBO, "1"},
    {"turbo", NO_TURBO, "/sys/devices/system/cpu/intel_pstate/min_perf_pct", "16"},
    {"turbo", BOOST, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq", "2000000"},
    {"turbo", BOOST, "/sys/devices/system/cpu/cpu%u/cpufreq/boost", "1"},
    {"watchdogs", WATCHDOG, "/proc/sys/kernel/soft_watchdog", "1"},
    {"watchdogs", WATCHDOG, NMI, "0"},
    {"thp", THP, MIN_FREE, "70000"},
    {"smt", SMT, "/proc/irq/%u/smp_affinity", "f"},
    {"smt", SMT, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", "schedutil"},
};

enum { SPOILT_FILES = 3 };

/* The files that change with `spoils` in the made-up kernel below. */
static char spoilt[SPOILT_FILES][128];
static size_t n_spoilt;
static const char *spoils;

static int spoiling_write(const char *path, const char *value)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "%s\n", value);
    plain_write(path, line);
    for (size_t i = 0; i < n_spoilt && !strcmp(path, spoils); i++)
        plain_write(spoilt[i], "spoilt\n");
    return 0;
}

static void put_spoilt(const char *pattern, const char *value)
{
    static const unsigned numbers[SPOILT_FILES] = {0, 3, 12};
    char line[64];

    (void)snprintf(line, sizeof(line), "%s\n", value);
    n_spoilt = strstr(pattern, "%u") ? SPOILT_FILES : 1;
    for (size_t i = 0; i < n_spoilt; i++) {
        const char *number = strstr(pattern, "%u");
        (void)snprintf(spoilt[i], sizeof(spoilt[i]), "%s", pattern);
        if (number)
            (void)snprintf(spoilt[i] + (number - pattern), sizeof(spoilt[i]) - (size_t)(number - pattern), "%u%s",
                           numbers[i], number + 2);
        tree_put(spoilt[i], line);
    }
}

/* The kernel changes them when the setting is written, and again when it is restored. */
TEST_WITH(test_snapshot_restores_each_side_effect_of_each_setting, make, clean)
{
    snapshot_write = spoiling_write;
    for (size_t i = 0; i < COUNT(along); i++) {
        struct reports reports;
        char *before;
        spoils = along[i].written;
        assert_true(setting_find(along[i].setting)->how);
        tree_put(along[i].written, "old\n");
        put_spoilt(along[i].changed, along[i].value);
        before = tree_text();
        forget_writes();
        add(along[i].written, "new");
        tune(&reports);
        assert_content(along[i].written, "new\n");
        for (size_t k = 0; k < n_spoilt; k++)
            assert_content(spoilt[k], "spoilt\n");
        expect_untune(0, "");
        assert_unchanged(before);
    }
}

/* The limits of all CPUs are remembered once, however many files there are. */
TEST_WITH(test_snapshot_remembers_the_limits_that_boost_moves, make, clean)
{
    char text[TEXT_SIZE];
    unsigned lines = 0;

    put_for_cpus("scaling_max_freq", "2000000\n");
    tree_put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    forget_writes();
    add("/sys/devices/system/cpu/cpufreq/boost", "0");
    snapshot_close(take());
    tree_get("/run/jitbench.snapshot", text, sizeof(text));
    for (const char *at = text; (at = strchr(at, '=')); at++)
        lines++;
    assert_int_equal(lines, 5);
    assert_non_null(strstr(text, "\n/sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq=2000000\n"));
}

/* --- Refusals. --- */

TEST_WITH(test_snapshot_goes_on_after_a_refusal, make, clean)
{
    struct reports reports;
    char *before = tree_text();

    kernel.refuses[0].path = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
    kernel.refuses[0].error = -EBUSY;
    kernel.refuses[1].path = NO_TURBO;
    kernel.refuses[1].error = -EPERM;
    kernel.refuses[2].path = WATCHDOG;
    kernel.refuses[2].error = -EIO;
    tune(&reports);
    assert_int_equal(reports.n, writes.n);
    assert_report(&reports, kernel.refuses[0].path, SNAPSHOT_REFUSED, -EBUSY, "powersave", "powersave");
    assert_report(&reports, NO_TURBO, SNAPSHOT_REFUSED, -EPERM, "0", "0");
    assert_report(&reports, WATCHDOG, SNAPSHOT_REFUSED, -EIO, "1", "1");
    assert_report(&reports, GOVERNOR2, SNAPSHOT_DONE, 0, "powersave", "performance");
    assert_report(&reports, INTERVAL, SNAPSHOT_DONE, 0, "1", "20");
    expect_untune(0, "");
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_does_not_write_what_it_cannot_read, make, clean)
{
    static char long_text[4098];
    char full[256], *before;
    struct reports reports;

    memset(long_text, 'x', sizeof(long_text) - 1);
    tree_put("/sys/long", long_text);
    tree_put_bytes("/sys/binary", "a\0b\n", 4);
    tree_put("/sys/lines", "a\nb\n");
    tree_put("/sys/latin", "a\xe9\n");
    tree_put("/sys/names/program", "/bin/true\n");
    tree_put("/sys/folder/file", "x");
    tree_put("/etc/passwd", "root\n");
    tree_link("/sys/loop", "loop");
    tree_link("/sys/endless", "/dev/zero");
    tree_path("/sys/pipe", full, sizeof(full));
    assert_int_equal(mkfifo(full, 0600), 0);
    add("/sys/long", "1");
    add("/sys/binary", "1");
    add("/sys/lines", "1");
    add("/sys/latin", "1");
    add("/sys/names/program", "1");
    add("/sys/folder", "1");
    add("/sys/missing", "1");
    add("/sys/loop", "1");
    add("/sys/endless", "1");
    add("/sys/../etc/passwd", "1");
    add("/etc/passwd", "1");
    before = tree_text();
    tune(&reports);
    assert_report(&reports, "/sys/long", SNAPSHOT_REFUSED, -EFBIG, "", "");
    assert_report(&reports, "/sys/binary", SNAPSHOT_REFUSED, -EILSEQ, "", "");
    assert_report(&reports, "/sys/lines", SNAPSHOT_REFUSED, -EILSEQ, "", "");
    assert_report(&reports, "/sys/latin", SNAPSHOT_REFUSED, -EILSEQ, "", "");
    assert_report(&reports, "/sys/names/program", SNAPSHOT_REFUSED, -EINVAL, "", "");
    assert_report(&reports, "/sys/folder", SNAPSHOT_REFUSED, -EISDIR, "", "");
    assert_report(&reports, "/sys/missing", SNAPSHOT_REFUSED, -ENOENT, "", "");
    assert_report(&reports, "/sys/loop", SNAPSHOT_REFUSED, -ELOOP, "", "");
    assert_report(&reports, "/sys/endless", SNAPSHOT_REFUSED, -EFBIG, "", "");
    assert_report(&reports, "/sys/../etc/passwd", SNAPSHOT_REFUSED, -EINVAL, "", "");
    assert_report(&reports, "/etc/passwd", SNAPSHOT_REFUSED, -EINVAL, "", "");
    assert_report(&reports, INTERVAL, SNAPSHOT_DONE, 0, "1", "20");
    expect_untune(0, "");
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_restores_the_rest_and_stays_when_one_is_refused, make, clean)
{
    struct reports reports;
    struct error error = {""};
    char *before = tree_text();

    tune(&reports);
    kernel.refuses[0].path = THP;
    kernel.refuses[0].error = -EBUSY;
    assert_int_equal(untune(&reports, &error), 1);
    assert_non_null(strstr(error.text, "1 of 15 files could not be restored"));
    assert_non_null(strstr(error.text, "'jitbench untune' tries again"));
    assert_non_null(strstr(error.text, snapshot_file));
    assert_report(&reports, THP, SNAPSHOT_REFUSED, -EBUSY, "never", "never");
    assert_report(&reports, INTERVAL, SNAPSHOT_DONE, 0, "20", "1");
    assert_content(INTERVAL, "1\n");
    assert_true(file_exists());
    kernel.refuses[0].path = NULL;
    assert_int_equal(untune(&reports, &error), 0);
    assert_report(&reports, INTERVAL, SNAPSHOT_ALREADY, 0, "1", "1");
    assert_unchanged(before);
}

/* The kernel takes a value and makes another of it. */
static int clamp(const char *path, const char *value)
{
    return kernel_write(path, strcmp(path, INTERVAL) ? value : "9");
}

TEST_WITH(test_snapshot_says_what_became_of_a_value, make, clean)
{
    struct reports reports;
    char *before = tree_text();

    snapshot_write = clamp;
    tune(&reports);
    assert_report(&reports, INTERVAL, SNAPSHOT_OTHER, 0, "1", "9");
    expect_untune(1, "1 of 15");
    assert_true(file_exists());
    snapshot_write = kernel_write;
    expect_untune(0, "");
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_stays_when_a_file_has_gone, make, clean)
{
    char full[256];
    struct reports reports;

    tune(&reports);
    tree_path(INTERVAL, full, sizeof(full));
    assert_int_equal(unlink(full), 0);
    kernel.refuses[0].path = INTERVAL;
    kernel.refuses[0].error = -ENOENT;
    expect_untune(1, "1 of 15");
    assert_content(THP, "always [madvise] never\n");
    assert_true(file_exists());
}

/* The scheduler's preemption in debugfs: the word in parentheses is in force, and is put back. */
TEST_WITH(test_snapshot_knows_the_word_in_parentheses, make, clean)
{
    static const char path[] = "/sys/kernel/debug/sched/preempt";
    struct reports reports;

    forget_writes();
    tree_put(path, "none voluntary (full) lazy\n");
    add(path, "none");
    tune(&reports);
    assert_report(&reports, path, SNAPSHOT_DONE, 0, "full", "none");
    expect_untune(0, "");
    assert_content(path, "full\n");
}

/* The scheduler's features in debugfs: each write changes one word of the list. */
static int write_feature(const char *path, const char *value)
{
    char list[TEXT_SIZE];

    tree_get(path, list, sizeof(list));
    const char *bare = value + (strncmp(value, "NO_", 3) ? 0 : 3);
    char *word = strstr(list, bare), *begin = word - (word - list >= 3 && !strncmp(word - 3, "NO_", 3) ? 3 : 0);
    char *rest = strdup(word + strlen(bare));
    (void)snprintf(begin, sizeof(list) - (size_t)(begin - list), "%s%s", value, rest);
    free(rest);
    tree_put(path, list);
    return 0;
}

TEST_WITH(test_snapshot_knows_the_words_of_features, make, clean)
{
    static const char path[] = "/sys/kernel/debug/sched/features", list[] = "PLACE_LAG NO_NEXT_BUDDY WA_IDLE\n";
    struct reports reports;

    forget_writes();
    tree_put(path, list);
    add(path, "NO_WA_IDLE");
    add(path, "NEXT_BUDDY");
    snapshot_write = write_feature;
    tune(&reports);
    assert_content(path, "PLACE_LAG NEXT_BUDDY NO_WA_IDLE\n");
    expect_untune(0, "");
    assert_content(path, list);
}

/* --- One at a time. --- */

TEST_WITH(test_snapshot_is_never_replaced, make, clean)
{
    char text[TEXT_SIZE], again[TEXT_SIZE];
    struct reports reports;

    tune(&reports);
    tree_get("/run/jitbench.snapshot", text, sizeof(text));
    unsigned before = kernel.writes;
    assert_not_taken(-1, "untune");
    assert_int_equal(kernel.writes, before);
    tree_get("/run/jitbench.snapshot", again, sizeof(again));
    assert_string_equal(again, text);
    expect_untune(0, "");
}

/* A process that has taken the lock keeps it until it releases it or dies. */
TEST_WITH(test_snapshot_is_locked_while_it_is_used, make, clean)
{
    char expected[64], *before = tree_text(), byte;
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct reports reports = {0};
        struct snapshot *snapshot = take();
        snapshot_apply(snapshot, put_report, &reports);
        (void)!write(ready[1], "r", 1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)snprintf(expected, sizeof(expected), "process %ld is", (long)child);
    expect_untune(-1, expected);
    assert_content(INTERVAL, "20\n");
    assert_int_equal(kill(child, SIGKILL), 0);
    (void)fixture_wait(child);
    expect_untune(0, "");
    assert_unchanged(before);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* The name is another's by now. */
TEST_WITH(test_snapshot_removes_only_its_own_file, make, clean)
{
    struct reports reports = {0};
    struct error error;

    struct snapshot *snapshot = take();
    assert_int_equal(unlink(snapshot_file), 0);
    tree_put("/run/jitbench.snapshot", "another's\n");
    assert_int_equal(snapshot_restore(snapshot, put_report, &reports, &error), 0);
    snapshot_close(snapshot);
    assert_content("/run/jitbench.snapshot", "another's\n");
}

/* --- Killed. --- */

/* Restores from the given snapshot; without one there is nothing to restore. */
static void assert_restorable(char *before)
{
    struct reports reports;
    struct error error = {""};
    const int expected = file_exists() ? 0 : -1, code = untune(&reports, &error);

    if (code != expected)
        fail_msg("%d, not %d: %s", code, expected, error.text);
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_restores_after_a_kill_at_each_write, make, clean)
{
    for (unsigned at = 1; at <= writes.n; at++) {
        char *before = tree_text();
        pid_t child = fork();
        if (child == 0) {
            struct reports reports;
            kernel.kill_at = at;
            tune(&reports);
            _exit(0);
        }
        assert_int_equal(WTERMSIG(fixture_wait(child)), SIGKILL);
        assert_true(file_exists());
        assert_content(INTERVAL, "1\n"); /* the last of them */
        assert_restorable(before);
    }
}

TEST_WITH(test_snapshot_restores_after_a_kill_of_the_restoring, make, clean)
{
    struct reports reports;
    unsigned at = 0;
    int status = -1;

    while (status != 0) {
        char *before = tree_text();
        tune(&reports);
        pid_t child = fork();
        if (child == 0) {
            struct error error;
            kernel.kill_at = kernel.writes + ++at;
            _exit(untune(&reports, &error));
        }
        at++;
        status = fixture_wait(child);
        assert_true(status == 0 || WTERMSIG(status) == SIGKILL);
        assert_int_equal(file_exists(), status != 0);
        assert_restorable(before);
    }
    assert_true(at > 8);
}

/* --- What is not believed. --- */

static void write_snapshot(const char *text, size_t length)
{
    int fd = open(snapshot_file, O_WRONLY | O_TRUNC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    assert_int_equal(close(fd), 0);
}

static void assert_damaged(const char *text, size_t length)
{
    struct snapshot *snapshot = NULL;
    struct error error = {""};

    write_snapshot(text, length);
    if (snapshot_open(file_used, &snapshot, &error) != -1)
        fail_msg("taken for good (%s): %.*s", error.text, (int)length, text);
    assert_null(snapshot);
    assert_non_null(strstr(error.text, snapshot_file));
}

TEST_WITH(test_snapshot_truncated_anywhere_is_refused, make, clean)
{
    static char text[TEXT_SIZE];
    struct reports reports;

    tune(&reports);
    unsigned before = kernel.writes;
    tree_get("/run/jitbench.snapshot", text, sizeof(text));
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        assert_damaged(text, i);
    text[length] = '\n';
    assert_damaged(text, length + 1);
    assert_int_equal(kernel.writes, before);
    write_snapshot(text, length);
    expect_untune(0, "");
}

TEST_WITH(test_snapshot_of_nonsense_is_refused, make, clean)
{
    static const char unknown[] = "' is not a whole snapshot of this jitbench: remove the file",
                      third[] = "': line 3: not as jitbench writes it";
    static const struct {
        const char *text, *why;
    } nonsense[] = {
        {"", unknown},
        {"\n", unknown},
        {LAST, unknown},
        {INTERVAL "=1\n" LAST, unknown},
        {"# jitbench snapshot of boot" LAST, unknown},
        {"# jitbench snapshot of boot " LAST, unknown},
        {HEAD INTERVAL "=1\n", unknown},
        {HEAD INTERVAL "=1" LAST, unknown},
        {HEAD INTERVAL "=1\n" LAST "\n", unknown},
        {HEAD INTERVAL "=1\n" INTERVAL "\n" LAST, third},
        {HEAD INTERVAL "=1\n/etc/passwd=1\n" LAST, third},
        {HEAD INTERVAL "=1\nproc/sys/vm/stat_interval=1\n" LAST, third},
        {HEAD INTERVAL "=1\n/proc/../etc/passwd=1\n" LAST, third},
        {HEAD INTERVAL "=1\n/sys/../etc/passwd=1\n" LAST, third},
        {HEAD INTERVAL "=1\n" INTERVAL "=1\x1b\n" LAST, third},
        /* Through /proc all files of the machine can be reached, and some settings name a program to be run. */
        {HEAD INTERVAL "=1\n/proc/self/root/etc/passwd=1\n" LAST, third},
        {HEAD INTERVAL "=1\n/proc/sysrq-trigger=b\n" LAST, third},
        {HEAD INTERVAL "=1\n/proc/sys/kernel/modprobe=/tmp/evil\n" LAST, third},
        {HEAD INTERVAL "=1\n/proc/sys/kernel/core_pattern=|/tmp/evil\n" LAST, third},
    };

    tree_put("/run/jitbench.snapshot", "");
    assert_int_equal(chmod(snapshot_file, 0600), 0);
    for (size_t i = 0; i < COUNT(nonsense); i++) {
        write_snapshot(nonsense[i].text, strlen(nonsense[i].text));
        expect_untune(-1, nonsense[i].why);
    }
    assert_int_equal(kernel.writes, 0);
    write_snapshot(HEAD INTERVAL "=7\n\n# a comment\n" LAST, strlen(HEAD INTERVAL "=7\n\n# a comment\n" LAST));
    expect_untune(0, "");
    assert_content(INTERVAL, "7\n");
}

/* One switch for all, and one for each CPU, which it overrides. */
TEST_WITH(test_snapshot_keeps_the_boost_of_each_cpu, make, clean)
{
    struct reports reports;
    char path[256];

    tree_put(BOOST, "1\n");
    put_for_cpus("boost", "1\n");
    (void)snprintf(path, sizeof(path), CPUFREQ, 2u, "boost");
    tree_put(path, "0\n");
    add(BOOST, "0");
    tune(&reports);
    assert_content(BOOST, "0\n");
    char *off = tree_text();
    assert_null(strstr(off, "boost 100644:1"));
    free(off);
    expect_untune(0, "");
    assert_content(BOOST, "1\n");
    assert_content(path, "0\n");
    (void)snprintf(path, sizeof(path), CPUFREQ, 3u, "boost");
    assert_content(path, "1\n");
}

TEST_WITH(test_snapshot_of_another_boot_is_refused, make, clean)
{
    static const char *const boots[] = {"99999999-2222-3333-4444-555555555555\n", "11111111\n",
                                        "11111111-2222-3333-4444-5555555555556\n"};
    struct reports reports;

    tune(&reports);
    unsigned before = kernel.writes;
    for (size_t i = 0; i < 3; i++) {
        tree_put(BOOT_ID, boots[i]);
        expect_untune(-1, "before the last boot, which undid the settings too, or of another host: remove the file");
    }
    tree_put(BOOT_ID, "");
    expect_untune(-1, "cannot identify this boot: " BOOT_ID);
    assert_int_equal(kernel.writes, before);
    assert_true(file_exists());
    tree_put(BOOT_ID, "11111111-2222-3333-4444-555555555555\n");
    expect_untune(0, "");
    assert_false(file_exists());
}

static void expect_not_trusted(const char *why)
{
    assert_not_taken(-1, "untune");
    expect_untune(-1, why);
    assert_int_equal(kernel.writes, 0);
    assert_int_equal(remove(snapshot_file), 0);
}

/* Another process has made it. */
TEST_WITH(test_snapshot_that_is_planted_is_refused, make, clean)
{
    char target[128], *before = tree_text();
    struct stat status;

    (void)snprintf(target, sizeof(target), "%s/run/target", tree_root);
    assert_int_equal(symlink(target, snapshot_file), 0);
    expect_not_trusted("symbolic link");
    assert_int_equal(lstat(target, &status), -1); /* nothing was written through it */
    snapshot_close(take());
    assert_int_equal(rename(snapshot_file, target), 0);
    assert_int_equal(symlink("target", snapshot_file), 0);
    expect_not_trusted("symbolic link"); /* though what it leads to is good */
    assert_int_equal(rename(target, snapshot_file), 0);
    assert_int_equal(chmod(snapshot_file, 0620), 0);
    expect_not_trusted("written by others");
    assert_int_equal(mkfifo(snapshot_file, 0600), 0);
    expect_not_trusted("not a regular file");
    if (geteuid() == 0) {
        snapshot_close(take());
        assert_int_equal(chown(snapshot_file, 65534, 0), 0);
        expect_not_trusted("user 65534");
    }
    assert_int_equal(mkdir(snapshot_file, 0700), 0);
    expect_untune(-1, "directory");
    assert_int_equal(rmdir(snapshot_file), 0);
    assert_unchanged(before);
}

/* --- Messages, memory. --- */

/* Takes one, and removes its file again. */
static int take_and_forget(void)
{
    struct error error = {""};
    struct snapshot *snapshot = NULL;
    int code = snapshot_look(file_used, &writes, &snapshot);

    if (code == 0)
        code = snapshot_save(snapshot, &error);
    snapshot_close(snapshot);
    if (code) {
        assert_int_equal(code, -1);
        assert_false(file_exists());
    }
    (void)remove(snapshot_file);
    return code;
}

static int open_and_close(void)
{
    struct error error = {""};
    struct snapshot *snapshot = NULL;
    int code = snapshot_open(file_used, &snapshot, &error);

    if (code) {
        assert_null(snapshot);
        if (!strstr(error.text, "emory"))
            fail_msg("%d: '%s'", code, error.text);
    }
    snapshot_close(snapshot);
    assert_true(file_exists());
    return code;
}

TEST_WITH(test_snapshot_without_memory_changes_nothing, make, clean)
{
    /* One for each of 15 files, and some for lists and texts. */
    assert_true(memory_needed(take_and_forget) > 18);
    snapshot_close(take());
    assert_true(memory_needed(open_and_close) > 17);
    assert_int_equal(kernel.writes, 0);
}

TEST_WITH(test_snapshot_restores_without_memory, make, clean)
{
    struct reports reports;
    struct snapshot *snapshot = take();
    struct error error = {""};

    memset(&reports, 0, sizeof(reports));
    snapshot_apply(snapshot, put_report, &reports);
    assert_content(INTERVAL, "20\n");
    memset(&reports, 0, sizeof(reports));
    allocations_left = 0;
    const int code = snapshot_restore(snapshot, put_report, &reports, &error);
    allocations_left = UINT_MAX;
    snapshot_close(snapshot);
    assert_int_equal(code, 0);
    assert_report(&reports, INTERVAL, SNAPSHOT_DONE, 0, "20", "1");
    assert_content(THP, "always [madvise] never\n");
    assert_false(file_exists());
}

/* --- Places. --- */

/* Half a snapshot is none. */
TEST_WITH(test_snapshot_on_a_full_disk_is_none, make, clean)
{
    char *before = tree_text();

    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {200, 200};
        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit))
            _exit(1);
        assert_not_taken(-1, "File too large");
        _exit(0);
    }
    assert_int_equal(fixture_wait(child), 0);
    assert_unchanged(before);
}

#ifdef SYS_fcntl64
#define LOCK_CALL SYS_fcntl64
#else
#define LOCK_CALL SYS_fcntl
#endif

/* Errors of the lock of a new snapshot, and what is said of it. */
static const struct {
    int error;
    const char *text;
} lock_errors[] = {
    {ENOLCK, "': No locks available"},
    {EAGAIN, "': Device or resource busy"},
    {EACCES, "': Device or resource busy"},
};
static size_t lock_error;

static int fail_to_lock_a_new_one(void)
{
    struct error error = {""};
    int code;

    if (refuse_flag(LOCK_CALL, 1, UINT32_MAX, F_SETLK, lock_errors[lock_error].error))
        return CANNOT;
    CHECK(!try_take(&writes, &code, &error));
    CHECK(code == -1 && strstr(error.text, lock_errors[lock_error].text));
    return 0;
}

TEST_WITH(test_snapshot_is_none_without_its_lock, make, clean)
{
    char *before = tree_text();

    for (lock_error = 0; lock_error < COUNT(lock_errors); lock_error++)
        assert_int_equal(fixture_in_child(fail_to_lock_a_new_one), 0);
    assert_unchanged(before);
}

TEST_WITH(test_snapshot_is_flushed_with_its_folder, make, clean)
{
    char *before = tree_text();

    flush_errors[0] = EIO;
    assert_not_taken(-1, "': Input/output error");
    flush_errors[0] = EINVAL;
    assert_not_taken(-1, "': Invalid argument");
    flush_errors[0] = 0;
    flush_errors[1] = EIO;
    assert_not_taken(-1, "': Input/output error");
    flush_errors[1] = EINVAL; /* some file systems have nothing to flush for a folder */
    snapshot_close(take());
    assert_true(file_exists());
    flush_errors[1] = EIO;
    expect_untune(1, "cannot be removed: Input/output error");
    flush_errors[1] = 0;
    assert_false(file_exists());
    assert_unchanged(before);
}

static int fail_to_lock(void)
{
    if (refuse_flag(LOCK_CALL, 1, UINT32_MAX, F_SETLK, ENOLCK))
        return CANNOT;
    expect_untune(-1, "' cannot be locked: No locks available");
    return 0;
}

static int fail_to_remove(void)
{
    if (refuse_call(SYS_unlinkat, EROFS))
        return CANNOT;
    expect_untune(1, "all is restored, but '");
    expect_untune(1, "' cannot be removed: Read-only file system");
    return 0;
}

TEST_WITH(test_snapshot_that_cannot_be_locked_or_removed, make, clean)
{
    struct reports reports;

    tune(&reports);
    assert_int_equal(fixture_in_child(fail_to_lock), 0);
    assert_content(INTERVAL, "20\n");
    assert_int_equal(fixture_in_child(fail_to_remove), 0);
    assert_content(INTERVAL, "1\n");
    assert_true(file_exists());
    expect_untune(0, "");
}
