/* SPDX-License-Identifier: MIT */
/* The list of settings; settings_*.c read and judge them. */
#include "settings/settings.h"

#include <stdlib.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/machine.h"

const char *const setting_verdict_names[] = {"ok", "noisy", "n/a", "unknown"};

/* tune writes it by default */
#define TUNED(name, title, good, cost) SETTING(name, title, good, cost, "jitbench tune " name)
/* not judged */
#define REPORTED(name, title, cost, set)                                                                               \
    SETTING(name, title, "known", cost, set), .how = SETTING_REPORT, .recorded = true

const struct setting settings_list[] = {
    /* Before the governor, and so restored after it: under 'performance' the kernel refuses other preferences. */
    {TUNED("epp", "energy_performance_preference of the CPUs", "performance", "the frequency rises late"),
     .of_cpus = &setting_cpu_epp},
    {TUNED("epb", "energy_perf_bias of the CPUs", "0", "the frequency rises late"), .of_cpus = &setting_cpu_epb},
    {TUNED("governor", "CPU frequency governor", "performance", "the frequency follows the load"),
     .of_cpus = &setting_cpu_governor, .recorded = true},
    {TUNED("frequency", "CPU frequency limits", "min = max", "the clock changes"), .of_cpus = &setting_cpu_frequency},
    {SETTING("turbo", "turbo frequencies", "off", "the frequency follows heat and load",
             "jitbench tune turbo, or the firmware"),
     .look = setting_look_turbo, .writes = setting_writes_turbo, .recorded = true},
    {SETTING("smt", "simultaneous multithreading", "off", "the sibling takes half of the core",
             "jitbench tune smt (only when named)"),
     .how = SETTING_WRITE_NAMED, .look = setting_look_smt, .writes = setting_writes_smt, .recorded = true},
    {SETTING("c_states", "idle states, and who forbids them (/dev/cpu_dma_latency)", "0 us", "wake-ups take longer",
             "--hold-latency while measuring"),
     .how = SETTING_HOLD, .look = setting_look_c_states},
    {SETTING("aslr", "address space layout randomisation", "known", "addresses differ between samples",
             "--layout while measuring"),
     .how = SETTING_REPORT, .look = setting_look_aslr, .recorded = true},
    {SETTING("isolated", "isolated CPUs", "the bench CPUs", "other tasks run there",
             "boot with isolcpus=, or a cpuset partition"),
     .how = SETTING_BOOT, .look = setting_look_isolated, .recorded = true},
    {SETTING("nohz_full", "CPUs without a tick while one task runs", "the bench CPUs",
             "a tick 100 to 1000 times a second", "boot with nohz_full="),
     .how = SETTING_BOOT, .look = setting_look_nohz_full, .recorded = true},
    {SETTING("nohz_pstate", "nohz_full together with intel_pstate", "not both",
             "up to twice as slow: no tick asks for a frequency", "boot with intel_pstate=passive"),
     .how = SETTING_ADVISE, .look = setting_look_nohz_pstate},
    {SETTING("rcu_nocbs", "CPUs whose RCU callbacks run elsewhere", "the bench CPUs",
             "the kernel's callbacks run there", "boot with rcu_nocbs="),
     .how = SETTING_BOOT, .look = setting_look_rcu_nocbs},
    {SETTING("kthread_cpus", "CPUs for the kernel's threads", "not the bench CPUs", "the kernel's threads run there",
             "boot with nohz_full= or kthread_cpus="),
     .how = SETTING_BOOT, .look = setting_look_kthread_cpus},
    {SETTING("irqaffinity", "CPUs for interrupts, from boot on", "not the bench CPUs", "devices interrupt",
             "boot with irqaffinity="),
     .how = SETTING_BOOT, .look = setting_look_irqaffinity},
    {SETTING("irqs", "CPUs for each interrupt and for new ones", "not the bench CPUs", "devices interrupt",
             "jitbench tune irqs; some are managed by the kernel and stay"),
     .look = setting_look_irqs, .writes = setting_writes_irqs},
    {TUNED("timer_migration", "whether timers of idle CPUs move to busy ones", "0; 1 with nohz_full",
           "timers of other CPUs expire there"),
     .look = setting_look_timer_migration, .writes = setting_writes_timer_migration},
    {SETTING("irqbalance", "the daemon that moves interrupts", "absent", "moves interrupts back", "stop irqbalance"),
     .how = SETTING_ADVISE, .look = setting_look_irqbalance},
    {SETTING("daemons", "programs that wake up by themselves", "absent", "run at any time", "stop them"),
     .how = SETTING_ADVISE, .look = setting_look_daemons},
    {TUNED("thp", "transparent huge pages", "never", "pages are cleared, moved and split"), .look = setting_look_thp,
     .writes = setting_writes_thp},
    {TUNED("ksm", "the scanner that merges equal pages", "0", "a thread reads all memory, and merged pages fault"),
     .path = "/sys/kernel/mm/ksm/run", .look = setting_look_ksm},
    {TUNED("autogroup", "a scheduling group for each session", "0", "tasks share CPUs by session, not one by one"),
     .path = "/proc/sys/kernel/sched_autogroup_enabled"},
    {TUNED("numa_balancing", "moving of pages to the node that uses them", "0",
           "pages are unmapped to see who uses them"),
     .path = "/proc/sys/kernel/numa_balancing"},
    {TUNED("zone_reclaim", "freeing of memory rather than taking it from another node", "0",
           "memory is reclaimed while other nodes have some"),
     .path = "/proc/sys/vm/zone_reclaim_mode"},
    {TUNED("watchdogs", "lockup detectors", "0", "a timer and a thread on each CPU"), .look = setting_look_watchdogs,
     .writes = setting_writes_watchdogs, .recorded = true},
    {SETTING("rt_throttling", "real-time throttling", "-1 (for --fifo)", "tasks under --fifo stand still",
             "jitbench tune rt_throttling (only when named)"),
     .how = SETTING_WRITE_NAMED, .look = setting_look_rt_throttling, .writes = setting_writes_rt_throttling},
    {SETTING("fair_server", "CPU time kept for normal tasks beside real-time tasks (Linux 6.12)", "-",
             "tasks under --fifo stand still", "write 0 to runtime in debugfs"),
     .how = SETTING_ADVISE, .look = setting_look_fair_server},
    {TUNED("perf_rate", "limit of perf's sampling", "1 a second", "a profiler may interrupt"),
     .path = "/proc/sys/kernel/perf_event_max_sample_rate", .want = 1, .unit = " a second"},
    {TUNED("workqueues", "CPUs for unbound work of the kernel", "not the bench CPUs", "the kernel's work runs there"),
     .look = setting_look_workqueues, .writes = setting_writes_workqueues},
    {TUNED("stat_interval", "how often memory statistics are summed up", "20 s or more", "a timer on each CPU"),
     .path = "/proc/sys/vm/stat_interval", .want = 20, .or_more = true, .unit = " s"},
    {SETTING("clocksource", "the kernel's clock", "tsc or similar", "reading the clock is slow",
             "boot with clocksource=tsc"),
     .how = SETTING_BOOT, .look = setting_look_clocksource, .recorded = true},
    {SETTING("swap", "swap in use", "0", "page faults read a disk", "free memory, then swapoff -a"),
     .how = SETTING_ADVISE, .look = setting_look_swap},
    {TUNED("swappiness", "how early memory is swapped out", "10 or less", "memory in use is swapped out"),
     .path = "/proc/sys/vm/swappiness", .want = 10, .look = setting_look_swappiness},
    {SETTING("load", "load average of the last minute", "0.5, or 5 % of CPUs", "other tasks run", "wait, or stop them"),
     .how = SETTING_ADVISE, .look = setting_look_load},
    {SETTING("pressure", "time that tasks wait for memory", "below 1 %", "memory is reclaimed", "free memory"),
     .how = SETTING_ADVISE, .look = setting_look_pressure},
    {SETTING("hypervisor", "a hypervisor below", "none", "the host takes CPU time, and exits are slow",
             "measure on bare metal"),
     .how = SETTING_ADVISE, .look = setting_look_hypervisor, .recorded = true},
    {SETTING("steal", "time that the hypervisor took", "not rising", "other guests had these CPUs",
             "ask for CPUs of your own"),
     .how = SETTING_ADVISE, .look = setting_look_steal},
    {SETTING("power", "mains power", "online", "the frequency is lowered", "plug it in"), .how = SETTING_ADVISE,
     .look = setting_look_power},
    {SETTING("throttling", "thermal throttling", "not rising", "the frequency is lowered",
             "cool it, or lower its limits"),
     .how = SETTING_ADVISE, .look = setting_look_throttling},
    {SETTING("numa", "memory nodes of the bench CPUs", "one", "some memory is far", "--cpus of one node"),
     .how = SETTING_ADVISE, .look = setting_look_numa},
    {SETTING("caches", "CPUs that share the last-level cache of the bench CPUs", "bench CPUs, or those for all else",
             "other CPUs evict cached data", "--cpus with all that share a cache"),
     .how = SETTING_ADVISE, .look = setting_look_caches},
    {SETTING("siblings", "SMT siblings of the bench CPUs", "none online", "the sibling takes half of the core",
             "jitbench tune smt"),
     .how = SETTING_ADVISE, .look = setting_look_siblings},
    {SETTING("vulnerabilities", "mitigations of CPU vulnerabilities", "known", "system calls and faults are slower",
             "boot with mitigations=, at your own risk"),
     .how = SETTING_REPORT, .look = setting_look_vulnerabilities},
    {SETTING("config", "how the kernel was built", "no debugging", "the kernel checks itself at each step",
             "another kernel"),
     .how = SETTING_ADVISE, .look = setting_look_config},
    {SETTING("cpu_quota", "CPU time that the control groups allow", "none",
             "the group stands still until the period ends", "raise cpu.max (v1: cpu.cfs_quota_us) of the group"),
     .how = SETTING_ADVISE, .look = setting_look_cpu_quota, .recorded = true},
    {REPORTED("scheduler", "who runs next, by which rule", "waits and slices differ", "another kernel, or sched_ext"),
     .look = setting_look_scheduler},
    {REPORTED("preempt", "where the kernel itself gives way", "wake-ups take longer", "boot with preempt="),
     .look = setting_look_preempt},
    {REPORTED("hz", "ticks a second, and when there is none", "timers and slices are multiples of it",
              "another kernel"),
     .look = setting_look_hz},
    {REPORTED("base_slice", "least time that a task keeps its CPU", "fewer switches, longer waits", "debugfs"),
     .look = setting_look_base_slice},
    {REPORTED("os", "distribution", "libraries and defaults differ", "another system"), .look = setting_look_os},
    {REPORTED("page_size", "size of a page", "faults differ in number", "another kernel"),
     .look = setting_look_page_size},
    {REPORTED("hugetlb", "huge pages set aside", "memory is kept from all else", "write nr_hugepages"),
     .look = setting_look_hugetlb},
    {REPORTED("fault_around", "how much a fault on a file maps", "faults differ in number", "debugfs"),
     .look = setting_look_fault_around},
    {REPORTED("prefetchers", "prefetchers of the CPU (x86, as root)", "memory is slower or faster", "the firmware"),
     .look = setting_look_prefetchers},
    {REPORTED("dimms", "memory modules (SMBIOS, as root)", "memory is slower or faster", "the firmware"),
     .look = setting_look_dimms},
};
const size_t settings_count = sizeof settings_list / sizeof settings_list[0];

const struct setting *setting_find(const char *name)
{
    for (size_t i = 0; i < settings_count; i++)
        if (strcmp(settings_list[i].name, name) == 0)
            return &settings_list[i];
    return NULL;
}

void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out)
{
    if (setting->path)
        setting_look_number(view, setting->path, setting->want, setting->unit ? setting->unit : "", out);
    if (setting->of_cpus)
        setting_look_cpus(view, setting->of_cpus, out);
    if (setting->look)
        setting->look(view, out);
    if (setting->or_more && out->verdict == SETTING_NOISY && strtoll(out->now, NULL, 10) > setting->want)
        out->verdict = SETTING_OK;
}

int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out)
{
    struct setting_state state = {.verdict = SETTING_NOISY};
    size_t i = out->n;
    int result = 0;
    if (setting->path)
        setting_look(setting, view, &state);
    if (setting->writes)
        result = setting->writes(view, out);
    else if (setting->of_cpus)
        result = setting_write_cpus(view, setting->of_cpus, out);
    else if (setting->path && state.verdict == SETTING_NOISY)
        result = setting_write_number(view, setting->path, setting->want, out);
    for (; i < out->n; i++)
        out->write[i].of = setting;
    return result;
}

bool setting_is_written(const struct setting *setting)
{
    return setting->how == SETTING_WRITE || setting->how == SETTING_WRITE_NAMED;
}

/* Path and value are one allocation, which begins with the path. */
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
    struct setting_state state = {.verdict = SETTING_UNKNOWN};
    memset(counts, 0, 4 * sizeof *counts);
    if (size > 0)
        noisy[0] = '\0';
    for (size_t i = 0; i < settings_count; i++) {
        setting_look(&settings_list[i], view, &state);
        setting_count(&settings_list[i], &state, counts, noisy, size);
    }
}

/* Keeps the CPUs in limit, unless none would be left. */
static void narrow(struct cpuset *set, const struct cpuset *limit)
{
    struct cpuset both = *set;
    cpuset_intersect(&both, limit);
    if (!cpuset_is_empty(&both))
        *set = both;
}

void settings_bench_cpus(const char *root, const struct machine *machine, struct cpuset *out)
{
    struct cpuset group, mask, isolated, rest;
    bool have_mask = root[0] == '\0' && task_get_affinity(&mask) == 0;
    *out = machine->online;
    if (cpuset_is_empty(out) && have_mask)
        *out = mask;
    if (cpuset_is_empty(out))
        cpuset_add(out, 0);
    if (cgroup_cpus(root, &group))
        narrow(out, &group);
    if (setting_read_cpus(root, "/sys/devices/system/cpu/isolated", &isolated))
        cpuset_clear(&isolated);
    cgroup_isolated_cpus(root, &group);
    cpuset_union(&isolated, &group);
    /* An affinity mask of all but the isolated CPUs is the kernel's default, no choice of the user. */
    setting_without(out, &isolated, &rest);
    if (have_mask && !cpuset_equal(&rest, &mask))
        narrow(out, &mask);
    narrow(out, &isolated);
    unsigned boot = cpuset_next(cpuset_is_empty(&machine->online) ? out : &machine->online, 0);
    if (cpuset_count(out) > 1)
        cpuset_remove(out, boot);
}
