/* SPDX-License-Identifier: MIT */
/* How long all pairs of a large machine take, by count. */

#include "../test.h"
#include "bench/memory.h"

/* To start a pair's two processes and to read their results: 12 ms were measured on a slow machine. */
#define START_NS 15000000u
/* A way between CPUs of two sockets, which half of the pairs of such a machine are; on most it is below 200 ns. */
#define WAY_NS 300u

/* The pause after an item is at most a quarter of the time of its trials. */
TEST(test_memory_cores_of_64_cpus_take_a_minute)
{
    const uint64_t pair_ns = START_NS + (uint64_t)MEMORY_CORES_WAYS * WAY_NS;
    unsigned order[64];
    struct cpu_pairs pairs;

    for (unsigned cpu = 0; cpu < 64; cpu++)
        order[cpu] = cpu;
    assert_int_equal(BELOW("/nowhere", topology_pairs(order, 64, PAIRS_ALL, &pairs)), 0);
    assert_int_equal(pairs.n, 64 * 63 / 2);
    assert_true(pairs.n * (pair_ns + pair_ns / 4) <= 60000000000u);
    topology_pairs_free(&pairs);
}
