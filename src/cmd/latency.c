/* SPDX-License-Identifier: MIT */
/* jitbench latency: prints its tables. */
#include "cmd/latency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"

static const struct option common_rows[] = {
    {OPTION("no-file", 'c', struct measure_options, no_file, "the same as --no-csv")},
};

/* --- Tables. --- */

static bool is_real_time(const struct table_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].load[0] && !strcmp(r->rows[i].policy, "fifo"))
            return true;
    return false;
}

/* Which counts as Interbench does. */
static bool is_classic(const struct table_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "latency_classic") || row_param_is(&r->rows[i].param, "protocol", "classic"))
            return true;
    return false;
}

static void put_gap(struct text *out)
{
    text_append(out, "\n", out->length > 0);
}

/* "50 ms, when its buffer is empty". */
static void describe_late(const struct task *task, const struct row *row, char *buf, size_t size)
{
    size_t length;
    const char *given = row_param(&row->param, "late_after_us", &length);
    uint64_t own_ns = task->params ? task->params->late_after_ns : SIM_NOTICED_NS;
    char after[32];

    text_duration(given ? 1000 * strtoull(given, NULL, 10) : own_ns, after, sizeof(after));
    snprintf(buf, size, "%s%s%s", after, given ? "" : ", ", given ? "" : task->late);
}

/* In ns: shorter latencies depend mostly on how they were measured. */
#define LEAST_NS 100

/* classic: counted as Interbench counts. fine: in us. */
static void put_task(const struct task *task, const struct row *task_rows, size_t n, bool classic, bool fine,
                     unsigned width, struct text *out)
{
    const char *metric = classic ? "latency_classic" : "latency";
    double scale = fine ? 1e-3 : 1e-6;
    unsigned decimals = fine ? 1 : 3;
    struct table_column columns[] = {
        {COLUMN("Load", NULL, TABLE_LOAD, 0)},
        {COLUMN("Latency", metric, TABLE_MEAN, decimals), .scale = scale},
        {COLUMN(fine ? "+/- SD (us)" : "+/- SD (ms)", metric, TABLE_SD, decimals), .scale = scale, .rank = 3},
        {COLUMN("Median", metric, TABLE_MEDIAN, decimals), .scale = scale, .rank = 2},
        {COLUMN("P99", metric, TABLE_P99, decimals), .scale = scale, .rank = 1},
        {COLUMN(classic ? "Max Latency" : "Max", metric, TABLE_MAX, decimals), .scale = scale},
        {COLUMN(classic ? "% Desired CPU" : "% Done", "desired_cpu", TABLE_VALUE, 1)},
        {COLUMN("% Late", "late", TABLE_VALUE, 1)},
        {COLUMN(classic ? "% Deadlines Met" : "% Met", "deadlines_met", TABLE_VALUE, 1)},
        {COLUMN("Timer", "timer_latency", TABLE_MEDIAN, decimals), .scale = scale, .rank = 4},
        {COLUMN("Timer Max", "timer_latency", TABLE_MAX, decimals), .scale = scale, .rank = 4},
        {COLUMN("Total", "total", TABLE_MEAN, decimals), .scale = scale, .rank = 2},
        {COLUMN("Total Max", "total", TABLE_MAX, decimals), .scale = scale},
    };
    enum { LATE = 7, SHARES = 8, TOTALS = 11, ALL = 13 };
    char title[120], late[64];
    struct table_layout layout = {.title = title, .columns = columns};

    layout.n_columns = task->bench == &bench_gaming ? SHARES : classic ? TOTALS : ALL;
    if (classic) {
        layout.n_columns--;
        memmove(&columns[LATE], &columns[LATE + 1], (ALL - LATE - 1) * sizeof(columns[0]));
        snprintf(title, sizeof(title),
                 "Simulated %s under each load, counted as Interbench did (metric latency_classic)", task->title);
    } else {
        describe_late(task, task_rows, late, sizeof(late));
        snprintf(title, sizeof(title), "Simulated %s under each load (late: by more than %s)", task->title, late);
    }
    table_print(&layout, task_rows, n, width, out);
}

static void put_picture(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct plot_row *shown = calloc(r->n + 1, sizeof(*shown));
    size_t n = 0;

    for (size_t i = 0; shown && i < r->n; i++) {
        const struct row *row = &r->rows[i];
        if (!row->load[0] || strcmp(row->metric, "latency"))
            continue;
        shown[n].row = row;
        snprintf(shown[n++].label, sizeof(shown->label), "%-7.7s %.10s", row->test, row->load);
    }
    if (n) {
        put_gap(out);
        plot_ranges("Latency, log scale", LEAST_NS, shown, n, r->width, out);
    }
}

/* --- All tables. --- */

static void put_calibration(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "loops_per_ms") && r->rows[i].status < ROW_SKIPPED) {
            const struct row *row = &r->rows[i];
            put_gap(out);
            text_printf(out, "Calibrated: %.0f loops a millisecond on CPU%s %s", row->value, PLURAL(row->stats.n),
                        row->cpus);
            if (row->stats.n > 1)
                text_printf(out, ", %.0f to %.0f", row->stats.min, row->stats.max);
            text_printf(out, "%s%s\n", row->status == ROW_OK ? "" : ": ", row->reason);
        }
}

/* The metric latency begins when the timer fires, so it does not include this. */
static void put_stalls(const struct table_rows *r, struct text *out)
{
    char late[32];

    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        if (strcmp(row->metric, "timer_latency") ||
            !(row->stats.max > 1000 * row_param_number(&row->param, "interval_us")))
            continue;
        text_duration((uint64_t)row->stats.max, late, sizeof(late));
        text_printf(out, "Stall: under %s the timer of %s fired up to %s late: Total includes this, Latency does not\n",
                    row->load, row->test, late);
    }
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct row *task_rows = calloc(r->n + 1, sizeof(*task_rows));
    bool fine = is_real_time(r); /* us, as in Interbench's real-time mode */

    for (size_t t = 0; task_rows && t < N_TASKS; t++) {
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++)
            if (!strcmp(r->rows[i].test, latency_task_names[t]))
                task_rows[n++] = r->rows[i]; /* a shallow copy, only read */
        if (!n)
            continue;
        put_gap(out);
        put_task(&latency_tasks[t], task_rows, n, is_classic(r), fine, r->table_width, out);
    }
    put_stalls(r, out);
    put_calibration(r, out);
    if (r->pictures)
        put_picture(r, out);
}

const struct suite suite_latency = {
    .command =
        {
            .name = "latency",
            .operands = "[TASK...]",
            .title = "measures the scheduling latency of interactive tasks under background loads",
            .description =
                "Simulates tasks that must react in time (audio, video, x, gaming, custom) beside background loads "
                "(none, video, x, burn, write, read, ring, compile, memload, hack, custom), and measures their "
                "latency after each wake-up, how much of their work they do, and how many deadlines they meet. "
                "Without names it measures the most informative pairs. Interbench's letters keep their meaning.",
            COMMAND_MEASURES(suite_latency),
        },
    .seconds = {[PRESET_DEFAULT] = 95, [PRESET_QUICK] = 16, [PRESET_CLASSIC] = 1100},
    .options_size = sizeof(struct latency_options),
    .options = latency_own,
    .common_rows = common_rows,
    .n_common_rows = COUNT(common_rows),
    .timed = true,
    .schedule = SCHEDULE_SEQUENCE,
    .tests = latency_task_names,
    .plan = latency_plan,
    .announce = latency_announce,
    .print = print,
};
