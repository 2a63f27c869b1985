/* SPDX-License-Identifier: MIT */
/* The simulation video of bench/ as a load, with a timing thread of normal policy. */
#include "load/params.h"

const struct load load_video = {
    LOAD("video", "video playing: 40 % of a CPU, 60 times a second"),
    .parties = sim_load_parties,
    .n_parties = 2,
    .shared_size = SIM_SHARED_SIZE,
    .least = {[LOAD_BURSTS] = 0.5},
    .calibrate = sim_calibrate,
};
