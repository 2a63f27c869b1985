/* SPDX-License-Identifier: MIT */
/* A made-up machine of 4096 CPUs, far beyond cpu_set_t: two threads a core, 16 CPUs a cache, tables of as many columns.
 * How long that takes is printed, and how much memory; neither is judged. */

#include "engine/engine.h"
#include "tree_fixture.h"

#define CPUS  4096u
#define CORES (CPUS / 2)
#define LINES 400u /* of /proc/interrupts: those of disks and network cards with a queue for many CPUs */
#define CPU   "/sys/devices/system/cpu/cpu%u"

static struct machine machine;
static struct place_request request;

/* A text that grows; the caller frees it. */
struct sheet {
    char *text;
    size_t size;
    FILE *file;
};

static void sheet_open(struct sheet *sheet)
{
    sheet->file = open_memstream(&sheet->text, &sheet->size);
    assert_non_null(sheet->file);
}

static void sheet_put(struct sheet *sheet, const char *path)
{
    assert_int_equal(fclose(sheet->file), 0);
    tree_put_bytes(path, sheet->text, sheet->size);
    free(sheet->text);
}

static void put_columns(struct sheet *sheet, const char *label, unsigned value, const char *name)
{
    (void)fprintf(sheet->file, "%4s:", label);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        (void)fprintf(sheet->file, " %10u", value + cpu);
    (void)fprintf(sheet->file, "  %s\n", name);
}

static void put_tables(void)
{
    struct sheet sheet;
    char label[16];

    sheet_open(&sheet);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        (void)fprintf(sheet.file, "%sCPU%u", cpu ? "       " : "           ", cpu);
    (void)fprintf(sheet.file, "\n");
    for (unsigned line = 0; line < LINES; line++) {
        (void)snprintf(label, sizeof(label), "%u", line);
        put_columns(&sheet, label, 1, "PCI-MSI 12345-edge queue");
    }
    put_columns(&sheet, "LOC", 1000000, "Local timer interrupts");
    put_columns(&sheet, "RES", 10, "Rescheduling interrupts");
    sheet_put(&sheet, "/proc/interrupts");

    sheet_open(&sheet);
    (void)fprintf(sheet.file, "cpu  1 2 3 4 5 6 7 8 9 0\n");
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        (void)fprintf(sheet.file, "cpu%u 1 2 3 4 5 6 7 %u 9 0\n", cpu, cpu);
    (void)fprintf(sheet.file, "ctxt 12345\n");
    sheet_put(&sheet, "/proc/stat");
}

/* CPU n and n + 2048 share a core; 8 cores share a cache. */
static void put_topology(void)
{
    char path[128], text[64];

    tree_put("/sys/devices/system/cpu/online", "0-4095\n");
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        unsigned core = cpu % CORES, cache = core / 8 * 8;
        (void)snprintf(path, sizeof(path), CPU "/topology/core_cpus_list", cpu);
        (void)snprintf(text, sizeof(text), "%u,%u\n", core, core + CORES);
        tree_put(path, text);
        (void)snprintf(path, sizeof(path), CPU "/cache/index0/shared_cpu_list", cpu);
        (void)snprintf(text, sizeof(text), "%u-%u,%u-%u\n", cache, cache + 7, cache + CORES, cache + CORES + 7);
        tree_put(path, text);
        (void)snprintf(path, sizeof(path), CPU "/cache/index0/level", cpu);
        tree_put(path, "3\n");
        (void)snprintf(path, sizeof(path), CPU "/cache/index0/type", cpu);
        tree_put(path, "Unified\n");
        (void)snprintf(path, sizeof(path), CPU "/cache/index0/size", cpu);
        tree_put(path, "32M\n");
    }
}

static int make_machine(void **state)
{
    if (tree_make(state))
        return -1;
    put_tables();
    put_topology();
    machine_read(&machine);
    request = (struct place_request){.cpus = machine.online, .online = machine.online, .bind = BIND_ONE};
    request.n_order = machine_cpu_order(&machine.online, request.order, CPUSET_MAX);
    return 0;
}

static double cpu_ms(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
}

TEST(test_scale_machine_of_4096_cpus_is_read)
{
    struct cpuset shared;

    assert_int_equal(machine.cpus_online, CPUS);
    assert_int_equal(machine.cache_llc_bytes, (uint64_t)CORES / 8 * (32u << 20));
    assert_int_equal(machine_last_cache(4095, &shared), 3);
    assert_int_equal(cpuset_count(&shared), 16);
    assert_true(cpuset_has(&shared, 2040) && cpuset_has(&shared, 4095) && !cpuset_has(&shared, 2039));
}

TEST(test_scale_one_cpu_of_each_core_before_any_sibling)
{
    struct cpuset cores, all;

    cpuset_clear(&cores);
    cpuset_clear(&all);
    assert_int_equal(request.n_order, CPUS);
    for (unsigned i = 0; i < CPUS; i++) {
        cpuset_add(&all, request.order[i]);
        if (i < CORES)
            cpuset_add(&cores, request.order[i] % CORES);
    }
    assert_int_equal(cpuset_count(&cores), CORES);
    assert_true(cpuset_equal(&all, &machine.online));
    /* The boot CPU's core is the last of each round. */
    assert_int_equal(request.order[CORES - 1], 0);
    assert_int_equal(request.order[CPUS - 1], CORES);
}

TEST(test_scale_4096_copies_have_a_cpu_each)
{
    struct placement placement;
    struct cpuset all;

    cpuset_clear(&all);
    for (unsigned copy = 0; copy < CPUS; copy++) {
        place_copy(&request, copy, &placement);
        assert_int_equal(cpuset_count(&placement.cpus), 1);
        cpuset_union(&all, &placement.cpus);
    }
    assert_int_equal(cpuset_count(&all), CPUS);
}

TEST(test_scale_counters_of_each_of_4096_cpus)
{
    struct cpuset *sets = calloc(CPUS, sizeof(*sets));
    struct machine_counters *counters = calloc(CPUS, sizeof(*counters)), all;
    struct rusage usage;
    const double before = cpu_ms();

    assert_true(sets && counters);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        cpuset_add(&sets[cpu], cpu);
    machine_read_counters_of(sets, CPUS, counters);
    const double took = cpu_ms() - before;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        assert_int_equal(counters[cpu].device, LINES * (1 + cpu));
        assert_int_equal(counters[cpu].timer, 1000000 + cpu);
        assert_int_equal(counters[cpu].resched, 10 + cpu);
        assert_int_equal(counters[cpu].irqs, LINES * (1 + cpu) + 1000010 + 2 * cpu);
        assert_true(counters[cpu].steal_ns == (int64_t)cpu * (1000000000 / sysconf(_SC_CLK_TCK)));
    }
    machine_read_counters_of(&machine.online, 1, &all);
    assert_true(all.resched == 10 * (int64_t)CPUS + (int64_t)CPUS * (CPUS - 1) / 2);
    (void)getrusage(RUSAGE_SELF, &usage);
    print_message("counters of %u CPUs, %u lines: %.0f ms, resident at most %ld KiB\n", CPUS, LINES + 2, took,
                  usage.ru_maxrss);
    free(sets);
    free(counters);
}

TEST(test_scale_one_cpu_is_watched_among_4096)
{
    struct machine_counters counters;
    struct machine_watch *watch = machine_watch_open(4095);

    assert_non_null(watch);
    machine_watch_read(watch, &counters);
    assert_int_equal(counters.device, LINES * CPUS);
    assert_int_equal(counters.timer, 1000000 + 4095);
    machine_watch_close(watch);
}

GROUP(make_machine, tree_remove);
