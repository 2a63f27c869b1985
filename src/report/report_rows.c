/* SPDX-License-Identifier: MIT */
/* The report's tables of rows: their order, their columns, and the ratio of each row to its base. */

#include "analysis/compare.h"
#include "report/report.h"

/* --- The order of the rows. --- */

enum { KEY_CLASS, KEY_GROUP, KEY_RUN, KEY_ROW, N_KEYS };

/* Rows of one group are the same measurement and metric in several runs. Groups of one class are compared in a page
 * of one run: commands of suite run, or a test with different numbers of copies. */
struct row_place {
    size_t key[N_KEYS];
};

static struct row_place place_of_row(const struct report *report, size_t number, struct index *classes,
                                     struct index *groups)
{
    const struct row *row = &report->set.rows[number];
    FREED_BY(text_free) struct text group = {0}, class = {0};
    const char *cpus = metrics_row_per_cpu(report->metrics, row) && row->copies > 1 ? row->cpus : "";
    size_t words = pair_key(row, false, true, &group);

    text_printf(&group, "\x1f%s", cpus);
    if (!strcmp(row->suite, "run"))
        text_printf(&class, "%s\x1f%s\x1f%" PRIu64 "\x1f%s", row->suite, row->load, row->copies, row->metric);
    else
        text_printf(&class, "%s\x1f%s\x1f%s\x1f%s\x1f%s", row->suite, row->test, row->load, row->metric,
                    group.data + words);
    return (struct row_place){
        {index_enter(classes, class.data), index_enter(groups, group.data), report_run_of(report, row), number}};
}

static int by_place(const void *a, const void *b)
{
    const struct row_place *x = a, *y = b;
    int key = 0;

    while (key < KEY_ROW && x->key[key] == y->key[key])
        key++;
    return ORDER_OF(x->key[key], y->key[key]);
}

void report_sort_rows(struct report *report)
{
    const int key = report->n_all_runs > 1 ? KEY_GROUP : KEY_CLASS;
    const size_t n = report->set.n;
    FREED struct row_place *places = memory_get(n, sizeof(*places));
    FREED_BY(index_free) struct index classes = {0}, groups = {0};

    report->order = memory_get(n, sizeof(*report->order));
    for (size_t i = 0; i < n; i++)
        places[i] = place_of_row(report, i, &classes, &groups);
    SORT(places, n, by_place);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && places[end].key[key] == places[begin].key[key]; end++)
            ;
        bool alone = end == begin + 1 || places[begin].key[KEY_RUN] != 0 ||
                     (key == KEY_CLASS && places[begin].key[KEY_GROUP] == places[end - 1].key[KEY_GROUP]);
        for (size_t i = begin; i < end; i++)
            report->order[i] =
                (struct report_place){.row = &report->set.rows[places[i].key[KEY_ROW]],
                                      .base = alone ? NULL : &report->set.rows[places[begin].key[KEY_ROW]],
                                      .group = places[i].key[KEY_GROUP]};
    }
}

/* --- The table. --- */

char *report_ratio(const struct row *row, const struct row *base, char *buf, size_t size)
{
    double low = NAN, high = NAN, ratio = row->value / base->value;

    if (row == base)
        ratio = 1;
    else if (row->value == row->stats.mean && base->value == base->stats.mean)
        ratio = stats_ratio_of_means(&row->stats, &base->stats, &low, &high);
    units_value(ratio, "", buf, size);
    if (isfinite(low) && isfinite(high))
        text_add(buf, size, " (%s)", UNITS_RANGE(low, high, ""));
    return buf;
}

static bool is_row_shown(const struct row *row, const char *suite, bool all)
{
    return !strcmp(row->suite, suite) && (all || row->headline);
}

/* ratio: for the title of the column of ratios; lives as long as the grid. */
static void put_row_columns(const struct report *report, const struct row *base, char *ratio, size_t size,
                            struct grid *grid)
{
    const struct grid_column columns[] = {{"Test", .left = true, .wrap = true},
                                          {"Metric", .left = true},
                                          {"Run", .left = true, .optional = true},
                                          {.title = "Value"}};
    static const struct grid_column others[] = {{"95 % interval", .optional = true},
                                                {"Minimum", .optional = true},
                                                {"Median", .optional = true},
                                                {"p99", .optional = true},
                                                {"Maximum", .optional = true},
                                                {.title = "n"},
                                                {"Status", .left = true}};

    GRID_COLUMNS(grid, columns);
    if (base) {
        if (report->n_all_runs > 1)
            text_line(ratio, size, "Ratio to %.24s", report->name[0]);
        else if (!strcmp(base->suite, "run"))
            text_line(ratio, size, "Ratio to %.24s", base->test);
        else
            text_line(ratio, size, "Ratio to %" PRIu64 " cop%s", base->copies, base->copies == 1 ? "y" : "ies");
        GRID_COLUMN(grid, .title = ratio);
    }
    GRID_COLUMNS(grid, others);
}

static const char *run_name(const struct report *report, const struct row *row)
{
    const size_t run = report_run_of(report, row);

    return report->n_runs < 2 ? "" : run < report->n_runs ? report->name[run] : row->run->host;
}

/* named: an earlier row has test and metric. */
static void put_report_row(const struct report *report, const struct report_place *place, bool named, bool with_ratio,
                           struct grid *grid)
{
    const struct row *row = place->row;
    const struct stats_summary *s = &row->stats;
    const double figures[] = {s->min, s->median, s->p99, s->max};
    const size_t run = report_run_of(report, row);

    grid_text(grid, named ? "" : REPORT_LABEL(report, row));
    grid_text(grid, named ? "" : row->metric);
    text_printf(run < report->n_runs ? grid_key(grid, run) : grid_cell(grid, COLOR_NONE), "%s", run_name(report, row));
    grid_value(grid, row->value, row->unit);
    if (with_ratio)
        grid_text(grid, place->base ? REPORT_RATIO(row, place->base) : "");
    grid_text(grid, isfinite(s->ci95_lo) && isfinite(s->ci95_hi) ? UNITS_RANGE(s->ci95_lo, s->ci95_hi, row->unit) : "");
    for (size_t i = 0; i < COUNT(figures); i++)
        grid_text(grid, isfinite(figures[i]) ? UNITS_VALUE(figures[i], row->unit) : "");
    grid_text(grid, UNITS_VALUE((double)s->n, ""));
    text_printf(grid_cell(grid, row->status >= ROW_SKIPPED ? COLOR_RED : COLOR_NONE), "%s",
                row_status_name(row->status));
}

/* The reason of a status worse than unstable; for a headline row what disturbed the measurement, once for all
 * metrics of it. told: the previous row of each run. */
static void put_remark(const struct report *report, const struct row *row, const struct row **told, struct grid *grid)
{
    const struct row **last = &told[report_run_of(report, row)];
    FREED_BY(text_free) struct text remark = {0};

    text_printf(&remark, "%s", row->status > ROW_UNSTABLE ? row->reason : "");
    const char *before = remark.length ? "; disturbed by " : "disturbed by ";
    const bool told_before = *last && row_same_measurement(*last, row);
    for (size_t i = 0; i < row->causes.n && row->headline && !told_before; i++) {
        const struct row_cause *cause = &row->causes.of[i];
        if (!(cause->number > 0))
            continue;
        text_printf(&remark, "%s%s %s", before, cause->name, UNITS_VALUE(cause->number, cause->is_time ? "ms" : ""));
        before = ", ";
    }
    *last = row;
    if (remark.length)
        text_printf(grid_note(grid), "%s%s%s", run_name(report, row), report->n_runs > 1 ? ": " : "", remark.data);
}

size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, const struct doc *doc)
{
    const struct row *base = NULL, *told[REPORT_RUNS_MAX + 1] = {NULL};
    const struct doc table = {.out = doc->out, .format = DOC_HTML, .class = "rows"};
    struct grid grid = {.html = true};
    char ratio[64];
    size_t n = 0, group = 0;

    for (size_t i = 0; i < report->set.n && !base; i++)
        base = is_row_shown(report->order[i].row, suite, all) ? report->order[i].base : NULL;
    put_row_columns(report, base, ratio, sizeof(ratio), &grid);
    for (size_t i = 0; i < report->set.n; i++) {
        const struct report_place *place = &report->order[i];
        if (!is_row_shown(place->row, suite, all) || n++ >= most)
            continue;
        put_report_row(report, place, n > 1 && place->group == group, base, &grid);
        put_remark(report, place->row, told, &grid);
        group = place->group;
    }
    doc_table(&table, &grid);
    if (n > most)
        doc_say(doc, "%zu more are left out here.", n - most);
    return n < most ? n : most;
}
