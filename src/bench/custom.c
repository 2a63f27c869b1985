/* SPDX-License-Identifier: MIT */
/* A simulated task of the user's own interval and share of a CPU. */
#include "bench/sim.h"

const struct bench bench_custom = {SIM_BENCH("custom", "custom task: -C % of a CPU every -I microseconds"),
                                   SIM_PERIODIC};
