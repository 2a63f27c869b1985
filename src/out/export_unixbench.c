/* SPDX-License-Identifier: MIT */
/* Rows of suite unix as UnixBench's report and CSV. */

#include "out/export.h"

/* Points of a test whose rate equals its baseline. */
#define BASELINE_INDEX 10
#define INDEX_TESTS    12u

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "unix") || strcmp(row->metric, "rate"))
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

/* --- Blocks: results of one run and number of copies. --- */

static bool in_block(const struct row *row, const struct row *first)
{
    return row->run == first->run && row->copies == first->copies;
}

static bool begins_block(const struct export_rows *rows, size_t i)
{
    size_t first = i > 0 && in_block(rows->rows[i], rows->rows[i - 1]) ? i - 1 : 0; /* usually */

    while (!in_block(rows->rows[i], rows->rows[first]))
        first++;
    return first == i;
}

static void put_index(const struct export_rows *rows, const struct row *first, const char *protocol, struct text *out)
{
    double sum = 0;
    size_t n = 0, tests = 0;

    for (size_t i = 0; i < rows->n; i++)
        tests += in_block(rows->rows[i], first) && rows->rows[i]->index > 0;
    const bool partial = tests != INDEX_TESTS;
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        if (!in_block(row, first) || !(row->index > 0))
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

static void put_block(const struct export_rows *rows, const struct row *first, struct text *out)
{
    char protocol[ROW_PROTOCOL_SIZE] = "";

    for (size_t i = 0; i < rows->n_all && !protocol[0]; i++) { /* of the index, which is not exported itself */
        const struct row *index = &rows->all[i];
        if (in_block(index, first) && !strcmp(index->suite, "unix") && !strcmp(index->metric, "index"))
            row_protocol(&index->param, protocol);
    }
    text_printf(
        out, "Benchmark Run: %s on %s\n%" PRIu64 " CPUs in system; running %" PRIu64 " parallel cop%s of tests%s%s\n\n",
        first->run->utc, first->run->host, first->run->cpus_online, first->copies, first->copies == 1 ? "y" : "ies",
        protocol[0] ? ", " : "", protocol);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        if (!in_block(row, first))
            continue;
        double seconds = row->wall_s > 0 && row->n_samples ? row->wall_s / (double)row->n_samples : 0;
        text_printf(out, "%-40s %12.1f %-5s (%.1f s, %zu samples)\n", title(rows, row), row->value, row->unit, seconds,
                    row->n_samples);
    }
    put_index(rows, first, protocol, out);
}

static void write_report(const struct export_rows *rows, struct text *out)
{
    for (size_t i = 0; i < rows->n; i++)
        if (begins_block(rows, i)) {
            text_printf(out, "%s", i ? "\n\n" : "");
            put_block(rows, rows->rows[i], out);
        }
}

const struct export_format export_unixbench = {
    .wanted = ROWS_SAMPLES,
    .refuse = refuse,
    .write = write_report,
};

static void write_csv(const struct export_rows *rows, struct text *out)
{
    FREED_BY(index_free) struct index tests = {0};

    text_printf(out, "Concurrency");
    for (size_t i = 0; i < rows->n; i++) {
        const size_t known = tests.n;
        if (index_enter(&tests, rows->rows[i]->test) < known)
            continue;
        text_append(out, ",", 1);
        csv_text(out, title(rows, rows->rows[i]));
    }
    for (size_t i = 0; i < rows->n; i++) {
        if (!begins_block(rows, i))
            continue;
        text_printf(out, "\n%" PRIu64, rows->rows[i]->copies);
        for (size_t test = 0; test < tests.n; test++) {
            size_t k = i;
            text_append(out, ",", 1);
            while (k < rows->n &&
                   (!in_block(rows->rows[k], rows->rows[i]) || strcmp(rows->rows[k]->test, tests.name[test])))
                k++;
            if (k < rows->n)
                text_printf(out, "%.1f", rows->rows[k]->value);
        }
    }
    text_append(out, "\n", 1);
}

const struct export_format export_unixbench_csv = {
    .refuse = refuse_outside_index,
    .write = write_csv,
};
