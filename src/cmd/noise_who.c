/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: its part of the plan, and its table. */
#include "cmd/noise_who.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/who.h"
#include "out/grid.h"
#include "sys/memory.h"

/* The window, as part of that of the measurement. */
#define WHO_PART 2u
/* Size of a ring that is opened to see whether the kernel allows it. */
#define TRY_BYTES ((size_t)16 << 10)

/* --- The plan. --- */

static bool can_record(const struct measure *m)
{
    static const struct trace_events none;
    struct trace_ring ring;

    if (m->place.bind != BIND_ONE || trace_ring_open(&ring, m->place.order[0], &none, TRY_BYTES))
        return false;
    trace_ring_close(&ring);
    return true;
}

int noise_who_plan(const struct measure *m, const struct noise_params *params, struct plan *out)
{
    struct who_params who = {.threshold_ns = params->threshold_ns};
    struct sampling sampling = bench_who.sampling[m->preset];

    if (!params->who && !(m->of_all && can_record(m)))
        return 0;
    if (m->options.time_ns)
        sampling.time_ns = m->options.time_ns / WHO_PART;
    who_sizes(&who, sampling.time_ns, m->place.n_order, measure_memory(m));
    trace_events_find(&who.events);
    struct plan_item *item = plan_add(out, &bench_who, &who);
    if (!item)
        return -1;
    item->copies = (unsigned)m->place.n_order;
    item->sampling = sampling;
    item->phase = 1;
    if (m->place.bind == BIND_ONE)
        return 0;
    item->skip = strdup("--who needs samplers that are bound to one CPU each (--bind one)");
    return item->skip ? 0 : -1;
}

/* --- The table. --- */

static const struct grid_column columns[] = {
    {.title = "Name", .left = true},
    {.title = "Kind", .left = true},
    {.title = "PID", .rank = 1},
    {.title = "Times/s"},
    {.title = "Time %"},
    {.title = "Max us"},
    {.title = "CPUs", .left = true, .most = 24},
};

static void put_param(const struct row *row, const char *key, struct text *out)
{
    size_t length;
    const char *value = row_param(&row->param, key, &length);

    if (value)
        text_append(out, value, length);
}

/* Puts "kworker/0:1 (vmstat_update)" or "virtio0 (24)". */
static void put_name(const struct row *row, struct text *out)
{
    static const char *const details[] = {"work", "irq"};
    size_t length;

    put_param(row, "name", out);
    for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++)
        if (row_param(&row->param, details[i], &length)) {
            text_append(out, " (", 2);
            put_param(row, details[i], out);
            text_append(out, ")", 1);
        }
}

/* Returns the value of a metric of the name that the row is of; NAN when there is none. */
static double value_of(const struct row *rows, size_t n, const char *metric)
{
    for (size_t i = 0; i < n && !strcmp(rows[i].param.text, rows[0].param.text); i++)
        if (!strcmp(rows[i].metric, metric))
            return rows[i].value;
    return (double)NAN;
}

/* Puts the line of a name, whose rows are consecutive. */
static void put_line(const struct row *rows, size_t n, struct grid *grid)
{
    size_t length;

    put_name(rows, grid_cell(grid, COLOR_NONE));
    put_param(rows, "kind", grid_cell(grid, COLOR_NONE));
    struct text *pid = grid_cell(grid, COLOR_NONE);
    put_param(rows, "pid", pid);
    if (row_param(&rows->param, "tasks", &length)) {
        put_param(rows, "tasks", pid);
        text_append(pid, " tasks", 6);
    }
    grid_number(grid, value_of(rows, n, "times"), 1);
    grid_number(grid, value_of(rows, n, "taken"), 4);
    grid_number(grid, value_of(rows, n, "longest") * 1e-3, 1);
    grid_text(grid, rows->cpus);
}

static void put_title(const struct row *rows, size_t n, struct text *out)
{
    const double disturbed = value_of(rows, n, "disturbed"), unseen = value_of(rows, n, "unseen");

    if (row_param_is(&rows->param, "source", "proc"))
        text_printf(out,
                    "\nWho had CPU time, on the whole machine (from the kernel's counters: nothing was recorded)\n");
    else if (isfinite(disturbed))
        text_printf(out,
                    "\nWho took the time: recorded for %.3g s, in detours of 1 us and more %.4f %%, %.4f %% unseen\n",
                    rows->wall_s, disturbed, unseen);
}

void noise_who_print(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct row *rows = calloc(r->n + 1, sizeof(*rows));
    struct grid grid = {.n_columns = 0};
    size_t n = 0, length;

    for (size_t i = 0; rows && i < r->n; i++)
        if (!strcmp(r->rows[i].suite, bench_who.suite) && !strcmp(r->rows[i].test, bench_who.name))
            rows[n++] = r->rows[i];
    if (n) {
        put_title(rows, n, out);
        grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
        for (size_t i = 0; i < n; i++)
            if (row_param(&rows[i].param, "name", &length) &&
                (i == 0 || strcmp(rows[i].param.text, rows[i - 1].param.text) != 0))
                put_line(&rows[i], n - i, &grid);
        grid_print(&grid, r->table_width, out);
        table_put_reasons(rows, n, out);
    }
}
