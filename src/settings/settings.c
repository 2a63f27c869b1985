/* SPDX-License-Identifier: MIT */
/* The list of settings, and functions on all of them. settings_*.c look at the single settings. */
#include "settings/settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/cgroup.h"
#include "sys/memory.h"
#include "sys/task.h"

const char *const setting_verdict_names[] = {"ok", "noisy", "n/a", "unknown"};

const struct setting settings_list[] = {
    /* The preference comes before the governor, so that it is restored after it: under the governor 'performance' the
     * kernel refuses other preferences. */
    {.name = "epp",
     .title = "energy_performance_preference of the CPUs",
     .good = "performance",
     .cost = "the frequency rises late",
     .set = "jitbench tune epp",
     .of_cpus = &setting_cpu_epp},
    {.name = "epb",
     .title = "energy_perf_bias of the CPUs",
     .good = "0",
     .cost = "the frequency rises late",
     .set = "jitbench tune epb",
     .of_cpus = &setting_cpu_epb},
    {.name = "governor",
     .title = "CPU frequency governor",
     .good = "performance",
     .cost = "the frequency follows the load",
     .set = "jitbench tune governor",
     .of_cpus = &setting_cpu_governor},
    {.name = "frequency",
     .title = "CPU frequency limits",
     .good = "min = max",
     .cost = "the clock changes",
     .set = "jitbench tune frequency",
     .of_cpus = &setting_cpu_frequency,
     .writes = setting_writes_frequency},
    {.name = "turbo",
     .title = "turbo frequencies",
     .good = "off",
     .cost = "the frequency follows heat and load",
     .set = "jitbench tune turbo, or the firmware",
     .look = setting_look_turbo,
     .writes = setting_writes_turbo},
    {.name = "smt",
     .title = "simultaneous multithreading",
     .good = "off",
     .cost = "the sibling takes half of the core",
     .set = "jitbench tune smt (only when named)",
     .how = SETTING_WRITE_NAMED,
     .look = setting_look_smt,
     .writes = setting_writes_smt},
    {.name = "c_states",
     .title = "idle states, and who forbids them (/dev/cpu_dma_latency)",
     .good = "0 us",
     .cost = "wake-ups take longer",
     .set = "--hold-latency while measuring",
     .how = SETTING_HOLD,
     .look = setting_look_c_states},
    {.name = "aslr",
     .title = "address space layout randomisation",
     .good = "known",
     .cost = "addresses differ between samples",
     .set = "--layout while measuring",
     .how = SETTING_REPORT,
     .look = setting_look_aslr},
    {.name = "isolated",
     .title = "isolated CPUs",
     .good = "the bench CPUs",
     .cost = "other tasks run there",
     .set = "boot with isolcpus=, or a cpuset partition",
     .how = SETTING_BOOT,
     .look = setting_look_isolated},
    {.name = "nohz_full",
     .title = "CPUs without a tick while one task runs",
     .good = "the bench CPUs",
     .cost = "a tick 100 to 1000 times a second",
     .set = "boot with nohz_full=",
     .how = SETTING_BOOT,
     .look = setting_look_nohz_full},
    {.name = "nohz_pstate",
     .title = "nohz_full together with intel_pstate",
     .good = "not both",
     .cost = "up to twice as slow: no tick asks for a frequency",
     .set = "boot with intel_pstate=passive",
     .how = SETTING_ADVISE,
     .look = setting_look_nohz_pstate},
    {.name = "rcu_nocbs",
     .title = "CPUs whose RCU callbacks run elsewhere",
     .good = "the bench CPUs",
     .cost = "the kernel's callbacks run there",
     .set = "boot with rcu_nocbs=",
     .how = SETTING_BOOT,
     .look = setting_look_rcu_nocbs},
    {.name = "kthread_cpus",
     .title = "CPUs for the kernel's threads",
     .good = "not the bench CPUs",
     .cost = "the kernel's threads run there",
     .set = "boot with nohz_full= or kthread_cpus=",
     .how = SETTING_BOOT,
     .look = setting_look_kthread_cpus},
    {.name = "irqaffinity",
     .title = "CPUs for interrupts, from boot on",
     .good = "not the bench CPUs",
     .cost = "devices interrupt",
     .set = "boot with irqaffinity=",
     .how = SETTING_BOOT,
     .look = setting_look_irqaffinity},
    {.name = "irqs",
     .title = "CPUs for each interrupt and for new ones",
     .good = "not the bench CPUs",
     .cost = "devices interrupt",
     .set = "jitbench tune irqs; some are managed by the kernel and stay",
     .look = setting_look_irqs,
     .writes = setting_writes_irqs},
    {.name = "timer_migration",
     .title = "whether timers of idle CPUs move to busy ones",
     .good = "0; 1 with nohz_full",
     .cost = "timers of other CPUs expire there",
     .set = "jitbench tune timer_migration",
     .look = setting_look_timer_migration,
     .writes = setting_writes_timer_migration},
    {.name = "irqbalance",
     .title = "the daemon that moves interrupts",
     .good = "absent",
     .cost = "moves interrupts back",
     .set = "stop irqbalance",
     .how = SETTING_ADVISE,
     .look = setting_look_irqbalance},
    {.name = "daemons",
     .title = "programs that wake up by themselves",
     .good = "absent",
     .cost = "run at any time",
     .set = "stop them",
     .how = SETTING_ADVISE,
     .look = setting_look_daemons},
    {.name = "thp",
     .title = "transparent huge pages",
     .good = "never",
     .cost = "pages are cleared, moved and split",
     .set = "jitbench tune thp",
     .look = setting_look_thp,
     .writes = setting_writes_thp},
    {.name = "ksm",
     .title = "the scanner that merges equal pages",
     .good = "0",
     .cost = "a thread reads all memory, and merged pages fault",
     .set = "jitbench tune ksm",
     .look = setting_look_ksm,
     .writes = setting_writes_ksm},
    {.name = "autogroup",
     .title = "a scheduling group for each session",
     .good = "0",
     .cost = "tasks share CPUs by session, not one by one",
     .set = "jitbench tune autogroup",
     .path = "/proc/sys/kernel/sched_autogroup_enabled"},
    {.name = "numa_balancing",
     .title = "moving of pages to the node that uses them",
     .good = "0",
     .cost = "pages are unmapped to see who uses them",
     .set = "jitbench tune numa_balancing",
     .path = "/proc/sys/kernel/numa_balancing"},
    {.name = "zone_reclaim",
     .title = "freeing of memory rather than taking it from another node",
     .good = "0",
     .cost = "memory is reclaimed while other nodes have some",
     .set = "jitbench tune zone_reclaim",
     .path = "/proc/sys/vm/zone_reclaim_mode"},
    {.name = "watchdogs",
     .title = "lockup detectors",
     .good = "0",
     .cost = "a timer and a thread on each CPU",
     .set = "jitbench tune watchdogs",
     .look = setting_look_watchdogs,
     .writes = setting_writes_watchdogs},
    {.name = "rt_throttling",
     .title = "real-time throttling",
     .good = "-1 (for --fifo)",
     .cost = "tasks under --fifo stand still",
     .set = "jitbench tune rt_throttling (only when named)",
     .how = SETTING_WRITE_NAMED,
     .look = setting_look_rt_throttling,
     .writes = setting_writes_rt_throttling},
    {.name = "fair_server",
     .title = "CPU time kept for normal tasks beside real-time tasks (Linux 6.12)",
     .good = "-",
     .cost = "tasks under --fifo stand still",
     .set = "write 0 to runtime in debugfs",
     .how = SETTING_ADVISE,
     .look = setting_look_fair_server},
    {.name = "perf_rate",
     .title = "limit of perf's sampling",
     .good = "1 a second",
     .cost = "a profiler may interrupt",
     .set = "jitbench tune perf_rate",
     .path = "/proc/sys/kernel/perf_event_max_sample_rate",
     .want = 1,
     .unit = " a second"},
    {.name = "workqueues",
     .title = "CPUs for unbound work of the kernel",
     .good = "not the bench CPUs",
     .cost = "the kernel's work runs there",
     .set = "jitbench tune workqueues",
     .look = setting_look_workqueues,
     .writes = setting_writes_workqueues},
    {.name = "stat_interval",
     .title = "how often memory statistics are summed up",
     .good = "20 s or more",
     .cost = "a timer on each CPU",
     .set = "jitbench tune stat_interval",
     .path = "/proc/sys/vm/stat_interval",
     .want = 20,
     .or_more = true,
     .unit = " s"},
    {.name = "clocksource",
     .title = "the kernel's clock",
     .good = "tsc or similar",
     .cost = "reading the clock is slow",
     .set = "boot with clocksource=tsc",
     .how = SETTING_BOOT,
     .look = setting_look_clocksource},
    {.name = "swap",
     .title = "swap in use",
     .good = "0",
     .cost = "page faults read a disk",
     .set = "free memory, then swapoff -a",
     .how = SETTING_ADVISE,
     .look = setting_look_swap},
    {.name = "swappiness",
     .title = "how early memory is swapped out",
     .good = "10 or less",
     .cost = "memory in use is swapped out",
     .set = "jitbench tune swappiness",
     .look = setting_look_swappiness,
     .writes = setting_writes_swappiness},
    {.name = "load",
     .title = "load average of the last minute",
     .good = "0.5, or 5 % of CPUs",
     .cost = "other tasks run",
     .set = "wait, or stop them",
     .how = SETTING_ADVISE,
     .look = setting_look_load},
    {.name = "pressure",
     .title = "time that tasks wait for memory",
     .good = "below 1 %",
     .cost = "memory is reclaimed",
     .set = "free memory",
     .how = SETTING_ADVISE,
     .look = setting_look_pressure},
    {.name = "hypervisor",
     .title = "a hypervisor below",
     .good = "none",
     .cost = "the host takes CPU time, and exits are slow",
     .set = "measure on bare metal",
     .how = SETTING_ADVISE,
     .look = setting_look_hypervisor},
    {.name = "steal",
     .title = "time that the hypervisor took",
     .good = "not rising",
     .cost = "other guests had these CPUs",
     .set = "ask for CPUs of your own",
     .how = SETTING_ADVISE,
     .look = setting_look_steal},
    {.name = "power",
     .title = "mains power",
     .good = "online",
     .cost = "the frequency is lowered",
     .set = "plug it in",
     .how = SETTING_ADVISE,
     .look = setting_look_power},
    {.name = "throttling",
     .title = "thermal throttling",
     .good = "not rising",
     .cost = "the frequency is lowered",
     .set = "cool it, or lower its limits",
     .how = SETTING_ADVISE,
     .look = setting_look_throttling},
    {.name = "numa",
     .title = "memory nodes of the bench CPUs",
     .good = "one",
     .cost = "some memory is far",
     .set = "--cpus of one node",
     .how = SETTING_ADVISE,
     .look = setting_look_numa},
    {.name = "caches",
     .title = "CPUs that share the last-level cache of the bench CPUs",
     .good = "bench CPUs, or those for all else",
     .cost = "other CPUs evict cached data",
     .set = "--cpus with all that share a cache",
     .how = SETTING_ADVISE,
     .look = setting_look_caches},
    {.name = "siblings",
     .title = "SMT siblings of the bench CPUs",
     .good = "none online",
     .cost = "the sibling takes half of the core",
     .set = "jitbench tune smt",
     .how = SETTING_ADVISE,
     .look = setting_look_siblings},
    {.name = "vulnerabilities",
     .title = "mitigations of CPU vulnerabilities",
     .good = "known",
     .cost = "system calls and faults are slower",
     .set = "boot with mitigations=, at your own risk",
     .how = SETTING_REPORT,
     .look = setting_look_vulnerabilities},
    {.name = "hardening",
     .title = "hardening of the kernel",
     .good = "known",
     .cost = "copies and allocations are slower",
     .set = "another kernel",
     .how = SETTING_REPORT,
     .look = setting_look_hardening},
    {.name = "config",
     .title = "how the kernel was built",
     .good = "no debugging",
     .cost = "the kernel checks itself at each step",
     .set = "another kernel",
     .how = SETTING_ADVISE,
     .look = setting_look_config},
    {.name = "context_tracking",
     .title = "tracking of entries to the kernel on all CPUs",
     .good = "not forced",
     .cost = "system calls and interrupts are slower",
     .set = "another kernel",
     .how = SETTING_ADVISE,
     .look = setting_look_context_tracking},
    {.name = "page_faults",
     .title = "page size, and how much a fault maps",
     .good = "known",
     .cost = "faults differ in number between machines",
     .set = "another kernel, or debugfs",
     .how = SETTING_REPORT,
     .look = setting_look_page_faults},
    {.name = "tick",
     .title = "the kernel's tick",
     .good = "known",
     .cost = "timers and time slices are multiples of it",
     .set = "another kernel",
     .how = SETTING_REPORT,
     .look = setting_look_tick},
    {.name = "network",
     .title = "network interfaces that are up",
     .good = "known",
     .cost = "each packet is an interrupt",
     .set = "take them down",
     .how = SETTING_REPORT,
     .look = setting_look_network},
    {.name = "temperature",
     .title = "the highest temperature",
     .good = "known",
     .cost = "near its limit the hardware lowers the frequency",
     .set = "cool it",
     .how = SETTING_REPORT,
     .look = setting_look_temperature},
};
const size_t settings_count = sizeof settings_list / sizeof settings_list[0];

const struct setting *setting_find(const char *name)
{
    for (size_t i = 0; i < settings_count; i++) {
        if (strcmp(settings_list[i].name, name) == 0)
            return &settings_list[i];
    }
    return NULL;
}

void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out)
{
    if (setting->look) {
        setting->look(view, out);
        return;
    }
    if (setting->of_cpus) {
        setting_look_cpus(view, setting->of_cpus, out);
        return;
    }
    setting_look_number(view, setting->path, setting->want, setting->unit ? setting->unit : "", out);
    int64_t value;
    if (setting->or_more && out->verdict == SETTING_NOISY &&
        setting_read_number(view->root, setting->path, &value) == 0 && value > setting->want)
        out->verdict = SETTING_OK;
}

int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out)
{
    struct setting_state state;
    if (setting->writes)
        return setting->writes(view, out);
    if (setting->of_cpus)
        return setting_write_cpus(view, setting->of_cpus, out);
    if (!setting->path || !setting_is_written(setting))
        return 0;
    setting_look(setting, view, &state);
    return state.verdict == SETTING_NOISY ? setting_write_number(view, setting->path, setting->want, out) : 0;
}

bool setting_is_written(const struct setting *setting)
{
    return setting->how == SETTING_WRITE || setting->how == SETTING_WRITE_NAMED;
}

/* Both texts are in one allocation, which begins with the path. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value)
{
    size_t path_size = strlen(path) + 1, value_size = strlen(value) + 1;
    bool room = grow_array(&writes->write, &writes->capacity, writes->n, sizeof *writes->write);
    char *text = room ? malloc(path_size + value_size) : NULL;
    if (!text)
        return -1;
    memcpy(text, path, path_size);
    memcpy(text + path_size, value, value_size);
    writes->write[writes->n++] = (struct setting_write){.path = text, .value = text + path_size};
    return 0;
}

void setting_writes_free(struct setting_writes *writes)
{
    for (size_t i = 0; i < writes->n; i++)
        free(writes->write[i].path);
    free(writes->write);
    *writes = (struct setting_writes){0};
}

void setting_count(const struct setting *setting, const struct setting_state *state, unsigned counts[4], char *noisy,
                   size_t size)
{
    counts[state->verdict]++;
    if (state->verdict == SETTING_NOISY)
        setting_append(noisy, size, setting->name);
}

void settings_summary(const struct settings_view *view, unsigned counts[4], char *noisy, size_t size)
{
    struct setting_state state;
    memset(counts, 0, 4 * sizeof *counts);
    if (size > 0)
        noisy[0] = '\0';
    for (size_t i = 0; i < settings_count; i++) {
        setting_look(&settings_list[i], view, &state);
        setting_count(&settings_list[i], &state, counts, noisy, size);
    }
}

static bool is_empty(const struct cpuset *set)
{
    return cpuset_next(set, 0) == CPUSET_NONE;
}

/* Restricts a set to limit, unless nothing would be left. */
static void narrow(struct cpuset *set, const struct cpuset *limit)
{
    struct cpuset both = *set;
    cpuset_intersect(&both, limit);
    if (!is_empty(&both))
        *set = both;
}

void settings_bench_cpus(const char *root, const struct machine *machine, struct cpuset *out)
{
    struct cpuset group, mask, isolated, rest;
    bool have_mask = root[0] == '\0' && task_get_affinity(&mask) == 0;
    *out = machine->online;
    if (is_empty(out) && have_mask)
        *out = mask;
    if (is_empty(out))
        cpuset_add(out, 0);
    if (cgroup_cpus(root, &group))
        narrow(out, &group);
    if (setting_read_cpus(root, "/sys/devices/system/cpu/isolated", &isolated))
        cpuset_clear(&isolated);
    cgroup_isolated_cpus(root, &group);
    cpuset_union(&isolated, &group);
    /* A mask of all but the isolated CPUs is the kernel's default; only another mask is a choice of the user. */
    setting_without(out, &isolated, &rest);
    if (have_mask && !cpuset_equal(&rest, &mask))
        narrow(out, &mask);
    narrow(out, &isolated);
    unsigned boot = cpuset_next(is_empty(&machine->online) ? out : &machine->online, 0);
    if (cpuset_count(out) > 1)
        cpuset_remove(out, boot);
}
