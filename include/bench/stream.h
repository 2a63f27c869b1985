/* SPDX-License-Identifier: MIT */
/* Memory: the small-array copy and the STREAM-style bandwidth, and what their parameters are. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bench.h"

struct array_params {
    struct option_counts sizes; /* what the user asked for: one item each */
    uint64_t elements;          /* of 8 bytes, in each of the two arrays */
    uint64_t experiments;       /* in a run */
};

extern const struct bench bench_array;

struct bandwidth_params {
    uint64_t array_bytes; /* of each of the three arrays, all copies together; 0: to be chosen */
    uint64_t repetitions; /* in a run; the first is not counted */
    bool nontemporal;
    char bounded[64]; /* why the arrays are smaller than the rule; empty when they are not */
};

/* The array size that the rule asks for (4 times all last-level caches, 256 MiB when these are not known, and at least
 * a million elements), bounded by what memory there is for three of them. bounded says what bounded it. */
uint64_t bandwidth_array_bytes(uint64_t cache_bytes, uint64_t memory_bytes, char *bounded, size_t size);

extern const struct bench bench_bandwidth;

#endif
