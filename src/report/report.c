/* SPDX-License-Identifier: MIT */
/* The page of `jitbench report`: takes the rows, names runs and rows, and puts the sections together. */
#include "report/report.h"

static void put_map_of_cores(const struct report *report, size_t run, const char *metric, const char *title,
                             const struct doc *doc)
{
    struct cpu_map map = {0};

    for_each_row_of_run(row, report, run)
        cpu_map_add(&map, row, metric, CPU_MAP_MOST);
    cpu_map_put(&map, report->n_runs > 1 ? TEXT_LINE("%s: %s", title, report->name[run]) : title, doc);
}

/* --- Many ranks. --- */

#define HOSTS_MOST 16u        /* more runs are joined in as many groups */
#define POINTS     (1u << 15) /* grid points: some milliseconds for each run */

static const double steps_ns[] = {100e3, 1e6, 10e6};
static const char *const step_names[] = {"steps of 100 \xc2\xb5s", "steps of 1 ms", "steps of 10 ms"};
/* Two in each decade, from 1 to 1,000,000. */
enum { STEPS = COUNT(steps_ns), RANKS = 13 };

static bool has_project(const struct report *report)
{
    const struct project *p = &report->project;

    return p->n > 0;
}

static void put_project(const struct report *report, const struct doc *doc)
{
    const struct project *p = &report->project;
    const char *note = TEXT_LINE("%zu %s together, each with its share of the ranks", p->n,
                                 report->n_all_runs > HOSTS_MOST ? "groups of runs" : "runs");
    struct chart c = {.title = "Slow-down on many ranks",
                      .note = p->n > 1 ? note : NULL,
                      .x = {"Ranks", .scale = CHART_LOG},
                      .y = {"Time of a step, as a multiple of its work", .reach = 1}};
    struct charts charts = {0};

    doc_say(doc, "Work that ends in a barrier waits for its slowest rank. This is how long steps of such work would "
                 "take on many ranks with this noise.");
    for (size_t s = 0; s < STEPS; s++) {
        struct chart_value values[RANKS];
        for (size_t r = 0; r < p->n_ranks; r++)
            values[r] = (struct chart_value){p->ranks[r], p->all->slowdown[s * p->n_ranks + r], NAN, NAN};
        chart_curve(&c, step_names[s], (unsigned)(s == 2 ? 4 : s), values, p->n_ranks);
    }
    chart_put(&c, &charts, false);
    charts_end(&charts, doc->out);
    project_put_table(p, false, doc);
    project_put_costs(p, doc);
}

/* --- Many runs of one machine. --- */

#define CHANGES_MOST 100u
#define FIGURES_MOST 100u
#define OPEN_MOST    24u

static void add_level(struct chart *c, double from, double to, double level)
{
    chart_mark(
        c, (struct chart_mark){.shape = CHART_SEGMENT, .group = 2, .classes = "bold", .x = from, .x2 = to, .y = level},
        NULL);
}

static void put_chart_of_runs(const struct history *h, size_t number, struct charts *charts, bool folded)
{
    const struct history_result *f = &h->result[number];
    const struct gather_result *of = &h->gather.result[f->result];
    struct stats_point *points = memory_get(f->n, sizeof(*points));
    double from = 1, level = history_level(h, number);
    const char *note = TEXT_LINE("%zu runs, %s is better; %zu change%s", f->n, of->higher_is_better ? "more" : "less",
                                 f->n_changes, PLURAL(f->n_changes));
    struct chart c = {.title = HISTORY_NAME(h, number),
                      .note = note,
                      .x = {"Run", .tight = true},
                      .y = {.title = of->metric, .unit = of->unit, .scale = CHART_AUTO, .tight = true, .steps = 6}};

    for (size_t i = 0; i < f->n; i++)
        points[i] = (struct stats_point){(double)h->point[f->first + i].run + 1, h->point[f->first + i].value};
    chart_mark(&c,
               (struct chart_mark){
                   .shape = CHART_POINTS, .group = 1, .classes = "dots", .points = points, .n = f->n, .owned = true},
               NULL);
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct history_change *change = &h->change[i];
        if (change->result != number)
            continue;
        const double to = (double)change->run + 0.5;
        add_level(&c, from, to, change->before);
        chart_mark(&c, (struct chart_mark){.shape = CHART_UPRIGHT, .group = 2, .classes = "thin", .x = to, .y = NAN},
                   NULL);
        from = to;
        level = change->after;
    }
    add_level(&c, from, (double)h->n_runs, level);
    chart_put(&c, charts, folded);
}

static bool has_history(const struct report *report)
{
    return report->history.n_results > 0;
}

static void put_history(const struct report *report, const struct doc *doc)
{
    const struct history *h = &report->history;
    const struct doc table = {.out = doc->out, .format = DOC_HTML, .rows_most = CHANGES_MOST};
    struct charts charts = {0};
    size_t n = 0;

    history_put_summary(h, 0, doc);
    doc_say(doc, "A change lies between the run and the one before it.");
    history_put_table(h, 0, false, &table);
    doc_heading(doc, NULL, "Each figure over the runs");
    doc_say(doc, "A dot is a run; the lines are medians between changes.");
    for (unsigned pass = 0; pass < 2; pass++) /* results that changed first */
        for (size_t k = 0; k < h->n_results && n < FIGURES_MOST; k++)
            if ((h->result[k].n_changes > 0) == (pass == 0))
                put_chart_of_runs(h, k, &charts, n++ >= OPEN_MOST);
    charts_end(&charts, doc->out);
    if (n < h->n_results)
        doc_say(doc, "%zu more figures are left out here.", h->n_results - n);
}

#define SUITES_MAX      32u
#define ROWS_SHOWN_MAX  2000u
#define LINES_SHOWN_MAX 150u
#define WARNED_ROWS_MAX 20000u /* each is compared with others */
#define OTHER_ROWS_MAX  20000u /* with more rows than this, rows of runs that are not drawn are judged but not kept */

/* --- Titles and descriptions of rows. --- */

size_t report_run_of(const struct report *report, const struct row *row)
{
    size_t run = 0;

    while (run < report->n_runs && row->run != report->set.runs[run])
        run++;
    return run;
}

const struct row *report_next(const struct report *report, size_t run, const struct row *row)
{
    const struct row *end = report->set.rows + report->set.n;

    for (row = row ? row + 1 : report->set.rows; row < end; row++)
        if (row->run == report->set.runs[run])
            return row;
    return NULL;
}

char *report_label(const struct report *report, const struct row *row, char *buf, size_t size)
{
    FREED_BY(text_free) struct text out = {0};

    text_printf(&out, "%s", row->test);
    metrics_put_place(report->metrics, row, &out);
    text_copy(buf, size, out.data);
    return buf;
}

/* --- Sections. --- */

static bool hosts_differ(const struct report *report)
{
    for (size_t i = 1; i < report->n_runs; i++)
        if (strcmp(report->set.runs[i]->host, report->set.runs[0]->host))
            return true;
    return false;
}

static void put_page_head(const struct report *report, struct text *out)
{
    const struct row_run *run = report->set.runs[0];
    const char *runs = report->n_all_runs > 1 ? TEXT_LINE(", %zu runs", report->n_all_runs) : "";
    const char *title = TEXT_LINE("jitbench: %s%s", run->host[0] ? run->host : "a machine",
                                  hosts_differ(report) ? " and others" : runs);

    html_begin(out, title);
    html_put(out, "<header><h1>%s</h1>\n<div class=\"soft\">%s%s%s%s%s</div>\n", title, run->utc,
             run->cpu_model[0] ? ", " : "", run->cpu_model, run->comment[0] ? ", " : "", run->comment);
    if (report->n_runs > 1) {
        text_printf(out, "<ul class=\"runs\">");
        for (size_t i = 0; i < report->n_runs; i++) {
            run = report->set.runs[i];
            html_put(out, "<li><i class=\"key s%zu\"></i>%c: %s, %s%s%s</li>\n", i, (int)('A' + i), run->host, run->utc,
                     run->comment[0] ? ", " : "", run->comment);
        }
        text_printf(out, "</ul>\n");
    }
    if (report->n_all_runs > report->n_runs) {
        text_printf(out, "<p class=\"soft\">The figures show the first %zu of %zu runs; the tables have ",
                    report->n_runs, report->n_all_runs);
        text_printf(out, report->left_out ? "%zu of %zu rows.</p>\n" : "the rows of all.</p>\n", report->set.n,
                    report->set.n + report->left_out);
    }
}

static void put_suite(const struct report *report, const char *suite, const struct doc *doc)
{
    doc_say(doc, "%s", metrics_suite_title(report->metrics, suite));
    report_put_charts(report, suite, doc);
    for (size_t run = 0; run < report->n_runs && !strcmp(suite, "memory"); run++) {
        put_map_of_cores(report, run, "store", "One way of a stored number between two CPUs, ns", doc);
        put_map_of_cores(report, run, "swap", "One way by compare-and-swap, ns", doc);
    }
    report_put_rows(report, suite, false, LINES_SHOWN_MAX, doc);
}

static void put_warnings(const struct report *report, const struct doc *doc)
{
    FREED_BY(text_free) struct text warnings = {0};
    const size_t n = report->set.n < WARNED_ROWS_MAX ? report->set.n : WARNED_ROWS_MAX;
    struct text *out = doc->out;

    warnings_collect(report->set.rows, n, report->gather.metrics, "--samples", &warnings);
    table_put_reasons(report->set.rows, n, &warnings);
    text_printf(out, "<ul class=\"say\">\n%s", warnings.length ? "" : "<li>None.</li>\n");
    for (const char *at = warnings.data; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *after = starts_with(at, "Warning: ") ? at + 9 : at;
        html_put(out, "<li>%.*s</li>\n", (int)strcspn(after, "\n"), after);
    }
    text_printf(out, "</ul>");
}

static void put_all_rows(const struct report *report, const struct doc *doc)
{
    size_t left = ROWS_SHOWN_MAX;

    doc_say(doc, "All metrics of all tests; what disturbed a test is shown below its first metric. jitbench-csv(5) "
                 "defines the metrics; the samples, histograms and series are in the CSV.");
    for (size_t i = 0; i < report->suites.n; i++) {
        html_put(doc->out, "<details><summary>%s</summary>\n", report->suites.name[i]);
        left -= report_put_rows(report, report->suites.name[i], true, left, doc);
        text_printf(doc->out, "</details>\n");
    }
}

/* In the order of the page. Without a title: one for each suite. */
static const struct {
    const char *id, *link, *title;
    bool (*has)(const struct report *report); /* NULL: always */
    void (*put)(const struct report *report, const struct doc *doc);
} sections[] = {
    {"summary", "In short", "In short", NULL, report_put_summary},
    {"fleet", "Fleet", "Fleet", report_has_fleet, report_put_fleet},
    {"history", "History", "History", has_history, put_history},
    {"machine", "Machine", "Machine and settings", NULL, report_put_machine},
    {.id = "suite"},
    {"scale", "At scale", "At scale", has_project, put_project},
    {"warnings", "Warnings", "Warnings and statuses", NULL, put_warnings},
    {"rows", "All rows", "All rows", NULL, put_all_rows},
};

void report_put(const struct report *report, struct text *out)
{
    const struct doc doc = {.out = out, .format = DOC_HTML};

    put_page_head(report, out);
    text_printf(out, "<nav>");
    for (size_t i = 0; i < COUNT(sections); i++) {
        for (size_t k = 0; k < report->suites.n && !sections[i].title; k++)
            html_put(out, "<a href=\"#suite-%zu\">%s</a>", k, report->suites.name[k]);
        if (sections[i].title && (!sections[i].has || sections[i].has(report)))
            html_put(out, "<a href=\"#%s\">%s</a>", sections[i].id, sections[i].link);
    }
    text_printf(out, "</nav></header>\n");
    for (size_t i = 0; i < COUNT(sections); i++) {
        for (size_t k = 0; k < report->suites.n && !sections[i].title; k++) {
            text_printf(out, "<section>");
            doc_heading(&doc, TEXT_LINE("suite-%zu", k), report->suites.name[k]);
            put_suite(report, report->suites.name[k], &doc);
            text_printf(out, "</section>\n");
        }
        if (!sections[i].title || (sections[i].has && !sections[i].has(report)))
            continue;
        text_printf(out, "<section>");
        doc_heading(&doc, sections[i].id, sections[i].title);
        sections[i].put(report, &doc);
        text_printf(out, "</section>\n");
    }
    text_printf(out, "<footer><p class=\"soft\">Colours of runs and causes: the palette of Okabe and Ito, which does "
                     "not rely on telling red from green. Intervals are 95 %% intervals of the mean over samples, each "
                     "from a process of its own.</p></footer>\n");
    text_printf(out, "</main>\n</body>\n</html>\n");
}

/* --- Reading, and the whole page. --- */

/* Of runs without rows in the set only the last is remembered: if their rows are mixed, each change counts as a
 * further run. */
static size_t number_of(struct report *report, const struct row_run *run)
{
    if (report->n_all_runs && row_run_equal(&report->last_run, run))
        return report->last_number;
    report->last_run = *run;
    for (size_t i = 0; i < report->set.n_runs; i++)
        if (row_run_equal(report->set.runs[i], run))
            return report->last_number = i;
    return report->last_number = report->n_all_runs++;
}

/* Keeps rows of runs that are drawn; of others up to OTHER_ROWS_MAX, without samples, histogram and series. */
static bool take_report_row(void *context, struct row *row)
{
    struct report *report = context;
    size_t number = number_of(report, row->run);

    gather_row(&report->gather, row);
    project_enter(&report->project, TEXT_LINE("%c", (int)('A' + number % HOSTS_MOST)), row);
    history_row(&report->history, row);
    if (number < REPORT_RUNS_MAX)
        return true;
    row_free(row);
    report->left_out += report->set.n >= OTHER_ROWS_MAX;
    return report->set.n < OTHER_ROWS_MAX;
}

void report_begin(struct report *report, const struct metrics *metrics)
{
    static const double decade[] = {1, 3};
    struct project *p = &report->project;
    double ten = 1;

    memset(report, 0, sizeof(*report));
    report->metrics = report->gather.metrics = report->history.gather.metrics = metrics;
    report->history.gather.every = true;
    report->history.least_effect = HISTORY_LEAST_EFFECT;
    p->points = POINTS;
    for (p->n_steps = 0; p->n_steps < STEPS; p->n_steps++)
        p->step_ns[p->n_steps] = steps_ns[p->n_steps];
    for (p->n_ranks = 0; p->n_ranks < RANKS; p->n_ranks++) {
        p->ranks[p->n_ranks] = ten * decade[p->n_ranks % 2];
        ten *= p->n_ranks % 2 ? 10 : 1;
    }
    report->set.choose = take_report_row;
    report->set.context = report;
}

/* Replaces the letters of take_report_row() where they are not those of runs. */
static void name_hosts(struct report *report)
{
    for (size_t h = 0; h < report->project.n; h++) {
        struct detours_host *host = report->project.hosts[h];
        if (report->n_all_runs > HOSTS_MOST)
            TEXT_SET(host->name, TEXT_LINE("group %u", (unsigned)(host->name[0] - 'A') + 1));
        else if (report->n_all_runs == 1)
            TEXT_SET(host->name, report->set.runs[0]->host);
    }
}

void report_finish(struct report *report)
{
    name_hosts(report);
    project_compute(&report->project);
    gather_finish(&report->gather);
    history_finish(&report->history);
    report->n_runs = report->set.n_runs < REPORT_RUNS_MAX ? report->set.n_runs : REPORT_RUNS_MAX;
    const bool differ = hosts_differ(report);
    for (size_t i = 0; i < report->n_runs; i++)
        snprintf(report->name[i], REPORT_NAME, "%c%s%.16s", (int)('A' + i), differ ? " " : "",
                 differ ? report->set.runs[i]->host : "");
    for (size_t s = 0; s <= report->metrics->n_suites; s++)
        for (size_t i = 0; i < report->set.n && report->suites.n < SUITES_MAX; i++)
            if (s == report->metrics->n_suites || !strcmp(report->set.rows[i].suite, report->metrics->suite[s].name))
                index_enter(&report->suites, report->set.rows[i].suite);
    metrics_mark_headlines(report->metrics, report->set.rows, report->set.n);
    report_sort_rows(report);
}

void report_free(struct report *report)
{
    free(report->order);
    index_free(&report->suites);
    row_set_free(&report->set);
    gather_free(&report->gather);
    history_free(&report->history);
    project_free(&report->project);
}
