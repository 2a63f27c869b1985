/* SPDX-License-Identifier: MIT */
/* Suite memory. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

#include "bench/chase.h"
#include "bench/list.h"
#include "bench/pages.h"
#include "sys/topology.h"

struct memory_latency_params {
    uint64_t bytes; /* of the working set */
    int chase;      /* enum chase_pages */
};

/* Steps of test loaded: in the first the other CPUs read no memory, in each further one more. */
#define MEMORY_LOADED_STEPS 9u
struct memory_loaded_params {
    uint64_t bytes;        /* working set of the pointer chase */
    uint64_t stream_bytes; /* that each of the other CPUs reads */
    unsigned step;         /* from 0 */
    uint64_t pause_ns;     /* of the other CPUs after each block; UINT64_MAX: they read nothing */
};

/* Times that the cache line goes from one CPU to the other, for a pair of CPUs. */
#define MEMORY_CORES_WAYS 24800u
struct memory_cores_params {
    struct cpu_pair pair;
};

struct memory_nodes_params {
    unsigned cpu_node, memory_node;
    unsigned cpu; /* of NUMA node cpu_node */
    uint64_t bytes;
};

struct memory_steady_params {
    uint64_t cache_bytes;  /* of a chase in the last-level cache; 0: none */
    uint64_t memory_bytes; /* half for a pointer chase, half to be read */
};
/* By how many % the 90th percentile of the memory probes exceeds the median; NAN: no probes. */
struct trial;
double memory_steady_spread_pct(const struct trial *trial);

#endif
