/* SPDX-License-Identifier: MIT */
/* The report's heat map of the latencies between CPUs: a table with a cell for each pair of CPUs. */
#include <math.h>

#include "report/report.h"

struct map {
    struct cpu_map of;
    double low, high;
};

static void fill(const struct report *report, size_t run, struct map *map)
{
    for (const struct row *row = NULL; (row = report_next(report, run, row));)
        cpu_map_add(&map->of, row, "store", CPU_MAP_MOST);
    for (size_t a = 0; a < map->of.n; a++)
        for (size_t b = 0; b < a; b++) {
            const double value = map->of.row[a][b] ? map->of.row[a][b]->value : NAN;
            map->low = fmin(value, map->high > 0 ? map->low : value);
            map->high = fmax(value, map->high);
        }
}

/* Logarithmic scale: latencies differ by a factor of ten within and between packages. */
static const char *class_of(const struct map *map, double value)
{
    static const char *const classes[] = {"b4", "b2", "", "w2", "w4"};
    const unsigned most = COUNT(classes) - 1;

    if (!(map->high > map->low))
        return "";
    return classes[(unsigned)(most * log(value / map->low) / log(map->high / map->low) + 0.5)];
}

static void put_cell(const struct report *report, const struct map *map, size_t a, size_t b, struct text *out)
{
    const struct row *row = map->of.row[a][b], *swap = row ? report_sibling(report, row, "swap") : NULL;

    if (!row) {
        text_printf(out, "<td class=\"x\">\xc2\xb7</td>");
        return;
    }
    text_printf(out, "<td class=\"%s\" title=\"CPU %u and %u: %.1f ns", class_of(map, row->value), map->of.cpu[a],
                map->of.cpu[b], row->value);
    if (swap)
        text_printf(out, ", by compare-and-swap %.1f ns", swap->value);
    text_printf(out, "\">%.0f</td>", row->value);
}

static void put_map(const struct report *report, size_t run, const struct map *map, struct text *out)
{
    html_put(out,
             "<h3>Between CPUs, ns%s%s</h3>\n"
             "<p class=\"soft\">One way of a stored number from one CPU to the other.</p>\n"
             "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th>CPU</th>",
             report->n_runs > 1 ? ": " : "", report->n_runs > 1 ? report->name[run] : "");
    for (size_t i = 0; i < map->of.n; i++)
        text_printf(out, "<th><span>%u</span></th>", map->of.cpu[i]);
    text_printf(out, "</tr></thead><tbody>\n");
    for (size_t a = 0; a < map->of.n; a++) {
        text_printf(out, "<tr><th>%u</th>", map->of.cpu[a]);
        for (size_t b = 0; b < map->of.n; b++)
            put_cell(report, map, a, b, out);
        text_printf(out, "</tr>\n");
    }
    text_printf(out, "</tbody></table></div>\n");
}

void report_put_cores(const struct report *report, struct text *out)
{
    for (size_t run = 0; run < report->n_runs; run++) {
        struct map map = {.low = 0};
        fill(report, run, &map);
        if (map.of.n)
            put_map(report, run, &map, out);
    }
}
