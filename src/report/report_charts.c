/* SPDX-License-Identifier: MIT */
/* The figures of jitbench report: a table, and the functions that draw each kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sys/base.h"

#define PICKS_MAX    768u
#define PANELS_MAX   24u
#define OPEN_MAX     2u /* panels shown at once if none is preferred; the others are folded */
#define PARTS_MAX    9u
#define FIRST_EVENTS 500.0
#define METRICS_MAX  12u
#define LINES_MAX    (4 * REPORT_RUNS_MAX) /* of curves in a chart */

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
    const char *key;          /* key in param by which works differ */
    const char *prefer;       /* value of key whose panel is not folded; NULL: none */
    const char *title, *note; /* note NULL: that of the kind */
    struct {
        const char *title, *unit; /* NULL: the rows' unit, if the axis shows their values */
    } x, y;                       /* x without a title: time since the start, in us */
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
    {.kind = KIND_SERIES, .title = "Longest over the whole run", .x = {"Experiment", ""}, .y = {"Each took", NULL}},
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
     .note = "colour: share of the time that was lost"},
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
     .note = "below 100 %: somebody else used the core", .y = {"The CPU had", NULL}},
    {FIGURE_OF("noise", NULL, "core_mhz", KIND_TRACE, LABEL_CPUS), .title = "Frequency of the core over time",
     .y = {"Frequency", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_RANGES, LABEL_CPUS), .title = "Length of interruptions",
     .x = {"An interruption took", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_SERIES, LABEL_CPUS), .title = "Interruptions over time",
     .y = {"Each took", NULL}},
    {FIGURE_OF("noise", NULL, "detour", KIND_HISTOGRAM, LABEL_CPUS), .title = "Interruptions by length",
     .x = {"An interruption took", NULL}, .y = {"Interruptions", ""}},
    {FIGURE_OF("noise", "who", "taken", KIND_STRIPS, LABEL_KEY), .title = "Who took the time, over time", .key = "name",
     .note = "colour: share of the time of all CPUs looked at; from a second window, in which it was recorded",
     .x = {"Since the start of that window", "us"}},
    {FIGURE_OF("wakeup", NULL, "latency", KIND_RANGES, LABEL_CPUS), .title = "Wake-up latency", .x = {"Latency", NULL}},
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
     .title = "256 loads from memory, each millisecond", .y = {"They took", NULL}},
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
     .x = {"Latency", NULL}},
    {FIGURE_OF("latency", NULL, "latency", KIND_BARS, LABEL_LOAD), .per_test = true, .title = "Work done in time",
     .x = {"Load", NULL}, .y = {"Share of the work", "%"},
     .parts = {{"desired_cpu", "done", 6}, {"deadlines_met", "deadlines met", 0}}},
};

/* --- The rows of a figure. --- */

struct picks {
    const struct report *report;
    const struct report_figure *about;
    struct index *texts;              /* labels */
    struct chart_entry of[PICKS_MAX]; /* labelled by their works; the colour is the run */
    size_t n;
    const char *label[PICKS_MAX]; /* of works, each once */
    size_t n_labels;
};

static const char *keep(struct index *texts, const char *text)
{
    const size_t number = index_enter(texts, text);
    return texts->name[number];
}

/* Of a work, the same in all runs. */
static const char *label_of(const struct report_figure *about, const struct row *row, struct index *texts)
{
    FREED_BY(text_free) struct text out = {0};
    size_t length = 0;
    const char *key = about->key ? row_param(&row->param, about->key, &length) : NULL;
    const char *const words[] = {[LABEL_KEY] = key ? key : "",
                                 [LABEL_LOAD] = row->load[0] ? row->load : "none",
                                 [LABEL_TEST] = row->test,
                                 [LABEL_CPUS] = row->cpus[0] ? row->cpus : "?"};

    text_printf(&out, "%s%.*s", about->label == LABEL_CPUS ? "CPU " : "",
                about->label == LABEL_KEY && length < 40 ? (int)length : 40, words[about->label]);
    if (about->label != LABEL_CPUS) { /* which names the CPU, and not the number of copies */
        const char *copy = row_param(&row->param, "copy", &length);
        if (row->copies > 1 && about->kind != KIND_BARS_PARTS)
            text_printf(&out, " \xc3\x97%llu", (unsigned long long)row->copies);
        if (copy)
            text_printf(&out, " #%.*s", (int)(length < 8 ? length : 8), copy);
    }
    return keep(texts, out.data);
}

static int by_number(const void *a, const void *b)
{
    double x = strtod(*(const char *const *)a, NULL), y = strtod(*(const char *const *)b, NULL);
    return ORDER_OF(x, y);
}

static void collect(struct picks *picks)
{
    const struct report_figure *about = picks->about;
    const struct row_set *set = &picks->report->set;

    picks->n = picks->n_labels = 0;
    for (size_t i = 0; i < set->n && picks->n < PICKS_MAX; i++) {
        const struct row *row = &set->rows[i];
        const size_t run = report_run_of(picks->report, row);
        if (run == picks->report->n_runs || strcmp(row->suite, about->suite) != 0 ||
            strcmp(row->metric, about->metric) != 0 || (about->test && strcmp(row->test, about->test) != 0) ||
            (about->kind == KIND_INDEX && !isfinite(row->index)))
            continue;
        const char *label = label_of(about, row, picks->texts);
        picks->of[picks->n++] = (struct chart_entry){.row = row, .label = label, .colour = (unsigned)run};
        picks->n_labels = report_distinct(picks->label, picks->n_labels, label, PICKS_MAX);
    }
    if (about->label == LABEL_KEY && about->kind != KIND_BARS_PARTS)
        qsort(picks->label, picks->n_labels, sizeof(picks->label[0]), by_number);
}

/* test: NULL for any. The entries of one label have the names of their runs, those of all (NULL) their own. Sorted by
 * label and run. */
static size_t take_entries(const struct picks *picks, const char *label, const char *test, struct chart_entry *entries,
                           size_t most)
{
    size_t n = 0;

    for (size_t l = 0; l < picks->n_labels; l++)
        for (size_t run = 0; run < picks->report->n_runs; run++)
            for (size_t i = 0; i < picks->n && n < most; i++) {
                const struct chart_entry *pick = &picks->of[i];
                if (pick->colour != run || pick->label != picks->label[l] || (label && pick->label != label) ||
                    (test && strcmp(pick->row->test, test) != 0))
                    continue;
                entries[n] = *pick;
                entries[n++].label = label ? picks->report->name[run] : pick->label;
            }
    return n;
}

/* --- Panels. --- */

static struct chart chart_of(const struct report_figure *about, const struct row *row, const char *title)
{
    const bool sideways = about->kind == KIND_BODY || about->kind == KIND_HISTOGRAM || about->kind == KIND_RANGES;
    static const char *const notes[KIND_STACKS + 1] = {
        [KIND_SERIES] = "the first 500 and the 2,000 longest",
        [KIND_RANGES] = "line: minimum to maximum; dot: median; thick: median to p99"};
    const char *unit = sideways ? row->unit : about->x.title ? "" : "us";

    return (struct chart){
        .title = title,
        .note = about->note ? about->note : notes[about->kind],
        .x = {.title = about->x.title ? about->x.title : "Since the start",
              .unit = about->x.unit ? about->x.unit : unit},
        .y = {.title = about->y.title ? about->y.title : "", .unit = about->y.unit ? about->y.unit : row->unit}};
}

/* A colour for each run. */
static void put_work(const struct picks *picks, const char *label, struct text *out)
{
    const struct report_figure *about = picks->about;
    const char *key = about->label == LABEL_KEY ? TEXT_LINE("%s ", about->key) : "";
    struct chart_entry entries[REPORT_RUNS_MAX * 4];
    const size_t n = take_entries(picks, label, NULL, entries, COUNT(entries));
    struct chart c = chart_of(about, entries[0].row, TEXT_LINE("%s: %s%s", about->title, key, label));

    if (about->kind == KIND_BODY || about->kind == KIND_HISTOGRAM)
        chart_histograms(&c, entries, n, about->kind == KIND_BODY);
    else
        chart_series(&c, entries, n, about->kind == KIND_FIRST ? FIRST_EVENTS : INFINITY, about->kind == KIND_SERIES);
    chart_put(&c, out);
}

/* Appends the preferred panel (if none is preferred, the first OPEN_MAX) to out, the others to folded. */
static void put_works(const struct picks *picks, struct text *out, struct text *folded)
{
    const size_t n = picks->n_labels < PANELS_MAX ? picks->n_labels : PANELS_MAX;
    const char *prefer = picks->about->prefer;
    size_t first = 0;

    for (size_t i = 0; i < n && prefer; i++)
        first = strcmp(picks->label[i], prefer) == 0 ? i : first;
    for (size_t i = 0; i < n; i++)
        put_work(picks, picks->label[i], (prefer ? i == first : i < OPEN_MAX) ? out : folded);
}

/* A line for each different label. x: of each point; NAN: not known. */
static void put_curves(struct chart *c, const struct chart_entry *points, const double *x, size_t n, size_t most,
                       struct text *out)
{
    FREED_BY(memory_free) struct chart_value *values = memory_get(n, sizeof(*values));
    FREED_BY(index_free) struct index lines = {0};

    for (size_t i = 0; i < n; i++) {
        size_t used = 0;
        if (index_find(&lines, points[i].label) != SIZE_MAX || lines.n == most)
            continue;
        index_enter(&lines, points[i].label);
        for (size_t k = i; k < n; k++) {
            const struct stats_summary *s = &points[k].row->stats;
            if (!strcmp(points[k].label, points[i].label))
                values[used++] = (struct chart_value){x[k], s->mean, s->ci95_lo, s->ci95_hi};
        }
        chart_curve(c, points[i].label, points[i].colour % HTML_COLOURS, values, used);
    }
    chart_put(c, out);
}

static void put_curve(const struct picks *picks, struct text *out)
{
    const struct report_figure *about = picks->about;
    struct chart c = chart_of(about, picks->of[0].row, about->title);
    FREED_BY(index_free) struct index lines = {0};
    struct chart_entry points[PICKS_MAX];
    double x[PICKS_MAX];
    size_t length = 0;

    for (size_t i = 0; i < picks->n; i++) {
        const struct row *row = picks->of[i].row;
        const unsigned run = picks->of[i].colour;
        const struct row *across = about->x_metric ? report_sibling(picks->report, row, about->x_metric) : NULL;
        const char *word = about->split ? row_param(&row->param, about->split, &length) : NULL;
        const char *name = picks->report->n_runs > 1 || !word ? picks->report->name[run] : "";
        const size_t line = index_enter(
            &lines, TEXT_LINE("%s%s%.*s", name, word && name[0] ? " " : "", word ? (int)length : 0, word ? word : ""));
        points[i] =
            (struct chart_entry){.row = row, .label = lines.name[line], .colour = word ? run + (unsigned)line : run};
        x[i] = across ? across->value : about->x_metric ? NAN : row_param_number(&row->param, about->key);
    }
    put_curves(&c, points, x, picks->n, LINES_MAX, out);
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
    struct chart c = chart_of(about, entries[0].row, TEXT_LINE("%s%s%s", about->title, what[0] ? ": " : "", what));
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

/* All runs side by side for the first work, then each run with all works. */
static void put_bars(const struct picks *picks, const char *test, struct text *out)
{
    const bool across = picks->about->kind == KIND_BARS, several = picks->report->n_runs > 1;
    struct chart_entry all[CHART_LINES_MAX], entries[CHART_LINES_MAX];
    const size_t n = take_entries(picks, NULL, test, all, CHART_LINES_MAX);
    size_t used = 0;

    for (size_t i = 0; i < n && used < HTML_COLOURS && across && !test && (several || picks->n_labels == 1); i++)
        if (all[i].label == all[0].label) {
            entries[used] = all[i];
            entries[used++].label = picks->report->name[all[i].colour];
        }
    if (used)
        put_matrix(picks, entries, used, false, TEXT_LINE("%s %.60s", picks->about->key, all[0].label), out);
    for (size_t run = 0; run < picks->report->n_runs; run++) {
        used = 0;
        for (size_t i = 0; i < n; i++)
            if (all[i].colour == run)
                entries[used++] = all[i];
        if (!used || (used == 1 && across && !test)) /* one work is drawn already */
            continue;
        for (size_t i = 0; i < used && !across; i++)
            entries[i].colour = (unsigned)(i ? i + 3 : 0) % HTML_COLOURS; /* colours that do not suggest a run */
        put_matrix(picks, entries, across || used <= HTML_COLOURS ? used : HTML_COLOURS, across,
                   TEXT_LINE("%.60s%s%s", test ? test : "", test && several ? ", " : "",
                             several ? picks->report->name[run] : ""),
                   out);
    }
}

/* --- Figures with a line for each entry. --- */

/* "stable protocol", or if runs differ "box: stable protocol, other: classic protocol". */
static void put_protocols(const struct report *report, struct text *out)
{
    char protocol[REPORT_RUNS_MAX][ROW_PROTOCOL_SIZE] = {""};
    const char *before = "";
    bool differ = false;

    for (size_t run = 0; run < report->n_runs; run++) {
        for_each_row_of_run(row, report, run)
            if (!strcmp(row->suite, "unix") && !strcmp(row->metric, "index"))
                row_protocol(&row->param, protocol[run]);
        differ = differ || strcmp(protocol[0], protocol[run]) != 0;
    }
    for (size_t run = 0; run < report->n_runs && differ; run++)
        if (protocol[run][0]) {
            text_printf(out, "%s%s: %s", before, report->name[run], protocol[run]);
            before = ", ";
        }
    text_printf(out, "%s", differ ? "" : protocol[0]);
}

static void put_lines(const struct picks *picks, const char *test, struct text *out)
{
    const struct report_figure *about = picks->about;
    struct chart_entry entries[CHART_LINES_MAX];
    FREED_BY(text_free) struct text what = {0};
    const size_t n = take_entries(picks, NULL, test, entries, CHART_LINES_MAX);

    if (n == 0)
        return;
    text_printf(&what, "%s", test ? test : "");
    if (about->kind == KIND_INDEX)
        put_protocols(picks->report, &what);
    struct chart c =
        chart_of(about, entries[0].row, TEXT_LINE("%s%s%s", about->title, what.length ? ": " : "", what.data));
    const size_t n_parts = about->kind == KIND_STACKS ? count_parts(about) : 0;
    for (size_t i = 0; i < picks->n && about->kind == KIND_RANGES; i++) { /* panels share the axis */
        chart_extend(&c.x, picks->of[i].row->stats.min);
        chart_extend(&c.x, picks->of[i].row->stats.max);
    }
    for (size_t p = 0; p < n_parts; p++)
        chart_key(&c, about->parts[p].name, about->parts[p].colour);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        /* The lines of several runs have the run in their labels, because colour alone is not accessible. */
        if (picks->report->n_runs > 1)
            entries[i].label =
                keep(picks->texts, TEXT_LINE("%.62s %s", entries[i].label, picks->report->name[entries[i].colour]));
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

/* --- Suites without figures of their own. --- */

/* Rows of one metric of a suite, in the order of the tables. */
static size_t take_metric(const struct report *report, const char *suite, const char *metric,
                          struct chart_entry *entries, struct index *texts)
{
    static const struct report_figure by_test = {.label = LABEL_TEST};
    size_t groups[CHART_LINES_MAX], n = 0;
    bool shared = false; /* two rows have the same label although they are not the same measurement */

    for (size_t i = 0; i < report->set.n && n < CHART_LINES_MAX; i++) {
        const struct row *row = &report->set.rows[report->order[i].row];
        const size_t run = report_run_of(report, row);
        if (run == report->n_runs || strcmp(row->suite, suite) != 0 || strcmp(row->metric, metric) != 0)
            continue;
        groups[n] = report->order[i].group;
        entries[n] = (struct chart_entry){.row = row, .label = label_of(&by_test, row, texts), .colour = (unsigned)run};
        for (size_t k = 0; k < n; k++)
            shared = shared || (groups[k] != groups[n] && entries[k].label == entries[n].label);
        n++;
    }
    for (size_t i = 0; i < n; i++) {
        char label[64];
        text_copy(label, sizeof(label), entries[i].label);
        if (shared)
            report_label(report, entries[i].row, label, sizeof(label));
        /* The run comes first, because the end of a long label is cut off. */
        const char *run = report->n_runs > 1 ? TEXT_LINE("%s: ", report->name[entries[i].colour]) : "";
        entries[i].label = keep(texts, TEXT_LINE("%s%s", run, label));
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

static void put_generic(const struct report *report, const char *suite, struct index *texts, struct text *out)
{
    const struct row_set *set = &report->set;
    const char *metrics[METRICS_MAX];
    struct chart_entry entries[CHART_LINES_MAX];
    FREED_BY(text_free) struct text shown = {0}, constant = {0};
    size_t n_metrics = 0;

    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->rows[i].suite, suite) && set->rows[i].metric[0])
            n_metrics = report_distinct(metrics, n_metrics, set->rows[i].metric, METRICS_MAX);
    for (size_t m = 0; m < n_metrics; m++) {
        const size_t n = take_metric(report, suite, metrics[m], entries, texts);
        if (!n)
            continue;
        const struct row *first = entries[0].row;
        const char *words = metrics_title(report->metrics, first);
        if (is_constant(entries, n)) {
            html_put(&constant, "%s%s %s", constant.length ? ", " : "", metrics[m],
                     UNITS_VALUE(first->value, first->unit));
            continue;
        }
        const char *colon = words == metrics[m] ? "" : ": ";
        struct chart c = {.title = TEXT_LINE("%s%s%s", metrics[m], colon, words == metrics[m] ? "" : words),
                          .note = "dots: samples; bar: median; line: 95 % interval of the mean",
                          .x = {.title = metrics[m], .unit = first->unit}};
        for (size_t i = 0; i < n; i++)
            chart_samples(&c, &entries[i]);
        chart_put(&c, &shown);
    }
    if (shown.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", shown.data);
    if (constant.length)
        text_printf(out, "<p class=\"soft\">The same in all samples, so without a figure: %s.</p>\n", constant.data);
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
static void put_figure(struct picks *picks, const struct report_figure *about, const char **test, struct text *shown,
                       struct text *folded)
{
    const char *tests[PANELS_MAX] = {NULL};
    size_t n = !about->per_test;

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
    for (size_t i = 0; about->per_test && i < picks->n; i++)
        n = report_distinct(tests, n, picks->of[i].row->test, PANELS_MAX);
    if (about->kind < KIND_CURVE)
        put_works(picks, shown, folded);
    else if (about->kind == KIND_CURVE)
        put_curve(picks, shown);
    for (size_t i = 0; i < n && about->kind > KIND_CURVE; i++)
        if (about->kind == KIND_BARS || about->kind == KIND_BARS_PARTS)
            put_bars(picks, tests[i], shown);
        else
            put_lines(picks, tests[i], shown);
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
        about.prefer = of->prefer;
        if (about.kind == KIND_CURVE) {
            about.title = of->curve;
            about.x.title = of->x_title;
            about.x.unit = "";
            about.x_metric = of->x_metric;
        }
        if (about.kind == KIND_BARS)
            about.x.title = of->bars;
        put_figure(picks, &about, test, shown, folded);
    }
}

void report_put_figures(const struct report *report, const char *suite, struct text *out)
{
    FREED_BY(index_free) struct index texts = {0};
    FREED_BY(text_free) struct text shown = {0}, folded = {0};
    struct picks picks = {.report = report, .texts = &texts};
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
            put_figure(&picks, &figures[i], &test, &shown, &folded);
        }
    if (shown.length)
        text_printf(out, "%s</div>\n", shown.data);
    put_folded(&folded, out);
    if (!known)
        put_generic(report, suite, &texts, out);
}

/* --- Times of commands over their parameters (run --parameter-list and --parameter-scan). --- */

#define POINTS_MAX      768u
#define LINES_OF_A_PAGE 16u

/* Points: the time of a command with one value of the parameter. */
struct times {
    const struct report *report;
    const char *key;        /* the parameter, in braces: "{NAME}" */
    struct chart_entry *of; /* labelled by their lines; POINTS_MAX */
    double x[POINTS_MAX];
    size_t n;
    struct index texts; /* labels */
};

static bool is_time(const struct report *report, const struct row *row)
{
    return !strcmp(row->suite, "run") && !strcmp(row->metric, "wall") && isfinite(row->stats.mean) &&
           report_run_of(report, row) < report->n_runs;
}

/* The run, the command (as_template: with "{NAME}" in place of the parameter's value in its name), and the values of
 * the other parameters. */
static const char *label_time(struct times *times, const struct chart_entry *point, bool as_template)
{
    const struct row *row = point->row;
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    const size_t n_keys = row_params_varied(&row->param, keys, 0);
    FREED_BY(text_free) struct text out = {0};
    size_t length = 0;
    const char *value = row_param(&row->param, times->key, &length);

    if (times->report->n_runs > 1)
        text_printf(&out, "%s: ", times->report->name[point->colour]);
    for (const char *at = row->test; *at;) {
        const bool here = as_template && !strncmp(at, value, length);
        text_append(&out, here ? times->key : at, here ? strlen(times->key) : 1);
        at += here ? length : 1;
    }
    for (size_t i = 0; i < n_keys; i++) {
        value = row_param(&row->param, keys[i], &length);
        if (strcmp(keys[i], times->key) != 0)
            text_printf(&out, ", %.*s=%.*s", (int)strlen(keys[i]) - 2, keys[i] + 1, (int)length, value);
    }
    if (row->copies > 1)
        text_printf(&out, " \xc3\x97%llu", (unsigned long long)row->copies);
    return keep(&times->texts, out.data ? out.data : "");
}

/* Points before `end` with the label of this one, at its x or at another. */
static size_t count_alike(const struct times *times, size_t at, size_t end, bool same_x)
{
    size_t n = 0;

    for (size_t i = 0; i < end; i++)
        n += times->of[i].label == times->of[at].label && same_x == !(fabs(times->x[i] - times->x[at]) > 0);
    return n;
}

/* If --name contains the parameter, the names of the tests in a line differ. So a label that no point at another x
 * has is made anew, with "{NAME}" in place of the value. Those that still share label and x are of other commands of
 * the same name. */
static void label_points(struct times *times)
{
    const char *labels[POINTS_MAX];

    for (size_t i = 0; i < times->n; i++)
        times->of[i].label = label_time(times, &times->of[i], false);
    for (size_t i = 0; i < times->n; i++)
        labels[i] =
            count_alike(times, i, times->n, false) ? times->of[i].label : label_time(times, &times->of[i], true);
    for (size_t i = 0; i < times->n; i++)
        times->of[i].label = labels[i];
    for (size_t i = times->n; i-- > 0;) { /* from the end: it needs the labels of the points before */
        const size_t same = count_alike(times, i, i, true);
        if (same)
            times->of[i].label = keep(&times->texts, TEXT_LINE("%s, command %zu", labels[i], same + 1));
    }
}

/* Nothing when one of the values is no number. */
static void put_parameter(struct times *times, struct text *out)
{
    const struct row_set *set = &times->report->set;
    FREED_BY(index_free) struct index lines = {0};
    size_t length;

    times->n = 0;
    for (size_t i = 0; i < set->n && times->n < POINTS_MAX; i++) {
        const struct row *row = &set->rows[i];
        const char *value = is_time(times->report, row) ? row_param(&row->param, times->key, &length) : NULL;
        if (!value)
            continue;
        char *end;
        times->x[times->n] = strtod(value, &end);
        if (!length || end != value + length || !isfinite(times->x[times->n]))
            return;
        times->of[times->n++] = (struct chart_entry){.row = row, .colour = (unsigned)report_run_of(times->report, row)};
    }
    if (!times->n)
        return;
    label_points(times);
    for (size_t i = 0; i < times->n; i++)
        times->of[i].colour = (unsigned)index_enter(&lines, times->of[i].label);
    const char *name = TEXT_LINE("%.*s", (int)strcspn(times->key + 1, "}"), times->key + 1);
    const char *first =
        lines.n > LINES_OF_A_PAGE ? TEXT_LINE("the first %u lines of %zu; ", LINES_OF_A_PAGE, lines.n) : "";
    struct chart c = {.title = TEXT_LINE("Wall-clock time by %s", name),
                      .note = TEXT_LINE("%swhiskers: 95 %% interval of the mean", first),
                      .x = {.title = name},
                      .y = {.title = "Mean", .unit = times->of[0].row->unit}};
    put_curves(&c, times->of, times->x, times->n, LINES_OF_A_PAGE, out);
}

void report_put_parameters(const struct report *report, struct text *out)
{
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    FREED_BY(text_free) struct text charts = {0};
    FREED_BY(memory_free) struct chart_entry *of = memory_get(POINTS_MAX, sizeof(*of));
    struct times times = {.report = report, .of = of};
    size_t n_keys = 0;

    for (size_t i = 0; i < report->set.n; i++)
        if (is_time(report, &report->set.rows[i]))
            n_keys = row_params_varied(&report->set.rows[i].param, keys, n_keys);
    for (size_t i = 0; i < n_keys; i++) {
        times.key = keys[i];
        put_parameter(&times, &charts);
    }
    if (charts.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", charts.data);
    index_free(&times.texts);
}
