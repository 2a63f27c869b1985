/* SPDX-License-Identifier: MIT */
/* Simulated video: 40 % of a CPU, 60 times a second. */
#include "bench/sim.h"

const struct sim_params sim_video = {.interval_ns = 16666000, .busy_ns = 6666000, .late_after_ns = 16666000};

const struct bench bench_video = {SIM_BENCH("video", "video: 40 % of a CPU, 60 times a second"), SIM_PERIODIC};
