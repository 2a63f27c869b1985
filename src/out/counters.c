/* SPDX-License-Identifier: MIT */
/* Prints event counts of rows. */
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

/* Returns whether row i is the first row of a measurement; all rows of one measurement have the same counts. */
static bool begins(const struct row *rows, size_t i)
{
    const struct row *a = &rows[i], *b = i ? &rows[i - 1] : a;

    return a->counters[0] && (i == 0 || a->item != b->item || strcmp(a->counters, b->counters) != 0 ||
                              strcmp(a->cpus, b->cpus) != 0 || strcmp(a->test, b->test) != 0);
}

static void put_line(const struct row *row, struct grid *grid)
{
    struct row_word word = {0};
    size_t length;

    grid_text(grid, row->test);
    grid_text(grid, row->load);
    if (!row_command(&row->param) && row_next_word(&row->param, &word))
        text_append(grid_cell(grid, COLOR_NONE), word.text, word.length);
    else
        grid_text(grid, "");
    grid_text(grid, row->cpus);
    for (size_t e = 0; e < N_EVENTS; e++) {
        const char *value = counted_value(row->counters, events[e].key, &length);
        struct text *cell = grid_cell(grid, COLOR_NONE);
        text_append(cell, value ? value : "-", value ? length : 1);
    }
}

/* Returns whether an earlier row has the same text from the key on. */
static bool is_repeated(const struct row *rows, size_t i, const char *key)
{
    const char *words = strstr(rows[i].counters, key);

    for (size_t k = 0; k < i; k++) {
        const char *other = strstr(rows[k].counters, key);
        if (other && !strcmp(other, words))
            return true;
    }
    return false;
}

void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const char missing[] = "not_counted=";
    struct grid grid = {.n_columns = 0};
    struct grid_column columns[4 + N_EVENTS] = {{.title = "Test", .left = true},
                                                {.title = "Load", .left = true, .optional = true},
                                                {.title = "Parameter", .left = true, .optional = true, .rank = 2},
                                                {.title = "CPU", .left = true, .optional = true, .rank = 1}};

    for (size_t e = 0; e < N_EVENTS; e++)
        columns[4 + e] = (struct grid_column){.title = events[e].title, .optional = true};
    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        if (begins(rows, i)) {
            put_line(&rows[i], &grid);
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
        if (name && reason && !is_repeated(rows, i, missing))
            text_printf(out, "not counted: %.*s: %.*s\n", (int)names, name, (int)why, reason);
    }
}
