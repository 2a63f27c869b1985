/* SPDX-License-Identifier: MIT */
/* Settings outside the bench CPUs: running programs, memory, power, the hypervisor. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/process.h"

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
