/* SPDX-License-Identifier: MIT */
/* Exports rows of suite unix in the formats of UnixBench: its text report, and its CSV. */
#include <math.h>
#include <string.h>

#include "out/export.h"
#include "sys/base.h"

/* Points of a test whose rate equals its baseline. */
#define BASELINE_INDEX 10
#define INDEX_TESTS    12u

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "unix") != 0 || strcmp(row->metric, "rate") != 0)
        return "that are not rates of suite unix";
    return isnan(row->value) ? "without a value" : NULL;
}

static const char *refuse_outside_index(const struct row *row)
{
    const char *why = refuse(row);
    return why ? why : isnan(row->index) ? "without an index" : NULL;
}

static const char *title(const struct export_rows *rows, const struct row *row)
{
    return metrics_test_title(rows->metrics, row->suite, row->test);
}

/* --- Blocks: the results of one run with one number of copies. --- */

struct block {
    const struct export_entry *entries;
    size_t n;
};

/* A block is one run with one number of copies. The last entry has no row. */
static struct export_entry *entries_make(const struct export_rows *rows)
{
    struct export_entry *entries = memory_get(rows->n + 1, sizeof(*entries));

    for (size_t i = 0; i < rows->n; i++) {
        struct text name = {0};
        const struct row *row = rows->rows[i];
        text_printf(&name, "%p %" PRIu64, (const void *)row->run, row->copies);
        entries[i] = (struct export_entry){.name = name.data, .row = row, .at = i};
    }
    export_cluster(entries, rows->n);
    return entries;
}

static struct block block_at(const struct export_entry *entries, size_t n, size_t from)
{
    size_t end = from + 1;

    while (end < n && entries[end].first == entries[from].first)
        end++;
    return (struct block){&entries[from], end - from};
}

/* --- The report. --- */

static void put_index(const struct export_rows *rows, const struct block *block, const char *protocol, struct text *out)
{
    double sum = 0;
    size_t n = 0, tests = 0;

    for (size_t i = 0; i < block->n; i++)
        tests += block->entries[i].row->index > 0;
    const bool partial = tests != INDEX_TESTS;
    for (size_t i = 0; i < block->n; i++) {
        const struct row *row = block->entries[i].row;
        if (!(row->index > 0))
            continue;
        if (n++ == 0)
            text_printf(out, "\n%-40s %12s %12s %8s\n",
                        partial ? "System Benchmarks Partial Index" : "System Benchmarks Index Values", "BASELINE",
                        "RESULT", "INDEX");
        text_printf(out, "%-40s %12.1f %12.1f %8.1f\n", title(rows, row), BASELINE_INDEX * row->value / row->index,
                    row->value, row->index);
        sum += log(row->index);
    }
    if (n)
        text_printf(out, "%-40s %12s %12s %8s\n%-44s %21s %8.1f\n", "", "", "", "========",
                    partial ? "System Benchmarks Index Score (Partial Only)" : "System Benchmarks Index Score",
                    protocol, exp(sum / (double)n));
}

static void put_block(const struct export_rows *rows, const struct block *block, struct text *out)
{
    const struct row *row = block->entries[0].row;
    char protocol[ROW_PROTOCOL_SIZE] = "";

    for (size_t i = 0; i < rows->n_all && !protocol[0]; i++) { /* of the index, which is not exported itself */
        const struct row *index = &rows->all[i];
        if (index->run == row->run && index->copies == row->copies && !strcmp(index->suite, "unix") &&
            !strcmp(index->metric, "index"))
            row_protocol(&index->param, protocol);
    }
    text_printf(
        out, "Benchmark Run: %s on %s\n%" PRIu64 " CPUs in system; running %" PRIu64 " parallel cop%s of tests%s%s\n\n",
        row->run->utc, row->run->host, row->run->cpus_online, row->copies, row->copies == 1 ? "y" : "ies",
        protocol[0] ? ", " : "", protocol);
    for (size_t i = 0; i < block->n; i++) {
        row = block->entries[i].row;
        double seconds = row->wall_s > 0 && row->n_samples ? row->wall_s / (double)row->n_samples : 0;
        text_printf(out, "%-40s %12.1f %-5s (%.1f s, %zu samples)\n", title(rows, row), row->value, row->unit, seconds,
                    row->n_samples);
    }
    put_index(rows, block, protocol, out);
}

static void write_report(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_entries_free) struct export_entry *entries = entries_make(rows);

    for (size_t i = 0; i < rows->n;) {
        const struct block block = block_at(entries, rows->n, i);
        text_printf(out, "%s", i ? "\n\n" : "");
        put_block(rows, &block, out);
        i += block.n;
    }
}

const struct export_format export_unixbench = {
    .wanted = ROWS_SAMPLES,
    .refuse = refuse,
    .write = write_report,
};

/* --- The CSV. --- */

static void write_csv(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_entries_free) struct export_entry *entries = entries_make(rows);
    FREED_BY(index_free) struct index tests = {0};

    text_printf(out, "Concurrency");
    for (size_t i = 0; i < rows->n; i++) {
        const size_t known = tests.n;
        if (index_enter(&tests, rows->rows[i]->test) < known)
            continue;
        text_append(out, ",", 1);
        csv_text(out, title(rows, rows->rows[i]));
    }
    for (size_t i = 0; i < rows->n;) {
        const struct block block = block_at(entries, rows->n, i);
        text_printf(out, "\n%" PRIu64, block.entries[0].row->copies);
        for (size_t t = 0; t < tests.n; t++) {
            size_t k = 0;
            text_append(out, ",", 1);
            while (k < block.n && strcmp(block.entries[k].row->test, tests.name[t]) != 0)
                k++;
            if (k < block.n)
                text_printf(out, "%.1f", block.entries[k].row->value);
        }
        i += block.n;
    }
    text_append(out, "\n", 1);
}

const struct export_format export_unixbench_csv = {
    .refuse = refuse_outside_index,
    .write = write_csv,
};
