/* SPDX-License-Identifier: MIT */
/* Common part of the export formats: selection of rows, names, units. */
#include "out/export.h"

#define ADDRESS(id, name) &export_##id,
const struct export_format *const export_formats[] = {EXPORT_FORMATS(ADDRESS) NULL};

#define NAME(id, name) name,
const char *const export_names[] = {EXPORT_FORMATS(NAME) NULL};

/* --- Which rows. --- */

void export_leave_out(struct export_left_out *left_out, const char *why)
{
    size_t i = 0;

    left_out->n++;
    while (i < left_out->n_reasons && strcmp(left_out->reasons[i].why, why))
        i++;
    if (i == left_out->n_reasons && i < EXPORT_REASONS_MAX)
        left_out->reasons[left_out->n_reasons++].why = why;
    if (i < EXPORT_REASONS_MAX)
        left_out->reasons[i].n++;
}

void export_describe(const struct export_left_out *left_out, const char *format, size_t n, struct text *out)
{
    if (!left_out->n)
        return;
    text_printf(out, "%zu of %zu row%s left out of %s:", left_out->n, n, PLURAL(n), format);
    for (size_t i = 0; i < left_out->n_reasons; i++)
        text_printf(out, "%s %zu %s", i ? "," : "", left_out->reasons[i].n, left_out->reasons[i].why);
}

size_t export_write(const struct export_format *format, const struct row *rows, size_t n, const struct metrics *metrics,
                    uint64_t labels, struct text *out, struct export_left_out *left_out)
{
    FREED const struct row **taken = memory_get(n, sizeof(*taken));
    struct export_rows all = {
        .rows = taken, .all = rows, .n_all = n, .metrics = metrics, .left_out = left_out, .labels = labels};

    memset(left_out, 0, sizeof(*left_out));
    for (size_t i = 0; i < n; i++) {
        const char *why = format->refuse ? format->refuse(&rows[i]) : NULL;
        if (why)
            export_leave_out(left_out, why);
        else
            taken[all.n++] = &rows[i];
    }
    if (all.n && format->write) {
        format->write(&all, out);
    } else if (all.n) {
        text_printf(out, "%s", format->before);
        export_put_groups(&all, format->put, out);
        text_printf(out, "%s", format->after);
    }
    return all.n;
}

/* --- Units. --- */

static const struct export_unit units[] = {
    {"s", EXPORT_TIME, "seconds", 1, 1},
    {"ms", EXPORT_TIME, "seconds", 1, 1e3},
    {"us", EXPORT_TIME, "seconds", 1, 1e6},
    {"ns", EXPORT_TIME, "seconds", 1, 1e9},
    {"lps", EXPORT_RATE, "per_second", 1, 1},
    {"lpm", EXPORT_RATE, "per_second", 1, 60},
    {"1/s", EXPORT_RATE, "per_second", 1, 1},
    {"1/ms", EXPORT_RATE, "per_second", 1e3, 1},
    {"1/min", EXPORT_RATE, "per_second", 1, 60},
    {"MWIPS", EXPORT_RATE, "per_second", 1e6, 1},
    {"KBps", EXPORT_RATE, "bytes_per_second", 1024, 1},
    {"MB/s", EXPORT_RATE, "bytes_per_second", 1e6, 1},
    {"Hz", EXPORT_OTHER, "hertz", 1, 1},
    {"bytes", EXPORT_BYTES, "bytes", 1, 1},
    {"KiB", EXPORT_BYTES, "bytes", 1024, 1},
    {"MiB", EXPORT_BYTES, "bytes", 1048576, 1},
    {"cycles", EXPORT_NUMBER, "cycles", 1, 1},
    {"ticks", EXPORT_NUMBER, "ticks", 1, 1},
    {"events", EXPORT_NUMBER, "events", 1, 1},
    {"count", EXPORT_NUMBER, "", 1, 1},
    {"%", EXPORT_OTHER, "ratio", 1, 100},
    {"ratio", EXPORT_OTHER, "ratio", 1, 1},
    {"bool", EXPORT_OTHER, "", 1, 1},
};

const struct export_unit *export_unit_find(const char *unit)
{
    for (size_t i = 0; i < COUNT(units); i++)
        if (!strcmp(units[i].unit, unit))
            return &units[i];
    return NULL;
}

double export_base(const struct row *row, double value)
{
    const struct export_unit *unit = export_unit_find(row->unit);
    return unit ? value * unit->multiply / unit->divide : value;
}

double export_seconds(const struct row *row, double value)
{
    const struct export_unit *unit = export_unit_find(row->unit);

    if (unit && unit->kind == EXPORT_TIME && !strcmp(row->better, "lower"))
        return export_base(row, value);
    if (unit && unit->kind == EXPORT_RATE && !strcmp(row->better, "higher"))
        return 1 / export_base(row, value);
    return NAN;
}

const char *export_refuse_samples(const struct row *row)
{
    if (!row->n_samples)
        return "without samples";
    for (size_t i = 0; i < row->n_samples; i++)
        if (!(isfinite(row->samples[i]) && row->samples[i] > 0))
            return "with a sample that is not above 0";
    return NULL;
}

const char *export_refuse_unless_seconds(const struct row *row)
{
    if (isnan(export_seconds(row, 1)))
        return "whose metric is neither a time nor a rate";
    return export_refuse_samples(row);
}

/* --- Names. --- */

void export_param(const struct row *row, char separator, struct text *out)
{
    const struct row_params *params = &row->param;
    size_t n = 0;

    for (size_t i = 0; i < params->n && params->of[i].kind != PARAM_COMMAND; i++)
        if (params->of[i].kind != PARAM_OUTCOME) {
            text_append(out, &separator, n++ > 0);
            text_append(out, params->text + params->of[i].at, params->of[i].length);
        }
    const char *command = row_command(params);
    if (command)
        text_printf(out, "%.*s%s", n > 0, &separator, command);
}

/* --- Groups. --- */

static int by_place(const void *a, const void *b)
{
    const struct export_entry *one = a, *other = b;

    return one->first != other->first ? ORDER_OF(one->first, other->first) : ORDER_OF(one->at, other->at);
}

static void rename_entry(struct export_entry *entry, size_t number)
{
    const struct row *row = entry->row;
    FREED_BY(text_free) struct text param = {0};
    struct text name = {0};

    export_param(row, '/', &param);
    const char *const parts[] = {row->suite,
                                 strcmp(row->test, row->suite) != 0 ? row->test : "",
                                 row->load,
                                 row->copies > 1 ? TEXT_LINE("copies=%" PRIu64, row->copies) : "",
                                 param.length ? param.data : "",
                                 row->metric,
                                 entry->with_cpus && row->cpus[0] ? TEXT_LINE("cpus=%s", row->cpus) : ""};
    for (size_t i = 0; i < COUNT(parts); i++)
        if (parts[i][0])
            text_printf(&name, "%s%s", name.length ? "/" : "", parts[i]);
    if (number)
        text_printf(&name, "#%zu", number);
    free(entry->name);
    entry->name = name.data;
}

static size_t enter_of_run(struct index *index, const struct export_entry *entry)
{
    FREED_BY(text_free) struct text key = {0};

    text_printf(&key, "%p %s", (const void *)entry->row->run, entry->name);
    return index_enter(index, key.data);
}

void export_cluster(struct export_entry *entries, size_t n)
{
    FREED_BY(index_free) struct index names = {0};

    for (size_t i = 0; i < n; i++)
        entries[i].first = index_enter(&names, entries[i].name);
    SORT(entries, n, by_place);
}

/* Rows of one run that share a name get their CPUs appended; those that still share one are numbered. */
static void name_entries(struct export_entry *entries, size_t n)
{
    FREED_BY(index_free) struct index names = {0}, of_run = {0}, with_cpus = {0};
    FREED bool *shared = memory_get(n, sizeof(*shared));
    FREED size_t *times = memory_get(n, sizeof(*times));

    for (size_t i = 0; i < n; i++) {
        const size_t known = of_run.n;
        rename_entry(&entries[i], 0);
        entries[i].first = index_enter(&names, entries[i].name);
        shared[entries[i].first] |= enter_of_run(&of_run, &entries[i]) < known;
    }
    for (size_t i = 0; i < n; i++) {
        entries[i].with_cpus = shared[entries[i].first];
        if (entries[i].with_cpus)
            rename_entry(&entries[i], 0);
        const size_t time = ++times[enter_of_run(&with_cpus, &entries[i])];
        if (time > 1)
            rename_entry(&entries[i], time);
    }
    export_cluster(entries, n);
}

void export_entries_free(struct export_entry **entries)
{
    for (struct export_entry *entry = *entries; entry->row; entry++) {
        free(entry->name);
        free(entry->labels);
    }
    free(*entries);
}

void export_put_groups(const struct export_rows *rows,
                       void (*put)(const struct export_rows *rows, const struct export_group *group, struct text *out),
                       struct text *out)
{
    const size_t n = rows->n;
    FREED_BY(export_entries_free) struct export_entry *entries = memory_get(n + 1, sizeof(*entries));
    FREED const struct row **of = memory_get(n, sizeof(*of));

    for (size_t i = 0; i < n; i++)
        entries[i] = (struct export_entry){.row = rows->rows[i], .at = i};
    name_entries(entries, n);
    for (size_t i = 0, end; i < n; i = end) {
        struct export_group group = {.name = entries[i].name, .rows = &of[i]};
        for (end = i; end < n && entries[end].first == entries[i].first; end++) {
            of[end] = entries[end].row;
            group.n_samples += of[end]->n_samples;
        }
        group.n = end - i;
        text_printf(out, i ? ",\n" : "\n");
        put(rows, &group, out);
    }
    text_printf(out, "\n]");
}

double *export_group_seconds(const struct export_group *group)
{
    double *seconds = memory_get(group->n_samples, sizeof(*seconds));
    size_t n = 0;

    for (size_t r = 0; r < group->n; r++)
        for (size_t i = 0; i < group->rows[r]->n_samples; i++)
            seconds[n++] = export_seconds(group->rows[r], group->rows[r]->samples[i]);
    return seconds;
}
