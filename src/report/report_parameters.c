/* SPDX-License-Identifier: MIT */
/* Draws curves of the times of commands over their parameters (run --parameter-list and --parameter-scan). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sys/base.h"

#define POINTS_MAX 768u
#define LINES_MAX  16u
#define LABEL_SIZE 160u

/* The time of a command with one value of the parameter. */
struct point {
    const struct row *row;
    size_t run;
    double x;
    char label[LABEL_SIZE]; /* of its line */
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
static void take_points(struct curve *curve)
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
static void label(const struct curve *curve, const struct point *point, bool as_template, char buf[LABEL_SIZE])
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
    text_copy(buf, LABEL_SIZE, out.data ? out.data : "");
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
    FREED_BY(memory_free) char(*other)[LABEL_SIZE] = memory_get(curve->n, sizeof(*other));

    for (size_t i = 0; i < curve->n; i++)
        label(curve, &curve->points[i], false, curve->points[i].label);
    for (size_t i = 0; i < curve->n; i++)
        if (!has_other(curve, &curve->points[i]))
            label(curve, &curve->points[i], true, other[i]);
    for (size_t i = 0; i < curve->n; i++)
        if (other[i][0])
            text_copy(curve->points[i].label, LABEL_SIZE, other[i]);
    for (size_t i = curve->n; i-- > 0;) { /* from the end, because count_same() needs the labels of the points before */
        const size_t same = count_same(curve, i);
        if (same)
            text_add(curve->points[i].label, LABEL_SIZE, ", command %zu", same + 1);
    }
}

static size_t take_line(const struct curve *curve, const char *name, struct chart_value *values)
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

static void put_curve(const struct curve *curve, struct text *out)
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
        chart_curve(&c, names[l], (unsigned)(l % HTML_COLOURS), values, take_line(curve, names[l], values));
    chart_put(&c, out);
}

/* --- All parameters. --- */

void report_put_parameters(const struct report *report, struct text *out)
{
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    FREED_BY(memory_free) struct point *points = memory_get(POINTS_MAX, sizeof(*points));
    FREED_BY(text_free) struct text figures = {0};
    size_t n_keys = 0;

    for (size_t i = 0; i < report->set.n; i++)
        if (is_time(report, &report->set.rows[i]))
            n_keys = row_params_varied(&report->set.rows[i].param, keys, n_keys);
    for (size_t i = 0; i < n_keys; i++) {
        struct curve curve = {.report = report, .key = keys[i], .points = points};
        take_points(&curve);
        if (!curve.n)
            continue;
        label_points(&curve);
        put_curve(&curve, &figures);
    }
    if (figures.length)
        text_printf(out, "<div class=\"grid\">\n%s</div>\n", figures.data);
}
