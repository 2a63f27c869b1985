/* SPDX-License-Identifier: MIT */
/* Parameters of the memory benchmarks: the small-array copy and the STREAM-style bandwidth. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"

struct array_params {
    struct option_counts sizes; /* array sizes given by the user, in elements; the benchmark runs separately for each */
    uint64_t elements;          /* number of 8-byte elements in each of the two arrays */
    uint64_t experiments;       /* number of times in a run that an array is copied and timed */
};

struct bandwidth_params {
    uint64_t array_bytes; /* bytes of each of the three arrays, all copies together; 0: chosen automatically */
    uint64_t repetitions; /* number of repetitions in a run; the first is not counted */
    bool nontemporal;
    char bounded[64]; /* why the arrays are smaller than STREAM's size rule asks for; empty when they are not */
};

/* Returns the array size in bytes that STREAM's rule asks for: 4 times the sum of all last-level caches (256 MiB when
 * cache_bytes is 0, not known), and at least a million elements. It is limited so that three arrays fit in half of
 * memory_bytes (0: not known, no limit); bounded then gets a text that says so, otherwise "". */
uint64_t bandwidth_array_bytes(uint64_t cache_bytes, uint64_t memory_bytes, char *bounded, size_t size);

#endif
