/* SPDX-License-Identifier: MIT */
/* A table of the report's charts, and how the rows of each become marks. */

#include "report/report.h"

#define PICKS_MAX       768u
#define PANELS_MAX      24u
#define OPEN_MAX        2u /* panels not folded if none is preferred */
#define PARTS_MAX       9u
#define METRICS_MAX     12u
#define LINES_MAX       (4 * REPORT_RUNS_MAX) /* of curves in a chart */
#define LINES_OF_A_PAGE 16u                   /* of those over a parameter of commands */

/* --- The charts. --- */

enum mark {
    MARK_SERIES,    /* a panel for each work */
    MARK_HISTOGRAM, /* likewise */
    MARK_CURVE,     /* value over x_metric, or over the number in the column param with the name `key` */
    MARK_BARS,      /* groups are works, with a bar for each of parts[]; by_part: the other way round */
    MARK_LINES,     /* a line each, drawn by `line` */
};

enum label { LABEL_KEY, LABEL_LOAD, LABEL_TEST, LABEL_CPUS };

struct part {
    const char *metric, *name;
    unsigned colour;
};

/* A work is what rows of several runs have in common: one test with the same parameters. */
struct chart_spec {
    const char *suite, *test, *metric; /* which rows are drawn; test NULL: those of any test */
    enum mark mark;
    enum label label;
    const char *key; /* key in param by which works differ */
    double prefer;   /* value of key whose panels are not folded; 0: none */
    const char *title, *note;
    struct {
        const char *title, *unit; /* unit NULL: the rows' */
    } x, y;                       /* x without a title: time since the start, in us */
    const char *x_metric;
    const char *split; /* MARK_CURVE: parameter with a line for each value */
    enum { STAT_MEAN, STAT_MEDIAN, STAT_MIN } stat;
    void (*line)(struct chart *c, const struct chart_entry *entry);
    bool share;                  /* chart_range: under it the load's share */
    bool first, dots;            /* MARK_SERIES: 500 in a row; not a line */
    bool body;                   /* MARK_HISTOGRAM: without the tail */
    bool by_part, per_test, log; /* per_test: a panel for each test; log: bars, or the x axis of a curve */
    struct part parts[PARTS_MAX];
};

#define CHART(suite_, test_, metric_, mark_, label_) \
    .suite = suite_, .test = test_, .metric = metric_, .mark = mark_, .label = label_
#define SERIES_NOTE "the first 500 and the 2,000 longest"
#define RANGE_NOTE  "line: minimum to maximum; dot: median; thick: median to p99"
#define DELAYS_NOTE "above the mean of their run, in clock ticks; "
#define LEVEL_NOTE  "of each block of experiments"
#define SERIES_CHART(title_, ...) \
    .mark = MARK_SERIES, .title = title_, .x = {"Experiment", ""}, .y = {"Each took"}, __VA_ARGS__
#define BODY_CHART(title_, body_) \
    .mark = MARK_HISTOGRAM, .title = title_, .x = {"An experiment took"}, .y = {"Experiments", ""}, .body = body_
#define CURVE_CHART(title_, y_, ...) .mark = MARK_CURVE, .title = title_, .y = {y_}, __VA_ARGS__
#define SHARE_CHART(limit_) \
    .mark = MARK_CURVE, .metric = "delayed_" limit_, .title = "Time in delays over " limit_, \
    .note = DELAYS_NOTE "95 % interval", .y = {"Share of all time", "%"}, .log = true

/* The charts of Kot's thesis; put_experiments() fills in what differs between its tests. */
static const struct chart_spec experiment_charts[] = {
    {SERIES_CHART("500 experiments in a row", .first = true)},
    {SERIES_CHART("Longest over the whole run", .dots = true, .note = "500 in a row and the 2,000 longest")},
    {BODY_CHART("Distribution, the fastest 99.9 %", true)},
    {BODY_CHART("Distribution, all", false)},
    {SERIES_CHART("Median over the whole run", .metric = "cycles_level", .note = LEVEL_NOTE)},
    {SERIES_CHART("Minimum over the whole run", .metric = "cycles_floor", .note = LEVEL_NOTE)},
    {CURVE_CHART("Mean", "Mean", .note = "whiskers: 95 % interval of the mean")},
    {CURVE_CHART("90 % interval", "Half-width", .metric = "cycles_ci90", .log = true,
                 .note = "of the mean of one run, over its experiments: half of its width")},
    {CURVE_CHART("Median", "Median", .stat = STAT_MEDIAN, .note = "of all experiments")},
    {CURVE_CHART("Minimum", "Minimum", .stat = STAT_MIN, .note = "of all experiments")},
    {SHARE_CHART("400")},
    {SHARE_CHART("2000")},
    {.mark = MARK_BARS,
     .title = "Delays by size",
     .note = DELAYS_NOTE "mean of the runs, 95 % interval",
     .y = {"Delays in a run", ""},
     .log = true,
     .parts = {{"delays_a", "A 150\342\200\223400", 6},
               {"delays_b", "B 400\342\200\2232k", 0},
               {"delays_c", "C 2k\342\200\2236k", 4},
               {"delays_d", "D >6k", 1}}},
    {.mark = MARK_BARS,
     .title = "Time spent in delays",
     .note = DELAYS_NOTE "95 % interval",
     .y = {"Share of all time", "%"},
     .parts = {{"delayed_400", "above 400", 0}, {"delayed_2000", "above 2000", 1}}},
};
static const struct experiment_chart {
    const char *suite, *test, *key, *x_title, *x_metric, *curve, *bars;
    double prefer;
} experiments[] = {
    {"prime", "prime", "limit", "Divisions in an experiment", "divisions", "divisions", "Limit", 22},
    {"stream", "array", "elements", "Elements of 8 bytes", NULL, "array size", "Elements", 100},
};

static const struct chart_spec suite_charts[] = {
    {CHART("noise", NULL, "lost", MARK_LINES, LABEL_CPUS), .title = "Time lost on each CPU, over time",
     .note = "colour: share of the time that was lost", .line = chart_strip},
    {CHART("noise", NULL, "lost", MARK_LINES, LABEL_CPUS), .title = "Where it went", .note = "the whole run, by cause",
     .x = {"Time lost", "%"}, .line = chart_stack,
     .parts = {{"lost_quota", "quota", 2},
               {"lost_preempted", "preempted", 1},
               {"lost_interrupt", "interrupt", 0},
               {"lost_steal", "steal", 3},
               {"lost_fault", "fault", 4},
               {"lost_migrated", "migrated", 2},
               {"lost_periodic", "periodic", 5},
               {"lost_core_shared", "core shared", 7},
               {"lost_unexplained", "not seen", 6}}},
    {CHART("noise", NULL, "core_share", MARK_SERIES, LABEL_CPUS), .title = "Share of its core over time",
     .note = "below 100 %: somebody else used the core", .y = {"The CPU had"}},
    {CHART("noise", NULL, "core_mhz", MARK_SERIES, LABEL_CPUS), .title = "Frequency of the core over time",
     .y = {"Frequency"}},
    {CHART("noise", NULL, "detour", MARK_LINES, LABEL_CPUS), .title = "Length of interruptions", .note = RANGE_NOTE,
     .x = {"An interruption took"}, .line = chart_range},
    {CHART("noise", NULL, "detour", MARK_SERIES, LABEL_CPUS), .title = "Interruptions over time", .note = SERIES_NOTE,
     .y = {"Each took"}, .dots = true},
    {CHART("noise", NULL, "detour", MARK_HISTOGRAM, LABEL_CPUS), .title = "Interruptions by length",
     .x = {"An interruption took"}, .y = {"Interruptions", ""}},
    {CHART("noise", "who", "taken", MARK_LINES, LABEL_KEY), .title = "Who took the time, over time", .key = "name",
     .note = "colour: share of the time of all CPUs looked at; from a second window, in which it was recorded",
     .x = {"Since the start of that window", "us"}, .line = chart_strip},
    {CHART("wakeup", NULL, "latency", MARK_LINES, LABEL_CPUS), .title = "Wake-up latency", .note = RANGE_NOTE,
     .x = {"Latency"}, .line = chart_range},
    {CHART("wakeup", NULL, "latency", MARK_HISTOGRAM, LABEL_CPUS), .title = "Wake-ups by latency",
     .note = "classes of 1 us", .x = {"Latency"}, .y = {"Wake-ups", ""}},
    {CHART("memory", "latency", "latency", MARK_CURVE, LABEL_KEY), .key = "set", .split = "chase",
     .title = "Time of a load by working set",
     .note = "huge and small: pages; in-page: small pages one after the other", .x = {"Working set", "bytes"},
     .y = {"A load took"}},
    {CHART("memory", "loaded", "loaded_latency", MARK_CURVE, LABEL_KEY),
     .title = "Time of a load while the other CPUs read", .x = {"The others read", "MB/s"}, .y = {"A load took"},
     .x_metric = "loaded_bandwidth"},
    {CHART("memory", "steady", "memory_probe", MARK_SERIES, LABEL_CPUS),
     .title = "256 loads from memory, each millisecond", .note = SERIES_NOTE, .y = {"They took"}, .dots = true},
    {CHART("memory", "steady", "memory_probe", MARK_HISTOGRAM, LABEL_CPUS), .title = "256 loads from memory, by time",
     .x = {"They took"}, .y = {"Probes", ""}},
    {CHART("stream", "bandwidth", "copy_rate", MARK_BARS, LABEL_KEY), .key = "stores", .by_part = true,
     .title = "Memory bandwidth, STREAM-style", .note = "best of a run; by kind of stores", .x = {"Kernel"},
     .y = {"Best rate", "MB/s"},
     .parts =
         {{"copy_rate", "Copy", 0}, {"scale_rate", "Scale", 0}, {"add_rate", "Add", 0}, {"triad_rate", "Triad", 0}}},
    {CHART("unix", NULL, "rate", MARK_LINES, LABEL_TEST), .title = "Index of each test",
     .note = "10 is the machine of 1995 that the index compares with", .x = {"Index", ""}, .line = chart_index},
    {CHART("latency", NULL, "latency", MARK_LINES, LABEL_LOAD), .per_test = true, .title = "Latency",
     .note = RANGE_NOTE, .x = {"Latency"}, .line = chart_range, .share = true},
    {CHART("latency", NULL, "frame_time", MARK_LINES, LABEL_LOAD), .per_test = true, .title = "Time of a frame shown",
     .note = RANGE_NOTE, .x = {"Until the next"}, .line = chart_range, .share = true},
    {CHART("latency", NULL, "latency", MARK_BARS, LABEL_LOAD), .per_test = true, .title = "Work done in time",
     .x = {"Load"}, .y = {"Share of the work", "%"},
     .parts = {{"desired_cpu", "done", 6}, {"deadlines_met", "deadlines met", 0}}},
};

/* --- The rows of a chart. --- */

struct pick {
    struct chart_entry of; /* labelled by its work; the colour is the run */
    double number;         /* by which works are sorted */
    size_t label, group, at;
};

struct picks {
    const struct report *report;
    const struct chart_spec *about;
    struct pick pick[PICKS_MAX]; /* by work, then run */
    size_t n;
    struct index labels;
};

/* Of a work, the same in all runs. */
static void put_label(const struct chart_spec *about, const struct row *row, struct text *out)
{
    const char *key = about->key ? ROW_PARAM(&row->param, about->key) : "";
    const char *const words[] = {[LABEL_KEY] = key,
                                 [LABEL_LOAD] = row->load[0] ? row->load : "none",
                                 [LABEL_TEST] = row->test,
                                 [LABEL_CPUS] = row->cpus[0] ? row->cpus : "?"};

    text_printf(out, "%s%.40s", about->label == LABEL_CPUS ? "CPU " : "", words[about->label]);
    if (about->label == LABEL_CPUS) /* which names the CPU, and not the number of copies */
        return;
    const char *cpus = ROW_PARAM(&row->param, "cpus"), *copy = ROW_PARAM(&row->param, "copy");
    if (about->first)
        text_printf(out, ", from %.15g", fmax(row_param_number(&row->param, "window"), 0));
    if (cpus[0])
        text_printf(out, ", cpus %.8s", cpus);
    if (row->copies > 1 && !about->by_part)
        text_printf(out, " \xc3\x97%" PRIu64, row->copies);
    if (copy[0])
        text_printf(out, " #%.8s", copy);
}

static int by_work(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;

    if (x->label != y->label)
        return x->number < y->number || x->number > y->number ? ORDER_OF(x->number, y->number)
                                                              : ORDER_OF(x->label, y->label);
    return x->of.colour != y->of.colour ? ORDER_OF(x->of.colour, y->of.colour) : ORDER_OF(x->at, y->at);
}

/* Labels are names of tests; where two measurements would share one, they have their parameters. */
static void make_labels(struct picks *picks, bool whole)
{
    const struct chart_spec *about = picks->about;

    index_free(&picks->labels);
    for (size_t i = 0; i < picks->n; i++) {
        struct pick *pick = &picks->pick[i];
        FREED_BY(text_free) struct text label = {0};
        put_label(about, pick->of.row, &label);
        pick->label = index_enter(&picks->labels, whole ? REPORT_LABEL(picks->report, pick->of.row) : label.data);
        pick->of.label = picks->labels.name[pick->label];
        pick->number = about->label == LABEL_KEY && !about->by_part ? strtod(label.data, NULL) : 0;
        for (size_t k = 0; k < i && !whole && about->line == chart_samples; k++)
            if (picks->pick[k].label == pick->label && picks->pick[k].group != pick->group) {
                make_labels(picks, true);
                return;
            }
    }
}

static void collect_picks(struct picks *picks, const struct chart_spec *about)
{
    const struct report *report = picks->report;

    picks->about = about;
    picks->n = 0;
    for (size_t i = 0; i < report->set.n && picks->n < PICKS_MAX; i++) {
        /* samples are in the order of the tables, and have their groups */
        const struct row *row = about->line == chart_samples ? report->order[i].row : &report->set.rows[i];
        const size_t run = report_run_of(report, row);
        if (run < report->n_runs && !strcmp(row->suite, about->suite) && !strcmp(row->metric, about->metric) &&
            (!about->test || !strcmp(row->test, about->test)) && (about->line != chart_index || isfinite(row->index))) {
            picks->pick[picks->n] = (struct pick){
                .of = {.row = row, .colour = (unsigned)run}, .group = report->order[i].group, .at = picks->n};
            picks->n++;
        }
    }
    make_labels(picks, false);
    if (picks->n)
        SORT(picks->pick, picks->n, by_work);
}

/* --- Panels. --- */

static struct chart chart_of(const struct chart_spec *about, const char *unit, const char *title)
{
    return (struct chart){.title = title,
                          .note = about->note,
                          .x = {.title = about->x.title ? about->x.title : "Since the start",
                                .unit = about->x.unit    ? about->x.unit
                                        : about->x.title ? unit
                                                         : "us"},
                          .y = {.title = about->y.title, .unit = about->y.unit ? about->y.unit : unit}};
}

/* A colour for each run. */
static void put_works(const struct picks *picks, struct charts *charts)
{
    const struct chart_spec *about = picks->about;
    const char *key = about->label == LABEL_KEY ? TEXT_LINE("%s ", about->key) : "";
    bool prefers = false;

    for (size_t i = 0; i < picks->n; i++)
        prefers |= about->prefer > 0 && picks->pick[i].number == about->prefer;
    for (size_t from = 0, n, panel = 0; from < picks->n && panel < PANELS_MAX; from += n, panel++) {
        struct chart_entry entries[REPORT_RUNS_MAX * 4];
        const struct pick *pick = &picks->pick[from];
        const char *label = pick->of.label;
        struct chart c = chart_of(about, pick->of.row->unit, TEXT_LINE("%s: %s%s", about->title, key, label));
        size_t used = 0;
        for (n = 0; from + n < picks->n && pick[n].of.label == label; n++)
            if (used < COUNT(entries)) {
                entries[used] = pick[n].of;
                entries[used].label = picks->report->name[entries[used].colour];
                used++;
            }
        if (about->mark == MARK_HISTOGRAM)
            chart_histograms(&c, entries, used, about->body);
        else
            chart_series(&c, entries, used, about->first ? 500 : INFINITY, about->dots);
        chart_put(&c, charts, prefers ? pick->number != about->prefer : panel >= (about->prefer > 0 ? 1 : OPEN_MAX));
    }
}

/* Returns whether a row with another value of the parameter has the same name. */
static bool keeps_name(const struct picks *picks, const struct row *row)
{
    const char *key = picks->about->key;

    for (size_t i = 0; i < picks->n; i++) {
        const struct row *other = picks->pick[i].of.row;
        if (!strcmp(other->test, row->test) &&
            fabs(row_param_number(&other->param, key) - row_param_number(&row->param, key)) > 0)
            return true;
    }
    return false;
}

/* The run, the command, and the values of the other parameters. Names of tests that contain the value have "{NAME}" in
 * its place. */
static void label_command(const struct picks *picks, const struct chart_entry *point, struct text *out)
{
    const struct row *row = point->row;
    const char *key = picks->about->key;
    const bool kept = keeps_name(picks, row);
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    const size_t n_keys = row_params_varied(&row->param, keys, 0);
    const char *value = ROW_PARAM(&row->param, key);
    const size_t length = strlen(value);

    if (picks->report->n_runs > 1)
        text_printf(out, "%s: ", picks->report->name[point->colour]);
    for (const char *at = row->test; *at;) {
        const bool here = !kept && length && !strncmp(at, value, length);
        text_append(out, here ? key : at, here ? strlen(key) : 1);
        at += here ? length : 1;
    }
    for (size_t i = 0; i < n_keys; i++)
        if (strcmp(keys[i], key))
            text_printf(out, ", %.*s=%s", (int)strlen(keys[i]) - 2, keys[i] + 1, ROW_PARAM(&row->param, keys[i]));
    if (row->copies > 1)
        text_printf(out, " \xc3\x97%" PRIu64, row->copies);
}

/* The run, and the word of `split`. Returns whether there is one. */
static bool label_split(const struct picks *picks, const struct chart_entry *point, struct text *out)
{
    const char *name = picks->report->name[point->colour], *split = picks->about->split;
    const char *word = split ? ROW_PARAM(&point->row->param, split) : "";

    name = picks->report->n_runs > 1 || !word[0] ? name : "";
    text_printf(out, "%s%s%s", name, word[0] && name[0] ? " " : "", word);
    return word[0];
}

/* Nothing when a value of a parameter is no number. */
static void put_curve_chart(const struct picks *picks, struct charts *charts)
{
    const struct chart_spec *about = picks->about;
    /* over a parameter of commands (run --parameter-list and --parameter-scan) */
    const bool varied = about->key && about->key[0] == '{';
    const struct row_set *set = &picks->report->set;
    struct chart c = chart_of(about, picks->pick[0].of.row->unit, about->title);
    FREED_BY(index_free) struct index lines = {0}, labels = {0};
    size_t line_of[PICKS_MAX] = {0}, label_of[PICKS_MAX], same = 0;
    unsigned colour_of[PICKS_MAX];
    double x[PICKS_MAX];

    for (size_t i = 0; i < picks->n; i++) {
        const struct chart_entry *point = &picks->pick[i].of;
        const struct row *across = about->x_metric ? row_sibling(set->rows, set->n, point->row, about->x_metric) : NULL;
        const char *value = varied ? ROW_PARAM(&point->row->param, about->key) : "";
        FREED_BY(text_free) struct text label = {0};
        char *end;
        line_of[i] = label_of[i] = SIZE_MAX;
        x[i] = across ? across->value : about->x_metric ? NAN : row_param_number(&point->row->param, about->key);
        if (value[0] && (strtod(value, &end) != x[i] || *end || !isfinite(x[i])))
            return;
        if (varied && (!value[0] || !isfinite(point->row->stats.mean)))
            continue;
        const bool split = !varied && label_split(picks, point, &label);
        if (varied)
            label_command(picks, point, &label);
        label_of[i] = index_enter(&labels, label.data);
        same = 1;
        for (size_t k = 0; varied && k < i; k++)
            same += label_of[k] == label_of[i] && x[k] == x[i];
        if (same > 1)
            text_printf(&label, ", command %zu", same);
        line_of[i] = index_enter(&lines, label.data);
        colour_of[i] = (varied ? 0 : point->colour) + (varied || split ? (unsigned)line_of[i] : 0);
    }
    const size_t most = varied ? LINES_OF_A_PAGE : LINES_MAX;
    const char *first = varied && lines.n > most ? TEXT_LINE("the first %zu lines of %zu; ", most, lines.n) : "";
    const char *note = TEXT_LINE("%swhiskers: 95 %% interval of the mean", first);
    c.note = varied ? note : c.note;
    c.x.scale = about->log ? CHART_LOG : c.x.scale;
    for (size_t line = 0; line < lines.n && line < most; line++) {
        FREED struct chart_value *values = memory_get(picks->n, sizeof(*values));
        unsigned colour = 0;
        size_t used = 0;
        for (size_t i = 0; i < picks->n; i++) {
            const struct stats_summary *s = &picks->pick[i].of.row->stats;
            if (line_of[i] != line)
                continue;
            colour = used ? colour : colour_of[i] % HTML_COLOURS;
            values[used++] = about->stat
                                 ? (struct chart_value){x[i], about->stat == STAT_MIN ? s->min : s->median, NAN, NAN}
                                 : (struct chart_value){x[i], s->mean, s->ci95_lo, s->ci95_hi};
        }
        chart_curve(&c, lines.name[line], colour, values, used);
    }
    chart_put(&c, charts, false);
}

/* --- Bars and lines. --- */

static size_t count_parts(const struct chart_spec *about)
{
    size_t n = 0;

    while (n < PARTS_MAX && about->parts[n].metric)
        n++;
    return n;
}

static struct chart_value part_of(const struct picks *picks, const struct row *row, size_t part)
{
    const struct row_set *set = &picks->report->set;
    const struct row *of = row_sibling(set->rows, set->n, row, picks->about->parts[part].metric);

    return of ? (struct chart_value){NAN, of->value, of->stats.ci95_lo, of->stats.ci95_hi}
              : (struct chart_value){NAN, NAN, NAN, NAN};
}

/* A group for each entry, and a bar for each part; by_part: the other way round. */
static void put_bar_chart(const struct picks *picks, const struct chart_entry *entries, size_t n, bool by_part,
                          const char *what, struct charts *charts)
{
    const struct chart_spec *about = picks->about;
    const size_t n_parts = count_parts(about), n_keys = by_part ? n : n_parts;
    const char *categories[PICKS_MAX];
    struct chart c =
        chart_of(about, entries[0].row->unit, TEXT_LINE("%s%s%s", about->title, what[0] ? ": " : "", what));
    double least = INFINITY;

    c.category = categories;
    c.n_categories = by_part ? n_parts : n;
    c.y.steps = 6;
    c.y.scale = about->log ? CHART_LOG : CHART_LINEAR;
    if (by_part && !about->by_part)
        c.x.title = "Size above the mean (clock ticks)";
    for (size_t k = 0; k < n_keys; k++)
        chart_key(&c, by_part ? entries[k].label : about->parts[k].name,
                  by_part ? entries[k].colour : about->parts[k].colour);
    for (size_t i = 0; i < c.n_categories; i++) {
        categories[i] = by_part ? about->parts[i].name : entries[i].label;
        for (size_t k = 0; k < n_keys; k++) {
            const struct chart_value v = part_of(picks, entries[by_part ? k : i].row, by_part ? i : k);
            least = v.value > 0 ? fmin(least, v.value) : least;
            chart_bar(&c, i, k, &v);
        }
    }
    if (about->log && isfinite(least)) /* so that the least bar can be seen */
        chart_extend(&c.y, fmin(least / 2, 0.5));
    else if (about->log && c.y.found)
        c.note = "no delays: all counts are 0";
    chart_put(&c, charts, false);
}

/* All runs side by side for the first work, then each run with all works. */
static void put_bars(const struct picks *picks, const char *test, struct charts *charts)
{
    const struct report *report = picks->report;
    const bool by_part = picks->about->by_part, several = report->n_runs > 1;
    const struct pick *end = picks->pick + picks->n;
    struct chart_entry entries[CHART_LINES_MAX];
    const char *label = picks->pick[0].of.label;
    size_t used = 0;

    for (const struct pick *pick = picks->pick; pick < end && pick->of.label == label && used < HTML_COLOURS &&
                                                !by_part && !test && (several || picks->labels.n == 1);
         pick++) {
        entries[used] = pick->of;
        entries[used++].label = report->name[pick->of.colour];
    }
    if (used)
        put_bar_chart(picks, entries, used, true, TEXT_LINE("%s %.60s", picks->about->key, label), charts);
    for (size_t run = 0; run < report->n_runs; run++) {
        const size_t most = by_part ? HTML_COLOURS : CHART_LINES_MAX;
        used = 0;
        for (const struct pick *pick = picks->pick; pick < end && used < most; pick++)
            if (pick->of.colour == run && (!test || !strcmp(pick->of.row->test, test))) {
                entries[used] = pick->of;
                if (by_part) /* colours that do not suggest a run */
                    entries[used].colour = (unsigned)(used ? used + 3 : 0) % HTML_COLOURS;
                used++;
            }
        if (used > (!by_part && !test)) /* one work is drawn already */
            put_bar_chart(
                picks, entries, used, by_part,
                TEXT_LINE("%.60s%s%s", test ? test : "", test && several ? ", " : "", several ? report->name[run] : ""),
                charts);
    }
}

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
        differ = differ || strcmp(protocol[0], protocol[run]);
    }
    for (size_t run = 0; run < report->n_runs && differ; run++)
        if (protocol[run][0]) {
            text_printf(out, "%s%s: %s", before, report->name[run], protocol[run]);
            before = ", ";
        }
    text_printf(out, "%s", differ ? "" : protocol[0]);
}

/* Of a latency's row, in the colour of its run. */
static void put_load_share(const struct picks *picks, struct chart *under, struct chart_entry entry)
{
    const struct row_set *set = &picks->report->set;
    const struct row *rate = row_sibling(set->rows, set->n, entry.row, "load_rate");
    double shares[REPORT_RUNS_MAX] = {0};

    if (!rate)
        return;
    shares[entry.colour] = row_load_share(set->rows, set->n, rate);
    entry.parts = shares;
    if (isfinite(shares[entry.colour]))
        chart_stack(under, &entry);
}

/* Labels have the run, because colour alone is not accessible. */
static void put_line_chart(const struct picks *picks, const char *test, struct charts *charts)
{
    const struct chart_spec *about = picks->about;
    FREED_BY(text_free) struct text what = {0};

    text_printf(&what, "%s", test ? test : "");
    if (about->line == chart_index)
        put_protocols(picks->report, &what);
    struct chart c = chart_of(about, picks->pick[0].of.row->unit,
                              TEXT_LINE("%s%s%s", about->title, what.length ? ": " : "", what.data));
    struct chart under = {
        .title = "What the load did beside it", .note = "in % of what it does alone", .x = {"Share", "%"}};
    const size_t n_parts = about->line == chart_stack ? count_parts(about) : 0;
    for (size_t p = 0; p < n_parts; p++)
        chart_key(&c, about->parts[p].name, about->parts[p].colour);
    for (size_t run = 0; run < picks->report->n_runs; run++)
        chart_key(&under, picks->report->name[run], (unsigned)run);
    for (size_t i = 0; i < picks->n; i++) {
        struct chart_entry entry = picks->pick[i].of;
        double parts[PARTS_MAX];
        char label[512];
        if (about->line == chart_range) { /* panels share the axis */
            chart_extend(&c.x, entry.row->stats.min);
            chart_extend(&c.x, entry.row->stats.max);
        }
        if (c.n_lines == CHART_LINES_MAX || (test && strcmp(entry.row->test, test)))
            continue;
        for (size_t p = 0; p < n_parts; p++)
            parts[p] = part_of(picks, entry.row, p).value;
        const char *name = picks->report->name[entry.colour];
        if (picks->report->n_runs > 1)
            entry.label = about->line == chart_samples ? text_line(label, sizeof(label), "%s: %s", name, entry.label)
                                                       : text_line(label, sizeof(label), "%.62s %s", entry.label, name);
        entry.parts = parts;
        about->line(&c, &entry);
        if (about->share)
            put_load_share(picks, &under, entry);
    }
    const bool two = under.n_lines > 0;
    text_printf(&charts->shown, "%s", two ? "<div>" : "");
    chart_put(&c, charts, false);
    chart_put(&under, charts, false);
    text_printf(&charts->shown, "%s", two ? "</div>\n" : "");
}

/* --- Suites without charts of their own. --- */

/* If all samples are equal, a sentence says the value in place of a chart. */
static bool is_constant(const struct picks *picks)
{
    const double first = picks->pick[0].of.row->value;

    for (size_t i = 0; i < picks->n; i++) {
        const struct row *row = picks->pick[i].of.row;
        if (row->value != first || (row->stats.n && (row->stats.min != first || row->stats.max != first)))
            return false;
    }
    return true;
}

static void put_generic(struct picks *picks, const char *suite, const struct doc *doc)
{
    const struct report *report = picks->report;
    FREED_BY(index_free) struct index metrics = {0};
    FREED_BY(text_free) struct text constant = {0};
    struct charts charts = {0};

    for (size_t i = 0; i < report->set.n && metrics.n < METRICS_MAX; i++)
        if (!strcmp(report->set.rows[i].suite, suite) && report->set.rows[i].metric[0])
            index_enter(&metrics, report->set.rows[i].metric);
    for (size_t m = 0; m < metrics.n; m++) {
        const char *metric = metrics.name[m];
        struct chart_spec about = {CHART(suite, NULL, metric, MARK_LINES, LABEL_TEST), .x = {metric},
                                   .note = "dots: samples; bar: median; line: 95 % interval of the mean",
                                   .line = chart_samples};
        collect_picks(picks, &about);
        if (!picks->n)
            continue;
        const struct row *first = picks->pick[0].of.row;
        const char *words = metrics_title(report->metrics, first);
        about.title = words == first->metric ? metric : TEXT_LINE("%s: %s", metric, words);
        if (is_constant(picks))
            text_printf(&constant, "%s%s %s", constant.length ? ", " : "", metric,
                        UNITS_VALUE(first->value, first->unit));
        else
            put_line_chart(picks, NULL, &charts);
    }
    charts_end(&charts, doc->out);
    if (constant.length)
        doc_say(doc, "The same in all samples, so without a figure: %s.", constant.data);
}

/* --- All charts of a suite. --- */

static void put_parameters(struct picks *picks, struct charts *charts)
{
    const struct row_set *set = &picks->report->set;
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->rows[i].suite, "run") && report_run_of(picks->report, &set->rows[i]) < picks->report->n_runs)
            n = row_params_varied(&set->rows[i].param, keys, n);
    for (size_t i = 0; i < n; i++) {
        const char *name = TEXT_LINE("%.*s", (int)strcspn(keys[i] + 1, "}"), keys[i] + 1);
        const struct chart_spec about = {CHART("run", NULL, "wall", MARK_CURVE, LABEL_TEST), .key = keys[i],
                                         .title = TEXT_LINE("Wall-clock time by %s", name), .x = {name, ""},
                                         .y = {"Mean"}};
        collect_picks(picks, &about);
        if (picks->n)
            put_curve_chart(picks, charts);
    }
}

/* The charts of a test have its title as heading. */
static void put_chart(struct picks *picks, const struct chart_spec *about, const char **test, struct charts *charts,
                      const struct doc *doc)
{
    FREED_BY(index_free) struct index tests = {0};

    collect_picks(picks, about);
    if (!picks->n)
        return;
    if (about->test && (!*test || strcmp(*test, about->test))) {
        charts_end(charts, doc->out);
        doc_heading(doc, NULL, metrics_test_title(picks->report->metrics, about->suite, about->test));
        *test = about->test;
    }
    for (size_t i = 0; about->per_test && i < picks->n && tests.n < PANELS_MAX; i++)
        index_enter(&tests, picks->pick[i].of.row->test);
    if (about->mark == MARK_CURVE)
        put_curve_chart(picks, charts);
    else if (about->mark < MARK_CURVE)
        put_works(picks, charts);
    else
        for (size_t i = 0; i < (about->per_test ? tests.n : 1); i++)
            (about->mark == MARK_BARS ? put_bars : put_line_chart)(picks, about->per_test ? tests.name[i] : NULL,
                                                                   charts);
}

static void put_experiments(struct picks *picks, const struct experiment_chart *of, const char **test,
                            struct charts *charts, const struct doc *doc)
{
    for (size_t i = 0; i < COUNT(experiment_charts); i++) {
        struct chart_spec about = experiment_charts[i];
        about.suite = of->suite;
        about.test = of->test;
        if (!about.metric)
            about.metric = "cycles";
        about.key = of->key;
        about.prefer = of->prefer;
        const char *title = TEXT_LINE("%s against %s", about.title, of->curve);
        if (about.mark == MARK_CURVE) {
            about.title = title;
            about.log &= !of->x_metric;
            about.x.title = of->x_title;
            about.x.unit = "";
            about.x_metric = of->x_metric;
        }
        if (about.mark == MARK_BARS)
            about.x.title = of->bars;
        put_chart(picks, &about, test, charts, doc);
    }
}

void report_put_charts(const struct report *report, const char *suite, const struct doc *doc)
{
    struct picks picks = {.report = report};
    struct charts charts = {0};
    const char *test = NULL;
    bool known = false;

    if (!strcmp(suite, "run"))
        put_parameters(&picks, &charts);
    for (size_t i = 0; i < COUNT(experiments); i++)
        if (!strcmp(experiments[i].suite, suite)) {
            known = true;
            put_experiments(&picks, &experiments[i], &test, &charts, doc);
        }
    for (size_t i = 0; i < COUNT(suite_charts); i++)
        if (!strcmp(suite_charts[i].suite, suite)) {
            known = true;
            put_chart(&picks, &suite_charts[i], &test, &charts, doc);
        }
    charts_end(&charts, doc->out);
    if (!known)
        put_generic(&picks, suite, doc);
    index_free(&picks.labels);
}
