/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "settings/settings.h"
#include "settings/settings_look.h"
#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/machine.h"
#include "sys/process.h"

/* A file of /proc may contain text of a user or a boot loader. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void setting_say(struct setting_state *out, enum setting_verdict verdict, const char *format, ...)
{
    va_list args;
    out->verdict = verdict;
    out->why[0] = '\0';
    va_start(args, format);
    vsnprintf(out->now, sizeof out->now, format, args);
    va_end(args);
    make_printable(out->now);
}

void setting_why(struct setting_state *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->why, sizeof out->why, format, args);
    va_end(args);
    make_printable(out->why);
}

void setting_say_rise(const struct settings_view *view, double before, double after, int decimals, const char *unit,
                      struct setting_state *out)
{
    static const char *const ends[] = {
        [SETTING_OK] = ", not rising", [SETTING_NOISY] = ", rising", [SETTING_UNKNOWN] = ""};
    const enum setting_verdict steady = view->moment || after <= 0 ? SETTING_OK : SETTING_UNKNOWN;
    const enum setting_verdict verdict = after > before ? SETTING_NOISY : steady;
    setting_say(out, verdict, "%.*f %s since boot%s", decimals, after, unit, ends[verdict]);
}

/* Returns the mount that the path needs and this machine lacks, or NULL. */
static const char *missing_mount(const struct settings_view *view, const char *path)
{
    if (!view->machine->have_sys && strncmp(path, "/sys/", 5) == 0)
        return "/sys";
    return !view->machine->have_proc && strncmp(path, "/proc/", 6) == 0 ? "/proc" : NULL;
}

void setting_not_read(const struct settings_view *view, const char *path, int error, struct setting_state *out)
{
    const char *mount = missing_mount(view, path);
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
        if (mount)
            setting_why(out, "%s is not mounted", mount);
        else
            out->verdict = SETTING_NA;
        break;
    case EACCES:
    case EPERM:
        setting_why(out, "only root may read %.120s", path);
        break;
    case ENODATA:
        setting_why(out, "%.120s is empty", path);
        break;
    case EILSEQ:
        setting_why(out, "%.100s has unknown content", path);
        break;
    default:
        setting_why(out, "%.100s: %.50s", path, strerror(-error));
    }
}

bool setting_failed(const struct settings_view *view, const char *path, int error, struct setting_state *out)
{
    if (error)
        setting_not_read(view, path, error, out);
    return error != 0;
}

int setting_read_line(const char *root, const char *path, char *buf, size_t size)
{
    char text[512];
    ssize_t length = procfs_read(root, path, text, sizeof text);
    buf[0] = '\0';
    if (length < 0)
        return (int)length;
    return procfs_copy(text, strcspn(text, "\n"), buf, size) ? 0 : -ENODATA;
}

int setting_read_choice(const char *root, const char *path, char *buf, size_t size)
{
    char line[256];
    int error = setting_read_line(root, path, line, sizeof line);
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    buf[0] = '\0';
    return error ? error : close && procfs_copy(open + 1, (size_t)(close - open - 1), buf, size) ? 0 : -EILSEQ;
}

int setting_read_number(const char *root, const char *path, int64_t *out)
{
    char text[32];
    uint64_t value;
    int error = setting_read_line(root, path, text, sizeof text);
    if (error)
        return error;
    bool negative = text[0] == '-';
    const char *rest = procfs_number(text + negative, &value);
    if (!rest || *rest || value > INT64_MAX)
        return -EILSEQ;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return 0;
}

void setting_look_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                         struct setting_state *out)
{
    int64_t value;
    if (!setting_failed(view, path, setting_read_number(view->root, path, &value), out))
        setting_say(out, value == good ? SETTING_OK : SETTING_NOISY, "%" PRId64 "%s", value, unit);
}

int setting_write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out)
{
    char text[24];
    int64_t value;
    if (setting_read_number(view->root, path, &value) || value == good)
        return 0;
    snprintf(text, sizeof text, "%" PRId64, good);
    return setting_writes_add(out, path, text);
}

int setting_read_cpus(const char *root, const char *path, struct cpuset *out)
{
    char why[1];
    FREED_BY(memory_free) char *text = procfs_read_all(root, path);
    cpuset_clear(out);
    if (!text)
        return -errno;
    const bool none = !text[strspn(text, " \t\r\n")] || strncmp(text, "(null)", 6) == 0;
    return none || cpuset_parse(text, out, why, sizeof why) == 0 ? 0 : -EILSEQ;
}

void setting_append(char *list, size_t size, const char *word)
{
    static const char more[] = ", ...";
    size_t length = strlen(list), kept = length + sizeof more;
    char printable[64];
    if (length >= sizeof more - 1 && strcmp(list + length - (sizeof more - 1), more) == 0)
        return;
    procfs_copy(word, strlen(word), printable, sizeof printable);
    /* Keeps room for "...". */
    if (kept + strlen(printable) + 2 <= size)
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", printable);
    else if (kept <= size)
        snprintf(list + length, size - length, "%s", more);
}

void settings_format_cpus(const struct cpuset *set, char *buf, size_t size)
{
    if (cpuset_format_cut(set, buf, size) && !buf[0])
        snprintf(buf, size, "none");
}

bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor)
{
    unsigned has_major, has_minor;
    return sscanf(machine->kernel, "%u.%u", &has_major, &has_minor) != 2 || has_major > major ||
           (has_major == major && has_minor >= minor);
}

const struct cpuset *setting_cpus(const struct settings_view *view)
{
    return cpuset_is_empty(&view->machine->online) ? view->bench : &view->machine->online;
}

bool setting_disjoint(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset both = *a;
    cpuset_intersect(&both, b);
    return cpuset_is_empty(&both);
}

void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out)
{
    for (size_t i = 0; i < CPUSET_WORDS; i++)
        out->word[i] = a->word[i] & ~b->word[i];
}

/* --- The list of settings; settings_*.c read and judge them. --- */

const char *const setting_verdict_names[] = {"ok", "noisy", "n/a", "unknown"};

/* tune writes it by default */
#define TUNED(name, title, good, cost) SETTING(name, title, good, cost, "jitbench tune " name)
/* not judged */
#define REPORTED(name, title, cost, set) \
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
const size_t settings_count = COUNT(settings_list);

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
    if (setting_read_cpus(root, CPU_FOLDER "/isolated", &isolated))
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

/* --- The CSV column `settings`. --- */

#define VALUE_MOST      (SETTING_VALUE - 1)
#define MITIGATION_MOST 96

struct description {
    const struct settings_view *view;
    char *buf;
    size_t size;
};

static void add(const struct description *d, const char *name, const char *value)
{
    setting_items_add(d->buf, d->size, name, value, VALUE_MOST);
}

static void add_checked(const struct description *d)
{
    struct setting_state state;

    for (size_t i = 0; i < settings_count; i++)
        if (settings_list[i].recorded) {
            setting_look(&settings_list[i], d->view, &state);
            add(d, settings_list[i].name, state.now[0] ? state.now : SETTING_UNKNOWN_VALUE);
        }
}

/* The word in brackets, or the whole first line. */
static void add_files(const struct description *d)
{
    static const struct {
        const char *name, *path;
    } files[] = {
        {"thp", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
        {"numa_balancing", "/proc/sys/kernel/numa_balancing"},
        {"autogroup", "/proc/sys/kernel/sched_autogroup_enabled"},
    };
    char text[256];

    for (size_t i = 0; i < COUNT(files); i++)
        if (setting_read_choice(d->view->root, files[i].path, text, sizeof text) == 0 ||
            setting_read_line(d->view->root, files[i].path, text, sizeof text) == 0)
            add(d, files[i].name, text);
}

/* In three digits: what the kernel reserves differs from boot to boot. */
static void add_memory(const struct description *d)
{
    char text[32];

    if (d->view->machine->memory_total_bytes == 0)
        return;
    snprintf(text, sizeof text, "%.3gG", (double)d->view->machine->memory_total_bytes / (1 << 30));
    add(d, "memory", text);
}

/* "L1d:32K+L1i:32K+L2:512K+L3:16M" of the lowest CPU. */
static void add_caches(const struct description *d)
{
    static const char file[] = CPU_FOLDER "/cpu%u/cache/index%u/%s";
    char level[8], type[24], bytes[24], list[160] = "";
    const unsigned first = cpuset_next(&d->view->machine->online, 0), cpu = first == CPUSET_NONE ? 0 : first;

    for (unsigned index = 0; index < 16; index++) {
        const size_t at = strlen(list);
        if (!procfs_read_line(d->view->root, PROCFS_PATH(file, cpu, index, "level"), level, sizeof level))
            break;
        procfs_read_line(d->view->root, PROCFS_PATH(file, cpu, index, "type"), type, sizeof type);
        const char *kind = type[0] == 'D' ? "d" : type[0] == 'I' ? "i" : "";
        if (procfs_read_line(d->view->root, PROCFS_PATH(file, cpu, index, "size"), bytes, sizeof bytes))
            snprintf(list + at, sizeof list - at, "%sL%s%s:%s", at ? "+" : "", level, kind, bytes);
    }
    add(d, "caches", list);
}

/* The first CPU's version, where the architecture has one. */
static void add_microcode(const struct description *d)
{
    FREED_BY(memory_free) char *text = procfs_read_all(d->view->root, "/proc/cpuinfo");
    char value[32];

    if (text && procfs_value(text, "microcode", value, sizeof value))
        add(d, "microcode", value);
}

static void add_firmware(const struct description *d)
{
    static const char *const parts[] = {"bios_vendor", "bios_version", "bios_date"};
    char part[80], text[256] = "";

    for (size_t i = 0; i < COUNT(parts); i++) {
        const size_t at = strlen(text);
        if (procfs_read_line(d->view->root, PROCFS_PATH("/sys/class/dmi/id/%s", parts[i]), part, sizeof part))
            snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", part);
    }
    add(d, "firmware", text);
}

/* "Mitigation: Retpolines; BHI: Not affected" becomes "Retpolines; BHI: no". */
static void shorten(const char *state, char *buf, size_t size)
{
    static const char mitigation[] = "Mitigation: ", unaffected[] = "Not affected";
    char *at = buf;

    if (strncmp(state, mitigation, sizeof mitigation - 1) == 0)
        state += sizeof mitigation - 1;
    while (*state && at + 3 < buf + size) {
        if (strncmp(state, unaffected, sizeof unaffected - 1) == 0) {
            at = stpcpy(at, "no");
            state += sizeof unaffected - 1;
        } else {
            *at++ = *state++;
        }
    }
    *at = '\0';
}

/* Under the kernel's names. */
static void add_mitigations(const struct description *d)
{
    static const char folder[] = CPU_FOLDER "/vulnerabilities";
    char state[512], text[512];
    FREED_BY(memory_free) char **names = procfs_names(d->view->root, folder);

    for (char **name = names; name && *name; name++) {
        if (setting_read_line(d->view->root, PROCFS_PATH("%s/%s", folder, *name), state, sizeof state))
            continue;
        shorten(state, text, sizeof text);
        setting_items_add(d->buf, d->size, *name, text, MITIGATION_MOST);
    }
}

/* Returns whether a word affects speed or noise. Others may name a machine's own disk, or be private. */
static bool bears_on_noise(const char *word)
{
    static const char beginnings[] =
        "amd_pstate audit clocksource cpufreq. cpuidle default_hugepagesz hpet hugepages idle= init_on_ "
        "intel_i intel_pstate iommu irqaffinity isolcpus kthread_ l1tf maxcpus mce mds mem= mitigations "
        "nmi_watch no_timer_check nohz nopti nosmt nosoftlockup nospectre nowatchdog nr_cpus numa "
        "page_poison pcie_aspm preempt processor. psi pti quiet rcu_ rcupdate. rcutree. relax_ retbleed "
        "sched skew_tick slab_ slub_ spec threadirqs transparent_hugepage tsc tsx workqueue.";

    for (const char *at = beginnings; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (strncmp(word, at, length) == 0)
            return true;
        at += length;
    }
    return false;
}

/* Up to "--": what follows is for init. */
static void add_command_line(const struct description *d)
{
    FREED_BY(memory_free) char *text = procfs_read_all(d->view->root, "/proc/cmdline");
    FREED_BY(text_free) struct text words = {0};
    char *rest = text;

    for (const char *word; (word = strsep(&rest, " \n")) && strcmp(word, "--") != 0;)
        if (bears_on_noise(word))
            text_printf(&words, "%s%s", words.length ? " " : "", word);
    if (words.length && !words.failed)
        add(d, "cmdline", words.data);
}

void settings_describe(const struct settings_view *view, char *buf, size_t size)
{
    const struct description d = {.view = view, .buf = buf, .size = size};

    buf[0] = '\0';
    add_checked(&d);
    add_files(&d);
    add_memory(&d);
    add_caches(&d);
    add_microcode(&d);
    add_firmware(&d);
    add_command_line(&d);
    add_mitigations(&d);
}
