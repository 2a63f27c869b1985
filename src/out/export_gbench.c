/* SPDX-License-Identifier: MIT */
/* Exports rows as the JSON of Google Benchmark: an iteration for each sample, and the aggregates of each name. Times
 * are in ns. */
#include <math.h>
#include <string.h>

#include "out/export.h"
#include "out/out.h"
#include "sys/base.h"

#define NS 1e9

struct series {
    const struct export_group *group;
    const struct row *row; /* of the sample being written; the first for aggregates */
    const double *seconds, *cpu_seconds;
};

/* For a rate the work done, otherwise the number of values of the row's statistics. */
static double events_of_a_sample(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);
    double events = (double)row->stats.n / (double)row->n_samples;

    if (unit && unit->kind == EXPORT_RATE && row->wall_s > 0)
        events = export_base(row, row->value) * row->wall_s / (double)row->n_samples;
    return events >= 1 && events < 9e15 ? floor(events + 0.5) : 1;
}

static void put_iteration(const struct series *s, size_t at, struct text *out)
{
    json_put(out,
             "\n{\"name\": %s, \"run_name\": %s, \"run_type\": \"iteration\", \"repetitions\": %zu, "
             "\"repetition_index\": %zu, \"threads\": %zu, \"iterations\": %.0f, \"real_time\": %f, \"cpu_time\": "
             "%f, \"time_unit\": \"ns\"}",
             s->group->name, s->group->name, s->group->n_samples, at, (size_t)(s->row->copies ? s->row->copies : 1),
             events_of_a_sample(s->row), s->seconds[at] * NS, s->cpu_seconds[at] * NS);
}

/* unit: "time" in s, or "percentage". */
static void put_aggregate(const struct series *s, const char *name, double real, double cpu, const char *unit,
                          struct text *out)
{
    const double scale = strcmp(unit, "time") ? 1 : NS;
    FREED_BY(text_free) struct text full = {0};

    text_printf(&full, "%s_%s", s->group->name, name);
    json_put(out,
             ",\n{\"name\": %s, \"run_name\": %s, \"run_type\": \"aggregate\", \"repetitions\": %zu, \"threads\": "
             "%zu, \"aggregate_name\": %s, \"aggregate_unit\": %s, \"iterations\": %zu, \"real_time\": %f, "
             "\"cpu_time\": %f, \"time_unit\": \"ns\"}",
             full.data, s->group->name, s->group->n_samples, (size_t)(s->row->copies ? s->row->copies : 1), name, unit,
             s->group->n_samples, real * scale, cpu * scale);
}

static void put_aggregates(const struct series *s, struct text *out)
{
    struct stats_summary real, cpu;

    if (stats_summarise(s->seconds, s->group->n_samples, &real) ||
        stats_summarise(s->cpu_seconds, s->group->n_samples, &cpu)) {
        out->failed = 1;
        return;
    }
    put_aggregate(s, "mean", real.mean, cpu.mean, "time", out);
    put_aggregate(s, "median", real.median, cpu.median, "time", out);
    put_aggregate(s, "stddev", real.sd, cpu.sd, "time", out);
    put_aggregate(s, "cv", real.rsd_pct / 100, cpu.mean > 0 ? cpu.rsd_pct / 100 : 0, "percentage", out);
}

/* In s: measured for a command, otherwise by the row's ratio of CPU time to wall-clock time. 0: not known. */
static double cpu_of(const struct export_rows *rows, const struct row *row, size_t sample, double seconds)
{
    if (!strcmp(row->metric, "wall")) {
        const struct row *user = export_partner(rows, row, "user"), *system = export_partner(rows, row, "system");
        if (user && system && user->n_samples == row->n_samples && system->n_samples == row->n_samples)
            return export_base(user, user->samples[sample]) + export_base(system, system->samples[sample]);
    }
    return row->wall_s > 0 && row->cpu_s >= 0 ? seconds * row->cpu_s / row->wall_s : 0;
}

static void put_group(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    FREED_BY(memory_free) double *seconds = export_group_seconds(group);
    FREED_BY(memory_free) double *cpu_seconds = memory_get(group->n_samples, sizeof(*cpu_seconds));
    struct series s = {.group = group, .seconds = seconds, .cpu_seconds = cpu_seconds};
    size_t n = 0;

    for (size_t r = 0; r < group->n; r++) {
        s.row = group->rows[r];
        for (size_t i = 0; i < s.row->n_samples; i++, n++) {
            cpu_seconds[n] = cpu_of(rows, s.row, i, seconds[n]);
            text_append(out, ",", n > 0);
            put_iteration(&s, n, out);
        }
    }
    s.row = group->rows[0];
    if (n > 1)
        put_aggregates(&s, out);
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    const struct row_run *run = rows->rows[0]->run;
    FREED_BY(export_groups_free) struct export_groups groups = {0};

    export_group(rows, &groups);
    json_put(out,
             "{\"context\": {\"date\": %s, \"host_name\": %s, \"executable\": \"jitbench\", \"num_cpus\": %zu, "
             "\"caches\": []},\n\"benchmarks\": [",
             run->utc, run->host, (size_t)run->cpus_online);
    for (size_t g = 0; g < groups.n; g++) {
        text_append(out, ",", g > 0);
        put_group(rows, &groups.group[g], out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_gbench = {
    .name = "gbench",
    .wanted = ROWS_SAMPLES,
    .refuse = export_refuse_unless_seconds,
    .write = write_rows,
};
