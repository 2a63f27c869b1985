/* SPDX-License-Identifier: MIT */
/* Settings of the CPUs: frequencies, turbo, SMT, idle states, throttling. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/machine.h"
#include "sys/process.h"

struct tally {
    struct {
        char text[sizeof(((struct setting_value *)0)->text)];
        unsigned cpus;
    } value[4];
    unsigned n, others;
    bool all_good;
    int error; /* of the first file that exists and cannot be read */
};

static void tally_add(struct tally *tally, const char *text)
{
    unsigned i = 0;
    while (i < tally->n && strcmp(tally->value[i].text, text) != 0)
        i++;
    if (i == COUNT(tally->value)) {
        tally->others++;
        return;
    }
    snprintf(tally->value[i].text, sizeof tally->value[i].text, "%s", text);
    tally->value[i].cpus++;
    tally->n += i == tally->n;
}

static void tally_format(const struct tally *tally, char *buf, size_t size)
{
    char item[96];
    buf[0] = '\0';
    for (unsigned i = 0; i < tally->n; i++) {
        unsigned cpus = tally->value[i].cpus;
        snprintf(item, sizeof item, "%s (%u CPU%s)", tally->value[i].text, cpus, cpus == 1 ? "" : "s");
        setting_append(buf, size, item);
    }
    snprintf(item, sizeof item, "others (%u CPUs)", tally->others);
    if (tally->others)
        setting_append(buf, size, item);
}

void setting_look_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_state *out)
{
    const struct cpuset *cpus = setting_cpus(view);
    struct tally tally = {.all_good = true};
    struct setting_value value;
    unsigned failed = 0;
    for (unsigned cpu = cpuset_next(cpus, 0); cpu != CPUSET_NONE; cpu = cpuset_next(cpus, cpu + 1)) {
        int error = of->read(view->root, cpu, of->file, &value);
        if (error == 0) {
            tally_add(&tally, value.text);
            tally.all_good &= value.good;
        } else if (error != -ENOENT && error != -ENOTDIR && !tally.error) {
            tally.error = error;
            failed = cpu;
        }
    }
    if (tally.error || tally.n == 0) {
        setting_not_read(view, tally.error ? CPU_PATH(failed, of->file) : CPU_FOLDER "/",
                         tally.error ? tally.error : -ENOENT, out);
        return;
    }
    setting_say(out, tally.all_good ? SETTING_OK : SETTING_NOISY, "%s", "");
    tally_format(&tally, out->now, sizeof out->now);
}

/* Returns whether an earlier CPU has the same cpufreq files. */
static bool shares_policy(const struct settings_view *view, unsigned cpu)
{
    char text[16];
    uint64_t first;
    procfs_read(view->root, CPU_PATH(cpu, "cpufreq/affected_cpus"), text, sizeof text);
    return procfs_number(text, &first) && first < cpu && cpuset_has(setting_cpus(view), (unsigned)first);
}

int setting_write_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_writes *out)
{
    const struct cpuset *cpus = setting_cpus(view);
    struct setting_value value;
    for (unsigned cpu = cpuset_next(cpus, 0); cpu != CPUSET_NONE; cpu = cpuset_next(cpus, cpu + 1)) {
        if (of->read(view->root, cpu, of->file, &value) || value.good ||
            (of->once_a_policy && shares_policy(view, cpu)))
            continue;
        if (setting_writes_add(out, CPU_PATH(cpu, of->file), value.want))
            return -1;
    }
    return 0;
}

static int read_cpu_number(const char *root, unsigned cpu, const char *file, int64_t *value)
{
    return setting_read_number(root, CPU_PATH(cpu, file), value);
}

static int read_preference(const char *root, unsigned cpu, const char *file, struct setting_value *out)
{
    *out = (struct setting_value){.want = "performance"};
    int error = setting_read_line(root, CPU_PATH(cpu, file), out->text, sizeof out->text);
    out->good = strcmp(out->text, out->want) == 0;
    return error == 0 && strchr(out->text, '?') ? -EILSEQ : error;
}

static int read_epb(const char *root, unsigned cpu, const char *file, struct setting_value *out)
{
    int64_t value = 0;
    int error = read_cpu_number(root, cpu, file, &value);
    *out = (struct setting_value){.want = "0", .good = value == 0};
    snprintf(out->text, sizeof out->text, "%" PRId64, value);
    return error;
}

const struct setting_of_cpus setting_cpu_governor = {"cpufreq/scaling_governor", read_preference, true};
const struct setting_of_cpus setting_cpu_epp = {"cpufreq/energy_performance_preference", read_preference, false};
const struct setting_of_cpus setting_cpu_epb = {"power/energy_perf_bias", read_epb, false};

/* The good lower limit is the upper one: only the lower one has to be written and restored. */
static int read_frequency(const char *root, unsigned cpu, const char *file, struct setting_value *out)
{
    int64_t min_khz, max_khz;
    int error = read_cpu_number(root, cpu, file, &min_khz);
    error = error ? error : read_cpu_number(root, cpu, "cpufreq/scaling_max_freq", &max_khz);
    if (error)
        return error;
    out->good = min_khz == max_khz;
    snprintf(out->want, sizeof out->want, "%" PRId64, max_khz);
    if (out->good)
        snprintf(out->text, sizeof out->text, "%" PRId64 " MHz", max_khz / 1000);
    else
        snprintf(out->text, sizeof out->text, "%" PRId64 " to %" PRId64 " MHz", min_khz / 1000, max_khz / 1000);
    return 0;
}

const struct setting_of_cpus setting_cpu_frequency = {"cpufreq/scaling_min_freq", read_frequency, true};

static const struct turbo {
    const char *path;
    int64_t off;
} turbo_files[] = {{CPU_FOLDER "/intel_pstate/no_turbo", 1}, {CPU_FOLDER "/cpufreq/boost", 0}};

/* Reads 0 or 1 from the first of turbo_files that exists. Returns 0 or -errno. */
static int read_turbo(const char *root, const struct turbo **file, int64_t *value)
{
    int error = -ENOENT;
    for (size_t i = 0; i < COUNT(turbo_files) && error == -ENOENT; i++) {
        *file = &turbo_files[i];
        error = setting_read_number(root, turbo_files[i].path, value);
    }
    return error ? error : *value < 0 || *value > 1 ? -EILSEQ : 0;
}

void setting_look_turbo(const struct settings_view *view, struct setting_state *out)
{
    const struct turbo *file = NULL;
    int64_t value;
    int error = read_turbo(view->root, &file, &value);
    if (!setting_failed(view, file->path, error, out))
        setting_say(out, value == file->off ? SETTING_OK : SETTING_NOISY, value == file->off ? "off" : "on");
}

int setting_writes_turbo(const struct settings_view *view, struct setting_writes *out)
{
    const struct turbo *file = NULL;
    int64_t value;
    return read_turbo(view->root, &file, &value) ? 0 : setting_write_number(view, file->path, file->off, out);
}

#define SMT_CONTROL CPU_FOLDER "/smt/control"

/* By the content of smt/control, which with more than two threads a core may be the number in use. */
static bool smt_is_on(const char *control)
{
    return strcmp(control, "on") == 0 || (control[0] >= '1' && control[0] <= '9');
}

void setting_look_smt(const struct settings_view *view, struct setting_state *out)
{
    char control[32];
    int error = setting_read_line(view->root, SMT_CONTROL, control, sizeof control);
    if (error)
        setting_not_read(view, SMT_CONTROL, error, out);
    else if (smt_is_on(control))
        setting_say(out, SETTING_NOISY, "%s", control);
    else if (strcmp(control, "off") == 0 || strcmp(control, "forceoff") == 0)
        setting_say(out, SETTING_OK, "%s", control);
    else if (strcmp(control, "notsupported") == 0 || strcmp(control, "notimplemented") == 0)
        setting_say(out, SETTING_NA, "%s", control);
    else
        setting_not_read(view, SMT_CONTROL, -EILSEQ, out);
}

int setting_writes_smt(const struct settings_view *view, struct setting_writes *out)
{
    char control[32];
    if (setting_read_line(view->root, SMT_CONTROL, control, sizeof control) || !smt_is_on(control))
        return 0;
    return setting_writes_add(out, SMT_CONTROL, "off");
}

#define NO_DEMAND_US 2000000000 /* PM QoS limit when nobody requested one */

/* Finds the longest exit latency of a CPU's enabled idle states. Returns false: none. */
static bool read_deepest(const char *root, unsigned cpu, uint64_t *exit_us, char *name, size_t size)
{
    static const char file[] = CPU_FOLDER "/cpu%u/cpuidle/state%u/%s";
    uint64_t us, off;
    bool any = false;
    *exit_us = 0;
    for (unsigned state = 0; state < 32; state++) {
        if (!procfs_read_u64(root, PROCFS_PATH(file, cpu, state, "latency"), &us))
            break;
        if ((procfs_read_u64(root, PROCFS_PATH(file, cpu, state, "disable"), &off) && off) || (any && us < *exit_us))
            continue;
        any = true;
        *exit_us = us;
        procfs_read_line(root, PROCFS_PATH(file, cpu, state, "name"), name, size);
    }
    return any;
}

/* Reads the PM QoS limit in force, in us. Returns 0 or -errno. */
static int read_demand(const char *root, int32_t *us)
{
    char bytes[2 * sizeof *us];
    ssize_t n = procfs_read(root, "/dev/cpu_dma_latency", bytes, sizeof bytes);
    if (n < 0)
        return (int)n;
    if (n != (ssize_t)sizeof *us)
        return -EILSEQ;
    memcpy(us, bytes, sizeof *us);
    return *us < 0 ? -EILSEQ : 0;
}

void setting_look_c_states(const struct settings_view *view, struct setting_state *out)
{
    char name[32] = "", held[48] = "not held";
    uint64_t exit_us;
    int32_t us = NO_DEMAND_US;
    bool states = read_deepest(view->root, cpuset_next(view->bench, 0), &exit_us, name, sizeof name);
    int error = read_demand(view->root, &us);
    if (error == 0 && us == 0) {
        setting_say(out, SETTING_OK, "held at 0 us");
        return;
    }
    if (error == 0 && us > 0 && us < NO_DEMAND_US)
        snprintf(held, sizeof held, "held at %" PRId32 " us", us);
    if (states)
        setting_say(out, exit_us > 0 ? SETTING_NOISY : SETTING_OK, "%s, up to %s (%" PRIu64 " us)",
                    error ? "hold not known" : held, name[0] ? name : "a state without name", exit_us);
    else if (error)
        setting_not_read(view, "/dev/cpu_dma_latency", error, out);
    else
        setting_say(out, SETTING_NOISY, "%s, idle states not known", held);
}

/* The first of its package; without a known package, a package itself. */
static bool opens_package(const char *root, unsigned cpu, struct cpuset *seen)
{
    uint64_t package;
    if (!procfs_read_u64(root, CPU_PATH(cpu, "topology/physical_package_id"), &package) || package >= CPUSET_MAX)
        return true;
    bool first = !cpuset_has(seen, (unsigned)package);
    cpuset_add(seen, (unsigned)package);
    return first;
}

/* Each CPU of a package counts the whole package's events. Returns false when none counts them. */
static bool count_throttling(const struct settings_view *view, uint64_t *count)
{
    static const struct {
        const char *file;
        bool of_package;
    } files[] = {{"thermal_throttle/core_throttle_count", false},
                 {"thermal_throttle/core_power_limit_count", false},
                 {"thermal_throttle/package_throttle_count", true},
                 {"thermal_throttle/package_power_limit_count", true}};
    struct cpuset packages = {{0}};
    uint64_t value;
    bool any = false;
    *count = 0;
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        const bool first = opens_package(view->root, cpu, &packages);
        for (size_t i = 0; i < COUNT(files); i++) {
            if ((files[i].of_package && !first) || !procfs_read_u64(view->root, CPU_PATH(cpu, files[i].file), &value))
                continue;
            any = true;
            *count += value;
        }
    }
    return any;
}

void setting_look_throttling(const struct settings_view *view, struct setting_state *out)
{
    uint64_t before, after;
    if (setting_failed(view, CPU_FOLDER "/", count_throttling(view, &before) ? 0 : -ENOENT, out))
        return;
    after = before;
    if (view->moment) {
        view->moment();
        count_throttling(view, &after);
    }
    setting_say_rise(view, (double)before, (double)after, 0, "times", out);
}

/* --- Hardware that the bench CPUs share with others. --- */

#define NODES "/sys/devices/system/node"

void setting_look_numa(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset nodes, used = {{0}}, cpus;
    char list[96];
    if (setting_failed(view, NODES "/online", setting_read_cpus(view->root, NODES "/online", &nodes), out))
        return;
    for (unsigned node = cpuset_next(&nodes, 0); node != CPUSET_NONE; node = cpuset_next(&nodes, node + 1)) {
        if (setting_read_cpus(view->root, PROCFS_PATH(NODES "/node%u/cpulist", node), &cpus) == 0 &&
            !setting_disjoint(&cpus, view->bench))
            cpuset_add(&used, node);
    }
    unsigned n = cpuset_count(&used);
    settings_format_cpus(&used, list, sizeof list);
    if (n == 0)
        setting_not_read(view, NODES "/node0/cpulist", -EILSEQ, out);
    else
        setting_say(out, n > 1 ? SETTING_NOISY : SETTING_OK, "node%s %s of %u", n == 1 ? "" : "s", list,
                    cpuset_count(&nodes));
}

void setting_look_caches(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset seen = {{0}}, shared, outside, strangers = {{0}}, usual;
    unsigned level, worst = 0, known = 0;
    char list[96];
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        if (cpuset_has(&seen, cpu) || (level = machine_last_cache(view->root, cpu, &shared)) == 0)
            continue;
        known = level;
        cpuset_union(&seen, &shared);
        cpuset_intersect(&shared, setting_cpus(view));
        setting_without(&shared, view->bench, &outside);
        if (cpuset_is_empty(&outside))
            continue;
        worst = level;
        cpuset_union(&strangers, &outside);
    }
    settings_format_cpus(&strangers, list, sizeof list);
    if (known == 0)
        setting_not_read(view, CPU_FOLDER "/", -ENOENT, out);
    else if (worst == 0)
        setting_say(out, SETTING_OK, "L%u not shared with others", known);
    else
        setting_say(out, SETTING_NOISY, "L%u shared with CPU%s %s", worst, cpuset_count(&strangers) == 1 ? "" : "s",
                    list);
    /* Some CPU must be left to other work: if the bench CPUs share their last-level cache only with CPUs that are left
     * to it by default, no better choice exists. */
    settings_bench_cpus(view->root, view->machine, &usual);
    if (worst != 0 && setting_disjoint(&usual, &strangers)) {
        out->verdict = SETTING_OK;
        setting_why(out, "for all else");
    }
}

void setting_look_siblings(const struct settings_view *view, struct setting_state *out)
{
    unsigned known = 0, sharing = 0, first = 0;
    struct cpuset core, siblings = {{0}};
    char list[96];
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        if (!machine_core_cpus(view->root, cpu, &core))
            continue;
        known++;
        cpuset_intersect(&core, setting_cpus(view));
        cpuset_remove(&core, cpu);
        if (cpuset_is_empty(&core) || sharing++ > 0)
            continue;
        first = cpu;
        siblings = core;
    }
    settings_format_cpus(&siblings, list, sizeof list);
    if (known == 0)
        setting_not_read(view, CPU_FOLDER "/", -ENOENT, out);
    else if (sharing == 0)
        setting_say(out, SETTING_OK, "none online");
    else
        setting_say(out, SETTING_NOISY, "%u of %u bench CPUs have one (CPU %u: %s)", sharing, cpuset_count(view->bench),
                    first, list);
}

/* --- Isolation of the bench CPUs from other tasks, the tick, RCU callbacks, kernel threads, interrupts, workqueues.
 * --- */

#define NOHZ_FULL CPU_FOLDER "/nohz_full"
#define CMDLINE   "/proc/cmdline"

/* Ok when the set, which is shown, contains all bench CPUs. */
static void judge_covered(const struct settings_view *view, const struct cpuset *set, struct setting_state *out)
{
    struct cpuset left;
    char list[96];
    setting_without(view->bench, set, &left);
    settings_format_cpus(set, list, sizeof list);
    setting_say(out, cpuset_is_empty(&left) ? SETTING_OK : SETTING_NOISY, "%s", list);
    settings_format_cpus(&left, list, sizeof list);
    if (!cpuset_is_empty(&left) && !cpuset_is_empty(set))
        setting_why(out, "not CPU%s %s", cpuset_count(&left) == 1 ? "" : "s", list);
}

void setting_look_isolated(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset isolated, partitions;
    int error = setting_read_cpus(view->root, CPU_FOLDER "/isolated", &isolated);
    cgroup_isolated_cpus(view->root, &partitions);
    if (setting_failed(view, CPU_FOLDER "/isolated", cpuset_is_empty(&partitions) ? error : 0, out))
        return;
    cpuset_union(&isolated, &partitions);
    judge_covered(view, &isolated, out);
}

void setting_look_nohz_full(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    unsigned boot = cpuset_next(setting_cpus(view), 0);
    if (setting_failed(view, NOHZ_FULL, setting_read_cpus(view->root, NOHZ_FULL, &set), out))
        return;
    judge_covered(view, &set, out);
    if (cpuset_has(&set, boot)) {
        out->verdict = SETTING_NOISY;
        setting_why(out, "the boot CPU, %u, must keep its tick", boot);
    } else if (cpuset_has(view->bench, boot)) {
        setting_why(out, "the boot CPU, %u, keeps its tick: measure on others", boot);
    }
}

void setting_look_nohz_pstate(const struct settings_view *view, struct setting_state *out)
{
    static const char status[] = CPU_FOLDER "/intel_pstate/status";
    struct cpuset set;
    char text[16];
    if (setting_failed(view, NOHZ_FULL, setting_read_cpus(view->root, NOHZ_FULL, &set), out) ||
        setting_failed(view, status, setting_read_line(view->root, status, text, sizeof text), out))
        return;
    bool both = !cpuset_is_empty(&set) && strcmp(text, "active") == 0;
    setting_say(out, both ? SETTING_NOISY : SETTING_OK, "nohz_full %s, intel_pstate %s",
                cpuset_is_empty(&set) ? "none" : "set", text);
}

/* Returns the last "key=value" in a text, which it splits; NULL: none. */
static char *find_value(char *text, const char *key)
{
    const size_t length = strlen(key);
    char *found = NULL;
    for (char *word; (word = strsep(&text, " \t\r\n"));)
        if (strncmp(word, key, length) == 0 && word[length] == '=')
            found = word + length + 1;
    return found;
}

static unsigned last_cpu(const struct cpuset *set)
{
    unsigned last = 0;
    for (unsigned cpu = cpuset_next(set, 0); cpu != CPUSET_NONE; cpu = cpuset_next(set, cpu + 1))
        last = cpu;
    return last;
}

/* The kernel also accepts "all", N for the last CPU, and CPUs named twice. */
static bool add_piece(const struct settings_view *view, const char *piece, struct cpuset *set)
{
    char text[64], why[1];
    size_t n = 0;
    struct cpuset part = *setting_cpus(view);
    const bool all = strcmp(piece, "all") == 0;
    for (; *piece && n + 8 < sizeof text; piece++) {
        if (*piece == 'N')
            n += (size_t)snprintf(text + n, sizeof text - n, "%u", last_cpu(setting_cpus(view)));
        else
            text[n++] = *piece;
    }
    text[n] = '\0';
    if (!all && (*piece || cpuset_parse(text, &part, why, sizeof why)))
        return false;
    cpuset_union(set, &part);
    return true;
}

/* Returns 0, -ENODATA when the parameter is not given, or -errno. */
static int read_parameter(const struct settings_view *view, const char *key, struct cpuset *set)
{
    FREED_BY(memory_free) char *text = procfs_read_all(view->root, CMDLINE);
    int error = text ? 0 : -errno;
    char *value = text ? find_value(text, key) : NULL;
    cpuset_clear(set);
    if (!value)
        return error ? error : -ENODATA;
    for (char *piece; !error && (piece = strsep(&value, ","));)
        if (*piece && !add_piece(view, piece, set))
            error = -EILSEQ;
    return error;
}

/* With all bench CPUs in it, nohz_full= keeps RCU callbacks and kernel threads off them as well. */
static bool nohz_covers(const struct settings_view *view)
{
    struct cpuset set;
    return (setting_read_cpus(view->root, NOHZ_FULL, &set) == 0 && cpuset_subset(view->bench, &set)) ||
           (read_parameter(view, "nohz_full", &set) == 0 && cpuset_subset(view->bench, &set));
}

void setting_look_rcu_nocbs(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    int error = read_parameter(view, "rcu_nocbs", &set);
    if (error && error != -ENODATA)
        setting_not_read(view, CMDLINE, error, out);
    else if (nohz_covers(view))
        setting_say(out, SETTING_OK, "by nohz_full");
    else if (error)
        setting_say(out, SETTING_NOISY, "not given");
    else
        judge_covered(view, &set, out);
}

#define TIMER_MIGRATION "/proc/sys/kernel/timer_migration"

/* Migration moves timers of idle CPUs to busy ones, such as the bench CPUs: off is good. But with nohz_full= it
 * moves the bench CPUs' own timers to the others: on is good. */
void setting_look_timer_migration(const struct settings_view *view, struct setting_state *out)
{
    setting_look_number(view, TIMER_MIGRATION, nohz_covers(view), "", out);
}

int setting_writes_timer_migration(const struct settings_view *view, struct setting_writes *out)
{
    return setting_write_number(view, TIMER_MIGRATION, nohz_covers(view), out);
}

/* Ok when the parameter key names only other CPUs than the bench CPUs, or `otherwise` (NULL: none), with the same
 * effect, is in force. */
static void judge_elsewhere(const struct settings_view *view, const char *key, const char *otherwise,
                            struct setting_state *out)
{
    struct cpuset set;
    char list[96];
    int error = read_parameter(view, key, &set);
    settings_format_cpus(&set, list, sizeof list);
    if (error && error != -ENODATA)
        setting_not_read(view, CMDLINE, error, out);
    else if (!error && setting_disjoint(&set, view->bench))
        setting_say(out, SETTING_OK, "%s", list);
    else if (otherwise)
        setting_say(out, SETTING_OK, "by %s", otherwise);
    else
        setting_say(out, SETTING_NOISY, "%s", error ? "not given" : list);
}

void setting_look_kthread_cpus(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    int error = setting_read_cpus(view->root, NOHZ_FULL, &set);
    judge_elsewhere(view, "kthread_cpus", nohz_covers(view) ? "nohz_full" : NULL, out);
    /* Few kernels have kthread_cpus=. Without it, nohz_full= decides where kernel threads run, which this kernel may
     * lack too. */
    if (out->verdict == SETTING_NOISY && error == -ENOENT && view->machine->have_sys &&
        read_parameter(view, "kthread_cpus", &set) == -ENODATA)
        setting_not_read(view, NOHZ_FULL, error, out);
}

#define IRQ_FOLDER       "/proc/irq"
#define DEFAULT_AFFINITY IRQ_FOLDER "/default_smp_affinity"
#define WORK_FOLDER      "/sys/devices/virtual/workqueue"

#define LIST "_list" /* the file of a list beside that of the mask */

struct mask_file {
    char path[320];
    struct cpuset cpus;
    size_t digits; /* hexadecimal digits of the mask; 0: a list */
};

/* Returns 0 or -errno. */
static int read_mask(const char *root, struct mask_file *file)
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, file->path);
    if (!text)
        return -errno;
    int digits = cpuset_parse_mask(text, &file->cpus);
    file->digits = digits > 0 ? (size_t)digits : 0;
    return digits > 0 ? 0 : text[0] ? -EILSEQ : -ENODATA;
}

/* Removes the bench CPUs from the file's set; if none would be left, writes all other online CPUs. */
static int write_housekeeping(const struct settings_view *view, struct mask_file *file, struct setting_writes *out)
{
    char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 1];
    struct cpuset rest, kept;
    setting_without(setting_cpus(view), view->bench, &rest);
    if (cpuset_is_empty(&rest) || setting_disjoint(&file->cpus, view->bench))
        return 0;
    kept = rest;
    cpuset_intersect(&kept, &file->cpus);
    if (cpuset_is_empty(&kept))
        kept = rest;
    if (file->digits || cpuset_format(&kept, text, sizeof text) >= sizeof text) {
        if (!file->digits) /* too long as a list: write the mask */
            file->path[strlen(file->path) - strlen(LIST)] = '\0';
        cpuset_format_mask(&kept, file->digits, text, sizeof text);
    }
    return setting_writes_add(out, file->path, text);
}

/* From smp_affinity_list where there is one, since a list is short on large machines, else the mask. Returns 0 or
 * -errno. */
static int read_irq(const char *root, const char *name, struct mask_file *file)
{
    if (name[strspn(name, "0123456789")])
        return -ENOENT;
    file->digits = 0;
    snprintf(file->path, sizeof file->path, IRQ_FOLDER "/%.200s/smp_affinity" LIST, name);
    int error = setting_read_cpus(root, file->path, &file->cpus);
    if (error != -ENOENT)
        return error ? error : cpuset_is_empty(&file->cpus) ? -EILSEQ : 0;
    file->path[strlen(file->path) - strlen(LIST)] = '\0';
    return read_mask(root, file);
}

static int read_work(const char *root, const char *name, struct mask_file *file)
{
    snprintf(file->path, sizeof file->path, WORK_FOLDER "/%.200s/cpumask", name);
    return read_mask(root, file);
}

/* A directory of masks: of interrupts or workqueues. `first` (the default of new interrupts, or the limit of all
 * workqueues) comes first: the kernel limits the other workqueues to it. */
struct masks {
    const char *folder, *first, *first_name, *what;
    int (*read)(const char *root, const char *name, struct mask_file *file);
};
static const struct masks irqs = {IRQ_FOLDER, DEFAULT_AFFINITY, "new ones", "interrupts", read_irq};
static const struct masks works = {WORK_FOLDER, WORK_FOLDER "/cpumask", "all", "masks", read_work};

/* 0 is the one in `first`, i > 0 that of names[i - 1]. */
static int read_one(const struct masks *of, const char *root, char *const *names, size_t i, struct mask_file *file)
{
    snprintf(file->path, sizeof file->path, "%s", of->first);
    return i ? of->read(root, names[i - 1], file) : read_mask(root, file);
}

static void look_at_masks(const struct settings_view *view, const struct masks *of, struct setting_state *out)
{
    struct mask_file file = {.digits = 0};
    unsigned files = 0, on_bench = 0;
    char list[48] = "";
    int first_error = 0;
    FREED_BY(memory_free) char **names = procfs_names(view->root, of->folder);
    if (setting_failed(view, of->folder, names ? 0 : -errno, out) || !names)
        return;
    for (size_t i = 0; i == 0 || names[i - 1]; i++) {
        int error = read_one(of, view->root, names, i, &file);
        files += !error;
        if (error && error != -ENOENT && error != -ENOTDIR)
            first_error = first_error ? first_error : error;
        if (error || setting_disjoint(&file.cpus, view->bench))
            continue;
        on_bench++;
        setting_append(list, sizeof list, i ? names[i - 1] : of->first_name);
    }
    if (on_bench == 0 && (first_error || files == 0)) {
        setting_not_read(view, of->folder, first_error ? first_error : -ENOENT, out);
        return;
    }
    setting_say(out, on_bench ? SETTING_NOISY : SETTING_OK, "%u of %u %s may use bench CPUs", on_bench, files,
                of->what);
    setting_why(out, "%s", list);
}

static int write_masks(const struct settings_view *view, const struct masks *of, struct setting_writes *out)
{
    struct mask_file file = {.digits = 0};
    FREED_BY(memory_free) char **names = procfs_names(view->root, of->folder);
    for (size_t i = 0; names && (i == 0 || names[i - 1]); i++)
        if (read_one(of, view->root, names, i, &file) == 0 && write_housekeeping(view, &file, out))
            return -1;
    return 0;
}

void setting_look_irqs(const struct settings_view *view, struct setting_state *out)
{
    look_at_masks(view, &irqs, out);
}

int setting_writes_irqs(const struct settings_view *view, struct setting_writes *out)
{
    return write_masks(view, &irqs, out);
}

void setting_look_irqaffinity(const struct settings_view *view, struct setting_state *out)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    bool kept_off = read_mask(view->root, &standard) == 0 && setting_disjoint(&standard.cpus, view->bench);
    judge_elsewhere(view, "irqaffinity", kept_off ? "default_smp_affinity" : NULL, out);
}

void setting_look_workqueues(const struct settings_view *view, struct setting_state *out)
{
    look_at_masks(view, &works, out);
}

int setting_writes_workqueues(const struct settings_view *view, struct setting_writes *out)
{
    return write_masks(view, &works, out);
}
