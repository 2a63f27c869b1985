/* SPDX-License-Identifier: MIT */
/* Prints result rows as a table: rows are grouped into lines. */
#include "out/out.h"

#define MOST_DECIMALS 17u

struct view {
    const struct table_layout *layout;
    const struct row *rows;
    size_t n;
    size_t *group; /* of each row: index of the first row in the same line */
};

enum kind { COMPUTED, TEXT, REAL, COUNT };
#define AT(name, kind, member, heading) {kind, offsetof(struct row, member), heading},
static const struct {
    enum kind kind;
    size_t offset;
    const char *heading; /* the usual one */
} fields[] = {TABLE_FIELDS(AT)};

static bool is_text(enum table_field field)
{
    return fields[field].kind == TEXT;
}

static bool is_common(enum table_field field)
{
    return (is_text(field) && field != TABLE_METRIC && field != TABLE_UNIT) || field == TABLE_COPIES ||
           field == TABLE_PARAM_VALUE;
}

/* --- Groups. --- */

/* metric NULL: the headline row, otherwise the first. */
static const struct row *find_row(const struct view *view, size_t group, const char *metric)
{
    for (size_t i = group; i < view->n; i++)
        if (view->group[i] == group && (metric ? !strcmp(view->rows[i].metric, metric) : view->rows[i].headline))
            return &view->rows[i];
    return metric ? NULL : &view->rows[group];
}

static const char *metric_of_column(const struct view *view, const struct table_column *column)
{
    return column->metric || is_common(column->field) ? column->metric : view->layout->metric;
}

static enum row_status worst_status(const struct view *view, size_t group)
{
    enum row_status worst = ROW_OK;
    for (size_t i = group; i < view->n; i++)
        if (view->group[i] == group && view->rows[i].status > worst)
            worst = view->rows[i].status;
    return worst;
}

static bool group_is_shown(const struct view *view, size_t group)
{
    bool names_a_metric = false, ran = false;

    for (size_t i = group; i < view->n && !ran; i++)
        ran = view->group[i] == group && view->rows[i].metric[0];
    for (size_t i = 0; i < view->layout->n_columns; i++) {
        const struct table_column *column = &view->layout->columns[i];
        const char *metric = metric_of_column(view, column);
        if (metric ? find_row(view, group, metric) != NULL : !is_common(column->field) && !is_text(column->field))
            return true;
        names_a_metric = names_a_metric || metric;
    }
    return !ran || !names_a_metric;
}

/* --- Cells. --- */

static double number(const struct row *row, enum table_field field, size_t sample)
{
    const void *at = (const char *)row + fields[field].offset;

    if (fields[field].kind == REAL)
        return *(const double *)at;
    if (fields[field].kind == COUNT)
        return *(const uint64_t *)at ? (double)*(const uint64_t *)at : NAN;
    return field == TABLE_CI95_HALF  ? (row->stats.ci95_hi - row->stats.ci95_lo) / 2
           : field == TABLE_CORE     ? 100 * row_core_share(row)
           : sample < row->n_samples ? row->samples[sample]
                                     : NAN;
}

static void put_table_cell(const struct view *view, size_t group, size_t sample, size_t i, struct grid *grid)
{
    const struct table_column *column = &view->layout->columns[i];
    const struct row *row = find_row(view, group, metric_of_column(view, column));
    if (!row && is_common(column->field))
        row = &view->rows[group];
    if (is_text(column->field)) {
        grid_text(grid, row ? (const char *)row + fields[column->field].offset : "");
    } else if (column->field == TABLE_PARAM_VALUE) {
        const char *value = row ? ROW_PARAM(&row->param, column->key) : "";
        grid_text(grid, value[0] ? value : "-");
    } else {
        const bool usual = !column->metric && fields[column->field].kind != COUNT;
        const double scale = usual && view->layout->scale > 0 ? view->layout->scale : column->scale;
        const double whole = row && column->of ? row_param_number(&row->param, column->of) / 100 : 1;
        const double value = row ? number(row, column->field, sample) * (scale > 0 ? scale : 1) / whole : NAN;
        unsigned decimals = column->decimals || !usual ? column->decimals : view->layout->decimals;
        if (decimals == TABLE_FOUR_DIGITS)
            decimals = (unsigned)units_decimals(value);
        grid_number(grid, value, decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS);
    }
}

/* --- Printing. --- */

/* Unless another table shows it, the status ends the line, in a column without heading. */
static void put_table_columns(const struct view *view, struct grid *grid)
{
    for (size_t i = 0; i < view->layout->n_columns; i++) {
        const struct table_column *column = &view->layout->columns[i];
        GRID_COLUMN(grid, .title = column->heading ? column->heading : fields[column->field].heading,
                    .left = is_text(column->field), .optional = column->optional, .rank = column->rank);
    }
    if (!view->layout->no_status)
        GRID_COLUMN(grid, .left = true);
}

static void put_group(const struct view *view, size_t group, struct grid *grid)
{
    size_t lines = 1;

    for (size_t i = 0; i < view->layout->n_columns && view->layout->per_sample; i++) {
        const struct table_column *column = &view->layout->columns[i];
        const struct row *row = find_row(view, group, metric_of_column(view, column));
        if (column->field == TABLE_SAMPLE && row && row->n_samples > lines)
            lines = row->n_samples;
    }
    for (size_t sample = 0; sample < lines; sample++) {
        for (size_t i = 0; i < view->layout->n_columns; i++)
            put_table_cell(view, group, sample, i, grid);
        if (!view->layout->no_status)
            grid_status(grid, worst_status(view, group));
    }
}

/* --- Reasons. --- */

static bool has_reason(const struct view *view, size_t i)
{
    const struct row *row = &view->rows[i];
    return row->status != ROW_OK && row->reason[0] && (!view->layout || group_is_shown(view, view->group[i]));
}

static bool same_reason(const struct view *view, size_t i, size_t first)
{
    return view->rows[i].status == view->rows[first].status &&
           row_reason_repeats(view->rows[i].reason, view->rows[first].reason) && has_reason(view, first) &&
           has_reason(view, i);
}

/* Other tests with the reason of row `first` in a later row. */
static size_t tests_alike(const struct view *view, size_t first)
{
    size_t tests = 0;
    for (size_t i = first + 1; i < view->n; i++) {
        bool counted = !same_reason(view, i, first);
        for (size_t k = first; k < i && !counted; k++)
            counted = !strcmp(view->rows[k].test, view->rows[i].test) && same_reason(view, k, first);
        tests += !counted;
    }
    return tests;
}

static void put_reasons(const struct view *view, bool name_tests, struct text *out)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct row *row = &view->rows[i];
        const char *status = row_status_name(row->status);
        size_t j = has_reason(view, i) ? 0 : view->n, figures[2] = {0, 0};
        while (j < i && !same_reason(view, i, j))
            j++;
        if (j != i || (row->status == ROW_UNSTABLE && out->summed_up))
            continue;
        color_put(out, color_of_status(row->status), status, strlen(status));
        for (size_t k = 0; k < view->n && row->status == ROW_UNSTABLE; k++)
            figures[view->rows[k].status == ROW_UNSTABLE] += view->rows[k].headline != 0;
        if (row->status == ROW_UNSTABLE)
            text_printf(out, ": %zu of %zu", figures[1], figures[0] + figures[1]);
        text_printf(out, ": %s", row->reason);
        if (name_tests) {
            const size_t more = tests_alike(view, i);
            text_printf(out, more ? " (%s and %zu more)" : " (%s)", row->test, more);
        }
        text_append(out, "\n", 1);
    }
}

void table_put_reasons(const struct row *rows, size_t n, struct text *out)
{
    struct view view = {.rows = rows, .n = n};
    put_reasons(&view, true, out);
}

void table_print(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width, struct text *out)
{
    FREED size_t *group_of = calloc(n + 1, sizeof *group_of);
    struct view view = {.layout = layout, .rows = rows, .n = n, .group = group_of};
    struct grid grid = {0};

    out->failed |= !group_of;
    if (!group_of || n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        /* Usually the group of the row before: without this, 100,000 rows take long. */
        size_t j = i > 0 && row_same_measurement(&rows[i - 1], &rows[i]) ? view.group[i - 1] : 0;
        while (j < i && (view.group[j] != j || !row_same_measurement(&rows[j], &rows[i])))
            j++;
        view.group[i] = j;
    }
    put_table_columns(&view, &grid);
    for (size_t group = 0; group < n; group++)
        if (view.group[group] == group && group_is_shown(&view, group))
            put_group(&view, group, &grid);
    if (grid.n_cells && layout->title)
        text_printf(out, "%s\n", layout->title);
    grid_print(&grid, width, out);
    text_append(out, "\n", out->markdown); /* or the next line would be a row */
    if (!layout->no_status)
        put_reasons(&view, false, out);
}

/* --- Event counts, and what else ran on the CPUs. --- */

static const struct {
    const char *key, *title;
} event_titles[] = {{"cycles", "Cycles"},
                    {"instructions", "Instructions"},
                    {"ipc", "IPC"},
                    {"branch_misses", "Branch misses"},
                    {"cache_misses", "Cache misses"},
                    {"task_clock_ms", "Task ms"},
                    {"page_faults", "Faults"},
                    {"switches", "Switches"}};

#define N_EVENTS (COUNT(event_titles))

/* All rows of one measurement have the same text. */
static bool begins_measurement(const struct row *rows, size_t i, size_t offset)
{
    const struct row *a = &rows[i], *b = i ? &rows[i - 1] : a;
    const char *text = (const char *)a + offset;

    return text[0] && (i == 0 || a->item != b->item || strcmp(text, (const char *)b + offset) ||
                       strcmp(a->cpus, b->cpus) || strcmp(a->test, b->test));
}

static void put_event_counts(const struct row *row, struct grid *grid)
{
    size_t length;

    for (size_t e = 0; e < N_EVENTS; e++) {
        const char *value = counted_value(row->counters, event_titles[e].key, &length);
        struct text *cell = grid_cell(grid, COLOR_NONE);
        text_append(cell, value ? value : "-", value ? length : 1);
    }
}

/* "node=3.204" as "node 3.204", after the wall-clock time. */
static void put_culprits(const struct row *row, struct grid *grid)
{
    size_t length;
    const char *why = counted_value(row->culprits, "why", &length),
               *end = why ? why - strlen("why=") : row->culprits + strlen(row->culprits);

    grid_number(grid, row->wall_s, 3);
    struct text *cell = grid_cell(grid, COLOR_NONE);
    for (const char *at = row->culprits; at < end; at++)
        if (*at == ';' && at + 1 < end)
            text_append(cell, ", ", 2);
        else if (*at != ';')
            text_append(cell, *at == '=' ? " " : at, 1);
}

/* offset: of the text in struct row. */
static bool is_repeated(const struct row *rows, size_t i, size_t offset, const char *key)
{
    const char *words = strstr((const char *)&rows[i] + offset, key);

    for (size_t k = 0; k < i; k++) {
        const char *other = strstr((const char *)&rows[k] + offset, key);
        if (other && !strcmp(other, words))
            return true;
    }
    return false;
}

/* A text in struct row, at this offset, as a table; `why` in it begins a reason. */
struct measured {
    size_t offset;
    const char *title, *why;
    void (*put)(const struct row *row, struct grid *grid);
    void (*put_why)(const char *text, struct text *out);
};

/* A line for each measurement that has the text. */
static void put_measured(const struct measured *of, const struct grid_column *columns, size_t n_columns,
                         const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column named[] = {{"Test", .left = true},
                                               {"Load", .left = true, .optional = true},
                                               {"Parameter", .left = true, .optional = true, .rank = 2},
                                               {"CPU", .left = true, .optional = true}};
    struct grid grid = {0};

    GRID_COLUMNS(&grid, named);
    grid_columns(&grid, columns, n_columns);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        struct row_word word = {0};
        if (!begins_measurement(rows, i, of->offset))
            continue;
        grid_text(&grid, row->test);
        grid_text(&grid, row->load);
        if (row_command(&row->param) || !row_next_word(&row->param, &word))
            word.length = 0;
        text_append(grid_cell(&grid, COLOR_NONE), word.text, word.length);
        grid_text(&grid, row->cpus);
        of->put(row, &grid);
    }
    if (!grid.n_cells)
        return;
    text_printf(out, "\n%s\n", of->title);
    grid_print(&grid, width, out);
    for (size_t i = 0; i < n; i++)
        if (strstr((const char *)&rows[i] + of->offset, of->why) && !is_repeated(rows, i, of->offset, of->why))
            of->put_why((const char *)&rows[i] + of->offset, out);
}

static void put_not_counted(const char *text, struct text *out)
{
    size_t names = 0, length = 0;
    const char *name = counted_value(text, "not_counted", &names), *why = counted_value(text, "why", &length);

    if (name && why)
        text_printf(out, "not counted: %.*s: %.*s\n", (int)names, name, (int)length, why);
}

static void put_not_recorded(const char *text, struct text *out)
{
    size_t length;
    const char *why = counted_value(text, "why", &length);

    if (why)
        text_printf(out, "not recorded: %s\n", why); /* the last item: it may contain ';' */
}

void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct measured counts = {offsetof(struct row, counters),
                                           "Events of all samples together (hardware events: in user mode)",
                                           "not_counted=", put_event_counts, put_not_counted};
    struct grid_column columns[N_EVENTS];

    for (size_t e = 0; e < N_EVENTS; e++)
        columns[e] = (struct grid_column){.title = event_titles[e].title, .optional = true};
    put_measured(&counts, columns, N_EVENTS, rows, n, width, out);
}

void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Wall s"}, {"Took most, ms", .left = true}};
    static const struct measured culprits = {offsetof(struct row, culprits),
                                             "Who else had the measured CPUs, in all samples together",
                                             "why=", put_culprits, put_not_recorded};

    put_measured(&culprits, columns, COUNT(columns), rows, n, width, out);
}

void cpu_map_put(const struct cpu_map *map, const char *title, const struct doc *doc)
{
    struct doc heat = *doc;
    struct grid grid = {0};
    struct stats_running all = {0};
    char headings[CPU_MAP_MOST][16];

    heat.class = "heat";
    GRID_COLUMN(&grid, .title = "CPU");
    for (size_t i = 0; i < map->n; i++) {
        TEXT_PRINT(headings[i], "%u", map->cpu[i]);
        GRID_COLUMN(&grid, .title = headings[i]);
        for (size_t k = 0; k < map->n; k++)
            if (map->row[i][k])
                stats_add(&all, map->row[i][k]->value);
    }
    for (size_t i = 0; i < map->n; i++) {
        grid_text(&grid, headings[i]);
        for (size_t k = 0; k < map->n; k++) {
            const double ns = map->row[i][k] ? map->row[i][k]->value : NAN;
            /* on a logarithmic scale: latencies differ by a factor of ten within and between packages */
            const double share = all.max > all.min ? log(ns / all.min) / log(all.max / all.min) : 0.5;
            if (isnan(ns))
                grid_text(&grid, "-");
            else
                text_printf(grid_cell(&grid, (enum color)(COLOR_HEAT + lround((HEAT_LEVELS - 1) * share))), "%.*f",
                            ns < 100, ns);
        }
    }
    if (map->n)
        doc_heading(doc, NULL, title);
    doc_table(&heat, &grid);
    if (map->left_out)
        doc_say(doc, "%zu more pairs are in the CSV", map->left_out);
}
