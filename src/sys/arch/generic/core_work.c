/* SPDX-License-Identifier: MIT */
/* No core probe. */
#include "sys/clock.h"

const unsigned core_link_cycles = 0;

void core_work_adds(uint64_t blocks)
{
    (void)blocks;
}

void core_work_chain(uint64_t blocks)
{
    (void)blocks;
}
