/* SPDX-License-Identifier: MIT */
/* The figures of jitbench report: a table, and the functions that draw each kind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sys/base.h"

#define PICKS_MAX    768u
#define PANELS_MAX   24u
#define OPEN_MAX     4u /* twice the number of panels shown at once if none is preferred; the others are folded */
#define PARTS_MAX    9u
#define LABEL_SIZE   64u
#define FIRST_EVENTS 500.0
#define METRICS_MAX  12u
#define SPLIT_MAX    4u

/* --- The figures. --- */

enum kind {
    KIND_FIRST,      /* first events of the series, a line */
    KIND_TRACE,      /* whole series, a line */
    KIND_SERIES,     /* whole series, dots */
    KIND_BODY,       /* the histogram without its tail */
    KIND_HISTOGRAM,  /* the kinds up to here have a panel for each work */
    KIND_CURVE,      /* value over x_metric, or over the number in the column param with the name `key` */
    KIND_BARS,       /* groups are works, a bar for each of parts[] */
    KIND_BARS_PARTS, /* groups are parts[], a bar for each work */
    KIND_INDEX,      /* a bar for each test */
    KIND_RANGES,     /* from minimum to maximum; if per_test, a panel for each test */
    KIND_STRIPS,
    KIND_STACKS,
};

enum label { LABEL_KEY, LABEL_LOAD, LABEL_TEST, LABEL_CPUS };

struct part {
    const char *metric, *name;
    unsigned colour;
};

struct report_figure {
    const char *suite, *test, *metric; /* which rows are drawn; test NULL: those of any test */
    enum kind kind;
    enum label label;
    const char *key;    /* key in param by which works differ */
    const char *prefer; /* value of key whose panel is not folded; NULL: none */
    const char *title, *note;
    struct {
        const char *title, *unit; /* NULL: the rows' unit, if the axis shows their values */
    } x, y;
    const char *x_metric;
    const char *split; /* KIND_CURVE: parameter with a line for each value */
    bool per_test, log;
    struct part parts[PARTS_MAX];
};

/* A work is what rows of several runs have in common: one test with the same parameters. */
#define FIGURE_OF(suite_, test_, metric_, kind_, label_) \
    .suite = suite_, .test = test_, .metric = metric_, .kind = kind_, .label = label_

/* The figures of Kot's thesis on very short experiments; put_experiments() fills in what differs between its tests. */
static const struct report_figure experiment_figures[] = {
    {.kind = KIND_FIRST, .title = "First 500 experiments", .x = {"Experiment", ""}, .y = {"Each took", NULL}},
    {.kind = KIND_SERIES,
     .title = "Longest over the whole run",
     .note = "the first 500 and the 2,000 longest",
     .x = {"Experiment", ""},
     .y = {"Each took", NULL}},
    {.kind = KIND_BODY,
     .title = "Distribution, the fastest 99.9 %",
     .x = {"An experiment took", NULL},
     .y = {"Experiments", ""}},
    {.kind = KIND_HISTOGRAM, .title = "Distribution, all", .x = {"An experiment took", NULL}, .y = {"Experiments", ""}},
    {.kind = KIND_CURVE, .note = "whiskers: 95 % interval of the mean", .y = {"Mean", NULL}},
    {.kind = KIND_BARS,
     .title = "Delays by size",
     .note = "above the mean of their run, in clock ticks; mean of the runs, 95 % interval",
     .y = {"Delays in a run", ""},
     .log = true,
     .parts = {{"delays_a", "A 150\342\200\223400", 6},
               {"delays_b", "B 400\342\200\2232k", 0},
               {"delays_c", "C 2k\342\200\2236k", 4},
               {"delays_d", "D >6k", 1}}},
    {.kind = KIND_BARS,
     .title = "Time spent in delays",
     .note = "above the mean of their run, in clock ticks; 95 % interval",
     .y = {"Share of all time", "%"},
     .parts = {{"delayed_400", "above 400", 0}, {"delayed_2000", "above 2000", 1}}},
};
static const struct experiment {
    const char *suite, *test, *key, *prefer, *x_title, *x_metric, *curve, *bars;
} experiments[] = {
    {"prime", "prime", "limit", "22", "Divisions in an experiment", "divisions", "Mean against divisions", "Limit"},
    {"stream", "array", "elements", "100", "Elements of 8 bytes", NULL, "Mean against array size", "Elements"},
};

static const struct report_figure figures[] = {
    {FIGURE_OF("noise", NULL, "lost", KIND_STRIPS, LABEL_CPUS), .title = "Time lost on each CPU, over time",
     .note = "colour: share of the time that was lost", .x = {"Since the start", "us"}},
    {FIGURE_OF("noise", NULL, "lost", KIND_STACKS, LABEL_CPUS), .title = "Where it went",
     .note = "the whole run, by cause", .x = {"Time lost", "%"},
     .parts = {{"lost_quota", "quota", 2},
               {"lost_preempted", "preempted", 1},
               {"lost_interrupt", "interrupt", 0},
               {"lost_steal", "steal", 3},
               {"lost_fault", "fault", 4},
               {"lost_migrated", "migrated", 2},
               {"lost_periodic", "periodic", 5},
               {"lost_core_shared", "core shared", 7},
               {"lost_unexplained", "not seen", 6}}},
    {FIGURE_OF("noise", NULL, "core_share", KIND_TRACE, LABEL_CPUS), .title = "Share of its core over time",
     .note = "below 100 %: somebody else used the core", .x = {"Since the start", "us"}, .y = {"The CPU had", NULL}},
    {FIGURE_OF("noise", NULL, "core_mhz", KIND_TRACE, LABEL_CPUS), .title = "Frequency of the core over time",
     .x = {"Since the start", "us"}, .y = {"Frequency", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_RANGES, LABEL_CPUS), .title = "Length of interruptions",
     .note = "line: minimum to maximum; dot: median; thick: median to p99", .x = {"An interruption took", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_SERIES, LABEL_CPUS), .title = "Interruptions over time",
     .note = "the first 500 and the 2,000 longest", .x = {"Since the start", "us"}, .y = {"Each took", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_HISTOGRAM, LABEL_CPUS), .title = "Interruptions by length",
     .x = {"An interruption took", NULL}, .y = {"Interruptions", ""}},
    {FIGURE_OF("noise", "who", "taken", KIND_STRIPS, LABEL_KEY), .title = "Who took the time, over time", .key = "name",
     .note = "colour: share of the time of all CPUs looked at; from a second window, in which it was recorded",
     .x = {"Since the start of that window", "us"}},
    {FIGURE_OF("wakeup", NULL, "latency", KIND_RANGES, LABEL_CPUS), .title = "Wake-up latency",
     .note = "line: minimum to maximum; dot: median; thick: median to p99", .x = {"Latency", NULL}},
    {FIGURE_OF("wakeup", NULL, "latency", KIND_HISTOGRAM, LABEL_CPUS), .title = "Wake-ups by latency",
     .note = "classes of 1 us", .x = {"Latency", NULL}, .y = {"Wake-ups", ""}},
    {FIGURE_OF("memory", "latency", "latency", KIND_CURVE, LABEL_KEY), .key = "set", .split = "chase",
     .title = "Time of a load by working set",
     .note = "huge and small: pages; in-page: small pages one after the other", .x = {"Working set", "bytes"},
     .y = {"A load took", NULL}},
    {FIGURE_OF("memory", "loaded", "loaded_latency", KIND_CURVE, LABEL_KEY),
     .title = "Time of a load while the other CPUs read", .x = {"The others read", "MB/s"}, .y = {"A load took", NULL},
     .x_metric = "loaded_bandwidth"},
    {FIGURE_OF("memory", "steady", "memory_probe", KIND_SERIES, LABEL_CPUS),
     .title = "256 loads from memory, each millisecond", .note = "the first 500 and the 2,000 longest",
     .x = {"Since the start", "us"}, .y = {"They took", NULL}},
    {FIGURE_OF("memory", "steady", "memory_probe", KIND_HISTOGRAM, LABEL_CPUS),
     .title = "256 loads from memory, by time", .x = {"They took", NULL}, .y = {"Probes", ""}},
    {FIGURE_OF("stream", "bandwidth", "copy_rate", KIND_BARS_PARTS, LABEL_KEY), .key = "stores",
     .title = "Memory bandwidth, STREAM-style", .note = "best of a run; by kind of stores", .x = {"Kernel", NULL},
     .y = {"Best rate", "MB/s"},
     .parts =
         {{"copy_rate", "Copy", 0}, {"scale_rate", "Scale", 0}, {"add_rate", "Add", 0}, {"triad_rate", "Triad", 0}}},
    {FIGURE_OF("unix", NULL, "rate", KIND_INDEX, LABEL_TEST), .title = "Index of each test",
     .note = "10 is the machine of 1995 that the index compares with", .x = {"Index", ""}},
    {FIGURE_OF("latency", NULL, "latency", KIND_RANGES, LABEL_LOAD), .per_test = true, .title = "Waking up to running",
     .note = "line: minimum to maximum; dot: median; thick: median to p99", .x = {"Latency", NULL}},
    {FIGURE_OF("latency", NULL, "latency", KIND_BARS, LABEL_LOAD), .per_test = true, .title = "Work done in time",
     .x = {"Load", NULL}, .y = {"Share of the work", "%"},
     .parts = {{"desired_cpu", "done", 6}, {"deadlines_met", "deadlines met", 0}}},
};

/* --- The rows of a figure. --- */

struct pick {
    const struct row *row;
    size_t run;
    char label[LABEL_SIZE]; /* of the work, the same in all runs */
};

struct picks {
    const struct report *report;
    const struct report_figure *about;
    struct pick *pick; /* PICKS_MAX elements */
    size_t n;
};

static void label_of(const struct report_figure *about, const struct row *row, char *buf, size_t size)
{
    size_t length = 0;
    const char *key = about->key ? row_param(&row->param, about->key, &length) : NULL;

    const char *const texts[] = {[LABEL_KEY] = key ? key : "",
                                 [LABEL_LOAD] = row->load[0] ? row->load : "none",
                                 [LABEL_TEST] = row->test,
                                 [LABEL_CPUS] = row->cpus[0] ? row->cpus : "?"};
    snprintf(buf, size, "%s%.*s", about->label == LABEL_CPUS ? "CPU " : "",
             about->label == LABEL_KEY && length < 40 ? (int)length : 40, texts[about->label]);
    if (about->label == LABEL_CPUS) /* the label names the CPU, and not the number of copies */
        return;
    if (row->copies > 1 && about->kind != KIND_BARS_PARTS)
        text_add(buf, size, " \xc3\x97%llu", (unsigned long long)row->copies);
    const char *copy = row_param(&row->param, "copy", &length);
    if (copy)
        text_add(buf, size, " #%.*s", (int)(length < 8 ? length : 8), copy);
}

static void collect(struct picks *picks)
{
    const struct report_figure *about = picks->about;
    const struct row_set *set = &picks->report->set;

    picks->n = 0;
    for (size_t i = 0; i < set->n && picks->n < PICKS_MAX; i++) {
        const struct row *row = &set->rows[i];
        size_t run = report_run_of(picks->report, row);
        if (run == picks->report->n_runs || strcmp(row->suite, about->suite) != 0 ||
            strcmp(row->metric, about->metric) != 0 || (about->test && strcmp(row->test, about->test) != 0))
            continue;
        if (about->kind == KIND_INDEX && !isfinite(row->index))
            continue;
        struct pick *pick = &picks->pick[picks->n++];
        pick->row = row;
        pick->run = run;
        label_of(about, row, pick->label, sizeof(pick->label));
    }
}

static int by_number(const void *a, const void *b)
{
    double x = strtod(*(const char *const *)a, NULL), y = strtod(*(const char *const *)b, NULL);
    return ORDER_OF(x, y);
}

/* label, test: NULL for any. An entry has the label of its work if by_work, otherwise the name of its run; its
 * colour is the number of its run. Sorted by label and run. */
static size_t take_entries(const struct picks *picks, const char *label, const char *test, bool by_work,
                           struct chart_entry *entries, size_t most)
{
    const char *labels[PICKS_MAX];
    size_t n = 0, n_labels = 0;

    for (size_t i = 0; i < picks->n; i++)
        if (!label || !strcmp(picks->pick[i].label, label))
            n_labels = report_distinct(labels, n_labels, picks->pick[i].label, PICKS_MAX);
    if (picks->about->label == LABEL_KEY && picks->about->kind != KIND_BARS_PARTS)
        qsort(labels, n_labels, sizeof(labels[0]), by_number);
    for (size_t l = 0; l < n_labels; l++)
        for (size_t run = 0; run < picks->report->n_runs; run++)
            for (size_t i = 0; i < picks->n && n < most; i++) {
                const struct pick *pick = &picks->pick[i];
                if (pick->run == run && !strcmp(pick->label, labels[l]) && (!test || !strcmp(pick->row->test, test)))
                    entries[n++] = (struct chart_entry){.row = pick->row,
                                                        .label = by_work ? pick->label : picks->report->name[run],
                                                        .colour = (unsigned)run};
            }
    return n;
}

/* --- Panels. --- */

/* title: memory for it. */
static struct chart chart_of(const struct report_figure *about, const struct row *row, const char *what, char *title,
                             size_t size)
{
    bool sideways = about->kind == KIND_BODY || about->kind == KIND_HISTOGRAM || about->kind == KIND_RANGES;

    snprintf(title, size, "%s%s%s", about->title, what[0] ? ": " : "", what);
    return (struct chart){
        .title = title,
        .note = about->note,
        .x = {.title = about->x.title,
              .unit = about->x.unit ? about->x.unit
                      : sideways    ? row->unit
                                    : ""},
        .y = {.title = about->y.title ? about->y.title : "", .unit = about->y.unit ? about->y.unit : row->unit}};
}

/* A colour for each run. */
static void put_work(const struct picks *picks, const char *label, struct text *out)
{
    const struct report_figure *about = picks->about;
    struct chart_entry entries[REPORT_RUNS_MAX * 4] = {0};
    size_t n = take_entries(picks, label, NULL, false, entries, REPORT_RUNS_MAX * 4);
    char title[256], what[128];

    snprintf(what, sizeof(what), "%s%s%s", about->label == LABEL_KEY ? about->key : "",
             about->label == LABEL_KEY ? " " : "", label);
    struct chart c = chart_of(about, entries[0].row, what, title, sizeof(title));
    if (about->kind == KIND_BODY || about->kind == KIND_HISTOGRAM)
        chart_histograms(&c, entries, n, about->kind == KIND_BODY);
    else
        chart_series(&c, entries, n, about->kind == KIND_FIRST ? FIRST_EVENTS : INFINITY, about->kind == KIND_SERIES);
    chart_put(&c, out);
}

/* Appends the preferred panel (if none is preferred, the first OPEN_MAX / 2) to out, the others to folded. */
static void put_works(const struct picks *picks, struct text *out, struct text *folded)
{
    const char *labels[PICKS_MAX];
    size_t n = 0, first = 0;

    for (size_t i = 0; i < picks->n; i++)
        n = report_distinct(labels, n, picks->pick[i].label, PANELS_MAX);
    for (size_t i = 0; i < n && picks->about->prefer; i++)
        first = strcmp(labels[i], picks->about->prefer) == 0 ? i : first;
    for (size_t i = 0; i < n; i++) {
        bool open = picks->about->prefer ? i == first : i < OPEN_MAX / 2;
        put_work(picks, labels[i], open ? out : folded);
    }
}

/* value: of the figure's split; NULL: any. */
static size_t take_points(const struct picks *picks, size_t run, const char *value, struct chart_value *out)
{
    const struct report_figure *about = picks->about;
    size_t n = 0;

    for (size_t i = 0; i < picks->n; i++) {
        const struct row *row = picks->pick[i].row, *x = row;
        if (picks->pick[i].run != run || (value && !row_param_is(&row->param, about->split, value)))
            continue;
        if (about->x_metric)
            x = report_sibling(picks->report, row, about->x_metric);
        out[n++] = (struct chart_value){.x = about->x_metric ? (x ? x->value : NAN)
                                             : about->key    ? row_param_number(&row->param, about->key)
                                                             : NAN,
                                        .value = row->stats.mean,
                                        .low = row->stats.ci95_lo,
                                        .high = row->stats.ci95_hi};
    }
    return n;
}

static void put_curve(const struct picks *picks, struct text *out)
{
    const char *split = picks->about->split;
    char labels[REPORT_RUNS_MAX * SPLIT_MAX][LABEL_SIZE + REPORT_NAME + 2], title[256], own[LABEL_SIZE];
    FREED_BY(memory_free) struct chart_value *values = memory_get(PICKS_MAX, sizeof(*values));
    FREED_BY(index_free) struct index splits = {0};
    struct chart c = chart_of(picks->about, picks->pick[0].row, "", title, sizeof(title));
    size_t length;

    for (size_t i = 0; i < picks->n && split && splits.n < SPLIT_MAX; i++) {
        const char *word = row_param(&picks->pick[i].row->param, split, &length);
        if (!word)
            continue;
        snprintf(own, sizeof(own), "%.*s", (int)length, word);
        index_enter(&splits, own);
    }
    if (!splits.n)
        index_enter(&splits, "");
    for (size_t i = 0; i < picks->report->n_runs * splits.n; i++) {
        const size_t run = i / splits.n;
        const char *value = splits.name[i % splits.n];
        const bool named = picks->report->n_runs > 1 || !value[0];
        const size_t n = take_points(picks, run, value[0] ? value : NULL, values);
        snprintf(labels[i], sizeof(labels[i]), "%s%s%.60s", named ? picks->report->name[run] : "",
                 named && value[0] ? " " : "", value);
        if (n)
            chart_curve(&c, labels[i], (unsigned)(i % HTML_COLOURS), values, n);
    }
    chart_put(&c, out);
}

/* --- Bars. --- */

static size_t count_parts(const struct report_figure *about)
{
    size_t n = 0;

    while (n < PARTS_MAX && about->parts[n].metric)
        n++;
    return n;
}

static struct chart_value part_of(const struct picks *picks, const struct chart_entry *entry, size_t part)
{
    const struct row *row = report_sibling(picks->report, entry->row, picks->about->parts[part].metric);

    return row ? (struct chart_value){NAN, row->value, row->stats.ci95_lo, row->stats.ci95_hi}
               : (struct chart_value){NAN, NAN, NAN, NAN};
}

/* A group for each entry, a bar for each part; the other way round unless works_across. */
static void put_matrix(const struct picks *picks, const struct chart_entry *entries, size_t n, bool works_across,
                       const char *what, struct text *out)
{
    const struct report_figure *about = picks->about;
    const size_t n_parts = count_parts(about), n_keys = works_across ? n_parts : n;
    const char *categories[PICKS_MAX];
    char title[256];
    struct chart c = chart_of(about, entries[0].row, what, title, sizeof(title));
    double least = INFINITY;

    c.category = categories;
    c.n_categories = works_across ? n : n_parts;
    c.y.steps = 6;
    c.y.scale = about->log ? CHART_LOG : CHART_LINEAR;
    if (!works_across && about->kind == KIND_BARS)
        c.x.title = "Size above the mean (clock ticks)";
    for (size_t i = 0; i < c.n_categories; i++)
        categories[i] = works_across ? entries[i].label : about->parts[i].name;
    for (size_t k = 0; k < n_keys; k++)
        chart_key(&c, works_across ? about->parts[k].name : entries[k].label,
                  works_across ? about->parts[k].colour : entries[k].colour);
    for (size_t i = 0; i < c.n_categories * n_keys; i++) {
        const size_t category = i / n_keys, key = i % n_keys;
        const struct chart_value v =
            works_across ? part_of(picks, &entries[category], key) : part_of(picks, &entries[key], category);
        least = v.value > 0 ? fmin(least, v.value) : least;
        chart_bar(&c, category, key, &v);
    }
    if (about->log && c.y.found) /* so that the least bar can be seen */
        chart_extend(&c.y, fmin(isfinite(least) ? least / 2 : 1, 0.5));
    chart_put(&c, out);
}

/* All runs side by side, for the preferred work, otherwise the first. */
static void put_bars_by_run(const struct picks *picks, const struct chart_entry *all, size_t n, struct text *out)
{
    struct chart_entry entries[HTML_COLOURS];
    const char *work = all[0].label;
    size_t used = 0;
    char what[128];

    for (size_t i = 0; i < n && picks->about->prefer; i++)
        work = strcmp(all[i].label, picks->about->prefer) == 0 ? all[i].label : work;
    for (size_t i = 0; i < n && used < HTML_COLOURS; i++)
        if (!strcmp(all[i].label, work)) {
            entries[used] = all[i];
            entries[used++].label = picks->report->name[all[i].colour];
        }
    snprintf(what, sizeof(what), "%s %.60s", picks->about->key, work);
    put_matrix(picks, entries, used, false, what, out);
}

static void put_bars_of_run(const struct picks *picks, const struct chart_entry *all, size_t n, size_t run,
                            const char *test, struct text *out)
{
    bool across = picks->about->kind != KIND_BARS_PARTS, several = picks->report->n_runs > 1;
    struct chart_entry entries[CHART_LINES_MAX];
    size_t used = 0;
    char what[128];

    for (size_t i = 0; i < n; i++)
        if (all[i].colour == run)
            entries[used++] = all[i];
    /* put_bars_by_run() has drawn the bars if there is only one label. */
    if (!used || (used == 1 && picks->about->kind == KIND_BARS && !test))
        return;
    snprintf(what, sizeof(what), "%.60s%s%s", test ? test : "", test && several ? ", " : "",
             several ? picks->report->name[run] : "");
    for (size_t i = 0; i < used && !across; i++)
        entries[i].colour = (unsigned)(i ? i + 3 : 0) % HTML_COLOURS; /* colours that do not suggest a run */
    put_matrix(picks, entries, across || used <= HTML_COLOURS ? used : HTML_COLOURS, across, what, out);
}

static void put_bars(const struct picks *picks, const char *test, struct text *out)
{
    struct chart_entry all[CHART_LINES_MAX] = {0};
    size_t n = take_entries(picks, NULL, test, true, all, CHART_LINES_MAX);
    bool one_work = true;

    for (size_t i = 1; i < n; i++)
        one_work = one_work && !strcmp(all[i].label, all[0].label);
    if (n > 0 && picks->about->kind == KIND_BARS && !test && (one_work || picks->report->n_runs > 1))
        put_bars_by_run(picks, all, n, out);
    for (size_t run = 0; run < picks->report->n_runs; run++)
        put_bars_of_run(picks, all, n, run, test, out);
}

/* --- Figures with a line for each entry. --- */

#define PROTOCOLS_SIZE (REPORT_RUNS_MAX * (REPORT_NAME + ROW_PROTOCOL_SIZE + 4))

/* "stable protocol", or if runs differ "box: stable protocol, other: classic protocol". */
static void name_protocols(const struct report *report, char *buf, size_t size)
{
    char protocol[REPORT_RUNS_MAX][ROW_PROTOCOL_SIZE] = {""};
    FREED_BY(text_free) struct text out = {0};
    bool differ = false;

    for (size_t run = 0; run < report->n_runs; run++) {
        for (const struct row *row = NULL; (row = report_next(report, run, row));)
            if (!strcmp(row->suite, "unix") && !strcmp(row->metric, "index"))
                row_protocol(&row->param, protocol[run]);
        differ = differ || strcmp(protocol[0], protocol[run]) != 0;
    }
    for (size_t run = 0; run < report->n_runs && differ; run++)
        if (protocol[run][0])
            text_printf(&out, "%s%s: %s", out.length ? ", " : "", report->name[run], protocol[run]);
    text_copy(buf, size, differ && out.data ? out.data : protocol[0]);
}

static void put_lines(const struct picks *picks, const char *test, struct text *out)
{
    const struct report_figure *about = picks->about;
    struct chart_entry entries[CHART_LINES_MAX] = {0};
    char labels[CHART_LINES_MAX][LABEL_SIZE + REPORT_NAME], protocols[PROTOCOLS_SIZE], title[256 + PROTOCOLS_SIZE];
    size_t n = take_entries(picks, NULL, test, true, entries, CHART_LINES_MAX);

    if (n == 0)
        return;
    protocols[0] = '\0';
    if (about->kind == KIND_INDEX)
        name_protocols(picks->report, protocols, sizeof(protocols));
    struct chart c = chart_of(about, entries[0].row, test ? test : protocols, title, sizeof(title));
    const size_t n_parts = about->kind == KIND_STACKS ? count_parts(about) : 0;
    for (size_t i = 0; i < picks->n && about->kind == KIND_RANGES; i++) { /* panels share the axis */
        chart_extend(&c.x, picks->pick[i].row->stats.min);
        chart_extend(&c.x, picks->pick[i].row->stats.max);
    }
    for (size_t p = 0; p < n_parts; p++)
        chart_key(&c, about->parts[p].name, about->parts[p].colour);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        /* The lines of several runs have the run in their labels, because colour alone is not accessible. */
        if (picks->report->n_runs > 1) {
            snprintf(labels[i], sizeof(labels[i]), "%.62s %s", entries[i].label,
                     picks->report->name[entries[i].colour]);
            entries[i].label = labels[i];
        }
        if (about->kind == KIND_INDEX) {
            /* Rows have value and interval of the rate, so the interval is scaled to the index. */
            const double scale = row->index / row->value;
            chart_length(
                &c, &entries[i],
                &(struct chart_value){NAN, row->index, row->stats.ci95_lo * scale, row->stats.ci95_hi * scale});
        } else if (about->kind == KIND_RANGES) {
            chart_range(&c, &entries[i]);
        } else if (about->kind == KIND_STRIPS) {
            chart_strip(&c, &entries[i]);
        } else {
            double parts[PARTS_MAX];
            for (size_t p = 0; p < n_parts; p++)
                parts[p] = part_of(picks, &entries[i], p).value;
            chart_stack(&c, &entries[i], parts);
        }
    }
    chart_put(&c, out);
}

static void put_figure(const struct picks *picks, struct text *out, struct text *folded)
{
    const enum kind kind = picks->about->kind;
    const char *tests[PANELS_MAX] = {NULL};
    size_t n = !picks->about->per_test;

    if (kind < KIND_CURVE)
        put_works(picks, out, folded);
    else if (kind == KIND_CURVE)
        put_curve(picks, out);
    for (size_t i = 0; picks->about->per_test && i < picks->n; i++)
        n = report_distinct(tests, n, picks->pick[i].row->test, PANELS_MAX);
    for (size_t i = 0; i < n && kind > KIND_CURVE; i++)
        if (kind == KIND_BARS || kind == KIND_BARS_PARTS)
            put_bars(picks, tests[i], out);
        else
            put_lines(picks, tests[i], out);
}

/* --- Suites without figures of their own. --- */

/* Rows of one metric of a suite, in the order of the tables. */
static size_t take_metric(const struct report *report, const char *suite, const char *metric,
                          struct chart_entry *entries, char (*labels)[LABEL_SIZE + REPORT_NAME])
{
    static const struct report_figure by_test = {.label = LABEL_TEST};
    size_t groups[CHART_LINES_MAX], n = 0;
    bool shared = false; /* two rows have the same label although they are not the same measurement */

    for (size_t i = 0; i < report->set.n && n < CHART_LINES_MAX; i++) {
        const struct row *row = &report->set.rows[report->order[i].row];
        size_t run = report_run_of(report, row);
        if (run == report->n_runs || strcmp(row->suite, suite) != 0 || strcmp(row->metric, metric) != 0)
            continue;
        label_of(&by_test, row, labels[n], LABEL_SIZE);
        groups[n] = report->order[i].group;
        entries[n] = (struct chart_entry){.row = row, .label = labels[n], .colour = (unsigned)run};
        for (size_t k = 0; k < n; k++)
            shared = shared || (groups[k] != groups[n] && !strcmp(labels[k], labels[n]));
        n++;
    }
    for (size_t i = 0; i < n && shared; i++)
        report_label(report, entries[i].row, labels[i], LABEL_SIZE);
    /* The run comes first, because the end of a long label is cut off. */
    for (size_t i = 0; i < n && report->n_runs > 1; i++) {
        char label[LABEL_SIZE];
        text_copy(label, sizeof(label), labels[i]);
        snprintf(labels[i], sizeof(labels[i]), "%s: %s", report->name[entries[i].colour], label);
    }
    return n;
}

/* If all samples are equal, a sentence says the value in place of a figure. */
static bool is_constant(const struct chart_entry *entries, size_t n)
{
    const double first = entries[0].row->value;

    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        if (row->value != first || (row->stats.n && (row->stats.min != first || row->stats.max != first)))
            return false;
    }
    return true;
}

static void put_generic(const struct report *report, const char *suite, struct text *out, struct text *constant)
{
    const struct row_set *set = &report->set;
    const char *metrics[METRICS_MAX];
    struct chart_entry entries[CHART_LINES_MAX];
    FREED_BY(memory_free) char(*labels)[LABEL_SIZE + REPORT_NAME] = memory_get(CHART_LINES_MAX, sizeof(*labels));
    FREED_BY(text_free) struct text shown = {0};
    char title[256];
    size_t n_metrics = 0;

    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->rows[i].suite, suite) && set->rows[i].metric[0])
            n_metrics = report_distinct(metrics, n_metrics, set->rows[i].metric, METRICS_MAX);
    for (size_t m = 0; m < n_metrics; m++) {
        size_t n = take_metric(report, suite, metrics[m], entries, labels);
        if (!n)
            continue;
        const struct row *first = entries[0].row;
        const char *words = metrics_title(report->metrics, first);
        if (is_constant(entries, n)) {
            html_put(constant, "%s%s %s", constant->length ? ", " : "", metrics[m],
                     UNITS_VALUE(first->value, first->unit));
            continue;
        }
        snprintf(title, sizeof(title), "%s%s%s", metrics[m], words == metrics[m] ? "" : ": ",
                 words == metrics[m] ? "" : words);
        struct chart c = {.title = title,
                          .note = "dots: samples; bar: median; line: 95 % interval of the mean",
                          .x = {.title = metrics[m], .unit = first->unit}};
        for (size_t i = 0; i < n; i++)
            chart_samples(&c, &entries[i]);
        chart_put(&c, &shown);
    }
    if (shown.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", shown.data);
}

/* --- All figures of a suite. --- */

static void put_folded(struct text *folded, struct text *out)
{
    if (folded->length)
        text_printf(out, "<details><summary>More of these figures</summary><div class=\"grid\">\n%s</div></details>\n",
                    folded->data);
    text_free(folded);
}

/* Draws one entry of the table; the figures of a test have its title as heading. */
static void put_about(struct picks *picks, const struct report_figure *about, const char **test, struct text *shown,
                      struct text *folded)
{
    picks->about = about;
    collect(picks);
    if (picks->n == 0)
        return;
    if (!about->test && !shown->length)
        text_printf(shown, "<div class=\"grid\">\n");
    if (about->test && (!*test || strcmp(*test, about->test) != 0)) {
        if (shown->length) {
            text_printf(shown, "</div>\n");
            put_folded(folded, shown);
        }
        html_put(shown, "<h3>%s</h3>\n<div class=\"grid\">\n",
                 metrics_test_title(picks->report->metrics, about->suite, about->test));
        *test = about->test;
    }
    put_figure(picks, shown, folded);
}

static void put_experiments(struct picks *picks, const struct experiment *of, const char **test, struct text *shown,
                            struct text *folded)
{
    for (size_t i = 0; i < COUNT(experiment_figures); i++) {
        struct report_figure about = experiment_figures[i];
        about.suite = of->suite;
        about.test = of->test;
        about.metric = "cycles";
        about.key = of->key;
        if (about.kind < KIND_CURVE)
            about.prefer = of->prefer;
        if (about.kind == KIND_CURVE) {
            about.title = of->curve;
            about.x.title = of->x_title;
            about.x.unit = "";
            about.x_metric = of->x_metric;
        }
        if (about.kind == KIND_BARS)
            about.x.title = of->bars;
        put_about(picks, &about, test, shown, folded);
    }
}

void report_put_figures(const struct report *report, const char *suite, struct text *out)
{
    FREED_BY(memory_free) struct pick *pick = memory_get(PICKS_MAX, sizeof(*pick));
    struct picks picks = {.report = report, .pick = pick};
    FREED_BY(text_free) struct text shown = {0}, folded = {0}, constant = {0};
    const char *test = NULL;
    bool known = false;

    for (size_t i = 0; i < COUNT(experiments); i++)
        if (!strcmp(experiments[i].suite, suite)) {
            known = true;
            put_experiments(&picks, &experiments[i], &test, &shown, &folded);
        }
    for (size_t i = 0; i < COUNT(figures); i++)
        if (!strcmp(figures[i].suite, suite)) {
            known = true;
            put_about(&picks, &figures[i], &test, &shown, &folded);
        }
    if (shown.length)
        text_printf(out, "%s</div>\n", shown.data);
    put_folded(&folded, out);
    if (!known)
        put_generic(report, suite, out, &constant);
    if (constant.length)
        text_printf(out, "<p class=\"soft\">The same in all samples, so without a figure: %s.</p>\n", constant.data);
}

/* --- Times of commands over their parameters (run --parameter-list and --parameter-scan). --- */

#define POINTS_MAX 768u
#define LINES_MAX  16u
#define TIME_LABEL 160u

/* The time of a command with one value of the parameter. */
struct point {
    const struct row *row;
    size_t run;
    double x;
    char label[TIME_LABEL]; /* of its line */
};

struct curve {
    const struct report *report;
    const char *key; /* the parameter, in braces: "{NAME}" */
    struct point *points;
    size_t n;
};

/* NAN: not there, or no number. */
static double number_of(const struct row *row, const char *key)
{
    size_t length;
    const char *value = row_param(&row->param, key, &length);
    char *end = NULL;
    const double number = value ? strtod(value, &end) : NAN;

    return value && length && end == value + length && isfinite(number) ? number : NAN;
}

static bool is_time(const struct report *report, const struct row *row)
{
    return !strcmp(row->suite, "run") && !strcmp(row->metric, "wall") && isfinite(row->stats.mean) &&
           report_run_of(report, row) < report->n_runs;
}

/* No points when one of the values is no number. */
static void take_times(struct curve *curve)
{
    const struct row_set *set = &curve->report->set;
    size_t length;

    for (size_t i = 0; i < set->n && curve->n < POINTS_MAX; i++) {
        const struct row *row = &set->rows[i];
        if (!is_time(curve->report, row) || !row_param(&row->param, curve->key, &length))
            continue;
        const struct point point = {
            .row = row, .run = report_run_of(curve->report, row), .x = number_of(row, curve->key)};
        if (isnan(point.x)) {
            curve->n = 0;
            return;
        }
        curve->points[curve->n++] = point;
    }
}

/* --- Lines. --- */

/* The name of a command with "{NAME}" in place of the parameter's value. */
static void put_template(const struct row *row, const char *key, struct text *out)
{
    size_t length = 0;
    const char *value = row_param(&row->param, key, &length);

    for (const char *at = row->test; *at;) {
        const bool here = !strncmp(at, value, length);
        text_append(out, here ? key : at, here ? strlen(key) : 1);
        at += here ? length : 1;
    }
}

/* The run, the command, and the values of the other parameters. */
static void label_time(const struct curve *curve, const struct point *point, bool as_template, char buf[TIME_LABEL])
{
    const struct row *row = point->row;
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    const size_t n_keys = row_params_varied(&row->param, keys, 0);
    FREED_BY(text_free) struct text out = {0};
    size_t length;

    if (curve->report->n_runs > 1)
        text_printf(&out, "%s: ", curve->report->name[point->run]);
    if (as_template)
        put_template(row, curve->key, &out);
    else
        text_printf(&out, "%s", row->test);
    for (size_t i = 0; i < n_keys; i++) {
        const char *value = row_param(&row->param, keys[i], &length);
        if (strcmp(keys[i], curve->key) != 0)
            text_printf(&out, ", %.*s=%.*s", (int)strlen(keys[i]) - 2, keys[i] + 1, (int)length, value);
    }
    if (row->copies > 1)
        text_printf(&out, " \xc3\x97%llu", (unsigned long long)row->copies);
    text_copy(buf, TIME_LABEL, out.data ? out.data : "");
}

static bool has_other(const struct curve *curve, const struct point *point)
{
    for (size_t i = 0; i < curve->n; i++)
        if (fabs(curve->points[i].x - point->x) > 0 && !strcmp(curve->points[i].label, point->label))
            return true;
    return false;
}

/* They are of other commands of the same name. */
static size_t count_same(const struct curve *curve, size_t at)
{
    size_t n = 0;

    for (size_t i = 0; i < at; i++)
        n += !(fabs(curve->points[i].x - curve->points[at].x) > 0) &&
             !strcmp(curve->points[i].label, curve->points[at].label);
    return n;
}

/* If --name contains the parameter, the names of the tests in a line differ. So a label that no point at another x
 * has is made anew, with "{NAME}" in place of the value. */
static void label_points(struct curve *curve)
{
    FREED_BY(memory_free) char(*other)[TIME_LABEL] = memory_get(curve->n, sizeof(*other));

    for (size_t i = 0; i < curve->n; i++)
        label_time(curve, &curve->points[i], false, curve->points[i].label);
    for (size_t i = 0; i < curve->n; i++)
        if (!has_other(curve, &curve->points[i]))
            label_time(curve, &curve->points[i], true, other[i]);
    for (size_t i = 0; i < curve->n; i++)
        if (other[i][0])
            text_copy(curve->points[i].label, TIME_LABEL, other[i]);
    for (size_t i = curve->n; i-- > 0;) { /* from the end, because count_same() needs the labels of the points before */
        const size_t same = count_same(curve, i);
        if (same)
            text_add(curve->points[i].label, TIME_LABEL, ", command %zu", same + 1);
    }
}

static size_t take_parameter_line(const struct curve *curve, const char *name, struct chart_value *values)
{
    size_t n = 0;

    for (size_t i = 0; i < curve->n; i++) {
        const struct point *point = &curve->points[i];
        if (!strcmp(point->label, name))
            values[n++] = (struct chart_value){.x = point->x,
                                               .value = point->row->stats.mean,
                                               .low = point->row->stats.ci95_lo,
                                               .high = point->row->stats.ci95_hi};
    }
    return n;
}

static void put_parameter_curve(const struct curve *curve, struct text *out)
{
    FREED_BY(memory_free) struct chart_value *values = memory_get(POINTS_MAX, sizeof(*values));
    const char *names[POINTS_MAX];
    size_t n_names = 0;
    char x_title[ROW_VARIED_SIZE];

    for (size_t i = 0; i < curve->n; i++)
        n_names = report_distinct(names, n_names, curve->points[i].label, POINTS_MAX);
    text_copy(x_title, sizeof(x_title), curve->key + 1);
    x_title[strcspn(x_title, "}")] = '\0';
    const char *first = n_names > LINES_MAX ? TEXT_LINE("the first %u lines of %zu; ", LINES_MAX, n_names) : "";
    struct chart c = {.title = TEXT_LINE("Wall-clock time by %s", x_title),
                      .note = TEXT_LINE("%swhiskers: 95 %% interval of the mean", first),
                      .x = {.title = x_title},
                      .y = {.title = "Mean", .unit = curve->points[0].row->unit}};
    for (size_t l = 0; l < n_names && l < LINES_MAX; l++)
        chart_curve(&c, names[l], (unsigned)(l % HTML_COLOURS), values, take_parameter_line(curve, names[l], values));
    chart_put(&c, out);
}

/* --- All parameters. --- */

void report_put_parameters(const struct report *report, struct text *out)
{
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    FREED_BY(memory_free) struct point *points = memory_get(POINTS_MAX, sizeof(*points));
    FREED_BY(text_free) struct text charts = {0};
    size_t n_keys = 0;

    for (size_t i = 0; i < report->set.n; i++)
        if (is_time(report, &report->set.rows[i]))
            n_keys = row_params_varied(&report->set.rows[i].param, keys, n_keys);
    for (size_t i = 0; i < n_keys; i++) {
        struct curve curve = {.report = report, .key = keys[i], .points = points};
        take_times(&curve);
        if (!curve.n)
            continue;
        label_points(&curve);
        put_parameter_curve(&curve, &charts);
    }
    if (charts.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", charts.data);
}
