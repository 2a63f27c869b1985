/* SPDX-License-Identifier: MIT */
/* Hardware that the bench CPUs share with others. */
#include <errno.h>

#include "settings/settings_look.h"
#include "sys/process.h"

#define NODES "/sys/devices/system/node"

void setting_look_numa(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset nodes, used = {{0}}, cpus;
    char list[96];
    if (setting_failed(view, NODES "/online", setting_read_cpus(view->root, NODES "/online", &nodes), out))
        return;
    for (unsigned node = cpuset_next(&nodes, 0); node != CPUSET_NONE; node = cpuset_next(&nodes, node + 1)) {
        if (setting_read_cpus(view->root, PROCFS_PATH(NODES "/node%u/cpulist", node), &cpus) == 0 &&
            !setting_disjoint(&cpus, view->bench))
            cpuset_add(&used, node);
    }
    unsigned n = cpuset_count(&used);
    settings_format_cpus(&used, list, sizeof list);
    if (n == 0)
        setting_not_read(view, NODES "/node0/cpulist", -EILSEQ, out);
    else
        setting_say(out, n > 1 ? SETTING_NOISY : SETTING_OK, "node%s %s of %u", n == 1 ? "" : "s", list,
                    cpuset_count(&nodes));
}

void setting_look_caches(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset seen = {{0}}, shared, outside, strangers = {{0}}, usual;
    unsigned level, worst = 0, known = 0;
    char list[96];
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        if (cpuset_has(&seen, cpu) || (level = machine_last_cache(view->root, cpu, &shared)) == 0)
            continue;
        known = level;
        cpuset_union(&seen, &shared);
        cpuset_intersect(&shared, setting_cpus(view));
        setting_without(&shared, view->bench, &outside);
        if (cpuset_is_empty(&outside))
            continue;
        worst = level;
        cpuset_union(&strangers, &outside);
    }
    settings_format_cpus(&strangers, list, sizeof list);
    if (known == 0)
        setting_not_read(view, CPU_FOLDER "/", -ENOENT, out);
    else if (worst == 0)
        setting_say(out, SETTING_OK, "L%u not shared with others", known);
    else
        setting_say(out, SETTING_NOISY, "L%u shared with CPU%s %s", worst, cpuset_count(&strangers) == 1 ? "" : "s",
                    list);
    /* Some CPU must be left to other work: if the bench CPUs share their last-level cache only with CPUs that are left
     * to it by default, no better choice exists. */
    settings_bench_cpus(view->root, view->machine, &usual);
    if (worst != 0 && setting_disjoint(&usual, &strangers)) {
        out->verdict = SETTING_OK;
        setting_why(out, "for all else");
    }
}

void setting_look_siblings(const struct settings_view *view, struct setting_state *out)
{
    unsigned known = 0, sharing = 0, first = 0;
    struct cpuset core, siblings = {{0}};
    char list[96];
    for (unsigned cpu = cpuset_next(view->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(view->bench, cpu + 1)) {
        if (!machine_core_cpus(view->root, cpu, &core))
            continue;
        known++;
        cpuset_intersect(&core, setting_cpus(view));
        cpuset_remove(&core, cpu);
        if (cpuset_is_empty(&core) || sharing++ > 0)
            continue;
        first = cpu;
        siblings = core;
    }
    settings_format_cpus(&siblings, list, sizeof list);
    if (known == 0)
        setting_not_read(view, CPU_FOLDER "/", -ENOENT, out);
    else if (sharing == 0)
        setting_say(out, SETTING_OK, "none online");
    else
        setting_say(out, SETTING_NOISY, "%u of %u bench CPUs have one (CPU %u: %s)", sharing, cpuset_count(view->bench),
                    first, list);
}
