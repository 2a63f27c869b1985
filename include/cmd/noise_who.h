/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: its part of the plan, and its table. */
#ifndef CMD_NOISE_WHO_H
#define CMD_NOISE_WHO_H

#include "bench/noise.h"
#include "cmd/suites.h"

/* Adds the window of --who; of `all`, where the kernel lets it record. */
void noise_who_plan(const struct measure *m, const struct noise_params *params, struct plan *out);

/* Prints who took the time, or what ran before the detour that ended the run; nothing when there are no rows of it. */
void noise_who_print(const struct table_rows *rows, struct text *out);

/* Says which detour ended the run (--stop-at), and writes what ran before it to the file of --keep. Returns the exit
 * status. */
int noise_who_finish(const struct measure *m, const void *options);

#endif
