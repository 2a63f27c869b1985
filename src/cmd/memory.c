/* SPDX-License-Identifier: MIT */
/* jitbench memory: reads its options and plans its measurements. */
#include "bench/memory.h"

#include "cmd/cmd.h"
#include "out/chart.h"

/* --- Levels and tables. --- */

#define LEVELS_MAX 5u
#define SIZES_MAX  128u
/* A set may exceed a cache by so much and still have its latency. */
#define BEYOND 1.45
/* Larger matrices are in the CSV, the export and the report. */
#define MATRIX_MAX 24u

static bool is_latency(const struct row *row, const char *metric, enum chase_pages chase)
{
    return !strcmp(row->test, bench_memory_latency.name) && !strcmp(row->metric, metric) &&
           row_param_is(&row->param, "chase", chase_names[chase]);
}

/* --- Levels (L1, L2, ..., memory). --- */

/* In ns, by working set in bytes, in huge pages. */
struct curve {
    const struct row *row[SIZES_MAX];
    double set[SIZES_MAX], ns[SIZES_MAX];
    size_t n;
};

static void find_curve(const struct row *rows, size_t n, struct curve *curve)
{
    curve->n = 0;
    for (const struct row *row = rows; row < rows + n && curve->n < SIZES_MAX; row++) {
        const double set = row_param_number(&row->param, "set");
        if (!is_latency(row, "latency", CHASE_HUGE) || !(row->value > 0) || !(set > 0))
            continue;
        curve->row[curve->n] = row;
        curve->set[curve->n] = set;
        curve->ns[curve->n++] = row->value;
    }
}

static const struct metrics_metric level_metrics[] = {
    {"level", "time of a load on a plateau of the curve", "ns", "lower", true},
};
static const struct metrics_test levels = {
    METRICS_TEST("memory", "levels", "Levels of the curve: caches and memory", level_metrics)};

/* By the smallest cache that holds the largest set, of up_to bytes: "L1", "memory"; if caches are not known, by
 * number. Returns the cache's bytes; 0: memory, or not known. */
static uint64_t name_memory_level(double up_to, size_t number, const uint64_t *caches, size_t n_caches, char name[32])
{
    size_t level = 0;

    if (!n_caches) {
        snprintf(name, 32, "level %zu", number + 1);
        return 0;
    }
    while (level < n_caches && up_to > BEYOND * (double)caches[level])
        level++;
    snprintf(name, 32, level < n_caches ? "L%zu" : "memory", level + 1);
    return level < n_caches ? caches[level] : 0;
}

/* For each level found in the latency by working set. */
static void conclude(struct measure *m)
{
    struct curve curve;
    struct plateau level[LEVELS_MAX];
    uint64_t caches[LEVELS_MAX];

    find_curve(m->rows, m->n_rows, &curve);
    const size_t n = plateaus_find(curve.ns, curve.n, level, LEVELS_MAX);
    char cpus[sizeof(curve.row[0]->cpus)] = ""; /* adding rows may move the array of rows */
    if (curve.n)
        TEXT_SET(cpus, curve.row[0]->cpus);
    const size_t n_caches = machine_data_caches(m->place.order[0], caches, LEVELS_MAX);
    for (size_t i = 0; i < n; i++) {
        const double up_to = curve.set[level[i].first + level[i].n - 1];
        char name[32];
        struct row_params param = {0};
        const uint64_t bytes = name_memory_level(up_to, i, caches, n_caches, name);
        row_param_add(&param, PARAM_WORK, "level", "%s", name);
        row_param_add(&param, PARAM_OUTCOME, "up_to", "%.0f", up_to);
        if (bytes)
            row_param_add(&param, PARAM_CPU, "cache_bytes", "%" PRIu64, bytes);
        measure_put_made(m, &levels, 0, 1, cpus, &param, level[i].value);
    }
}

/* --- Tables. --- */

static void put_bytes(double bytes, struct grid *grid)
{
    grid_text(grid, bytes > 0 ? TEXT_BYTES((uint64_t)bytes) : "-");
}

static void put_curve(const struct table_rows *r, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Set"},
                                                 {.title = "Huge pages ns"},
                                                 {"Cycles", .optional = true},
                                                 {"Alone ns", .optional = true, .rank = 2},
                                                 {"Small pages ns", .optional = true},
                                                 {"In page ns", .optional = true, .rank = 1}};
    static const struct {
        const char *metric;
        enum chase_pages chase;
        unsigned decimals;
    } cells[] = {{"latency", CHASE_HUGE, 2},
                 {"latency_cycles", CHASE_HUGE, 1},
                 {"latency_alone", CHASE_HUGE, 2},
                 {"latency", CHASE_SMALL, 2},
                 {"latency", CHASE_IN_PAGE, 2}};
    struct grid grid = {0};
    double last = 0;

    GRID_COLUMNS(&grid, columns);
    for_each_row(first, r) {
        const double set = row_param_number(&first->param, "set");
        if (strcmp(first->test, bench_memory_latency.name) || strcmp(first->metric, "latency") || !(set > last))
            continue;
        last = set;
        put_bytes(set, &grid);
        for (size_t c = 0; c < COUNT(cells); c++) {
            double value = NAN;
            for_each_row(row, r)
                if (isnan(value) && is_latency(row, cells[c].metric, cells[c].chase) &&
                    row_param_number(&row->param, "set") == set)
                    value = row->value;
            grid_number(&grid, value, cells[c].decimals);
        }
        grid_end_row(&grid);
    }
    if (last > 0)
        text_printf(out, "Memory latency (each load waits for the one before it), by working set\n");
    grid_print(&grid, r->table_width, out);
}

static void put_levels(const struct table_rows *r, struct text *out)
{
    static const struct grid_column columns[] = {
        {"Memory level", .left = true}, {.title = "ns"}, {.title = "Seen up to"}, {.title = "Cache's size"}};
    struct grid grid = {0};

    GRID_COLUMNS(&grid, columns);
    for_each_row(row, r) {
        const char *name = ROW_PARAM(&row->param, "level");
        if (!name[0] || strcmp(row->metric, "level"))
            continue;
        grid_text(&grid, name);
        grid_number(&grid, row->value, 2);
        put_bytes(row_param_number(&row->param, "up_to"), &grid);
        put_bytes(row_param_number(&row->param, "cache_bytes"), &grid);
        grid_end_row(&grid);
    }
    grid_print(&grid, r->table_width, out);
}

static void put_plot(const struct table_rows *r, struct text *out)
{
    struct curve curve;
    struct chart c = CHART_OF_RANGES("Time of a load");

    find_curve(r->rows, r->n, &curve);
    for (size_t i = 0; i < curve.n; i++)
        chart_range(&c, &(struct chart_entry){.row = curve.row[i], .label = TEXT_BYTES((uint64_t)curve.set[i])});
    text_append(out, "\n", curve.n > 0);
    chart_put_text(&c, r->width, out);
}

static const struct table_column loaded_columns[] = {
    COLUMN("Others MB/s", "loaded_bandwidth", VALUE, 0),
    FIELD(VALUE, .heading = "Load ns"),
    FIELD(MIN, .rank = 1),
    FIELD(MAX, .rank = 1),
    KEY("Pause ns", "pause_ns"),
    FIELD(CPUS, .heading = "CPUs"),
};
static const struct table_layout loaded_layout = {
    TABLE_OF("Time of a load on the first CPU while the others read memory, with a pause after each 4 KiB",
             loaded_columns),
    .metric = "loaded_latency", .decimals = 1};

static const struct table_column node_columns[] = {
    KEY("From node", "from_node"),
    KEY("To node", "to_node"),
    COLUMN("Load ns", "node_latency", VALUE, 1),
    COLUMN("MB/s", "node_bandwidth", VALUE, 0),
    FIELD(CPUS),
};
static const struct table_layout node_layout = {TABLE_OF("Memory nodes: one CPU's loads and readings", node_columns)};

static const struct table_column steady_columns[] = {
    COLUMN("Memory ns", "memory_latency", VALUE, 1),
    COLUMN("Cache ns", "cache_latency", VALUE, 1),
    COLUMN("After 2 ms", "cache_reload", VALUE, 1, .rank = 2),
    COLUMN("Read MB/s", "memory_bandwidth", VALUE, 0),
    COLUMN("P90 over median %", "memory_spread", VALUE, 1),
    COLUMN("Worst 50 ms %", "memory_worst", VALUE, 1),
    COLUMN("RSD %", "memory_latency", RSD, 1, .rank = 2),
    COLUMN("Probes", "memory_probe", N, 0, .rank = 1),
    FIELD(CPUS),
};
static const struct table_layout steady_layout = {TABLE_OF("How steady last cache and memory are", steady_columns)};

/* metric: "store" or "swap", the way a number is passed. */
static void put_matrix(const struct table_rows *r, const char *metric, const char *title, struct text *out)
{
    struct cpu_map map = {0};

    for_each_row(row, r)
        cpu_map_add(&map, row, metric, MATRIX_MAX);
    cpu_map_put(&map, title, &(struct doc){.out = out});
}

/* An empty line if the table before printed anything. */
static void put_break(size_t *before, struct text *out)
{
    text_append(out, "\n", out->length > *before);
    *before = out->length;
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED_BY(text_free) struct text curve = {0};
    const size_t begin = out->length;
    size_t before = begin;
    bool steady = table_is_whole(r);

    for_each_row(row, r)
        steady |= row->status >= ROW_SKIPPED && !strcmp(row->test, bench_memory_steady.name);
    put_levels(r, out);
    put_curve(r, &curve);
    if (r->verbose || out->length == before) {
        put_break(&before, out);
        text_append(out, curve.data, curve.length);
    } else {
        out->left_out |= curve.length > 0;
    }
    if (r->pictures)
        put_plot(r, out);
    put_break(&before, out);
    table_print(&loaded_layout, r->rows, r->n, r->table_width, out);
    put_break(&before, out);
    if (table_is_whole(r))
        put_matrix(r, "store", "One way of a stored number between two CPUs, ns", out);
    if (r->verbose)
        put_matrix(r, "swap", "One way by compare-and-swap, ns", out);
    put_break(&before, out);
    table_print(&node_layout, r->rows, r->n, r->table_width, out);
    if (steady) {
        put_break(&before, out);
        table_print(&steady_layout, r->rows, r->n, r->table_width, out);
    }
    if (out->length == before && before > begin)
        out->data[--out->length] = '\0';
    out->left_out |= !steady;
}

struct memory_options {
    uint64_t max_size; /* bytes; 0: chosen */
};

enum { TEST_LATENCY, TEST_LOADED, TEST_CORES, TEST_NODES, TEST_STEADY };
static const char *const tests[] = {"latency", "loaded", "cores", "nodes", "steady", NULL};

#define SET_MIN 4096u
/* In bytes, when caches are not known. */
#define SET_UNKNOWN (256ull << 20)
/* In bytes, for random order page by page: within one page it does not differ. */
#define IN_PAGE_MIN (16u << 10)
/* In bytes, when caches are not known: fits into the last cache, not into the one before. */
#define CACHE_SET_DEFAULT (2ull << 20)
/* Of the short run for the line "Quiet?"; filling a larger set takes too long. */
#define LOOK_NS      100000000u
#define LOOK_SET_MAX (512ull << 20)
#define ONE_CPU      "there is only one CPU to measure on"
/* In bytes: what each other CPU reads in test loaded. */
#define STREAM_MIN (8ull << 20)

static const struct option rows[] = {
    {OPTION("max-size", 0, struct memory_options, max_size,
            "largest working set; default: 4 times the sum of all last-level caches, or 256 MiB where these are not "
            "known"),
     OPTION_NUMBER(SIZE, "SIZE", 65536, 1e15)},
};

/* Asked for, or 4 times the caches; at most a quarter of the memory. */
static uint64_t largest_set(const struct measure *m, const struct memory_options *o)
{
    const uint64_t room = measure_memory(m) / 4;
    uint64_t wanted = m->machine.cache_llc_bytes ? m->machine.cache_llc_bytes * 4 : SET_UNKNOWN;

    wanted = o->max_size ? o->max_size : wanted;
    return larger(smaller(wanted, room), SET_MIN);
}

/* Sets of SET_MIN times the powers of the square root of 2, in whole cache lines; with --quick huge pages only. */
static void plan_latency(const struct measure *m, const struct memory_options *o)
{
    const bool quick = m->preset == PRESET_QUICK;
    struct memory_latency_params params;

    for (unsigned k = 0; (params.bytes = (uint64_t)SET_MIN << k / 2) <= largest_set(m, o); k++) {
        if (k % 2)
            params.bytes = (uint64_t)((double)params.bytes * 1.4142135623730951) / CHASE_LINE * CHASE_LINE;
        if (params.bytes > largest_set(m, o))
            break;
        for (params.chase = 0; params.chase < CHASE_KINDS; params.chase++)
            if (quick ? params.chase == CHASE_HUGE : params.chase != CHASE_IN_PAGE || params.bytes >= IN_PAGE_MIN)
                measure_add(m, &bench_memory_latency, &params, 1, 0);
    }
}

static void plan_loaded(const struct measure *m, const struct memory_options *o)
{
    static const uint64_t pauses[MEMORY_LOADED_STEPS] = {UINT64_MAX, 20000, 8000, 4000, 2000, 1000, 500, 200, 0};
    const unsigned copies = (unsigned)m->place.n_order;
    struct memory_loaded_params params = {.bytes = largest_set(m, o)};

    params.stream_bytes = larger(copies > 1 ? params.bytes / (copies - 1) : 0, STREAM_MIN);
    for (params.step = 0; params.step < (copies > 1 ? MEMORY_LOADED_STEPS : 1); params.step++) {
        params.pause_ns = pauses[params.step];
        measure_add(m, &bench_memory_loaded, &params, copies, 1);
    }
    if (copies < 2)
        m->plan->items[m->plan->n - 1].skip = ONE_CPU;
}

static void plan_cores(const struct measure *m)
{
    FREED_BY(topology_pairs_free) struct cpu_pairs pairs = {0};

    if (topology_pairs(m->place.order, m->place.n_order, PAIRS_ALL, &pairs))
        memory_out();
    for (size_t i = 0; i < pairs.n; i++)
        measure_add(m, &bench_memory_cores, &(struct memory_cores_params){pairs.pair[i]}, 1, 2);
    if (!pairs.n)
        measure_add(m, &bench_memory_cores, &(struct memory_cores_params){.pair = {0}}, 1, 2)->skip = ONE_CPU;
}

static void plan_nodes(const struct measure *m, const struct memory_options *o)
{
    struct memory_nodes_params params = {.bytes = largest_set(m, o)};
    struct cpuset memory, online, cpus;

    if (!procfs_read_cpus(NODE_FOLDER "/has_memory", &memory) || !procfs_read_cpus(NODE_FOLDER "/online", &online))
        cpuset_clear(&memory);
    if (cpuset_count(&memory) < 2) {
        measure_add(m, &bench_memory_nodes, &params, 1, 3)->skip =
            cpuset_count(&memory) ? "there is only one memory node" : "the memory nodes are not known";
        return;
    }
    for_each_cpu(from, &online) {
        size_t at = 0;
        params.cpu_node = from;
        if (!procfs_read_cpus(NODE_CPUS(from), &cpus))
            continue;
        while (at < m->place.n_order && !cpuset_has(&cpus, m->place.order[at]))
            at++;
        if (at == m->place.n_order)
            continue;
        params.cpu = m->place.order[at];
        for_each_cpu(to, &memory) {
            params.memory_node = to;
            measure_add(m, &bench_memory_nodes, &params, 1, 3);
        }
    }
}

/* For memory 4 times the last cache, at most `most`; for the cache what it holds and the one before does not.
 * Returns the bytes of the last cache; 0: not known. */
static uint64_t steady_sets(const struct measure *m, uint64_t most, struct memory_steady_params *out)
{
    uint64_t caches[4], last = m->machine.cache_llc_bytes;
    const size_t n = machine_data_caches(m->place.order[0], caches, COUNT(caches));

    *out = (struct memory_steady_params){.memory_bytes = most, .cache_bytes = CACHE_SET_DEFAULT};
    if (n > 1 && caches[n - 2])
        out->cache_bytes = 2 * caches[n - 2];
    if (n && caches[n - 1])
        last = caches[n - 1];
    if (last) {
        out->memory_bytes = smaller(out->memory_bytes, 4 * last);
        out->cache_bytes = smaller(out->cache_bytes, last / 2);
    }
    out->cache_bytes = smaller(out->cache_bytes, out->memory_bytes);
    return last;
}

double memory_look(const struct measure *m)
{
    struct memory_steady_params params;
    const uint64_t most = smaller(measure_memory(m) / 4, LOOK_SET_MAX);
    const uint64_t last = steady_sets(m, most, &params);
    const struct trial_spec spec = {.bench = &bench_memory_steady,
                                    .params = &params,
                                    .copies = 1,
                                    .time_ns = LOOK_NS,
                                    .place = &m->place,
                                    .clock = &m->clock,
                                    .series_fd = -1};

    if (!last || most < 4 * last)
        return NAN;
    params.cache_bytes = 0;
    struct trial *trial = trial_run(&spec);
    const double pct = trial && trial->outcome == TRIAL_DONE ? memory_steady_spread_pct(trial) : NAN;
    trial_free(trial);
    return pct;
}

/* `all` leaves out loaded and nodes to save time. */
static int plan(struct measure *m, void *options)
{
    struct memory_options *o = options;
    struct memory_steady_params steady;

    if (o->max_size > measure_memory(m) / 4)
        return usage_error("--max-size: a set of %" PRIu64 " MiB is over a quarter of %" PRIu64 " MiB of memory",
                           o->max_size >> 20, measure_memory(m) >> 20);
    if (m->selected[TEST_LATENCY])
        plan_latency(m, o);
    if (m->selected[TEST_LOADED] && !m->of_all)
        plan_loaded(m, o);
    if (m->selected[TEST_CORES])
        plan_cores(m);
    if (m->selected[TEST_NODES] && !m->of_all)
        plan_nodes(m, o);
    if (m->selected[TEST_STEADY]) {
        steady_sets(m, largest_set(m, o), &steady);
        measure_add(m, &bench_memory_steady, &steady, 1, 4);
    }
    return 0;
}

const struct suite suite_memory = {
    .command =
        {
            .name = "memory",
            .operands = "[latency] [loaded] [cores] [nodes] [steady]",
            .title = "latency of caches and memory, and between CPUs",
            .description =
                "latency: the time of a load by working set. loaded: the same while the other CPUs read memory. cores: "
                "a number sent from each CPU to each other one. nodes: the memory of NUMA nodes. steady: how fast "
                "cache and memory are, every millisecond. All run unless some are named.",
            COMMAND_MEASURES(suite_memory),
        },
    .seconds = {16, 4, 16},
    .options_size = sizeof(struct memory_options),
    .options = {{SUITE_ROWS(rows)}},
    .schedule = SCHEDULE_SEQUENCE,
    .tests = tests,
    .plan = plan,
    .print = print,
    .conclude = conclude,
    .made = &levels,
};
