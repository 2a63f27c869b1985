/* SPDX-License-Identifier: MIT */
/* No load: the baseline for the other loads. */
#include "load/params.h"

const struct load load_none = {
    LOAD("none", "nothing beside the benchmark"),
};
