/* SPDX-License-Identifier: MIT */
/* The figures of pairs of CPUs, as a square. */
#ifndef ANALYSIS_CPU_MAP_H
#define ANALYSIS_CPU_MAP_H

#include <stddef.h>

#include "rows/row.h"

#define CPU_MAP_MOST 64u

struct cpu_map {
    unsigned cpu[CPU_MAP_MOST];                        /* in the order in which they were met */
    size_t n, left_out;                                /* left_out: pairs for which there was no room */
    const struct row *row[CPU_MAP_MOST][CPU_MAP_MOST]; /* by place in cpu, the same both ways; NULL: none */
};

/* Enters the row if it has that metric of suite memory, a pair of CPUs and a value. The map has at most `most` CPUs, up
 * to CPU_MAP_MOST, and refers to the row. */
void cpu_map_add(struct cpu_map *map, const struct row *row, const char *metric, size_t most);

#endif
