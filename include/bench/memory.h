/* SPDX-License-Identifier: MIT */
/* Parameters of the benchmarks of suite memory. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

#include "bench/chase.h"
#include "bench/list.h"
#include "bench/pages.h"
#include "sys/topology.h"

struct memory_latency_params {
    uint64_t bytes; /* working set */
    int chase;      /* enum chase_pages */
};

/* Number of loads under which memory_loaded is measured: none at first, then increasing ones. */
#define MEMORY_LOADED_STEPS 9u
struct memory_loaded_params {
    uint64_t bytes;        /* working set of the chase, and memory that the others read, each */
    uint64_t stream_bytes; /* of each other CPU */
    unsigned step;         /* from 0 */
    uint64_t pause_ns;     /* of the others after each block; UINT64_MAX: they read nothing */
};

/* One-way trips of the cache line that a pair makes, in all. */
#define MEMORY_CORES_WAYS 24800u
struct memory_cores_params {
    struct cpu_pair pair;
};

struct memory_nodes_params {
    unsigned cpu_node, memory_node;
    unsigned cpu; /* of cpu_node */
    uint64_t bytes;
};

struct memory_steady_params {
    uint64_t cache_bytes, memory_bytes; /* working sets of the two probes */
};
/* Returns by how many % one probe of memory of ten is longer, at least, than the median; NAN: there was none. */
struct trial;
double memory_steady_spread_pct(const struct trial *trial);

#endif
