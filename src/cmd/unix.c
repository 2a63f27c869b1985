/* SPDX-License-Identifier: MIT */
/* jitbench unix: its tables, and the CSV of the original. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/suites.h"
#include "cmd/unix.h"
#include "load/disk.h"
#include "out/color.h"

#define TITLE "runs UNIX microbenchmarks; index: stable protocol or classic protocol"

/* --- Tables in the original's layout. --- */

static void put_number(double value, unsigned width, unsigned decimals, struct text *out)
{
    if (isnan(value))
        text_printf(out, " %*s", (int)width, "-");
    else
        text_printf(out, " %*.*f", (int)width, (int)decimals, value);
}

/* Returns why the row of a file test is not about a disk, or NULL. */
static const char *not_a_disk(const struct row *row)
{
    return (unix_test_of(row->test).groups & UNIX_FILES) && row->status < ROW_SKIPPED ? disk_is_not(row->scratch_fs)
                                                                                      : NULL;
}

/* Returns the protocol of the rows, as far as it is recorded: rows made with --classic record it. */
static const struct unix_protocol *protocol_of_rows(const struct table_rows *r)
{
    char protocol[ROW_PROTOCOL_SIZE];

    for (size_t i = 0; i < r->n; i++) {
        row_protocol(r->rows[i].param, protocol);
        if (!strcmp(protocol, "classic protocol"))
            return &unix_protocols[1];
    }
    return &unix_protocols[0];
}

/* The columns that are not always shown. */
struct unix_columns {
    bool baseline, rsd, core, alone;
};

/* All columns have fixed widths: lines are 114 columns wide, 93 where the core was not probed. BASELINE, which never
 * changes, and Core % are left out first, then Alone, then RSD %. width 0: no limit. */
static struct unix_columns fit_columns(unsigned width, bool probed)
{
    struct unix_columns show = {.baseline = true, .rsd = true, .core = probed, .alone = probed};

    if (width && width < (probed ? 114 : 93))
        show.baseline = show.core = false;
    if (width && width < 96)
        show.alone = false;
    if (width && width < 82)
        show.rsd = false;
    return show;
}

static void put_left_out(const struct unix_columns *show, bool probed, struct text *out)
{
    if (!show->baseline)
        text_printf(out, "Left out: BASELINE%s%s%s (shown with -v)\n", probed ? ", Core %" : "",
                    probed && !show->alone ? ", Alone" : "", show->rsd ? "" : ", RSD %");
}

/* Prints the share of the core that the test had. */
static void put_core(const struct row *row, struct text *out)
{
    char *end;
    double share = strtod(row->core_share, &end);

    if (end == row->core_share)
        text_printf(out, " %6s", row->core_share[0] ? row->core_share : "-");
    else
        put_number(100 * share, 6, 0, out);
}

static void put_head(const struct unix_columns *show, bool whole, struct text *out)
{
    text_printf(out, "%-44s", whole ? "System Benchmarks Index Values" : "System Benchmarks Partial Index");
    if (show->baseline)
        text_printf(out, " %10s", "BASELINE");
    text_printf(out, " %14s %-5s %9s%s%s%s\n", "RESULT", "", "INDEX", show->rsd ? "  RSD %" : "",
                show->core ? " Core %" : "", show->alone ? "         Alone" : "");
}

static void put_line(const struct unix_protocol *protocol, const struct row *row, const struct row *alone,
                     const struct unix_columns *show, struct text *out)
{
    const struct unix_test test = unix_test_of(row->test);
    double baseline =
        test.name && unix_in_index(protocol, &test) ? bench_metric(test.bench, UNIX_RATE)->baseline : (double)NAN;

    text_printf(out, "%-44s", unix_row_title(row));
    if (show->baseline)
        put_number(baseline, 10, 1, out);
    put_number(row->value, 14, 1, out);
    text_printf(out, " %-5s", row->unit);
    put_number(row->index, 9, 1, out);
    if (show->rsd)
        put_number(row->stats.rsd_pct, 6, 1, out);
    if (show->core)
        put_core(row, out);
    if (show->alone)
        put_number(alone ? alone->value : (double)NAN, 13, 1, out);
    if (row->status != ROW_OK) {
        const char *status = row_status_name(row->status);
        text_append(out, "  ", 2);
        color_put(out, color_of_status(row->status), status, strlen(status));
    }
    if (not_a_disk(row))
        text_printf(out, "  %s", row->scratch_fs);
    text_append(out, "\n", 1);
}

/* --verbose: prints a line for each pass. */
static void put_samples(const struct row *row, struct text *out)
{
    for (size_t i = 0; i < row->n_samples; i++)
        text_printf(out, "    pass %-3zu %*.1f %s\n", i + 1, 58, row->samples[i], row->unit);
}

/* Prints an index: its name, and of what it is, with the columns of its lines. */
static void put_index(const char *name, const char *kind, double index, const struct unix_columns *show,
                      struct text *out)
{
    if (show->baseline)
        text_printf(out, "%-44s %25s %-5s", name, kind, "");
    else
        text_printf(out, "%-44s %20s", name, kind);
    put_number(index, 9, 1, out);
    text_append(out, "\n", 1);
}

static void put_block(const struct table_rows *r, uint64_t copies, struct text *out)
{
    size_t tests;
    double index = unix_system_index(r, copies, &tests);
    const struct unix_protocol *of = protocol_of_rows(r);
    char protocol[24];
    bool probed = false;

    (void)snprintf(protocol, sizeof(protocol), "%s protocol", of->name);
    text_printf(out, "%llu parallel cop%s of tests, %s\n\n", (unsigned long long)copies, copies == 1 ? "y" : "ies",
                protocol);
    for (size_t i = 0; i < r->n; i++)
        probed |= !strcmp(r->rows[i].metric, "rate_alone");
    const struct unix_columns show = fit_columns(r->table_width, probed);
    put_head(&show, tests == UNIX_N_INDEX, out);
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "rate") && r->rows[i].copies == copies) {
            put_line(of, &r->rows[i], row_alone_of(r->rows, r->n, &r->rows[i]), &show, out);
            if (r->verbose)
                put_samples(&r->rows[i], out);
        }
    if (tests) {
        text_printf(out, "%-44s %*s %-5s %9s\n", "", show.baseline ? 25 : 14, "", "", "========");
        put_index(tests == UNIX_N_INDEX ? "System Benchmarks Index Score"
                                        : "System Benchmarks Index Score (Partial Only)",
                  protocol, index, &show, out);
        double alone = unix_alone_index(r, copies);
        if (!isnan(alone))
            put_index("", "with the core free", alone, &show, out);
    }
    put_left_out(&show, probed, out);
    text_append(out, "\n", 1);
}

static bool same_reason(const struct row *row, const struct row *first)
{
    return row->status == first->status && row_reason_repeats(row->reason, first->reason);
}

/* Returns how many other tests have the same reason in a later row. */
static size_t tests_alike(const struct table_rows *r, size_t first)
{
    size_t n = 0;

    for (size_t i = first + 1; i < r->n; i++) {
        bool counted = !same_reason(&r->rows[i], &r->rows[first]);
        for (size_t k = first; k < i && !counted; k++)
            counted = !strcmp(r->rows[k].test, r->rows[i].test) && same_reason(&r->rows[k], &r->rows[first]);
        n += !counted;
    }
    return n;
}

static void put_reasons(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        bool before = row->status == ROW_OK;
        for (size_t k = 0; k < i; k++)
            before |= same_reason(row, &r->rows[k]);
        if (before)
            continue;
        text_printf(out, "%s: %s (%s", row_status_name(row->status), row->reason, row->test);
        const size_t more = tests_alike(r, i);
        if (more)
            text_printf(out, " and %zu more", more);
        text_printf(out, ")\n");
    }
}

/* Prints one line for all tests, because they use the same directory. */
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
    put_reasons(r, out);
    put_not_a_disk(r, out);
}

/* --- The original's CSV. --- */

static void csv_line(const struct measure *m, uint64_t copies, bool titles, struct text *out)
{
    for (size_t i = 0; i < m->n_rows; i++) {
        const struct row *row = &m->rows[i];
        const struct unix_test test = unix_test_of(row->test);
        if (!test.name || !unix_in_index(unix_protocol_of(m), &test) || strcmp(row->metric, "rate") ||
            row->copies != copies)
            continue;
        if (titles)
            text_printf(out, ",%s", test.title);
        else if (isnan(row->value))
            text_printf(out, ",");
        else
            text_printf(out, ",%.1f", row->value);
    }
    text_append(out, "\n", 1);
}

/* Chooses the path of the original's CSV: --unixbench-csv FILE, or the original's environment variables
 * UB_OUTPUT_CSV=true and UB_RESULTDIR. */
static void original_csv_path(const struct measure *m, const struct unix_options *o, char *path, size_t size)
{
    const char *wanted = getenv("UB_OUTPUT_CSV"), *dir = getenv("UB_RESULTDIR");

    path[0] = 0;
    if (o->unixbench_csv[0])
        (void)snprintf(path, size, "%s", o->unixbench_csv);
    else if (wanted && !strcmp(wanted, "true"))
        (void)snprintf(path, size, "%s/unixbench-%s-%.8s.csv", dir && dir[0] ? dir : ".", m->run.host, m->run.run_id);
}

static int finish(const struct measure *m, const void *options)
{
    const struct unix_options *o = options;
    const struct table_rows measured = {.rows = m->rows, .n = m->n_rows};
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = unix_copy_counts(&measured, counts);
    struct text out = {0};
    char path[1200];

    original_csv_path(m, o, path, sizeof(path));
    if (!path[0] || !n)
        return 0;
    text_printf(&out, "Concurrency");
    csv_line(m, counts[0], true, &out);
    for (size_t c = 0; c < n; c++) {
        text_printf(&out, "%llu", (unsigned long long)counts[c]);
        csv_line(m, counts[c], false, &out);
    }
    return files_write("unix", path, &out) ? EXIT_ROW_FAILED : 0;
}

static bool brief(const void *options)
{
    return ((const struct unix_options *)options)->brief;
}

const struct suite suite_unix = {
    .name = "unix",
    .title = TITLE,
    .seconds = {[PRESET_DEFAULT] = 155, [PRESET_QUICK] = 22, [PRESET_CLASSIC] = 3600},
    .options_size = sizeof(struct unix_options),
    .tables = unix_tables,
    .timed = true,
    .copies = true,
    .schedule = SCHEDULE_INTERLEAVED,
    .test = unix_word,
    .select = unix_select,
    .plan = unix_plan,
    .print = print,
    .conclude = unix_conclude,
    .finish = finish,
    .brief = brief,
    .end = unix_end,
};

const struct command command_unix = {
    .name = "unix",
    .operands = "[TEST|GROUP...]",
    .title = TITLE,
    .description =
        "The twelve tests of the BYTE UNIX Benchmarks' index, one copy first and then as many as there are CPUs. "
        "The default protocol takes many short samples, each in a fresh process; --classic keeps the original's "
        "passes, times and pauses, and gives an index of its own, to hold against published scores. Groups: index, "
        "cpu, file, process, arith, shell, misc.",
    .suite = &suite_unix,
    .run = measure_suite_main,
    .tables = measure_tables,
};
