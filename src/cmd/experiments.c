/* SPDX-License-Identifier: MIT */
/* The tables of very short experiments, for prime and stream. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/suites.h"
#include "out/plot.h"

#define PLOT_WIDTH 100u
#define PLOTS_MAX  2u

static bool is_clock_row(const struct row *row, const char *metric)
{
    return !strcmp(row->metric, metric) && row->status < ROW_SKIPPED;
}

/* What the ticks are: once, from the first row that knows. */
static void put_clock(const struct measure *m, struct text *out)
{
    for (size_t i = 0; i < m->n_rows; i++)
        if (is_clock_row(&m->rows[i], "clock_cost")) {
            double hz = 0, grain = 0;
            for (size_t k = i; k < m->n_rows && !(hz > 0); k++) {
                if (is_clock_row(&m->rows[k], "clock_grain"))
                    grain = m->rows[k].value;
                if (is_clock_row(&m->rows[k], "clock_hz"))
                    hz = m->rows[k].value;
            }
            text_printf(out,
                        "Unit: %s of %s at %.6f GHz; two readings with nothing between take %.0f %s, "
                        "the grain is %.0f %s; not subtracted\n",
                        m->clock.unit, m->clock.name, hz * 1e-9, m->rows[i].value, m->clock.unit, grain, m->clock.unit);
            return;
        }
}

static void put_runs(const struct measure *m, const struct experiment_tables *t, struct text *out)
{
    struct table_column columns[EXPERIMENT_COLUMNS + 4];

    columns[0] =
        (struct table_column){.heading = t->key_heading, .metric = "cycles", .field = TABLE_PARAM_VALUE, .key = t->key};
    columns[1] = (struct table_column){
        .heading = "Experiments", .metric = "cycles", .field = TABLE_PARAM_VALUE, .key = "experiments"};
    memcpy(columns + 2, cmd_experiment_columns, sizeof(cmd_experiment_columns));
    columns[EXPERIMENT_COLUMNS + 2] =
        (struct table_column){.heading = "Copies", .metric = "cycles", .field = TABLE_COPIES};
    columns[EXPERIMENT_COLUMNS + 3] = (struct table_column){.heading = "CPU", .metric = "cycles", .field = TABLE_CPUS};
    struct table_layout layout = {.title = t->run_title,
                                  .columns = columns,
                                  .n_columns = EXPERIMENT_COLUMNS + 4,
                                  .per_sample = 1,
                                  .no_status = 1};
    table_print(&layout, m->rows, m->n_rows, out);
    text_append(out, "\n", 1);
}

static void put_histograms(const struct measure *m, const struct experiment_tables *t, struct text *out)
{
    unsigned shown = 0;

    for (size_t i = 0; i < m->n_rows && shown < PLOTS_MAX; i++) {
        const struct row *row = &m->rows[i];
        if (strcmp(row->test, t->test) || !row->n_hist)
            continue;
        text_printf(out, "\nHistogram of %s on CPU %s (bars: logarithm of the count)\n", row->param, row->cpus);
        plot_histogram(row, PLOT_WIDTH, out);
        shown++;
    }
}

void cmd_print_experiments(const struct measure *m, const struct experiment_tables *t, bool alone, struct text *out)
{
    bool any = false;

    for (size_t i = 0; i < m->n_rows; i++)
        any = any || !strcmp(m->rows[i].test, t->test);
    if (!any)
        return;
    if (alone || m->options.verbose)
        put_runs(m, t, out);
    table_print(&t->summary, m->rows, m->n_rows, out);
    put_clock(m, out);
    text_append(out, "\n", 1);
    table_print(&t->share, m->rows, m->n_rows, out);
    if (m->options.verbose || (alone && isatty(m->out_fd)))
        put_histograms(m, t, out);
}
