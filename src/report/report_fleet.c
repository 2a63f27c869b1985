/* SPDX-License-Identifier: MIT */
/* The report's section on many hosts: outliers, a heat map of hosts by figures, and the distribution of each figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sys/base.h"

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
    char (*name)[NAME];
};

/* --- Selection. --- */

static bool anyone_far(const struct fleet *f, size_t figure)
{
    const struct gather_figure *of = &f->g->figure[figure];

    for (size_t i = of->first; i < of->first + of->n; i++)
        if (judge_is_far(&f->judgement, figure, f->g->values[i].machine, f->g->values[i].value))
            return true;
    return false;
}

/* Of more than COLUMNS_MOST, figures in which a host stands out are preferred. */
static void choose_columns(struct fleet *f)
{
    size_t far = 0, others;

    for (size_t k = 0; k < f->g->figures.n; k++)
        far += f->judgement.metric[k].n && anyone_far(f, k);
    others = far < COLUMNS_MOST ? COLUMNS_MOST - far : 0;
    for (size_t k = 0; k < f->g->figures.n; k++) {
        if (!f->judgement.metric[k].n)
            continue;
        bool is_far = anyone_far(f, k);
        if (f->n_columns < COLUMNS_MOST && (is_far || others)) {
            others -= !is_far;
            f->column[f->n_columns++] = k;
        } else {
            f->n_hidden++;
        }
    }
    f->name = memory_get(f->n_columns, sizeof(*f->name));
    for (size_t c = 0; c < f->n_columns; c++)
        fleet_name_figure(&f->g->figure[f->column[c]], true, f->name[c], NAME);
}

/* --- The heat map. The colour of a cell shows how far its value is from the usual one, in spreads (robust standard
 * deviations), and in which direction: from blue (better) by grey to orange (worse), which people with the common
 * kinds of colour blindness can distinguish. Each cell has a description for pointers and screen readers. --- */

#define LEVELS 4 /* for better values, and for worse */

/* In spreads: where the colours begin. */
static const double levels[LEVELS] = {2, 3.5, 6, 12};

static const char *const classes[2 * LEVELS + 1] = {"b4", "b3", "b2", "b1", "", "w1", "w2", "w3", "w4"};

static void put_legend(struct text *out)
{
    text_printf(out, CHART_LEGEND);
    for (int level = -LEVELS; level <= LEVELS; level++) {
        int size = level < 0 ? -level : level;
        chart_legend_item(out, level ? classes[LEVELS + level] : "q0",
                          !level ? "as usual"
                          : size == LEVELS
                              ? TEXT_LINE("%s, %g spreads or more", level < 0 ? "better" : "worse", levels[size - 1])
                              : TEXT_LINE("%g to %g", levels[size - 1], levels[size]));
    }
    text_printf(out, "</div>\n");
}

/* The first column of a suite has a gap before it. */
static bool begins_suite(const struct fleet *f, size_t column)
{
    return !column || strcmp(f->g->figure[f->column[column]].suite, f->g->figure[f->column[column - 1]].suite) != 0;
}

/* Of a value that is far off, the distance is shown as text too. */
static void put_cell(const struct fleet *f, const struct judged *j, size_t column, struct text *out)
{
    const size_t k = f->column[column];
    const struct outlier_metric *metric = &f->judgement.metric[k];
    const double own = gather_value(f->g, k, j->machine), distance = fabs(outlier_distance(metric, own));
    const bool known = !isnan(own), worse = judge_worse_by(&f->judgement, k, own) > 0;
    const bool far = known && judge_is_far(&f->judgement, k, j->machine, own);
    int level = 0;

    while (known && level < LEVELS && distance >= levels[level])
        level++;
    const char *colour = known ? classes[worse ? LEVELS + level : LEVELS - level] : "x";
    const char *begins = begins_suite(f, column) ? " g" : "";
    if (*colour || far || *begins)
        html_put(out, "<td class=\"%s%s%s\"", colour, far ? " far" : "", begins);
    else
        text_printf(out, "<td");
    html_put(out, " title=\"%.60s, %.100s: ", j->name, f->name[column]);
    if (known)
        html_put(out, "%s, %+.1f %%: %s by %.1f spreads%s\">", UNITS_VALUE(own, f->g->figure[k].unit),
                 100 * outlier_effect(metric, own), worse ? "worse" : "better", distance, far ? ", stands out" : "");
    else
        text_printf(out, "no value\">\xc2\xb7");
    if (far)
        text_printf(out, distance < 99.5 ? "%.0f" : "&gt;99", distance);
    text_printf(out, "</td>");
}

static void put_map(const struct fleet *f, const struct doc *doc)
{
    struct text *out = doc->out;
    size_t hidden = 0, findings = 0;

    doc_heading(doc, NULL, "Hosts by figures");
    text_printf(out, "<p class=\"soft\">How many spreads each figure of each host is off the fleet's median. Cells "
                     "with a number stand out. Hosts with findings come first.</p>\n");
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
            put_cell(f, j, c, out);
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
#define NAME_LINE 14.0 /* height of a line with a name */
#define STRIP     34.0
#define SIDES     20.0
#define PICTURE   360.0
#define DOTS_MOST 400u /* more dots are reduced to this many at evenly spaced ranks */
#define NAME_MOST 150.0

/* Hosts that stand out are named. */
struct named {
    const char *name;
    double value, distance;
    bool worse;
};

/* Finds the hosts farthest from the median. Returns how many are beyond the threshold. */
static size_t find_named(const struct fleet *f, size_t k, struct named named[NAMED_MAX], size_t *n)
{
    const struct gather_figure *of = &f->g->figure[k];
    size_t far = 0;

    *n = 0;
    for (size_t i = of->first; i < of->first + of->n; i++) {
        const struct gather_value *v = &f->g->values[i];
        if (!judge_is_far(&f->judgement, k, v->machine, v->value))
            continue;
        const struct named own = {f->g->machines.name[v->machine], v->value,
                                  fabs(outlier_distance(&f->judgement.metric[k], v->value)),
                                  judge_worse_by(&f->judgement, k, v->value) > 0};
        size_t at = 0;
        far++;
        while (at < *n && named[at].distance >= own.distance)
            at++;
        if (at == NAMED_MAX)
            continue;
        *n += *n < NAMED_MAX;
        memmove(&named[at + 1], &named[at], (*n - 1 - at) * sizeof(*named));
        named[at] = own;
    }
    return far;
}

/* Lines between names and dots do not cross: names of the left half come first, from the leftmost down, then those
 * of the right half, from the rightmost down. */
static size_t line_of(const struct named *named, size_t n, size_t number, double middle)
{
    const struct named *own = &named[number];
    bool right = own->value > middle;
    size_t line = 0;

    for (size_t i = 0; i < n; i++) {
        const struct named *other = &named[i];
        bool other_right = other->value > middle;
        bool before = right ? other->value > own->value : other->value < own->value;
        line += i != number && (other_right != right ? right : before || (other->value == own->value && i < number));
    }
    return line;
}

static void add_names(struct chart *c, const struct named *named, size_t n)
{
    const struct chart_mark mark = {.y = 0.5, .low = NAN, .high = NAN};
    struct svg_scale x = chart_scale(&c->x, c->x.low > 0 && c->x.high / c->x.low > 50);
    double half = PICTURE / 2, middle = x.low;

    x.from = SIDES;
    x.to = PICTURE - SIDES;
    for (size_t i = 0; i < n; i++)
        if (svg_at(&x, named[i].value) < half)
            middle = fmax(middle, named[i].value);
    for (size_t i = 0; i < n; i++) {
        const struct named *host = &named[i];
        const bool left = svg_at(&x, host->value) < half;
        /* from the middle of the strip */
        const double up = NAME_LINE * (double)line_of(named, n, i, middle) + 11 - c->strip_top - STRIP / 2;
        struct chart_mark line = mark, dot = mark, name = mark;
        line.shape = CHART_SEGMENT;
        line.classes = "base";
        line.dy = up - 9;
        dot.shape = CHART_DOT;
        dot.classes = "mark";
        dot.group = host->worse ? 2 : 1;
        dot.size = 4;
        name.shape = CHART_TEXT;
        name.classes = "ink";
        name.dx = left ? 5 : -5;
        name.dy = up;
        name.size = NAME_MOST;
        name.ends = !left;
        line.x = line.x2 = dot.x = name.x = host->value;
        chart_mark(c, line, NULL);
        chart_mark(c, dot, TEXT_LINE("%.120s: %.60s", host->name, UNITS_VALUE(host->value, c->x.unit)));
        chart_mark(c, name, host->name);
    }
}

static void put_distribution(const struct fleet *f, size_t column, double *values, struct text *out)
{
    const size_t k = f->column[column];
    const struct gather_figure *of = &f->g->figure[k];
    const double median = f->judgement.metric[k].median;
    struct named named[NAMED_MAX];
    struct stats_point points[DOTS_MOST];
    size_t n_named, n = 0;
    const size_t far = find_named(f, k, named, &n_named);
    char title[sizeof(of->metric)];

    for (size_t i = 0; i < of->n; i++)
        if (isfinite(f->g->values[of->first + i].value))
            values[n++] = f->g->values[of->first + i].value;
    if (!n)
        return;
    stats_sort(values, n);
    const size_t shown = n < DOTS_MOST ? n : DOTS_MOST;
    for (size_t i = 0; i < shown; i++)
        points[i] =
            (struct stats_point){values[shown < n ? i * (n - 1) / (DOTS_MOST - 1) : i],
                                 /* looks random, but is always the same for a number (Knuth's multiplicative hash) */
                                 (double)((uint32_t)(i + 1) * UINT32_C(2654435761) >> 16) / 65536.0};
    const char *more = far > n_named ? TEXT_LINE("; %zu more stand out", far - n_named) : "";
    const char *note = TEXT_LINE("%zu hosts, %s is better%s", of->n, of->higher_is_better ? "more" : "less", more);
    text_copy(title, sizeof(title), of->metric);
    title[0] = (char)(title[0] >= 'a' && title[0] <= 'z' ? title[0] - 'a' + 'A' : title[0]);
    for (char *s = title; *s; s++)
        *s = (char)(*s == '_' ? ' ' : *s);
    struct chart c = {.title = f->name[column],
                      .note = note,
                      .x = {.title = title, .unit = of->unit, .scale = CHART_WIDE, .tight = true, .steps = 5},
                      .right = SIDES,
                      .strip_top = NAME_LINE * (double)n_named + 4,
                      .n_dots = n};
    chart_mark(&c,
               (struct chart_mark){.shape = CHART_POINTS, .group = 7, .classes = "dots", .points = points, .n = shown},
               NULL);
    if (isfinite(median))
        chart_mark(&c,
                   (struct chart_mark){.shape = CHART_SEGMENT,
                                       .classes = "whisker bold",
                                       .x = median,
                                       .x2 = median,
                                       .y = 0.5,
                                       .dy = -STRIP / 2,
                                       .dy2 = STRIP / 2},
                   NULL);
    add_names(&c, named, n_named);
    chart_put(&c, out);
}

/* Figures with an outlier first; after OPEN_MOST the others are folded. */
static void put_distributions(const struct fleet *f, const struct doc *doc)
{
    struct text *out = doc->out;
    FREED_BY(memory_free) double *values = memory_get(f->g->machines.n, sizeof(*values));
    size_t order[COLUMNS_MOST], n = 0;

    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < f->n_columns; c++)
            if (anyone_far(f, f->column[c]) == !pass)
                order[n++] = c;
    doc_heading(doc, NULL, "How each figure spreads");
    doc_say(doc,
            "A dot is a host%s, the line their median; those that stand out have a name. The vertical position means "
            "nothing.",
            f->g->machines.n > 400 ? " (of more than 400 those at even ranks)" : "");
    text_printf(out, "<div class=\"grid\">\n");
    for (size_t i = 0; i < n; i++) {
        if (i == OPEN_MOST)
            text_printf(out, "</div>\n<details><summary>%zu more figures</summary>\n<div class=\"grid\">\n", n - i);
        put_distribution(f, order[i], values, out);
    }
    text_printf(out, "</div>\n%s", n > OPEN_MOST ? "</details>\n" : "");
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
    free(f.name);
}
