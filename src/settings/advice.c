/* SPDX-License-Identifier: MIT */
/* Kernel parameters as in kernel-parameters.txt; isolcpus= has accepted managed_irq since Linux 5.6. */

#include "settings/settings_read.h"
#include "sys/process.h"

/* The longest list has only ranges of two CPUs. */
static void put_cpus(const struct cpuset *cpus, struct text *out)
{
    char list[(CPUSET_MAX / 3 + 1) * sizeof("8189-8190")];

    text_append(out, list, cpuset_format(cpus, list, sizeof(list)));
}

static bool is_noisy(const struct advice_found *found, size_t i)
{
    return found->selected[i] && found->state[i].verdict == SETTING_NOISY;
}

static bool item_is_noisy(const struct advice_found *found, const char *name)
{
    return is_noisy(found, (size_t)(setting_find(name) - settings_list));
}

/* Appends the noisy items that tune writes by default, or when named. */
static void put_names(const struct advice_found *found, enum setting_how how, const char *between, struct text *out)
{
    const char *before = "";

    for_each_setting(i)
        if (is_noisy(found, i) && settings_list[i].how == how) {
            text_printf(out, "%s%s", before, settings_list[i].name);
            before = between;
        }
}

static bool advise_tune(const struct advice_found *found, struct advice *out)
{
    FREED_BY(text_free) struct text names = {0}, named = {0};

    put_names(found, SETTING_WRITE, ", ", &names);
    put_names(found, SETTING_WRITE_NAMED, ", ", &named);
    if (names.length) {
        text_printf(&out->command, "jitbench tune --cpus ");
        put_cpus(found->view->bench, &out->command);
        if (!found->all) {
            text_printf(&out->command, " ");
            put_names(found, SETTING_WRITE, " ", &out->command);
        }
        text_printf(&out->text, "as root sets %s, and 'jitbench untune' restores them.", names.data);
    }
    if (named.length)
        text_printf(&out->text, "%s%s: tune sets it only when it is named, since it takes CPUs offline.",
                    names.length ? " " : "", named.data);
    return out->text.length > 0;
}

static void put_parameter(const char *name, const struct cpuset *cpus, struct text *out)
{
    text_printf(out, "%s%s", out->length ? " " : "", name);
    put_cpus(cpus, out);
}

static void put_kernel_line(const struct settings_view *view, const struct cpuset *others, struct text *out)
{
    struct setting_state ticks; /* read again: it may not be among the settings that were checked */
    char driver[16];

    setting_look(setting_find("nohz_full"), view, &ticks, NULL);
    put_parameter(setting_kernel_is(view->machine, 5, 6) ? "isolcpus=managed_irq,domain," : "isolcpus=", view->bench,
                  out);
    if (ticks.verdict != SETTING_NA) {
        put_parameter("nohz_full=", view->bench, out);
        if (!READ_LINE(CPU_FOLDER "/intel_pstate/status", driver) && !strcmp(driver, "active"))
            text_printf(out, " intel_pstate=passive");
    }
    put_parameter("rcu_nocbs=", view->bench, out);
    put_parameter("irqaffinity=", others, out);
}

static bool advise_boot(const struct advice_found *found, struct advice *out)
{
    static const char *const items[] = {"isolated",  "nohz_full",    "nohz_pstate",
                                        "rcu_nocbs", "kthread_cpus", "irqaffinity"};
    const struct settings_view *view = found->view;
    unsigned boot = cpuset_next(&view->machine->online, 0);
    struct cpuset others, usual = view->machine->online;
    bool noisy = false;

    for (size_t i = 0; i < COUNT(items); i++)
        noisy |= item_is_noisy(found, items[i]);
    if (!noisy)
        return false;
    others = cpuset_without(&view->machine->online, view->bench); /* left for other work */
    if (boot == CPUSET_NONE) {
        text_printf(&out->text, "The CPUs of this machine are not known, so there is no line for the kernel.");
    } else if (cpuset_count(&view->machine->online) == 1) {
        text_printf(&out->text, "With one CPU nothing can be kept off it.");
    } else if (cpuset_has(view->bench, boot)) {
        cpuset_remove(&usual, boot);
        text_printf(&out->text,
                    "CPU %u is the boot CPU: it keeps its tick and does the kernel's work for the other CPUs. Measure "
                    "on other CPUs, at most --cpus ",
                    boot);
        put_cpus(&usual, &out->text);
        text_printf(&out->text, ".");
    } else {
        put_kernel_line(view, &others, &out->command);
        text_printf(&out->text,
                    "goes on the kernel's command line%s and replaces parameters of the same names (with GRUB: "
                    "GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub or grub2-mkconfig). mitigations=off "
                    "would make system calls and faults cheaper, but the machine unsafe: it is not advised.",
                    view->machine->container[0] ? " of the host" : "");
    }
    return true;
}

/* They wake up by themselves, do much work at once, or change settings. */
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
    FREED char **pids = procfs_names("/proc");
    for (char **pid = pids; pid && *pid; pid++) {
        if ((*pid)[strspn(*pid, "0123456789")] || READ_LINE(PROCFS_PATH("/proc/%s/comm", *pid), name))
            continue;
        for (size_t i = 0; i < COUNT(programs); i++)
            seen[i] |= !strcmp(programs[i].comm, name);
    }
    for (size_t i = 0; i < COUNT(programs) && n < size; i++)
        if (seen[i])
            found[n++] = &programs[i];
    return n;
}

static bool has_systemd(void)
{
    char name[16];

    return procfs_exists("/run/systemd/system") || (READ_LINE("/proc/1/comm", name) == 0 && !strcmp(name, "systemd"));
}

/* Without systemd, timers and sockets are left out: a unit with a suffix is then not a service. */
static void put_services(const char *units, bool systemd, struct text *out)
{
    for (size_t length; *units; units += length + (units[length] == ' ')) {
        length = strcspn(units, " ");
        if (systemd)
            text_printf(out, "%s%.*s", out->length ? " " : "systemctl stop ", (int)length, units);
        else if (!memchr(units, '.', length))
            text_printf(out, "%sservice %.*s stop", out->length ? "; " : "", (int)length, units);
    }
}

static bool advise_services(const struct advice_found *found, struct advice *out)
{
    const struct settings_program *running[SETTINGS_PROGRAMS_MAX];
    bool systemd = has_systemd();
    FREED_BY(text_free) struct text others = {0};
    size_t n_others = 0;

    if (!item_is_noisy(found, "irqbalance") && !item_is_noisy(found, "daemons"))
        return false;
    size_t n = settings_programs(running, SETTINGS_PROGRAMS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!item_is_noisy(found, strcmp(running[i]->comm, "irqbalance") ? "daemons" : "irqbalance"))
            continue;
        size_t before = out->command.length;
        if (running[i]->units)
            put_services(running[i]->units, systemd, &out->command);
        if (out->command.length == before)
            text_printf(&others, "%s%s", n_others++ ? ", " : "", running[i]->comm);
    }
    if (out->command.length)
        text_printf(&out->text, "stops these programs until the next boot, or until '%s'.",
                    systemd ? "systemctl start" : "service NAME start");
    if (others.length)
        text_printf(&out->text, "%s%s: %s.", out->text.length ? " " : "", others.data,
                    n_others == 1 ? "wait until it ends, or end it; it is not a service"
                                  : "wait until they end, or end them; they are not services");
    return out->text.length > 0;
}

static bool advise_single(const struct advice_found *found, struct advice *out)
{
    bool systemd = has_systemd();

    if (!found->all || found->view->machine->container[0])
        return false;
    text_printf(&out->command, "%s", systemd ? "systemd.unit=rescue.target" : "1");
    text_printf(&out->text,
                "at the end of the kernel's command line for one boot (in GRUB: e, then Ctrl-X) gives a root shell on "
                "the console without services; it is the simple way where init=/jitbench cannot be used. '%s' does the "
                "same without a boot, but ends the network and all other logins.",
                systemd ? "systemctl isolate rescue.target" : "telinit 1");
    return true;
}

static bool advise_firmware(const struct advice_found *found, struct advice *out)
{
    const struct machine *machine = found->view->machine;

    if (!found->all || machine->container[0] || machine->hypervisor[0] || !(machine->have_proc || machine->have_sys))
        return false;
    text_printf(
        &out->text,
        "Look in its setup for: power profile (maximum performance), SpeedStep, turbo or core boost (off), "
        "hyper-threading or SMT (off), C-states and C1E (off), energy or power bias (performance), power capping "
        "(off), USB legacy support and other causes of system management interrupts (off), sub-NUMA clusters (note "
        "them).");
    return true;
}

static bool advise_host(const struct advice_found *found, struct advice *out)
{
    const struct machine *machine = found->view->machine;

    if (!found->all || (!machine->container[0] && !machine->hypervisor[0]))
        return false;
    if (machine->container[0])
        text_printf(&out->text,
                    "This is a container. The kernel's command line, interrupts, work queues and most settings of "
                    "the kernel can be set, and services stopped, only outside of it. ");
    if (machine->hypervisor[0])
        text_printf(&out->text,
                    "This is a virtual machine. Only its host can bind its CPUs to cores of their own without SMT "
                    "siblings, keep other guests off these cores, set their governor, turbo and C-states, and back "
                    "its memory with huge pages. ");
    text_printf(&out->text, "Run 'jitbench check' there.");
    return true;
}

size_t advice_make(const struct advice_found *found, struct advice advice[ADVICE_MAX])
{
    static const struct {
        const char *about;
        bool (*advise)(const struct advice_found *, struct advice *);
    } all[ADVICE_MAX] = {{"settings", advise_tune},      {"boot", advise_boot},         {"services", advise_services},
                         {"single-user", advise_single}, {"firmware", advise_firmware}, {"host", advise_host}};
    bool noisy = false;
    size_t n = 0;

    for_each_setting(i)
        noisy |= is_noisy(found, i);
    for (size_t i = 0; i < ADVICE_MAX && noisy; i++) {
        advice[n] = (struct advice){.about = all[i].about};
        n += all[i].advise(found, &advice[n]);
    }
    return n;
}

void advice_free(struct advice *advice, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_free(&advice[i].command);
        text_free(&advice[i].text);
    }
}
