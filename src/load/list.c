/* SPDX-License-Identifier: MIT */
/* The list of loads: a new one is a file of its own and a line here. */
#include "load/list.h"

#include "load/params.h"

const struct load *const load_list[] = {
    &load_none, &load_video,   &load_x,       &load_burn, &load_write,  &load_read,
    &load_ring, &load_compile, &load_memload, &load_hack, &load_custom, NULL,
};
