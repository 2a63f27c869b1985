/* SPDX-License-Identifier: MIT */
/* Simulated sound: 5 % of a CPU every 50 ms. */
#include "bench/sim.h"

const struct sim_params sim_audio = {.interval_ns = 50000000, .busy_ns = 2500000, .late_after_ns = 50000000};

const struct bench bench_audio = {SIM_BENCH("audio", "sound: 5 % of a CPU every 50 ms"), SIM_PERIODIC};
