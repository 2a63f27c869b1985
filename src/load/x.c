/* SPDX-License-Identifier: MIT */
/* The simulation x of bench/ as a load, with a timing thread of normal policy. */
#include "load/params.h"

const struct load load_x = {
    LOAD("x", "a window being dragged: 0 to 100 % of a CPU"),
    .parties = sim_load_parties,
    .n_parties = 2,
    .shared_size = SIM_SHARED_SIZE,
    .least = {[LOAD_BURSTS] = 0.5},
    .calibrate = sim_calibrate,
};
