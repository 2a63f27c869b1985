/* SPDX-License-Identifier: MIT */
/* Not judged: why two machines, or two runs on one, differ. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings_look.h"
#include "sys/process.h"

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
