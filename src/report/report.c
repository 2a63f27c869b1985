/* SPDX-License-Identifier: MIT */
/* The page of `jitbench report`: takes the rows, names runs and rows, and puts the sections together. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"

#define ROWS_SHOWN_MAX  2000u
#define LINES_SHOWN_MAX 150u
#define REASONS_MAX     40u
#define WARNED_ROWS_MAX 20000u /* each is compared with others */
#define OTHER_ROWS_MAX  20000u /* with more rows than this, rows of runs that are not drawn are judged but not kept */
#define SUITES_MAX      32u
#define NEIGHBOURS      64u

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

const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric)
{
    size_t at = (size_t)(row - report->set.rows), from = at > NEIGHBOURS ? at - NEIGHBOURS : 0;

    for (size_t i = from; i < report->set.n && i <= at + NEIGHBOURS; i++)
        if (!strcmp(report->set.rows[i].metric, metric) && row_same_measurement(&report->set.rows[i], row))
            return &report->set.rows[i];
    return NULL;
}

size_t report_distinct(const char **names, size_t n, const char *name, size_t most)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0)
        i++;
    if (i == n && n < most)
        names[n++] = name;
    return n;
}

bool report_one_a_cpu(const struct report *report, const struct row *row)
{
    const struct metrics_test *test = metrics_test(report->metrics, row->suite, row->test);
    return test && test->row_per_cpu;
}

void report_label(const struct report *report, const struct row *row, char *buf, size_t size)
{
    static const char *const telling[] = {"limit", "elements", "stores", "copy"};
    FREED_BY(text_free) struct text out = {0};
    const char *line = row_command_line(&row->param);
    size_t length;
    char protocol[ROW_PROTOCOL_SIZE];
    bool told = false;

    row_protocol(&row->param, protocol);
    text_printf(&out, "%s%s%s%s%s", row->test, row->load[0] ? ", " : "", row->load, protocol[0] ? ", " : "", protocol);
    for (size_t i = 0; i < COUNT(telling); i++) {
        const char *word = row_param(&row->param, telling[i], &length);
        if (word)
            text_printf(&out, ", %s %.*s", telling[i], (int)length, word);
        told = told || word;
    }
    if (!told && !row->load[0] && !metrics_suite_title(report->metrics, row->suite)[0] && row->param.n)
        text_printf(&out, ", %s", line && row->param.n == 1 ? line : row->param.text);
    if (report_one_a_cpu(report, row))
        text_printf(&out, ", CPU %s", row->cpus);
    else if (row->copies > 1)
        text_printf(&out, ", %" PRIu64 " copies", row->copies);
    text_copy(buf, size, out.data ? out.data : "");
}

/* --- Sections. --- */

/* Known suites in the order of the table of metrics, then unknown ones. */
static size_t list_suites(const struct report *report, const char **suites)
{
    size_t n = 0;

    for (size_t s = 0; report->metrics && s < report->metrics->n_suites; s++)
        for (size_t i = 0; i < report->set.n; i++)
            if (!strcmp(report->set.rows[i].suite, report->metrics->suite[s].name))
                n = report_distinct(suites, n, report->metrics->suite[s].name, SUITES_MAX);
    for (size_t i = 0; i < report->set.n; i++)
        n = report_distinct(suites, n, report->set.rows[i].suite, SUITES_MAX);
    return n;
}

static bool hosts_differ(const struct report *report)
{
    for (size_t i = 1; i < report->n_runs; i++)
        if (strcmp(report->set.runs[i]->host, report->set.runs[0]->host) != 0)
            return true;
    return false;
}

static void put_head(const struct report *report, const char *const *suites, size_t n, struct text *out)
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
    text_printf(out, "<nav><a href=\"#summary\">In short</a>");
    if (report_has_fleet(report))
        text_printf(out, "<a href=\"#fleet\">Fleet</a>");
    if (report_has_history(report))
        text_printf(out, "<a href=\"#history\">History</a>");
    text_printf(out, "<a href=\"#machine\">Machine</a>");
    for (size_t i = 0; i < n; i++)
        html_put(out, "<a href=\"#suite-%zu\">%s</a>", i, suites[i]);
    if (report_has_scale(report))
        text_printf(out, "<a href=\"#scale\">At scale</a>");
    text_printf(out, "<a href=\"#warnings\">Warnings</a><a href=\"#rows\">All rows</a></nav></header>\n");
}

static void put_suite(const struct report *report, const char *suite, size_t number, struct text *out)
{
    html_put(out, "<section><h2 id=\"suite-%zu\">%s</h2>\n<p class=\"soft\">%s</p>\n", number, suite,
             metrics_suite_title(report->metrics, suite));
    if (!strcmp(suite, "run"))
        report_put_parameters(report, out);
    report_put_figures(report, suite, out);
    if (!strcmp(suite, "memory"))
        report_put_cores(report, out);
    (void)report_put_rows(report, suite, false, LINES_SHOWN_MAX, out);
    text_printf(out, "</section>\n");
}

/* Each different status with its reason once. */
static void put_statuses(const struct report *report, struct text *out)
{
    const struct row *seen[REASONS_MAX];
    size_t counts[REASONS_MAX], n = 0;
    char label[256];

    for (size_t i = 0; i < report->set.n; i++) {
        const struct row *row = &report->set.rows[i];
        size_t j = 0;
        if (row->status == ROW_OK)
            continue;
        while (j < n && (seen[j]->status != row->status || strcmp(seen[j]->reason, row->reason) != 0))
            j++;
        if (j == n && n < REASONS_MAX) {
            counts[n] = 0;
            seen[n++] = row;
        }
        if (j < n)
            counts[j]++;
    }
    for (size_t j = 0; j < n; j++) {
        report_label(report, seen[j], label, sizeof(label));
        html_put(out, "<li><strong>%s</strong>: %s%s(", row_status_name(seen[j]->status), seen[j]->reason,
                 seen[j]->reason[0] ? " " : "");
        html_put(out, counts[j] > 1 ? "%s and %zu more)</li>\n" : "%s)</li>\n", label, counts[j] - 1);
    }
}

static void put_warnings(const struct report *report, struct text *out)
{
    FREED_BY(text_free) struct text warnings = {0};
    size_t n = report->set.n < WARNED_ROWS_MAX ? report->set.n : WARNED_ROWS_MAX;

    text_printf(out, "<section><h2 id=\"warnings\">Warnings and statuses</h2>\n<ul class=\"say\">\n");
    const size_t start = out->length;
    warnings_collect(report->set.rows, n, "--samples", &warnings);
    for (const char *at = warnings.data; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *after = strncmp(at, "Warning: ", 9) ? at : at + 9;
        text_printf(out, "<li>");
        html_escape(out, after, strcspn(after, "\n"));
        text_printf(out, "</li>\n");
    }
    put_statuses(report, out);
    if (out->length == start)
        text_printf(out, "<li>None.</li>\n");
    text_printf(out, "</ul></section>\n");
}

static void put_all_rows(const struct report *report, const char *const *suites, size_t n, struct text *out)
{
    size_t left = ROWS_SHOWN_MAX;

    text_printf(out,
                "<section><h2 id=\"rows\">All rows</h2>\n"
                "<p class=\"soft\">All metrics of all tests; what disturbed a test is shown below its first metric. "
                "jitbench-csv(5) defines the metrics; the samples, histograms and series are in the CSV.</p>\n");
    for (size_t i = 0; i < n; i++) {
        html_put(out, "<details><summary>%s</summary>\n", suites[i]);
        left -= report_put_rows(report, suites[i], true, left, out);
        text_printf(out, "</details>\n");
    }
    text_printf(out, "</section>\n<footer><p class=\"soft\">Colours of runs and causes: the palette of Okabe and Ito, "
                     "which does not rely on telling red from green. Intervals are 95 %% intervals of the mean over "
                     "samples, each from a process of its own.</p></footer>\n");
}

void report_put(const struct report *report, struct text *out)
{
    const char *suites[SUITES_MAX];
    size_t n = list_suites(report, suites);

    put_head(report, suites, n, out);
    text_printf(out, "<section><h2 id=\"summary\">In short</h2>\n");
    report_put_summary(report, out);
    text_printf(out, "</section>\n");
    if (report_has_fleet(report))
        report_put_fleet(report, out);
    if (report_has_history(report))
        report_put_history(report, out);
    text_printf(out, "<section><h2 id=\"machine\">Machine and settings</h2>\n");
    report_put_machine(report, out);
    text_printf(out, "</section>\n");
    for (size_t i = 0; i < n; i++)
        put_suite(report, suites[i], i, out);
    if (report_has_scale(report))
        report_put_scale(report, out);
    put_warnings(report, out);
    put_all_rows(report, suites, n, out);
    html_end(out);
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
static bool take_row(void *context, struct row *row)
{
    struct report *report = context;
    size_t number = number_of(report, row->run);

    gather_row(&report->gather, row);
    projection_enter(&report->projection, TEXT_LINE("%zu", number), row);
    history_row(&report->history, row);
    if (number < REPORT_RUNS_MAX)
        return true;
    row_free(row);
    report->left_out += report->set.n >= OTHER_ROWS_MAX;
    return report->set.n < OTHER_ROWS_MAX;
}

void report_begin(struct report *report, const struct metrics *metrics)
{
    memset(report, 0, sizeof(*report));
    report->metrics = report->gather.metrics = report->history.gather.metrics = metrics;
    report->history.least_effect = HISTORY_LEAST_EFFECT;
    report_scale_begin(report);
    report->set.choose = take_row;
    report->set.context = report;
}

void report_finish(struct report *report)
{
    projection_drop_empty(&report->projection, NULL);
    projection_compute(&report->projection);
    gather_finish(&report->gather);
    history_finish(&report->history);
    report->n_runs = report->set.n_runs < REPORT_RUNS_MAX ? report->set.n_runs : REPORT_RUNS_MAX;
    const bool differ = hosts_differ(report);
    for (size_t i = 0; i < report->n_runs; i++)
        (void)snprintf(report->name[i], REPORT_NAME, "%c%s%.16s", (int)('A' + i), differ ? " " : "",
                       differ ? report->set.runs[i]->host : "");
    metrics_mark_headlines(report->metrics, report->set.rows, report->set.n);
    report_sort_rows(report);
}

void report_free(struct report *report)
{
    free(report->order);
    row_set_free(&report->set);
    gather_free(&report->gather);
    history_free(&report->history);
    projection_free(&report->projection);
}
