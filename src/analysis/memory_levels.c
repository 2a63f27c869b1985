/* SPDX-License-Identifier: MIT */
/* What is found in rows of suite memory: a matrix of CPUs, and the levels of a curve that rises in steps. */
#include "analysis/analysis.h"

/* Adds the CPU if it is missing; returns `most` if there is no room. */
static size_t place_of_cpu(struct cpu_map *map, unsigned cpu, size_t most)
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

    if (strcmp(row->suite, "memory") || strcmp(row->metric, metric) || !(row->value > 0) || !(from >= 0) || !(to >= 0))
        return;
    const size_t a = place_of_cpu(map, (unsigned)from, most), b = place_of_cpu(map, (unsigned)to, most);
    if (a < most && b < most)
        map->row[a][b] = map->row[b][a] = row;
    else
        map->left_out++;
}

/* --- Levels. --- */

#define POINTS_MIN 3u
#define WITHIN     0.15
#define SAME_BELOW 1.6

static double median(const double *values, size_t n)
{
    struct stats_summary summary;

    return stats_summarise(values, n, &summary) ? NAN : summary.median;
}

/* From the first on: all differ from their median by at most the share WITHIN. */
static size_t run_length(const double *values, size_t n)
{
    size_t length = 0;

    for (size_t k = 1; k <= n; k++) {
        const double middle = median(values, k);
        for (size_t i = 0; i < k; i++)
            if (!(fabs(values[i] - middle) <= WITHIN * middle))
                return length;
        length = k;
    }
    return length;
}

size_t plateaus_find(const double *values, size_t n, struct plateau *out, size_t most)
{
    size_t found = 0;

    for (size_t i = 0; i < n;) {
        const size_t length = run_length(values + i, n - i);
        struct plateau *last = found ? &out[found - 1] : NULL;
        if (length < POINTS_MIN) {
            i++;
            continue;
        }
        const double value = median(values + i, length);
        if (last && value < SAME_BELOW * last->value) {
            last->n = i + length - last->first;
            last->value = median(values + last->first, last->n);
        } else if (found < most) {
            out[found++] = (struct plateau){.first = i, .n = length, .value = value};
        }
        i += length;
    }
    return found;
}
