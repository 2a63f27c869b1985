/* SPDX-License-Identifier: MIT */
/* The parts of jitbench memory: its tables, and the rows made of others. */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "cmd/measure.h"

void memory_print(const struct table_rows *rows, struct text *out);
/* What memory_conclude() makes. */
extern const struct metrics_test memory_levels;
/* Adds a row for each level of the measured curve: L1, L2, L3, memory. */
void memory_conclude(struct measure *m);

/* Runs test steady for a moment. Returns by how many % one probe of memory of ten is longer, at least, than the median;
 * NAN when that is not known: the caches are not, or a set of twice the last one is too large. */
double memory_look(const struct measure *m);

#endif
