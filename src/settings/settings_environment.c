/* SPDX-License-Identifier: MIT */
/* Settings that depend on how the kernel was built. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "settings/settings_read.h"
#include "sys/file.h"
#include "sys/process.h"

#define PACKED_MAX   ((size_t)1 << 19)
#define UNPACKED_MAX ((size_t)1 << 22)

/* From /proc/config.gz, or the file that the distribution installs beside the kernel; NULL: neither. The caller
 * frees it. */
static char *read_config(const struct setting_reading *r)
{
    char path[128], *text = NULL;
    const char *release = r->machine->kernel;
    FREED_BY(memory_free) char *packed = malloc(PACKED_MAX);
    ssize_t length = packed ? procfs_read("/proc/config.gz", packed, PACKED_MAX) : -1;
    if (length > 0)
        text = inflate_gzip((const unsigned char *)packed, (size_t)length, UNPACKED_MAX);
    TEXT_PRINT(path, "/boot/config-%.*s", (int)strcspn(release, " "), release);
    if (!text && release[0])
        text = procfs_read_all(path);
    return text;
}

static void say_no_config(struct setting_reading *r)
{
    setting_judge(r, SETTING_UNKNOWN, "%s", "");
    setting_explain(r, "neither /proc/config.gz nor /boot/config of this kernel");
}

/* Returns what follows "CONFIG_KEY="; "": it is not set, or there is no configuration. */
static const char *config_value(const char *config, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = config; line; line = procfs_next_line(line))
        if (!strncmp(line, "CONFIG_", 7) && !strncmp(line + 7, key, length) && line[7 + length] == '=')
            return line + 8 + length;
    return "";
}

static bool config_has(const char *config, const char *key)
{
    return config_value(config, key)[0] == 'y';
}

/* Appends those of the keys (with blanks between) that are set, without "CONFIG_". */
static void append_set(const char *config, const char *keys, char *list, size_t size)
{
    for (size_t length; *keys; keys += length + strspn(keys + length, " ")) {
        char key[48];
        length = strcspn(keys, " ");
        TEXT_PRINT(key, "%.*s", (int)length, keys);
        if (config_has(config, key))
            setting_append(list, size, key);
    }
}

void setting_look_config(struct setting_reading *r)
{
    static const char known[] =
        "PREEMPT_RT PREEMPT PREEMPT_LAZY PREEMPT_VOLUNTARY PREEMPT_NONE PREEMPT_DYNAMIC NO_HZ_FULL "
        "RCU_NOCB_CPU CPU_ISOLATION";
    /* the last one is the name of the one before until Linux 6.0 */
    static const char slow[] = "KASAN KCSAN KMSAN KCOV PROVE_LOCKING LOCK_STAT DEBUG_LOCK_ALLOC DEBUG_ATOMIC_SLEEP "
                               "DEBUG_KMEMLEAK DEBUG_OBJECTS DEBUG_VM DEBUG_PAGEALLOC_ENABLE_DEFAULT SLUB_DEBUG_ON "
                               "CONTEXT_TRACKING_USER_FORCE CONTEXT_TRACKING_FORCE";
    char now[sizeof r->state->now] = "", debugging[sizeof r->state->why - 16] = "";
    FREED_BY(memory_free) char *config = read_config(r);
    if (!config) {
        say_no_config(r);
        return;
    }
    append_set(config, known, now, sizeof now);
    append_set(config, slow, debugging, sizeof debugging);
    setting_judge(r, NOISY_IF(debugging[0]), "%s", now[0] ? now : "nothing of note");
    if (debugging[0])
        setting_explain(r, "debugging: %s", debugging);
}

/* The ticks per second, by which coarse clocks advance. */
void setting_look_hz(struct setting_reading *r)
{
    char mode[64] = "";
    struct timespec grain;
    FREED_BY(memory_free) char *config = read_config(r);
    long hz = strtol(config_value(config, "HZ"), NULL, 10);
    if (hz <= 0 && !procfs_root[0] && !clock_getres(CLOCK_MONOTONIC_COARSE, &grain) && !grain.tv_sec &&
        grain.tv_nsec > 0)
        hz = (1000000000 + grain.tv_nsec / 2) / grain.tv_nsec;
    append_set(config, "NO_HZ_FULL NO_HZ_IDLE HZ_PERIODIC", mode, sizeof mode);
    if (hz > 0)
        setting_judge(r, SETTING_OK, "%ld%s%s", hz, mode[0] ? ", " : "", mode);
    else
        say_no_config(r);
}

void setting_look_aslr(struct setting_reading *r)
{
    static const char *const levels[] = {"0 (none)", "1 (stack, mappings)", "2 (stack, mappings, heap)"};
    int level = r->machine->randomize_va_space;
    if (level >= 0 && level < (int)COUNT(levels))
        setting_judge(r, SETTING_OK, "%s", levels[level]);
    else
        setting_not_read(r, "/proc/sys/kernel/randomize_va_space", level < 0 ? -ENOENT : -EILSEQ);
}

void setting_look_clocksource(struct setting_reading *r)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const char *const counters[] = {"tsc", "arch_sys_counter", "riscv_clocksource", "timebase", "tod", "stp"};
    char name[64];
    int error = procfs_read_line(path, name, sizeof name);
    if (!error && strchr(name, '?'))
        error = -EILSEQ;
    if (setting_failed(r, path, error))
        return;
    setting_judge(r, SETTING_NOISY, "%s", name);
    for (size_t i = 0; i < COUNT(counters); i++)
        if (!strcmp(name, counters[i]))
            r->state->verdict = SETTING_OK;
}

/* --- Not judged: why two machines, or two runs on one, differ. --- */

#define DEBUG "/sys/kernel/debug/"

/* "": the file does not tell. */
static void tell(struct setting_reading *r, const char *path, const char *value)
{
    if (value[0])
        setting_judge(r, SETTING_OK, "%s", value);
    else
        setting_not_read(r, path, -ENOENT);
}

void setting_look_cpu_quota(struct setting_reading *r)
{
    if (r->machine->cpu_quota > 0)
        setting_judge(r, SETTING_NOISY, "%.3g CPUs", r->machine->cpu_quota);
    else
        tell(r, "/proc/self/cgroup", r->machine->have_proc ? "none" : "");
}

void setting_look_scheduler(struct setting_reading *r)
{
    const char *kernel = r->machine->kernel, *rule = setting_kernel_is(r->machine, 6, 6) ? "EEVDF" : "CFS";
    char text[64], name[48];
    int64_t bore;
    if (setting_read_number("/proc/sys/kernel/sched_bore", &bore) == 0 && bore > 0)
        rule = "BORE";
    if (procfs_read_line("/sys/kernel/sched_ext/state", text, sizeof text) == 0 && !strcmp(text, "enabled")) {
        procfs_read_line("/sys/kernel/sched_ext/root/ops", name, sizeof name);
        TEXT_PRINT(text, "sched_ext%s%s", name[0] ? " " : "", name);
        rule = text;
    }
    tell(r, "/proc/sys/kernel/osrelease", kernel[0] >= '1' && kernel[0] <= '9' ? rule : "");
}

/* From debugfs, which marks the one in force ("none (full) lazy"), then the kernel's command line, then its
 * configuration, which sets the one after boot, then `uname -v`. */
void setting_look_preempt(struct setting_reading *r)
{
    static const char *const models[][2] = {
        {"PREEMPT_RT", "rt"},     {"PREEMPT_RT_FULL", "rt"},          {"PREEMPT RT", "rt"},
        {"PREEMPT_LAZY", "lazy"}, {"PREEMPT_VOLUNTARY", "voluntary"}, {"PREEMPT_NONE", "none"},
        {"PREEMPT", "full"}};
    const char *kernel = r->machine->kernel, *model = "";
    const bool dynamic = strstr(kernel, "PREEMPT_DYNAMIC") != NULL;
    char text[512], *at = NULL;
    FREED_BY(memory_free) char *config = read_config(r);
    FREED_BY(memory_free) char *words = procfs_read_all("/proc/cmdline");
    if (procfs_read_line(DEBUG "sched/preempt", text, sizeof text) == 0 && (at = strchr(text, '('))) {
        at[strcspn(at, ")")] = '\0';
        model = at + 1;
    }
    for (char *rest = words, *word; !at && dynamic && (word = strsep(&rest, " \n"));)
        if (!strncmp(word, "preempt=", 8))
            model = word + 8;
    for (size_t i = 0; i < COUNT(models) && !model[0]; i++) {
        TEXT_PRINT(text, " %s ", models[i][0]);
        if (config ? config_has(config, models[i][0]) : strstr(kernel, text) != NULL)
            model = models[i][1];
    }
    if (!model[0] && !config && !dynamic && strchr(kernel, '#')) /* `uname -v` begins with it */
        model = "voluntary or none";
    tell(r, "/proc/sys/kernel/version", model);
}

/* Name, place and meaning of the file have changed, but it is always the least time for which a task keeps its CPU
 * while others wait. */
void setting_look_base_slice(struct setting_reading *r)
{
    static const char *const paths[] = {DEBUG "sched/base_slice_ns", DEBUG "sched/min_granularity_ns",
                                        "/proc/sys/kernel/sched_min_granularity_ns"};
    char text[32] = "";
    int64_t ns;
    for (size_t i = 0; i < COUNT(paths) && !text[0]; i++)
        if (setting_read_number(paths[i], &ns) == 0)
            TEXT_PRINT(text, "%.6g ms", (double)ns / 1e6);
    tell(r, paths[0], text);
}

void setting_look_os(struct setting_reading *r)
{
    static const char key[] = "PRETTY_NAME=";
    char name[64] = "";
    FREED_BY(memory_free) char *text = procfs_read_all("/etc/os-release");
    for (const char *line = text; line; line = procfs_next_line(line)) {
        const char *value = line + sizeof key - 1;
        if (!strncmp(line, key, sizeof key - 1)) {
            value += strspn(value, "\"'");
            procfs_copy(value, strcspn(value, "\"'\n"), name, sizeof name);
        }
    }
    tell(r, "/etc/os-release", name);
}

/* "4K", "2M" or "1G" */
static const char *size_text(uint64_t bytes, char buf[24])
{
    static const char units[] = "KMG";
    size_t unit = 0;
    for (bytes /= 1024; bytes && bytes % 1024 == 0 && unit < 2; unit++)
        bytes /= 1024;
    snprintf(buf, 24, "%" PRIu64 "%c", bytes, units[unit]);
    return buf;
}

void setting_look_page_size(struct setting_reading *r)
{
    char size[24];
    tell(r, "", size_text((uint64_t)sysconf(_SC_PAGESIZE), size));
}

void setting_look_hugetlb(struct setting_reading *r)
{
    static const char folder[] = "/sys/kernel/mm/hugepages";
    char list[sizeof r->state->now] = "", size[24];
    FREED_BY(memory_free) char **names = procfs_names(folder);
    bool known = names != NULL;
    for (char **name = names; name && *name; name++) { /* "hugepages-2048kB" */
        int64_t number = 0;
        const uint64_t kib = strtoull(*name + strcspn(*name, "0123456789"), NULL, 10);
        known &= setting_read_number(PROCFS_PATH("%s/%s/nr_hugepages", folder, *name), &number) == 0;
        if (number > 0)
            setting_append(list, sizeof list, TEXT_LINE("%" PRId64 " of %s", number, size_text(kib * 1024, size)));
    }
    tell(r, folder, list[0] ? list : known ? "none" : "");
}

void setting_look_fault_around(struct setting_reading *r)
{
    static const char path[] = DEBUG "fault_around_bytes";
    char size[24] = "";
    int64_t bytes;
    if (setting_read_number(path, &bytes) == 0)
        size_text((uint64_t)bytes, size);
    tell(r, path, size);
}

/* A bit for each prefetcher in a register of the first CPU (Intel: MISC_FEATURE_CONTROL; AMD from Zen 4: Prefetch
 * Control). */
void setting_look_prefetchers(struct setting_reading *r)
{
    static const struct {
        const char *vendor;
        off_t number;
        const char *bits[6];
    } registers[] = {
        {"GenuineIntel", 0x1a4, {"L2 stream", "L2 adjacent line", "L1 next line", "L1 IP"}},
        {"AuthenticAMD", 0xc0000108, {"L1 stream", "L1 stride", "L1 region", "L2 stream", NULL, "up/down"}},
    };
    static const char path[] = "/dev/cpu/0/msr";
    char vendor[16] = "", off[sizeof r->state->now] = "";
    const char *known = "";
    FREED_BY(memory_free) char *text = procfs_read_all("/proc/cpuinfo");
    uint64_t value;
    for (size_t i = 0; i < COUNT(registers) && text && procfs_value(text, "vendor_id", vendor, sizeof vendor); i++) {
        const int fd = strcmp(vendor, registers[i].vendor) ? -1 : procfs_open(path);
        if (fd < 0 || pread(fd, &value, sizeof value, registers[i].number) != sizeof value)
            value = 0;
        else
            known = "on";
        fd_close(&fd);
        for (size_t bit = 0; bit < COUNT(registers[i].bits); bit++)
            if (value >> bit & 1 && registers[i].bits[bit])
                setting_append(off, sizeof off, registers[i].bits[bit]);
    }
    tell(r, path, known);
    if (off[0])
        setting_judge(r, SETTING_OK, "off: %s", off);
}

/* From the SMBIOS table: structures of a header (type, length of the fixed part), a fixed part, and texts that end
 * with an empty one. A module is of type 17, its size at 12 (0: empty slot), its highest speed at 21 and, from
 * SMBIOS 2.7, its configured speed at 32, in MT/s. */
void setting_look_dimms(struct setting_reading *r)
{
    unsigned n = 0, least = UINT16_MAX, most = 0;
    static const char path[] = "/sys/firmware/dmi/tables/DMI";
    const int fd = procfs_open(path);
    size_t size = 0, at = 0;
    FREED_BY(memory_free) char *table = fd >= 0 ? procfs_read_rest(fd, &size) : NULL;
    const unsigned char *bytes = (const unsigned char *)table;
    fd_close(&fd);
    while (table && at + 4 <= size && bytes[at + 1] >= 4 && at + bytes[at + 1] <= size) {
        const unsigned char *fixed = bytes + at, length = fixed[1];
        const size_t speed_at = length >= 34 && (fixed[32] || fixed[33]) ? 32 : 21;
        if (fixed[0] == 17 && length >= 23 && (fixed[12] || fixed[13])) {
            const unsigned speed = fixed[speed_at] | (unsigned)fixed[speed_at + 1] << 8;
            n++;
            least = speed && speed < least ? speed : least;
            most = speed > most ? speed : most;
        }
        for (at += length; at + 1 < size && (bytes[at] || bytes[at + 1]); at++)
            ;
        at += 2;
    }
    char text[48] = "";
    if (n && most)
        TEXT_PRINT(text, least < most ? "%u at %u to %u MT/s" : "%u at %u MT/s", n, least, most);
    tell(r, path, text);
}

/* --- Settings outside the bench CPUs: running programs, memory, power, the hypervisor. --- */

/* The first is irqbalance; the others wake up by themselves, do much work at once, or change settings. */
static const struct settings_program programs[] = {
    {"irqbalance", "irqbalance"},
    {"anacron", "anacron.timer anacron"},
    {"apt", NULL},
    {"apt-get", NULL},
    {"apt.systemd.dai", "apt-daily.timer apt-daily-upgrade.timer apt-daily.service apt-daily-upgrade.service"},
    {"atd", "atd"},
    {"auto-cpufreq", "auto-cpufreq"},
    {"baloo_file", NULL},
    {"cron", "cron"},
    {"crond", "crond"},
    {"dnf", NULL},
    {"dnf-automatic", "dnf-automatic.timer dnf-automatic.service"},
    {"dpkg", NULL},
    {"fstrim", "fstrim.timer fstrim.service"},
    {"fwupd", "fwupd"},
    {"ksmtuned", "ksmtuned"},
    {"logrotate", "logrotate.timer logrotate.service"},
    {"makewhatis", NULL},
    {"mandb", "man-db.timer man-db.service"},
    {"mlocate", NULL},
    {"numad", "numad"},
    {"packagekitd", "packagekit"},
    {"plocate", NULL},
    {"power-profiles-", "power-profiles-daemon"},
    {"rpm", NULL},
    {"snapd", "snapd.socket snapd.service"},
    {"thermald", "thermald"},
    {"tlp", "tlp"},
    {"tracker-extract", NULL},
    {"tracker-miner-f", NULL},
    {"tuned", "tuned"},
    {"unattended-upgr", "unattended-upgrades"},
    {"updatedb", NULL},
    {"updatedb.mlocat", "mlocate-updatedb.timer mlocate-updatedb.service"},
    {"updatedb.plocat", "plocate-updatedb.timer plocate-updatedb.service"},
    {"yum", NULL},
    {"zypper", NULL},
};

size_t settings_programs(const struct settings_program **found, size_t size)
{
    bool seen[COUNT(programs)] = {false};
    char name[32];
    size_t n = 0;
    FREED_BY(memory_free) char **pids = procfs_names("/proc");
    for (char **pid = pids; pid && *pid; pid++) {
        if ((*pid)[strspn(*pid, "0123456789")] ||
            procfs_read_line(PROCFS_PATH("/proc/%s/comm", *pid), name, sizeof name))
            continue;
        for (size_t i = 0; i < COUNT(programs); i++)
            seen[i] |= !strcmp(programs[i].comm, name);
    }
    for (size_t i = 0; i < COUNT(programs) && n < size; i++)
        if (seen[i])
            found[n++] = &programs[i];
    return n;
}

/* Noisy when irqbalance runs, or one of the others. */
void setting_look_programs(struct setting_reading *r)
{
    const bool irqbalance = !strcmp(r->setting->name, programs[0].comm);
    const struct settings_program *running[COUNT(programs)];
    char names[sizeof r->state->now] = "";
    /* Where /proc hides others' processes, it hides PID 1 too. */
    int error = procfs_read_line("/proc/1/comm", names, sizeof names);
    const size_t n = error ? 0 : settings_programs(running, COUNT(running));
    names[0] = '\0';
    for (size_t i = 0; i < n; i++)
        if ((running[i] == programs) == irqbalance)
            setting_append(names, sizeof names, running[i]->comm);
    if (error && r->machine->have_proc) {
        setting_judge(r, SETTING_UNKNOWN, "%s", "");
        setting_explain(r, "other users' processes cannot be seen");
    } else if (error) {
        setting_not_read(r, "/proc/1/comm", error);
    } else if (names[0] || !r->machine->container[0]) {
        setting_judge(r, NOISY_IF(names[0]), "%s", names[0] ? names : "none seen");
    } else {
        setting_judge(r, SETTING_UNKNOWN, "none seen");
        setting_explain(r, "the host's processes cannot be seen from a container");
    }
}

void setting_look_swap(struct setting_reading *r)
{
    static const char path[] = "/proc/meminfo";
    FREED_BY(memory_free) char *text = procfs_read_all(path);
    const int error = !text ? -errno : text[0] ? 0 : -ENODATA;
    const int64_t total = procfs_count(text, "SwapTotal"), unused = procfs_count(text, "SwapFree");
    if (setting_failed(r, path, !error && (unused < 0 || unused > total) ? -EILSEQ : error))
        return;
    if (total < 1024)
        setting_judge(r, SETTING_OK, "no swap");
    else
        setting_judge(r, NOISY_IF(unused / 1024 < total / 1024), "%" PRId64 " of %" PRId64 " MiB",
                      total / 1024 - unused / 1024, total / 1024);
}

void setting_look_load(struct setting_reading *r)
{
    double load = r->machine->load1, low = 0.05 * r->machine->cpus_online;
    if (load < 0)
        setting_not_read(r, "/proc/loadavg", -ENOENT);
    else
        setting_judge(r, NOISY_IF(load > (low > 0.5 ? low : 0.5)), "%.2f", load);
}

void setting_look_pressure(struct setting_reading *r)
{
    static const char path[] = "/proc/pressure/memory", start[] = "some avg10=";
    char text[128];
    int error = procfs_read_line(path, text, sizeof text);
    const char *value = text + sizeof start - 1;
    char *end = NULL;
    double share = !error && !strncmp(text, start, sizeof start - 1) ? strtod(value, &end) : 0;
    if (!error && !(end && end > value && share >= 0 && share <= 100))
        error = -EILSEQ;
    if (!setting_failed(r, path, error))
        setting_judge(r, NOISY_IF(share >= 1), "%.2f %%", share);
}

void setting_look_hypervisor(struct setting_reading *r)
{
    const char *name = r->machine->hypervisor;
    if (name[0])
        setting_judge(r, SETTING_NOISY, "%s", strcmp(name, "yes") ? name : "one without name");
    else if (r->machine->have_sys || r->machine->have_proc)
        setting_judge(r, SETTING_OK, "none seen");
    else
        setting_not_read(r, "/sys/hypervisor", -ENOENT);
}

/* For a counter since boot, of events or seconds (negative: not known), read again after a moment: noisy when it rose.
 * Without a moment, the state is unknown unless it is 0. */
static void judge_rise(struct setting_reading *r, double before, double (*count)(const struct setting_reading *r),
                       int decimals, const char *unit)
{
    static const char *const ends[] = {
        [SETTING_OK] = ", not rising", [SETTING_NOISY] = ", rising", [SETTING_UNKNOWN] = ""};
    double after = before;
    if (r->view->moment) {
        r->view->moment();
        after = fmax(before, count(r));
    }
    const enum setting_verdict steady = r->view->moment || after <= 0 ? SETTING_OK : SETTING_UNKNOWN;
    const enum setting_verdict verdict = after > before ? SETTING_NOISY : steady;
    setting_judge(r, verdict, "%.*f %s since boot%s", decimals, after, unit, ends[verdict]);
}

static double count_steal(const struct setting_reading *r)
{
    struct machine_activity activity;
    (void)r;
    machine_read_activity(&activity);
    return (double)activity.steal_ns * 1e-9;
}

void setting_look_steal(struct setting_reading *r)
{
    const double s = count_steal(r);
    if (!setting_failed(r, "/proc/stat", s >= 0 ? 0 : r->machine->have_proc ? -EILSEQ : -ENOENT))
        judge_rise(r, s, count_steal, 2, "s");
}

#define SUPPLIES "/sys/class/power_supply"

/* Reads a file of a supply in /sys/class. Returns 0 or -errno. */
static int read_supply(const char *name, const char *file, char *buf, size_t size)
{
    return procfs_read_line(PROCFS_PATH(SUPPLIES "/%s/%s", name, file), buf, size);
}

void setting_look_power(struct setting_reading *r)
{
    char type[32], scope[16], online[8];
    bool plugged = false, any = false, battery = false;
    FREED_BY(memory_free) char **names = procfs_names(SUPPLIES);
    int error = names ? -ENOENT : -errno;
    for (char **name = names; name && *name; name++) {
        /* "Device" is the battery of a mouse. */
        if (read_supply(*name, "type", type, sizeof type) == 0 && !strcmp(type, "Battery")) {
            battery |= read_supply(*name, "scope", scope, sizeof scope) || strcmp(scope, "Device");
            continue;
        }
        if (read_supply(*name, "online", online, sizeof online) || !strchr("012", online[0]))
            continue;
        any = true;
        plugged |= online[0] != '0';
    }
    if (plugged)
        setting_judge(r, SETTING_OK, "online");
    else if (any && battery)
        setting_judge(r, SETTING_NOISY, "on battery");
    else /* not online counts only beside a battery: an idle USB-C port of a desktop is one */
        setting_not_read(r, SUPPLIES, error);
}

/* Each CPU of a package counts the whole package's events. */
static double count_throttling(const struct setting_reading *r)
{
    /* those of a package last */
    static const char *const files[] = {"core_throttle_count", "core_power_limit_count", "package_throttle_count",
                                        "package_power_limit_count"};
    struct cpuset packages = {{0}};
    uint64_t value, package, count = 0;
    bool any = false;
    for_each_cpu(cpu, r->bench) {
        const bool known =
            procfs_read_u64(CPU_PATH(cpu, "topology/physical_package_id"), &package) && package < CPUSET_MAX;
        const bool seen = known && cpuset_has(&packages, (unsigned)package);
        if (known)
            cpuset_add(&packages, (unsigned)package);
        for (size_t i = 0; i < (seen ? 2 : COUNT(files)); i++) {
            const char *path = PROCFS_PATH(CPU_FOLDER "/cpu%u/thermal_throttle/%s", cpu, files[i]);
            if (!procfs_read_u64(path, &value))
                continue;
            any = true;
            count += value;
        }
    }
    return any ? (double)count : -1;
}

void setting_look_throttling(struct setting_reading *r)
{
    const double times = count_throttling(r);
    if (!setting_failed(r, CPU_FOLDER "/", times >= 0 ? 0 : -ENOENT))
        judge_rise(r, times, count_throttling, 0, "times");
}

/* --- The CSV column `settings`. --- */

#define VALUE_MOST      (SETTING_VALUE - 1)
#define MITIGATION_MOST 96

/* "L1d:32K+L1i:32K+L2:512K+L3:16M" of the lowest CPU. */
static void list_caches(const struct settings_view *view, char *list, size_t size)
{
    static const char file[] = CPU_FOLDER "/cpu%u/cache/index%u/%s";
    char level[8], type[24], bytes[24];
    const unsigned first = cpuset_next(&view->machine->online, 0), cpu = first == CPUSET_NONE ? 0 : first;

    list[0] = '\0';
    for (unsigned index = 0; index < 16; index++) {
        if (procfs_read_line(PROCFS_PATH(file, cpu, index, "level"), level, sizeof level))
            break;
        procfs_read_line(PROCFS_PATH(file, cpu, index, "type"), type, sizeof type);
        const char *kind = type[0] == 'D' ? "d" : type[0] == 'I' ? "i" : "";
        if (!procfs_read_line(PROCFS_PATH(file, cpu, index, "size"), bytes, sizeof bytes))
            text_add(list, size, "%sL%s%s:%s", list[0] ? "+" : "", level, kind, bytes);
    }
}

/* "Mitigation: Retpolines; BHI: Not affected" becomes "Retpolines; BHI: no". */
static void shorten(const char *state, char *buf, size_t size)
{
    static const char mitigation[] = "Mitigation: ", unaffected[] = "Not affected";
    char *at = buf;

    if (!strncmp(state, mitigation, sizeof mitigation - 1))
        state += sizeof mitigation - 1;
    while (*state && at + 3 < buf + size) {
        if (!strncmp(state, unaffected, sizeof unaffected - 1)) {
            at = stpcpy(at, "no");
            state += sizeof unaffected - 1;
        } else {
            *at++ = *state++;
        }
    }
    *at = '\0';
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
        if (!strncmp(word, at, length))
            return true;
        at += length;
    }
    return false;
}

void settings_describe(const struct settings_view *view, char *buf, size_t size)
{
    static const struct {
        const char *name, *path;
    } files[] = {
        {"thp", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
        {"numa_balancing", "/proc/sys/kernel/numa_balancing"},
        {"autogroup", "/proc/sys/kernel/sched_autogroup_enabled"},
    };
    static const char *const firmware[] = {"bios_vendor", "bios_version", "bios_date"};
    static const char vulnerabilities[] = CPU_FOLDER "/vulnerabilities";
    char line[512], text[512];
    struct setting_state state;

    buf[0] = '\0';
    for (size_t i = 0; i < settings_count; i++)
        if (settings_list[i].recorded) {
            setting_look(&settings_list[i], view, &state);
            setting_items_add(buf, size, settings_list[i].name, state.now[0] ? state.now : SETTING_UNKNOWN_VALUE,
                              VALUE_MOST);
        }
    for (size_t i = 0; i < COUNT(files); i++) /* the word in brackets, or the whole first line */
        if (setting_read_choice(files[i].path, text, 256) == 0 || procfs_read_line(files[i].path, text, 256) == 0)
            setting_items_add(buf, size, files[i].name, text, VALUE_MOST);
    /* In three digits: what the kernel reserves differs from boot to boot. */
    if (view->machine->memory_total_bytes)
        setting_items_add(buf, size, "memory",
                          TEXT_LINE("%.3gG", (double)view->machine->memory_total_bytes / (1 << 30)), VALUE_MOST);
    list_caches(view, text, 160);
    setting_items_add(buf, size, "caches", text, VALUE_MOST);
    /* The first CPU's version, where the architecture has one. */
    FREED_BY(memory_free) char *cpus = procfs_read_all("/proc/cpuinfo");
    if (cpus && procfs_value(cpus, "microcode", text, 32))
        setting_items_add(buf, size, "microcode", text, VALUE_MOST);
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(firmware); i++)
        if (!procfs_read_line(PROCFS_PATH("/sys/class/dmi/id/%s", firmware[i]), line, 80))
            text_add(text, 256, "%s%s", text[0] ? " " : "", line);
    setting_items_add(buf, size, "firmware", text, VALUE_MOST);
    FREED_BY(memory_free) char *parameters = procfs_read_all("/proc/cmdline");
    FREED_BY(text_free) struct text words = {0};
    char *rest = parameters;
    /* Up to "--": what follows is for init. */
    for (const char *word; (word = strsep(&rest, " \n")) && strcmp(word, "--");)
        if (bears_on_noise(word))
            text_printf(&words, "%s%s", words.length ? " " : "", word);
    if (words.length && !words.failed)
        setting_items_add(buf, size, "cmdline", words.data, VALUE_MOST);
    FREED_BY(memory_free) char **names = procfs_names(vulnerabilities);
    for (char **name = names; name && *name; name++)
        if (!procfs_read_line(PROCFS_PATH("%s/%s", vulnerabilities, *name), line, sizeof line)) {
            shorten(line, text, sizeof text);
            setting_items_add(buf, size, *name, text, MITIGATION_MOST);
        }
}
