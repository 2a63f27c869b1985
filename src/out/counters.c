/* SPDX-License-Identifier: MIT */
/* Prints event counts and culprits of rows. */
#include "out/counters.h"

#include <string.h>

#include "out/grid.h"
#include "rows/counted.h"

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

#define N_EVENTS (sizeof(events) / sizeof(events[0]))

static const char *counters_of(const struct row *row)
{
    return row->counters;
}

static const char *culprits_of(const struct row *row)
{
    return row->culprits;
}

/* Returns whether row i is the first row of a measurement; all rows of one measurement have the same text. */
static bool begins(const struct row *rows, size_t i, const char *(*text_of)(const struct row *row))
{
    const struct row *a = &rows[i], *b = i ? &rows[i - 1] : a;

    return text_of(a)[0] && (i == 0 || a->item != b->item || strcmp(text_of(a), text_of(b)) != 0 ||
                             strcmp(a->cpus, b->cpus) != 0 || strcmp(a->test, b->test) != 0);
}

/* Columns that say which measurement it is; put_name() fills them. */
#define NAMED                                                                                                          \
    {.title = "Test", .left = true}, {.title = "Load", .left = true, .optional = true},                                \
        {.title = "Parameter", .left = true, .optional = true, .rank = 2},                                             \
    {                                                                                                                  \
        .title = "CPU", .left = true, .optional = true, .rank = 1                                                      \
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

    put_name(row, grid);
    for (size_t e = 0; e < N_EVENTS; e++) {
        const char *value = counted_value(row->counters, events[e].key, &length);
        struct text *cell = grid_cell(grid, COLOR_NONE);
        text_append(cell, value ? value : "-", value ? length : 1);
    }
}

/* Returns whether an earlier row has the same text from the key on. */
static bool is_repeated(const struct row *rows, size_t i, const char *(*text_of)(const struct row *row),
                        const char *key)
{
    const char *words = strstr(text_of(&rows[i]), key);

    for (size_t k = 0; k < i; k++) {
        const char *other = strstr(text_of(&rows[k]), key);
        if (other && !strcmp(other, words))
            return true;
    }
    return false;
}

void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const char missing[] = "not_counted=";
    struct grid grid = {.n_columns = 0};
    struct grid_column columns[4 + N_EVENTS] = {NAMED};

    for (size_t e = 0; e < N_EVENTS; e++)
        columns[4 + e] = (struct grid_column){.title = events[e].title, .optional = true};
    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        if (begins(rows, i, counters_of)) {
            put_counts(&rows[i], &grid);
            lines++;
        }
    if (!lines)
        return;
    text_printf(out, "\nEvents of all samples together (hardware events: in user mode)\n");
    grid_print(&grid, width, out);
    for (size_t i = 0; i < n; i++) {
        size_t names = 0, why = 0;
        const char *name = counted_value(rows[i].counters, "not_counted", &names);
        const char *reason = counted_value(rows[i].counters, "why", &why);
        if (name && reason && !is_repeated(rows, i, counters_of, missing))
            text_printf(out, "not counted: %.*s: %.*s\n", (int)names, name, (int)why, reason);
    }
}

/* Puts "node=3.204;kworker/0:1(vmstat_update)=0.410" as "node 3.204, kworker/0:1(vmstat_update) 0.410". */
static void put_culprits(const char *culprits, struct text *cell)
{
    size_t length;
    const char *why = counted_value(culprits, "why", &length),
               *end = why ? why - strlen("why=") : culprits + strlen(culprits);

    for (const char *at = culprits; at < end; at++)
        if (*at == ';' && at + 1 < end)
            text_append(cell, ", ", 2);
        else if (*at != ';')
            text_append(cell, *at == '=' ? " " : at, 1);
}

void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {NAMED, {.title = "Wall s"}, {.title = "Took most, ms", .left = true}};
    struct grid grid = {.n_columns = 0};
    size_t lines = 0;

    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < n; i++)
        if (begins(rows, i, culprits_of)) {
            put_name(&rows[i], &grid);
            text_printf(grid_cell(&grid, COLOR_NONE), "%.3f", rows[i].wall_s);
            put_culprits(rows[i].culprits, grid_cell(&grid, COLOR_NONE));
            lines++;
        }
    if (!lines)
        return;
    text_printf(out, "\nWho else had the measured CPUs, in all samples together\n");
    grid_print(&grid, width, out);
    for (size_t i = 0; i < n; i++) {
        size_t length;
        const char *why = counted_value(rows[i].culprits, "why", &length);
        if (why && !is_repeated(rows, i, culprits_of, "why="))
            text_printf(out, "not recorded: %.*s\n", (int)length, why);
    }
}
