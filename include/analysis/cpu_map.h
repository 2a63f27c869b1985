/* SPDX-License-Identifier: MIT */
/* Arranges a metric of suite memory that is measured between two CPUs, such as a latency, as a matrix. */
#ifndef ANALYSIS_CPU_MAP_H
#define ANALYSIS_CPU_MAP_H

#include <stddef.h>

#include "rows/row.h"

#define CPU_MAP_MOST 64u

struct cpu_map {
    unsigned cpu[CPU_MAP_MOST]; /* CPU numbers, in the order in which the rows were added */
    /* n: number of CPUs; left_out: number of rows for which there was no room */
    size_t n, left_out;
    /* the row of each pair, by index in cpu, entered in both directions; NULL: none */
    const struct row *row[CPU_MAP_MOST][CPU_MAP_MOST];
};

/* Enters the row if it has this metric of suite memory, a pair of CPUs and a value above 0. The map keeps the pointer
 * to the row, and has at most `most` CPUs, up to CPU_MAP_MOST. */
void cpu_map_add(struct cpu_map *map, const struct row *row, const char *metric, size_t most);

#endif
