/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"

struct prime_params {
    struct option_sweep limits; /* by the user (--limit), measured one by one */
    uint64_t limit;             /* one of them: primes below it are counted */
    uint64_t experiments;       /* in a run */
};

#endif
