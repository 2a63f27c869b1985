/* SPDX-License-Identifier: MIT */
/* jitbench noise: reads its options, plans its measurement, and prints its tables. */
#include "cmd/noise_who.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

#define HISTS_MAX 4u

static const struct option common_rows[] = {
    MEASURE_TIME_ROW("how long to measure; default: 5 s, 2 s with --quick, 60 s with --classic"),
};

static int plan(const struct measure *m, void *options, struct plan *out, struct error *error)
{
    struct noise_params *params = options;

    if (noise_read_threshold(params, error))
        return -1;
    if (params->keep[0] && !params->stop_ns)
        return error_set(error, "--keep: it goes with --stop-at");
    if (files_check("--keep", params->keep, error))
        return -1;
    if (!params->stop_ns)
        measure_item(m, out, &bench_noise, params, m->place.n_order, 0);
    noise_who_plan(m, params, out);
    return 0;
}

/* --- Tables. --- */

/* Consecutive, the headline row first. */
struct line {
    const struct row *lost;
    size_t n;
    double loss; /* %, by which CPUs are ranked */
};

static int quieter(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int order = ORDER_OF(fmin(x->loss, HUGE_VAL), fmin(y->loss, HUGE_VAL)); /* NAN is worst */

    return order ? order : ORDER_OF(x->lost->number, y->lost->number);
}

static const struct row *line_row(const struct line *line, const char *metric)
{
    for (size_t i = 0; i < line->n; i++)
        if (!strcmp(line->lost[i].metric, metric))
            return &line->lost[i];
    return NULL;
}

/* The quietest first; room for as many lines as rows. */
static size_t rank_lines(const struct table_rows *r, struct line *lines)
{
    bool known = false;
    size_t n = 0;

    for_each_row(row, r) {
        if (strcmp(row->suite, bench_noise.suite) != 0 || strcmp(row->test, bench_who.name) == 0)
            continue;
        if (row->headline || !n)
            lines[n++] = (struct line){.lost = row};
        lines[n - 1].n++;
    }
    /* the speed lost, or if no CPU knows it the time lost; CPUs that do not know it come last: their core was never
     * free */
    for (size_t i = 0; i < n; i++) {
        const struct row *slower = line_row(&lines[i], "slower");
        lines[i].loss = slower ? slower->value : NAN;
        known |= !isnan(lines[i].loss);
    }
    for (size_t i = 0; i < n && !known; i++)
        lines[i].loss = lines[i].lost->value;
    qsort(lines, n, sizeof(*lines), quieter);
    return n;
}

/* Shallow copies in the order of the ranking, with the rank as first parameter. */
static size_t rank_rows(const struct line *lines, size_t n_lines, struct row *rows)
{
    size_t n = 0;

    for (size_t rank = 0; rank < n_lines; rank++)
        for (size_t i = 0; i < lines[rank].n; i++, n++) {
            rows[n] = lines[rank].lost[i];
            rows[n].param = (struct row_params){.n = 0};
            row_param_add(&rows[n].param, PARAM_OUTCOME, "rank", "%zu", rank + 1);
            row_params_append(&rows[n].param, &lines[rank].lost[i].param);
        }
    return n;
}

static const struct table_column columns[] = {
    {COLUMN("Rank", NULL, TABLE_PARAM_VALUE, 0), .key = "rank"},
    {COLUMN("CPU", NULL, TABLE_CPUS, 0)},
    {COLUMN("Loop ns", "loop", TABLE_VALUE, 1), .rank = 6},
    {COLUMN("Detours/s", "detours", TABLE_VALUE, 1), .rank = 3},
    {COLUMN("Lost %", "lost", TABLE_VALUE, 4)},
    {COLUMN("Slower %", "slower", TABLE_VALUE, 4), .optional = 1},
    {COLUMN("Core %", "core_share", TABLE_VALUE, 1), .optional = 1},
    {COLUMN("Free %", "core_free", TABLE_VALUE, 1), .optional = 1, .rank = 1},
    {COLUMN("MHz", "core_mhz", TABLE_VALUE, 0), .optional = 1, .rank = 1},
    {COLUMN("Blind %", "blind", TABLE_VALUE, 2), .rank = 6},
    {COLUMN("Min", "detour", TABLE_MIN, 2), .scale = 1e-3, .rank = 6},
    {COLUMN("Median", "detour", TABLE_MEDIAN, 2), .scale = 1e-3, .rank = 5},
    {COLUMN("P99", "detour", TABLE_P99, 2), .scale = 1e-3, .rank = 3},
    {COLUMN("P99.9", "detour", TABLE_P999, 2), .scale = 1e-3, .rank = 5},
    {COLUMN("Max", "detour", TABLE_MAX, 2), .scale = 1e-3},
    {COLUMN("Quota", "lost_quota", TABLE_VALUE, 4), .optional = 1},
    {COLUMN("Preempted", "lost_preempted", TABLE_VALUE, 4)},
    {COLUMN("Fault", "lost_fault", TABLE_VALUE, 4), .rank = 6},
    {COLUMN("Migrated", "lost_migrated", TABLE_VALUE, 4), .rank = 6},
    {COLUMN("Interrupt", "lost_interrupt", TABLE_VALUE, 4)},
    {COLUMN("Steal", "lost_steal", TABLE_VALUE, 4)},
    {COLUMN("Periodic", "lost_periodic", TABLE_VALUE, 4), .rank = 4},
    {COLUMN("Shared", "lost_core_shared", TABLE_VALUE, 4), .rank = 4},
    {COLUMN("Not seen", "lost_unexplained", TABLE_VALUE, 4), .rank = 2},
};
static const struct table_column count_columns[] = {
    {COLUMN("Rank", NULL, TABLE_PARAM_VALUE, 0), .key = "rank"},
    {COLUMN("CPU", NULL, TABLE_CPUS, 0)},
    {COLUMN("Timer", "count_timer", TABLE_VALUE, 1)},
    {COLUMN("Resched", "count_resched", TABLE_VALUE, 1)},
    {COLUMN("IPI", "count_ipi", TABLE_VALUE, 1)},
    {COLUMN("Device", "count_device", TABLE_VALUE, 1)},
    {COLUMN("Softirq", "count_softirq", TABLE_VALUE, 1)},
};

static const struct table_layout detour_layout = {TABLE_OF(
    "Noise, the quietest CPU first: detours, their lengths in us, and the time lost in them by cause in %", columns)};
static const struct table_layout count_layout = {TABLE_OF("Interrupts a second", count_columns), .no_status = 1};

static void put_quietest(const struct line *lines, size_t n, struct text *out)
{
    if (n < 2 || isnan(lines[0].lost->value) || strcmp(lines[0].lost->bind, "one") != 0)
        return;
    const struct row *slower = line_row(&lines[0], "slower"), *alone = line_row(&lines[0], "lost_alone");
    const bool apart = slower && alone && slower->value >= alone->value && alone->value < 100;
    const double detours = apart ? alone->value : lines[0].lost->value;
    text_printf(out, "Quietest: CPU %s; detours took %.4f %% of its time", lines[0].lost->cpus, detours);
    if (apart)
        text_printf(out, ", sharing its core %.4f %% of the rest: %.4f %% slower in all",
                    100 * (slower->value - detours) / (100 - detours), slower->value);
    else if (slower && !isnan(slower->value))
        text_printf(out, "; with the sharing of its core it was %.4f %% slower in all", slower->value);
    text_append(out, "\n", 1);
}

static void put_strips(const struct line *lines, size_t n, unsigned width, struct text *out)
{
    FREED_BY(memory_free) struct plot_row *shown = calloc(n + 1, sizeof(*shown));

    for (size_t i = 0; shown && i < n; i++) {
        shown[i].row = lines[i].lost;
        TEXT_PRINT(shown[i].label, "CPU %.18s", lines[i].lost->cpus);
    }
    text_append(out, "\n", 1);
    if (shown)
        plot_strip("Lost time", shown, n, width, out);
}

/* From both ends of the ranking: quietest and noisiest compare best. */
static void put_histograms(const struct line *lines, size_t n, unsigned width, struct text *out)
{
    unsigned shown = 0;

    for (size_t low = 0, high = n; low < high && shown < HISTS_MAX;) {
        const struct row *row = line_row(&lines[shown % 2 ? --high : low++], "detour");
        if (!row || !row->n_hist)
            continue;
        text_printf(out, "\nDetours of CPU %s by length (bars: logarithm of the count)\n", row->cpus);
        plot_histogram(row, width, out);
        shown++;
    }
}

/* From the parameter periods=10ms:31us;... (31 us lost every 10 ms). */
static void put_periods(const struct line *lines, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t length, shown = 0;
        double ms, us;
        const char *periods = row_param(&lines[i].lost->param, "periods", &length), *at = periods;
        while (at && sscanf(at, "%lfms:%lfus", &ms, &us) == 2) {
            if (!shown++)
                text_printf(out, "Periodic: CPU %.18s", lines[i].lost->cpus);
            text_printf(out, "%s every %g ms, %g us", shown > 1 ? ";" : "", ms, us);
            const char *next = memchr(at, ';', (size_t)(periods + length - at));
            at = next ? next + 1 : NULL;
        }
        text_append(out, "\n", shown > 0);
    }
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct line *lines = calloc(r->n + 1, sizeof(*lines));
    FREED_BY(memory_free) struct row *rows = calloc(r->n + 1, sizeof(*rows));

    if (!lines || !rows)
        return;
    size_t n_lines = rank_lines(r, lines), n = rank_rows(lines, n_lines, rows);
    if (n) {
        table_print(&detour_layout, rows, n, r->table_width, out);
        put_quietest(lines, n_lines, out);
        put_periods(lines, n_lines, out);
        text_append(out, "\n", 1);
        table_print(&count_layout, rows, n, r->table_width, out);
    }
    noise_who_print(r, out);
    if (n && r->pictures) {
        put_strips(lines, n_lines, r->width, out);
        put_histograms(lines, n_lines, r->width, out);
    }
}

const struct suite suite_noise = {
    .command =
        {
            .name = "noise",
            .operands = "",
            .title = "measures detours on all CPUs at once: how much time is lost, and to what",
            .description =
                "Runs a loop that only reads the clock on each CPU, on all at once. A turn of the loop that takes "
                "longer than the threshold is a detour. Reports the number of detours, their lengths, the time lost "
                "in them, and the causes: another task, page faults, moves to another CPU, interrupts, the "
                "hypervisor, or nothing that the kernel counts; and how much of its core each CPU had. Ranks the "
                "CPUs, the quietest first.",
            COMMAND_MEASURES(suite_noise),
        },
    .seconds = {6, 3, 61},
    .options_size = sizeof(struct noise_params),
    .options = {{.heading = "Options of noise", .bench = &bench_noise, .foreign = foreign_cyclictest}},
    .common_rows = common_rows,
    .n_common_rows = COUNT(common_rows),
    .schedule = SCHEDULE_SEQUENCE,
    .plan = plan,
    .print = print,
    .finish = noise_who_finish,
    .names_takers = true,
};
