/* SPDX-License-Identifier: MIT */
/* The meaning of --cpus: words, usable CPUs, online CPUs. */
#include "cmd/cpus.h"

#include <errno.h>
#include <stdio.h>

#include "sys/task.h"

const char *const cpus_choices[] = {[CPUS_ALL] = "all", [CPUS_QUIET] = "quiet", NULL};

bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable)
{
    struct cpuset before;
    bool same = false;

    cpuset_clear(usable);
    if (task_get_affinity(&before))
        return true; /* cannot be determined; the worker will report a failure */
    int error = task_set_affinity(wanted);
    /* The system call was refused, not a CPU: by a container, or an old emulator. */
    if (error == -EPERM || error == -ENOSYS)
        return true;
    if (error == 0 && task_get_affinity(usable) == 0)
        same = cpuset_equal(wanted, usable);
    (void)task_set_affinity(&before);
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
    (void)cpus_usable(online, &usable);
    cpuset_union(out, &usable);
}

int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, char *error, size_t error_size)
{
    struct cpuset offline = *cpus;
    char list[256], there[128];

    if (cpuset_subset(cpus, online))
        return 0;
    for (unsigned cpu = cpuset_next(online, 0); cpu != CPUSET_NONE; cpu = cpuset_next(online, cpu + 1))
        cpuset_remove(&offline, cpu);
    (void)cpuset_format_cut(&offline, list, sizeof(list));
    (void)cpuset_format_cut(online, there, sizeof(there));
    (void)snprintf(error, error_size, "--cpus: CPU %s is offline or does not exist (online: %s)", list, there);
    return -1;
}
