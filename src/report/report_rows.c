/* SPDX-License-Identifier: MIT */
/* The report's tables of rows: their order, their columns, and the ratio of each row to its base. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_pairs.h"
#include "report/report.h"
#include "stats/stats.h"
#include "sys/base.h"

/* --- The order of the rows. --- */

enum { KEY_CLASS, KEY_GROUP, KEY_RUN, KEY_ROW, N_KEYS };

/* Rows of one group are the same measurement and metric in several runs. Groups of one class are compared in a page
 * of one run: commands of suite run, or a test with different numbers of copies. */
struct place {
    size_t key[N_KEYS];
};

static struct place place_of(const struct report *report, size_t number, struct index *classes, struct index *groups)
{
    const struct row *row = &report->set.rows[number];
    FREED_BY(text_free) struct text group = {0}, class = {0};
    const char *cpus = report_one_a_cpu(report, row) && row->copies > 1 ? row->cpus : "";
    size_t words = pair_key(row, &group);

    text_printf(&group, "\x1f%s", cpus);
    if (!strcmp(row->suite, "run"))
        text_printf(&class, "%s\x1f%s\x1f%" PRIu64 "\x1f%s", row->suite, row->load, row->copies, row->metric);
    else
        text_printf(&class, "%s\x1f%s\x1f%s\x1f%s\x1f%s", row->suite, row->test, row->load, row->metric,
                    group.data + words);
    return (struct place){
        {index_enter(classes, class.data), index_enter(groups, group.data), report_run_of(report, row), number}};
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int key = 0;

    while (key < KEY_ROW && x->key[key] == y->key[key])
        key++;
    return ORDER_OF(x->key[key], y->key[key]);
}

/* The places are sorted. */
static void choose_bases(const struct report *report, const struct place *places, size_t n)
{
    const int key = report->n_all_runs > 1 ? KEY_GROUP : KEY_CLASS;

    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && places[end].key[key] == places[begin].key[key]; end++)
            ;
        bool alone = end == begin + 1 || places[begin].key[KEY_RUN] != 0 ||
                     (key == KEY_CLASS && places[begin].key[KEY_GROUP] == places[end - 1].key[KEY_GROUP]);
        for (size_t i = begin; i < end; i++)
            report->order[i] = (struct report_place){.row = places[i].key[KEY_ROW],
                                                     .group = places[i].key[KEY_GROUP],
                                                     .base = alone ? REPORT_NO_BASE : places[begin].key[KEY_ROW]};
    }
}

void report_sort_rows(struct report *report)
{
    const size_t n = report->set.n;
    FREED_BY(memory_free) struct place *places = memory_get(n, sizeof(*places));
    FREED_BY(index_free) struct index classes = {0}, groups = {0};

    report->order = memory_get(n, sizeof(*report->order));
    for (size_t i = 0; i < n; i++)
        places[i] = place_of(report, i, &classes, &groups);
    qsort(places, n, sizeof(*places), by_place);
    choose_bases(report, places, n);
}

/* --- Columns. --- */

/* Columns that only some tables have. */
enum { HAS_RATIO, HAS_INTERVAL, HAS_FIGURES };

static const struct {
    const char *heading, *class; /* CSS class that names the figure on narrow screens */
    size_t offset;
} figures[] = {
    {"Minimum", "min", offsetof(struct row, stats.min)},
    {"Median", "med", offsetof(struct row, stats.median)},
    {"p99", "p99", offsetof(struct row, stats.p99)},
    {"Maximum", "max", offsetof(struct row, stats.max)},
};
enum { N_FIGURES = COUNT(figures) };

static double figure_of(const struct row *row, size_t i)
{
    return *(const double *)(const void *)((const char *)row + figures[i].offset);
}

static bool is_shown(const struct row *row, const char *suite, bool all)
{
    return !strcmp(row->suite, suite) && (all || row->headline);
}

/* As bits. *base: a row that others are compared with; NULL: none. */
static unsigned columns_of(const struct report *report, const char *suite, bool all, const struct row **base)
{
    unsigned columns = 0;

    *base = NULL;
    for (size_t i = 0; i < report->set.n; i++) {
        const struct row *row = &report->set.rows[report->order[i].row];
        if (!is_shown(row, suite, all))
            continue;
        columns |= (unsigned)(isfinite(row->stats.ci95_lo) && isfinite(row->stats.ci95_hi)) << HAS_INTERVAL;
        for (size_t f = 0; f < N_FIGURES; f++)
            columns |= (unsigned)(isfinite(figure_of(row, f)) != 0) << (HAS_FIGURES + f);
        if (report->order[i].base == REPORT_NO_BASE)
            continue;
        columns |= 1u << HAS_RATIO;
        *base = *base ? *base : &report->set.rows[report->order[i].base];
    }
    return columns;
}

static void put_number(double value, const char *unit, const char *class, struct text *out)
{
    html_put(out, "<td class=\"n %s\">%s</td>", class, UNITS_VALUE(value, unit));
}

static void put_heads(const struct report *report, unsigned columns, const struct row *base, struct text *out)
{
    text_printf(out,
                "<div class=\"scroll\"><table class=\"rows\"><thead><tr><th>Test</th><th>Metric</th>%s"
                "<th class=\"n\">Value</th>",
                report->n_runs > 1 ? "<th>Run</th>" : "");
    if (columns >> HAS_RATIO & 1)
        html_put(out, "<th class=\"n\">Ratio to %.24s</th>",
                 report->n_all_runs > 1 ? report->name[0]
                 : !strcmp(base->suite, "run")
                     ? base->test
                     : TEXT_LINE("%" PRIu64 " cop%s", base->copies, base->copies == 1 ? "y" : "ies"));
    if (columns >> HAS_INTERVAL & 1)
        text_printf(out, "<th class=\"n\">95 %% interval</th>");
    for (size_t f = 0; f < N_FIGURES; f++)
        if (columns >> (HAS_FIGURES + f) & 1)
            text_printf(out, "<th class=\"n\">%s</th>", figures[f].heading);
    text_printf(out, "<th class=\"n\">n</th><th>Status</th></tr></thead>\n");
}

/* --- Rows. --- */

static void put_run(const struct report *report, const struct row *row, const char *element, struct text *out)
{
    size_t run = report_run_of(report, row);

    if (report->n_runs < 2)
        return;
    text_printf(out, "<%s>", element);
    if (run < report->n_runs)
        text_printf(out, "<i class=\"key s%zu\"></i>", run);
    html_put(out, "%s</%s>", run < report->n_runs ? report->name[run] : row->run->host, element);
}

void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size)
{
    double low = NAN, high = NAN, ratio = row->value / base->value;

    if (row == base)
        ratio = 1;
    else if (row->value == row->stats.mean && base->value == base->stats.mean)
        ratio = stats_ratio_of_means(&row->stats, &base->stats, &low, &high);
    units_value(ratio, "", buf, size);
    if (isfinite(low) && isfinite(high))
        text_add(buf, size, " (%s)", UNITS_RANGE(low, high, ""));
}

/* n: rows spanned by the cells of test and metric; 0: an earlier row has them. */
static void put_row(const struct report *report, const struct report_place *place, unsigned columns, size_t n,
                    struct text *out)
{
    const struct row *row = &report->set.rows[place->row];
    char buf[1024];
    const char *unit = row->unit;

    text_printf(out, "<tr>");
    if (n) {
        report_label(report, row, buf, sizeof(buf));
        html_put(out, "<td class=\"w\" rowspan=\"%zu\">%s</td><td rowspan=\"%zu\">%s</td>", n, buf, n, row->metric);
    }
    put_run(report, row, "td", out);
    put_number(row->value, unit, "val", out);
    if (columns >> HAS_RATIO & 1) {
        buf[0] = '\0';
        if (place->base != REPORT_NO_BASE)
            report_ratio(row, &report->set.rows[place->base], buf, sizeof(buf));
        html_put(out, "<td class=\"n ratio\">%s</td>", buf);
    }
    if (columns >> HAS_INTERVAL & 1)
        html_put(out, "<td class=\"n ci\">%s</td>", UNITS_RANGE(row->stats.ci95_lo, row->stats.ci95_hi, unit));
    for (size_t f = 0; f < N_FIGURES; f++)
        if (columns >> (HAS_FIGURES + f) & 1)
            put_number(figure_of(row, f), unit, figures[f].class, out);
    put_number((double)row->stats.n, "", "of", out);
    text_printf(out, "<td%s>%s</td></tr>\n", row->status >= ROW_SKIPPED ? " class=\"bad\"" : "",
                row_status_name(row->status));
}

/* "disturbed by preempted 19.5 ms, switches 364" */
static void put_causes(const struct row *row, const char *before, struct text *out)
{
    for (size_t i = 0; i < row->causes.n; i++) {
        const struct row_cause *cause = &row->causes.of[i];
        if (!(cause->number > 0))
            continue;
        html_put(out, "%s%s %s", before, cause->name, UNITS_VALUE(cause->number, cause->is_time ? "ms" : ""));
        before = ", ";
    }
}

/* The reason of a status worse than unstable; for a headline row what disturbed the measurement, once for all
 * metrics of it. told: the previous row of each run. */
static void put_remarks(const struct report *report, const struct report_place *places, size_t n, unsigned columns,
                        const struct row **told, struct text *out)
{
    FREED_BY(text_free) struct text remarks = {0};

    for (size_t i = 0; i < n; i++) {
        const struct row *row = &report->set.rows[places[i].row], **last = &told[report_run_of(report, row)];
        FREED_BY(text_free) struct text remark = {0};
        html_put(&remark, "%s", row->status > ROW_UNSTABLE ? row->reason : "");
        if (row->headline && !(*last && row_same_measurement(*last, row)))
            put_causes(row, remark.length ? "; disturbed by " : "disturbed by ", &remark);
        *last = row;
        if (!remark.length)
            continue;
        text_printf(&remarks, "<div>");
        put_run(report, row, "span", &remarks);
        text_printf(&remarks, "%s</div>", remark.data);
    }
    if (remarks.length)
        text_printf(out, "<tr class=\"more\"><td colspan=\"%d\">%s</td></tr>\n",
                    5 + (report->n_runs > 1) + __builtin_popcount(columns), remarks.data);
}

size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out)
{
    const struct row *base, *told[REPORT_RUNS_MAX + 1] = {NULL};
    const unsigned columns = columns_of(report, suite, all, &base);
    size_t shown = 0, n = 0;

    put_heads(report, columns, base, out);
    for (size_t i = 0; i < report->set.n;) {
        const struct report_place *places = &report->order[i];
        size_t length = 0;
        for (; i < report->set.n && report->order[i].group == places->group; i++)
            length += is_shown(&report->set.rows[report->order[i].row], suite, all);
        n += length;
        length = length < most - shown ? length : most - shown;
        if (!length)
            continue;
        text_printf(out, "<tbody>");
        for (size_t k = 0; k < length; k++)
            put_row(report, &places[k], columns, k ? 0 : length, out);
        put_remarks(report, places, length, columns, told, out);
        text_printf(out, "</tbody>\n");
        shown += length;
    }
    text_printf(out, "</table></div>\n");
    if (n > shown)
        text_printf(out, "<p class=\"soft\">%zu more are left out here.</p>\n", n - shown);
    return shown;
}
