/* SPDX-License-Identifier: MIT */
/* jitbench wakeup. */
#include "bench/noise.h"

#include "cmd/latency.h"

struct wakeup_options {
    struct wakeup_params params;
    uint64_t threads; /* 0: one on each CPU */
    uint64_t loads;   /* indices in load_list */
    char command[OPTION_REST];
    uint64_t rates[N_LOADS];
    uint64_t loops; /* 0: --time says how long */
    int policy;
    bool smp, no_hold;
};

/* --- Options, with cyclictest's letters. --- */

/* The limits of --time, in ns. */
#define TIME_MIN 10e6
#define TIME_MAX (30 * 86400e9)

enum { POLICY_FIFO, POLICY_OTHER };

#define OWN(name_, letter_, member_, help_) OPTION(name_, letter_, struct wakeup_options, member_, help_)
static const struct option rows[] = {
    {OWN("interval", 'i', params.interval_ns, "time between two wake-ups; in microseconds if it has no unit"),
     OPTION_NUMBER(DURATION_US, "TIME", 50e3, 1e9), .preset = {"1000"}},
    {OWN("histogram", 'h', params.histogram_us,
         "end of the histogram in microseconds; wake-ups as late as that are counted as overflows"),
     OPTION_NUMBER(COUNT, "N", 1, WAKEUP_CLASSES), .preset = {"400"}},
    {OWN("stop-at", 'b', params.stop_ns,
         "end the run at the first wake-up that is later than this, with exit status 4; in microseconds if it has "
         "no unit"),
     OPTION_NUMBER(DURATION_US, "TIME", 1e3, 60e9), .aliases = "breaktrace"},
    {OWN("threads", 't', threads, "threads, each on a CPU of its own; 0: one on each CPU, the default"),
     OPTION_NUMBER(COUNT, "N", 0, 4096), .optional = "0", .follows = true},
    {OWN("smp", 'S', smp, "one thread on each CPU, whatever --threads says")},
    {OWN("mlockall", 'm', params.lock_memory,
         "lock memory with the normal policy too; with SCHED_FIFO it is always locked")},
    {OWN("no-hold-latency", 0, no_hold, "let idle CPUs sleep deeply: do not hold /dev/cpu_dma_latency at 0"),
     .aliases = "default-system"},
    {OWN("loops", 'l', loops, "end after so many wake-ups of each thread; 0: as --time says, which also ends it"),
     OPTION_NUMBER(COUNT, "N", 0, 1e12)},
    {OWN("policy", 'y', policy, "other: the same as --priority 0"), OPTION_EITHER("fifo|other", "fifo", "other")},
    {OWN("load", 'w', loads, "measure beside each of these loads of `jitbench latency`, one after the other"),
     OPTION_SOME_OF("LOAD,...", load_names), LOAD_REST(struct wakeup_options)},
};

static const struct option common_rows[] = {
    {OWN_OPTION("time", 'D', time_ns, "how long to measure; default: 10 s, 3 s with --quick, 60 s with --classic"),
     OPTION_NUMBER(DURATION, "TIME", TIME_MIN, TIME_MAX), .aliases = "duration seconds"},
    {OWN_OPTION("priority", 'p', fifo, "SCHED_FIFO priority; 0: normal policy; default: 80"),
     OPTION_NUMBER(INT, "PRIO", 0, 95), .aliases = "prio",
     .above = "96 to 98 are jitbench's own timing and control threads, 99 the kernel's", .capped = 99},
    {OWN_OPTION("affinity", 'a', cpus, "the same as --cpus"), CPUS_LIST, .optional = "all", .follows = true},
};

/* --- The plan. --- */

/* With the size of `jitbench latency`. */
static void set_load(const struct measure *m, struct plan_item *item, const struct load *load,
                     struct load_params params)
{
    struct latency_options defaults = {0};
    struct option_table tables[TABLES_MAX];
    struct error error;

    measure_tables(&suite_latency, &defaults, NULL, tables);
    option_defaults(tables, 1, m->preset, &error);
    const char *skip = latency_fill_load(m, &defaults, true, &params);
    if (load == &load_compile)
        params.file_bytes /= 2; /* the load compile uses two files of this size */
    if (load == &load_memload)
        item->skip = skip;
    plan_set_load(item, load, &params);
}

static int plan(struct measure *m, void *options)
{
    struct wakeup_options *o = options;
    const uint64_t threads = o->threads && !o->smp ? o->threads : m->place.n_order;

    o->params.who = m->options.who && o->params.stop_ns;
    o->params.priority = measure_given(m, "fifo")    ? (int)m->options.fifo
                         : o->policy == POLICY_OTHER ? 0
                                                     : WAKEUP_PRIORITY;
    if (measure_given(m, "policy") && (o->policy == POLICY_FIFO) != (o->params.priority > 0))
        return usage_error("--policy %s: the priority is %d; 0 is the normal policy, 1 to 95 SCHED_FIFO",
                           o->policy == POLICY_FIFO ? "fifo" : "other", o->params.priority);
    if (o->loops) {
        const double time_ns = (double)o->loops * (double)o->params.interval_ns;
        const double most_ns = measure_given(m, "time") ? (double)m->options.time_ns : TIME_MAX;
        if (time_ns < TIME_MIN || time_ns > TIME_MAX)
            return usage_error("--loops %" PRIu64 ": every %g us, that is not 10 ms to 720 h", o->loops,
                               (double)o->params.interval_ns * 1e-3);
        m->options.time_ns = (uint64_t)fmin(time_ns, most_ns);
    }
    if (o->params.interval_ns > measure_sampling(m, &bench_wakeup).time_ns)
        return usage_error("--interval: it is longer than the run (--time)");
    if (threads > m->place.n_order)
        return usage_error("--threads: there are not so many CPUs to measure on");
    struct load_params params = {0};
    if (latency_fill_command(m, o->loads, o->command, &params))
        return EXIT_USAGE;
    if (!o->loads)
        measure_item(m, &bench_wakeup, &o->params, threads, 0);
    for (size_t i = 0; load_list[i]; i++) {
        const struct load *load = load_list[i];
        if (!(o->loads & 1ull << i))
            continue;
        if (load == &load_video || load == &load_x || load == &load_custom)
            return usage_error(
                "--load: video, x and custom are simulated tasks, beside which `jitbench latency` measures");
        params.rate = o->rates[i];
        set_load(m, measure_item(m, &bench_wakeup, &o->params, threads, 0), load, params);
    }
    return 0;
}

static bool holds_latency(const void *options)
{
    return !((const struct wakeup_options *)options)->no_hold;
}

/* --- The worst of all CPUs. --- */

enum { WORST_MAX, WORST_P999 };
static const struct metrics_metric worst_metrics[] = {
    [WORST_MAX] = {"latency_max", "the latest wake-up of all CPUs", "ns", "lower", true},
    [WORST_P999] = {"latency_p999", "99.9th percentile of the latency, on the CPU where it is largest", "ns", "lower",
                    true},
};
static const struct metrics_test wakeup_worst = {
    METRICS_TEST("wakeup", "worst", "Wake-up latency of the worst CPU", worst_metrics)};

/* beside: NULL: any load. */
static bool is_latency(const struct row *row, const char *beside)
{
    return !strcmp(row->test, bench_wakeup.name) && !strcmp(row->metric, "latency") &&
           (!beside || !strcmp(row->load, beside));
}

static double worst_value(const struct row *row, size_t metric)
{
    return metric == WORST_MAX ? row->stats.max : row->stats.p999;
}

static void put_worst(struct measure *m, const struct row *of, size_t metric)
{
    const char *interval = ROW_PARAM(&of->param, "interval_us");
    struct row row;

    measure_made_row(m, &wakeup_worst, metric, &row);
    TEXT_SET(row.load, of->load);
    TEXT_SET(row.policy, of->policy);
    TEXT_SET(row.timer_latency_held, of->timer_latency_held);
    TEXT_SET(row.reason, of->reason);
    if (interval[0])
        row_param_add(&row.param, PARAM_WORK, "interval_us", "%s", interval);
    if (m->options.who)
        row_param_add(&row.param, PARAM_WORK, "who", "1");
    row_param_add(&row.param, PARAM_OUTCOME, "worst_cpu", "%s", of->cpus);
    row.rt_priority = of->rt_priority;
    row.status = of->status;
    row.copies = of->copies;
    row.value = worst_value(of, metric);
    measure_put_row(m, &row);
}

/* The first row of its load. */
static bool is_first(const struct row *all, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (is_latency(&all[i], all[at].load))
            return false;
    return is_latency(&all[at], NULL);
}

static void conclude(struct measure *m)
{
    const size_t n = m->n_rows;

    for (size_t i = 0; i < n; i++)
        for (size_t metric = 0; is_first(m->rows, i) && metric < wakeup_worst.n; metric++) {
            const struct row *worst = NULL; /* NULL: no value is known */
            for (const struct row *row = &m->rows[i]; row < m->rows + n; row++)
                if (is_latency(row, m->rows[i].load) && !isnan(worst_value(row, metric)) &&
                    (!worst || worst_value(row, metric) > worst_value(worst, metric)))
                    worst = row;
            if (worst)
                put_worst(m, worst, metric);
        }
}

/* --- Tables. --- */

static void put_table(const struct table_rows *r, struct text *out)
{
    char title[120] = "Wake-up latency in us", over[40] = "Over";
    const struct table_column columns[] = {
        FIELD(LOAD, .optional = 1),
        FIELD(CPUS),
        FIELD(N, .heading = "Wake-ups"),
        FIELD(MIN),
        FIELD(MEAN),
        FIELD(MEDIAN),
        FIELD(P99),
        FIELD(P999),
        FIELD(MAX),
        COLUMN(over, "overflows", VALUE, 0),
        COLUMN("Missed", "missed", VALUE, 0, .rank = 1),
    };
    const struct table_layout layout = {TABLE_OF(title, columns), .metric = "latency", .scale = 1e-3, .decimals = 1};

    for_each_row(row, r) {
        const double interval = row_param_number(&row->param, "interval_us");
        const double end = row_param_number(&row->param, "histogram_us");
        if (!is_latency(row, NULL) || !(interval > 0) || !(end > 0))
            continue;
        const char *policy = row->rt_priority > 0 ? TEXT_LINE("SCHED_FIFO %.0f", row->rt_priority) : "normal policy";
        TEXT_PRINT(title, "Wake-up latency in us: %s, every %g us", policy, interval);
        TEXT_PRINT(over, ">= %g us", end);
        break;
    }
    table_print(&layout, r->rows, r->n, r->table_width, out);
}

static void put_histograms(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t n = 0;
        if (!is_first(r->rows, i))
            continue;
        struct row all = r->rows[i];
        for_each_row(row, r)
            n += is_latency(row, all.load) ? row->n_hist : 0;
        all.hist = calloc(n + 1, sizeof(*all.hist));
        all.n_hist = 0;
        TEXT_SET(all.unit, "us");
        for_each_row(row, r)
            for (size_t b = 0; all.hist && is_latency(row, all.load) && b < row->n_hist; b++)
                all.hist[all.n_hist++] =
                    (struct stats_point){.at = floor(row->hist[b].at / WAKEUP_CLASS_NS), .value = row->hist[b].value};
        if (all.n_hist)
            text_printf(out, "\nWake-ups of all CPUs by latency%s%s (bars: logarithm of the count)\n",
                        all.load[0] ? " beside " : "", all.load);
        plot_histogram(&all, r->width, out);
        free(all.hist);
    }
}

static void print(const struct table_rows *r, struct text *out)
{
    put_table(r, out);
    noise_put_timeline(r->rows, r->n, r->table_width, out);
    if (r->pictures)
        put_histograms(r, out);
}

/* For --stop-at. Returns the exit status. */
static int finish(const struct measure *m, const void *options)
{
    const struct wakeup_options *o = options;
    int status = EXIT_DONE;

    for (size_t i = 0; i < m->n_rows; i++) {
        const double late_us = row_param_number(&m->rows[i].param, "stopped_us");
        if (!is_latency(&m->rows[i], NULL) || isnan(late_us))
            continue;
        status = command_fail(EXIT_FINDING, "CPU %.40s woke up %.1f us late, more than %g us", m->rows[i].cpus, late_us,
                              (double)o->params.stop_ns * 1e-3);
    }
    return status;
}

const struct suite suite_wakeup = {
    .command =
        {
            .name = "wakeup",
            .operands = "",
            .title = "lateness of a real-time timer on every CPU",
            .description =
                "On each CPU a thread with SCHED_FIFO sleeps until a time, again and again, and records how late it "
                "runs, as cyclictest does, whose letters keep their meaning (-i, -h and -m are not those of the other "
                "commands; --help prints this). /dev/cpu_dma_latency is held at 0 meanwhile.",
            COMMAND_MEASURES(suite_wakeup),
        },
    .seconds = {11, 4, 61},
    .options_size = sizeof(struct wakeup_options),
    .options = {{SUITE_ROWS(rows), .foreign = foreign_cyclictest}, SUITE_COMMON(common_rows)},
    .letters = "him",
    .schedule = SCHEDULE_SEQUENCE,
    .plan = plan,
    .holds_latency = holds_latency,
    .print = print,
    .conclude = conclude,
    .made = &wakeup_worst,
    .finish = finish,
};
