/* SPDX-License-Identifier: MIT */
/* Exports rows as the JSON of Google Benchmark: an iteration for each sample, and the aggregates of each name. Times
 * are in ns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/export.h"
#include "out/json.h"
#include "rows/rows.h"
#include "sys/memory.h"

#define NS 1e9

struct series {
    const struct export_group *group;
    const struct row *row;         /* row of the sample that is being written; the first row for aggregates */
    double *seconds, *cpu_seconds; /* arrays of group->n_samples */
};

static void put_context(const struct row_run *run, struct text *out)
{
    text_printf(out, "{\"context\": {\"date\": ");
    json_text(out, run->utc);
    text_printf(out, ", \"host_name\": ");
    json_text(out, run->host);
    text_printf(out, ", \"executable\": \"jitbench\", \"num_cpus\": %llu, \"caches\": []},\n\"benchmarks\": [",
                (unsigned long long)run->cpus_online);
}

static void put_names(const struct series *s, const char *suffix, struct text *out)
{
    FREED_BY(text_free) struct text name = {0};

    text_printf(&name, "%s%s", s->group->name, suffix);
    json_name(out, "name");
    json_text(out, name.data);
    text_printf(out, ", \"run_name\": ");
    json_text(out, s->group->name);
}

static void put_times(double real_s, double cpu_s, double scale, struct text *out)
{
    text_printf(out, ", \"real_time\": ");
    json_number(out, real_s * scale);
    text_printf(out, ", \"cpu_time\": ");
    json_number(out, cpu_s * scale);
    text_printf(out, ", \"time_unit\": \"ns\"}");
}

/* Returns the number of events in a sample: for a rate the work done in its time, otherwise the number of values of its
 * statistics. */
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
    text_printf(out, "%s\n{", at ? "," : "");
    put_names(s, "", out);
    text_printf(out,
                ", \"run_type\": \"iteration\", \"repetitions\": %zu, \"repetition_index\": %zu, \"threads\": %llu, "
                "\"iterations\": %.0f",
                s->group->n_samples, at, (unsigned long long)(s->row->copies ? s->row->copies : 1),
                events_of_a_sample(s->row));
    put_times(s->seconds[at], s->cpu_seconds[at], NS, out);
}

static void put_aggregate(const struct series *s, const char *name, double real, double cpu, bool is_time,
                          struct text *out)
{
    char suffix[16];

    (void)snprintf(suffix, sizeof(suffix), "_%s", name);
    text_printf(out, ",\n{");
    put_names(s, suffix, out);
    text_printf(out,
                ", \"run_type\": \"aggregate\", \"repetitions\": %zu, \"threads\": %llu, \"aggregate_name\": \"%s\", "
                "\"aggregate_unit\": \"%s\", \"iterations\": %zu",
                s->group->n_samples, (unsigned long long)(s->row->copies ? s->row->copies : 1), name,
                is_time ? "time" : "percentage", s->group->n_samples);
    put_times(real, cpu, is_time ? NS : 1, out);
}

static void put_aggregates(const struct series *s, struct text *out)
{
    struct stats_summary real, cpu;

    if (stats_summarise(s->seconds, s->group->n_samples, &real) ||
        stats_summarise(s->cpu_seconds, s->group->n_samples, &cpu)) {
        out->failed = 1;
        return;
    }
    put_aggregate(s, "mean", real.mean, cpu.mean, true, out);
    put_aggregate(s, "median", real.median, cpu.median, true, out);
    put_aggregate(s, "stddev", real.sd, cpu.sd, true, out);
    put_aggregate(s, "cv", real.rsd_pct / 100, cpu.mean > 0 ? cpu.rsd_pct / 100 : 0, false, out);
}

/* Returns the CPU time of a sample in s: the measured one for a command, otherwise the row's share of CPU time in its
 * wall time. 0: not known. */
static double cpu_of(const struct export_rows *rows, const struct row *row, size_t sample, double seconds)
{
    if (!strcmp(row->metric, "wall")) {
        const struct row *user = export_partner(rows, row, "user"), *system = export_partner(rows, row, "system");
        if (user && system && user->n_samples == row->n_samples && system->n_samples == row->n_samples)
            return export_base(user, user->samples[sample]) + export_base(system, system->samples[sample]);
    }
    return row->wall_s > 0 && row->cpu_s >= 0 ? seconds * row->cpu_s / row->wall_s : 0;
}

/* Computes the times of all samples. */
static void series_fill(const struct export_rows *rows, const struct export_group *group, struct series *s)
{
    size_t n = 0;

    *s = (struct series){.group = group, .row = group->rows[0], .seconds = export_group_seconds(group)};
    s->cpu_seconds = memory_get(group->n_samples, sizeof(*s->cpu_seconds));
    for (size_t r = 0; r < group->n; r++)
        for (size_t i = 0; i < group->rows[r]->n_samples; i++, n++)
            s->cpu_seconds[n] = cpu_of(rows, group->rows[r], i, s->seconds[n]);
}

static void put_group(const struct export_rows *rows, const struct export_group *group, bool first, struct text *out)
{
    struct series s;
    size_t n = 0;

    series_fill(rows, group, &s);
    text_append(out, ",", !first);
    for (size_t r = 0; r < group->n; r++) {
        s.row = group->rows[r];
        for (size_t i = 0; i < s.row->n_samples; i++)
            put_iteration(&s, n++, out);
    }
    s.row = group->rows[0];
    if (n > 1)
        put_aggregates(&s, out);
    free(s.seconds);
    free(s.cpu_seconds);
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_groups_free) struct export_groups groups;

    export_group(rows, &groups);
    put_context(rows->rows[0]->run, out);
    for (size_t g = 0; g < groups.n; g++)
        put_group(rows, &groups.group[g], g == 0, out);
    text_printf(out, "\n]}\n");
}

const struct export_format export_gbench = {
    .name = "gbench",
    .title = "JSON of Google Benchmark, for its compare.py",
    .wanted = ROWS_SAMPLES,
    .refuse = export_refuse_unless_seconds,
    .write = write_rows,
};
