/* SPDX-License-Identifier: MIT */
/* Writes JSON, and exports rows in the formats of it: every column; pyperf; hyperfine; Google Benchmark. */
#include <math.h>
#include <string.h>

#include "out/export.h"
#include "out/out.h"
#include "sys/base.h"

/* --- JSON (RFC 8259). --- */

static void put_quoted(struct text *out, const char *s, size_t length)
{
    text_append(out, "\"", 1);
    for (size_t bytes; length; s += bytes, length -= bytes) {
        bytes = text_utf8_length(s);
        if (!bytes)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            text_printf(out, "\\u%04x", (unsigned)*s);
        else
            text_append(out, s, bytes);
        bytes += !bytes;
    }
    text_append(out, "\"", 1);
}

void json_text(struct text *out, const char *s)
{
    put_quoted(out, s, strlen(s));
}

void json_number(struct text *out, double value)
{
    if (isfinite(value))
        text_real(out, value);
    else
        text_append(out, "null", 4);
}

void json_put(struct text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_put(out, put_quoted, json_number, format, args);
    va_end(args);
}

static void json_numbers(struct text *out, const double *values, size_t n)
{
    text_append(out, "[", 1);
    for (size_t i = 0; i < n; i++)
        json_put(out, i ? ", %f" : "%f", values[i]);
    text_append(out, "]", 1);
}

void json_name(struct text *out, const char *name)
{
    json_put(out, "%s: ", name);
}

/* --- jitbench's own, with every column; numbers are JSON numbers. --- */

static void put_points(const struct stats_point *pairs, size_t n, struct text *out)
{
    text_append(out, "[", 1);
    for (size_t i = 0; i < n; i++)
        json_put(out, i ? ", [%f, %f]" : "[%f, %f]", pairs[i].at, pairs[i].value);
    text_append(out, "]", 1);
}

static void put_json_causes(const struct row_causes *causes, struct text *out)
{
    FREED_BY(text_free) struct text text = {0};

    causes_text(causes, &text);
    json_text(out, text.length ? text.data : "");
}

static void put_uint(uint64_t value, struct text *out)
{
    text_printf(out, value ? "%llu" : "null", (unsigned long long)value);
}

static void put_json_column(const struct row *row, const struct row_column *column, struct text *out)
{
    const void *field = (column->in_run ? (const char *)row->run : (const char *)row) + column->offset;

    json_name(out, column->name);
    switch (column->type) {
    case COLUMN_TEXT:
        json_text(out, field);
        break;
    case COLUMN_UINT:
        put_uint(*(const uint64_t *)field, out);
        break;
    case COLUMN_REAL:
        json_number(out, *(const double *)field);
        break;
    case COLUMN_STATUS:
        json_text(out, row_status_name(row->status));
        break;
    case COLUMN_CAUSES:
        put_json_causes(&row->causes, out);
        break;
    case COLUMN_SCHEMA:
        put_uint(ROW_SCHEMA, out);
        break;
    case COLUMN_SAMPLES:
        json_numbers(out, row->samples, row->n_samples);
        break;
    case COLUMN_HIST:
        put_points(row->hist, row->n_hist, out);
        break;
    case COLUMN_SERIES:
        put_points(row->series, row->n_series, out);
        break;
    }
}

static void write_all_columns(const struct export_rows *rows, struct text *out)
{
    text_printf(out, "{\"rows\": [");
    for (size_t i = 0; i < rows->n; i++) {
        text_printf(out, "%s\n{", i ? "," : "");
        for (size_t c = 0; c < row_n_columns; c++) {
            put_json_column(rows->rows[i], &row_columns[c], out);
            text_append(out, ", ", 2);
        }
        json_name(out, "series_left_out");
        text_printf(out, "%llu}", (unsigned long long)rows->rows[i]->series_left_out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_json = {
    .name = "json",
    .wanted = ROWS_ALL,
    .write = write_all_columns,
};

/* --- pyperf: a benchmark for each name, a run for each sample, because each sample is a process. --- */

/* In pyperf less is always better. */
static const char *pyperf_unit(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);

    if (!isnan(export_seconds(row, 1)))
        return "second";
    if (!unit || strcmp(row->better, "lower") != 0)
        return "";
    return unit->kind == EXPORT_BYTES ? "byte" : unit->kind == EXPORT_NUMBER ? "integer" : "";
}

static const char *refuse_pyperf(const struct row *row)
{
    if (!pyperf_unit(row)[0])
        return "that are neither a lower-is-better time, size or number nor a higher-is-better rate";
    return export_refuse_samples(row);
}

static void put_pyperf_runs(const struct row *row, bool first, struct text *out)
{
    const bool seconds = !strcmp(pyperf_unit(row), "second");

    for (size_t i = 0; i < row->n_samples; i++)
        json_put(out, first && !i ? "{\"values\": [%f]}" : ", {\"values\": [%f]}",
                 seconds ? export_seconds(row, row->samples[i]) : export_base(row, row->samples[i]));
}

static void put_pyperf_benchmark(const struct export_group *group, struct text *out)
{
    const char *unit = pyperf_unit(group->rows[0]);

    json_put(out,
             strcmp(unit, "second") ? "{\"metadata\": {\"name\": %s, \"unit\": %s}, \"runs\": ["
                                    : "{\"metadata\": {\"name\": %s}, \"runs\": [",
             group->name, unit);
    for (size_t r = 0; r < group->n; r++)
        put_pyperf_runs(group->rows[r], r == 0, out);
    text_printf(out, "]}");
}

static void write_pyperf(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_groups_free) struct export_groups groups = {0};

    export_group(rows, &groups);
    text_printf(out, "{\"version\": \"1.0\", \"metadata\": {\"unit\": \"second\"}, \"benchmarks\": [");
    for (size_t g = 0; g < groups.n; g++) {
        text_printf(out, "%s\n", g ? "," : "");
        put_pyperf_benchmark(&groups.group[g], out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_pyperf = {
    .name = "pyperf",
    .wanted = ROWS_SAMPLES,
    .refuse = refuse_pyperf,
    .write = write_pyperf,
};

/* --- hyperfine, in seconds: a result for each name. --- */

/* A CPU time of a command is a column in the line of its wall-clock time. */
static bool is_column(const struct row *row)
{
    return !strcmp(row->metric, "user") || !strcmp(row->metric, "system");
}

static const char *refuse_hyperfine(const struct row *row)
{
    return is_column(row) && row->n_samples ? NULL : export_refuse_unless_seconds(row);
}

static double mean_of_partner(const struct export_rows *rows, const struct export_group *group, const char *metric)
{
    struct stats_running samples = {0};
    bool known = !strcmp(group->rows[0]->metric, "wall");

    for (size_t r = 0; r < group->n && known; r++) {
        const struct row *partner = export_partner(rows, group->rows[r], metric);
        known = partner && partner->n_samples && !isnan(export_seconds(partner, 1));
        for (size_t i = 0; known && i < partner->n_samples; i++)
            stats_add(&samples, export_seconds(partner, partner->samples[i]));
    }
    return known ? samples.mean : NAN;
}

/* The name of the group for other metrics, and for a command line that a run has twice. */
static const char *command_of(const struct export_rows *rows, const struct export_group *group)
{
    const struct row *row = group->rows[0];
    const char *line = strcmp(row->metric, "wall") ? NULL : row_command_line(&row->param);

    for (size_t i = 0; line && i < rows->n; i++) {
        const struct row *other = rows->rows[i];
        const char *again = other->run == row->run && other != row && !strcmp(other->metric, "wall")
                                ? row_command_line(&other->param)
                                : NULL;
        if (again && !strcmp(again, line))
            return group->name;
    }
    return line ? line : group->name;
}

/* null for each sample of a row without them. */
static void put_exit_codes(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    size_t n = 0;

    text_printf(out, ", \"exit_codes\": [");
    for (size_t r = 0; r < group->n; r++) {
        const struct row *codes = export_partner(rows, group->rows[r], "exit_code");
        for (size_t i = 0; i < group->rows[r]->n_samples; i++)
            json_put(out, n++ ? ", %f" : "%f", codes && i < codes->n_samples ? codes->samples[i] : NAN);
    }
    text_append(out, "]", 1);
}

static size_t choose_lines(const struct export_rows *rows, const struct row **lines)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        const char *why = export_refuse_unless_seconds(row);
        if (is_column(row) && export_partner(rows, row, "wall"))
            continue;
        if (why)
            export_leave_out(rows->left_out, why);
        else
            lines[n++] = row;
    }
    return n;
}

static void write_hyperfine(const struct export_rows *rows, struct text *out)
{
    static const char *const names[] = {"mean", "stddev", "median", "user", "system", "min", "max"};
    FREED_BY(memory_free) const struct row **lines = memory_get(rows->n, sizeof(const struct row *));
    struct export_rows own = *rows;
    FREED_BY(export_groups_free) struct export_groups groups = {0};

    own.rows = lines;
    own.n = choose_lines(rows, lines);
    export_group(&own, &groups);
    text_printf(out, "{\"results\": [");
    for (size_t g = 0; g < groups.n; g++) {
        const struct export_group *group = &groups.group[g];
        FREED_BY(memory_free) double *seconds = export_group_seconds(group);
        struct stats_summary s;
        out->failed |= stats_summarise(seconds, group->n_samples, &s) != 0;
        const double figures[] = {
            s.mean, s.sd, s.median, mean_of_partner(rows, group, "user"), mean_of_partner(rows, group, "system"),
            s.min,  s.max};
        json_put(out, g ? ",\n{\"command\": %s" : "\n{\"command\": %s", command_of(rows, group));
        for (size_t i = 0; i < COUNT(figures); i++)
            json_put(out, ", %s: %f", names[i], figures[i]);
        text_printf(out, ", \"times\": ");
        json_numbers(out, seconds, group->n_samples);
        put_exit_codes(rows, group, out);
        text_printf(out, "}");
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_hyperfine_json = {
    .name = "hyperfine-json",
    .wanted = ROWS_SAMPLES,
    .refuse = refuse_hyperfine,
    .write = write_hyperfine,
};

/* --- Google Benchmark: an iteration for each sample, and the aggregates of each name; times are in ns. --- */

#define NS 1e9

struct gbench_group {
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

static void put_gbench_iteration(const struct gbench_group *s, size_t at, struct text *out)
{
    json_put(out,
             "\n{\"name\": %s, \"run_name\": %s, \"run_type\": \"iteration\", \"repetitions\": %zu, "
             "\"repetition_index\": %zu, \"threads\": %zu, \"iterations\": %.0f, \"real_time\": %f, \"cpu_time\": "
             "%f, \"time_unit\": \"ns\"}",
             s->group->name, s->group->name, s->group->n_samples, at, (size_t)(s->row->copies ? s->row->copies : 1),
             events_of_a_sample(s->row), s->seconds[at] * NS, s->cpu_seconds[at] * NS);
}

/* unit: "time" in s, or "percentage". */
static void put_gbench_aggregate(const struct gbench_group *s, const char *name, double real, double cpu,
                                 const char *unit, struct text *out)
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

static void put_gbench_aggregates(const struct gbench_group *s, struct text *out)
{
    struct stats_summary real, cpu;

    if (stats_summarise(s->seconds, s->group->n_samples, &real) ||
        stats_summarise(s->cpu_seconds, s->group->n_samples, &cpu)) {
        out->failed = 1;
        return;
    }
    put_gbench_aggregate(s, "mean", real.mean, cpu.mean, "time", out);
    put_gbench_aggregate(s, "median", real.median, cpu.median, "time", out);
    put_gbench_aggregate(s, "stddev", real.sd, cpu.sd, "time", out);
    put_gbench_aggregate(s, "cv", real.rsd_pct / 100, cpu.mean > 0 ? cpu.rsd_pct / 100 : 0, "percentage", out);
}

/* In s: measured for a command, otherwise by the row's ratio of CPU time to wall-clock time. 0: not known. */
static double cpu_seconds_of(const struct export_rows *rows, const struct row *row, size_t sample, double seconds)
{
    if (!strcmp(row->metric, "wall")) {
        const struct row *user = export_partner(rows, row, "user"), *system = export_partner(rows, row, "system");
        if (user && system && user->n_samples == row->n_samples && system->n_samples == row->n_samples)
            return export_base(user, user->samples[sample]) + export_base(system, system->samples[sample]);
    }
    return row->wall_s > 0 && row->cpu_s >= 0 ? seconds * row->cpu_s / row->wall_s : 0;
}

static void put_gbench_group(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    FREED_BY(memory_free) double *seconds = export_group_seconds(group);
    FREED_BY(memory_free) double *cpu_seconds = memory_get(group->n_samples, sizeof(*cpu_seconds));
    struct gbench_group s = {.group = group, .seconds = seconds, .cpu_seconds = cpu_seconds};
    size_t n = 0;

    for (size_t r = 0; r < group->n; r++) {
        s.row = group->rows[r];
        for (size_t i = 0; i < s.row->n_samples; i++, n++) {
            cpu_seconds[n] = cpu_seconds_of(rows, s.row, i, seconds[n]);
            text_append(out, ",", n > 0);
            put_gbench_iteration(&s, n, out);
        }
    }
    s.row = group->rows[0];
    if (n > 1)
        put_gbench_aggregates(&s, out);
}

static void write_gbench(const struct export_rows *rows, struct text *out)
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
        put_gbench_group(rows, &groups.group[g], out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_gbench = {
    .name = "gbench",
    .wanted = ROWS_SAMPLES,
    .refuse = export_refuse_unless_seconds,
    .write = write_gbench,
};
