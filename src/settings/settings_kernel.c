/* SPDX-License-Identifier: MIT */
/* Settings that depend on how the kernel was built. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "settings/settings_look.h"
#include "sys/file.h"
#include "sys/process.h"

#define PACKED_MAX   ((size_t)1 << 19)
#define UNPACKED_MAX ((size_t)1 << 22)

/* From /proc/config.gz, or the file that the distribution installs beside the kernel; NULL: neither. The caller
 * frees it. */
static char *setting_read_config(const struct settings_view *view)
{
    char path[128], *text = NULL;
    const char *release = view->machine->kernel;
    FREED_BY(memory_free) char *packed = malloc(PACKED_MAX);
    ssize_t length = packed ? procfs_read(view->root, "/proc/config.gz", packed, PACKED_MAX) : -1;
    if (length > 0)
        text = inflate_gzip((const unsigned char *)packed, (size_t)length, UNPACKED_MAX);
    snprintf(path, sizeof path, "/boot/config-%.*s", (int)strcspn(release, " "), release);
    if (!text && release[0])
        text = procfs_read_all(view->root, path);
    return text;
}

static void say_no_config(struct setting_state *out)
{
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    setting_why(out, "neither /proc/config.gz nor /boot/config of this kernel");
}

/* Sets the state when it returns NULL. */
static char *read_config(const struct settings_view *view, struct setting_state *out)
{
    char *text = setting_read_config(view);
    if (!text)
        say_no_config(out);
    return text;
}

/* "n" when it is not set. Returns false without a configuration. */
static bool config_value(const char *config, const char *key, char *buf, size_t size)
{
    size_t length = strlen(key);
    snprintf(buf, size, "n");
    for (const char *line = config; line; line = procfs_next_line(line)) {
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return procfs_copy(line + length + 1, strcspn(line + length + 1, "\n"), buf, size);
    }
    return config != NULL;
}

static bool setting_config_has(const char *config, const char *key)
{
    char name[64], value[8];
    snprintf(name, sizeof name, "CONFIG_%s", key);
    return config_value(config, name, value, sizeof value) && value[0] == 'y';
}

/* Appends those of the keys (with blanks between) that are set, without "CONFIG_". */
static void append_set(const char *config, const char *keys, char *list, size_t size)
{
    for (size_t length; *keys; keys += length + strspn(keys + length, " ")) {
        char key[48];
        length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        if (setting_config_has(config, key))
            setting_append(list, size, key);
    }
}

void setting_look_config(const struct settings_view *view, struct setting_state *out)
{
    static const char known[] =
        "PREEMPT_RT PREEMPT PREEMPT_LAZY PREEMPT_VOLUNTARY PREEMPT_NONE PREEMPT_DYNAMIC NO_HZ_FULL "
        "RCU_NOCB_CPU CPU_ISOLATION";
    /* the last one is the name of the one before until Linux 6.0 */
    static const char slow[] = "KASAN KCSAN KMSAN KCOV PROVE_LOCKING LOCK_STAT DEBUG_LOCK_ALLOC DEBUG_ATOMIC_SLEEP "
                               "DEBUG_KMEMLEAK DEBUG_OBJECTS DEBUG_VM DEBUG_PAGEALLOC_ENABLE_DEFAULT SLUB_DEBUG_ON "
                               "CONTEXT_TRACKING_USER_FORCE CONTEXT_TRACKING_FORCE";
    char now[sizeof out->now] = "", debugging[sizeof out->why - 16] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    if (!config)
        return;
    append_set(config, known, now, sizeof now);
    append_set(config, slow, debugging, sizeof debugging);
    setting_say(out, debugging[0] ? SETTING_NOISY : SETTING_OK, "%s", now[0] ? now : "nothing of note");
    if (debugging[0])
        setting_why(out, "debugging: %s", debugging);
}

/* Returns the ticks per second, by which coarse clocks advance; 0: not known. */
static long tick_rate(const struct settings_view *view, const char *config)
{
    char value[16];
    struct timespec grain;
    if (config_value(config, "CONFIG_HZ", value, sizeof value) && value[0] >= '1' && value[0] <= '9')
        return strtol(value, NULL, 10);
    if (view->root[0] || clock_getres(CLOCK_MONOTONIC_COARSE, &grain) || grain.tv_sec || grain.tv_nsec <= 0)
        return 0;
    return (1000000000 + grain.tv_nsec / 2) / grain.tv_nsec;
}

void setting_look_hz(const struct settings_view *view, struct setting_state *out)
{
    char mode[64] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    long hz = tick_rate(view, config);
    append_set(config, "NO_HZ_FULL NO_HZ_IDLE HZ_PERIODIC", mode, sizeof mode);
    if (hz > 0)
        setting_say(out, SETTING_OK, "%ld%s%s", hz, mode[0] ? ", " : "", mode);
    else
        say_no_config(out);
}

/* --- Periodic activity, page sizes, clock source, mitigations. --- */

#define SYSCTL "/proc/sys/"

/* `run` is 1: the scanner runs; 2: it is stopped, and merged pages are copied again. */
void setting_look_ksm(const struct settings_view *view, struct setting_state *out)
{
    (void)view;
    if (out->verdict == SETTING_NOISY && strcmp(out->now, "2") == 0)
        out->verdict = SETTING_OK;
}

void setting_look_swappiness(const struct settings_view *view, struct setting_state *out)
{
    const bool no_swap = view->machine->swap_total_bytes == 0;
    if (out->verdict != SETTING_NOISY)
        return;
    if (no_swap)
        setting_why(out, "no swap");
    if (no_swap || strtol(out->now, NULL, 10) < 10)
        out->verdict = SETTING_OK;
}

#define RT_RUNTIME SYSCTL "kernel/sched_rt_runtime_us"

void setting_look_rt_throttling(const struct settings_view *view, struct setting_state *out)
{
    int64_t runtime_us, period_us;
    setting_look_number(view, RT_RUNTIME, -1, " us", out);
    if (out->verdict != SETTING_NOISY)
        return;
    if (setting_read_number(view->root, RT_RUNTIME, &runtime_us) == 0 &&
        setting_read_number(view->root, SYSCTL "kernel/sched_rt_period_us", &period_us) == 0)
        setting_say(out, SETTING_OK, "%" PRId64 " of %" PRId64 " us", runtime_us, period_us);
    out->verdict = SETTING_OK;
    setting_why(out, "matters only with --fifo");
}

int setting_writes_rt_throttling(const struct settings_view *view, struct setting_writes *out)
{
    return setting_write_number(view, RT_RUNTIME, -1, out);
}

/* kernel/watchdog, which switches both and nmi_watchdog on as well, is written last, and so restored first. */
static const char *const watchdogs[] = {SYSCTL "kernel/nmi_watchdog", SYSCTL "kernel/watchdog"};

void setting_look_watchdogs(const struct settings_view *view, struct setting_state *out)
{
    struct setting_state hard, both;
    setting_look_number(view, watchdogs[0], 0, "", &hard);
    setting_look_number(view, watchdogs[1], 0, "", &both);
    *out = both.verdict == SETTING_NA || both.verdict == SETTING_OK ? hard : both;
    if (hard.verdict == SETTING_NA)
        *out = both;
    else if (hard.verdict == SETTING_NOISY && both.verdict == SETTING_NOISY)
        setting_say(out, SETTING_NOISY, "watchdog %.40s, nmi_watchdog %.40s", both.now, hard.now);
}

int setting_writes_watchdogs(const struct settings_view *view, struct setting_writes *out)
{
    return setting_write_number(view, watchdogs[0], 0, out) ? -1 : setting_write_number(view, watchdogs[1], 0, out);
}

void setting_look_aslr(const struct settings_view *view, struct setting_state *out)
{
    static const char *const levels[] = {"0 (none)", "1 (stack, mappings)", "2 (stack, mappings, heap)"};
    int level = view->machine->randomize_va_space;
    if (level >= 0 && level < (int)COUNT(levels))
        setting_say(out, SETTING_OK, "%s", levels[level]);
    else
        setting_not_read(view, SYSCTL "kernel/randomize_va_space", level < 0 ? -ENOENT : -EILSEQ, out);
}

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage"
static const char *const thp_files[] = {"enabled", "defrag"};

void setting_look_thp(const struct settings_view *view, struct setting_state *out)
{
    char path[96], word[32], now[96] = "", item[64];
    bool good = true;
    int error = 0;
    for (size_t i = 0; i < COUNT(thp_files) && !error; i++) {
        snprintf(path, sizeof path, THP_FOLDER "/%s", thp_files[i]);
        error = setting_read_choice(view->root, path, word, sizeof word);
        snprintf(item, sizeof item, "%s %s", thp_files[i], word);
        setting_append(now, sizeof now, item);
        good &= strcmp(word, "never") == 0;
    }
    if (error)
        setting_not_read(view, path, error, out);
    else
        setting_say(out, good ? SETTING_OK : SETTING_NOISY, "%s", now);
}

/* "madvise" if the run asks for huge pages, otherwise "never". Files that say "never" already are left alone. */
int setting_writes_thp(const struct settings_view *view, struct setting_writes *out)
{
    const char *good = view->huge_advised ? "madvise" : "never";
    char word[32];
    for (size_t i = 0; i < COUNT(thp_files); i++) {
        const char *path = PROCFS_PATH(THP_FOLDER "/%s", thp_files[i]);
        if (setting_read_choice(view->root, path, word, sizeof word) == 0 && strcmp(word, "never") != 0 &&
            strcmp(word, good) != 0 && setting_writes_add(out, path, good))
            return -1;
    }
    return 0;
}

#define FAIR_FOLDER "/sys/kernel/debug/sched/fair_server"

void setting_look_fair_server(const struct settings_view *view, struct setting_state *out)
{
    unsigned cpus = 0, serving = 0;
    int64_t runtime_ns, longest_ns = 0;
    char path[96];
    int error = -ENOENT;
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        snprintf(path, sizeof path, FAIR_FOLDER "/cpu%u/runtime", cpu);
        if ((error = setting_read_number(view->root, path, &runtime_ns)) != 0)
            break;
        cpus++;
        serving += runtime_ns > 0;
        longest_ns = runtime_ns > longest_ns ? runtime_ns : longest_ns;
    }
    if (error == 0)
        setting_say(out, SETTING_OK, "%" PRId64 " ms in turn on %u of %u", longest_ns / 1000000, serving, cpus);
    else
        setting_not_read(view, FAIR_FOLDER, error, out);
    if (out->verdict == SETTING_NA && setting_kernel_is(view->machine, 6, 12)) {
        out->verdict = SETTING_UNKNOWN;
        setting_why(out, "debugfs does not show it");
    }
}

void setting_look_clocksource(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const char *const counters[] = {"tsc", "arch_sys_counter", "riscv_clocksource", "timebase", "tod", "stp"};
    char name[64];
    int error = setting_read_line(view->root, path, name, sizeof name);
    if (!error && strchr(name, '?'))
        error = -EILSEQ;
    if (setting_failed(view, path, error, out))
        return;
    setting_say(out, SETTING_NOISY, "%s", name);
    for (size_t i = 0; i < COUNT(counters); i++)
        if (strcmp(name, counters[i]) == 0)
            out->verdict = SETTING_OK;
}

void setting_look_vulnerabilities(const struct settings_view *view, struct setting_state *out)
{
    static const char folder[] = CPU_FOLDER "/vulnerabilities";
    unsigned mitigated = 0, vulnerable = 0, other = 0;
    char text[128];
    const char *isolation = "";
    FREED_BY(memory_free) char **names = procfs_names(view->root, folder);
    if (setting_failed(view, folder, names ? 0 : -errno, out) || !names)
        return;
    for (char **name = names; *name; name++) {
        setting_read_line(view->root, PROCFS_PATH("%s/%s", folder, *name), text, sizeof text);
        const bool is_mitigated = strncmp(text, "Mitigation", 10) == 0, is_open = strncmp(text, "Vulnerable", 10) == 0;
        mitigated += is_mitigated;
        vulnerable += is_open;
        other += strncmp(text, "Not affected", 12) == 0;
        if (strcmp(*name, "meltdown") == 0 && (is_mitigated || is_open))
            isolation = is_mitigated ? "; page tables isolated" : "; page tables not isolated";
    }
    if (mitigated + vulnerable + other == 0)
        setting_not_read(view, CPU_FOLDER "/vulnerabilities/*", -EILSEQ, out);
    else
        setting_say(out, SETTING_OK, "%u mitigated, %u open, %u do not apply%s", mitigated, vulnerable, other,
                    isolation);
}

/* --- Not judged: why two machines, or two runs on one, differ. --- */

#define DEBUG "/sys/kernel/debug/"

/* "": the file does not tell. */
static void tell(const struct settings_view *view, const char *path, const char *value, struct setting_state *out)
{
    if (value[0])
        setting_say(out, SETTING_OK, "%s", value);
    else
        setting_not_read(view, path, -ENOENT, out);
}

void setting_look_cpu_quota(const struct settings_view *view, struct setting_state *out)
{
    if (view->machine->cpu_quota > 0)
        setting_say(out, SETTING_NOISY, "%.3g CPUs", view->machine->cpu_quota);
    else
        tell(view, "/proc/self/cgroup", view->machine->have_proc ? "none" : "", out);
}

void setting_look_scheduler(const struct settings_view *view, struct setting_state *out)
{
    const char *kernel = view->machine->kernel, *rule = setting_kernel_is(view->machine, 6, 6) ? "EEVDF" : "CFS";
    char text[64], name[48];
    int64_t bore;
    if (setting_read_number(view->root, "/proc/sys/kernel/sched_bore", &bore) == 0 && bore > 0)
        rule = "BORE";
    if (setting_read_line(view->root, "/sys/kernel/sched_ext/state", text, sizeof text) == 0 &&
        strcmp(text, "enabled") == 0) {
        setting_read_line(view->root, "/sys/kernel/sched_ext/root/ops", name, sizeof name);
        snprintf(text, sizeof text, "sched_ext%s%s", name[0] ? " " : "", name);
        rule = text;
    }
    tell(view, "/proc/sys/kernel/osrelease", kernel[0] >= '1' && kernel[0] <= '9' ? rule : "", out);
}

/* From debugfs, which marks the one in force ("none (full) lazy"), then the kernel's command line, then its
 * configuration, which sets the one after boot, then `uname -v`. */
void setting_look_preempt(const struct settings_view *view, struct setting_state *out)
{
    static const char *const models[][2] = {
        {"PREEMPT_RT", "rt"},     {"PREEMPT_RT_FULL", "rt"},          {"PREEMPT RT", "rt"},
        {"PREEMPT_LAZY", "lazy"}, {"PREEMPT_VOLUNTARY", "voluntary"}, {"PREEMPT_NONE", "none"},
        {"PREEMPT", "full"}};
    const char *kernel = view->machine->kernel, *model = "";
    const bool dynamic = strstr(kernel, "PREEMPT_DYNAMIC") != NULL;
    char text[512], *at = NULL;
    FREED_BY(memory_free) char *config = setting_read_config(view);
    FREED_BY(memory_free) char *words = procfs_read_all(view->root, "/proc/cmdline");
    if (setting_read_line(view->root, DEBUG "sched/preempt", text, sizeof text) == 0 && (at = strchr(text, '('))) {
        at[strcspn(at, ")")] = '\0';
        model = at + 1;
    }
    for (char *rest = words, *word; !at && dynamic && (word = strsep(&rest, " \n"));)
        if (strncmp(word, "preempt=", 8) == 0)
            model = word + 8;
    for (size_t i = 0; i < COUNT(models) && !model[0]; i++) {
        snprintf(text, sizeof text, " %s ", models[i][0]);
        if (config ? setting_config_has(config, models[i][0]) : strstr(kernel, text) != NULL)
            model = models[i][1];
    }
    if (!model[0] && !config && !dynamic && strchr(kernel, '#')) /* `uname -v` begins with it */
        model = "voluntary or none";
    tell(view, "/proc/sys/kernel/version", model, out);
}

/* Name, place and meaning of the file have changed, but it is always the least time for which a task keeps its CPU
 * while others wait. */
void setting_look_base_slice(const struct settings_view *view, struct setting_state *out)
{
    static const char *const paths[] = {DEBUG "sched/base_slice_ns", DEBUG "sched/min_granularity_ns",
                                        "/proc/sys/kernel/sched_min_granularity_ns"};
    char text[32] = "";
    int64_t ns;
    for (size_t i = 0; i < COUNT(paths) && !text[0]; i++)
        if (setting_read_number(view->root, paths[i], &ns) == 0)
            snprintf(text, sizeof text, "%.6g ms", (double)ns / 1e6);
    tell(view, paths[0], text, out);
}

void setting_look_os(const struct settings_view *view, struct setting_state *out)
{
    static const char key[] = "PRETTY_NAME=";
    char name[64] = "";
    FREED_BY(memory_free) char *text = procfs_read_all(view->root, "/etc/os-release");
    for (const char *line = text; line; line = procfs_next_line(line)) {
        const char *value = line + sizeof key - 1;
        if (strncmp(line, key, sizeof key - 1) == 0) {
            value += strspn(value, "\"'");
            procfs_copy(value, strcspn(value, "\"'\n"), name, sizeof name);
        }
    }
    tell(view, "/etc/os-release", name, out);
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

void setting_look_page_size(const struct settings_view *view, struct setting_state *out)
{
    char size[24];
    tell(view, "", size_text((uint64_t)sysconf(_SC_PAGESIZE), size), out);
}

void setting_look_hugetlb(const struct settings_view *view, struct setting_state *out)
{
    static const char folder[] = "/sys/kernel/mm/hugepages";
    char list[sizeof out->now] = "", item[64], size[24];
    FREED_BY(memory_free) char **names = procfs_names(view->root, folder);
    bool known = names != NULL;
    for (char **name = names; name && *name; name++) { /* "hugepages-2048kB" */
        int64_t number = 0;
        const uint64_t kib = strtoull(*name + strcspn(*name, "0123456789"), NULL, 10);
        known &= setting_read_number(view->root, PROCFS_PATH("%s/%s/nr_hugepages", folder, *name), &number) == 0;
        snprintf(item, sizeof item, "%" PRId64 " of %s", number, size_text(kib * 1024, size));
        if (number > 0)
            setting_append(list, sizeof list, item);
    }
    tell(view, folder, list[0] ? list : known ? "none" : "", out);
}

void setting_look_fault_around(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = DEBUG "fault_around_bytes";
    char size[24] = "";
    int64_t bytes;
    if (setting_read_number(view->root, path, &bytes) == 0)
        size_text((uint64_t)bytes, size);
    tell(view, path, size, out);
}

/* A bit for each prefetcher in a register of the first CPU (Intel: MISC_FEATURE_CONTROL; AMD from Zen 4: Prefetch
 * Control). */
void setting_look_prefetchers(const struct settings_view *view, struct setting_state *out)
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
    char vendor[16] = "", off[sizeof out->now] = "";
    const char *known = "";
    FREED_BY(memory_free) char *text = procfs_read_all(view->root, "/proc/cpuinfo");
    uint64_t value;
    for (size_t i = 0; i < COUNT(registers) && text && procfs_value(text, "vendor_id", vendor, sizeof vendor); i++) {
        const int fd = strcmp(vendor, registers[i].vendor) ? -1 : procfs_open(view->root, path);
        if (fd < 0 || pread(fd, &value, sizeof value, registers[i].number) != sizeof value)
            value = 0;
        else
            known = "on";
        fd_close(&fd);
        for (size_t bit = 0; bit < COUNT(registers[i].bits); bit++)
            if (value >> bit & 1 && registers[i].bits[bit])
                setting_append(off, sizeof off, registers[i].bits[bit]);
    }
    tell(view, path, known, out);
    if (off[0])
        setting_say(out, SETTING_OK, "off: %s", off);
}

/* From the SMBIOS table: structures of a header (type, length of the fixed part), a fixed part, and texts that end
 * with an empty one. A module is of type 17, its size at 12 (0: empty slot), its highest speed at 21 and, from
 * SMBIOS 2.7, its configured speed at 32, in MT/s. */
void setting_look_dimms(const struct settings_view *view, struct setting_state *out)
{
    unsigned n = 0, least = UINT16_MAX, most = 0;
    static const char path[] = "/sys/firmware/dmi/tables/DMI";
    const int fd = procfs_open(view->root, path);
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
        snprintf(text, sizeof text, least < most ? "%u at %u to %u MT/s" : "%u at %u MT/s", n, least, most);
    tell(view, path, text, out);
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

/* Returns 0; or -errno when processes cannot be seen. */
static int find_programs(const struct settings_view *view, bool seen[COUNT(programs)])
{
    char name[32];
    memset(seen, 0, COUNT(programs) * sizeof *seen);
    /* Where /proc hides others' processes, it hides PID 1 too. */
    int error = setting_read_line(view->root, "/proc/1/comm", name, sizeof name);
    FREED_BY(memory_free) char **pids = error ? NULL : procfs_names(view->root, "/proc");
    if (!pids)
        return error ? error : -errno;
    for (char **pid = pids; *pid; pid++) {
        if ((*pid)[strspn(*pid, "0123456789")])
            continue;
        if (setting_read_line(view->root, PROCFS_PATH("/proc/%s/comm", *pid), name, sizeof name))
            continue;
        for (size_t i = 0; i < COUNT(programs); i++)
            seen[i] |= strcmp(programs[i].comm, name) == 0;
    }
    return 0;
}

size_t settings_programs(const struct settings_view *view, const struct settings_program **found, size_t size)
{
    bool seen[COUNT(programs)];
    size_t n = 0;
    if (find_programs(view, seen) == 0)
        for (size_t i = 0; i < COUNT(programs) && n < size; i++)
            if (seen[i])
                found[n++] = &programs[i];
    return n;
}

/* Noisy when one of the programs first to end - 1 runs. */
static void look_for_programs(const struct settings_view *view, size_t first, size_t end, struct setting_state *out)
{
    bool seen[COUNT(programs)];
    char names[sizeof out->now] = "";
    int error = find_programs(view, seen);
    for (size_t i = first; i < end; i++)
        if (seen[i])
            setting_append(names, sizeof names, programs[i].comm);
    if (error && view->machine->have_proc) {
        setting_say(out, SETTING_UNKNOWN, "%s", "");
        setting_why(out, "other users' processes cannot be seen");
    } else if (error) {
        setting_not_read(view, "/proc/1/comm", error, out);
    } else if (names[0]) {
        setting_say(out, SETTING_NOISY, "%s", names);
    } else {
        setting_say(out, view->machine->container[0] ? SETTING_UNKNOWN : SETTING_OK, "none seen");
        if (view->machine->container[0])
            setting_why(out, "the host's processes cannot be seen from a container");
    }
}

void setting_look_irqbalance(const struct settings_view *view, struct setting_state *out)
{
    look_for_programs(view, 0, 1, out);
}

void setting_look_daemons(const struct settings_view *view, struct setting_state *out)
{
    look_for_programs(view, 1, COUNT(programs), out);
}

static bool meminfo_mib(const char *text, const char *key, uint64_t *mib)
{
    char value[32];
    if (!procfs_value(text, key, value, sizeof value) || !procfs_number(value, mib))
        return false;
    *mib /= 1024;
    return true;
}

void setting_look_swap(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = "/proc/meminfo";
    char text[8192];
    uint64_t total, unused;
    ssize_t length = procfs_read(view->root, path, text, sizeof text);
    if (length <= 0)
        setting_not_read(view, path, length < 0 ? (int)length : -ENODATA, out);
    else if (!meminfo_mib(text, "SwapTotal", &total) || !meminfo_mib(text, "SwapFree", &unused) || unused > total)
        setting_not_read(view, path, -EILSEQ, out);
    else if (total == 0)
        setting_say(out, SETTING_OK, "no swap");
    else
        setting_say(out, unused < total ? SETTING_NOISY : SETTING_OK, "%" PRIu64 " of %" PRIu64 " MiB", total - unused,
                    total);
}

void setting_look_load(const struct settings_view *view, struct setting_state *out)
{
    double load = view->machine->load1, low = 0.05 * view->machine->cpus_online;
    if (load < 0)
        setting_not_read(view, "/proc/loadavg", -ENOENT, out);
    else
        setting_say(out, load > (low > 0.5 ? low : 0.5) ? SETTING_NOISY : SETTING_OK, "%.2f", load);
}

void setting_look_pressure(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = "/proc/pressure/memory", start[] = "some avg10=";
    char text[128];
    int error = setting_read_line(view->root, path, text, sizeof text);
    const char *value = text + sizeof start - 1;
    char *end = NULL;
    double share = !error && strncmp(text, start, sizeof start - 1) == 0 ? strtod(value, &end) : 0;
    if (!error && !(end && end > value && share >= 0 && share <= 100))
        error = -EILSEQ;
    if (!setting_failed(view, path, error, out))
        setting_say(out, share >= 1 ? SETTING_NOISY : SETTING_OK, "%.2f %%", share);
}

void setting_look_hypervisor(const struct settings_view *view, struct setting_state *out)
{
    const char *name = view->machine->hypervisor;
    if (name[0])
        setting_say(out, SETTING_NOISY, "%s", strcmp(name, "yes") ? name : "one without name");
    else if (view->machine->have_sys || view->machine->have_proc)
        setting_say(out, SETTING_OK, "none seen");
    else
        setting_not_read(view, "/sys/hypervisor", -ENOENT, out);
}

void setting_look_steal(const struct settings_view *view, struct setting_state *out)
{
    struct machine_activity before, after;
    machine_read_activity(view->root, &before);
    if (before.steal_ns < 0) {
        setting_not_read(view, "/proc/stat", view->machine->have_proc ? -EILSEQ : -ENOENT, out);
        return;
    }
    after = before;
    if (view->moment) {
        view->moment();
        machine_read_activity(view->root, &after);
    }
    setting_say_rise(view, (double)before.steal_ns * 1e-9, (double)after.steal_ns * 1e-9, 2, "s", out);
}

/* Reads a file of an entry in /sys/class. Returns 0 or -errno. */
static int read_of(const struct settings_view *view, const char *folder, const char *name, const char *file, char *buf,
                   size_t size)
{
    return setting_read_line(view->root, PROCFS_PATH("%s/%s/%s", folder, name, file), buf, size);
}

void setting_look_power(const struct settings_view *view, struct setting_state *out)
{
    static const char folder[] = "/sys/class/power_supply";
    char type[32], scope[16], online[8];
    bool plugged = false, any = false, battery = false;
    FREED_BY(memory_free) char **names = procfs_names(view->root, folder);
    int error = names ? -ENOENT : -errno;
    for (char **name = names; name && *name; name++) {
        /* "Device" is the battery of a mouse. */
        if (read_of(view, folder, *name, "type", type, sizeof type) == 0 && strcmp(type, "Battery") == 0) {
            battery |= read_of(view, folder, *name, "scope", scope, sizeof scope) || strcmp(scope, "Device") != 0;
            continue;
        }
        if (read_of(view, folder, *name, "online", online, sizeof online) || !strchr("012", online[0]))
            continue;
        any = true;
        plugged |= online[0] != '0';
    }
    if (plugged)
        setting_say(out, SETTING_OK, "online");
    else if (any && battery)
        setting_say(out, SETTING_NOISY, "on battery");
    else /* not online counts only beside a battery: an idle USB-C port of a desktop is one */
        setting_not_read(view, folder, error, out);
}
