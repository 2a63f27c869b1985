/* SPDX-License-Identifier: MIT */
/* Exports rows as the JSON of hyperfine, in seconds: a result for each name. */
#include <math.h>
#include <string.h>

#include "out/export.h"
#include "out/out.h"
#include "sys/base.h"

/* A CPU time of a command is a column in the line of its wall-clock time. */
static bool is_column(const struct row *row)
{
    return !strcmp(row->metric, "user") || !strcmp(row->metric, "system");
}

static const char *refuse(const struct row *row)
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

static void write(const struct export_rows *rows, struct text *out)
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
    .refuse = refuse,
    .write = write,
};
