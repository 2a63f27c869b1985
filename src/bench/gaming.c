/* SPDX-License-Identifier: MIT */
/* Simulated game: uses all of a CPU, in bursts of 100 ms of work. */
#include "bench/sim.h"

const struct sim_params sim_gaming = {.busy_ns = 100000000, .late_after_ns = SIM_NOTICED_NS};

const struct bench bench_gaming = {SIM_BENCH("gaming", "a game: all of a CPU, in bursts of 100 ms of work"),
                                   SIM_BURSTS};
