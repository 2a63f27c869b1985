/* SPDX-License-Identifier: MIT */
/* Parameters of the prime loop. */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"

struct prime_params {
    struct option_sweep limits; /* values given by the user; each becomes one item of the plan */
    uint64_t limit;             /* the primes below this number are counted */
    uint64_t experiments;       /* number of experiments in a run */
};

#endif
