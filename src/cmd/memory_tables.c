/* SPDX-License-Identifier: MIT */
/* jitbench memory: finds the levels (L1, L2, ..., memory) in the latency by working set, and prints the tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cpu_map.h"
#include "analysis/plateaus.h"
#include "bench/memory.h"
#include "cmd/memory.h"
#include "out/grid.h"
#include "out/plot.h"
#include "sys/machine.h"

#define LEVELS_MAX 5u
#define SIZES_MAX  128u
/* Working sets of up to this multiple of a cache's size may have that cache's latency. */
#define BEYOND 1.45
/* Maximum number of CPUs shown in the matrix; larger matrices are in the CSV, the export and the report. */
#define MATRIX_MAX 24u

static bool is(const struct row *row, const char *test, const char *metric)
{
    return !strcmp(row->test, test) && !strcmp(row->metric, metric);
}

/* --- Levels (L1, L2, ..., memory). --- */

/* Latency in ns by working set in bytes, for one kind of pages. */
struct curve {
    const struct row *row[SIZES_MAX];
    double set[SIZES_MAX], ns[SIZES_MAX];
    size_t n;
};

static void find_curve(const struct row *rows, size_t n, const char *chase, struct curve *curve)
{
    curve->n = 0;
    for (size_t i = 0; i < n && curve->n < SIZES_MAX; i++) {
        const double set = row_param_number(&rows[i].param, "set");
        if (!is(&rows[i], bench_memory_latency.name, "latency") || !row_param_is(&rows[i].param, "chase", chase) ||
            !(rows[i].value > 0) || !(set > 0))
            continue;
        curve->row[curve->n] = &rows[i];
        curve->set[curve->n] = set;
        curve->ns[curve->n++] = rows[i].value;
    }
}

static const struct metrics_metric level_metrics[] = {
    {"level", "time of a load on a plateau of the curve", "ns", "lower", true},
};
const struct metrics_test memory_levels = {
    METRICS_TEST("memory", "levels", "Levels of the curve: caches and memory", level_metrics)};

static void put_level(struct measure *m, const char *cpus, double ns, double up_to, const char *name,
                      uint64_t known_bytes)
{
    struct row_params param = {.n = 0};

    row_param_add(&param, PARAM_WORK, "level", "%s", name);
    row_param_add(&param, PARAM_OUTCOME, "up_to", "%.0f", up_to);
    if (known_bytes)
        row_param_add(&param, PARAM_CPU, "cache_bytes", "%llu", (unsigned long long)known_bytes);
    measure_put_made(m, &memory_levels, 0, 1, cpus, &param, ns);
}

/* Names a level (consecutive working sets with about the same latency) by the smallest cache that holds its largest
 * set, of up_to bytes: "L1", "L2", "memory". That set may be a little larger than the cache, since a part of it is
 * still found there. If the caches are not known, levels are numbered. Returns the cache's size in bytes; 0: memory, or
 * not known. */
static uint64_t name_level(double up_to, size_t number, const uint64_t *caches, size_t n_caches, char name[32])
{
    size_t level = 0;

    if (!n_caches) {
        (void)snprintf(name, 32, "level %zu", number + 1);
        return 0;
    }
    while (level < n_caches && up_to > BEYOND * (double)caches[level])
        level++;
    (void)snprintf(name, 32, level < n_caches ? "L%zu" : "memory", level + 1);
    return level < n_caches ? caches[level] : 0;
}

void memory_conclude(struct measure *m)
{
    struct curve curve;
    struct plateau level[LEVELS_MAX];
    uint64_t caches[LEVELS_MAX];

    find_curve(m->rows, m->n_rows, chase_names[CHASE_HUGE], &curve);
    const size_t n = plateaus_find(curve.ns, curve.n, level, LEVELS_MAX);
    char cpus[sizeof(curve.row[0]->cpus)] = ""; /* a copy, because adding rows may move the array of rows */
    if (curve.n)
        text_copy(cpus, sizeof(cpus), curve.row[0]->cpus);
    const size_t n_caches = machine_data_caches("", m->place.order[0], caches, LEVELS_MAX);
    for (size_t i = 0; i < n; i++) {
        const double up_to = curve.set[level[i].first + level[i].n - 1];
        char name[32];
        const uint64_t bytes = name_level(up_to, i, caches, n_caches, name);
        put_level(m, cpus, level[i].value, up_to, name, bytes);
    }
}

/* --- Tables. --- */

static void put_bytes(double bytes, struct grid *grid)
{
    char text[32] = "-";

    if (bytes > 0)
        text_bytes((uint64_t)bytes, text, sizeof(text));
    grid_text(grid, text);
}

static double value_at(const struct row *rows, size_t n, const char *metric, const char *chase, double set)
{
    for (size_t i = 0; i < n; i++)
        if (is(&rows[i], bench_memory_latency.name, metric) && row_param_is(&rows[i].param, "chase", chase) &&
            row_param_number(&rows[i].param, "set") == set)
            return rows[i].value;
    return (double)NAN;
}

static void put_curve(const struct table_rows *r, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Set"},
                                                 {.title = "Huge pages ns"},
                                                 {.title = "Cycles", .optional = true},
                                                 {.title = "Alone ns", .optional = true, .rank = 2},
                                                 {.title = "Small pages ns", .optional = true},
                                                 {.title = "In page ns", .optional = true, .rank = 1}};
    const char *const huge = chase_names[CHASE_HUGE];
    struct grid grid = {.n_columns = 0};
    double last = 0;

    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < r->n; i++) {
        const double set = row_param_number(&r->rows[i].param, "set");
        if (!is(&r->rows[i], bench_memory_latency.name, "latency") || !(set > last))
            continue;
        last = set;
        put_bytes(set, &grid);
        grid_number(&grid, value_at(r->rows, r->n, "latency", huge, set), 2);
        grid_number(&grid, value_at(r->rows, r->n, "latency_cycles", huge, set), 1);
        grid_number(&grid, value_at(r->rows, r->n, "latency_alone", huge, set), 2);
        grid_number(&grid, value_at(r->rows, r->n, "latency", chase_names[CHASE_SMALL], set), 2);
        grid_number(&grid, value_at(r->rows, r->n, "latency", chase_names[CHASE_IN_PAGE], set), 2);
        grid_end_row(&grid);
    }
    if (last > 0)
        text_printf(out, "Memory latency (each load waits for the one before it), by working set\n");
    grid_print(&grid, r->table_width, out);
}

static void put_levels(const struct table_rows *r, struct text *out)
{
    static const struct grid_column columns[] = {
        {.title = "Level", .left = true}, {.title = "ns"}, {.title = "Seen up to"}, {.title = "Cache's size"}};
    struct grid grid = {.n_columns = 0};
    size_t length;

    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < r->n; i++) {
        const char *name = row_param(&r->rows[i].param, "level", &length);
        if (!name || strcmp(r->rows[i].metric, "level") != 0)
            continue;
        text_append(grid_cell(&grid, COLOR_NONE), name, length);
        grid_number(&grid, r->rows[i].value, 2);
        put_bytes(row_param_number(&r->rows[i].param, "up_to"), &grid);
        put_bytes(row_param_number(&r->rows[i].param, "cache_bytes"), &grid);
        grid_end_row(&grid);
    }
    grid_print(&grid, r->table_width, out);
}

/* Plots the latency by working set as text. */
static void put_plot(const struct table_rows *r, struct text *out)
{
    struct curve curve;
    struct plot_row lines[SIZES_MAX] = {{.row = NULL}};
    char bytes[32];

    find_curve(r->rows, r->n, chase_names[CHASE_HUGE], &curve);
    for (size_t i = 0; i < curve.n; i++) {
        text_bytes((uint64_t)curve.set[i], bytes, sizeof(bytes));
        lines[i].row = curve.row[i];
        (void)snprintf(lines[i].label, sizeof(lines[i].label), "%s", bytes);
    }
    text_append(out, "\n", curve.n > 0);
    plot_ranges("Time of a load", 0, lines, curve.n, r->width, out);
}

static const struct table_column loaded_columns[] = {
    {.heading = "Others MB/s", .metric = "loaded_bandwidth", .field = TABLE_VALUE},
    {.heading = "Load ns", .metric = "loaded_latency", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "Min", .metric = "loaded_latency", .field = TABLE_MIN, .decimals = 1, .rank = 1},
    {.heading = "Max", .metric = "loaded_latency", .field = TABLE_MAX, .decimals = 1, .rank = 1},
    {.heading = "Pause ns", .metric = "loaded_latency", .field = TABLE_PARAM_VALUE, .key = "pause_ns"},
    {.heading = "CPUs", .metric = "loaded_latency", .field = TABLE_CPUS},
};
static const struct table_layout loaded_layout = {TABLE_OF(
    "Time of a load on the first CPU while the others read memory, with a pause after each 4 KiB", loaded_columns)};

static const struct table_column node_columns[] = {
    {.heading = "From node", .metric = "node_latency", .field = TABLE_PARAM_VALUE, .key = "from_node"},
    {.heading = "To node", .metric = "node_latency", .field = TABLE_PARAM_VALUE, .key = "to_node"},
    {.heading = "Load ns", .metric = "node_latency", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "MB/s", .metric = "node_bandwidth", .field = TABLE_VALUE},
    {.heading = "CPU", .metric = "node_latency", .field = TABLE_CPUS},
};
static const struct table_layout node_layout = {TABLE_OF("Memory nodes: one CPU's loads and readings", node_columns)};

static const struct table_column steady_columns[] = {
    {.heading = "Memory ns", .metric = "memory_latency", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "Cache ns", .metric = "cache_latency", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "After 2 ms", .metric = "cache_reload", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "Read MB/s", .metric = "memory_bandwidth", .field = TABLE_VALUE},
    {.heading = "P90 over median %", .metric = "memory_spread", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "Worst 50 ms %", .metric = "memory_worst", .field = TABLE_VALUE, .decimals = 1},
    {.heading = "RSD %", .metric = "memory_latency", .field = TABLE_RSD, .decimals = 1},
    {.heading = "Probes", .metric = "memory_probe", .field = TABLE_N, .rank = 1},
    {.heading = "CPU", .metric = "memory_latency", .field = TABLE_CPUS},
};
static const struct table_layout steady_layout = {TABLE_OF("How steady last cache and memory are", steady_columns)};

/* Prints a matrix of the latencies between CPUs for one metric: "store" or "swap", the way in which one CPU passes
 * a number to the other. */
static void put_matrix(const struct table_rows *r, const char *metric, const char *title, struct text *out)
{
    struct cpu_map map = {.n = 0};
    char headings[MATRIX_MAX][16];
    struct grid_column columns[MATRIX_MAX + 1] = {{.title = "CPU"}};
    struct grid grid = {.n_columns = 0};

    for (size_t i = 0; i < r->n; i++)
        cpu_map_add(&map, &r->rows[i], metric, MATRIX_MAX);
    for (size_t k = 0; k < map.n; k++) {
        (void)snprintf(headings[k], sizeof(headings[k]), "%u", map.cpu[k]);
        columns[k + 1] = (struct grid_column){.title = headings[k]};
    }
    grid_columns(&grid, columns, map.n + 1);
    for (size_t i = 0; i < map.n; i++) {
        grid_text(&grid, headings[i]);
        for (size_t k = 0; k < map.n; k++) {
            const double ns = map.row[i][k] ? map.row[i][k]->value : (double)NAN;
            grid_number(&grid, ns, ns < 100 ? 1 : 0);
        }
    }
    if (map.n)
        text_printf(out, "%s\n", title);
    grid_print(&grid, 0, out);
    if (map.left_out)
        text_printf(out, "%zu more pairs are in the CSV, and in the report\n", map.left_out);
}

/* Appends an empty line if the text has grown. Returns its length. */
static size_t put_break(size_t before, struct text *out)
{
    text_append(out, "\n", out->length > before);
    return out->length;
}

void memory_print(const struct table_rows *r, struct text *out)
{
    size_t before = out->length;

    put_curve(r, out);
    before = put_break(before, out);
    put_levels(r, out);
    if (r->pictures)
        put_plot(r, out);
    before = put_break(before, out);
    table_print(&loaded_layout, r->rows, r->n, r->table_width, out);
    before = put_break(before, out);
    put_matrix(r, "store", "One way of a stored number between two CPUs, ns", out);
    put_matrix(r, "swap", "One way by compare-and-swap, ns", out);
    before = put_break(before, out);
    table_print(&node_layout, r->rows, r->n, r->table_width, out);
    (void)put_break(before, out);
    table_print(&steady_layout, r->rows, r->n, r->table_width, out);
}
