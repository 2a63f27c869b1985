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

#endif
