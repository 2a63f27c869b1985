/* SPDX-License-Identifier: MIT */
/* jitbench unix: prints its tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/unix.h"
#include "load/load.h"
#include "out/export.h"

/* --- Tables in UnixBench's layout. --- */

/* NULL: it did, or the row is of another test. */
static const char *not_a_disk(const struct row *row)
{
    return (unix_test_of(row->test).groups & UNIX_FILES) && row->status < ROW_SKIPPED ? disk_is_not(row->scratch_fs)
                                                                                      : NULL;
}

/* Rows made with --classic record it. */
static const struct unix_protocol *protocol_of_rows(const struct table_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (row_param_is(&r->rows[i].param, "protocol", "classic"))
            return &unix_protocols[1];
    return &unix_protocols[0];
}

/* With the widths of UnixBench's table; BASELINE, which never changes, is left out first. */
static void put_columns(bool whole, bool probed, struct grid *grid)
{
    const struct grid_column columns[] = {
        {.title = whole ? "System Benchmarks Index Values" : "System Benchmarks Partial Index",
         .width = 44,
         .left = true},
        {.title = "BASELINE", .width = 9, .rank = 3},
        {.title = "RESULT", .width = 13, .most = 13},
        {.width = 5, .left = true}, /* unit */
        {.title = "INDEX", .width = 7, .most = 7},
        {.title = "RSD %", .rank = 1},
        {.left = true}, /* status */
        {.left = true}, /* file system */
    };
    const struct grid_column of_core[] = {{.title = "Core %", .rank = 3}, {.title = "Alone", .width = 11, .rank = 2}};

    grid_columns(grid, columns, 6);
    grid_columns(grid, of_core, probed ? 2 : 0);
    grid_columns(grid, columns + 6, 2);
    grid->hint = "(shown with -v)";
}

/* The share of the core, and the value with the core free. */
static void put_core(const struct row *row, const struct row *alone, struct grid *grid)
{
    const double share = row_core_share(row);

    if (isnan(share) && row->core_share[0])
        grid_text(grid, row->core_share);
    else
        grid_number(grid, 100 * share, 0);
    grid_number(grid, alone ? alone->value : NAN, 1);
}

static void put_line(const struct unix_protocol *protocol, const struct table_rows *r, const struct row *row,
                     bool probed, struct grid *grid)
{
    const struct unix_test test = unix_test_of(row->test);
    double baseline = test.name && unix_in_index(protocol, &test) ? bench_metric(test.bench, UNIX_RATE)->baseline : NAN;

    grid_text(grid, unix_row_title(row));
    grid_number(grid, baseline, 1);
    grid_number(grid, row->value, 1);
    grid_text(grid, row->unit);
    grid_number(grid, row->index, 1);
    grid_number(grid, row->stats.rsd_pct, 1);
    if (probed)
        put_core(row, row_alone_of(r->rows, r->n, row), grid);
    grid_status(grid, row->status);
    grid_text(grid, not_a_disk(row) ? row->scratch_fs : "");
}

static void put_samples(const struct row *row, struct grid *grid)
{
    for (size_t i = 0; i < row->n_samples; i++) {
        text_printf(grid_cell(grid, COLOR_NONE), "    pass %zu", i + 1);
        grid_text(grid, "");
        grid_number(grid, row->samples[i], 1);
        grid_text(grid, row->unit);
        grid_end_row(grid);
    }
}

static void put_index(const char *name, const char *kind, const char *value, struct grid *grid)
{
    const char *const cells[] = {name, "", kind, "", value};

    for (size_t i = 0; i < COUNT(cells); i++)
        grid_text(grid, cells[i]);
    grid_end_row(grid);
}

static void put_indices(const struct table_rows *r, uint64_t copies, const char *protocol, struct grid *grid)
{
    size_t tests;
    char value[32];
    double index = unix_system_index(r, copies, &tests), alone = unix_alone_index(r, copies);

    if (!tests)
        return;
    put_index("", "", "========", grid);
    snprintf(value, sizeof(value), "%.1f", index);
    put_index(tests == UNIX_N_INDEX ? "System Benchmarks Index Score" : "System Benchmarks Index Score (Partial Only)",
              protocol, value, grid);
    snprintf(value, sizeof(value), "%.1f", alone);
    if (!isnan(alone))
        put_index("", "with the core free", value, grid);
}

static void put_block(const struct table_rows *r, uint64_t copies, struct text *out)
{
    size_t tests;
    const struct unix_protocol *of = protocol_of_rows(r);
    struct grid grid = {.n_columns = 0};
    char protocol[24];
    bool probed = false;

    snprintf(protocol, sizeof(protocol), "%s protocol", of->name);
    text_printf(out, "%llu parallel cop%s of tests, %s\n\n", (unsigned long long)copies, copies == 1 ? "y" : "ies",
                protocol);
    for (size_t i = 0; i < r->n; i++)
        probed |= !strcmp(r->rows[i].metric, "rate_alone");
    unix_system_index(r, copies, &tests);
    put_columns(tests == UNIX_N_INDEX, probed, &grid);
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "rate") && r->rows[i].copies == copies) {
            put_line(of, r, &r->rows[i], probed, &grid);
            if (r->verbose)
                put_samples(&r->rows[i], &grid);
        }
    put_indices(r, copies, protocol, &grid);
    grid_print(&grid, r->table_width, out);
    text_append(out, "\n", 1);
}

/* In one line: they use the same directory. */
static void put_not_a_disk(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (not_a_disk(&r->rows[i])) {
            text_printf(out, "%s is not a disk: %s (%s); --dir names another directory\n", r->rows[i].scratch_fs,
                        not_a_disk(&r->rows[i]), r->rows[i].test);
            return;
        }
}

static void print(const struct table_rows *r, struct text *out)
{
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = unix_copy_counts(r, counts);

    for (size_t c = 0; c < n; c++)
        put_block(r, counts[c], out);
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "scaling"))
            text_printf(out, "Scaling: the index of %llu copies is %.2f times that of %llu (%s protocol)\n",
                        (unsigned long long)r->rows[i].copies, r->rows[i].value, (unsigned long long)counts[0],
                        protocol_of_rows(r)->name);
    table_put_reasons(r->rows, r->n, out);
    put_not_a_disk(r, out);
}

/* UnixBench's environment variables UB_OUTPUT_CSV=true and UB_RESULTDIR: what export writes. */
static int finish(const struct measure *m, const void *options)
{
    const char *wanted = getenv("UB_OUTPUT_CSV"), *dir = getenv("UB_RESULTDIR");
    char name[128], error[64];
    struct export_left_out left_out;
    struct text out = {0};

    (void)options;
    if (!wanted || strcmp(wanted, "true") != 0 ||
        names_expand("UB_OUTPUT_CSV", "unixbench-%h", &m->run, true, name, sizeof(name), error, sizeof(error)) ||
        !export_write(&export_unixbench_csv, m->rows, m->n_rows, metrics_table(), &out, &left_out))
        return 0;
    const char *path = TEXT_LINE("%.300s/%s-%.8s.csv", dir && dir[0] ? dir : ".", name, m->run.run_id);
    return files_write("unix", path, false, &out) ? EXIT_ROW_FAILED : 0;
}

static bool brief(const void *options)
{
    return ((const struct unix_options *)options)->brief;
}

const struct suite suite_unix = {
    .command =
        {
            .name = "unix",
            .operands = "[TEST|GROUP...]",
            .title = "runs the tests of UnixBench and computes its index",
            .description = "The twelve tests of the BYTE UNIX Benchmarks' index, one copy first and then as many as "
                           "there are CPUs. "
                           "The default protocol takes many short samples, each in a fresh process; --classic keeps "
                           "the original's "
                           "passes, times and pauses, and gives an index of its own, to hold against published scores. "
                           "Groups: index, "
                           "cpu, file, process, arith, shell, misc.",
            COMMAND_MEASURES(suite_unix),
        },
    .seconds = {[PRESET_DEFAULT] = 155, [PRESET_QUICK] = 22, [PRESET_CLASSIC] = 3600},
    .options_size = sizeof(struct unix_options),
    .options = unix_own,
    .timed = true,
    .copies = true,
    .schedule = SCHEDULE_INTERLEAVED,
    .test = unix_word,
    .select = unix_select,
    .plan = unix_plan,
    .print = print,
    .conclude = unix_conclude,
    .made = &unix_index,
    .finish = finish,
    .brief = brief,
    .end = unix_end,
};
