/* SPDX-License-Identifier: MIT */
/* Parts of jitbench memory: its tables, the rows computed from other rows, and a short run for the line "Quiet?" of
 * the output's header. */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "cmd/measure.h"

void memory_print(const struct table_rows *rows, struct text *out);
/* Describes the rows that memory_conclude() adds. */
extern const struct metrics_test memory_levels;
/* Adds a row for each level (L1, L2, L3, memory) that is found in the latency by working set. */
void memory_conclude(struct measure *m);

/* Runs the test steady for 0.1 s. Returns by how many % the 90th percentile of the memory probes' times exceeds their
 * median; NAN when the caches' sizes are not known, when four times the size of the last one is too large, or when the
 * run failed. */
double memory_look(const struct measure *m);

#endif
