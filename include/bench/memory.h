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
    uint64_t bytes; /* bytes of the working set */
    int chase;      /* kind of pages: a value of enum chase_pages */
};

/* Number of steps of test loaded: in the first one the other CPUs read no memory, in each further one they read
 * more. */
#define MEMORY_LOADED_STEPS 9u
struct memory_loaded_params {
    uint64_t bytes;        /* working set of the pointer chase */
    uint64_t stream_bytes; /* memory that each of the other CPUs reads */
    unsigned step;         /* number of the step, from 0 */
    uint64_t pause_ns;     /* pause of the other CPUs after each block that they read; UINT64_MAX: they read nothing */
};

/* Number of times that the cache line goes from one CPU to the other, in the whole test of a pair of CPUs. */
#define MEMORY_CORES_WAYS 24800u
struct memory_cores_params {
    struct cpu_pair pair;
};

struct memory_nodes_params {
    unsigned cpu_node, memory_node;
    unsigned cpu; /* a CPU of NUMA node cpu_node */
    uint64_t bytes;
};

struct memory_steady_params {
    uint64_t cache_bytes;  /* working set of the chase in the last-level cache; 0: no such chase */
    uint64_t memory_bytes; /* one half holds a pointer chase, the other half is read */
};
/* Returns by how many % the 90th percentile of the memory probes' times exceeds their median; NAN: there were no
 * probes. */
struct trial;
double memory_steady_spread_pct(const struct trial *trial);

#endif
