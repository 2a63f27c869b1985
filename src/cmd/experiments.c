/* SPDX-License-Identifier: MIT */
/* Prints the tables of tests whose runs time a very short experiment many times: prime, and array of stream. */
#include <assert.h>
#include <string.h>

#include "cmd/cmd.h"

#define PLOTS_MAX   2u
#define COLUMNS_MAX 24

static const struct table_column run_columns[] = {
    {COLUMN("Experiments", "cycles", TABLE_PARAM_VALUE, 0), .key = "experiments", .rank = 3},
    {COLUMN("Mean", "cycles", TABLE_SAMPLE, 2)},
    {COLUMN("SD", "cycles_sd", TABLE_SAMPLE, 1), .rank = 2},
    {COLUMN("CountA", "delays_a", TABLE_SAMPLE, 0), .rank = 1},
    {COLUMN("SizeA", "delays_a_size", TABLE_SAMPLE, 0), .rank = 1},
    {COLUMN("CountB", "delays_b", TABLE_SAMPLE, 0)},
    {COLUMN("SizeB", "delays_b_size", TABLE_SAMPLE, 0)},
    {COLUMN("CountC", "delays_c", TABLE_SAMPLE, 0)},
    {COLUMN("SizeC", "delays_c_size", TABLE_SAMPLE, 0)},
    {COLUMN("CountD", "delays_d", TABLE_SAMPLE, 0)},
    {COLUMN("SizeD", "delays_d_size", TABLE_SAMPLE, 0)},
    {COLUMN("Copies", "cycles", TABLE_COPIES, 0), .rank = 3},
    {COLUMN("CPU", "cycles", TABLE_CPUS, 0)},
};
/* Those of the highest rank are left out first; rank 6 has the same value in all rows of a plan. */
static const struct table_column summary_columns[] = {
    {COLUMN("Copies", "cycles", TABLE_COPIES, 0), .rank = 5},
    {COLUMN("CPU", "cycles", TABLE_CPUS, 0)},
    {COLUMN("Experiments", "cycles", TABLE_N, 0), .rank = 6},
    {COLUMN("Median", "cycles", TABLE_MEDIAN, 1)},
    {COLUMN("ns", "time", TABLE_MEDIAN, 1), .rank = 2},
    {COLUMN("Mean", "cycles", TABLE_MEAN, 2), .rank = 1},
    {COLUMN("+-95%", "cycles", TABLE_CI95_HALF, 2), .rank = 1},
    {COLUMN("+-90%run", "cycles_ci90", TABLE_VALUE, 3), .rank = 6},
    {COLUMN("SD", "cycles", TABLE_SD, 1), .rank = 4},
    {COLUMN("Min", "cycles", TABLE_MIN, 0)},
    {COLUMN("P99", "cycles", TABLE_P99, 0)},
    {COLUMN("P99.9", "cycles", TABLE_P999, 0), .rank = 3},
    {COLUMN("Max", "cycles", TABLE_MAX, 0)},
    {COLUMN("Max us", "time", TABLE_MAX, 1), .scale = 1e-3, .rank = 6},
    {COLUMN("Core %", "cycles", TABLE_CORE, 0), .optional = 1},
    {COLUMN("Alone", "cycles_alone", TABLE_VALUE, 1), .optional = 1},
};
static const struct table_column share_columns[] = {
    {COLUMN("Copies", "cycles", TABLE_COPIES, 0), .rank = 2},
    {COLUMN("CPU", "cycles", TABLE_CPUS, 0)},
    {COLUMN(">400 mean", "delayed_400", TABLE_VALUE, 3), .rank = 1},
    {COLUMN(">2000 mean", "delayed_2000", TABLE_VALUE, 3), .rank = 1},
    {COLUMN(">400 median", "delayed_400_median", TABLE_VALUE, 3)},
    {COLUMN(">2000 median", "delayed_2000_median", TABLE_VALUE, 3)},
};

static bool is_clock_row(const struct row *row, const char *metric)
{
    return !strcmp(row->metric, metric) && row->status < ROW_SKIPPED;
}

/* The clock of the ticks, its cost and resolution, once. */
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

/* Columns: t->key, n_extra of t->extra, and those of the layout. */
static void put_table(const struct table_rows *r, const struct experiment_tables *t, struct table_layout layout,
                      size_t n_extra, struct text *out)
{
    struct table_column columns[COLUMNS_MAX];

    assert(1 + n_extra + layout.n_columns <= COLUMNS_MAX);
    columns[0] = t->key;
    memcpy(columns + 1, t->extra, n_extra * sizeof(columns[0]));
    memcpy(columns + 1 + n_extra, layout.columns, layout.n_columns * sizeof(columns[0]));
    layout.columns = columns;
    layout.n_columns += 1 + n_extra;
    table_print(&layout, r->rows, r->n, r->table_width, out);
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
    const struct table_layout runs = {TABLE_OF(t->run_title, run_columns), .per_sample = 1, .no_status = 1};
    const struct table_layout summary = {TABLE_OF(t->summary_title, summary_columns)};
    static const struct table_layout share = {
        TABLE_OF("Time lost, in %, in delays by more than so many cycles above the mean or the median", share_columns),
        .no_status = 1};
    bool any = false;

    for (size_t i = 0; i < r->n; i++)
        any = any || !strcmp(r->rows[i].test, t->test);
    if (!any)
        return;
    if (r->alone || r->verbose) {
        put_table(r, t, runs, 0, out);
        text_append(out, "\n", 1);
    }
    put_table(r, t, summary, t->n_extra, out);
    put_clock(r, out);
    text_append(out, "\n", 1);
    put_table(r, t, share, 0, out);
    if (r->pictures)
        put_histograms(r, t, out);
}
