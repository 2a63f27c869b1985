/* SPDX-License-Identifier: MIT */
/* Made-up machines of 1, 2, 8, 64 and 256 CPUs: whatever goes by the number of CPUs is right on all of them, and not
 * only on the machine that the tests run on. From 2 CPUs on a core has two threads, from 8 on there are two packages.
 */
#include "engine/engine.h"
#include "settings/settings.h"
#include "sys/machine.h"
#include "tree_fixture.h"

#define CPU_FILE "/sys/devices/system/cpu/cpu%u/%s"
#define IRQ_PATH "/proc/irq/%u/smp_affinity_list"
#define QUEUES   2 /* interrupts of each CPU */

static const unsigned sizes[] = {1, 2, 8, 64, 256};
static unsigned n_cpus; /* of the machine at hand */
static struct machine machine;

static unsigned n_cores(void)
{
    return n_cpus > 1 ? n_cpus / 2 : 1;
}

static unsigned n_packages(void)
{
    return n_cpus >= 8 ? 2 : 1;
}

/* CPU n and n + n_cores() share a core; a package has cores in a row. */
static unsigned core_of(unsigned cpu)
{
    return cpu % n_cores();
}

static unsigned package_of(unsigned cpu)
{
    return core_of(cpu) / (n_cores() / n_packages());
}

/* --- The machine. --- */

__attribute__((format(printf, 3, 4))) static void put_for_cpu(unsigned cpu, const char *name, const char *format, ...)
{
    char path[128], text[128];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)snprintf(path, sizeof(path), CPU_FILE, cpu, name);
    tree_put(path, text);
}

/* Writes the CPUs that the test picks, as the kernel lists them. */
static void list_cpus(bool (*pick)(unsigned cpu, unsigned of), unsigned of, char *text, size_t size)
{
    struct cpuset cpus;

    cpuset_clear(&cpus);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        if (pick(cpu, of))
            cpuset_add(&cpus, cpu);
    assert_true(cpuset_format(&cpus, text, size) < size);
}

static bool any(unsigned cpu, unsigned of)
{
    return true;
}

static bool of_core(unsigned cpu, unsigned core)
{
    return core_of(cpu) == core;
}

static bool of_package(unsigned cpu, unsigned package)
{
    return package_of(cpu) == package;
}

static void put_topology(void)
{
    char siblings[64], package[64];

    for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
        list_cpus(of_core, core_of(cpu), siblings, sizeof(siblings));
        list_cpus(of_package, package_of(cpu), package, sizeof(package));
        put_for_cpu(cpu, "topology/core_cpus_list", "%s\n", siblings);
        put_for_cpu(cpu, "topology/physical_package_id", "%u\n", package_of(cpu));
        put_for_cpu(cpu, "cache/index0/level", "3\n");
        put_for_cpu(cpu, "cache/index0/type", "Unified\n");
        put_for_cpu(cpu, "cache/index0/size", "32M\n");
        put_for_cpu(cpu, "cache/index0/shared_cpu_list", "%s\n", package);
        put_for_cpu(cpu, "cpufreq/scaling_governor", "powersave\n");
        put_for_cpu(cpu, "cpufreq/affected_cpus", "%u\n", cpu);
    }
    list_cpus(any, 0, siblings, sizeof(siblings));
    (void)strcat(siblings, "\n");
    tree_put("/sys/devices/system/cpu/online", siblings);
    tree_put("/sys/devices/system/node/online", n_packages() > 1 ? "0-1\n" : "0\n");
    for (unsigned node = 0; node < n_packages(); node++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
        list_cpus(of_package, node, package, sizeof(package));
        tree_put(path, package);
    }
}

static unsigned timers_of(unsigned cpu)
{
    return 1000 + 7 * cpu;
}

/* /proc/interrupts, /proc/stat and /proc/softirqs have a column or a line for each CPU. */
static void put_tables(void)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        (void)fprintf(file, "%sCPU%u", cpu ? "       " : "           ", cpu);
    for (unsigned irq = 0; irq < QUEUES * n_cpus; irq++) {
        (void)fprintf(file, "\n%4u:", 24 + irq);
        for (unsigned cpu = 0; cpu < n_cpus; cpu++)
            (void)fprintf(file, " %10u", irq % n_cpus == cpu ? 5 : 0);
        (void)fprintf(file, "  PCI-MSI %u-edge queue", irq);
    }
    (void)fprintf(file, "\n LOC:");
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        (void)fprintf(file, " %10u", timers_of(cpu));
    (void)fprintf(file, "  Local timer interrupts\n");
    assert_int_equal(fclose(file), 0);
    tree_put_bytes("/proc/interrupts", text, size);
    free(text);

    file = open_memstream(&text, &size);
    assert_non_null(file);
    (void)fprintf(file, "cpu  1 2 3 4 5 6 7 8 9 0\n");
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        (void)fprintf(file, "cpu%u 1 2 3 4 5 6 7 %u 9 0\n", cpu, 3 * cpu);
    assert_int_equal(fclose(file), 0);
    tree_put_bytes("/proc/stat", text, size);
    free(text);
}

/* Interrupts that any CPU may have, the others of one CPU each; and a mask of as many digits as the kernel writes. */
static void put_affinities(void)
{
    char path[64], text[512];
    struct cpuset all;

    cpuset_clear(&all);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        cpuset_add(&all, cpu);
    assert_true(cpuset_format_mask(&all, n_cpus < 32 ? (n_cpus + 3) / 4 : n_cpus / 4, text, sizeof(text) - 1) < 500);
    (void)strcat(text, "\n");
    tree_put("/proc/irq/default_smp_affinity", text);
    tree_put("/sys/devices/virtual/workqueue/cpumask", text);
    tree_put("/sys/devices/virtual/workqueue/writeback/cpumask", text);
    for (unsigned irq = 0; irq < QUEUES * n_cpus; irq++) {
        (void)snprintf(path, sizeof(path), IRQ_PATH, 24 + irq);
        if (irq < n_cpus)
            (void)snprintf(text, sizeof(text), "%u\n", irq);
        else
            (void)snprintf(text, sizeof(text), n_cpus > 1 ? "0-%u\n" : "%u\n", n_cpus - 1);
        tree_put(path, text);
    }
    tree_put("/proc/sys/vm/stat_interval", "1\n");
    tree_put("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    tree_put("/proc/sys/kernel/hostname", "made-up\n");
}

static int make_machine(void **state)
{
    if (tree_make(state))
        return -1;
    put_topology();
    put_tables();
    put_affinities();
    machine_read(&machine);
    return 0;
}

/* --- What it is. --- */

TEST(test_machine_sizes_topology)
{
    struct cpuset found;
    uint64_t caches[4];

    assert_int_equal(machine.cpus_online, n_cpus);
    assert_int_equal(cpuset_count(&machine.online), n_cpus);
    assert_int_equal(machine.cache_llc_bytes, (uint64_t)n_packages() << 25);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
        assert_true(machine_core_cpus(cpu, &found));
        assert_int_equal(cpuset_count(&found), n_cpus > 1 ? 2 : 1);
        assert_true(cpuset_has(&found, cpu) && cpuset_has(&found, core_of(cpu)));
        assert_int_equal(machine_last_cache(cpu, &found), 3);
        assert_int_equal(machine_data_caches(cpu, caches, 4), 3);
        assert_true(caches[2] == UINT64_C(1) << 25 && !caches[3]);
        assert_int_equal(cpuset_count(&found), n_cpus / n_packages());
    }
}

TEST(test_machine_sizes_counters_of_each_cpu)
{
    struct cpuset *sets = calloc(n_cpus, sizeof(*sets));
    struct machine_counters *counters = calloc(n_cpus, sizeof(*counters)), all, watched;
    const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK), n = n_cpus;

    assert_true(sets && counters);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++)
        cpuset_add(&sets[cpu], cpu);
    machine_read_counters_of(sets, n_cpus, counters);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
        assert_int_equal(counters[cpu].device, 5 * QUEUES);
        assert_int_equal(counters[cpu].timer, timers_of(cpu));
        assert_int_equal(counters[cpu].irqs, 5 * QUEUES + timers_of(cpu));
        assert_true(counters[cpu].steal_ns == 3 * (int64_t)cpu * tick_ns);
    }
    machine_read_counters_of(&machine.online, 1, &all);
    assert_true(all.device == 5 * QUEUES * n);
    assert_true(all.timer == 1000 * n + 7 * n * (n - 1) / 2);
    assert_true(all.steal_ns == 3 * n * (n - 1) / 2 * tick_ns);
    struct machine_watch *watch = machine_watch_open(n_cpus - 1);
    assert_non_null(watch);
    machine_watch_read(watch, &watched);
    assert_memory_equal(&watched, &counters[n_cpus - 1], sizeof(watched));
    machine_watch_close(watch);
    free(sets);
    free(counters);
}

/* How many pairs there are, and that all of them are so related. */
static void expect_pairs(const unsigned *order, enum cpu_pairing pairing, size_t n, enum cpu_relation relation)
{
    struct cpu_pairs pairs;

    assert_int_equal(topology_pairs(order, n_cpus, pairing, &pairs), 0);
    assert_int_equal(pairs.n, n);
    for (size_t i = 0; i < n && relation != CPUS_UNKNOWN; i++)
        assert_int_equal(pairs.pair[i].relation, relation);
    topology_pairs_free(&pairs);
}

TEST(test_machine_sizes_pairs)
{
    static unsigned order[CPUSET_MAX];

    assert_int_equal(machine_cpu_order(&machine.online, order, CPUSET_MAX), n_cpus);
    expect_pairs(order, PAIRS_NEXT, n_cpus > 1 ? n_cpus : 0, CPUS_UNKNOWN);
    expect_pairs(order, PAIRS_NEAR, n_cpus / 2, CPUS_SAME_CORE);
    expect_pairs(order, PAIRS_FAR, n_packages() > 1 ? n_cpus / 2 : 0, CPUS_OTHER_NODE);
    expect_pairs(order, PAIRS_HALVES, n_cpus / 2, CPUS_SAME_CORE);
}

/* --- Placement. --- */

TEST(test_machine_sizes_copies_have_a_cpu_each)
{
    static struct place_request request;
    struct placement placement;
    struct cpuset used, cores;

    cpuset_clear(&used);
    cpuset_clear(&cores);
    request =
        (struct place_request){.cpus = machine.online, .online = machine.online, .fifo = true, .fifo_priority = 1};
    request.n_order = machine_cpu_order(&machine.online, request.order, CPUSET_MAX);
    assert_int_equal(request.n_order, n_cpus);
    for (unsigned copy = 0; copy < n_cpus; copy++) {
        place_copy(&request, copy, &placement);
        assert_int_equal(cpuset_count(&placement.cpus), 1);
        assert_false(cpuset_has(&used, cpuset_next(&placement.cpus, 0)));
        cpuset_union(&used, &placement.cpus);
        /* A core for each copy as long as there are cores; the boot CPU's is the last. */
        cpuset_add(&cores, core_of(cpuset_next(&placement.cpus, 0)));
        assert_int_equal(cpuset_count(&cores), copy < n_cores() ? copy + 1 : n_cores());
        assert_int_equal(cpuset_has(&cores, 0), copy + 1 >= n_cores());
    }
    /* One more goes round. */
    place_copy(&request, n_cpus, &placement);
    assert_true(cpuset_has(&placement.cpus, request.order[0]));
}

TEST(test_machine_sizes_cores_of_the_probe)
{
    static const struct clock_info clock = {.kind = CLOCK_KIND_GETTIME, .name = "clock_gettime", .unit = "ns"};
    struct core_session *session = core_session_make(&clock, &machine.online);

    assert_non_null(session);
    assert_int_equal(session->threads, n_cpus > 1);
    for (unsigned cpu = 1; cpu < n_cpus; cpu++) {
        assert_int_equal(session->core[cpu], session->core[core_of(cpu)]);
        assert_int_equal(session->core[cpu] == session->core[cpu - 1], n_cpus == 2);
    }
    free(session);
}

/* --- Its settings. --- */

static int write_plainly(const char *path, const char *value)
{
    char full[512];

    (void)snprintf(full, sizeof(full), "%s%s", tree_root, path);
    FILE *file = fopen(full, "w");
    return !file || fprintf(file, "%s\n", value) < 0 || fclose(file) ? -errno : 0;
}

static void count_done(void *context, const struct snapshot_report *report)
{
    if (report->result != SNAPSHOT_DONE)
        fail_msg("%s: was %s, wanted %s, is %s", report->path, report->was, report->wanted, report->now);
    ++*(size_t *)context;
}

static enum setting_verdict verdict_of(const struct settings_view *view, const char *name)
{
    struct setting_state state = {.verdict = SETTING_NA};

    setting_look(setting_find(name), view, &state, NULL);
    return state.verdict;
}

/* Everything that can be read of governors, interrupts and work, to compare. */
static char *read_all(void)
{
    char *text, path[128], content[512];
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
        (void)snprintf(path, sizeof(path), CPU_FILE, cpu, "cpufreq/scaling_governor");
        tree_get(path, content, sizeof(content));
        (void)fputs(content, file);
    }
    for (unsigned irq = 0; irq < QUEUES * n_cpus; irq++) {
        (void)snprintf(path, sizeof(path), IRQ_PATH, 24 + irq);
        tree_get(path, content, sizeof(content));
        (void)fputs(content, file);
    }
    tree_get("/proc/irq/default_smp_affinity", content, sizeof(content));
    (void)fputs(content, file);
    tree_get("/sys/devices/virtual/workqueue/cpumask", content, sizeof(content));
    (void)fputs(content, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void add_writes(const struct settings_view *view, const char *name, size_t expected,
                       struct setting_writes *writes)
{
    size_t before = writes->n;

    assert_true(setting_look(setting_find(name), view, &(struct setting_state){.now = ""}, writes));
    assert_int_equal(writes->n - before, expected);
}

/* Interrupts that may come to a bench CPU are moved to the boot CPU: all but one of the per-CPU ones, those that any
 * CPU may have, and new ones. With one CPU none can be moved. */
TEST(test_machine_sizes_settings_are_written_and_restored)
{
    struct settings_view view = {.machine = &machine};
    struct setting_writes writes = {0};
    struct snapshot *snapshot;
    struct cpuset bench;
    struct error error = {""};
    char file[128], *before = read_all();
    size_t written = 0, restored = 0, moved = n_cpus > 1 ? QUEUES * n_cpus : 0;

    settings_bench_cpus(&machine, &bench);
    assert_int_equal(cpuset_count(&bench), n_cpus > 1 ? n_cpus - 1 : 1);
    assert_int_equal(cpuset_has(&bench, 0), n_cpus == 1);
    view.bench = &bench;
    add_writes(&view, "governor", n_cpus, &writes);
    add_writes(&view, "irqs", moved, &writes);
    add_writes(&view, "workqueues", n_cpus > 1 ? 2 : 0, &writes);
    (void)snprintf(file, sizeof(file), "%s/snapshot", tree_root);
    snapshot_write = write_plainly;
    assert_int_equal(snapshot_look(file, &writes, &snapshot), 0);
    assert_int_equal(snapshot_save(snapshot, &error), 0);
    snapshot_apply(snapshot, count_done, &written);
    snapshot_close(snapshot);
    assert_int_equal(written, writes.n);
    assert_int_equal(verdict_of(&view, "governor"), SETTING_OK);
    assert_int_equal(verdict_of(&view, "irqs"), n_cpus > 1 ? SETTING_OK : SETTING_NOISY);
    assert_int_equal(verdict_of(&view, "workqueues"), n_cpus > 1 ? SETTING_OK : SETTING_NOISY);
    assert_int_equal(snapshot_open(file, &snapshot, &error), 0);
    assert_int_equal(snapshot_restore(snapshot, count_done, &restored, &error), 0);
    snapshot_close(snapshot);
    assert_int_equal(restored, written);
    char *after = read_all();
    assert_string_equal(after, before);
    free(after);
    free(before);
    setting_writes_free(&writes);
}

GROUP(make_machine, tree_remove);

int main(void)
{
    int failed = 0;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        n_cpus = sizes[i];
        print_message("machine of %u CPUs\n", n_cpus);
        failed += run_all_tests();
    }
    return failed;
}
