/* SPDX-License-Identifier: MIT */
/* Periodic activity, page sizes, clock source, mitigations. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings_look.h"
#include "sys/process.h"

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
