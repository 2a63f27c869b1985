/* SPDX-License-Identifier: MIT */
/* The tables of very short experiments, for prime and stream. */
#include <stdio.h>
#include <string.h>

#include "cmd/suites.h"
#include "out/plot.h"

#define PLOTS_MAX 2u

static bool is_clock_row(const struct row *row, const char *metric)
{
    return !strcmp(row->metric, metric) && row->status < ROW_SKIPPED;
}

/* Prints the clock used for the ticks, its cost and resolution, once, from the first rows that have them. */
static void put_clock(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_clock_row(&r->rows[i], "clock_cost")) {
            const struct row *cost = &r->rows[i];
            size_t length = 0;
            const char *name = row_param(&cost->param, "clock", &length);
            double hz = 0, grain = 0;
            for (size_t k = i; k < r->n && !(hz > 0); k++) {
                if (is_clock_row(&r->rows[k], "clock_grain"))
                    grain = r->rows[k].value;
                if (is_clock_row(&r->rows[k], "clock_hz"))
                    hz = r->rows[k].value;
            }
            text_printf(out,
                        "Unit: %s of %.*s at %.6f GHz; two consecutive readings take %.0f %s, the grain is %.0f %s; "
                        "not subtracted\n",
                        cost->unit, (int)length, name ? name : "", hz * 1e-9, cost->value, cost->unit, grain,
                        cost->unit);
            return;
        }
}

static void put_runs(const struct table_rows *r, const struct experiment_tables *t, struct text *out)
{
    struct table_column columns[EXPERIMENT_COLUMNS + 4];

    columns[0] =
        (struct table_column){.heading = t->key_heading, .metric = "cycles", .field = TABLE_PARAM_VALUE, .key = t->key};
    columns[1] = (struct table_column){
        .heading = "Experiments", .metric = "cycles", .field = TABLE_PARAM_VALUE, .key = "experiments", .rank = 3};
    memcpy(columns + 2, cmd_experiment_columns, sizeof(cmd_experiment_columns));
    columns[EXPERIMENT_COLUMNS + 2] =
        (struct table_column){.heading = "Copies", .metric = "cycles", .field = TABLE_COPIES, .rank = 3};
    columns[EXPERIMENT_COLUMNS + 3] = (struct table_column){.heading = "CPU", .metric = "cycles", .field = TABLE_CPUS};
    struct table_layout layout = {.title = t->run_title,
                                  .columns = columns,
                                  .n_columns = EXPERIMENT_COLUMNS + 4,
                                  .per_sample = 1,
                                  .no_status = 1};
    table_print(&layout, r->rows, r->n, r->table_width, out);
    text_append(out, "\n", 1);
}

static void put_histograms(const struct table_rows *r, const struct experiment_tables *t, struct text *out)
{
    unsigned shown = 0;

    for (size_t i = 0; i < r->n && shown < PLOTS_MAX; i++) {
        const struct row *row = &r->rows[i];
        if (strcmp(row->test, t->test) || !row->n_hist)
            continue;
        text_printf(out, "\nHistogram of %s on CPU %s (bars: logarithm of the count)\n", row->param.text, row->cpus);
        plot_histogram(row, r->width, out);
        shown++;
    }
}

void cmd_print_experiments(const struct table_rows *r, const struct experiment_tables *t, struct text *out)
{
    bool any = false;

    for (size_t i = 0; i < r->n; i++)
        any = any || !strcmp(r->rows[i].test, t->test);
    if (!any)
        return;
    if (r->alone || r->verbose)
        put_runs(r, t, out);
    table_print(&t->summary, r->rows, r->n, r->table_width, out);
    put_clock(r, out);
    text_append(out, "\n", 1);
    table_print(&t->share, r->rows, r->n, r->table_width, out);
    if (r->pictures)
        put_histograms(r, t, out);
}
