/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: plans the recording of which tasks and interrupts have the CPUs, and prints which took time. */
#ifndef CMD_NOISE_WHO_H
#define CMD_NOISE_WHO_H

#include "bench/noise.h"
#include "cmd/cmd.h"

/* Adds to the plan the measurement that records which tasks and interrupts have the CPUs, if --who or --stop-at was
 * given, or if `all` runs and the kernel allows recording. */
void noise_who_plan(const struct measure *m, const struct noise_params *params, struct plan *out);

/* Prints which tasks and interrupts took time from the CPUs, or what ran before the detour that ended the run
 * (--stop-at). Prints nothing when there are no rows of the measurement that noise_who_plan() adds. */
void noise_who_print(const struct table_rows *rows, struct text *out);

/* Prints what ran on a CPU before the detour or wake-up that ended the run, and a sentence that sums it up. Returns
 * false when there are no such rows. */
bool noise_who_timeline(const struct row *rows, size_t n, unsigned width, struct text *out);

/* Says which detour ended the run (--stop-at), and writes what ran before it to the file of --keep. Returns the exit
 * status. */
int noise_who_finish(const struct measure *m, const void *options);

#endif
