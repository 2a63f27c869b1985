/* SPDX-License-Identifier: MIT */
/* Prints the tables of a suite's rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/show.h"
#include "cmd/suites.h"
#include "out/counters.h"
#include "out/table.h"
#include "out/warnings.h"
#include "sys/order.h"

static const struct suite *suite_of(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (command_list[i]->suite && !strcmp(command_list[i]->suite->name, name))
            return command_list[i]->suite;
    return NULL;
}

/* Compares rows by their order in the plan; figures calculated from other rows (item 0) come last. */
static int as_planned(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->item != y->item)
        return ORDER_OF(x->item - 1, y->item - 1);
    return ORDER_OF(x->number, y->number);
}

/* Returns whether the suite has begun. One that a signal kept from beginning has rows, but no table. */
static bool has_begun(const struct row *rows, size_t n)
{
    static const char ended[] = "ended by ";

    for (size_t i = 0; i < n; i++)
        if (rows[i].status != ROW_SKIPPED || strncmp(rows[i].reason, ended, strlen(ended)) != 0)
            return true;
    return false;
}

/* Prints rows that no table of a suite shows, a line for each. */
static void put_plain(const struct row *rows, size_t n, unsigned width, struct text *out)
{
    static const struct table_column columns[] = {
        {.heading = "Test", .field = TABLE_TEST},
        {.heading = "Load", .field = TABLE_LOAD},
        {.heading = "Parameters", .field = TABLE_PARAM},
        {.heading = "Copies", .field = TABLE_COPIES, .rank = 1},
        {.heading = "CPUs", .field = TABLE_CPUS, .rank = 2},
        {.heading = "Metric", .field = TABLE_METRIC},
        {.heading = "Value", .field = TABLE_VALUE, .decimals = TABLE_FOUR_DIGITS},
        {.heading = "Unit", .field = TABLE_UNIT},
        {.heading = "+-95%", .field = TABLE_CI95_HALF, .decimals = TABLE_FOUR_DIGITS},
        {.heading = "Min", .field = TABLE_MIN, .decimals = TABLE_FOUR_DIGITS, .rank = 4},
        {.heading = "Median", .field = TABLE_MEDIAN, .decimals = TABLE_FOUR_DIGITS, .rank = 4},
        {.heading = "Max", .field = TABLE_MAX, .decimals = TABLE_FOUR_DIGITS, .rank = 4},
        {.heading = "n", .field = TABLE_N, .rank = 3},
    };
    char title[64];
    const struct table_layout layout = {TABLE_OF(title, columns)};
    FREED_BY(memory_free) struct row *lines = calloc(n + 1, sizeof(*lines));

    if (!lines) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        lines[i] = rows[i]; /* a shallow copy, each on a line of its own */
        lines[i].item = i + 1;
        lines[i].headline = 1;
    }
    (void)snprintf(title, sizeof(title), "Suite %s", rows[0].suite);
    table_print(&layout, lines, n, width, out);
}

void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings)
{
    const struct suite *suite = n ? suite_of(rows[0].suite) : NULL;
    /* Separate from out, because suites check whether the text is empty. */
    FREED_BY(text_free) struct text tables = {.color = out->color};

    if (!has_begun(rows, n))
        return;
    qsort(rows, n, sizeof(*rows), as_planned);
    const unsigned width = command_width(how->fd, 100, 100);
    const struct table_rows shown = {.rows = rows,
                                     .n = n,
                                     .alone = how->alone,
                                     .verbose = how->verbose,
                                     .pictures = how->verbose || (how->alone && isatty(how->fd)),
                                     .width = width,
                                     .table_width = how->verbose ? 0 : width};
    if (suite)
        suite->print(&shown, &tables);
    if (!tables.length)
        put_plain(rows, n, shown.table_width, &tables);
    if (how->counters)
        counters_put(rows, n, shown.table_width, &tables);
    culprits_put(rows, n, shown.table_width, &tables);
    text_append(&tables, "\n", 1);
    out->failed |= tables.failed;
    text_append(out, tables.data, tables.length);
    warnings_collect(rows, n, how->more, warnings);
}
