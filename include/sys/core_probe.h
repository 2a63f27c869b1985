/* SPDX-License-Identifier: MIT */
/* The core probe: how much of its core does this CPU have right now? On a core of two hardware threads one gets up to
 * twice the throughput while the other rests, and no counter of a virtual machine says when that is. So a fixed run of
 * independent additions is timed with the cycle counter: half a microsecond, without rights. */
#ifndef SYS_CORE_PROBE_H
#define SYS_CORE_PROBE_H

#include <stdint.h>

#include "sys/clock.h"
#include "sys/core_work.h"

/* A probe's result is a level: its ticks in units, the last one for all that took longer. A core to itself is at 50
 * units where it does six additions a cycle, at 75 where it does four, and a core shared by halves at twice that. */
#define CORE_LEVELS 256u

struct core_probe {
    uint32_t blocks; /* of additions a probe; 0: there is no probe here, and why says why */
    double empty;    /* ticks of two readings with nothing between */
    double unit;     /* ticks a level: a step of the counter, or 1/50 of the shortest probe where the steps are finer */
    char why[96];
};

/* Finds out how long a probe must be: at least 50 steps of the counter. Takes less than a millisecond. */
void core_probe_init(struct core_probe *probe, const struct clock_info *clock);

/* Takes a probe: 0 to CORE_LEVELS - 1. */
static inline unsigned core_probe_take(const struct core_probe *probe)
{
    uint64_t begin = counter_begin();
    core_work_adds(probe->blocks);
    double level = ((double)(counter_end() - begin) - probe->empty) / probe->unit + 0.5;
    return level < 0 ? 0 : level < CORE_LEVELS - 1 ? (unsigned)level : CORE_LEVELS - 1;
}

/* The core's cycles in a tick of the counter, whoever shares the core: from the difference of a long and a short chain
 * of dependent operations of core_link_cycles each. NAN without a probe. Takes some 50 us. */
double core_probe_cycles_per_tick(const struct core_probe *probe);

/* Additions a cycle at a level. */
double core_probe_width(const struct core_probe *probe, unsigned level, double cycles_per_tick);

#endif
