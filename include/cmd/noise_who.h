/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: its part of the plan, and its table. */
#ifndef CMD_NOISE_WHO_H
#define CMD_NOISE_WHO_H

#include "bench/noise.h"
#include "cmd/suites.h"

/* Adds the window of --who; of `all`, where the kernel lets it record. Returns -1 when out of memory. */
int noise_who_plan(const struct measure *m, const struct noise_params *params, struct plan *out);

/* Prints who took the time; nothing when there are no rows of it. */
void noise_who_print(const struct table_rows *rows, struct text *out);

#endif
