/* SPDX-License-Identifier: MIT */
/* Arranges a metric that is measured between two CPUs as a matrix. */
#include "analysis/analysis.h"

#include <string.h>

/* Adds the CPU if it is missing; returns `most` if there is no room. */
static size_t place_of(struct cpu_map *map, unsigned cpu, size_t most)
{
    size_t i = 0;

    while (i < map->n && map->cpu[i] != cpu)
        i++;
    if (i == map->n && i < most)
        map->cpu[map->n++] = cpu;
    return i;
}

void cpu_map_add(struct cpu_map *map, const struct row *row, const char *metric, size_t most)
{
    const double from = row_param_number(&row->param, "from"), to = row_param_number(&row->param, "to");

    if (strcmp(row->suite, "memory") != 0 || strcmp(row->metric, metric) != 0 || !(row->value > 0) || !(from >= 0) ||
        !(to >= 0))
        return;
    const size_t a = place_of(map, (unsigned)from, most), b = place_of(map, (unsigned)to, most);
    if (a < most && b < most)
        map->row[a][b] = map->row[b][a] = row;
    else
        map->left_out++;
}
