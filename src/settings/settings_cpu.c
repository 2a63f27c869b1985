/* SPDX-License-Identifier: MIT */
/* Settings of the CPUs: frequencies, turbo, SMT, idle states, throttling. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "settings/settings_look.h"
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

#define CPU_PATH(cpu, file) PROCFS_PATH(CPU_FOLDER "/cpu%u/%s", cpu, file)

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
