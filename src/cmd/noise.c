/* SPDX-License-Identifier: MIT */
/* jitbench noise: reads its options, plans its measurements, and prints its tables: detours, and (--who, --stop-at)
 * which tasks and interrupts took the time. */

#include "bench/noise.h"
#include "cmd/cmd.h"
#include "out/chart.h"

#define HISTS_MAX 4u

/* --- What took the time: --who, --stop-at. --- */

/* With --time TIME the recording of --who lasts TIME divided by this. */
#define WHO_PART 2u
/* With --stop-at, which ends the run at the first detour that is long enough: its longest duration in ns. */
#define STOP_RUN_NS (86400 * (uint64_t)1000000000)
/* Number of lines that are printed at the start, and at the end, of a long timeline. */
#define STAYS_SHOWN 10u
/* Bytes of a trace ring buffer that is opened only to see whether the kernel allows it. */
#define TRY_BYTES ((size_t)16 << 10)
/* Number of names in the sentence below a timeline, besides that of all others. */
#define NAMES_SAID 4u

static bool can_record(const struct measure *m)
{
    static const struct trace_events none;
    struct trace_ring ring = {0};
    const bool can = m->place.bind == BIND_ONE && !trace_ring_open(&ring, m->place.order[0], &none, TRY_BYTES, false);

    trace_ring_close(&ring);
    return can;
}

/* Plans the measurement that records which tasks and interrupts have the CPUs, if --who or --stop-at was given, or if
 * `all` runs and the kernel allows recording. */
static void plan_who(const struct measure *m, const struct noise_params *params)
{
    struct sampling sampling = bench_who.sampling[m->preset];

    if (!m->options.who && !params->stop_ns && !(m->of_all && can_record(m)))
        return;
    if (params->stop_ns)
        sampling.time_ns = m->options.time_ns ? m->options.time_ns : STOP_RUN_NS;
    else if (m->options.time_ns)
        sampling.time_ns = m->options.time_ns / WHO_PART;
    struct plan_item *item = measure_item(m, &bench_who, params, m->place.n_order, 1);
    item->sampling = sampling;
    if (m->place.bind != BIND_ONE)
        item->skip = "--who and --stop-at need samplers that are bound to one CPU each (--bind one)";
}

/* A table shows what the CSV calls unseen as "not seen", without a kind. */
#define PARAM(row, key) ROW_PARAM(&(row)->param, key)
#define IS_UNSEEN(row)  row_param_is(&(row)->param, "kind", "unseen")
#define SHOWN_KIND(row) (IS_UNSEEN(row) ? "" : PARAM(row, "kind"))
#define SHOWN_NAME(row) name_of(row, (char[ROW_PARAM_SIZE]){0})

/* Returns the name of the row's task or interrupt: "kworker/0:1 (vmstat_update)", "virtio0 (24)", "others (12)". */
static const char *name_of(const struct row *row, char name[ROW_PARAM_SIZE])
{
    static const char *const details[] = {"work", "irq", "names", "group"};

    text_copy(name, ROW_PARAM_SIZE, IS_UNSEEN(row) ? "not seen" : PARAM(row, "name"));
    for (size_t i = 0; i < COUNT(details); i++)
        if (PARAM(row, details[i])[0])
            text_add(name, ROW_PARAM_SIZE, " (%s)", PARAM(row, details[i]));
    return name;
}

/* Returns the value of a metric for the task or interrupt of the row, one of n; NAN when there is none. */
static double value_of(const struct row *rows, size_t n, const struct row *row, const char *metric)
{
    const struct row *found = row_sibling(rows, n, row, metric);

    return found ? found->value : NAN;
}

/* Says whose tasks took time: this program's, others, those of each other control group, the kernel's. */
static void put_preempted(const struct row *rows, size_t n, struct text *out)
{
    FREED_BY(shares_free) struct shares shares = {0};

    for (const struct row *row = rows; row < rows + n; row++) {
        const char *kind = PARAM(row, "kind"), *group = PARAM(row, "group");
        const char *whose = group[0]                   ? TEXT_LINE("tasks of the control group %s", group)
                            : !strcmp(kind, "own")     ? "own threads"
                            : !strcmp(kind, "task")    ? "tasks"
                            : !strcmp(kind, "kthread") ? "kernel threads"
                                                       : NULL;
        if (whose && !strcmp(row->metric, "taken"))
            shares_add(&shares, whose, row->value);
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
    const double disturbed = value_of(rows, n, rows, "disturbed"), unseen = value_of(rows, n, rows, "unseen");
    const double stop_us = row_param_number(&rows->param, "stop_at_us");

    if (isfinite(stop_us) && !isfinite(row_param_number(&rows->param, "stopped_us")))
        text_printf(out, "\nNo detour was longer than %.10g us in %.3g s\n", stop_us, rows->wall_s);
    else if (row_param_is(&rows->param, "source", "proc"))
        text_printf(out,
                    "\nWho had CPU time, on the whole machine (from the kernel's counters: nothing was recorded)\n");
    else if (isfinite(disturbed))
        text_printf(out, "\nWho took the time: in %.3g s, detours of 1 us or more %.4f %%, %.4f %% not seen\n",
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
    struct timeline found = {0};
    size_t capacity = 0;
    double begun_us = NAN;

    for (const struct row *row = rows; row < rows + n && !found.end; row++) {
        found.length_us = row_param_number(&row->param, "stopped_us");
        begun_us = row_param_number(&row->param, "begun_us");
        found.end = isfinite(found.length_us) && isfinite(begun_us) ? row : NULL;
    }
    for (const struct row *row = rows; row < rows + n && found.end; row++)
        for (size_t k = 0; !strcmp(row->metric, "longest") && k < row->n_series; k++)
            if (GROW_ARRAY(found.of, capacity, found.n))
                found.of[found.n++] = (struct stay){
                    .us = row->series[k].at * 1e-3 - begun_us, .length_us = row->series[k].value * 1e-3, .row = row};
    if (found.of)
        SORT(found.of, found.n, earlier);
    return found;
}

/* Puts "CPU 0, the 662 us before: tokio-rt-worker 410, softirq NET_RX 200, not seen 52". */
static void put_sentence(const struct timeline *timeline, struct text *out)
{
    FREED_BY(shares_free) struct shares shares = {0};
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

bool noise_put_timeline(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column stay_columns[] = {
        {.title = "At us"}, {.title = "For us"}, {"Kind", .left = true}, {.title = "PID"}, {"Name", .left = true}};
    const struct timeline timeline = find_timeline(rows, n);
    FREED struct stay *stays = timeline.of;
    struct grid grid = {0};

    if (!stays)
        return false;
    text_printf(
        out,
        is_who(timeline.end)
            ? "\nWhat ran on CPU %s until its detour of %.1f us ended; times are from the start of that detour\n"
            : "\nWhat ran on CPU %s until a wake-up that was %.1f us late; times are from when it was due\n",
        PARAM(timeline.end, "worst_cpu"), timeline.length_us);
    GRID_COLUMNS(&grid, stay_columns);
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

/* Says which detour ended the run (--stop-at), and writes what ran before it to the file of --keep. */
static int finish(const struct measure *m, const void *options)
{
    const struct noise_params *params = options;
    const struct timeline timeline = find_timeline(m->rows, m->n_rows);
    FREED struct stay *stays = timeline.of;
    FREED_BY(text_free) struct text out = {0};

    if (!timeline.end)
        return EXIT_DONE;
    text_printf(&out, "cpu,at_us,us,kind,name,work,pid\n");
    for (const struct stay *stay = stays; stay < stays + timeline.n; stay++) /* names have no commas and quotes */
        text_printf(&out, "%s,%.3f,%.3f,%s,%s,%s,%s\n", PARAM(timeline.end, "worst_cpu"), stay->us, stay->length_us,
                    PARAM(stay->row, "kind"), PARAM(stay->row, "name"), PARAM(stay->row, "work"),
                    PARAM(stay->row, "pid"));
    const int status = params->keep[0] ? files_write(params->keep, false, &out) : 0;
    if (status)
        return status;
    return command_fail(EXIT_FINDING, "CPU %s had a detour of %.1f us, more than %.10g us",
                        PARAM(timeline.end, "worst_cpu"), timeline.length_us, (double)params->stop_ns * 1e-3);
}

#define NAMES_SHOWN 5u /* without -v */

static void print_who(const struct table_rows *r, struct text *out)
{
    static const struct grid_column who_columns[] = {{"Name", .left = true},
                                                     {"Kind", .left = true},
                                                     {"PID", .rank = 1},
                                                     {.title = "Times/s"},
                                                     {.title = "Time %"},
                                                     {.title = "Max us"},
                                                     {"CPUs", .left = true, .most = 24}};
    struct row *rows = r->copies;
    struct grid grid = {0};
    size_t n = 0, shown = 0;
    double rest = 0;

    for (size_t i = 0; i < r->n; i++)
        if (is_who(&r->rows[i]))
            rows[n++] = r->rows[i];
    if (!n)
        return;
    if (!noise_put_timeline(rows, n, r->table_width, out)) {
        put_title(rows, n, out);
        GRID_COLUMNS(&grid, who_columns);
        for (const struct row *row = rows; row < rows + n; row++) {
            if (strcmp(row->metric, "taken"))
                continue;
            if (shown++ >= NAMES_SHOWN && !r->verbose) {
                rest += row->value;
                continue;
            }
            grid_text(&grid, SHOWN_NAME(row));
            grid_text(&grid, SHOWN_KIND(row));
            const char *tasks = PARAM(row, "tasks");
            grid_text(&grid, tasks[0] ? TEXT_LINE("%s tasks", tasks) : PARAM(row, "pid"));
            grid_number(&grid, value_of(rows, n, row, "times"), 1);
            grid_number(&grid, row->value, 4);
            grid_number(&grid, value_of(rows, n, row, "longest") * 1e-3, 1);
            grid_text(&grid, row->cpus);
        }
        if (shown > NAMES_SHOWN && !r->verbose) {
            text_printf(grid_note(&grid), "and %zu more: %.4f %%", shown - NAMES_SHOWN, rest);
            out->left_out = true;
        }
        grid_print(&grid, r->table_width, out);
        if (table_is_whole(r) && row_param_is(&rows->param, "source", "perf"))
            put_preempted(rows, n, out);
    }
    table_put_reasons(rows, n, out);
}

/* --- The plan. --- */

static const struct option common_rows[] = {
    MEASURE_TIME_ROW("how long to measure; default: 5 s, 2 s with --quick, 60 s with --classic"),
};

static int plan(struct measure *m, void *options)
{
    struct noise_params *params = options;
    struct error error;

    if (noise_read_threshold(params, &error))
        return usage_error("%s", error.text);
    if (params->keep[0] && !params->stop_ns)
        return usage_error("--keep: it goes with --stop-at");
    if (files_check("--keep", params->keep))
        return EXIT_USAGE;
    if (!params->stop_ns)
        measure_item(m, &bench_noise, params, m->place.n_order, 0);
    plan_who(m, params);
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
    return row_sibling(line->lost, line->n, line->lost, metric);
}

/* The quietest first; room for as many lines as rows. */
static size_t rank_lines(const struct table_rows *r, struct line *lines)
{
    bool known = false;
    size_t n = 0;

    for_each_row(row, r) {
        if (strcmp(row->suite, bench_noise.suite) || !strcmp(row->test, bench_who.name))
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
    SORT(lines, n, quieter);
    return n;
}

/* Shallow copies in the order of the ranking, with the rank as first parameter. */
static size_t rank_rows(const struct line *lines, size_t n_lines, struct row *rows)
{
    size_t n = 0;

    for (size_t rank = 0; rank < n_lines; rank++)
        for (size_t i = 0; i < lines[rank].n; i++, n++) {
            rows[n] = lines[rank].lost[i];
            rows[n].param = (struct row_params){0};
            row_param_add(&rows[n].param, PARAM_OUTCOME, "rank", "%zu", rank + 1);
            row_params_append(&rows[n].param, &lines[rank].lost[i].param);
        }
    return n;
}

static const struct table_column columns[] = {
    KEY("Rank", "rank"),
    FIELD(CPUS),
    COLUMN("Loop ns", "loop", VALUE, 1, .rank = 6),
    COLUMN("Detours/s", "detours", VALUE, 1, .rank = 3),
    COLUMN("Lost %", "lost", VALUE, 4),
    COLUMN("Slower %", "slower", VALUE, 4, .optional = 1),
    COLUMN("Core %", "core_share", VALUE, 1, .optional = 1),
    COLUMN("Free %", "core_free", VALUE, 1, .optional = 1, .rank = 1),
    COLUMN("MHz", "core_mhz", VALUE, 0, .optional = 1, .rank = 1),
    COLUMN("Blind %", "blind", VALUE, 2, .rank = 6),
    FIELD(MIN, .rank = 6),
    FIELD(MEDIAN, .rank = 5),
    FIELD(P99, .rank = 3),
    FIELD(P999, .rank = 5),
    FIELD(MAX),
    COLUMN("Quota", "lost_quota", VALUE, 4, .optional = 1),
    COLUMN("Preempted", "lost_preempted", VALUE, 4),
    COLUMN("Fault", "lost_fault", VALUE, 4, .rank = 6),
    COLUMN("Migrated", "lost_migrated", VALUE, 4, .rank = 6),
    COLUMN("Interrupt", "lost_interrupt", VALUE, 4),
    COLUMN("Steal", "lost_steal", VALUE, 4, .rank = 3),
    COLUMN("Periodic", "lost_periodic", VALUE, 4, .rank = 1),
    COLUMN("Shared", "lost_core_shared", VALUE, 4, .rank = 4),
    COLUMN("Not seen", "lost_unexplained", VALUE, 4, .rank = 2),
};
static const struct table_column count_columns[] = {
    KEY("Rank", "rank"),
    FIELD(CPUS),
    COLUMN("Timer", "count_timer", VALUE, 1),
    COLUMN("Resched", "count_resched", VALUE, 1),
    COLUMN("IPI", "count_ipi", VALUE, 1),
    COLUMN("Device", "count_device", VALUE, 1),
    COLUMN("Softirq", "count_softirq", VALUE, 1),
};

static const struct table_layout detour_layout = {
    TABLE_OF("Noise, the quietest CPU first: detours in us, time lost by cause in %", columns), .metric = "detour",
    .scale = 1e-3, .decimals = 2};
static const struct table_layout count_layout = {TABLE_OF("Interrupts a second", count_columns), .no_status = 1};

static void put_quietest(const struct line *lines, size_t n, struct text *out)
{
    if (n < 2 || isnan(lines[0].lost->value) || strcmp(lines[0].lost->bind, "one"))
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
    char note[160];
    struct chart c = {"Lost time", .note = chart_strip_note(note, sizeof(note)), .x = {.unit = "us"}};

    for (const struct line *line = lines; line < lines + n; line++)
        chart_strip(&c, &(struct chart_entry){.row = line->lost, .label = TEXT_LINE("CPU %.18s", line->lost->cpus)});
    text_append(out, "\n", 1);
    chart_put_text(&c, width, out);
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

/* From the parameter periods=10ms:31us;... (31 us lost every 10 ms), of the noisiest CPU unless verbose. */
static void put_periods(const struct line *lines, size_t n, bool verbose, struct text *out)
{
    size_t shown = 0;

    for (size_t i = n; i-- > 0 && (verbose || !shown);) {
        shown = 0;
        double ms, us;
        const char *at = PARAM(lines[i].lost, "periods");
        while (at && sscanf(at, "%lfms:%lfus", &ms, &us) == 2) {
            if (!shown++)
                text_printf(out, "Periodic: CPU %.18s", lines[i].lost->cpus);
            text_printf(out, "%s every %g ms, %g us", shown > 1 ? ";" : "", ms, us);
            const char *next = strchr(at, ';');
            at = next ? next + 1 : NULL;
        }
        text_append(out, "\n", shown > 0);
    }
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED struct line *lines = calloc(r->n + 1, sizeof(*lines));
    struct row *rows = r->copies;

    if (!lines)
        return;
    size_t n_lines = rank_lines(r, lines), n = rank_rows(lines, n_lines, rows);
    if (n) {
        table_print(&detour_layout, rows, n, r->table_width, out);
        if (table_is_whole(r)) {
            put_quietest(lines, n_lines, out);
            put_periods(lines, n_lines, r->verbose, out);
        }
        text_append(out, "\n", r->verbose);
        if (r->verbose)
            table_print(&count_layout, rows, n, 0, out);
        out->left_out |= !r->verbose;
    }
    print_who(r, out);
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
            .title = "gaps on every CPU, and what caused them",
            .description = "A loop on each CPU, on all at once, only reads the clock. A turn that takes longer than "
                           "the threshold is a detour. Reports how many, how long, the time lost in them, and the "
                           "causes; ranks the CPUs, the quietest first.",
            COMMAND_MEASURES(suite_noise),
        },
    .seconds = {6, 3, 61},
    .options_size = sizeof(struct noise_params),
    .options = {{.bench = &bench_noise, .foreign = foreign_oslat}, SUITE_COMMON(common_rows)},
    .schedule = SCHEDULE_SEQUENCE,
    .plan = plan,
    .print = print,
    .finish = finish,
    .names_interferers = true,
};
