/* SPDX-License-Identifier: MIT */
/* The beginning of the report: a summary in words, and a table of the machines. */

#include "report/report.h"

#define DISTINCT_MAX 4u

/* --- The most important figures. --- */

enum choice {
    CHOOSE_FIRST,
    CHOOSE_LEAST,
    CHOOSE_GREATEST,
    CHOOSE_LONGEST /* by maximum, which is shown */
};

struct headline {
    const char *suite, *test, *load, *metric;
    const char *key, *prefer; /* of several rows: the one with this word in param */
    const char *name;
    enum choice choice;
    const char *but; /* a test to leave out */
};

static const struct headline headlines[] = {
    {.suite = "noise", .metric = "lost", .name = "Time lost, quietest CPU", .choice = CHOOSE_LEAST},
    {.suite = "noise", .metric = "lost", .name = "Time lost, noisiest CPU", .choice = CHOOSE_GREATEST},
    {.suite = "noise", .metric = "detour", .name = "Longest interruption", .choice = CHOOSE_LONGEST},
    {.suite = "wakeup", .metric = "latency_max", .name = "Latest wake-up of a timer"},
    {.suite = "wakeup", .metric = "latency_p999", .name = "Wake-up of a timer, P99.9"},
    {.suite = "prime", .metric = "cycles", .key = "limit", .prefer = "22", .name = "Prime loop, median"},
    {.suite = "prime", .metric = "delayed_400", .key = "limit", .prefer = "22", .name = "Prime loop, time in delays"},
    {"memory", "steady", .metric = "memory_latency", .name = "Memory latency"},
    {"memory", "levels", .metric = "level", .name = "Cache latency, first level", .choice = CHOOSE_LEAST},
    {"memory", "cores", .metric = "store", .name = "Between CPUs, slowest pair", .choice = CHOOSE_GREATEST},
    {"stream", "array", .metric = "cycles", .key = "elements", .prefer = "100", .name = "Array copy, median"},
    {"stream", "bandwidth", NULL, "triad_rate", .name = "Memory bandwidth, Triad", .choice = CHOOSE_GREATEST},
    {.suite = "unix", .test = "index", .metric = "index", .name = "UNIX index"},
    {.suite = "latency", .test = "audio", .load = "none", .metric = "latency", .name = "Audio alone, mean wait"},
    {.suite = "latency",
     .metric = "latency",
     .name = "Longest wait of a task",
     .choice = CHOOSE_LONGEST,
     .but = "gaming" /* gaming never waits: its latency is the time that it lost */},
};

#define HEADLINES_MAX (COUNT(headlines) + 8u) /* with those of suites that are not in headlines[] */

static bool fits_headline(const struct headline *h, const struct row *row)
{
    return !strcmp(row->suite, h->suite) && !strcmp(row->metric, h->metric) &&
           (!h->test || !strcmp(row->test, h->test)) && (!h->but || strcmp(row->test, h->but)) &&
           (!h->load || !strcmp(row->load, h->load));
}

static bool preferred(const struct headline *h, const struct row *row)
{
    return h->key && row_param_is(&row->param, h->key, h->prefer);
}

static double shown(const struct headline *h, const struct row *row)
{
    return h->choice == CHOOSE_LONGEST ? row->stats.max : row->value;
}

static const struct row *find_headline(const struct report *report, size_t run, const struct headline *h)
{
    const double sign = h->choice == CHOOSE_LEAST ? -1 : 1;
    const struct row *found = NULL;

    for_each_row_of_run(row, report, run) {
        if (!fits_headline(h, row))
            continue;
        if (!found ||
            (h->choice == CHOOSE_FIRST ? preferred(h, row) && !preferred(h, found)
                                       : sign * shown(h, row) > sign * shown(h, found) || isnan(shown(h, found))))
            found = row;
    }
    return found;
}

/* Which row it is, and its interval or number of values. */
static void put_below(const struct headline *h, const struct row *row, struct text *out)
{
    const struct stats_summary *s = &row->stats;
    const size_t start = out->length;
    const char *word = h->key ? ROW_PARAM(&row->param, h->key) : "";
    const char *protocol = ROW_PROTOCOL(&row->param);

    if (word[0])
        text_printf(out, "%s %s", h->key, word);
    else if (h->choice == CHOOSE_LONGEST && row->load[0])
        text_printf(out, "%s beside %s", row->test, row->load);
    else if (protocol[0])
        text_printf(out, "%s", protocol);
    else if (h->choice != CHOOSE_FIRST && !h->test)
        text_printf(out, "CPU %s", row->cpus);
    const char *apart = out->length > start ? "; " : "";
    if (row->status >= ROW_SKIPPED)
        text_printf(out, "%s%s: %s", apart, row_status_name(row->status), row->reason);
    else if (h->choice == CHOOSE_LONGEST)
        text_printf(out, "%sof %" PRIu64, apart, s->n);
    else if (isfinite(s->ci95_lo) && isfinite(s->ci95_hi))
        text_printf(out, "%smean %s, 95 %% interval %s", apart, UNITS_VALUE(s->mean, row->unit),
                    UNITS_RANGE(s->ci95_lo, s->ci95_hi, row->unit));
    else if (row->n_samples > 0)
        text_printf(out, "%s%zu sample%s: no interval", apart, row->n_samples, PLURAL(row->n_samples));
}

/* headlines[], then the first headline rows of other suites. */
static size_t all_headlines(const struct report *report, struct headline *list)
{
    size_t n = COUNT(headlines);

    memcpy(list, headlines, sizeof(headlines));
    for (size_t i = 0; i < report->set.n && n < HEADLINES_MAX; i++) {
        const struct row *row = &report->set.rows[i];
        bool listed = !row->headline;
        for (size_t j = 0; j < n && !listed; j++)
            listed = j < COUNT(headlines) ? !strcmp(list[j].suite, row->suite) : fits_headline(&list[j], row);
        if (!listed)
            list[n++] =
                (struct headline){.suite = row->suite, .test = row->test, .metric = row->metric, .name = row->test};
    }
    return n;
}

static void put_tiles(const struct report *report, const struct headline *list, size_t n, struct text *out)
{
    text_printf(out, "<div class=\"tiles\">\n");
    for (size_t i = 0; i < n; i++) {
        const struct row *row = find_headline(report, 0, &list[i]);
        if (!row)
            continue;
        FREED_BY(text_free) struct text below = {0};
        put_below(&list[i], row, &below);
        html_put(out, "<div><span>%s</span><b>%s</b><small>%s</small></div>\n", list[i].name,
                 UNITS_VALUE(shown(&list[i], row), row->unit), below.data ? below.data : "");
    }
    text_printf(out, "</div>\n");
}

static void put_run_columns(const struct report *report, const char *first, struct grid *grid)
{
    GRID_COLUMN(grid, .title = first, .left = true);
    for (size_t run = 0; run < report->n_runs; run++)
        GRID_COLUMN(grid, .title = report->n_runs > 1 ? report->name[run] : "Value", .left = true, .wrap = true);
}

/* "416 cycles, 1.02 times A; mean .." */
static void put_headline_value(const struct report *report, const struct headline *h, const struct row *row,
                               const struct row *base, struct text *out)
{
    FREED_BY(text_free) struct text below = {0};

    if (!row)
        return;
    text_printf(out, "%s", UNITS_VALUE(shown(h, row), row->unit));
    if (base && base != row)
        text_printf(out, ", %s times %s",
                    h->choice == CHOOSE_LONGEST ? UNITS_VALUE(shown(h, row) / shown(h, base), "")
                                                : REPORT_RATIO(row, base),
                    report->name[0]);
    put_below(h, row, &below);
    text_printf(out, "%s%s", below.length ? "; " : "", below.length ? below.data : "");
}

static void put_side_by_side(const struct report *report, const struct headline *list, size_t n, const struct doc *doc)
{
    struct grid grid = {.html = true};

    put_run_columns(report, "Figure", &grid);
    for (size_t i = 0; i < n; i++) {
        const struct row *rows[REPORT_RUNS_MAX];
        bool any = false;
        for (size_t run = 0; run < report->n_runs; run++) {
            rows[run] = find_headline(report, run, &list[i]);
            any = any || rows[run];
        }
        if (any)
            grid_text(&grid, list[i].name);
        for (size_t run = 0; run < report->n_runs && any; run++)
            put_headline_value(report, &list[i], rows[run], rows[0], grid_key(&grid, run));
    }
    doc_table(doc, &grid);
}

static void put_summary_lines(const struct report *report, size_t run, struct text *out)
{
    FREED_BY(summary_free) struct summary summary = {0};

    for_each_row_of_run(row, report, run)
        summary_row(&summary, row);
    summary_finish(&summary);
    text_printf(out, "<ul class=\"say\">\n");
    for (unsigned i = 0; i < SUMMARY_LINES; i++) {
        if (summary.line[i].length)
            html_put(out, "<li><strong>%s</strong>: %s.</li>\n", summary_names[i], summary.line[i].data);
        out->failed |= summary.line[i].failed;
    }
    text_printf(out, "</ul>\n");
}

void report_put_summary(const struct report *report, const struct doc *doc)
{
    struct headline list[HEADLINES_MAX] = {0};
    const size_t n = all_headlines(report, list);
    const bool fleet = report_has_fleet(report);
    struct text *out = doc->out;

    if (fleet)
        text_printf(out,
                    "<p>%zu hosts, %zu runs: <a href=\"#fleet\">which of them stand out, and in what</a>.</p>\n"
                    "<details><summary>The first %zu runs one by one</summary>\n",
                    report->gather.machines.n, report->n_all_runs, report->n_runs);
    for (size_t run = 0; run < report->n_runs; run++) {
        if (report->n_runs > 1)
            html_put(out, "<h3><i class=\"key s%zu\"></i>%c: %s, %s</h3>\n", run, (int)('A' + run),
                     report->set.runs[run]->host, report->set.runs[run]->utc);
        put_summary_lines(report, run, out);
    }
    if (report->n_runs == 1)
        put_tiles(report, list, n, out);
    else
        put_side_by_side(report, list, n, doc);
    text_printf(out, "%s", fleet ? "</details>\n" : "");
}

/* --- The machine. --- */

/* By their columns in the CSV. */
static const struct fact {
    const char *name, *column, *unit;
} facts[] = {
    {"Host", "host", NULL},
    {"Measured", "utc", NULL},
    {"CPU", "cpu_model", NULL},
    {"CPUs online", "cpus_online", NULL},
    {"Architecture", "arch", NULL},
    {"Kernel", "kernel", NULL},
    {"jitbench", "build", NULL},
    {"C library", "libc", NULL},
    {"Job", "job", NULL},
    {"Rank", "rank", NULL},
    {"Comment", "comment", NULL},
    {"Run", "run_id", NULL},
    {"CPUs used", "cpus", NULL},
    {"Binding", "bind", NULL},
    {"Policy", "policy", NULL},
    {"Real-time priority", "rt_priority", ""},
    {"Nice value", "nice", ""},
    {"Varied between samples", "layout", NULL},
    {"CPU frequency", "freq_khz", "kHz"},
    {"Timer latency held at 0", "timer_latency_held", NULL},
    {"Settings of the machine", "settings", NULL},
    {"Scratch file system", "scratch_fs", NULL},
    {"Scratch disk", "scratch_disk", NULL},
};

/* The different texts, or the range of the numbers. */
static void put_fact(const struct report *report, size_t run, const struct fact *fact, struct text *out)
{
    const struct row_column *column = row_column(fact->column);
    const bool breaks = !strcmp(fact->column, "settings"); /* the line can break at each of them */
    FREED_BY(index_free) struct index found = {0};
    struct stats_running range = {0};

    for_each_row_of_run(row, report, run) {
        const void *field = row_field(row, column);
        if (column->type == COLUMN_UINT) {
            text_printf(out, "%.0" PRIu64, *(const uint64_t *)field); /* prints nothing for 0 */
            return;
        }
        if (column->type == COLUMN_REAL && isfinite(*(const double *)field))
            stats_add(&range, *(const double *)field);
        if (column->type == COLUMN_TEXT && *(const char *)field && found.n <= DISTINCT_MAX)
            index_enter(&found, field);
    }
    text_append(out, "", 0);
    for (size_t i = 0; i < found.n; i++) {
        text_printf(out, "%s", i ? "; " : "");
        for (const char *at = i < DISTINCT_MAX ? found.name[i] : "and others"; *at; at++)
            text_printf(out, "%c%s", *at, *at == ';' && breaks ? " " : "");
    }
    if (range.n)
        text_printf(out, "%s",
                    range.max > range.min ? UNITS_RANGE(range.min, range.max, fact->unit)
                                          : UNITS_VALUE(range.min, fact->unit));
}

void report_put_machine(const struct report *report, const struct doc *doc)
{
    struct grid grid = {.html = true};

    put_run_columns(report, "Setting", &grid);
    for (size_t i = 0; i < COUNT(facts); i++) {
        struct text cells[REPORT_RUNS_MAX] = {{0}};
        bool any = false, same = true;
        for (size_t run = 0; run < report->n_runs; run++) {
            put_fact(report, run, &facts[i], &cells[run]);
            any = any || cells[run].length;
            same = same && !strcmp(cells[run].data, cells[0].data);
        }
        if (any)
            grid_text(&grid, facts[i].name);
        for (size_t run = 0; run < report->n_runs; run++) {
            if (any)
                grid_text(&grid, run && same ? "as A" : cells[run].data);
            text_free(&cells[run]);
        }
    }
    doc_table(doc, &grid);
}
