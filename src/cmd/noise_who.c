/* SPDX-License-Identifier: MIT */
/* jitbench noise --who and --stop-at: plan the recording of which tasks and interrupts have the CPUs, and print which
 * of them took time. */
#include "cmd/noise_who.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise.h"
#include "cmd/cmd.h"

/* With --time TIME the recording of --who lasts TIME divided by this. */
#define WHO_PART 2u
/* With --stop-at, which ends the run at the first detour that is long enough: its longest duration in ns. */
#define STOP_RUN_NS (86400 * (uint64_t)1000000000)
/* Number of lines that are printed at the start, and at the end, of a long timeline. */
#define STAYS_SHOWN 40u
/* Bytes of a trace ring buffer that is opened only to see whether the kernel allows it. */
#define TRY_BYTES ((size_t)16 << 10)
/* Number of names in the sentence below a timeline, besides that of all others. */
#define NAMES_SAID 4u

/* --- The plan. --- */

static bool can_record(const struct measure *m)
{
    static const struct trace_events none;
    struct trace_ring ring = {.n = 0};

    if (m->place.bind != BIND_ONE || trace_ring_open(&ring, m->place.order[0], &none, TRY_BYTES, false))
        return false;
    trace_ring_close(&ring);
    return true;
}

void noise_who_plan(const struct measure *m, const struct noise_params *params, struct plan *out)
{
    const struct who_params who = {.threshold_ns = params->threshold_ns, .stop_ns = params->stop_ns};
    struct sampling sampling = bench_who.sampling[m->preset];

    if (!m->options.who && !params->stop_ns && !(m->of_all && can_record(m)))
        return;
    if (params->stop_ns)
        sampling.time_ns = m->options.time_ns ? m->options.time_ns : STOP_RUN_NS;
    else if (m->options.time_ns)
        sampling.time_ns = m->options.time_ns / WHO_PART;
    struct plan_item *item = measure_item(m, out, &bench_who, &who, m->place.n_order, 1);
    item->sampling = sampling;
    if (m->place.bind != BIND_ONE)
        item->skip = "--who and --stop-at need samplers that are bound to one CPU each (--bind one)";
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

static const char *param_of(const struct row *row, const char *key, char value[ROW_PARAM_SIZE])
{
    size_t length = 0;
    const char *at = row_param(&row->param, key, &length);

    (void)snprintf(value, ROW_PARAM_SIZE, "%.*s", (int)length, at ? at : "");
    return value;
}

/* Parameters of a row, "" when missing; a table shows what the CSV calls unseen as "not seen", without a kind. */
#define PARAM(row, key) param_of(row, key, (char[ROW_PARAM_SIZE]){0})
#define IS_UNSEEN(row)  row_param_is(&(row)->param, "kind", "unseen")
#define SHOWN_KIND(row) (IS_UNSEEN(row) ? "" : PARAM(row, "kind"))
#define SHOWN_NAME(row) name_of(row, (char[ROW_PARAM_SIZE]){0})

/* Returns the name of the row's task or interrupt: "kworker/0:1 (vmstat_update)", "virtio0 (24)", "others (12)". */
static const char *name_of(const struct row *row, char name[ROW_PARAM_SIZE])
{
    static const char *const details[] = {"work", "irq", "names", "group"};
    size_t length;

    text_copy(name, ROW_PARAM_SIZE, IS_UNSEEN(row) ? "not seen" : PARAM(row, "name"));
    for (size_t i = 0; i < COUNT(details); i++)
        if (row_param(&row->param, details[i], &length))
            text_add(name, ROW_PARAM_SIZE, " (%s)", PARAM(row, details[i]));
    return name;
}

/* Returns the value of a metric for the task or interrupt of rows[0], whose rows are consecutive; NAN when there is
 * none. */
static double value_of(const struct row *rows, size_t n, const char *metric)
{
    for (size_t i = 0; i < n && !strcmp(rows[i].param.text, rows[0].param.text); i++)
        if (!strcmp(rows[i].metric, metric))
            return rows[i].value;
    return (double)NAN;
}

/* Adds the table's line for the task or interrupt of rows[0], whose rows are consecutive. */
static void put_line(const struct row *rows, size_t n, struct grid *grid)
{
    size_t length;
    const bool many = row_param(&rows->param, "tasks", &length) != NULL;

    grid_text(grid, SHOWN_NAME(rows));
    grid_text(grid, SHOWN_KIND(rows));
    grid_text(grid, many ? TEXT_LINE("%s tasks", PARAM(rows, "tasks")) : PARAM(rows, "pid"));
    grid_number(grid, value_of(rows, n, "times"), 1);
    grid_number(grid, value_of(rows, n, "taken"), 4);
    grid_number(grid, value_of(rows, n, "longest") * 1e-3, 1);
    grid_text(grid, rows->cpus);
}

/* Says whose tasks took time: this program's, others, those of each other control group, the kernel's. */
static void put_preempted(const struct row *rows, size_t n, struct text *out)
{
    static const char *const kinds[] = {"own", "task", "kthread"}, *const whose[] = {"own threads", "tasks",
                                                                                     "kernel threads"};
    FREED_BY(shares_free) struct shares shares = {.n = 0};
    size_t length;

    for (size_t i = 0; i < n; i++) {
        const char *group = row_param(&rows[i].param, "group", &length);
        for (size_t k = 0; k < COUNT(kinds) && !strcmp(rows[i].metric, "taken"); k++)
            if (row_param_is(&rows[i].param, "kind", kinds[k]))
                shares_add(&shares, group ? TEXT_LINE("tasks of the control group %.*s", (int)length, group) : whose[k],
                           rows[i].value);
    }
    shares_sort(&shares);
    for (size_t i = 0; i < shares.n; i++)
        text_printf(out, "%s%s %.4f %%", i ? ", " : "Preempted by ", shares.of[i].name, shares.of[i].amount);
    text_append(out, "\n", shares.n ? 1 : 0);
}

static bool is_who(const struct row *row)
{
    return !strcmp(row->suite, bench_who.suite) && !strcmp(row->test, bench_who.name);
}

static void put_title(const struct row *rows, size_t n, struct text *out)
{
    const double disturbed = value_of(rows, n, "disturbed"), unseen = value_of(rows, n, "unseen");
    const double stop_us = row_param_number(&rows->param, "stop_at_us");

    if (isfinite(stop_us) && !isfinite(row_param_number(&rows->param, "stopped_us")))
        text_printf(out, "\nNo detour was longer than %.10g us in %.3g s\n", stop_us, rows->wall_s);
    else if (row_param_is(&rows->param, "source", "proc"))
        text_printf(out,
                    "\nWho had CPU time, on the whole machine (from the kernel's counters: nothing was recorded)\n");
    else if (isfinite(disturbed))
        text_printf(out,
                    "\nWho took the time: recorded for %.3g s, in detours of 1 us and more %.4f %%, %.4f %% not seen\n",
                    rows->wall_s, disturbed, unseen);
}

/* --- The timeline. --- */

/* What ran on a CPU before the detour or wake-up that ended the run. */
struct timeline {
    const struct row *end;    /* the row that tells which one did; NULL: none */
    double length_us;         /* how long the detour was, or how late the wake-up */
    struct stay {             /* time in which the row's task or interrupt had the CPU; the caller frees them */
        double us, length_us; /* us: since that detour began, or that wake-up was due */
        const struct row *row;
    } * of; /* in the order of time; NULL: none */
    size_t n;
};

static int earlier(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;

    return ORDER_OF(x->us, y->us);
}

static struct timeline find_timeline(const struct row *rows, size_t n)
{
    struct timeline found = {.n = 0};
    size_t capacity = 0;
    double begun_us = (double)NAN;

    for (size_t i = 0; i < n && !found.end; i++) {
        found.length_us = row_param_number(&rows[i].param, "stopped_us");
        begun_us = row_param_number(&rows[i].param, "begun_us");
        found.end = isfinite(found.length_us) && isfinite(begun_us) ? &rows[i] : NULL;
    }
    for (size_t i = 0; i < n && found.end; i++)
        for (size_t k = 0; !strcmp(rows[i].metric, "longest") && k < rows[i].n_series; k++)
            if (grow_array(&found.of, &capacity, found.n, sizeof(*found.of)))
                found.of[found.n++] = (struct stay){.us = rows[i].series[k].at * 1e-3 - begun_us,
                                                    .length_us = rows[i].series[k].value * 1e-3,
                                                    .row = &rows[i]};
    if (found.of)
        qsort(found.of, found.n, sizeof(*found.of), earlier);
    return found;
}

/* Puts "CPU 0, the 662 us before: tokio-rt-worker 410, softirq NET_RX 200, not seen 52". */
static void put_sentence(const struct timeline *timeline, struct text *out)
{
    FREED_BY(shares_free) struct shares shares = {.n = 0};
    bool unseen = false;
    double rest = 0;

    for (const struct stay *stay = timeline->of; stay < timeline->of + timeline->n; stay++) {
        const double us = fmin(stay->us + stay->length_us, timeline->length_us) - fmax(stay->us, 0);
        const char *prefix = row_param_is(&stay->row->param, "kind", "softirq") ? "softirq " : "";
        if (us > 0)
            shares_add(&shares, TEXT_LINE("%s%s", prefix, SHOWN_NAME(stay->row)), us);
    }
    shares_sort(&shares);
    text_printf(out, "CPU %s, the %.0f us %s:", PARAM(timeline->end, "worst_cpu"), timeline->length_us,
                is_who(timeline->end) ? "of the detour" : "before");
    for (size_t i = 0; i < shares.n; i++)
        if (i < NAMES_SAID) {
            text_printf(out, "%s %s %.0f", i ? "," : "", shares.of[i].name, shares.of[i].amount);
            unseen |= !strcmp(shares.of[i].name, "not seen");
        } else {
            rest += shares.of[i].amount;
        }
    text_printf(out, rest > 0 ? ", others %.0f\n" : "\n", rest);
    if (unseen)
        text_printf(out,
                    "Not seen: nothing of this kernel was recorded then: the hypervisor or the firmware had the CPU, "
                    "or it was on the way into or out of the kernel\n");
}

bool noise_who_timeline(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column stay_columns[] = {{.title = "At us"},
                                                      {.title = "For us"},
                                                      {.title = "Kind", .left = true},
                                                      {.title = "PID"},
                                                      {.title = "Name", .left = true}};
    const struct timeline timeline = find_timeline(rows, n);
    FREED_BY(memory_free) struct stay *stays = timeline.of;
    struct grid grid = {.n_columns = 0};

    if (!stays)
        return false;
    text_printf(
        out,
        is_who(timeline.end)
            ? "\nWhat ran on CPU %s until its detour of %.1f us ended; times are from the start of that detour\n"
            : "\nWhat ran on CPU %s until a wake-up that was %.1f us late; times are from when it was due\n",
        PARAM(timeline.end, "worst_cpu"), timeline.length_us);
    grid_columns(&grid, stay_columns, COUNT(stay_columns));
    for (size_t i = 0; i < timeline.n; i++) {
        if (timeline.n > 2 * STAYS_SHOWN && i == STAYS_SHOWN) {
            text_printf(grid_note(&grid), "... %zu more (in the CSV)", timeline.n - 2 * STAYS_SHOWN);
            i = timeline.n - STAYS_SHOWN;
        }
        /* Leaves out short stretches that no task or interrupt accounts for: every detour has them at the kernel's
         * entry and exit. */
        if (IS_UNSEEN(stays[i].row) && stays[i].length_us * 1e3 < WHO_LEAST_NS)
            continue;
        grid_number(&grid, stays[i].us, 1);
        grid_number(&grid, stays[i].length_us, 1);
        grid_text(&grid, SHOWN_KIND(stays[i].row));
        grid_text(&grid, PARAM(stays[i].row, "pid"));
        grid_text(&grid, SHOWN_NAME(stays[i].row));
    }
    grid_print(&grid, width, out);
    put_sentence(&timeline, out);
    return true;
}

int noise_who_finish(const struct measure *m, const void *options)
{
    static const char *const fields[] = {"kind", "name", "work", "pid"};
    const struct noise_params *params = options;
    const struct timeline timeline = find_timeline(m->rows, m->n_rows);
    FREED_BY(memory_free) struct stay *stays = timeline.of;
    FREED_BY(text_free) struct text out = {0};

    if (!timeline.end)
        return EXIT_DONE;
    text_printf(&out, "cpu,at_us,us,kind,name,work,pid\n");
    for (size_t i = 0; i < timeline.n; i++) {
        text_printf(&out, "%s,%.3f,%.3f", PARAM(timeline.end, "worst_cpu"), stays[i].us, stays[i].length_us);
        for (size_t f = 0; f < COUNT(fields); f++) {
            text_append(&out, ",", 1);
            csv_text(&out, PARAM(stays[i].row, fields[f]));
        }
        text_append(&out, "\n", 1);
    }
    const int status = params->keep[0] ? files_write("noise", params->keep, false, &out) : 0;
    if (status)
        return status;
    return command_fail("noise", EXIT_FINDING, "CPU %s had a detour of %.1f us, more than %.10g us",
                        PARAM(timeline.end, "worst_cpu"), timeline.length_us, (double)params->stop_ns * 1e-3);
}

/* --- The whole output. --- */

void noise_who_print(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct row *rows = calloc(r->n + 1, sizeof(*rows));
    struct grid grid = {.n_columns = 0};
    size_t n = 0, length;

    for (size_t i = 0; rows && i < r->n; i++)
        if (is_who(&r->rows[i]))
            rows[n++] = r->rows[i];
    if (!n)
        return;
    if (!noise_who_timeline(rows, n, r->table_width, out)) {
        put_title(rows, n, out);
        grid_columns(&grid, columns, COUNT(columns));
        for (size_t i = 0; i < n; i++)
            if (row_param(&rows[i].param, "name", &length) &&
                (i == 0 || strcmp(rows[i].param.text, rows[i - 1].param.text) != 0))
                put_line(&rows[i], n - i, &grid);
        grid_print(&grid, r->table_width, out);
        if (row_param_is(&rows->param, "source", "perf"))
            put_preempted(rows, n, out);
    }
    table_put_reasons(rows, n, out);
}
