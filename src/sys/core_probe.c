/* SPDX-License-Identifier: MIT */
#include "sys/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* STEPS: minimum length of a probe in steps of the counter, on a core that does CHAINS additions per cycle. */
#define STEPS         50.0
#define CHAINS        6.0
#define LEAST_BLOCKS  3.0
#define MOST_NS       2500.0 /* maximum length; one probe every 1.5 ms takes less than 0.2 % of the time */
#define CHAIN_SHORT   4u
#define CHAIN_LONG    40u
#define CHAIN_TRIES   5u
#define TIMING_BLOCKS 100u

static double ticks_of(void (*work)(uint64_t), uint64_t blocks, unsigned tries)
{
    double least = HUGE_VAL;

    for (unsigned i = 0; i < tries; i++) {
        uint64_t begin = counter_begin();
        work(blocks);
        double ticks = (double)(counter_end() - begin);
        least = ticks < least ? ticks : least;
    }
    return least;
}

static double ns_of_block(void)
{
    uint64_t start = clock_raw_ns();

    core_work_adds(TIMING_BLOCKS);
    return (double)(clock_raw_ns() - start) / TIMING_BLOCKS;
}

static double cycles_per_tick(void)
{
    double ticks =
        ticks_of(core_work_chain, CHAIN_LONG, CHAIN_TRIES) - ticks_of(core_work_chain, CHAIN_SHORT, CHAIN_TRIES);
    return ticks > 0 ? (double)(CHAIN_LONG - CHAIN_SHORT) * CORE_BLOCK_LINKS * core_link_cycles / ticks : (double)NAN;
}

double core_probe_cycles_per_tick(const struct core_probe *probe)
{
    return probe->blocks ? cycles_per_tick() : (double)NAN;
}

void core_probe_init(struct core_probe *probe, const struct clock_info *clock)
{
    struct clock_cost cost;

    memset(probe, 0, sizeof(*probe));
    if (!core_work_exists) {
        (void)snprintf(probe->why, sizeof(probe->why), "there is no core probe for this architecture");
        return;
    }
    if (clock->kind != CLOCK_KIND_COUNTER) {
        (void)snprintf(probe->why, sizeof(probe->why), "no cycle counter%s%.60s", clock->why[0] ? ": " : "",
                       clock->why);
        return;
    }
    clock_cost_measure(clock->kind, &cost);
    double grain = cost.grain > 1 ? cost.grain : 1;
    probe->empty = cost.min;
    /* The dependent chain measures the frequency: another thread on the core would slow down independent additions. */
    double block = CORE_BLOCK_ADDS / CHAINS / cycles_per_tick(), blocks = ceil(STEPS * grain / block);
    blocks = blocks > LEAST_BLOCKS ? blocks : LEAST_BLOCKS;
    if (!(block > 0) || blocks * ns_of_block() > 2 * MOST_NS) {
        (void)snprintf(probe->why, sizeof(probe->why), "the cycle counter's step is too coarse (%.0f ticks)", grain);
        return;
    }
    double finest = blocks * block / STEPS;
    probe->unit = finest > grain ? finest : grain;
    probe->blocks = (uint32_t)blocks;
}

double core_probe_width(const struct core_probe *probe, unsigned level, double cycles_per_tick)
{
    return (double)probe->blocks * CORE_BLOCK_ADDS / ((double)level * probe->unit * cycles_per_tick);
}
