/* SPDX-License-Identifier: MIT */
/* Small-array copy, and STREAM-style bandwidth. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"

struct array_params {
    struct option_counts sizes; /* by the user, in elements, measured one by one */
    uint64_t elements;          /* of 8 bytes, in each of the two arrays */
    uint64_t experiments;       /* in a run */
};

struct bandwidth_params {
    uint64_t array_bytes; /* of each of the three arrays, all copies together; 0: automatic */
    uint64_t repetitions; /* in a run; the first is not counted */
    bool nontemporal;
    char bounded[64]; /* why the arrays are smaller than STREAM's rule; or "" */
};

/* STREAM's rule in bytes: 4 times the sum of all last-level caches (256 MiB when cache_bytes is 0, not known), at
 * least a million elements. Three arrays must fit in half of memory_bytes (0: not known); bounded then says so,
 * otherwise "". */
uint64_t bandwidth_array_bytes(uint64_t cache_bytes, uint64_t memory_bytes, char *bounded, size_t size);

#endif
