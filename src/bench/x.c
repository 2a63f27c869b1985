/* SPDX-License-Identifier: MIT */
/* Simulated dragging of a window: uses 0 to 100 % of a CPU, every 100 ms. */
#include "bench/sim.h"

const struct sim_params sim_x = {.interval_ns = 100000000, .sweep = true, .late_after_ns = SIM_NOTICED_NS};

const struct bench bench_x = {SIM_BENCH("x", "a window being dragged: 0 to 100 % of a CPU, every 100 ms"),
                              SIM_PERIODIC};
