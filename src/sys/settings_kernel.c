/* SPDX-License-Identifier: MIT */
/* What the kernel does by itself now and then, and how it was built. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/settings_look.h"
#include "sys/tree.h"

#define SYSCTL       "/proc/sys/"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- files that are a number --- */

/* A number that stands for itself in the table, and the one that is good. */
static void look_at_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                           struct setting_state *out)
{
    int64_t value;
    int error = setting_read_number(view->root, path, &value);
    if (error)
        setting_not_read(view, path, error, out);
    else
        setting_say(out, value == good ? SETTING_OK : SETTING_NOISY, "%" PRId64 "%s", value, unit);
}

static int write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out)
{
    char text[24];
    int64_t value;
    if (setting_read_number(view->root, path, &value) || value == good)
        return 0;
    snprintf(text, sizeof text, "%" PRId64, good);
    return setting_writes_add(out, path, text);
}

#define PERF_RATE SYSCTL "kernel/perf_event_max_sample_rate"

void setting_look_perf_rate(const struct settings_view *view, struct setting_state *out)
{
    look_at_number(view, PERF_RATE, 1, " a second", out);
}

int setting_writes_perf_rate(const struct settings_view *view, struct setting_writes *out)
{
    return write_number(view, PERF_RATE, 1, out);
}

#define RT_RUNTIME SYSCTL "kernel/sched_rt_runtime_us"

void setting_look_rt_throttling(const struct settings_view *view, struct setting_state *out)
{
    int64_t runtime_us, period_us;
    look_at_number(view, RT_RUNTIME, -1, " us", out);
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
    return write_number(view, RT_RUNTIME, -1, out);
}

#define STAT_INTERVAL   SYSCTL "vm/stat_interval"
#define STAT_INTERVAL_S 20

void setting_look_stat_interval(const struct settings_view *view, struct setting_state *out)
{
    look_at_number(view, STAT_INTERVAL, STAT_INTERVAL_S, " s", out);
    int64_t value;
    if (out->verdict == SETTING_NOISY && setting_read_number(view->root, STAT_INTERVAL, &value) == 0 &&
        value > STAT_INTERVAL_S)
        out->verdict = SETTING_OK;
}

int setting_writes_stat_interval(const struct settings_view *view, struct setting_writes *out)
{
    int64_t value;
    if (setting_read_number(view->root, STAT_INTERVAL, &value) || value > STAT_INTERVAL_S)
        return 0;
    return write_number(view, STAT_INTERVAL, STAT_INTERVAL_S, out);
}

/* The one that stands for both is written last, so that it is restored first: it switches the other on as well. */
static const char *const watchdogs[] = {SYSCTL "kernel/nmi_watchdog", SYSCTL "kernel/watchdog"};

void setting_look_watchdogs(const struct settings_view *view, struct setting_state *out)
{
    struct setting_state hard, both;
    look_at_number(view, watchdogs[0], 0, "", &hard);
    look_at_number(view, watchdogs[1], 0, "", &both);
    *out = both.verdict == SETTING_NA || both.verdict == SETTING_OK ? hard : both;
    if (hard.verdict == SETTING_NA)
        *out = both;
    else if (hard.verdict == SETTING_NOISY && both.verdict == SETTING_NOISY)
        setting_say(out, SETTING_NOISY, "watchdog %.40s, nmi_watchdog %.40s", both.now, hard.now);
}

int setting_writes_watchdogs(const struct settings_view *view, struct setting_writes *out)
{
    for (size_t i = 0; i < COUNT(watchdogs); i++) {
        if (write_number(view, watchdogs[i], 0, out))
            return -1;
    }
    return 0;
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

/* --- transparent huge pages --- */

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage"
static const char *const thp_files[] = {"enabled", "defrag"};

/* The word in brackets: 0, -EILSEQ when there is none, or -errno. */
static int read_choice(const char *root, const char *path, char *buf, size_t size)
{
    char line[256];
    int error = setting_read_line(root, path, line, sizeof line);
    buf[0] = '\0';
    if (error)
        return error;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    return close && tree_copy(open + 1, (size_t)(close - open - 1), buf, size) ? 0 : -EILSEQ;
}

void setting_look_thp(const struct settings_view *view, struct setting_state *out)
{
    char path[96], word[32], now[96] = "", item[64];
    bool good = true;
    int error = 0;
    for (size_t i = 0; i < COUNT(thp_files) && !error; i++) {
        snprintf(path, sizeof path, THP_FOLDER "/%s", thp_files[i]);
        error = read_choice(view->root, path, word, sizeof word);
        snprintf(item, sizeof item, "%s %s", thp_files[i], word);
        setting_append(now, sizeof now, item);
        good &= strcmp(word, "never") == 0;
    }
    if (error)
        setting_not_read(view, path, error, out);
    else
        setting_say(out, good ? SETTING_OK : SETTING_NOISY, "%s", now);
}

/* Who asks for huge pages has them with madvise; that it is never already stays as it is. */
int setting_writes_thp(const struct settings_view *view, struct setting_writes *out)
{
    const char *good = view->huge_advised ? "madvise" : "never";
    char path[96], word[32];
    for (size_t i = 0; i < COUNT(thp_files); i++) {
        snprintf(path, sizeof path, THP_FOLDER "/%s", thp_files[i]);
        if (read_choice(view->root, path, word, sizeof word) == 0 && strcmp(word, "never") != 0 &&
            strcmp(word, good) != 0 && setting_writes_add(out, path, good))
            return -1;
    }
    return 0;
}

/* --- fair server --- */

#define FAIR_FOLDER "/sys/kernel/debug/sched/fair_server"

/* It came with Linux 6.12. */
static bool kernel_has_fair_server(const struct machine *machine)
{
    unsigned major, minor;
    return sscanf(machine->kernel, "%u.%u", &major, &minor) != 2 || major > 6 || (major == 6 && minor >= 12);
}

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
    if (out->verdict == SETTING_NA && kernel_has_fair_server(view->machine)) {
        out->verdict = SETTING_UNKNOWN;
        setting_why(out, "debugfs does not show it");
    }
}

/* --- clocksource --- */

void setting_look_clocksource(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const char *const counters[] = {"tsc", "arch_sys_counter", "riscv_clocksource", "timebase", "tod", "stp"};
    char name[64];
    int error = setting_read_line(view->root, path, name, sizeof name);
    if (!error && strchr(name, '?'))
        error = -EILSEQ;
    if (error) {
        setting_not_read(view, path, error, out);
        return;
    }
    setting_say(out, SETTING_NOISY, "%s", name);
    for (size_t i = 0; i < COUNT(counters); i++) {
        if (strcmp(name, counters[i]) == 0)
            out->verdict = SETTING_OK;
    }
}

/* --- how it was built --- */

void setting_look_vulnerabilities(const struct settings_view *view, struct setting_state *out)
{
    static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
    unsigned mitigated = 0, vulnerable = 0, other = 0;
    char path[320], text[128];
    const char *isolation = "";
    char **names = tree_names(view->root, folder);
    if (!names) {
        setting_not_read(view, "/sys/devices/system/cpu/vulnerabilities", -errno, out);
        return;
    }
    for (char **name = names; *name; name++) {
        snprintf(path, sizeof path, "%s/%.200s", folder, *name);
        setting_read_line(view->root, path, text, sizeof text);
        bool meltdown = strcmp(*name, "meltdown") == 0;
        if (strncmp(text, "Mitigation", 10) == 0) {
            mitigated++;
            isolation = meltdown ? "; page tables isolated" : isolation;
        } else if (strncmp(text, "Vulnerable", 10) == 0) {
            vulnerable++;
            isolation = meltdown ? "; page tables not isolated" : isolation;
        } else if (strncmp(text, "Not affected", 12) == 0) {
            other++;
        }
    }
    free(names);
    if (mitigated + vulnerable + other == 0)
        setting_not_read(view, "/sys/devices/system/cpu/vulnerabilities/*", -EILSEQ, out);
    else
        setting_say(out, SETTING_OK, "%u mitigated, %u open, %u do not apply%s", mitigated, vulnerable, other,
                    isolation);
}

/* The kernel's configuration as text, where the distribution left it uncompressed; NULL otherwise. */
static char *read_config(const struct settings_view *view)
{
    char path[128];
    const char *release = view->machine->kernel;
    snprintf(path, sizeof path, "/boot/config-%.*s", (int)strcspn(release, " "), release);
    return release[0] ? tree_read_all(view->root, path) : NULL;
}

/* What "KEY=" is followed by in a configuration, "n" when it is not set. False without a configuration. */
static bool config_value(const char *config, const char *key, char *buf, size_t size)
{
    size_t length = strlen(key);
    snprintf(buf, size, "n");
    for (const char *line = config; line; line = tree_next_line(line)) {
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return tree_copy(line + length + 1, strcspn(line + length + 1, "\n"), buf, size);
    }
    return config != NULL;
}

static const char no_config[] = "no /boot/config of this kernel";

void setting_look_hardening(const struct settings_view *view, struct setting_state *out)
{
    static const struct {
        const char *key, *name;
    } keys[] = {
        {"CONFIG_HARDENED_USERCOPY", "usercopy"},
        {"CONFIG_SLAB_FREELIST_RANDOM", "slab freelist random"},
        {"CONFIG_SLAB_FREELIST_HARDENED", "slab freelist hardened"},
        {"CONFIG_INIT_ON_ALLOC_DEFAULT_ON", "init on alloc"},
    };
    char *config = read_config(view), value[8], item[64], now[sizeof out->now] = "";
    for (size_t i = 0; config && i < COUNT(keys); i++) {
        config_value(config, keys[i].key, value, sizeof value);
        snprintf(item, sizeof item, "%s %s", keys[i].name, value[0] == 'y' ? "yes" : "no");
        setting_append(now, sizeof now, item);
    }
    setting_say(out, config ? SETTING_OK : SETTING_UNKNOWN, "%s", now);
    if (!config)
        setting_why(out, "%s", no_config);
    free(config);
}

void setting_look_page_faults(const struct settings_view *view, struct setting_state *out)
{
    static const char path[] = "/sys/kernel/debug/fault_around_bytes";
    long page = sysconf(_SC_PAGESIZE);
    int64_t around;
    int error = setting_read_number(view->root, path, &around);
    if (error == 0) {
        setting_say(out, SETTING_OK, "pages of %ld KiB, %" PRId64 " KiB around a fault", page / 1024, around / 1024);
        return;
    }
    setting_not_read(view, path, error, out);
    out->verdict = SETTING_UNKNOWN;
    snprintf(out->now, sizeof out->now, "pages of %ld KiB", page / 1024);
    if (!out->why[0])
        setting_why(out, "debugfs does not show the rest");
}

/* Ticks a second: the coarse clocks move once a tick. 0 when not known. */
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

void setting_look_tick(const struct settings_view *view, struct setting_state *out)
{
    static const char *const modes[] = {"NO_HZ_FULL", "NO_HZ_IDLE", "HZ_PERIODIC"};
    const char *mode = "NO_HZ mode not known";
    char key[32], value[8];
    char *config = read_config(view);
    long hz = tick_rate(view, config);
    for (size_t i = COUNT(modes); i-- > 0;) {
        snprintf(key, sizeof key, "CONFIG_%s", modes[i]);
        if (config_value(config, key, value, sizeof value) && value[0] == 'y')
            mode = modes[i];
    }
    free(config);
    if (hz > 0) {
        setting_say(out, SETTING_OK, "HZ %ld, %s", hz, mode);
        return;
    }
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    setting_why(out, "%s", no_config);
}
