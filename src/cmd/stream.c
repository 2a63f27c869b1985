/* SPDX-License-Identifier: MIT */
/* jitbench stream: reads its options, plans its measurements, and prints its tables. */
#include "bench/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

struct stream_options {
    struct array_params array;
    struct bandwidth_params bandwidth;
};

/* 4 times caches of hundreds of MiB, which a virtual machine sees of its host, would take too long. */
#define QUICK_ARRAY_BYTES (256ull << 20)

enum { TEST_ARRAY, TEST_BANDWIDTH };
static const char *const tests[] = {[TEST_ARRAY] = "array", [TEST_BANDWIDTH] = "bandwidth", NULL};

static const struct suite_options own[3] = {
    {.heading = "Options of array", .bench = &bench_array, .offset = offsetof(struct stream_options, array)},
    {.heading = "Options of bandwidth",
     .bench = &bench_bandwidth,
     .offset = offsetof(struct stream_options, bandwidth)},
};

static int plan_bandwidth(const struct measure *m, struct bandwidth_params *params, struct plan *out,
                          struct error *error)
{
    uint64_t memory = measure_memory(m);

    if (!params->array_bytes) {
        params->array_bytes =
            bandwidth_array_bytes(m->machine.cache_llc_bytes, memory, params->bounded, sizeof(params->bounded));
        if (m->preset == PRESET_QUICK && params->array_bytes > QUICK_ARRAY_BYTES) {
            params->array_bytes = QUICK_ARRAY_BYTES;
            snprintf(params->bounded, sizeof(params->bounded), "quick");
        }
    } else if (params->array_bytes > memory / 3)
        return error_set(error, "--array-size: three arrays of %llu MiB do not fit into %llu MiB of memory",
                         (unsigned long long)params->array_bytes >> 20, (unsigned long long)memory >> 20);
    for (int kind = 0; kind < 2; kind++) {
        params->nontemporal = kind;
        measure_add(m, out, &bench_bandwidth, params, m->place.n_order, 1);
    }
    return 0;
}

static int plan(const struct measure *m, void *options, struct plan *out, struct error *error)
{
    struct stream_options *o = options;

    if (!m->selected[TEST_ARRAY] && measure_given(m, "series"))
        return error_set(error, "--series: only the test 'array' has experiments to write");
    for (uint64_t i = 0; m->selected[TEST_ARRAY] && i < o->array.sizes.n; i++) {
        o->array.elements = o->array.sizes.value[i];
        measure_add(m, out, &bench_array, &o->array, measure_named_cpus(m), 0);
    }
    return m->selected[TEST_BANDWIDTH] ? plan_bandwidth(m, &o->bandwidth, out, error) : 0;
}

static const struct table_column extra[] = {
    {COLUMN("Bytes", "array_bytes", TABLE_VALUE, 0), .rank = 6},
};

static const struct experiment_tables layouts = {
    .test = "array",
    .run_title = "Array copy, each run: mean, and delays above it (A 150-400, B 400-2000, C 2000-6000, D over 6000)",
    .summary_title = "Small-array copy: all runs together",
    .key = {COLUMN("Elements", "cycles", TABLE_PARAM_VALUE, 0), .key = "elements"},
    .extra = extra,
    .n_extra = COUNT(extra),
};

static const struct table_column bandwidth_columns[] = {
    {COLUMN("Function", "rate", TABLE_TEST, 0)},
    {COLUMN("Best Rate MB/s", "rate", TABLE_VALUE, 1)},
    {COLUMN("Avg time", "time", TABLE_MEAN, 6), .scale = 1e-9},
    {COLUMN("Min time", "time", TABLE_MIN, 6), .scale = 1e-9},
    {COLUMN("Max time", "time", TABLE_MAX, 6), .scale = 1e-9, .rank = 1},
    {COLUMN("Median rate", "rate", TABLE_MEDIAN, 1), .rank = 2},
    {COLUMN("RSD %", "rate", TABLE_RSD, 1), .rank = 3},
    {COLUMN("Core %", "rate", TABLE_CORE, 0), .optional = 1},
    {COLUMN("Alone", "rate_alone", TABLE_VALUE, 1), .optional = 1},
    {COLUMN("Stores", "rate", TABLE_PARAM_VALUE, 0), .key = "stores"},
    {COLUMN("Kernel", "rate", TABLE_PARAM_VALUE, 0), .key = "kernel", .rank = 4},
    {COLUMN("Copies", "rate", TABLE_COPIES, 0), .rank = 4},
    {COLUMN("CPUs", "rate", TABLE_CPUS, 0)},
};

static const struct {
    const char *prefix, *function;
} functions[] = {{"copy_", "Copy"}, {"scale_", "Scale"}, {"add_", "Add"}, {"triad_", "Triad"}};

/* A line for each function, which in rows is part of the metric's name. */
static void put_bandwidth(const struct table_rows *r, struct text *out)
{
    static const struct table_layout layout = {
        TABLE_OF("STREAM-style bandwidth: MB = 10^6 bytes, times in seconds, best of each run's repetitions",
                 bandwidth_columns)};
    FREED_BY(memory_free) struct row *rows = calloc(r->n ? r->n : 1, sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; rows && i < r->n; i++) {
        if (strcmp(r->rows[i].test, bench_bandwidth.name))
            continue;
        rows[n] = r->rows[i]; /* a shallow copy, with other names */
        for (size_t f = 0; f < COUNT(functions); f++) {
            size_t length = strlen(functions[f].prefix);
            if (strncmp(rows[n].metric, functions[f].prefix, length))
                continue;
            text_copy(rows[n].test, sizeof(rows[n].test), functions[f].function);
            text_copy(rows[n].metric, sizeof(rows[n].metric), r->rows[i].metric + length);
        }
        n++;
    }
    table_print(&layout, rows, n, r->table_width, out);
}

static void put_array_size(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        const double size = row_param_number(&row->param, "array_bytes");
        if (strcmp(row->test, bench_bandwidth.name) || !(size >= 0) || row->status >= ROW_SKIPPED)
            continue;
        char bytes[32];
        text_bytes(size < 0x1p63 ? (uint64_t)size : UINT64_MAX, bytes, sizeof(bytes));
        text_printf(out, "Three arrays of %s each%s; every copy checks its results\n", bytes,
                    row_param_is(&row->param, "bounded", "memory")
                        ? ", less than 4 times the caches because memory is short"
                    : row_param_is(&row->param, "bounded", "quick") ? ", less than 4 times the caches: a quick look"
                                                                    : "");
        return;
    }
}

static bool has_test(const struct table_rows *r, const char *test)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].test, test))
            return true;
    return false;
}

static void print(const struct table_rows *r, struct text *out)
{
    cmd_print_experiments(r, &layouts, out);
    if (has_test(r, tests[TEST_ARRAY]) && has_test(r, tests[TEST_BANDWIDTH]))
        text_append(out, "\n", 1);
    put_bandwidth(r, out);
    put_array_size(r, out);
}

const struct suite suite_stream = {
    .command =
        {
            .name = "stream",
            .operands = "[array] [bandwidth]",
            .title = "measures memory: cycles of small array copies (noise), and STREAM-style bandwidth",
            .description =
                "array copies small arrays element by element and times each copy: memory noise. bandwidth measures "
                "copy, scale, add and triad on arrays larger than the caches, on all CPUs, with ordinary and with "
                "non-temporal stores. Both run unless one is named.",
            COMMAND_MEASURES(suite_stream),
        },
    .seconds = {[PRESET_DEFAULT] = 28, [PRESET_QUICK] = 6, [PRESET_CLASSIC] = 21000},
    .options_size = sizeof(struct stream_options),
    .options = own,
    .copies = true,
    .schedule = SCHEDULE_INTERLEAVED,
    .tests = tests,
    .series_header = "elements,run,copy,experiment,ticks\n",
    .plan = plan,
    .print = print,
};
