/* SPDX-License-Identifier: MIT */
/* Exports rows as OpenMetrics 1.0 text that is also valid in Prometheus' text format 0.0.4: gauges, no timestamps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/export.h"
#include "rows/index.h"
#include "sys/memory.h"
#include "sys/order.h"

static const char *refuse(const struct row *row)
{
    if (isnan(row->value))
        return "without a value";
    return row->metric[0] ? NULL : "without a metric";
}

/* --- Names and labels. --- */

static bool ends_with(const char *s, const char *end)
{
    size_t length = strlen(s), end_length = strlen(end);
    return length >= end_length && !strcmp(s + length - end_length, end);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Appends a word of letters, digits and underscores; other characters become underscores. A single letter is joined to
 * the word before it, because validators take it for a unit (b for bytes, d for days). */
static void put_word(const char *s, size_t length, struct text *out)
{
    for (size_t i = 0; i < length; i++) {
        bool alone = i > 0 && i + 1 < length && is_plain(s[i + 1]) && (i + 2 == length || !is_plain(s[i + 2]));
        if (is_plain(s[i]))
            text_append(out, &s[i], 1);
        else if (!alone)
            text_append(out, "_", 1);
    }
}

/* Returns the length of the metric's id without a unit that it ends in, because the base unit is appended. */
static size_t id_length(const struct row *row)
{
    static const char *const spelled[] = {"_per_ms", "_hz"};

    for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
        if (ends_with(row->metric, spelled[i]))
            return strlen(row->metric) - strlen(spelled[i]);
    return strlen(row->metric);
}

static const char *base_of(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);
    return unit ? unit->base : row->unit;
}

/* Appends jitbench_ID_UNIT, without an ending that is reserved for other types of metrics. */
static void put_family(const struct row *row, struct text *out)
{
    static const char *const reserved[] = {"_total", "_count", "_sum", "_bucket", "_created", "_info"};
    const char *base = base_of(row);

    text_printf(out, "jitbench_");
    put_word(row->metric, id_length(row), out);
    if (base[0] && !ends_with(row->metric, base)) {
        text_append(out, "_", 1);
        put_word(base, strlen(base), out);
    }
    for (size_t i = 0; out->data && i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (ends_with(out->data, reserved[i])) {
            text_printf(out, "_value");
            break;
        }
}

static void put_escaped(const char *s, struct text *out)
{
    while (*s) {
        size_t length = text_utf8_length(s);
        if (!length)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (*s == '\n')
            text_append(out, "\\n", 2);
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else
            text_append(out, s, length);
        s += length ? length : 1;
    }
}

/* Appends a label; an empty one is left out. */
static void put_label(const char *name, const char *value, struct text *out)
{
    if (!value[0])
        return;
    text_printf(out, "%s%s=\"", out->data && out->data[out->length - 1] != '{' ? "," : "", name);
    put_escaped(value, out);
    text_append(out, "\"", 1);
}

static void put_labels(const struct row *row, struct text *out)
{
    FREED_BY(text_free) struct text param = {0};
    char copies[24] = "", protocol[ROW_PROTOCOL_SIZE];

    row_protocol(&row->param, protocol);
    export_param(row, ' ', &param);
    if (row->copies)
        (void)snprintf(copies, sizeof(copies), "%llu", (unsigned long long)row->copies);
    text_append(out, "{", 1);
    put_label("host", row->run->host, out);
    put_label("job_id", row->run->job, out);
    put_label("rank", row->run->rank, out);
    put_label("suite", row->suite, out);
    put_label("test", row->test, out);
    put_label("load", row->load, out);
    put_label("param", param.length ? param.data : "", out);
    put_label("protocol", protocol, out);
    put_label("copies", copies, out);
    put_label("cpus", row->cpus, out);
    put_label("status", row_status_name(row->status), out);
    text_append(out, "}", 1);
}

/* --- Points. --- */

struct point {
    const struct row *row;
    char *family, *labels;
    size_t at, first; /* first: position of the first point of the family */
};

static int by_family_and_age(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    int order = strcmp(one->family, other->family);

    if (!order)
        order = strcmp(one->labels, other->labels);
    if (!order)
        order = strcmp(one->row->run->utc, other->row->run->utc);
    return order ? order : ORDER_OF(one->at, other->at);
}

static int by_place(const void *a, const void *b)
{
    const struct point *one = a, *other = b;

    return ORDER_OF(one->at, other->at);
}

static int by_first_and_place(const void *a, const void *b)
{
    const struct point *one = a, *other = b;

    if (one->first != other->first)
        return ORDER_OF(one->first, other->first);
    return by_place(a, b);
}

static void points_free(struct point *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(points[i].family);
        free(points[i].labels);
    }
    free(points);
}

static struct point *points_make(const struct export_rows *rows)
{
    struct point *points = memory_get(rows->n, sizeof(*points));

    for (size_t i = 0; i < rows->n; i++) {
        struct text family = {0}, labels = {0};
        put_family(rows->rows[i], &family);
        put_labels(rows->rows[i], &labels);
        points[i] = (struct point){rows->rows[i], family.data, labels.data, i, i};
    }
    return points;
}

/* Drops all but the newest of the points with the same labels, and sorts the others by family. Returns the number of
 * points kept. */
static size_t points_newest(struct point *points, size_t n, struct export_left_out *left_out)
{
    size_t kept = 0;

    qsort(points, n, sizeof(*points), by_family_and_age);
    for (size_t i = 0; i < n; i++) {
        bool newer = i + 1 < n && !strcmp(points[i].family, points[i + 1].family) &&
                     !strcmp(points[i].labels, points[i + 1].labels);
        if (newer) {
            export_leave_out(left_out, strcmp(points[i].row->run->utc, points[i + 1].row->run->utc)
                                           ? "older than another row with the same labels"
                                           : "with the labels and the time of another row");
            free(points[i].family);
            free(points[i].labels);
        } else {
            points[kept++] = points[i];
        }
    }
    for (size_t from = 0, end; from < kept; from = end) {
        size_t first = points[from].at;
        for (end = from; end < kept && !strcmp(points[end].family, points[from].family); end++)
            first = points[end].at < first ? points[end].at : first;
        for (size_t i = from; i < end; i++)
            points[i].first = first;
    }
    qsort(points, kept, sizeof(*points), by_first_and_place);
    return kept;
}

/* --- The text. --- */

static void put_head(const struct point *point, struct text *out)
{
    const struct row *row = point->row;
    const char *base = base_of(row);
    FREED_BY(text_free) struct text unit = {0};

    text_printf(out, "# HELP %s Value of jitbench's metric ", point->family);
    put_escaped(row->metric, out);
    if (row->better[0]) {
        text_printf(out, ", ");
        put_escaped(row->better, out);
        text_printf(out, " is better");
    }
    text_printf(out, ".\n# TYPE %s gauge\n", point->family);
    text_printf(&unit, "_");
    put_word(base, strlen(base), &unit);
    if (base[0] && ends_with(point->family, unit.data))
        text_printf(out, "# UNIT %s %s\n", point->family, unit.data + 1);
}

static void put_points(const struct point *points, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || points[i].first != points[i - 1].first)
            put_head(&points[i], out);
        text_printf(out, "%s%s ", points[i].family, points[i].labels);
        text_real(out, export_base(points[i].row, points[i].row->value));
        text_append(out, "\n", 1);
    }
}

static void put_run(const struct row_run *run, struct text *out)
{
    text_printf(out, "jitbench_run_info{");
    put_label("host", run->host, out);
    put_label("run_id", run->run_id, out);
    put_label("utc", run->utc, out);
    put_label("kernel", run->kernel, out);
    put_label("arch", run->arch, out);
    put_label("cpu_model", run->cpu_model, out);
    put_label("build", run->build, out);
    put_label("libc", run->libc, out);
    put_label("comment", run->comment, out);
    text_printf(out, "} 1\n");
}

/* Writes a run unless one with the same labels was written: no two lines may have the same labels. */
static void put_new_run(const struct row_run *run, struct index *seen, struct text *out)
{
    FREED_BY(text_free) struct text line = {0};
    const size_t known = seen->n;

    put_run(run, &line);
    (void)index_enter(seen, line.data);
    if (seen->n > known)
        text_append(out, line.data, line.length);
}

/* Writes each run once, in the order of the files, into which it sorts the points. */
static void put_runs(struct point *points, size_t n, struct text *out)
{
    FREED_BY(index_free) struct index seen = {0};

    qsort(points, n, sizeof(*points), by_place);
    text_printf(out, "# HELP jitbench_run_info What the values were measured on.\n# TYPE jitbench_run_info gauge\n");
    for (size_t i = 0; i < n; i++)
        if (i == 0 || points[i].row->run != points[i - 1].row->run)
            put_new_run(points[i].row->run, &seen, out);
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    struct point *points = points_make(rows);
    size_t n = points_newest(points, rows->n, rows->left_out);
    put_points(points, n, out);
    put_runs(points, n, out);
    text_printf(out, "# EOF\n");
    points_free(points, n);
}

const struct export_format export_openmetrics = {
    .name = "openmetrics",
    .title = "gauges in base units, for Prometheus and other programs that scrape OpenMetrics",
    .refuse = refuse,
    .write = write_rows,
};
