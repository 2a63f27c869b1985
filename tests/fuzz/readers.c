/* SPDX-License-Identifier: MIT */
/* Readers of /proc and /sys, and what holds of all that they say. */
#include "fuzz.h"
#include "settings/settings.h"

#define SNAPSHOT "/run/jitbench.snapshot"

/* As all texts from there are: ASCII, one line. */
static void check_text(const char *text, size_t size)
{
    FUZZ_CHECK(memchr(text, 0, size) != NULL);
    for (; *text; text++)
        FUZZ_CHECK(*text >= ' ' && *text <= '~');
}
#define CHECK_TEXT(array) check_text(array, sizeof(array))

static void check_order(const struct machine *machine)
{
    static unsigned order[CPUSET_MAX];
    struct cpuset seen;
    const size_t n = machine_cpu_order(&machine->online, order, CPUSET_MAX);

    FUZZ_CHECK(n == cpuset_count(&machine->online));
    cpuset_clear(&seen);
    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(cpuset_has(&machine->online, order[i]) && !cpuset_has(&seen, order[i]));
        cpuset_add(&seen, order[i]);
    }
}

static void read_machine(void)
{
    static struct machine machine;
    struct cpuset cpus;
    char name[64];

    machine_read(&machine);
    FUZZ_CHECK(machine.cpus_online == cpuset_count(&machine.online) || !cpuset_count(&machine.online));
    CHECK_TEXT(machine.cpu_model);
    CHECK_TEXT(machine.hypervisor);
    CHECK_TEXT(machine.container);
    CHECK_TEXT(machine.governor);
    CHECK_TEXT(machine.clocksource);
    check_order(&machine);
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        if (machine_core_cpus(cpu, &cpus))
            FUZZ_CHECK(cpuset_has(&cpus, cpu));
        if (machine_last_cache(cpu, &cpus))
            FUZZ_CHECK(cpuset_has(&cpus, cpu));
        (void)machine_cpu_khz(cpu);
        (void)machine_celsius();
    }
    if (cgroup_cpus(&cpus))
        FUZZ_CHECK(cpuset_count(&cpus) > 0);
    cgroup_isolated_cpus(&cpus);
    const uint64_t limit = cgroup_memory_limit(), available = cgroup_memory_available();
    FUZZ_CHECK(limit || available == UINT64_MAX);
    (void)machine_resident_bytes();
    machine_fs_name("/", name, sizeof(name));
}

static void check_counters(const struct machine_counters *c)
{
    FUZZ_CHECK(c->irqs >= -1 && c->softirqs >= -1 && c->steal_ns >= -1);
    FUZZ_CHECK(c->timer >= -1 && c->resched >= -1 && c->ipi >= -1 && c->device >= -1);
}

static void read_counters(void)
{
    struct machine_counters one, both[2], watched;
    struct machine_activity activity;
    struct cpuset sets[2];

    cpuset_clear(&sets[0]);
    cpuset_add(&sets[0], 0);
    sets[1] = sets[0];
    cpuset_add(&sets[1], 1);
    cpuset_add(&sets[1], CPUSET_MAX - 1);
    machine_read_counters_of(&sets[0], 1, &one);
    machine_read_counters_of(sets, 2, both);
    check_counters(&one);
    check_counters(&both[1]);
    FUZZ_CHECK(!memcmp(&one, &both[0], sizeof(one)));
    struct machine_watch *watch = machine_watch_open(0);
    for (int i = 0; watch && i < 2; i++) {
        machine_watch_read(watch, &watched);
        check_counters(&watched);
        FUZZ_CHECK(watched.irqs == one.irqs && watched.softirqs == one.softirqs && watched.steal_ns == one.steal_ns);
    }
    machine_watch_close(watch);
    machine_read_activity(&activity);
    FUZZ_CHECK(activity.ctx_switches >= -1 && activity.interrupts >= -1 && activity.busy_ns >= -1);
}

static size_t not_restored;
static void put_report(void *context, const struct snapshot_report *report)
{
    (void)context;
    FUZZ_CHECK(report->path && report->was && report->wanted && report->now);
    not_restored += report->result == SNAPSHOT_REFUSED || report->result == SNAPSHOT_OTHER;
}

/* Writes the settings after saving the old values, and restores them. */
static void write_and_restore(struct setting_writes *writes)
{
    struct snapshot *snapshot;
    struct error error;

    FUZZ_CHECK(snapshot_look(SNAPSHOT, writes, &snapshot) == 0);
    snapshot_apply(snapshot, put_report, NULL);
    const bool saved = snapshot_save(snapshot, &error) == 0;
    FUZZ_CHECK(saved || (error.text[0] && !strchr(error.text, '\n')));
    if (saved)
        snapshot_apply(snapshot, put_report, NULL);
    snapshot_close(snapshot);
    if (!saved || snapshot_open(SNAPSHOT, &snapshot, &error))
        return;
    not_restored = 0;
    const int result = snapshot_restore(snapshot, put_report, NULL, &error);
    FUZZ_CHECK((result == 0) == (not_restored == 0));
    snapshot_close(snapshot);
}

static void read_settings(void)
{
    static struct machine machine;
    struct cpuset bench;
    struct setting_writes writes = {.write = NULL};
    unsigned counts[4];
    char text[768];

    machine_read(&machine);
    settings_bench_cpus(&machine, &bench);
    FUZZ_CHECK(cpuset_count(&bench) > 0);
    const struct settings_view view = {.machine = &machine, .bench = &bench};
    for (size_t i = 0; i < settings_count; i++) {
        struct setting_state state;
        memset(&state, 0x55, sizeof(state));
        setting_look(&settings_list[i], &view, &state, NULL);
        FUZZ_CHECK_OF(state.verdict <= SETTING_UNKNOWN, settings_list[i].name, strlen(settings_list[i].name));
        CHECK_TEXT(state.now);
        CHECK_TEXT(state.why);
        FUZZ_CHECK(setting_look(&settings_list[i], &view, &state, &writes));
    }
    settings_summary(&view, counts);
    FUZZ_CHECK(counts[0] + counts[1] + counts[2] + counts[3] == settings_count);
    settings_describe(&view, text, sizeof(text));
    CHECK_TEXT(text);
    write_and_restore(&writes);
    setting_writes_free(&writes);
}

void readers_run(bool settings)
{
    world_enter();
    read_machine();
    read_counters();
    if (settings)
        read_settings();
    world_leave();
}
