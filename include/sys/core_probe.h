/* SPDX-License-Identifier: MIT */
/* Measures which share of its physical core a CPU (hardware thread) gets right now: it times a fixed number of
 * independent additions, which take up to twice as long while the core's other thread is busy. No counter of a
 * virtual machine shows that. Takes half a microsecond, needs no privileges. */
#ifndef SYS_CORE_PROBE_H
#define SYS_CORE_PROBE_H

#include <stdint.h>

#include "sys/clock.h"
#include "sys/core_work.h"

/* A level is the time of the additions in ticks, divided by core_probe.unit; the last level stands for all longer
 * times. A CPU that has the core to itself is at level 50 where the core does six additions a cycle, at 75 where it
 * does four; while two hardware threads share the core, up to twice that. */
#define CORE_LEVELS 256u

struct core_probe {
    uint32_t blocks; /* blocks of CORE_BLOCK_ADDS additions; 0: no probe on this machine, reason in why */
    double empty;    /* ticks between two readings with nothing between them */
    double unit;     /* ticks per level: 1/50 of the shortest probe possible, or one step of the counter where that is
                      * more */
    char why[96];
};

/* Makes a probe take at least 50 steps of the counter. Takes less than a millisecond. */
void core_probe_init(struct core_probe *probe, const struct clock_info *clock);

/* Takes a probe on the current CPU. Returns its level. */
static inline unsigned core_probe_take(const struct core_probe *probe)
{
    uint64_t begin = counter_begin();
    core_work_adds(probe->blocks);
    double level = ((double)(counter_end() - begin) - probe->empty) / probe->unit + 0.5;
    return level < 0 ? 0 : level < CORE_LEVELS - 1 ? (unsigned)level : CORE_LEVELS - 1;
}

/* Returns the core's clock cycles per tick of the counter, whoever else uses the core, from the times of a long and
 * a short chain of dependent operations (core_link_cycles each). NAN without a probe. Takes some 50 us. */
double core_probe_cycles_per_tick(const struct core_probe *probe);

/* Returns the additions per clock cycle in a probe of this level (above 0). */
double core_probe_width(const struct core_probe *probe, unsigned level, double cycles_per_tick);

#endif
