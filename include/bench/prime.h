/* SPDX-License-Identifier: MIT */
/* Parameters of the prime loop. */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"

struct prime_params {
    struct option_sweep limits; /* values given by the user (--limit); the benchmark runs separately for each */
    uint64_t limit;             /* one of `limits`: the primes below this number are counted */
    uint64_t experiments;       /* number of times in a run that the primes are counted and timed */
};

#endif
