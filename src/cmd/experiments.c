/* SPDX-License-Identifier: MIT */
/* jitbench prime and stream. */

#include "bench/experiment.h"
#include "bench/memory.h"
#include "cmd/cmd.h"

#define PLOTS_MAX 2u

/* A test has one of them. */
#define SIZE_COLUMNS KEY("Limit", "limit", .optional = 1), KEY("Elements", "elements", .optional = 1)

#define CLASS(class_, id_, ...) \
    COLUMN("Count" class_, "delays_" id_, SAMPLE, 0, __VA_ARGS__), \
        COLUMN("Size" class_, "delays_" id_ "_size", SAMPLE, 0, __VA_ARGS__)
#define SHARE(class_, id_) COLUMN("Share" class_, "delays_" id_, VALUE, 4, .of = "experiments")

static const struct table_column run_columns[] = {
    SIZE_COLUMNS,
    KEY("Experiments", "experiments", .rank = 3),
    COLUMN("Mean", "cycles", SAMPLE, 2),
    COLUMN("SD", "cycles_sd", SAMPLE, 1, .rank = 2),
    CLASS("A", "a", .rank = 1),
    CLASS("B", "b", .rank = 0),
    CLASS("C", "c", .rank = 0),
    CLASS("D", "d", .rank = 0),
    FIELD(COPIES, .rank = 3),
    FIELD(CPUS),
};
/* Rank 6 has the same value in all rows of a plan. */
static const struct table_column summary_columns[] = {
    SIZE_COLUMNS,
    COLUMN("Divisions", "divisions", VALUE, 0, .optional = 1, .rank = 6),
    COLUMN("Primes", "primes", VALUE, 0, .optional = 1, .rank = 6),
    COLUMN("Bytes", "array_bytes", VALUE, 0, .optional = 1, .rank = 6),
    FIELD(COPIES, .rank = 5),
    FIELD(CPUS),
    FIELD(N, .heading = "Experiments", .rank = 6),
    COLUMN("ns", "time", MEDIAN, 1),
    FIELD(MEDIAN, .decimals = 1, .rank = 2),
    FIELD(MEAN, .decimals = 2, .rank = 1),
    FIELD(CI95_HALF, .decimals = 2, .rank = 1),
    COLUMN("+-90%run", "cycles_ci90", VALUE, 3, .rank = 6),
    FIELD(SD, .decimals = 1, .rank = 4),
    FIELD(MIN),
    FIELD(P99),
    FIELD(P999, .rank = 3),
    FIELD(MAX),
    COLUMN("Max us", "time", MAX, 1, .scale = 1e-3, .rank = 6),
    FIELD(CORE, .optional = 1),
    COLUMN("Alone", "cycles_alone", VALUE, 1, .optional = 1),
};
static const struct table_column share_columns[] = {
    SIZE_COLUMNS,
    FIELD(COPIES, .metric = "cycles", .rank = 2), /* shown even if nothing else is known */
    FIELD(CPUS),
    SHARE("A", "a"),
    SHARE("B", "b"),
    SHARE("C", "c"),
    SHARE("D", "d"),
    COLUMN(">400 mean", "delayed_400", VALUE, 3, .rank = 1),
    COLUMN(">2000 mean", "delayed_2000", VALUE, 3, .rank = 1),
    COLUMN(">400 median", "delayed_400_median", VALUE, 3),
    COLUMN(">2000 median", "delayed_2000_median", VALUE, 3),
};

/* The clock of the ticks, its cost and resolution, once. */
static void put_clock(const struct table_rows *r, struct text *out)
{
    static const char *const metrics[] = {"clock_cost", "clock_grain", "clock_hz"};
    const struct row *found[3] = {NULL}; /* the cost is the first */

    for_each_row(row, r)
        for (size_t i = 0; i < COUNT(metrics) && row->status < ROW_SKIPPED; i++)
            if (!found[i] && (i == 0 || found[0]) && !strcmp(row->metric, metrics[i]))
                found[i] = row;
    const struct row *cost = found[0];
    if (!cost)
        return;
    text_printf(
        out,
        "Unit: %s of %s at %.6f GHz; two consecutive readings take %.0f %s, the grain is %.0f %s; not subtracted\n",
        cost->unit, ROW_PARAM(&cost->param, "clock"), found[2] ? found[2]->value * 1e-9 : 0, cost->value, cost->unit,
        found[1] ? found[1]->value : 0, cost->unit);
}

static bool has_test(const struct table_rows *r, const char *test)
{
    for_each_row(row, r)
        if (!strcmp(row->test, test))
            return true;
    return false;
}

/* Any row of its item (neighbours). */
static bool troubled(const struct table_rows *r, const struct row *row)
{
    while (row > r->rows && row[-1].item == row->item)
        row--;
    while (row->status < ROW_DEGRADED && row + 1 < r->rows + r->n && row[1].item == row->item)
        row++;
    return row->status >= ROW_DEGRADED;
}

static void put_experiments(const struct table_rows *r, const char *test, const char *run_title,
                            const char *summary_title, struct text *out)
{
    const struct table_layout runs = {
        TABLE_OF(TEXT_LINE("%s, each run: mean, and delays above it (A 150-400, B 400-2000, C 2000-6000, D over 6000)",
                           run_title),
                 run_columns),
        .per_sample = 1, .no_status = 1};
    static const struct table_layout share = {
        TABLE_OF("In %: experiments in each class; time lost in delays so far above mean or median", share_columns),
        .no_status = 1};
    const bool whole = table_is_whole(r);
    const char *unit = "ticks";
    unsigned shown = 0;
    size_t n = 0, items[2] = {SIZE_MAX, 0};

    if (!has_test(r, test))
        return;
    for_each_row(row, r)
        if (!strcmp(row->test, test)) {
            items[0] = smaller(items[0], row->item);
            items[1] = larger(items[1], row->item);
            unit = strcmp(row->metric, "cycles") || !row->unit[0] ? unit : row->unit;
        }
    for_each_row(row, r) /* `all`: the first, the middle, the last, and the troubled */
        if (whole || row->item == items[0] || row->item == items[1] || row->item == (items[0] + items[1]) / 2 ||
            (!strcmp(row->test, test) && troubled(r, row)))
            r->copies[n++] = *row;
    const struct table_layout summary = {
        TABLE_OF(TEXT_LINE("%s: all runs together, in %s", summary_title, unit), summary_columns), .metric = "cycles"};
    if (whole) {
        table_print(&runs, r->rows, r->n, r->table_width, out);
        text_append(out, "\n", 1);
    }
    table_print(&summary, r->copies, n, r->table_width, out);
    if (whole) {
        put_clock(r, out);
        text_append(out, "\n", 1);
        table_print(&share, r->rows, r->n, r->table_width, out);
    }
    out->left_out |= !whole;
    for_each_row(row, r) {
        if (!r->pictures || shown == PLOTS_MAX || strcmp(row->test, test) || !row->n_hist)
            continue;
        text_printf(out, "\nHistogram of %s on CPU %s (bars: logarithm of the count)\n", row->param.text, row->cpus);
        plot_histogram(row, r->width, out);
        shown++;
    }
}

static int check_from(uint64_t from, uint64_t n)
{
    const uint64_t last = n - smaller(n, SERIES_FIRST);

    return from <= last
               ? 0
               : usage_error("--from: %" PRIu64 " is not in 0 to %" PRIu64 ", for %u of %" PRIu64 " experiments", from,
                             last, SERIES_FIRST, n);
}

/* --- jitbench prime --- */

static int plan_prime(struct measure *m, void *options)
{
    struct prime_params *params = options;

    if ((params->limits.last - params->limits.first) / params->limits.step >= 1000)
        return usage_error("--limit: %" PRIu64 " to %" PRIu64 " by %" PRIu64 " are more than 1,000 limits",
                           params->limits.first, params->limits.last, params->limits.step);
    if (check_from(params->from, params->experiments))
        return EXIT_USAGE;
    for (params->limit = params->limits.first; params->limit <= params->limits.last;
         params->limit += params->limits.step)
        measure_add(m, &bench_prime, params, measure_named_cpus(m), 0);
    return 0;
}

static void print_prime(const struct table_rows *rows, struct text *out)
{
    put_experiments(rows, "prime", "Prime loop", "Prime loop", out);
}

const struct suite suite_prime = {
    .command =
        {
            .name = "prime",
            .operands = "",
            .title = "one small loop timed a million times: delays one by one",
            .description =
                "Counts the primes below a small limit, in registers only, a million times a run, and times each "
                "count: one that takes longer was disturbed. Runs on one CPU, and on all that --cpus names at once.",
            COMMAND_MEASURES(suite_prime),
        },
    .seconds = {12, 3, 2000, 28},
    .options_size = sizeof(struct prime_params),
    .options = {{.bench = &bench_prime}, SUITE_COPIES, SUITE_SERIES},
    .schedule = SCHEDULE_INTERLEAVED,
    .series_header = "limit,run,copy,experiment,ticks\n",
    .plan = plan_prime,
    .print = print_prime,
};

/* --- jitbench stream --- */

struct stream_options {
    struct array_params array;
    struct bandwidth_params bandwidth;
};

/* 4 times a host's caches of hundreds of MiB would take too long. */
#define QUICK_ARRAY_BYTES (256ull << 20)

enum { TEST_ARRAY, TEST_BANDWIDTH };
static const char *const tests[] = {[TEST_ARRAY] = "array", [TEST_BANDWIDTH] = "bandwidth", NULL};

static int plan_bandwidth(const struct measure *m, struct bandwidth_params *params)
{
    uint64_t memory = params->reserved ? m->machine.huge_free_bytes : measure_memory(m);

    if (!params->array_bytes) {
        params->array_bytes =
            bandwidth_array_bytes(m->machine.cache_llc_bytes, memory, params->bounded, sizeof(params->bounded));
        if (m->preset == PRESET_QUICK && params->array_bytes > QUICK_ARRAY_BYTES) {
            params->array_bytes = QUICK_ARRAY_BYTES;
            TEXT_PRINT(params->bounded, "quick");
        }
    } else if (!params->reserved && params->array_bytes > memory / 3)
        return usage_error("--array-size: three arrays of %" PRIu64 " MiB do not fit into %" PRIu64 " MiB of memory",
                           params->array_bytes >> 20, memory >> 20);
    for (int kind = 0; kind < 2; kind++) {
        params->nontemporal = kind;
        measure_add(m, &bench_bandwidth, params, m->place.n_order, 1);
    }
    return 0;
}

static int plan_stream(struct measure *m, void *options)
{
    struct stream_options *o = options;

    if (!m->selected[TEST_ARRAY] && measure_given(m, "series"))
        return usage_error("--series: only the test 'array' has experiments to write");
    if (m->selected[TEST_ARRAY] && check_from(o->array.from, o->array.experiments))
        return EXIT_USAGE;
    for (uint64_t i = 0; m->selected[TEST_ARRAY] && i < o->array.sizes.n; i++) {
        o->array.elements = o->array.sizes.value[i];
        measure_add(m, &bench_array, &o->array, measure_named_cpus(m), 0);
    }
    return m->selected[TEST_BANDWIDTH] && bench_bandwidth.sampling[m->preset].min_samples
               ? plan_bandwidth(m, &o->bandwidth)
               : 0;
}

static const struct table_column bandwidth_columns[] = {
    FIELD(TEST, .heading = "Function"),
    FIELD(VALUE, .heading = "Best Rate MB/s"),
    COLUMN("Avg time", "time", MEAN, 6, .scale = 1e-9),
    COLUMN("Min time", "time", MIN, 6, .scale = 1e-9),
    COLUMN("Max time", "time", MAX, 6, .scale = 1e-9, .rank = 1),
    FIELD(MEDIAN, .heading = "Median rate", .rank = 2),
    FIELD(RSD, .rank = 3),
    COLUMN("Core %", "rate", CORE, 0, .optional = 1),
    COLUMN("Alone", "rate_alone", VALUE, 1, .optional = 1),
    KEY("Stores", "stores"),
    KEY("Kernel", "kernel", .rank = 4),
    FIELD(COPIES, .rank = 4),
    FIELD(CPUS, .heading = "CPUs"),
};

static const struct {
    const char *prefix, *function;
} functions[] = {{"copy_", "Copy"}, {"scale_", "Scale"}, {"add_", "Add"}, {"triad_", "Triad"}};

/* A line for each function, which in rows is part of the metric's name. */
static void put_bandwidth(const struct table_rows *r, struct text *out)
{
    static const struct table_layout layout = {
        TABLE_OF("STREAM-style bandwidth: MB = 10^6 bytes, times in s, best of each run", bandwidth_columns),
        .metric = "rate", .decimals = 1};
    const struct row *best = NULL; /* `all`: with its kind of stores */
    size_t n = 0;

    for_each_row(row, r)
        if (!table_is_whole(r) && !strcmp(row->metric, "triad_rate") && row->status < ROW_SKIPPED &&
            row->value > (best ? best->value : 0))
            best = row;
    for_each_row(row, r) {
        struct row *copy = &r->copies[n];
        if (strcmp(row->test, bench_bandwidth.name) || (best && row->item != best->item && row->status < ROW_SKIPPED))
            continue;
        *copy = *row;
        for (size_t f = 0; f < COUNT(functions); f++) {
            size_t length = strlen(functions[f].prefix);
            if (strncmp(row->metric, functions[f].prefix, length))
                continue;
            TEXT_SET(copy->test, functions[f].function);
            TEXT_SET(copy->metric, row->metric + length);
        }
        n++;
    }
    table_print(&layout, r->copies, n, r->table_width, out);
}

static void put_array_size(const struct table_rows *r, struct text *out)
{
    for_each_row(row, r) {
        const double size = row_param_number(&row->param, "array_bytes");
        const char *repetitions = ROW_PARAM(&row->param, "repetitions");
        if (strcmp(row->test, bench_bandwidth.name) || !(size >= 0) || row->status >= ROW_SKIPPED)
            continue;
        const uint64_t bytes = size < 0x1p60 ? (uint64_t)size : UINT64_MAX / 4;
        text_printf(out,
                    "Three arrays of %s each (%" PRIu64 " elements of 8 bytes), %s in all%s\n"
                    "Repetitions a run: %s, the first not counted; every copy checks its results\n",
                    TEXT_BYTES(bytes), bytes / 8, TEXT_BYTES(3 * bytes),
                    row_param_is(&row->param, "bounded", "memory")
                        ? ", less than 4 times the caches because memory is short"
                    : row_param_is(&row->param, "bounded", "quick") ? ", less than 4 times the caches: a quick look"
                                                                    : "",
                    repetitions[0] ? repetitions : "-");
        return;
    }
}

static void print_stream(const struct table_rows *r, struct text *out)
{
    put_experiments(r, "array", "Array copy", "Small-array copy", out);
    if (has_test(r, tests[TEST_ARRAY]) && has_test(r, tests[TEST_BANDWIDTH]))
        text_append(out, "\n", 1);
    put_bandwidth(r, out);
    if (table_is_whole(r))
        put_array_size(r, out);
}

const struct suite suite_stream = {
    .command =
        {
            .name = "stream",
            .operands = "[array] [bandwidth]",
            .title = "memory bandwidth, and cycles of small copies",
            .description = "array times copies of small arrays: memory noise. bandwidth measures copy, scale, add and "
                           "triad on arrays larger than the caches, on all CPUs. Both run unless one is named.",
            COMMAND_MEASURES(suite_stream),
        },
    .seconds = {28, 6, 21000, 80},
    .options_size = sizeof(struct stream_options),
    .options = {{.heading = "Options of array",
                 .bench = &bench_array,
                 .offset = offsetof(struct stream_options, array)},
                {.heading = "Options of bandwidth",
                 .bench = &bench_bandwidth,
                 .offset = offsetof(struct stream_options, bandwidth)},
                SUITE_COPIES,
                SUITE_SERIES},
    .schedule = SCHEDULE_INTERLEAVED,
    .tests = tests,
    .series_header = "elements,run,copy,experiment,ticks\n",
    .plan = plan_stream,
    .print = print_stream,
};
