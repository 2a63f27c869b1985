/* SPDX-License-Identifier: MIT */
/* Prints event counts of result rows, and what else ran on their CPUs (culprits). */
#include "out/out.h"

#include <string.h>

static const struct {
    const char *key, *title;
} events[] = {{"cycles", "Cycles"},
              {"instructions", "Instructions"},
              {"ipc", "IPC"},
              {"branch_misses", "Branch misses"},
              {"cache_misses", "Cache misses"},
              {"task_clock_ms", "Task ms"},
              {"page_faults", "Faults"},
              {"switches", "Switches"}};

#define N_EVENTS (COUNT(events))

/* All rows of one measurement have the same text. */
static bool begins(const struct row *rows, size_t i, size_t offset)
{
    const struct row *a = &rows[i], *b = i ? &rows[i - 1] : a;
    const char *text = (const char *)a + offset;

    return text[0] && (i == 0 || a->item != b->item || strcmp(text, (const char *)b + offset) != 0 ||
                       strcmp(a->cpus, b->cpus) != 0 || strcmp(a->test, b->test) != 0);
}

static void put_name(const struct row *row, struct grid *grid)
{
    struct row_word word = {0};

    grid_text(grid, row->test);
    grid_text(grid, row->load);
    if (!row_command(&row->param) && row_next_word(&row->param, &word))
        text_append(grid_cell(grid, COLOR_NONE), word.text, word.length);
    else
        grid_text(grid, "");
    grid_text(grid, row->cpus);
}

static void put_counts(const struct row *row, struct grid *grid)
{
    size_t length;

    for (size_t e = 0; e < N_EVENTS; e++) {
        const char *value = counted_value(row->counters, events[e].key, &length);
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

/* A line for each measurement that has the text at this offset in struct row. Returns whether there are any. */
static bool fill(const struct row *rows, size_t n, size_t offset, const struct grid_column *columns, size_t n_columns,
                 void (*put)(const struct row *row, struct grid *grid), struct grid *grid)
{
    static const struct grid_column named[] = {{.title = "Test", .left = true},
                                               {.title = "Load", .left = true, .optional = true},
                                               {.title = "Parameter", .left = true, .optional = true, .rank = 2},
                                               {.title = "CPU", .left = true, .optional = true}};

    grid_columns(grid, named, COUNT(named));
    grid_columns(grid, columns, n_columns);
    for (size_t i = 0; i < n; i++)
        if (begins(rows, i, offset)) {
            put_name(&rows[i], grid);
            put(&rows[i], grid);
        }
    return grid->n_cells > 0;
}

void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    const size_t offset = offsetof(struct row, counters);
    struct grid_column columns[N_EVENTS];
    struct grid grid = {.n_columns = 0};
    size_t names, length;

    for (size_t e = 0; e < N_EVENTS; e++)
        columns[e] = (struct grid_column){.title = events[e].title, .optional = true};
    if (!fill(rows, n, offset, columns, N_EVENTS, put_counts, &grid))
        return;
    text_printf(out, "\nEvents of all samples together (hardware events: in user mode)\n");
    grid_print(&grid, width, out);
    for (size_t i = 0; i < n; i++) {
        const char *name = counted_value(rows[i].counters, "not_counted", &names);
        const char *why = counted_value(rows[i].counters, "why", &length);
        if (name && why && !is_repeated(rows, i, offset, "not_counted="))
            text_printf(out, "not counted: %.*s: %.*s\n", (int)names, name, (int)length, why);
    }
}

void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Wall s"}, {.title = "Took most, ms", .left = true}};
    const size_t offset = offsetof(struct row, culprits);
    struct grid grid = {.n_columns = 0};
    size_t length;

    if (!fill(rows, n, offset, columns, 2, put_culprits, &grid))
        return;
    text_printf(out, "\nWho else had the measured CPUs, in all samples together\n");
    grid_print(&grid, width, out);
    for (size_t i = 0; i < n; i++) {
        const char *why = counted_value(rows[i].culprits, "why", &length);
        if (why && !is_repeated(rows, i, offset, "why="))
            text_printf(out, "not recorded: %s\n", why); /* the last item: it may contain ';' */
    }
}
