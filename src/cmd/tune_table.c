/* SPDX-License-Identifier: MIT */
/* Collects and prints the table of what tune and untune did. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tune.h"
#include "out/grid.h"
#include "rows/text.h"
#include "settings/settings.h"
#include "sys/memory.h"
#include "sys/message.h"
#include "sys/order.h"

struct snapshot_place tune_place(const struct tune_options *options)
{
    return (struct snapshot_place){.root = "",
                                   .file = options->snapshot[0] ? options->snapshot : snapshot_default_file()};
}

void tune_show_value(const char *value, char *buf)
{
    (void)snprintf(buf, SHOWN_MAX + 4, "%.*s%s", SHOWN_MAX, value[0] ? value : "-",
                   strlen(value) > SHOWN_MAX ? "..." : "");
    for (; *buf; buf++)
        if (*buf < ' ' || *buf > '~')
            *buf = '?';
}

static void describe(const struct outcome *outcome, const struct snapshot_report *report, char *buf, size_t size)
{
    if (report->result == SNAPSHOT_REFUSED)
        (void)snprintf(buf, size, "refused: %.100s", tuned_refusal(report->path, report->error));
    else if (report->result == SNAPSHOT_OTHER && outcome->dry_run)
        (void)snprintf(buf, size, "would be set to %.80s", report->wanted);
    else if (report->result == SNAPSHOT_OTHER)
        (void)snprintf(buf, size, "not taken: the kernel keeps another value than %.40s", report->wanted);
    else if (report->result == SNAPSHOT_DONE)
        text_copy(buf, size, outcome->plan ? "set" : "restored");
    else
        text_copy(buf, size, outcome->plan ? "already good" : "unchanged");
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') : path;
}

static bool alike(const struct line *a, const struct line *b)
{
    return !a->managed && !b->managed && !strcmp(a->item, b->item) && !strcmp(a->was, b->was) &&
           !strcmp(a->now, b->now) && !strcmp(a->result, b->result) && !strcmp(file_name(a->path), file_name(b->path));
}

void tune_put_line(struct outcome *outcome, const struct line *line)
{
    if (outcome->n && line->path[0] && alike(&outcome->line[outcome->n - 1], line)) {
        outcome->line[outcome->n - 1].more++;
        return;
    }
    if (!grow_array(&outcome->line, &outcome->capacity, outcome->n, sizeof(*outcome->line))) {
        outcome->incomplete = true;
        return;
    }
    outcome->line[outcome->n] = *line;
    outcome->line[outcome->n].number = outcome->n;
    outcome->n++;
}

void tune_name_line(struct line *line, size_t setting)
{
    text_copy(line->item, sizeof(line->item), settings_list[setting].name);
    line->order = setting;
}

static int by_item(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->order != y->order)
        return ORDER_OF(x->order, y->order);
    return ORDER_OF(x->number, y->number);
}

void tune_put_report(void *context, const struct snapshot_report *report)
{
    struct outcome *outcome = context;
    struct line line = {.more = 0};

    outcome->changed += report->result == SNAPSHOT_DONE;
    line.managed = outcome->plan && report->result == SNAPSHOT_REFUSED && tuned_is_managed(report->path, report->error);
    line.failed = (report->result == SNAPSHOT_REFUSED && !line.managed) ||
                  (report->result == SNAPSHOT_OTHER && !outcome->dry_run);
    outcome->failed += line.failed;
    if (!outcome->plan && report->result == SNAPSHOT_ALREADY)
        return; /* the file had its old value already, so untune did not write it */
    if (outcome->plan)
        tune_name_line(&line, (size_t)(outcome->plan->write[report->index].of - settings_list));
    text_copy(line.path, sizeof(line.path), report->path);
    tune_show_value(report->was, line.was);
    tune_show_value(report->now, line.now);
    describe(outcome, report, line.result, sizeof(line.result));
    tune_put_line(outcome, &line);
}

static void path_cell(const struct line *line, char *buf, size_t size)
{
    if (line->more)
        (void)snprintf(buf, size, "%s and %u more", line->path, line->more);
    else
        text_copy(buf, size, line->path[0] ? line->path : "-");
}

static int print_table(struct outcome *outcome, const char *summary)
{
    static const struct grid_column columns[] = {
        {.title = "Item", .left = true},
        {.title = "Path", .left = true},
        {.title = "Was", .left = true},
        {.title = "Is now", .left = true},
        {.title = "Result", .left = true, .wrap = true},
    };
    const size_t first = outcome->plan ? 0 : 1;
    struct grid grid = {.n_columns = 0};
    struct text out = {0};

    if (outcome->n)
        qsort(outcome->line, outcome->n, sizeof(*outcome->line), by_item);
    grid_columns(&grid, columns + first, sizeof(columns) / sizeof(columns[0]) - first);
    for (size_t i = 0; i < outcome->n; i++) {
        const struct line *line = &outcome->line[i];
        char path[sizeof(line->path) + 32];
        path_cell(line, path, sizeof(path));
        const char *const cells[] = {line->item, path, line->was, line->now, line->result};
        for (size_t c = first; c < sizeof(cells) / sizeof(cells[0]); c++)
            grid_text(&grid, cells[c]);
    }
    grid_print(&grid, command_width(1, 0, UINT_MAX), &out);
    if (outcome->incomplete)
        text_printf(&out, "(out of memory: not all lines are shown)\n");
    text_printf(&out, "%s\n", summary);
    return command_output(outcome->command, 1, false, &out);
}

/* Prints failures with --quiet, because the table is then not printed. */
static void say_failures(const struct outcome *outcome)
{
    char cell[sizeof(outcome->line->path) + 32];

    for (size_t i = 0; i < outcome->n; i++) {
        const struct line *line = &outcome->line[i];
        path_cell(line, cell, sizeof(cell));
        if (line->failed)
            message_print("jitbench %s: %s: %s\n", outcome->command->name, cell, line->result);
    }
}

const char *tune_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

int tune_finish(struct outcome *outcome, bool quiet, const char *summary)
{
    const int status = quiet ? 0 : print_table(outcome, summary);

    if (quiet)
        say_failures(outcome);
    free(outcome->line);
    outcome->line = NULL;
    return status;
}
