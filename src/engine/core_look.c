/* SPDX-License-Identifier: MIT */
/* Takes core probes before anything is measured, to find out whether others use the cores. */
#include <math.h>

#include "engine/core.h"
#include "rows/text.h"
#include "stats/stats.h"
#include "sys/cpu.h"

#define LOOK_EACH_NS 500000u
#define CPUS_MAX     16u

/* Takes core probes for ns nanoseconds on the CPU that the caller is bound to. Adds to probes[] how often each probe
 * level was seen; *us is the shortest time of a probe so far. */
static void look_at(struct core_session *session, unsigned cpu, uint64_t ns, uint64_t probes[CORE_LEVELS], double *us)
{
    uint32_t seen[CORE_LEVELS] = {0};
    struct core_reading reading = {.level = 0};
    uint64_t until = clock_raw_ns() + ns;

    do {
        clock_sleep_ns(LOOK_EACH_NS);
        core_probe_take(&session->probe, &reading); /* its level is ignored: this probe warms up the caches */
        uint64_t start = clock_raw_ns();
        core_probe_take(&session->probe, &reading);
        seen[reading.level]++;
        double took = (double)(clock_raw_ns() - start) * 1e-3;
        *us = took > *us ? *us : took; /* the shortest time so far; *us is NAN at first */
    } while (clock_raw_ns() < until);
    core_learn(session, cpu, seen);
    for (unsigned level = 0; level < CORE_LEVELS; level++)
        probes[level] += seen[level];
}

/* Returns the highest level at which the CPU's core is free: that of the CPU, or if its core was never seen free, that
 * of another of these CPUs whose core is of the same type. 0: not known, with the reason in why. */
static unsigned level_of(const struct core_session *session, const struct cpuset *cpus, unsigned cpu, char *why,
                         size_t why_size)
{
    unsigned level = core_free_level(session, cpu, why, why_size);
    char ignored[160];

    for (unsigned other = cpuset_next(cpus, 0); !level && other != CPUSET_NONE; other = cpuset_next(cpus, other + 1))
        if (session->type[other] == session->type[cpu])
            level = core_free_level(session, other, ignored, sizeof(ignored));
    return level;
}

void core_look(struct core_session *session, const struct cpuset *cpus, uint64_t ns, struct core_sight *out)
{
    uint64_t probes[CPUS_MAX][CORE_LEVELS] = {{0}};
    struct stats_running shares = {.n = 0}, frees = {.n = 0};
    unsigned n_cpus = cpuset_count(cpus) < CPUS_MAX ? cpuset_count(cpus) : CPUS_MAX, looked = 0;
    struct cpuset before, one;

    *out = (struct core_sight){.free = NAN, .share = NAN, .us = NAN};
    if (!session->probe.blocks) {
        (void)TEXT_SET(out->why, session->probe.why);
        return;
    }
    bool have = task_get_affinity(&before) == 0;
    for (unsigned cpu = cpuset_next(cpus, 0); have && looked < n_cpus && cpu != CPUSET_NONE;
         cpu = cpuset_next(cpus, cpu + 1)) {
        cpuset_clear(&one);
        cpuset_add(&one, cpu);
        if (task_set_affinity(&one) == 0)
            look_at(session, cpu, ns / n_cpus, probes[looked], &out->us);
        looked++;
    }
    if (have)
        (void)task_set_affinity(&before);
    /* Each CPU has a free level of its own: cores of different types add at different rates. */
    looked = 0;
    for (unsigned cpu = cpuset_next(cpus, 0); looked < n_cpus && cpu != CPUSET_NONE;
         cpu = cpuset_next(cpus, cpu + 1), looked++) {
        const unsigned level = level_of(session, cpus, cpu, out->why, sizeof(out->why));
        if (level && !isnan(core_free(probes[looked], level))) {
            stats_add(&shares, core_share(probes[looked], level));
            stats_add(&frees, core_free(probes[looked], level));
        }
    }
    if (!shares.n)
        return;
    out->why[0] = 0;
    out->share = shares.mean;
    out->free = frees.mean;
}
