/* SPDX-License-Identifier: MIT */
/* OpenMetrics 1.0 that is also Prometheus' text format 0.0.4: gauges, no timestamps. */
#include <time.h>

#include "out/export.h"

const char *const export_labels[] = {"job", "rank", "run_id", "utc", "comment", NULL};

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

/* Other characters than letters and digits become '_'. A single letter is joined to the word before it, because
 * validators take it for a unit (b, d). */
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

static const char *base_of(const struct row *row)
{
    const struct export_unit *unit = export_unit_find(row->unit);
    return unit ? unit->base : row->unit;
}

/* jitbench_ID_UNIT, with "_value" if it ends like a name reserved for other types. */
static void put_family(const struct row *row, struct text *out)
{
    static const char *const spelled[] = {"_per_ms", "_hz"};
    static const char *const reserved[] = {"_total", "_count", "_sum", "_bucket", "_created", "_info"};
    const char *base = base_of(row);
    size_t length = strlen(row->metric);

    for (size_t i = 0; i < COUNT(spelled); i++)
        length -= ends_with(row->metric, spelled[i]) ? strlen(spelled[i]) : 0;
    text_printf(out, "jitbench_");
    put_word(row->metric, length, out);
    if (base[0] && !ends_with(row->metric, base)) {
        text_append(out, "_", 1);
        put_word(base, strlen(base), out);
    }
    for (size_t i = 0; out->data && i < COUNT(reserved); i++)
        if (ends_with(out->data, reserved[i])) {
            text_printf(out, "_value");
            break;
        }
}

static const char *label_shown(const char *s, size_t bytes, char buf[8])
{
    (void)bytes;
    return *s == '\n' ? "\\n" : *s == '"' || *s == '\\' ? text_line(buf, 8, "\\%c", *s) : NULL;
}

static void put_escaped(const char *s, struct text *out)
{
    text_escape(out, s, strlen(s), label_shown);
}

/* And those asked for: bits of export_labels. */
static void put_labels(const char *const (*labels)[2], size_t n, const struct row_run *run, uint64_t asked,
                       struct text *out)
{
    const char *const more[][2] = {{"job_id", run->job},
                                   {"rank", run->rank},
                                   {"run_id", run->run_id},
                                   {"utc", run->utc},
                                   {"comment", run->comment}};
    size_t written = 0;

    text_append(out, "{", 1);
    for (size_t i = 0; i < n + COUNT(more); i++) {
        const char *const *label = i < n ? labels[i] : more[i - n];
        if (!label[1][0] || (i >= n && !(asked & UINT64_C(1) << (i - n))))
            continue;
        text_printf(out, "%s%s=\"", written++ ? "," : "", label[0]);
        put_escaped(label[1], out);
        text_append(out, "\"", 1);
    }
    text_append(out, "}", 1);
}

static void put_row_labels(const struct row *row, uint64_t wanted, struct text *out)
{
    FREED_BY(text_free) struct text param = {0};

    export_param(row, ' ', &param);
    const char *const labels[][2] = {{"host", row->run->host},
                                     {"suite", row->suite},
                                     {"test", row->test},
                                     {"load", row->load},
                                     {"param", param.length ? param.data : ""},
                                     {"protocol", ROW_PROTOCOL(&row->param)},
                                     {"copies", row->copies ? TEXT_LINE("%" PRIu64, row->copies) : ""},
                                     {"cpus", row->cpus}};
    put_labels(labels, COUNT(labels), row->run, wanted, out);
}

/* --- Points. --- */

static int by_family_and_age(const void *a, const void *b)
{
    const struct export_entry *one = a, *other = b;
    int order = strcmp(one->name, other->name);

    if (!order)
        order = strcmp(one->labels, other->labels);
    if (!order)
        order = strcmp(one->row->run->utc, other->row->run->utc);
    return order ? order : ORDER_OF(one->at, other->at);
}

static int by_row(const void *a, const void *b)
{
    return ORDER_OF(((const struct export_entry *)a)->at, ((const struct export_entry *)b)->at);
}

/* Keeps the newest of points with the same name and labels. Returns how many. */
static size_t points_newest(struct export_entry *points, size_t n, struct export_left_out *left_out)
{
    size_t kept = 0;

    SORT(points, n, by_family_and_age);
    for (size_t i = 0; i < n; i++) {
        const struct export_entry *next = &points[i + 1];
        if (i + 1 < n && !strcmp(points[i].name, next->name) && !strcmp(points[i].labels, next->labels)) {
            export_leave_out(left_out, strcmp(points[i].row->run->utc, next->row->run->utc)
                                           ? "older than another row with the same labels"
                                           : "with the labels and the time of another row");
            free(points[i].name);
            free(points[i].labels);
        } else {
            points[kept++] = points[i];
        }
    }
    points[kept].row = NULL;
    SORT(points, kept, by_row);
    export_cluster(points, kept);
    return kept;
}

/* --- The text. --- */

static void put_family_head(const struct export_entry *point, struct text *out)
{
    const struct row *row = point->row;
    const char *base = base_of(row);
    FREED_BY(text_free) struct text unit = {0};

    text_printf(out, "# HELP %s Value of jitbench's metric ", point->name);
    put_escaped(row->metric, out);
    if (row->better[0]) {
        text_printf(out, ", ");
        put_escaped(row->better, out);
        text_printf(out, " is better");
    }
    text_printf(out, ".\n# TYPE %s gauge\n", point->name);
    text_printf(&unit, "_");
    put_word(base, strlen(base), &unit);
    if (base[0] && ends_with(point->name, unit.data))
        text_printf(out, "# UNIT %s %s\n", point->name, unit.data + 1);
}

/* Of all rows with the same labels the worst in the newest run. */
static void put_statuses(const struct export_rows *rows, struct text *out)
{
    FREED_BY(index_free) struct index seen = {0};
    FREED const struct row **worst = memory_get(rows->n_all, sizeof(*worst));

    text_printf(out, "# HELP jitbench_status The worst status: 0 ok, 1 unstable, 2 degraded, 3 skipped, 4 failed.\n"
                     "# TYPE jitbench_status gauge\n");
    for (const struct row *row = rows->all; row < rows->all + rows->n_all; row++) {
        FREED_BY(text_free) struct text labels = {0};
        put_row_labels(row, rows->labels, &labels);
        const size_t at = index_enter(&seen, labels.data);
        const int newer = worst[at] ? strcmp(row->run->utc, worst[at]->run->utc) : 1;
        if (newer > 0 || (newer == 0 && row->status > worst[at]->status))
            worst[at] = row;
    }
    for (size_t i = 0; i < seen.n; i++)
        text_printf(out, "jitbench_status%s %d\n", seen.name[i], (int)worst[i]->status);
}

/* Seconds since 1970; NAN: not known. */
static double time_of(const struct row_run *run)
{
    struct tm tm = {0};

    return strptime(run->utc, "%Y-%m-%dT%H:%M:%SZ", &tm) ? (double)timegm(&tm) : NAN;
}

/* Of runs with the same labels the newest time, in the order of the files, by which the points are then sorted: no two
 * lines may have the same labels. */
static void put_runs(struct export_entry *points, size_t n, uint64_t wanted, struct text *out)
{
    FREED_BY(index_free) struct index infos = {0}, times = {0};
    FREED double *newest = memory_get(n, sizeof(*newest));

    SORT(points, n, by_row);
    text_printf(out, "# HELP jitbench_run_info What the values were measured on.\n# TYPE jitbench_run_info gauge\n");
    for (size_t i = 0; i < n; i++) {
        const struct row_run *run = points[i].row->run;
        const char *const info[][2] = {{"host", run->host},           {"kernel", run->kernel}, {"arch", run->arch},
                                       {"cpu_model", run->cpu_model}, {"build", run->build},   {"libc", run->libc}};
        FREED_BY(text_free) struct text text = {0}, time = {0};
        const size_t known = infos.n;
        if (i && run == points[i - 1].row->run)
            continue;
        put_labels(info, COUNT(info), run, wanted, &text);
        if (index_enter(&infos, text.data) == known)
            text_printf(out, "jitbench_run_info%s 1\n", text.data);
        put_labels(info, 1, run, wanted, &time); /* only the host */
        if (isnan(time_of(run)))
            continue;
        const size_t at = index_enter(&times, time.data);
        newest[at] = fmax(newest[at], time_of(run));
    }
    text_printf(out, "# HELP jitbench_run_timestamp_seconds When the newest run began, since 1970.\n"
                     "# TYPE jitbench_run_timestamp_seconds gauge\n# UNIT jitbench_run_timestamp_seconds seconds\n");
    for (size_t i = 0; i < times.n; i++)
        text_printf(out, "jitbench_run_timestamp_seconds%s %.0f\n", times.name[i], newest[i]);
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    FREED_BY(export_entries_free) struct export_entry *points = memory_get(rows->n + 1, sizeof(*points));

    for (size_t i = 0; i < rows->n; i++) {
        struct text family = {0}, labels = {0};
        put_family(rows->rows[i], &family);
        put_row_labels(rows->rows[i], rows->labels, &labels);
        points[i] = (struct export_entry){.name = family.data, .labels = labels.data, .row = rows->rows[i], .at = i};
    }
    const size_t n = points_newest(points, rows->n, rows->left_out);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || points[i].first != points[i - 1].first)
            put_family_head(&points[i], out);
        text_printf(out, "%s%s ", points[i].name, points[i].labels);
        text_real(out, export_base(points[i].row, points[i].row->value));
        text_append(out, "\n", 1);
    }
    put_statuses(rows, out);
    put_runs(points, n, rows->labels, out);
    text_printf(out, "# EOF\n");
}

const struct export_format export_openmetrics = {
    .refuse = refuse,
    .write = write_rows,
};
