/* SPDX-License-Identifier: MIT */
/* Resolves --cpus. Without it, measurements take the CPUs in the order of machine_cpu_order(). */
#include "cmd/cmd.h"

#include <errno.h>

const char *const cpus_choices[] = {[CPUS_ALL] = "all", [CPUS_QUIET] = "quiet", NULL};

bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable)
{
    struct cpuset before;
    bool same = false;

    cpuset_clear(usable);
    if (task_get_affinity(&before))
        return true; /* not known; the worker will report a failure */
    int error = task_set_affinity(wanted);
    /* refused by a container or an old emulator, whatever the CPUs */
    if (error == -EPERM || error == -ENOSYS)
        return true;
    if (error == 0)
        same = task_get_affinity(usable) || cpuset_equal(wanted, usable);
    task_set_affinity(&before);
    return same;
}

void cpus_of_mask(const struct cpuset *online, struct cpuset *out)
{
    if (task_get_affinity(out) == 0)
        return;
    *out = *online;
    if (!cpuset_count(out))
        cpuset_add(out, 0);
}

void cpus_allowed(const struct cpuset *online, struct cpuset *out)
{
    struct cpuset usable;

    cpus_of_mask(online, out);
    if (!cpuset_count(online))
        return;
    cpus_usable(online, &usable);
    cpuset_union(out, &usable);
}

int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, struct error *error)
{
    struct cpuset offline = *cpus;
    char list[256], there[128];

    if (cpuset_subset(cpus, online))
        return 0;
    for (unsigned cpu = cpuset_next(online, 0); cpu != CPUSET_NONE; cpu = cpuset_next(online, cpu + 1))
        cpuset_remove(&offline, cpu);
    cpuset_format_cut(&offline, list, sizeof(list));
    cpuset_format_cut(online, there, sizeof(there));
    return error_set(error, "--cpus: CPU %s is offline or does not exist (online: %s)", list, there);
}

static int find_quiet(const struct machine *machine, struct cpuset *bench, struct error *error)
{
    FREED_BY(memory_free) struct place_request *allowed = memory_get(1, sizeof(*allowed));
    struct clock_info clock;
    char why[160];
    unsigned cpu;

    cpus_allowed(&machine->online, &allowed->cpus);
    allowed->online = cpuset_count(&machine->online) ? machine->online : allowed->cpus;
    allowed->n_order = machine_cpu_order("", &allowed->cpus, allowed->order, CPUSET_MAX);
    if (!allowed->n_order && cpuset_count(&allowed->cpus))
        memory_out();
    clock_choose(&clock);
    if (quiet_cpu(allowed, &clock, true, &cpu, why, sizeof(why)))
        return error_set(error, "--cpus quiet: %s", why);
    cpuset_clear(bench);
    cpuset_add(bench, cpu);
    return 0;
}

int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench,
               struct error *error)
{
    if (named && named->choice == CPUS_QUIET)
        return find_quiet(machine, bench, error);
    if (named && named->choice < 0) {
        *bench = named->set;
        return cpuset_count(&machine->online) ? cpus_check_online(bench, &machine->online, error) : 0;
    }
    if (!named) {
        settings_bench_cpus("", machine, bench);
        return 0;
    }
    *bench = machine->online;
    if (!cpuset_count(bench))
        cpus_allowed(&machine->online, bench);
    return 0;
}
