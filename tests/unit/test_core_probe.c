/* SPDX-License-Identifier: MIT */
/* The core probe on a core that is made up here: its clock frequency, and what a neighbour takes of it. */

#include "fixture.h"
#include "sys/clock.h"

static struct {
    bool on;
    double ticks;           /* the counter, whose readings take 40 ticks */
    double cycles_per_tick; /* of the core */
    double width;           /* additions a cycle */
    unsigned n_chains;
    double interrupt; /* ticks that the second chain of a probe takes longer */
} made;

static uint64_t made_counter(void)
{
    return made.on ? (uint64_t)(made.ticks += 40) : counter_read();
}

static void made_chain(uint64_t blocks)
{
    made.ticks += (double)blocks * CORE_BLOCK_LINKS * core_link_cycles / made.cycles_per_tick;
    if (made.n_chains++ % 2)
        made.ticks += made.interrupt;
    if (!made.on)
        core_work_chain(blocks);
}

static void made_adds(uint64_t blocks)
{
    made.ticks += (double)blocks * CORE_BLOCK_ADDS / made.width / made.cycles_per_tick;
    if (!made.on)
        core_work_adds(blocks);
}

/* The same source, on that core. */
#define counter_read    made_counter
#define core_work_chain made_chain
#define core_work_adds  made_adds
#include "../../src/sys/clock.c"
#undef counter_read

/* Six additions a cycle are level 50. */
static const struct core_probe of_made = {.blocks = 30, .chain = 8, .empty = 40, .unit = 60};

static unsigned level_at(double cycles_per_tick, double width, struct core_reading *reading)
{
    made.on = true;
    made.cycles_per_tick = cycles_per_tick;
    made.width = width;
    core_probe_take(&of_made, reading);
    made.on = false;
    return reading->level;
}

/* A clock that is a fifth lower changes no level; half of the core does. */
TEST(test_probe_counts_additions_per_cycle)
{
    struct core_reading reading = {.level = 0};

    if (!core_link_cycles)
        skip_because("there is no core probe for this architecture");
    assert_int_equal(level_at(1.5, 6, &reading), 50);
    assert_true(fabs(reading.cycles_per_tick - 1.5) < 0.002);
    assert_int_equal(level_at(1.5, 3, &reading), 100);
    (void)level_at(1.2, 6, &reading);
    assert_int_equal(level_at(1.2, 6, &reading), 50);
    assert_true(fabs(reading.cycles_per_tick - 1.2) < 0.002);
    assert_int_equal(level_at(1.2, 4, &reading), 75);
    assert_int_equal(level_at(1.5, 6, &reading), 50);
}

/* A chain that was interrupted does not make half a core look free: the chain before it was faster. */
TEST(test_probe_with_an_interrupted_chain)
{
    struct core_reading reading = {.level = 0};

    if (!core_link_cycles)
        skip_because("there is no core probe for this architecture");
    (void)level_at(1.5, 3, &reading);
    made.n_chains = 0;
    made.interrupt = 100000;
    assert_int_equal(level_at(1.5, 3, &reading), 100);
    assert_true(fabs(reading.cycles_per_tick - 1.5) < 0.002);
    made.interrupt = 0;
    assert_int_equal(level_at(1.5, 3, &reading), 100);
    assert_true(fabs(reading.cycles_per_tick - 1.5) < 0.002);
}

TEST(test_probe_level_is_within_the_levels)
{
    struct core_reading reading = {.level = 0};

    if (!core_link_cycles)
        skip_because("there is no core probe for this architecture");
    assert_int_equal(level_at(1, 0.01, &reading), CORE_LEVELS - 1);
    assert_int_equal(level_at(1, 1e9, &reading), 0);
}

TEST(test_probe_of_this_machine)
{
    struct clock_info clock;
    struct core_probe probe;
    struct core_reading reading = {.level = 0};
    unsigned least = CORE_LEVELS;

    clock_choose(&clock);
    core_probe_init(&probe, &clock);
    if (!probe.blocks) {
        assert_string_not_equal(probe.why, "");
        skip_because("%s", probe.why);
    }
    for (unsigned i = 0; i < 2000; i++) {
        core_probe_take(&probe, &reading);
        least = reading.level < least ? reading.level : least;
        assert_true(reading.cycles_per_tick > 0);
    }
    assert_in_range(least, 20, CORE_LEVELS - 2);
}

/* 16 blocks in 2 levels of 4 cycles. */
TEST(test_probe_width_is_additions_per_cycle)
{
    const struct core_probe probe = {.blocks = 16, .unit = 4};

    assert_true(core_probe_width(&probe, 2) == 2.0 * CORE_BLOCK_ADDS);
}

TEST(test_no_probe_without_a_counter)
{
    const struct clock_info clock = {.kind = CLOCK_KIND_GETTIME, .why = "the TSC is not invariant"};
    const struct clock_info unexplained = {.kind = CLOCK_KIND_GETTIME};
    struct core_probe probe;

    core_probe_init(&probe, &clock);
    assert_int_equal(probe.blocks, 0);
    if (core_link_cycles)
        assert_string_equal(probe.why, "no cycle counter: the TSC is not invariant");
    core_probe_init(&probe, &unexplained);
    if (core_link_cycles)
        assert_string_equal(probe.why, "no cycle counter");
}
