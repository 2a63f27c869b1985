/* SPDX-License-Identifier: MIT */
/* The CSV column `settings`. */
#include <stdio.h>
#include <string.h>

#include "rows/text.h"
#include "settings/settings_look.h"
#include "sys/machine.h"
#include "sys/process.h"

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
    static const char *const beginnings[] = {"amd_pstate",   "audit",       "clocksource",
                                             "cpufreq.",     "cpuidle",     "default_hugepagesz",
                                             "hpet",         "hugepages",   "idle=",
                                             "init_on_",     "intel_i",     "intel_pstate",
                                             "iommu",        "irqaffinity", "isolcpus",
                                             "kthread_",     "l1tf",        "maxcpus",
                                             "mce",          "mds",         "mem=",
                                             "mitigations",  "nmi_watch",   "no_timer_check",
                                             "nohz",         "nopti",       "nosmt",
                                             "nosoftlockup", "nospectre",   "nowatchdog",
                                             "nr_cpus",      "numa",        "page_poison",
                                             "pcie_aspm",    "preempt",     "processor.",
                                             "psi",          "pti",         "quiet",
                                             "rcu_",         "rcupdate.",   "rcutree.",
                                             "relax_",       "retbleed",    "sched",
                                             "skew_tick",    "slab_",       "slub_",
                                             "spec",         "threadirqs",  "transparent_hugepage",
                                             "tsc",          "tsx",         "workqueue."};

    for (size_t i = 0; i < COUNT(beginnings); i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
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
