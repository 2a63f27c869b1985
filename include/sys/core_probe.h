/* SPDX-License-Identifier: MIT */
/* The core probe measures which share of its physical core a CPU (hardware thread) gets right now. On a core with two
 * hardware threads, one gets up to twice the throughput while the other is idle, and no counter of a virtual machine
 * shows when that is so. Therefore the probe times a fixed number of independent additions with the cycle counter. It
 * takes half a microsecond and needs no privileges. */
#ifndef SYS_CORE_PROBE_H
#define SYS_CORE_PROBE_H

#include <stdint.h>

#include "sys/clock.h"
#include "sys/core_work.h"

/* Number of levels. A level is the result of a probe: the time of the additions in ticks of the counter, divided by
 * core_probe.unit. The last level stands for all longer times. A CPU that has the core to itself is at level 50 where
 * the core does six additions a cycle, at 75 where it does four; while two hardware threads share the core, the level
 * is up to twice that. */
#define CORE_LEVELS 256u

struct core_probe {
    uint32_t blocks; /* blocks of CORE_BLOCK_ADDS additions per probe; 0: no probe on this machine, with the reason in
                      * why */
    double empty;    /* ticks between two readings with nothing between them */
    double unit;     /* ticks per level: 1/50 of the shortest probe possible, or one step of the counter where that is
                      * more */
    char why[96];
};

/* Chooses the number of additions of a probe, which takes at least 50 steps of the counter. Takes less than a
 * millisecond. */
void core_probe_init(struct core_probe *probe, const struct clock_info *clock);

/* Takes a probe on the current CPU. Returns its level, 0 to CORE_LEVELS - 1. */
static inline unsigned core_probe_take(const struct core_probe *probe)
{
    uint64_t begin = counter_begin();
    core_work_adds(probe->blocks);
    double level = ((double)(counter_end() - begin) - probe->empty) / probe->unit + 0.5;
    return level < 0 ? 0 : level < CORE_LEVELS - 1 ? (unsigned)level : CORE_LEVELS - 1;
}

/* Returns the core's clock cycles per tick of the counter, whoever else uses the core. It is computed from the times of
 * a long and a short chain of dependent operations, which take core_link_cycles each. NAN if the machine has no probe.
 * Takes some 50 us. */
double core_probe_cycles_per_tick(const struct core_probe *probe);

/* Returns how many additions per clock cycle the core did in a probe of this level (above 0). */
double core_probe_width(const struct core_probe *probe, unsigned level, double cycles_per_tick);

#endif
