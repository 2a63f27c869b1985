/* SPDX-License-Identifier: MIT */
/* Parts of jitbench memory: its tables, the rows computed from other rows, and a short run for the header. */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "cmd/measure.h"

void memory_print(const struct table_rows *rows, struct text *out);
/* Describes the rows that memory_conclude() adds. */
extern const struct metrics_test memory_levels;
/* Adds a row for each level of the curve of latency by working set: L1, L2, L3, memory. */
void memory_conclude(struct measure *m);

/* Runs test steady for a moment. Returns by how many % the 90th percentile of the memory probes' times exceeds their
 * median; NAN when it is not known, because the caches' sizes are not known, or twice the size of the last one is too
 * large. */
double memory_look(const struct measure *m);

#endif
