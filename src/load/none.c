/* SPDX-License-Identifier: MIT */
/* No load: what the others are compared with. */
#include "load/params.h"

const struct load load_none = {
    LOAD("none", "nothing beside the benchmark"),
};
