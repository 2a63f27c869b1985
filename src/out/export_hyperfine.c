/* SPDX-License-Identifier: MIT */
/* Rows as the CSV of hyperfine, in seconds: a line for each name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/csv.h"
#include "out/export.h"
#include "out/rows.h"

/* CPU times of a command stand in columns of its line, where it has one. */
static bool is_column(const struct row *row)
{
    return !strcmp(row->metric, "user") || !strcmp(row->metric, "system");
}

static const char *refuse(const struct row *row)
{
    return is_column(row) && row->n_samples ? NULL : export_refuse_unless_seconds(row);
}

static void put_number(double value, struct text *out)
{
    text_append(out, ",", 1);
    text_real(out, value);
}

/* The mean of all samples of the metric beside the group's rows, empty when a row has none. */
static void put_partner(const struct export_rows *rows, const struct export_group *group, const char *metric,
                        struct text *out)
{
    struct stats_running samples = {0};
    bool known = true;

    for (size_t r = 0; r < group->n && known; r++) {
        const struct row *partner = export_partner(rows, group->rows[r], metric);
        known = partner && partner->n_samples && !isnan(export_seconds(partner, 1));
        for (size_t i = 0; known && i < partner->n_samples; i++)
            stats_add(&samples, export_seconds(partner, partner->samples[i]));
    }
    put_number(known ? samples.mean : (double)NAN, out);
}

/* A command's time goes under its own name. */
static void put_line(const struct export_rows *rows, const struct export_group *group, struct text *out)
{
    const bool is_wall = !strcmp(group->rows[0]->metric, "wall");
    double *seconds = export_group_seconds(group);
    struct stats_summary stats;

    if (!seconds || stats_summarise(seconds, group->n_samples, &stats)) {
        free(seconds);
        out->failed = 1;
        return;
    }
    csv_text(out, group->name);
    put_number(stats.mean, out);
    put_number(stats.sd, out);
    put_number(stats.median, out);
    put_partner(rows, group, is_wall ? "user" : "", out);
    put_partner(rows, group, is_wall ? "system" : "", out);
    put_number(stats.min, out);
    put_number(stats.max, out);
    text_append(out, "\n", 1);
    free(seconds);
}

/* Rows that are a line of their own, in lines[]. */
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

static void write_rows(const struct export_rows *rows, struct text *out)
{
    const struct row **lines = calloc(rows->n, sizeof(const struct row *));
    struct export_rows own = *rows;
    struct export_groups groups;

    own.rows = lines;
    own.n = lines ? choose_lines(rows, lines) : 0;
    if (!lines || export_group(&own, &groups)) {
        free(lines);
        out->failed = 1;
        return;
    }
    text_printf(out, "command,mean,stddev,median,user,system,min,max\n");
    for (size_t g = 0; g < groups.n; g++)
        put_line(rows, &groups.group[g], out);
    export_groups_free(&groups);
    free(lines);
}

const struct export_format export_hyperfine = {
    .name = "hyperfine",
    .title = "CSV with mean, spread and CPU times in seconds, as of hyperfine --export-csv",
    .wanted = ROWS_SAMPLES,
    .refuse = refuse,
    .write = write_rows,
};
