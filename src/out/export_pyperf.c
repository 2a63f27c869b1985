/* SPDX-License-Identifier: MIT */
/* Exports rows as a suite of pyperf: a benchmark for each name, a run for each sample, because each sample is a
 * process. */
#include <math.h>
#include <string.h>

#include "out/export.h"
#include "out/out.h"

/* In pyperf less is always better. */
static const char *unit_of(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);

    if (!isnan(export_seconds(row, 1)))
        return "second";
    if (!unit || strcmp(row->better, "lower") != 0)
        return "";
    return unit->kind == EXPORT_BYTES ? "byte" : unit->kind == EXPORT_NUMBER ? "integer" : "";
}

static const char *refuse(const struct row *row)
{
    if (!unit_of(row)[0])
        return "that are neither a lower-is-better time, size or number nor a higher-is-better rate";
    return export_refuse_samples(row);
}

static void put_runs(const struct row *row, bool first, struct text *out)
{
    const bool seconds = !strcmp(unit_of(row), "second");

    for (size_t i = 0; i < row->n_samples; i++)
        json_put(out, first && !i ? "{\"values\": [%f]}" : ", {\"values\": [%f]}",
                 seconds ? export_seconds(row, row->samples[i]) : export_base(row, row->samples[i]));
}

static void put_benchmark(const struct export_group *group, struct text *out)
{
    const char *unit = unit_of(group->rows[0]);

    json_put(out,
             strcmp(unit, "second") ? "{\"metadata\": {\"name\": %s, \"unit\": %s}, \"runs\": ["
                                    : "{\"metadata\": {\"name\": %s}, \"runs\": [",
             group->name, unit);
    for (size_t r = 0; r < group->n; r++)
        put_runs(group->rows[r], r == 0, out);
    text_printf(out, "]}");
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_groups_free) struct export_groups groups = {0};

    export_group(rows, &groups);
    text_printf(out, "{\"version\": \"1.0\", \"metadata\": {\"unit\": \"second\"}, \"benchmarks\": [");
    for (size_t g = 0; g < groups.n; g++) {
        text_printf(out, "%s\n", g ? "," : "");
        put_benchmark(&groups.group[g], out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_pyperf = {
    .name = "pyperf",
    .wanted = ROWS_SAMPLES,
    .refuse = refuse,
    .write = write_rows,
};
