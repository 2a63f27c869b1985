/* SPDX-License-Identifier: MIT */
/* Writes JSON, and exports rows in formats of it. */

#include "out/export.h"
#include "out/out.h"

/* --- JSON (RFC 8259). --- */

static const char *json_shown(const char *s, size_t bytes, char buf[8])
{
    (void)bytes;
    if (*s == '"' || *s == '\\')
        return text_line(buf, 8, "\\%c", *s);
    return (unsigned char)*s < 0x20 ? text_line(buf, 8, "\\u%04x", (unsigned)*s) : NULL;
}

static void put_quoted(struct text *out, const char *s, size_t length)
{
    text_append(out, "\"", 1);
    text_escape(out, s, length, json_shown);
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

/* --- jitbench's own: every column. --- */

/* Of length bytes "NAME=VALUE"; with `numbers` a number where the value has the form of one. */
static void put_member(struct text *out, const char *item, size_t length, bool numbers)
{
    const size_t name = smaller(strcspn(item, "="), length);
    const char *value = item + name + (name < length), *end = value;
    double number;

    json_put(out, "%.*s: ", (int)name, item);
    if (numbers && text_short_decimal(&end, &number) && end == item + length)
        json_number(out, number);
    else
        put_quoted(out, value, (size_t)(item + length - value));
}

/* Returns false for columns without items. */
static bool put_object(const struct row *row, const struct row_column *column, struct text *out)
{
    const struct row_params *params = !strcmp(column->name, "param") ? &row->param : NULL;

    if (!params && !text_has_word("settings scratch_disk", column->name))
        return false;
    const char *s = row_field(row, column);
    text_append(out, "{", 1);
    for (size_t i = 0, length; params ? i < params->n : *(s += strspn(s, ";")); i++, s += length) {
        s = params ? params->text + params->of[i].at : s;
        length = params ? params->of[i].length : strcspn(s, ";");
        text_printf(out, i ? ", " : "");
        put_member(out, s, length, !params || params->of[i].kind != PARAM_COMMAND);
    }
    text_append(out, "}", 1);
    return true;
}

static void put_text(struct text *out, const struct row_column *column, const char *s)
{
    (void)column;
    json_text(out, s);
}

static const struct row_format json_format = {put_text, json_number, "null", "[", ", ", ", ", "]"};

static void write_all_columns(const struct export_rows *rows, struct text *out)
{
    text_printf(out, "{\"rows\": [");
    for (size_t i = 0; i < rows->n; i++) {
        text_printf(out, "%s\n{", i ? "," : "");
        for (size_t c = 0; c < row_n_columns; c++) {
            json_put(out, "%s: ", row_columns[c].name);
            if (!put_object(rows->rows[i], &row_columns[c], out))
                row_put_field(rows->rows[i], &row_columns[c], &json_format, out);
            text_append(out, ", ", 2);
        }
        text_printf(out, "\"series_left_out\": %" PRIu64 "}", rows->rows[i]->series_left_out);
    }
    text_printf(out, "\n]}\n");
}

const struct export_format export_json = {
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
    if (!unit || strcmp(row->better, "lower"))
        return "";
    return unit->kind == EXPORT_BYTES ? "byte" : unit->kind == EXPORT_NUMBER ? "integer" : "";
}

static const char *refuse_pyperf(const struct row *row)
{
    if (!pyperf_unit(row)[0])
        return "that are neither a lower-is-better time, size or number nor a higher-is-better rate";
    return export_refuse_samples(row);
}

static double pyperf_value(const struct row *row, size_t sample)
{
    const double seconds = export_seconds(row, row->samples[sample]);

    return isnan(seconds) ? export_base(row, row->samples[sample]) : seconds;
}

static void put_pyperf(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    const char *unit = pyperf_unit(group->rows[0]), *between = "";

    (void)rows;
    json_put(out,
             !strcmp(unit, "second") ? "{\"metadata\": {\"name\": %s}, \"runs\": ["
                                     : "{\"metadata\": {\"name\": %s, \"unit\": %s}, \"runs\": [",
             group->name, unit);
    for (size_t r = 0; r < group->n; r++)
        for (size_t i = 0; i < group->rows[r]->n_samples; i++) {
            text_printf(out, "%s", between);
            json_put(out, "{\"values\": [%f]}", pyperf_value(group->rows[r], i));
            between = ", ";
        }
    text_printf(out, "]}");
}

const struct export_format export_pyperf = {
    .wanted = ROWS_SAMPLES,
    .refuse = refuse_pyperf,
    .before = "{\"version\": \"1.0\", \"metadata\": {\"unit\": \"second\"}, \"benchmarks\": [",
    .put = put_pyperf,
    .after = "}\n",
};

/* --- github-action-benchmark: customSmallerIsBetter, of the same rows. --- */

static void put_github_benchmark(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    const char *unit = pyperf_unit(group->rows[0]);
    struct stats_running samples = {0};

    (void)rows;
    for (size_t r = 0; r < group->n; r++)
        for (size_t i = 0; i < group->rows[r]->n_samples; i++)
            stats_add(&samples, pyperf_value(group->rows[r], i));
    json_put(out, "{\"name\": %s, \"unit\": %s, \"value\": %f", group->name,
             !strcmp(unit, "integer") ? group->rows[0]->unit : unit, samples.mean);
    if (samples.n > 1)
        json_put(out, ", \"range\": %s", TEXT_LINE("%.3g", stats_sd(&samples)));
    text_printf(out, "}");
}

const struct export_format export_github_benchmark = {
    .wanted = ROWS_SAMPLES,
    .refuse = refuse_pyperf,
    .before = "[",
    .put = put_github_benchmark,
    .after = "\n",
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
        const struct row *partner = row_sibling(rows->all, rows->n_all, group->rows[r], metric);
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

static void put_parameters(const struct row_params *params, struct text *out)
{
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    const size_t n = row_params_varied(params, keys, 0);

    for (size_t i = 0; i < n; i++)
        json_put(out, i ? ", %.*s: %s" : ", \"parameters\": {%.*s: %s", (int)strlen(keys[i]) - 2, keys[i] + 1,
                 ROW_PARAM(params, keys[i]));
    text_append(out, "}", n > 0);
}

static void put_hyperfine(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    FREED double *seconds = export_group_seconds(group);
    struct stats_summary s;
    size_t n = 0;

    out->failed |= stats_summarise(seconds, group->n_samples, &s) != 0;
    json_put(out,
             "{\"command\": %s, \"mean\": %f, \"stddev\": %f, \"median\": %f, \"user\": %f, \"system\": %f, "
             "\"min\": %f, \"max\": %f, \"times\": [",
             command_of(rows, group), s.mean, s.sd, s.median, mean_of_partner(rows, group, "user"),
             mean_of_partner(rows, group, "system"), s.min, s.max);
    for (size_t i = 0; i < group->n_samples; i++)
        json_put(out, i ? ", %f" : "%f", seconds[i]);
    text_printf(out, "], \"exit_codes\": [");
    for (size_t r = 0; r < group->n; r++) {
        const struct row *codes = row_sibling(rows->all, rows->n_all, group->rows[r], "exit_code");
        for (size_t i = 0; i < group->rows[r]->n_samples; i++)
            json_put(out, n++ ? ", %f" : "%f", codes && i < codes->n_samples ? codes->samples[i] : NAN);
    }
    text_append(out, "]", 1);
    put_parameters(&group->rows[0]->param, out);
    text_append(out, "}", 1);
}

static void write_hyperfine(const struct export_rows *rows, struct text *out)
{
    FREED const struct row **lines = memory_get(rows->n, sizeof(*lines));
    struct export_rows own = *rows;

    own.rows = lines;
    own.n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        const char *why = export_refuse_unless_seconds(row);
        if (is_column(row) && row_sibling(rows->all, rows->n_all, row, "wall"))
            continue;
        if (why)
            export_leave_out(rows->left_out, why);
        else
            lines[own.n++] = row;
    }
    text_printf(out, "{\"results\": [");
    export_put_groups(&own, put_hyperfine, out);
    text_printf(out, "}\n");
}

const struct export_format export_hyperfine_json = {
    .wanted = ROWS_SAMPLES,
    .refuse = refuse_hyperfine,
    .write = write_hyperfine,
};

/* --- Google Benchmark: an iteration for each sample, and the aggregates of each name; times are in ns. --- */

#define NS 1e9

/* For a rate the work done, otherwise the number of values of the row's statistics. */
static double events_of_a_sample(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);
    double events = (double)row->stats.n / (double)row->n_samples;

    if (unit && unit->kind == EXPORT_RATE && row->wall_s > 0)
        events = export_base(row, row->value) * row->wall_s / (double)row->n_samples;
    return events >= 1 && events < 9e15 ? floor(events + 0.5) : 1;
}

/* In s: measured for a command, otherwise by the row's ratio of CPU time to wall-clock time. 0: not known. */
static double cpu_seconds_of(const struct export_rows *rows, const struct row *row, size_t sample, double seconds)
{
    if (!strcmp(row->metric, "wall")) {
        const struct row *user = row_sibling(rows->all, rows->n_all, row, "user"),
                         *system = row_sibling(rows->all, rows->n_all, row, "system");
        if (user && system && user->n_samples == row->n_samples && system->n_samples == row->n_samples)
            return export_base(user, user->samples[sample]) + export_base(system, system->samples[sample]);
    }
    return row->wall_s > 0 && row->cpu_s >= 0 ? seconds * row->cpu_s / row->wall_s : 0;
}

/* A sample, or with a name an aggregate of those of the group. The times are in s, unless it is a percentage. */
struct gbench_line {
    const char *aggregate;
    bool percentage;
    size_t at; /* number of the sample */
    double iterations, real, cpu;
};

static void put_gbench_line(const struct export_group *group, const struct row *row, const struct gbench_line *line,
                            struct text *out)
{
    const char *name = line->aggregate ? line->aggregate : "";
    const double scale = line->percentage ? 1 : NS;
    FREED_BY(text_free) struct text full = {0};

    text_printf(&full, "%s%s%s", group->name, name[0] ? "_" : "", name);
    json_put(out, "{\"name\": %s, \"run_name\": %s, \"run_type\": %s, \"repetitions\": %zu, ", full.data, group->name,
             name[0] ? "aggregate" : "iteration", group->n_samples);
    if (!name[0])
        json_put(out, "\"repetition_index\": %zu, ", line->at);
    json_put(out, "\"threads\": %zu, ", (size_t)(row->copies ? row->copies : 1));
    if (name[0])
        json_put(out, "\"aggregate_name\": %s, \"aggregate_unit\": %s, ", name,
                 line->percentage ? "percentage" : "time");
    json_put(out, "\"iterations\": %.0f, \"real_time\": %f, \"cpu_time\": %f, \"time_unit\": \"ns\"}", line->iterations,
             line->real * scale, line->cpu * scale);
}

static void put_gbench(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    FREED double *seconds = export_group_seconds(group);
    FREED double *cpu_seconds = memory_get(group->n_samples, sizeof(*cpu_seconds));
    struct stats_summary real, cpu;
    size_t n = 0;

    for (size_t r = 0; r < group->n; r++) {
        const struct row *row = group->rows[r];
        for (size_t i = 0; i < row->n_samples; i++, n++) {
            cpu_seconds[n] = cpu_seconds_of(rows, row, i, seconds[n]);
            text_printf(out, n ? ",\n" : "");
            put_gbench_line(
                group, row,
                &(struct gbench_line){
                    .at = n, .iterations = events_of_a_sample(row), .real = seconds[n], .cpu = cpu_seconds[n]},
                out);
        }
    }
    if (n < 2)
        return;
    out->failed |= stats_summarise(seconds, n, &real) || stats_summarise(cpu_seconds, n, &cpu);
    if (out->failed)
        return;
    const struct gbench_line aggregates[] = {
        {"mean", false, 0, (double)n, real.mean, cpu.mean},
        {"median", false, 0, (double)n, real.median, cpu.median},
        {"stddev", false, 0, (double)n, real.sd, cpu.sd},
        {"cv", true, 0, (double)n, real.rsd_pct / 100, cpu.mean > 0 ? cpu.rsd_pct / 100 : 0}};
    for (size_t i = 0; i < COUNT(aggregates); i++) {
        text_printf(out, ",\n");
        put_gbench_line(group, group->rows[0], &aggregates[i], out);
    }
}

static void write_gbench(const struct export_rows *rows, struct text *out)
{
    const struct row_run *run = rows->rows[0]->run;

    json_put(out,
             "{\"context\": {\"date\": %s, \"host_name\": %s, \"executable\": \"jitbench\", \"num_cpus\": %zu, "
             "\"caches\": []},\n\"benchmarks\": [",
             run->utc, run->host, (size_t)run->cpus_online);
    export_put_groups(rows, put_gbench, out);
    text_printf(out, "}\n");
}

const struct export_format export_gbench = {
    .wanted = ROWS_SAMPLES,
    .refuse = export_refuse_unless_seconds,
    .write = write_gbench,
};
