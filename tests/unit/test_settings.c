/* SPDX-License-Identifier: MIT */
/* Verdicts on settings in made-up trees, and the values to be written. Expected values are worked out by hand from the
 * texts of tests/trees. Runs in the top directory. */

#include "fixture.h"
#include "memory_fixture.h"
#include "tree_fixture.h"

#include "settings/settings.h"
#include "settings/settings_read.h"

static struct machine machine;
static struct cpuset bench;
static struct settings_view view;

/* --- helpers --- */

/* Looks at the tree; cpus NULL: the CPUs that are the default there. */
static void look_at(const char *cpus)
{
    struct error why;

    machine_read(&machine);
    if (cpus)
        assert_int_equal(cpuset_parse(cpus, &bench, &why), 0);
    else
        settings_bench_cpus(&machine, &bench);
    view = (struct settings_view){.machine = &machine, .bench = &bench};
}

static struct setting_state state_of(const char *name)
{
    const struct setting *setting = setting_find(name);
    struct setting_state state;

    if (!setting)
        fail_msg("there is no setting '%s'", name);
    /* A look that leaves a field alone is found out. */
    memset(&state, 'x', sizeof(state));
    setting_look(setting, &view, &state, NULL);
    return state;
}

struct expected {
    const char *name;
    enum setting_verdict verdict;
    const char *now, *why; /* NULL: any; why: "" */
};

static void expect(const struct expected *e)
{
    struct setting_state state = state_of(e->name);

    if (state.verdict != e->verdict || (e->now && strcmp(state.now, e->now) != 0) ||
        strcmp(state.why, e->why ? e->why : "") != 0)
        fail_msg("%s: %s, '%s', why '%s'; expected: %s, '%s', why '%s'", e->name, setting_verdict_names[state.verdict],
                 state.now, state.why, setting_verdict_names[e->verdict], e->now ? e->now : "anything",
                 e->why ? e->why : "");
}

static void expect_one(const char *name, enum setting_verdict verdict, const char *now, const char *why)
{
    const struct expected e = {name, verdict, now, why};

    expect(&e);
}

/* "path=value" for each write of one setting (NULL: of all), a line each. */
static void writes_of(const char *name, char *text, size_t size)
{
    struct setting_writes writes = {0};
    size_t n = 0;

    for (size_t i = 0; i < settings_count; i++)
        if (!name || !strcmp(settings_list[i].name, name))
            assert_true(setting_look(&settings_list[i], &view, &(struct setting_state){.now = ""}, &writes));
    text[0] = 0;
    for (size_t i = 0; i < writes.n; i++)
        n += (size_t)snprintf(text + n, size - n, "%s=%s\n", writes.write[i].path, writes.write[i].value);
    assert_true(n < size);
    setting_writes_free(&writes);
}

static void expect_writes(const char *name, const char *expected)
{
    char text[8192];

    writes_of(name, text, sizeof(text));
    assert_string_equal(text, expected);
}

/* --- machines without files, and with many CPUs --- */

TREE_TEST(test_settings_huge_pages_stay_for_those_who_ask)
{
    tree_unpack("laptop");
    look_at(NULL);
    view.huge_advised = true;
    expect_writes("thp", "/sys/kernel/mm/transparent_hugepage/enabled=madvise\n");
}

TREE_TEST(test_settings_without_proc_and_sys)
{
    look_at(NULL);
    assert_int_equal(cpuset_count(&bench), 1);
    for (size_t i = 0; i < settings_count; i++) {
        struct setting_state found = state_of(settings_list[i].name);
        bool device = !strcmp(settings_list[i].name, "c_states") || !strcmp(settings_list[i].name, "os") ||
                      !strcmp(settings_list[i].name, "prefetchers");
        if (!strcmp(settings_list[i].name, "page_size"))
            continue;
        if (found.verdict != (device ? SETTING_NA : SETTING_UNKNOWN) || (!device && !found.why[0]))
            fail_msg("%s: %s, '%s'", settings_list[i].name, setting_verdict_names[found.verdict], found.why);
    }
    expect_writes(NULL, "");
}

TREE_TEST(test_settings_of_4096_cpus)
{
    tree_unpack("large");
    look_at(NULL);
    assert_int_equal(cpuset_count(&bench), 3072);
    expect_one("governor", SETTING_NOISY, "schedutil (4096 CPUs)", "");
    expect_one("irqs", SETTING_NOISY, "512 of 513 interrupts may use bench CPUs",
               "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, ...");
    expect_one("throttling", SETTING_UNKNOWN, "6144 times since boot", "");
    expect_one("numa", SETTING_NOISY, "nodes 4-15 of 16", "");
    expect_one("siblings", SETTING_NOISY, "3072 of 3072 bench CPUs have one (CPU 1024: 0-1023,1025-4095)", "");
    /* Housekeeping on the other CPUs: as masks of as many digits as CPUs need. */
    look_at("1-32,4064-4095");
    tree_put("/proc/irq/default_smp_affinity", "1\n");
    tree_put("/sys/devices/virtual/workqueue/cpumask", "ffffffff,ffffffff\n");
    expect_writes("workqueues", "/sys/devices/virtual/workqueue/cpumask=fffffffe,00000001\n");
    tree_put("/sys/devices/virtual/workqueue/cpumask", "00000000,00000002\n");
    struct setting_writes writes = {0};
    assert_true(setting_look(setting_find("workqueues"), &view, &(struct setting_state){.now = ""}, &writes));
    assert_int_equal(writes.n, 1);
    /* No unbound CPU is left, so all 4096 but the bench CPUs: 127 words of 8 digits, and commas. */
    assert_int_equal(strlen(writes.write[0].value), 127 * 8 + 126);
    assert_int_equal(strncmp(writes.write[0].value, "ffffffff,", 9), 0);
    assert_string_equal(writes.write[0].value + 126 * 9 - 9, "fffffffe,00000001");
    setting_writes_free(&writes);
}

/* --- the default CPUs --- */

static void expect_bench(const char *list)
{
    char text[64];

    look_at(NULL);
    (void)cpuset_format(&bench, text, sizeof(text));
    assert_string_equal(text, list);
}

/* A list of 2048 single CPUs is longer than what can be written at once; cut, it would name other CPUs. */
TREE_TEST(test_settings_of_every_other_cpu_of_4096)
{
    struct setting_writes writes = {0};
    struct cpuset kept;

    tree_put("/sys/devices/system/cpu/online", "0-4095\n");
    tree_put("/proc/irq/9/smp_affinity_list", "0-4095\n");
    look_at("0-4095:2");
    assert_true(setting_look(setting_find("irqs"), &view, &(struct setting_state){.now = ""}, &writes));
    assert_int_equal(writes.n, 1);
    assert_string_equal(writes.write[0].path, "/proc/irq/9/smp_affinity");
    assert_int_equal(cpuset_parse_mask(writes.write[0].value, &kept), 1024);
    assert_int_equal(cpuset_count(&kept), 2048);
    assert_true(cpuset_has(&kept, 1) && cpuset_has(&kept, 4095) && !cpuset_has(&kept, 0));
    setting_writes_free(&writes);
}

TREE_TEST(test_settings_bench_cpus_leave_out_the_boot_cpu)
{
    expect_bench("0");
    tree_put("/sys/devices/system/cpu/online", "0\n");
    expect_bench("0");
    tree_put("/sys/devices/system/cpu/online", "0-3\n");
    expect_bench("1-3");
    /* The lowest online one has booted, whatever its number. */
    tree_put("/sys/devices/system/cpu/online", "2-3\n");
    expect_bench("3");
}

TREE_TEST(test_settings_bench_cpus_are_the_isolated_ones)
{
    tree_put("/sys/devices/system/cpu/online", "0-7\n");
    tree_put("/sys/devices/system/cpu/isolated", "2-3,9\n");
    expect_bench("2-3");
    tree_put("/sys/devices/system/cpu/isolated", "0,3\n");
    expect_bench("3");
    tree_put("/sys/devices/system/cpu/isolated", "9\n");
    expect_bench("1-7");
}

TREE_TEST(test_settings_bench_cpus_are_within_the_control_group)
{
    tree_put("/sys/devices/system/cpu/online", "0-7\n");
    tree_put("/proc/self/cgroup", "0::/box\n");
    tree_put("/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.effective", "0,4-5\n");
    expect_bench("4-5");
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.effective", "6\n");
    expect_bench("6");
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.effective", "12-13\n");
    expect_bench("1-7");
    /* In an isolated partition the process measures on all CPUs of the partition. */
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.effective", "4-6\n");
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.partition", "isolated\n");
    tree_put("/sys/devices/system/cpu/isolated", "\n");
    expect_bench("4-6");
    expect_one("isolated", SETTING_OK, "4-6", "");
    tree_put("/sys/fs/cgroup/box/cpuset.cpus.partition", "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n");
    expect_one("isolated", SETTING_NOISY, "none", "");
}

/* --- single settings --- */

TREE_TEST(test_settings_idle_states)
{
    tree_unpack("laptop");
    tree_put("/sys/devices/system/cpu/cpu1/cpuidle/state2/disable", "1\n");
    tree_put_bytes("/dev/cpu_dma_latency", &(const int32_t){20}, sizeof(int32_t));
    look_at("1");
    expect_one("c_states", SETTING_NOISY, "held at 20 us, up to C1 (2 us)", "");
    tree_put("/sys/devices/system/cpu/cpu1/cpuidle/state1/disable", "1\n");
    expect_one("c_states", SETTING_OK, "held at 20 us, up to POLL (0 us)", "");
    /* Only the states of the bench CPUs count. */
    look_at("2");
    expect_one("c_states", SETTING_NOISY, "held at 20 us, up to C10 (890 us)", "");
    tree_put("/dev/cpu_dma_latency", "");
    expect_one("c_states", SETTING_NOISY, "hold not known, up to C10 (890 us)", "");
}

static void raise_throttling(void)
{
    tree_put("/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "5\n");
}

TREE_TEST(test_settings_throttling_that_rises)
{
    tree_unpack("laptop");
    look_at("2-3");
    expect_one("throttling", SETTING_UNKNOWN, "14 times since boot", "");
    view.moment = raise_throttling;
    expect_one("throttling", SETTING_NOISY, "16 times since boot, rising", "");
    expect_one("throttling", SETTING_OK, "16 times since boot, not rising", "");
}

static void raise_steal(void)
{
    tree_put("/proc/stat", "cpu  1 1 1 1 1 1 1 300 0 0\n");
}

/* Steal time of the past does not count, only its rise. */
TREE_TEST(test_settings_steal_that_rises)
{
    if (sysconf(_SC_CLK_TCK) != 100)
        skip_because("steal time is counted at another rate than 100 Hz here");
    tree_put("/proc/stat", "cpu  1 1 1 1 1 1 1 200 0 0\n");
    look_at("0");
    expect_one("steal", SETTING_UNKNOWN, "2.00 s since boot", "");
    view.moment = raise_steal;
    expect_one("steal", SETTING_NOISY, "3.00 s since boot, rising", "");
    expect_one("steal", SETTING_OK, "3.00 s since boot, not rising", "");
}

/* One cache for all 8: CPU 0 has to do the rest, CPU 1 could be a bench CPU and is none. */
TREE_TEST(test_settings_caches_may_be_shared_with_the_rest)
{
    tree_unpack("tickless");
    look_at("1-7");
    expect_one("caches", SETTING_OK, "L2 shared with CPU 0", "for all else");
    look_at("2-7");
    expect_one("caches", SETTING_NOISY, "L2 shared with CPUs 0-1", "");
    look_at("0-7");
    expect_one("caches", SETTING_OK, "L2 not shared with others", "");
    tree_put("/sys/devices/system/cpu/isolated", "2-7\n");
    look_at("2-7");
    expect_one("caches", SETTING_OK, "L2 shared with CPUs 0-1", "for all else");
    look_at("3-7");
    expect_one("caches", SETTING_NOISY, "L2 shared with CPUs 0-2", "");
}

static void put_config(const char *text)
{
    tree_put("/proc/sys/kernel/osrelease", "6.1.0\n");
    tree_put("/boot/config-6.1.0", text);
    look_at("0");
}

/* The running kernel's configuration comes first; a damaged one is ignored. */
TREE_TEST(test_settings_of_the_kernel_s_compressed_configuration)
{
    /* "CONFIG_HZ=300\nCONFIG_PREEMPT_RT=y\n", by gzip -n */
    unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x73, 0xf6, 0xf7,
                              0x73, 0xf3, 0x74, 0x8f, 0xf7, 0x88, 0xb2, 0x35, 0x36, 0x30, 0xe0, 0x72, 0x86,
                              0xf0, 0x02, 0x82, 0x5c, 0x5d, 0x7d, 0x03, 0x42, 0xe2, 0x83, 0x42, 0x6c, 0x2b,
                              0xb9, 0x00, 0x09, 0xf9, 0x21, 0x04, 0x22, 0x00, 0x00, 0x00};

    tree_put_bytes("/proc/config.gz", packed, sizeof(packed));
    look_at("0");
    expect_one("hz", SETTING_OK, "300", "");
    put_config("CONFIG_HZ=100\n");
    expect_one("hz", SETTING_OK, "300", "");
    expect_one("config", SETTING_OK, "PREEMPT_RT", "");
    packed[sizeof(packed) - 4]++; /* its length */
    tree_put_bytes("/proc/config.gz", packed, sizeof(packed));
    expect_one("hz", SETTING_OK, "100", "");
    tree_put_bytes("/boot/config-6.1.0", "", 0);
    expect_one("hz", SETTING_UNKNOWN, "", "neither /proc/config.gz nor /boot/config of this kernel");
}

TREE_TEST(test_settings_boot_parameters_as_the_kernel_reads_them)
{
    static const struct {
        const char *cmdline;
        enum setting_verdict verdict;
        const char *now;
    } cases[] = {
        {"rcu_nocbs=1-2", SETTING_OK, "1-2"},
        {"quiet rcu_nocbs=1,2 rw", SETTING_OK, "1-2"},
        {"rcu_nocbs=1,1-2,2", SETTING_OK, "1-2"},
        {"rcu_nocbs=all", SETTING_OK, "0-3"},
        {"rcu_nocbs=1-N", SETTING_OK, "1-3"},
        {"rcu_nocbs=0-7:2/4", SETTING_NOISY, "0-1,4-5"},
        {"rcu_nocbs=1-2 rcu_nocbs=1", SETTING_NOISY, "1"},
        {"xrcu_nocbs=1-2 rcu_nocbsx=1-2 rcu_nocbs", SETTING_NOISY, "not given"},
        {"rcu_nocbs=", SETTING_NOISY, "none"},
        {"nohz_full=1-3", SETTING_OK, "by nohz_full"},
        {"", SETTING_NOISY, "not given"},
        {"rcu_nocbs=2-1", SETTING_UNKNOWN, ""},
        {"rcu_nocbs=cat", SETTING_UNKNOWN, ""},
        {"rcu_nocbs=1,00000000000000000000000000000000000000000000000000000000000000000002", SETTING_UNKNOWN, ""},
    };

    tree_put("/sys/devices/system/cpu/online", "0-3\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "%s\n", cases[i].cmdline);
        tree_put("/proc/cmdline", text);
        tree_put("/proc/stat", "cpu  1\n");
        look_at("1-2");
        struct setting_state found = state_of("rcu_nocbs");
        if (found.verdict != cases[i].verdict || strcmp(found.now, cases[i].now) != 0)
            fail_msg("'%s': %s '%s'", cases[i].cmdline, setting_verdict_names[found.verdict], found.now);
    }
}

/* --- texts of single files, one after the other, and what one setting is then --- */

struct step {
    const char *path, *text;
    struct expected expected;
};

/* On two CPUs, of which the second is the bench CPU. */
static void expect_steps(const struct step *steps, size_t n)
{
    tree_put("/proc/stat", "cpu  1\n");
    tree_put("/sys/devices/system/cpu/online", "0-1\n");
    for (size_t i = 0; i < n; i++) {
        tree_put(steps[i].path, steps[i].text);
        look_at("1");
        expect(&steps[i].expected);
    }
}

#define UNKNOWN_CONTENT(name, path) \
    { \
        name, SETTING_UNKNOWN, "", path " has unknown content" \
    }

#define CPUS "/sys/devices/system/cpu/"

/* The device answers with the limit in us as four bytes; 2000 s mean that nobody asked for one. */
TREE_TEST(test_settings_of_a_held_latency)
{
    static const struct {
        int32_t us[2];
        size_t size;
        enum setting_verdict verdict;
        const char *now;
    } cases[] = {
        {{2000000000}, 4, SETTING_NOISY, "not held, idle states not known"},
        {{1999999999}, 4, SETTING_NOISY, "held at 1999999999 us, idle states not known"},
        {{0}, 4, SETTING_OK, "held at 0 us"},
        {{-1}, 4, SETTING_UNKNOWN, ""},
        {{0}, 0, SETTING_UNKNOWN, ""},
        {{0}, 3, SETTING_UNKNOWN, ""},
        {{0}, 5, SETTING_UNKNOWN, ""},
        {{0}, 8, SETTING_UNKNOWN, ""},
    };

    tree_put("/proc/stat", "cpu  1\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        tree_put_bytes("/dev/cpu_dma_latency", cases[i].us, cases[i].size);
        look_at("1");
        expect_one("c_states", cases[i].verdict, cases[i].now,
                   cases[i].verdict == SETTING_UNKNOWN ? "/dev/cpu_dma_latency has unknown content" : "");
    }
}

/* The step of the coarse clock, where it is made up. */
static const struct timespec *made_up_step;

int __real_clock_getres(clockid_t id, struct timespec *step);
int __wrap_clock_getres(clockid_t id, struct timespec *step);
int __wrap_clock_getres(clockid_t id, struct timespec *step)
{
    if (!made_up_step || id != CLOCK_MONOTONIC_COARSE)
        return __real_clock_getres(id, step);
    *step = *made_up_step;
    return 0;
}

/* What golden cases leave out, since it is of the kernel that runs. */
TREE_TEST(test_settings_reported_of_kernels)
{
    static const char *const trees[][2] = {
        {"server", ";scheduler=EEVDF;preempt=full;hz=1000+NO_HZ_FULL;"},
        {"gaming", ";scheduler=sched_ext_lavd_1.0.20_x86_64;preempt=lazy;hz=1000+NO_HZ_FULL;"},
        {"laptop", ";scheduler=BORE;preempt=-;hz=250+NO_HZ_FULL;"},
        {"board", ";scheduler=CFS;preempt=full;hz=-;"},
        {"old", ";scheduler=CFS;preempt=voluntary_or_none;hz=-;"},
    };
    char text[3072];

    for (size_t i = 0; i < COUNT(trees); i++) {
        assert_int_equal(tree_remove(state), 0);
        assert_int_equal(tree_make(state), 0);
        tree_unpack(trees[i][0]);
        look_at("0");
        settings_describe(&view, text, sizeof(text));
        if (!strstr(text, trees[i][1]))
            fail_msg("'%s' is not in '%s'", trees[i][1], text);
    }
    assert_int_equal(strstr(text, ";page_size=4K;") != NULL, sysconf(_SC_PAGESIZE) == 4096);
}

/* A real-time kernel is one whatever debugfs says of the rest; sched_ext that is being thrown out does not rule. */
TREE_TEST(test_settings_of_schedulers)
{
    static const char ext[] = "/sys/kernel/sched_ext/state", version[] = "/proc/sys/kernel/version";
    static const struct step steps[] = {
        {"/proc/sys/kernel/osrelease", "6.5.0\n", {"scheduler", SETTING_OK, "CFS", ""}},
        {"/proc/sys/kernel/osrelease", "6.6.0\n", {"scheduler", SETTING_OK, "EEVDF", ""}},
        {"/proc/sys/kernel/sched_bore", "0\n", {"scheduler", SETTING_OK, "EEVDF", ""}},
        {ext, "disabling\n", {"scheduler", SETTING_OK, "EEVDF", ""}},
        {ext, "enabled\n", {"scheduler", SETTING_OK, "sched_ext", ""}},
        {"/proc/sys/kernel/osrelease", "x\n", {"scheduler", SETTING_NA, "", ""}},
        {"/sys/kernel/debug/sched/min_granularity_ns", "3000000\n", {"base_slice", SETTING_OK, "3 ms", ""}},
        {version, "#1 SMP PREEMPT RT Debian\n", {"preempt", SETTING_OK, "rt", ""}},
        {version, "#1 SMP PREEMPT_RT Debian\n", {"preempt", SETTING_OK, "rt", ""}},
        {version, "#1 SMP PREEMPT_DYNAMIC Debian\n", {"preempt", SETTING_NA, "", ""}},
        {"/proc/cmdline", "quiet preempt=\x1f\x7f\xff~\n", {"preempt", SETTING_OK, "???~", ""}},
        {"/proc/cmdline", "quiet preempt=full\n", {"preempt", SETTING_OK, "full", ""}},
        {"/sys/kernel/debug/sched/preempt", "none voluntary full (lazy)\n", {"preempt", SETTING_OK, "lazy", ""}},
    };

    expect_steps(steps, COUNT(steps));
}

/* A link that is up is noise only where this program is the machine's first process. */
TREE_TEST(test_settings_of_the_first_process_and_the_network)
{
    static const char first[] = "/proc/1/comm", link[] = "/sys/class/net/eth0/operstate";
    static const struct step steps[] = {
        {first, "systemd\n", {"init", SETTING_OK, "systemd", ""}},
        {"/sys/class/net/lo/operstate", "unknown\n", {"network", SETTING_OK, "none", ""}},
        {link, "down\n", {"network", SETTING_OK, "none", ""}},
        {"/sys/class/net/eth1/operstate", "up\n", {"network", SETTING_OK, "eth1", ""}},
        {link, "up\n", {"network", SETTING_OK, "eth0, eth1", ""}},
        {first, "jitbench\n", {"network", SETTING_NOISY, "eth0, eth1", ""}},
        {first, "jitbench\n", {"init", SETTING_OK, "jitbench", ""}},
        {"/run/systemd/container", "docker\n", {"network", SETTING_OK, "eth0, eth1", ""}},
    };
    /* A record of x86_64's glibc has 384 bytes; musl's, and aarch64's glibc's, has 400. */
    static const size_t sizes[] = {384, 400};

    look_at("0");
    expect_one("network", SETTING_UNKNOWN, "", "/sys is not mounted");
    expect_steps(steps, COUNT(steps));
    tree_put(first, "init\n");
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const int32_t boot = '4', level = 'N' * 256 + (int)('2' + i);
        char records[800] = {2}, *second = records + sizes[i];
        memcpy(records + 4, &boot, sizeof(boot));
        memcpy(records + 40, "~~\0\0reboot", 10);
        memcpy(records + 76, "runlevel.example", 16);
        second[0] = 1;
        memcpy(second + 4, &level, sizeof(level));
        memcpy(second + 40, "~~\0\0runlevel", 12);
        tree_put_bytes("/run/utmp", records, 2 * sizes[i]);
        expect_one("init", SETTING_OK, i ? "init, run level 3" : "init, run level 2", "");
    }
    tree_put_bytes("/run/utmp", "~~\0\0runlevel", 12);
    expect_one("init", SETTING_OK, "init", "");
}

static void put_register(off_t at, uint64_t value)
{
    char path[512];

    tree_path("/dev/cpu/0/msr", path, sizeof(path));
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0 && pwrite(fd, &value, sizeof(value), at) == sizeof(value));
    assert_int_equal(close(fd), 0);
}

TREE_TEST(test_settings_of_prefetchers_and_memory_modules)
{
    /* A cabinet (type 3) with a text; modules of 3200 MT/s that run at 2933 and at 2666, an empty slot, one of a table
     * that ends before the speed, and the end (type 127). */
    unsigned char table[256] = {3, 6, 0, 0, 1, 2, 'b', 'o', 'x', 0, 0}, *at = table + 11;
    static const struct {
        unsigned char length, size;
        unsigned speed, configured;
    } modules[] = {{40, 16, 3200, 2933}, {34, 16, 3200, 2666}, {40, 0, 3200, 2400}, {23, 8, 2800, 0}, {20, 8, 0, 0}};

    for (size_t i = 0; i < COUNT(modules); i++) {
        at[0] = 17;
        at[1] = modules[i].length;
        at[12] = modules[i].size;
        if (at[1] > 21)
            memcpy(at + 21, (const uint16_t[]){htole16((uint16_t)modules[i].speed)}, 2);
        if (at[1] > 32)
            memcpy(at + 32, (const uint16_t[]){htole16((uint16_t)modules[i].configured)}, 2);
        at += at[1] + 2;
    }
    at[0] = 127;
    at[1] = 4;
    tree_put_bytes("/sys/firmware/dmi/tables/DMI", table, (size_t)(at + 6 - table));
    look_at("0");
    expect_one("dimms", SETTING_OK, "3 at 2666 to 2933 MT/s", "");
    for (size_t cut = 0; cut < (size_t)(at - table); cut++) { /* wherever it ends, nothing is read beyond it */
        tree_put_bytes("/sys/firmware/dmi/tables/DMI", table, cut);
        (void)state_of("dimms");
    }
    tree_put("/proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\n");
    tree_put("/dev/cpu/0/msr", "");
    expect_one("prefetchers", SETTING_NA, "", "");
    put_register(0x1a4, 0);
    expect_one("prefetchers", SETTING_OK, "on", "");
    put_register(0x1a4, 1 << 1 | 1 << 3);
    expect_one("prefetchers", SETTING_OK, "off: L2 adjacent line, L1 IP", "");
    tree_put("/proc/cpuinfo", "processor : 0\nvendor_id : AuthenticAMD\n");
    expect_one("prefetchers", SETTING_NA, "", "");
    put_register(0xc0000108, 1 << 3 | 1 << 4 | 1 << 5);
    expect_one("prefetchers", SETTING_OK, "off: L2 stream, up/down", "");
}

/* Without the kernel's configuration the coarse clock tells the tick. */
static int look_at_ticks(void)
{
    static const struct {
        struct timespec step;
        const char *now;
    } ticks[] = {
        {{.tv_nsec = 10000000}, "100"},
        {{.tv_nsec = 4000000}, "250"},
        {{.tv_nsec = 3333333}, "300"},
        {{.tv_nsec = 1000000}, "1000"},
        {{.tv_nsec = 1001001}, "999"},
        {{.tv_nsec = 0}, ""},
        {{.tv_sec = 1}, ""},
        {{.tv_sec = 1, .tv_nsec = 1000000}, ""},
    };

    look_at("0");
    procfs_root = "";
    machine.kernel[0] = '\0';
    if (fixture_hide("/proc"))
        return CANNOT;
    for (size_t i = 0; i < COUNT(ticks); i++) {
        made_up_step = &ticks[i].step;
        struct setting_state found = state_of("hz");
        CHECK(strcmp(found.now, ticks[i].now) == 0);
        CHECK(found.verdict == (ticks[i].now[0] ? SETTING_OK : SETTING_UNKNOWN));
    }
    return 0;
}

TREE_TEST(test_settings_of_the_tick_by_its_clock)
{
    if (sizeof(time_t) > sizeof(long))
        skip_because("clock_getres has another name where times are longer than a long");
    assert_int_equal(fixture_in_child_or_skip(look_at_ticks, "needs root, to hide the kernel's configuration"), 0);
}

#define IRQ "/proc/irq/"

/* An interrupt that cannot be read is not known to be elsewhere, but one on a bench CPU is noisy anyhow. */
TREE_TEST(test_settings_of_irqs_that_cannot_be_read)
{
    static const struct step steps[] = {
        {IRQ "default_smp_affinity", "1\n", {"irqs", SETTING_OK, "0 of 1 interrupts may use bench CPUs", ""}},
        {IRQ "5/smp_affinity_list", "0\n", {"irqs", SETTING_OK, "0 of 2 interrupts may use bench CPUs", ""}},
        {IRQ "6/smp_affinity_list", "x\n", UNKNOWN_CONTENT("irqs", "/proc/irq")},
        {IRQ "7/smp_affinity_list", "\n", UNKNOWN_CONTENT("irqs", "/proc/irq")},
        {IRQ "8/smp_affinity", "", UNKNOWN_CONTENT("irqs", "/proc/irq")},
        {IRQ "6/smp_affinity_list", "0\n", UNKNOWN_CONTENT("irqs", "/proc/irq")},
        {IRQ "7/smp_affinity_list", "0\n", {"irqs", SETTING_UNKNOWN, "", "/proc/irq is empty"}},
        {IRQ "6/smp_affinity_list", "0-1\n", {"irqs", SETTING_NOISY, "1 of 4 interrupts may use bench CPUs", "6"}},
        {IRQ "8/smp_affinity", "2\n", {"irqs", SETTING_NOISY, "2 of 5 interrupts may use bench CPUs", "6, 8"}},
        {IRQ "default_smp_affinity",
         "3\n",
         {"irqs", SETTING_NOISY, "3 of 5 interrupts may use bench CPUs", "new ones, 6, 8"}},
    };

    expect_steps(steps, COUNT(steps));
    expect_writes("irqs", IRQ "default_smp_affinity=1\n" IRQ "6/smp_affinity_list=0\n" IRQ "8/smp_affinity=1\n");
}

/* --- functions that the settings share --- */

TREE_TEST(test_settings_by_version_of_the_kernel)
{
    static const struct {
        const char *kernel;
        bool is; /* at least 6.12 */
    } cases[] = {{"6.12.0-1-amd64 #1 SMP", true},
                 {"6.11.99", false},
                 {"6.13", true},
                 {"5.19", false},
                 {"5.12", false},
                 {"7.0", true},
                 {"unknown", true},
                 {"6", true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)snprintf(machine.kernel, sizeof(machine.kernel), "%s", cases[i].kernel);
        assert_int_equal(setting_kernel_is(&machine, 6, 12), cases[i].is);
    }
}

/* Settings whose files are read without an allocation. */
static int plan_writes(void)
{
    static const char *const names[] = {"epp", "epb",       "governor", "frequency",     "turbo",
                                        "smt", "watchdogs", "thp",      "rt_throttling", "stat_interval"};
    struct setting_writes writes = {0};
    int code = 0;

    for (size_t i = 0; i < COUNT(names) && code == 0; i++)
        code = setting_look(setting_find(names[i]), &view, &(struct setting_state){.now = ""}, &writes) ? 0 : -1;
    if (code == 0)
        assert_int_equal(writes.n, 4 * 2 + 1 + 1 + 2 + 2 + 1 + 1);
    setting_writes_free(&writes);
    return code;
}

TREE_TEST(test_settings_to_write_without_memory_are_none)
{
    tree_unpack("laptop");
    tree_put(CPUS "online", "0-1\n");
    look_at("1");
    assert_true(memory_needed(plan_writes) >= 16);
}

/* --- trees that are hostile --- */

static void put_empty(const char *path)
{
    tree_put(path, "");
}

static void put_junk(const char *path)
{
    static unsigned char junk[5000];
    static uint32_t x = 12345;

    for (size_t i = 0; i < sizeof(junk); i++) {
        x = x * 1103515245u + 12345u;
        junk[i] = (unsigned char)(x >> 24 | 0x80);
    }
    tree_put_bytes(path, junk, sizeof(junk));
}

static void put_folder(const char *path)
{
    char full[512];

    tree_path(path, full, sizeof(full));
    assert_int_equal(mkdir(full, 0755), 0);
}

TREE_TEST(test_settings_of_folders_without_a_file)
{
    tree_put("/sys/devices/x", "");
    tree_put("/proc/stat", "cpu0 1\n");
    put_folder("/sys/devices/virtual/workqueue");
    put_folder("/proc/irq");
    look_at("0");
    expect_one("workqueues", SETTING_NA, "", "");
    expect_one("irqs", SETTING_NA, "", "");
    expect_writes("workqueues", "");
    expect_writes("irqs", "");
}

static void put_dangling(const char *path)
{
    tree_link(path, "gone");
}

static void put_fifo(const char *path)
{
    char full[512];

    tree_path(path, full, sizeof(full));
    assert_int_equal(mkfifo(full, 0644), 0);
}

static void put_secret(const char *path)
{
    char full[512];

    tree_put(path, "1\n");
    tree_path(path, full, sizeof(full));
    assert_int_equal(chmod(full, 0), 0);
}

static void assert_printable(const char *name, const char *text)
{
    for (const char *p = text; *p; p++)
        if (*p < ' ' || *p > '~')
            fail_msg("%s: unprintable: '%s'", name, text);
}

/* Checks all items; known gets the names of those that are ok or noisy. */
static void look_at_all(char *known, size_t size)
{
    size_t n = 0;
    char text[8192];

    known[0] = 0;
    for (size_t i = 0; i < settings_count; i++) {
        struct setting_state found = state_of(settings_list[i].name);
        assert_printable(settings_list[i].name, found.now);
        assert_printable(settings_list[i].name, found.why);
        if (found.verdict == SETTING_OK || found.verdict == SETTING_NOISY)
            n += (size_t)snprintf(known + n, size - n, "%s%s", n ? " " : "", settings_list[i].name);
        assert_true(n < size);
    }
    writes_of(NULL, text, sizeof(text));
    assert_string_equal(text, "");
}

static void check_hostile(const char *tree, void (*put)(const char *path), const char *expected)
{
    char known[512];

    tree_put_other = put;
    tree_unpack(tree);
    look_at("0-7");
    look_at_all(known, sizeof(known));
    assert_string_equal(known, expected);
}

/* A hypervisor and a quota are found by what is there; lists of CPUs and the command line may well be empty. */
#define SEEN    "hypervisor cpu_quota page_size"
#define NO_TEXT "isolated nohz_full rcu_nocbs kthread_cpus irqaffinity " SEEN

TREE_TEST(test_settings_with_empty_files)
{
    check_hostile("laptop", put_empty, NO_TEXT);
}

TREE_TEST(test_settings_with_junk)
{
    /* A command line and the names of processes may be anything. */
    check_hostile("laptop", put_junk,
                  "rcu_nocbs kthread_cpus irqaffinity irqbalance daemons hypervisor cpu_quota network init page_size");
}

/* Simulates files that vanish after they were listed. */
TREE_TEST(test_settings_with_files_that_vanish)
{
    check_hostile("laptop", put_dangling, "hypervisor page_size"); /* no quota is known without /proc */
}

/* Writes for ever, until it is killed. */
static pid_t start_writer(const char *path)
{
    static const char text[] = "1-7 1 1 1 ";
    char full[512];

    tree_path(path, full, sizeof(full));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fd = open(full, O_RDWR);
        (void)alarm(20);
        while (fd >= 0 && write(fd, text, sizeof(text) - 1) > 0) {
        }
        _exit(0);
    }
    return child;
}

TREE_TEST(test_settings_with_an_endless_pipe)
{
    static const char *const paths[] = {"/proc/cmdline", "/proc/sys/vm/stat_interval", "/proc/irq/7/smp_affinity_list",
                                        "/sys/devices/system/cpu/nohz_full"};
    pid_t writers[4];

    tree_put("/proc/stat", "cpu0 1\n");
    for (size_t i = 0; i < 4; i++) {
        put_fifo(paths[i]);
        writers[i] = start_writer(paths[i]);
    }
    look_at("0-7");
    for (unsigned i = 0; i < 5; i++) {
        assert_int_not_equal(state_of("stat_interval").verdict, SETTING_OK);
        assert_int_not_equal(state_of("nohz_full").verdict, SETTING_OK);
        assert_int_not_equal(state_of("rcu_nocbs").verdict, SETTING_OK);
        assert_int_not_equal(state_of("irqs").verdict, SETTING_OK);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kill(writers[i], SIGKILL), 0);
        assert_int_equal(waitpid(writers[i], NULL, 0), writers[i]);
    }
}

static int look_as_nobody(void)
{
    char known[512];

    if (fixture_become_nobody())
        return CANNOT;
    look_at("0-7");
    look_at_all(known, sizeof(known));
    if (strcmp(known, SEEN) != 0)
        return 1;
    return strcmp(state_of("governor").why,
                  "only root may read /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") != 0;
}

TREE_TEST(test_settings_without_permission)
{
    tree_put_other = put_secret;
    tree_unpack("laptop");
    assert_int_equal(chmod(tree_root, 0755), 0);
    assert_int_equal(fixture_in_child_or_skip(look_as_nobody, "needs root, to become nobody"), 0);
}

/* --- the list --- */

static bool is_name(const char *name)
{
    return name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")];
}

TREE_TEST(test_settings_are_whole_and_have_names_of_their_own)
{
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *s = &settings_list[i];
        assert_true(is_name(s->name));
        assert_ptr_equal(setting_find(s->name), s);
        assert_true(s->title && s->good && s->cost && s->set);
        assert_true(s->title[0] && s->good[0] && s->cost[0] && s->set[0]);
        assert_non_null(s->look);
        /* Settings that tune writes name it. */
        if (s->how)
            assert_non_null(strstr(s->set, s->name));
    }
    assert_null(setting_find("govern"));
    assert_null(setting_find(""));
}

/* The man page has the items of the list, in order, each with its good value. */
TREE_TEST(test_settings_are_those_of_the_man_page)
{
    char line[512], expected[512];
    FILE *page = fopen("man/jitbench-check.1", "r");
    bool within = false;
    size_t n = 0;

    if (!page)
        fail_msg("man/jitbench-check.1: %s (this test runs in the top folder)", strerror(errno));
    while (fgets(line, sizeof(line), page)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, ".Sh ", 4))
            within = !strcmp(line, ".Sh ITEMS");
        if (!within || strncmp(line, ".It ", 4))
            continue;
        assert_true(n < settings_count);
        (void)snprintf(expected, sizeof(expected), ".It Cm %s Pq %s", settings_list[n].name,
                       settings_list[n].good[0] == '-' && !settings_list[n].good[1] ? "\\-" : settings_list[n].good);
        assert_string_equal(line, expected);
        n++;
    }
    (void)fclose(page);
    assert_int_equal(n, settings_count);
}

/* One that was given CPUs (taskset) measures on these. */
TREE_TEST(test_settings_bench_cpus_keep_to_the_mask)
{
    struct cpuset mask, one = {{0}};

    assert_int_equal(task_get_affinity(&mask), 0);
    BELOW("", machine_read(&machine));
    for (unsigned cpu = cpuset_next(&mask, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&mask, cpu + 1)) {
        cpuset_clear(&one);
        cpuset_add(&one, cpu);
        assert_int_equal(task_set_affinity(&one), 0);
        BELOW("", settings_bench_cpus(&machine, &bench));
        assert_int_equal(task_set_affinity(&mask), 0);
        assert_true(cpuset_equal(&bench, &one));
    }
}

/* --- what tells machines apart --- */

TREE_TEST(test_settings_lists_are_cut_between_words)
{
    static const struct {
        size_t size;
        const char *list, *word, *result;
    } cases[] = {
        {20, "governor", "abcd", "governor, abcd"},
        {20, "governor", "abcde", "governor, ..."},
        {20, "governor, abcd", "e", "governor, abcd, ..."},
        {19, "governor, abcd", "e", "governor, abcd"},
        {20, "a, ...", "b", "a, ..."},
        {20, "a ...", "b", "a ..., b"},
        {12, "", "abcd", "abcd"},
        {20, "", "a\xff", "a?"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char list[32];
        (void)snprintf(list, sizeof(list), "%s", cases[i].list);
        setting_append(list, cases[i].size, cases[i].word);
        assert_string_equal(list, cases[i].result);
    }
}

TREE_TEST(test_settings_describe)
{
    char text[3072], cut[60];

    tree_unpack("server");
    tree_put("/proc/cmdline",
             "BOOT_IMAGE=/vmlinuz root=UUID=12-34 ds=nocloud;token=x isolcpus=domain,8-15;x quiet -- quiet a\n");
    look_at(NULL);
    settings_describe(&view, text, sizeof(text));
    assert_memory_equal(text, "governor=", 9);
    assert_non_null(strstr(text, ";isolated=8-15;"));
    assert_non_null(strstr(text, ";cmdline=isolcpus=domain+8-15+x|quiet;"));
    assert_null(strpbrk(text, ", \"\n"));
    /* Whole items only: half a value would be taken for another value. */
    settings_describe(&view, cut, sizeof(cut));
    assert_true(strlen(cut) > 20);
    assert_memory_equal(cut, text, strcspn(cut, ";"));
    for (char *item = strtok(cut, ";"); item; item = strtok(NULL, ";")) {
        const char *found = strstr(text, item);
        assert_non_null(found);
        assert_true(found[strlen(item)] == ';' || found[strlen(item)] == '\0');
    }
}

TREE_TEST(test_settings_describe_the_first_cpu_online)
{
    char text[800];

    tree_put(CPUS "online", "2-3\n");
    tree_put(CPUS "cpu0/cache/index0/level", "1\n");
    tree_put(CPUS "cpu0/cache/index0/size", "9K\n");
    tree_put(CPUS "cpu2/cache/index0/level", "1\n");
    tree_put(CPUS "cpu2/cache/index1/level", "2\n");
    tree_put(CPUS "cpu2/cache/index1/size", "2K\n");
    tree_put("/proc/cmdline", "xquiet=1 nohz=off\n");
    look_at("3");
    settings_describe(&view, text, sizeof(text));
    assert_non_null(strstr(text, ";hypervisor=none_seen;"));
    assert_non_null(strstr(text, ";dimms=-;caches=L2:2K;cmdline=nohz=off"));
    tree_put(CPUS "online", "\n");
    look_at("3");
    settings_describe(&view, text, sizeof(text));
    assert_non_null(strstr(text, ";hypervisor=none_seen;"));
    assert_non_null(strstr(text, ";dimms=-;caches=L1:9K;cmdline=nohz=off"));
}

/* The whole column of a tree; a long value is cut, and ends in a checksum. */
TREE_TEST(test_settings_describe_what_explains_a_difference)
{
    static const char expected[] =
        ""
        "governor=performance_(1_CPU)+powersave_(1_CPU)+ondemand_(1_CPU)+schedutil_(1_CPU)+others_(4_CPUs);"
        "turbo=-;smt=forceoff;aslr=-;isolated=-;nohz_full=1-7;watchdogs=-;clocksource=-;hypervisor=kvm;"
        "cpu_quota=none;scheduler=CFS;preempt=full;hz=-;base_slice=-;init=init;os=-;page_size=4K;hugetlb=-;"
        "fault_around=-;prefetchers=-;dimms=-;thp=madvise;thp_defrag=defer+madvise;numa_balancing=1;"
        "autogroup=0;memory=31.2G;caches=L1d:32K+L1i:64K+L2:1M;microcode=0xabc;"
        "firmware=Acme+Inc._1.2_01/02/2026;cmdline=quiet|nohz=off|psix=1|audit=0;mds=no;meltdown=PTI;"
        "retbleed=Vulnerable;spectre_v2=Retpolines+STIBP:disabled+BHI:no;zzz="
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~edf9e73f";
    char text[3072];

    if (sysconf(_SC_PAGESIZE) != 4096)
        skip_because("the size of a page is another here");
    tree_unpack("tickless");
    look_at("0");
    settings_describe(&view, text, sizeof(text));
    assert_string_equal(text, expected);
}

TREE_TEST(test_settings_are_counted_by_verdict)
{
    unsigned counts[4] = {9, 9, 9, 9}, expected[4] = {0};

    tree_unpack("mixed");
    look_at("2-3,6");
    for (size_t i = 0; i < settings_count; i++)
        expected[state_of(settings_list[i].name).verdict]++;
    settings_summary(&view, counts);
    assert_memory_equal(counts, expected, sizeof(counts));
}
