/* SPDX-License-Identifier: MIT */
/* The report's section on many hosts: outliers, a heat map of hosts by results, and the distribution of each result. */

#include "report/report.h"

#define LEAST_EFFECT  0.02 /* default of jitbench fleet --min-effect */
#define FINDINGS_MOST 100u
#define ROWS_MOST     60u
#define COLUMNS_MOST  60u
#define OPEN_MOST     12u
#define NAME          128u

struct fleet {
    const struct gather *g;
    struct judgement judgement;
    size_t column[COLUMNS_MOST], n_columns, n_hidden;
    bool far[COLUMNS_MOST]; /* a host stands out in it */
    char name[COLUMNS_MOST][NAME];
};

/* --- Selection. --- */

static bool anyone_far(const struct fleet *f, size_t result)
{
    const struct gather_result *of = &f->g->result[result];

    for (size_t i = of->first; i < of->first + of->n && f->judgement.metric[result].n; i++)
        if (judge_is_far(&f->judgement, result, f->g->values[i].machine, f->g->values[i].value))
            return true;
    return false;
}

/* Of more than COLUMNS_MOST, results in which a host stands out are preferred. */
static void choose_columns(struct fleet *f)
{
    size_t far = 0;

    for (size_t k = 0; k < f->g->results.n; k++)
        far += anyone_far(f, k);
    for (size_t k = 0, others = far < COLUMNS_MOST ? COLUMNS_MOST - far : 0; k < f->g->results.n; k++) {
        const bool is_far = anyone_far(f, k);
        if (!f->judgement.metric[k].n)
            continue;
        if (f->n_columns == COLUMNS_MOST || (!is_far && !others)) {
            f->n_hidden++;
            continue;
        }
        others -= !is_far;
        fleet_name_result(&f->g->result[k], true, f->name[f->n_columns], NAME);
        f->far[f->n_columns] = is_far;
        f->column[f->n_columns++] = k;
    }
}

/* --- The heat map. The colour of a cell shows how far its value is from the usual one, in spreads (robust standard
 * deviations), and in which direction: from blue (better) by grey to orange (worse), which people with the common
 * kinds of colour blindness can distinguish. Each cell has a description for pointers and screen readers. --- */

#define LEVELS 4 /* for better values, and for worse */

/* In spreads: where the colours begin. */
static const double levels[LEVELS] = {2, 3.5, 6, 12};

static void put_legend(struct text *out)
{
    text_printf(out, CHART_LEGEND);
    for (int level = -LEVELS; level <= LEVELS; level++) {
        int size = level < 0 ? -level : level;
        chart_legend_item(out, level ? heat_classes[LEVELS + level] : "q0",
                          !level ? "as usual"
                          : size == LEVELS
                              ? TEXT_LINE("%s, %g or more", level < 0 ? "better" : "worse", levels[size - 1])
                              : TEXT_LINE("%g to %g", levels[size - 1], levels[size]));
    }
    text_printf(out, "</div>\n");
}

/* The first column of a suite has a gap before it. */
static bool begins_suite(const struct fleet *f, size_t column)
{
    return !column || strcmp(f->g->result[f->column[column]].suite, f->g->result[f->column[column - 1]].suite);
}

/* Of a value that is far off, the effect is shown as text too. */
static void put_heat_cell(const struct fleet *f, const struct judged *j, size_t column, struct text *out)
{
    const size_t k = f->column[column];
    const struct outlier_metric *metric = &f->judgement.metric[k];
    const double own = gather_value(f->g, k, j->machine), distance = fabs(outlier_distance(metric, own));
    const bool known = !isnan(own), worse = judge_worse_by(&f->judgement, k, own) > 0;
    const bool far = known && judge_is_far(&f->judgement, k, j->machine, own);
    int level = 0;

    while (known && level < LEVELS && distance >= levels[level])
        level++;
    const char *colour = known ? heat_classes[worse ? LEVELS + level : LEVELS - level] : "x";
    const char *begins = begins_suite(f, column) ? " g" : "";
    if (*colour || far || *begins)
        html_put(out, "<td class=\"%s%s%s\"", colour, far ? " far" : "", begins);
    else
        text_printf(out, "<td");
    html_put(out, " title=\"%.60s, %.100s: ", j->name, f->name[column]);
    if (known)
        html_put(out, "%s, %+.1f %%: %s%s\">", UNITS_VALUE(own, f->g->result[k].unit),
                 100 * outlier_effect(metric, own), worse ? "worse" : "better", far ? ", stands out" : "");
    else
        text_printf(out, "no value\">\xc2\xb7");
    if (far)
        text_printf(out, "%+.0f", 100 * outlier_effect(metric, own));
    text_printf(out, "</td>");
}

static void put_map(const struct fleet *f, const struct doc *doc)
{
    struct text *out = doc->out;
    size_t hidden = 0, findings = 0;

    doc_heading(doc, NULL, "Hosts by figures");
    doc_say(doc, "The colour tells how many times its usual spread a figure is off the fleet's median. Where a host "
                 "stands out, the number tells by how many per cent. Hosts with findings come first.");
    put_legend(out);
    text_printf(out, "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th>Host</th>");
    for (size_t c = 0; c < f->n_columns; c++) {
        text_printf(out, "<th%s", begins_suite(f, c) ? " class=\"g\"" : "");
        html_put(out, " title=\"%s\"><span>%s</span></th>", f->name[c], f->name[c]);
    }
    text_printf(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < f->g->machines.n; i++) {
        const struct judged *j = &f->judgement.judged[i];
        if (i >= ROWS_MOST) {
            hidden++;
            findings += judge_stands_out(j) || j->differences || f->g->machine[j->machine].failed;
            continue;
        }
        text_printf(out, "<tr%s>", judge_stands_out(j) ? " class=\"out\"" : "");
        html_put(out, "<th title=\"%s\">%s</th>", j->name, j->name);
        for (size_t c = 0; c < f->n_columns; c++)
            put_heat_cell(f, j, c, out);
        text_printf(out, "</tr>\n");
    }
    text_printf(out, "</tbody></table></div>\n");
    if (hidden)
        doc_say(doc, "%zu more hosts, %zu of them with findings, are left out here.", hidden, findings);
    if (f->n_hidden)
        doc_say(doc, "%zu more figures are left out here.", f->n_hidden);
}

/* --- Distributions. --- */

#define NAMED_MAX 3u

static double distance_of(const struct fleet *f, const struct gather_value *v)
{
    return fabs(outlier_distance(&f->judgement.metric[v->result], v->value));
}

/* Finds the hosts that stand out, the farthest first. Returns how many there are. */
static size_t find_named(const struct fleet *f, const struct gather_result *of,
                         const struct gather_value *named[NAMED_MAX])
{
    size_t far = 0;

    for (const struct gather_value *v = f->g->values + of->first, *end = v + of->n; v < end; v++) {
        size_t at = far < NAMED_MAX ? far : NAMED_MAX;
        if (!judge_is_far(&f->judgement, v->result, v->machine, v->value))
            continue;
        far++;
        for (; at && distance_of(f, named[at - 1]) < distance_of(f, v); at--)
            if (at < NAMED_MAX)
                named[at] = named[at - 1];
        if (at < NAMED_MAX)
            named[at] = v;
    }
    return far;
}

static void add_hosts(struct chart *c, const char *label, unsigned colour, double *values, size_t n)
{
    struct row row;

    row_init(&row, NULL);
    row.samples = values;
    row.n_samples = n;
    row.value = stats_median(values, n);
    if (n > 1) {
        row.stats.min = values[0];
        row.stats.median = row.value;
        row.stats.max = values[n - 1];
    }
    chart_samples(c, &(struct chart_entry){.row = &row, .label = label, .colour = colour});
}

static void put_distribution(const struct fleet *f, size_t column, double *values, struct charts *charts, bool folded)
{
    const size_t k = f->column[column];
    const struct gather_result *of = &f->g->result[k];
    const struct gather_value *named[NAMED_MAX];
    const size_t far = find_named(f, of, named);
    const char *more = far > NAMED_MAX ? TEXT_LINE("; %zu more stand out", far - NAMED_MAX) : "";
    size_t n = 0;

    for (size_t i = 0; i < of->n; i++)
        if (isfinite(f->g->values[of->first + i].value))
            values[n++] = f->g->values[of->first + i].value;
    struct chart c = {.title = f->name[column],
                      .note = TEXT_LINE("%s is better%s", of->higher_is_better ? "more" : "less", more),
                      .x = {.title = of->metric, .unit = of->unit}};
    add_hosts(&c, TEXT_LINE("%zu hosts", n), 6, values, n);
    for (size_t i = 0; i < far && i < NAMED_MAX; i++) {
        double value = named[i]->value;
        add_hosts(&c, f->g->machines.name[named[i]->machine], judge_worse_by(&f->judgement, k, value) > 0, &value, 1);
    }
    chart_put(&c, charts, folded);
}

/* Figures with an outlier first. */
static void put_distributions(const struct fleet *f, const struct doc *doc)
{
    FREED double *values = memory_get(f->g->machines.n, sizeof(*values));
    struct charts charts = {0};
    size_t n = 0;

    doc_heading(doc, NULL, "How each figure spreads");
    doc_say(doc,
            "A dot is a host%s, the bar their median; those that stand out have a line with their name. The "
            "vertical position means nothing.",
            f->g->machines.n > CHART_SAMPLES ? " (of many those at even ranks)" : "");
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < f->n_columns; c++)
            if (f->far[c] == !pass)
                put_distribution(f, c, values, &charts, n++ >= OPEN_MOST);
    charts_end(&charts, doc->out);
}

bool report_has_fleet(const struct report *report)
{
    return report->gather.machines.n >= OUTLIER_HOSTS_LEAST;
}

void report_put_fleet(const struct report *report, const struct doc *doc)
{
    struct fleet f = {.g = &report->gather};
    const struct doc table = {.out = doc->out, .format = DOC_HTML, .rows_most = FINDINGS_MOST};

    judge(&f.judgement, f.g, LEAST_EFFECT);
    choose_columns(&f);
    fleet_put_summary(&f.judgement, doc);
    fleet_put_table(&f.judgement, false, &table);
    if (f.n_columns) {
        put_map(&f, doc);
        put_distributions(&f, doc);
    }
    judge_free(&f.judgement);
}
