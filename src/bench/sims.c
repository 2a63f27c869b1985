/* SPDX-License-Identifier: MIT */
/* Each simulated task's interval, work and limit of lateness. */
#include "bench/sim.h"

#define SIM(name_, title_, kind_, ...)                                                                                 \
    const struct sim_params sim_##name_ = {__VA_ARGS__};                                                               \
    const struct bench bench_##name_ = {SIM_BENCH(#name_, title_), kind_}

SIM(audio, "sound: 5 % of a CPU every 50 ms", SIM_PERIODIC, .interval_ns = 50000000, .busy_ns = 2500000,
    .late_after_ns = 50000000);
SIM(video, "video: 40 % of a CPU, 60 times a second", SIM_PERIODIC, .interval_ns = 16666000, .busy_ns = 6666000,
    .late_after_ns = 16666000);
SIM(x, "a window being dragged: 0 to 100 % of a CPU, every 100 ms", SIM_PERIODIC, .interval_ns = 100000000,
    .sweep = true, .late_after_ns = SIM_NOTICED_NS);
SIM(gaming, "a game: all of a CPU, in bursts of 100 ms of work", SIM_BURSTS, .busy_ns = 100000000,
    .late_after_ns = SIM_NOTICED_NS);
SIM(custom, "custom task: -C % of a CPU every -I microseconds", SIM_PERIODIC, .late_after_ns = SIM_NOTICED_NS);
