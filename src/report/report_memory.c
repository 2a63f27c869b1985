/* SPDX-License-Identifier: MIT */
/* The heat map of the ways between CPUs: a table with a cell for each pair. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sys/memory.h"

/* Most CPUs of the map. */
#define CPUS_MOST 64u

struct map {
    unsigned cpu[CPUS_MOST];
    size_t n;
    const struct row *row[CPUS_MOST][CPUS_MOST];
    double low, high;
};

static size_t place_of(struct map *map, double cpu)
{
    size_t i = 0;

    while (i < map->n && map->cpu[i] != (unsigned)cpu)
        i++;
    if (i == map->n && i < CPUS_MOST)
        map->cpu[map->n++] = (unsigned)cpu;
    return i;
}

static void fill(const struct report *report, size_t run, struct map *map)
{
    for (size_t i = 0; i < report->set.n; i++) {
        const struct row *row = &report->set.rows[i];
        const double from = row_param_number(&row->param, "from"), to = row_param_number(&row->param, "to");
        if (strcmp(row->suite, "memory") != 0 || strcmp(row->metric, "store") != 0 || !(row->value > 0) ||
            !(from >= 0) || !(to >= 0) || report_run_of(report, row) != run)
            continue;
        const size_t a = place_of(map, from), b = place_of(map, to);
        if (a == CPUS_MOST || b == CPUS_MOST)
            continue;
        map->row[a][b] = map->row[b][a] = row;
        map->low = map->high > 0 ? fmin(map->low, row->value) : row->value;
        map->high = fmax(map->high, row->value);
    }
}

/* Colours go by the logarithm, since ways within and between packages differ by a factor of ten. */
static const char *class_of(const struct map *map, double value)
{
    static const char *const classes[] = {"b4", "b2", "", "w2", "w4"};
    const unsigned most = sizeof(classes) / sizeof(classes[0]) - 1;

    if (!(map->high > map->low))
        return "";
    return classes[(unsigned)(most * log(value / map->low) / log(map->high / map->low) + 0.5)];
}

static void put_cell(const struct report *report, const struct map *map, size_t a, size_t b, struct text *out)
{
    const struct row *row = map->row[a][b], *swap = row ? report_sibling(report, row, "swap") : NULL;

    if (!row) {
        text_printf(out, "<td class=\"x\">\xc2\xb7</td>");
        return;
    }
    text_printf(out, "<td class=\"%s\" title=\"CPU %u and %u: %.1f ns", class_of(map, row->value), map->cpu[a],
                map->cpu[b], row->value);
    if (swap)
        text_printf(out, ", by compare-and-swap %.1f ns", swap->value);
    text_printf(out, "\">%.0f</td>", row->value);
}

static void put_map(const struct report *report, size_t run, const struct map *map, struct text *out)
{
    text_printf(out, "<h3>Between CPUs, ns%s", report->n_runs > 1 ? ": " : "");
    html_text(out, report->n_runs > 1 ? report->name[run] : "");
    text_printf(out, "</h3>\n<p class=\"soft\">One way of a stored number from one CPU to the other.</p>\n"
                     "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th>CPU</th>");
    for (size_t i = 0; i < map->n; i++)
        text_printf(out, "<th><span>%u</span></th>", map->cpu[i]);
    text_printf(out, "</tr></thead><tbody>\n");
    for (size_t a = 0; a < map->n; a++) {
        text_printf(out, "<tr><th>%u</th>", map->cpu[a]);
        for (size_t b = 0; b < map->n; b++)
            put_cell(report, map, a, b, out);
        text_printf(out, "</tr>\n");
    }
    text_printf(out, "</tbody></table></div>\n");
}

void report_put_cores(const struct report *report, struct text *out)
{
    struct map *map = memory_get(1, sizeof(*map));

    for (size_t run = 0; run < report->n_runs; run++) {
        memset(map, 0, sizeof(*map));
        fill(report, run, map);
        if (map->n)
            put_map(report, run, map, out);
    }
    free(map);
}
