/* SPDX-License-Identifier: MIT */
#include "settings/settings_read.h"

#include "sys/process.h"

int setting_read_choice(const char *path, char *buf, size_t size)
{
    char line[256];
    int error = READ_LINE(path, line);
    const bool chosen = procfs_choice(line, buf, size);

    return error ? error : chosen ? 0 : -EILSEQ;
}

int setting_read_cpus(const char *path, struct cpuset *out)
{
    struct error why;
    FREED char *text = procfs_read_all(path);
    cpuset_clear(out);
    if (!text)
        return -errno;
    const bool none = !text[strspn(text, " \t\r\n")] || starts_with(text, "(null)");
    return none || cpuset_parse(text, out, &why) == 0 ? 0 : -EILSEQ;
}

/* Path and value are one allocation, which begins with the path. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value)
{
    size_t path_size = strlen(path) + 1, value_size = strlen(value) + 1;
    bool room = GROW_ARRAY(writes->write, writes->capacity, writes->n);
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

void setting_append(char *list, size_t size, const char *word)
{
    static const char more[] = ", ...";
    size_t length = strlen(list), kept = length + sizeof more;
    char printable[64];
    if (length >= sizeof more - 1 && !strcmp(list + length - (sizeof more - 1), more))
        return;
    procfs_copy(word, strlen(word), printable, sizeof printable);
    /* Keeps room for "...". */
    if (kept + strlen(printable) + 2 <= size)
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", printable);
    else if (kept <= size)
        snprintf(list + length, size - length, "%s", more);
}

bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor)
{
    unsigned has_major, has_minor;
    return sscanf(machine->kernel, "%u.%u", &has_major, &has_minor) != 2 || has_major > major ||
           (has_major == major && has_minor >= minor);
}

/* --- CPUs. --- */

char *settings_format_cpus(const struct cpuset *set, char *buf, size_t size)
{
    if (cpuset_format_cut(set, buf, size) && !buf[0])
        snprintf(buf, size, "none");
    return buf;
}

/* Keeps the CPUs in limit, unless none would be left. */
static void narrow(struct cpuset *set, const struct cpuset *limit)
{
    if (!setting_disjoint(set, limit))
        cpuset_intersect(set, limit);
}

void settings_bench_cpus(const struct machine *machine, struct cpuset *out)
{
    struct cpuset group, mask, isolated, rest;
    bool have_mask = !procfs_root[0] && task_get_affinity(&mask) == 0;
    *out = machine->online;
    if (cpuset_is_empty(out) && have_mask)
        *out = mask;
    if (cpuset_is_empty(out))
        cpuset_add(out, 0);
    if (cgroup_cpus(&group))
        narrow(out, &group);
    if (setting_read_cpus(CPU_FOLDER "/isolated", &isolated))
        cpuset_clear(&isolated);
    cgroup_isolated_cpus(&group);
    cpuset_union(&isolated, &group);
    /* An affinity mask of all but the isolated CPUs is the kernel's default, no choice of the user. */
    rest = cpuset_without(out, &isolated);
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

/* "L1d:32K+L1i:32K+L2:512K+L3:16M" of the lowest CPU. */
static void list_caches(const struct settings_view *view, char *list, size_t size)
{
    static const char file[] = CPU_FOLDER "/cpu%u/cache/index%u/%s";
    char level[8], type[24], bytes[24];
    const unsigned first = cpuset_next(&view->machine->online, 0), cpu = first == CPUSET_NONE ? 0 : first;

    list[0] = '\0';
    for (unsigned index = 0; index < 16; index++) {
        if (READ_LINE(PROCFS_PATH(file, cpu, index, "level"), level))
            break;
        READ_LINE(PROCFS_PATH(file, cpu, index, "type"), type);
        const char *kind = type[0] == 'D' ? "d" : type[0] == 'I' ? "i" : "";
        if (!READ_LINE(PROCFS_PATH(file, cpu, index, "size"), bytes))
            text_add(list, size, "%sL%s%s:%s", list[0] ? "+" : "", level, kind, bytes);
    }
}

/* "Mitigation: Retpolines; BHI: Not affected" becomes "Retpolines; BHI: no". */
static void shorten(const char *state, char *buf, size_t size)
{
    static const char mitigation[] = "Mitigation: ", unaffected[] = "Not affected";
    char *at = buf;

    if (starts_with(state, mitigation))
        state += sizeof mitigation - 1;
    while (*state && at + 3 < buf + size) {
        if (starts_with(state, unaffected)) {
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
    for_each_setting(i)
        if (settings_list[i].recorded) {
            setting_look(&settings_list[i], view, &state, NULL);
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
    FREED char *cpus = procfs_read_all("/proc/cpuinfo");
    if (cpus && procfs_value(cpus, "microcode", text, 32))
        setting_items_add(buf, size, "microcode", text, VALUE_MOST);
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(firmware); i++)
        if (!procfs_read_line(PROCFS_PATH("/sys/class/dmi/id/%s", firmware[i]), line, 80))
            text_add(text, 256, "%s%s", text[0] ? " " : "", line);
    setting_items_add(buf, size, "firmware", text, VALUE_MOST);
    FREED char *parameters = procfs_read_all("/proc/cmdline");
    FREED_BY(text_free) struct text words = {0};
    char *rest = parameters;
    /* Up to "--": what follows is for init. */
    for (const char *word; (word = strsep(&rest, " \n")) && strcmp(word, "--");)
        if (bears_on_noise(word))
            text_printf(&words, "%s%s", words.length ? " " : "", word);
    if (words.length && !words.failed)
        setting_items_add(buf, size, "cmdline", words.data, VALUE_MOST);
    FREED char **names = procfs_names(vulnerabilities);
    for (char **name = names; name && *name; name++)
        if (!READ_LINE(PROCFS_PATH("%s/%s", vulnerabilities, *name), line)) {
            shorten(line, text, sizeof text);
            setting_items_add(buf, size, *name, text, MITIGATION_MOST);
        }
}
