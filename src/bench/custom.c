/* SPDX-License-Identifier: MIT */
/* A simulated task with an interval and a share of a CPU given by the user. */
#include "bench/sim.h"

const struct bench bench_custom = {SIM_BENCH("custom", "custom task: -C % of a CPU every -I microseconds"),
                                   SIM_PERIODIC};
