/* SPDX-License-Identifier: MIT */
/* Prints the tables of tests whose runs time a very short experiment many times: prime, and array of stream. */
#include <assert.h>
#include <string.h>

#include "cmd/cmd.h"

#define PLOTS_MAX   2u
#define COLUMNS_MAX 24

static const struct table_column run_columns[] = {
    {.heading = "Experiments", .metric = "cycles", .field = TABLE_PARAM_VALUE, .key = "experiments", .rank = 3},
    {.heading = "Mean", .metric = "cycles", .field = TABLE_SAMPLE, .decimals = 2},
    {.heading = "SD", .metric = "cycles_sd", .field = TABLE_SAMPLE, .decimals = 1, .rank = 2},
    {.heading = "CountA", .metric = "delays_a", .field = TABLE_SAMPLE, .rank = 1},
    {.heading = "SizeA", .metric = "delays_a_size", .field = TABLE_SAMPLE, .rank = 1},
    {.heading = "CountB", .metric = "delays_b", .field = TABLE_SAMPLE},
    {.heading = "SizeB", .metric = "delays_b_size", .field = TABLE_SAMPLE},
    {.heading = "CountC", .metric = "delays_c", .field = TABLE_SAMPLE},
    {.heading = "SizeC", .metric = "delays_c_size", .field = TABLE_SAMPLE},
    {.heading = "CountD", .metric = "delays_d", .field = TABLE_SAMPLE},
    {.heading = "SizeD", .metric = "delays_d_size", .field = TABLE_SAMPLE},
    {.heading = "Copies", .metric = "cycles", .field = TABLE_COPIES, .rank = 3},
    {.heading = "CPU", .metric = "cycles", .field = TABLE_CPUS},
};
/* Those of the highest rank are left out first; rank 6 has the same value in all rows of a plan. */
static const struct table_column summary_columns[] = {
    {.heading = "Copies", .metric = "cycles", .field = TABLE_COPIES, .rank = 5},
    {.heading = "CPU", .metric = "cycles", .field = TABLE_CPUS},
    {.heading = "Experiments", .metric = "cycles", .field = TABLE_N, .rank = 6},
    {.heading = "Median", .metric = "cycles", .field = TABLE_MEDIAN, .decimals = 1},
    {.heading = "ns", .metric = "time", .field = TABLE_MEDIAN, .decimals = 1, .rank = 2},
    {.heading = "Mean", .metric = "cycles", .field = TABLE_MEAN, .decimals = 2, .rank = 1},
    {.heading = "+-95%", .metric = "cycles", .field = TABLE_CI95_HALF, .decimals = 2, .rank = 1},
    {.heading = "+-90%run", .metric = "cycles_ci90", .field = TABLE_VALUE, .decimals = 3, .rank = 6},
    {.heading = "SD", .metric = "cycles", .field = TABLE_SD, .decimals = 1, .rank = 4},
    {.heading = "Min", .metric = "cycles", .field = TABLE_MIN},
    {.heading = "P99", .metric = "cycles", .field = TABLE_P99},
    {.heading = "P99.9", .metric = "cycles", .field = TABLE_P999, .rank = 3},
    {.heading = "Max", .metric = "cycles", .field = TABLE_MAX},
    {.heading = "Max us", .metric = "time", .field = TABLE_MAX, .decimals = 1, .scale = 1e-3, .rank = 6},
    {.heading = "Core %", .metric = "cycles", .field = TABLE_CORE, .optional = 1},
    {.heading = "Alone", .metric = "cycles_alone", .field = TABLE_VALUE, .decimals = 1, .optional = 1},
};
static const struct table_column share_columns[] = {
    {.heading = "Copies", .metric = "cycles", .field = TABLE_COPIES, .rank = 2},
    {.heading = "CPU", .metric = "cycles", .field = TABLE_CPUS},
    {.heading = ">400 mean", .metric = "delayed_400", .field = TABLE_VALUE, .decimals = 3, .rank = 1},
    {.heading = ">2000 mean", .metric = "delayed_2000", .field = TABLE_VALUE, .decimals = 3, .rank = 1},
    {.heading = ">400 median", .metric = "delayed_400_median", .field = TABLE_VALUE, .decimals = 3},
    {.heading = ">2000 median", .metric = "delayed_2000_median", .field = TABLE_VALUE, .decimals = 3},
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
