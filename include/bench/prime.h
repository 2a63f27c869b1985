/* SPDX-License-Identifier: MIT */
/* The prime loop: what its parameters are. */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include <stdint.h>

#include "engine/bench.h"

struct prime_params {
    struct option_sweep limits; /* what the user asked for: one item each */
    uint64_t limit;             /* primes below it are counted */
    uint64_t experiments;       /* in a run */
};

extern const struct bench bench_prime;

#endif
