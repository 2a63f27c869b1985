/* SPDX-License-Identifier: MIT */
/* jitbench tune and untune: set settings for low noise, and restore them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cpus.h"
#include "cmd/suites.h"
#include "out/grid.h"
#include "rows/text.h"
#include "settings/snapshot.h"
#include "settings/tuned.h"
#include "sys/memory.h"
#include "sys/signals.h"

#define SHOWN_MAX 28 /* characters of a value; masks can have 2 KiB */

struct tune_options {
    struct option_cpus cpus;
    char snapshot[1024];
    bool dry_run, quiet, help;
};

#define SNAPSHOT_ROW                                                                                                   \
    {                                                                                                                  \
        .name = "snapshot", .type = OPTION_TEXT, .value_name = "FILE", OPTION_AT(struct tune_options, snapshot),       \
        .help = "file that keeps the old state, instead of one in /run or /dev/shm"                                    \
    }
#define COMMON_ROWS                                                                                                    \
    {.name = "quiet", .letter = 'q', OPTION_AT(struct tune_options, quiet), .help = "print only errors"},              \
        COMMAND_HELP_ROW(struct tune_options)

static const struct option tune_rows[] = {
    {.name = "cpus",
     .type = OPTION_CPUS,
     .value_name = "LIST|all|quiet",
     .choices = cpus_choices,
     OPTION_AT(struct tune_options, cpus),
     .help = "CPUs to measure on, kept free of interrupts and the kernel's work; default: the isolated CPUs, or all "
             "but the boot CPU; quiet: the CPU that loses the least time now"},
    {.name = "dry-run",
     OPTION_AT(struct tune_options, dry_run),
     .help = "show what would be written, and write nothing"},
    SNAPSHOT_ROW,
    COMMON_ROWS,
};
static const struct option untune_rows[] = {SNAPSHOT_ROW, COMMON_ROWS};

/* --- The table: one line for consecutive files with the same result. --- */

struct line {
    char item[24], path[200], was[SHOWN_MAX + 4], now[SHOWN_MAX + 4], result[120];
    bool failed, managed; /* managed: refused, as expected for a managed interrupt */
    unsigned more;        /* number of files after the first */
    size_t order, number; /* number of the item in the list, and of the line */
};

struct outcome {
    const struct command *command;
    const struct tuned_plan *plan; /* NULL: untune */
    bool dry_run;
    struct line *line;
    size_t n, capacity;
    size_t changed, failed;
    bool incomplete; /* out of memory: lines are missing in the table, nothing else is wrong */
};

static void show_value(const char *value, char *buf)
{
    (void)snprintf(buf, SHOWN_MAX + 4, "%.*s%s", SHOWN_MAX, value[0] ? value : "-",
                   strlen(value) > SHOWN_MAX ? "..." : "");
    for (; *buf; buf++)
        if (*buf < ' ' || *buf > '~')
            *buf = '?';
}

static void describe(const struct outcome *outcome, const struct snapshot_report *report, char *buf, size_t size)
{
    switch (report->result) {
    case SNAPSHOT_DONE:
        text_copy(buf, size, outcome->plan ? "set" : "restored");
        break;
    case SNAPSHOT_ALREADY:
        text_copy(buf, size, outcome->plan ? "already good" : "unchanged");
        break;
    case SNAPSHOT_OTHER:
        if (outcome->dry_run)
            (void)snprintf(buf, size, "would be set to %.80s", report->wanted);
        else
            (void)snprintf(buf, size, "not taken: the kernel keeps another value than %.40s", report->wanted);
        break;
    case SNAPSHOT_REFUSED:
        (void)snprintf(buf, size, "refused: %.100s", tuned_refusal(report->path, report->error));
        break;
    }
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

static void put_line(struct outcome *outcome, const struct line *line)
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

/* Sets the line's item and its place in the table. */
static void name_line(struct line *line, size_t setting)
{
    text_copy(line->item, sizeof(line->item), settings_list[setting].name);
    line->order = setting;
}

static int by_item(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void put_report(void *context, const struct snapshot_report *report)
{
    struct outcome *outcome = context;
    struct line line = {.more = 0};

    outcome->changed += report->result == SNAPSHOT_DONE;
    line.managed = outcome->plan && report->result == SNAPSHOT_REFUSED && tuned_is_managed(report->path, report->error);
    line.failed = (report->result == SNAPSHOT_REFUSED && !line.managed) ||
                  (report->result == SNAPSHOT_OTHER && !outcome->dry_run);
    outcome->failed += line.failed;
    if (!outcome->plan && report->result == SNAPSHOT_ALREADY)
        return; /* its value was saved only because it may change as a side effect */
    if (outcome->plan)
        name_line(&line, outcome->plan->of[report->index]);
    text_copy(line.path, sizeof(line.path), report->path);
    show_value(report->was, line.was);
    show_value(report->now, line.now);
    describe(outcome, report, line.result, sizeof(line.result));
    put_line(outcome, &line);
}

static void path_cell(const struct line *line, char *buf, size_t size)
{
    if (line->more)
        (void)snprintf(buf, size, "%s and %u more", line->path, line->more);
    else
        text_copy(buf, size, line->path[0] ? line->path : "-");
}

static int print_table(struct outcome *outcome)
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
            (void)fprintf(stderr, "jitbench %s: %s: %s\n", outcome->command->name, cell, line->result);
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Prints the table. Returns 0, or an exit status when it could not be printed. */
static int finish_outcome(struct outcome *outcome, bool quiet, const char *summary)
{
    struct text out = {0};
    int status = 0;

    if (quiet) {
        say_failures(outcome);
    } else {
        status = print_table(outcome);
        text_printf(&out, "%s\n", summary);
        if (status)
            text_free(&out);
        else
            status = command_output(outcome->command, 1, false, &out);
    }
    free(outcome->line);
    outcome->line = NULL;
    return status;
}

/* --- Common part of both commands. --- */

static int complain(const struct command *command, const char *what, int status)
{
    return command_complain(command->name, what, status);
}

static struct snapshot_place place_of(const struct tune_options *options)
{
    return (struct snapshot_place){.root = "",
                                   .file = options->snapshot[0] ? options->snapshot : snapshot_default_file()};
}

/* --- tune --- */

struct tune {
    const struct command *command;
    const struct tune_options *options;
    bool *chosen; /* indexed as settings_list */
    struct machine machine;
    struct cpuset bench;
    struct settings_view view;
    struct tuned_plan plan;
    struct outcome outcome;
};

static bool is_named(const struct setting *setting, const char *const *operands, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(operands[i], setting->name))
            return true;
    return false;
}

static int choose(struct tune *t, const char *const *operands, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!setting_find(operands[i]))
            return command_unknown_operand(t->command, operands[i]);
    t->chosen = calloc(settings_count, sizeof(*t->chosen));
    if (!t->chosen)
        return complain(t->command, "out of memory", EXIT_ROW_FAILED);
    for (size_t i = 0; i < settings_count; i++)
        t->chosen[i] = n ? is_named(&settings_list[i], operands, n) : settings_list[i].how == SETTING_WRITE;
    return 0;
}

/* Prints the state of a setting for which nothing needs to be written, or how else it can be set. */
static void put_state(struct tune *t, size_t i)
{
    const struct setting *setting = &settings_list[i];
    struct line line = {.more = 0};
    struct setting_state state;

    setting_look(setting, &t->view, &state);
    name_line(&line, i);
    show_value(state.now, line.was);
    show_value(state.now, line.now);
    if (!setting_is_written(setting))
        (void)snprintf(line.result, sizeof(line.result), "not by tune: %.100s", setting->set);
    else if (state.verdict == SETTING_NOISY)
        (void)snprintf(line.result, sizeof(line.result), "cannot be set here%s%.90s", state.why[0] ? ": " : "",
                       state.why);
    else if (state.verdict == SETTING_OK)
        text_copy(line.result, sizeof(line.result), "already good");
    else
        (void)snprintf(line.result, sizeof(line.result), "%s%s%.100s", setting_verdict_names[state.verdict],
                       state.why[0] ? ": " : "", state.why);
    put_line(&t->outcome, &line);
}

static int make_plan(struct tune *t)
{
    for (size_t i = 0; i < settings_count; i++) {
        size_t before = t->plan.writes.n;
        if (!t->chosen[i])
            continue;
        if (tuned_plan_add(&t->plan, i, &t->view))
            return complain(t->command, "out of memory", EXIT_ROW_FAILED);
        if (t->plan.writes.n == before)
            put_state(t, i);
    }
    return 0;
}

static int needs_root(const struct tune *t)
{
    struct text line = {0};

    for (size_t i = 0; i < t->plan.writes.n; i++)
        if (i == 0 || t->plan.of[i] != t->plan.of[i - 1])
            text_printf(&line, "%s%s", i ? ", " : "", settings_list[t->plan.of[i]].name);
    (void)fprintf(stderr, "jitbench tune: only root may set %s; nothing was changed\n", line.data ? line.data : "them");
    text_free(&line);
    return EXIT_ROW_FAILED;
}

/* Removes the snapshot when nothing was changed, because it would prevent the next tune. */
static void drop(const struct tune *t, struct snapshot *snapshot)
{
    struct outcome ignored = {.command = t->command};
    char error[512];

    if (snapshot_restore(snapshot, put_report, &ignored, error, sizeof(error)))
        (void)complain(t->command, error, EXIT_ROW_FAILED);
    free(ignored.line);
}

static int apply(struct tune *t, struct snapshot *snapshot)
{
    char summary[1200] = "Nothing was changed.";

    if (snapshot_save(snapshot, summary, sizeof(summary)))
        return complain(t->command, summary, EXIT_ROW_FAILED);
    snapshot_apply(snapshot, put_report, &t->outcome);
    if (t->outcome.changed)
        (void)snprintf(summary, sizeof(summary), "%zu file%s changed; 'jitbench untune%s%s' restores the old values.",
                       t->outcome.changed, plural(t->outcome.changed), t->options->snapshot[0] ? " --snapshot " : "",
                       t->options->snapshot);
    else
        drop(t, snapshot);
    int unprinted = finish_outcome(&t->outcome, t->options->quiet, summary);
    return t->outcome.failed || unprinted ? EXIT_ROW_FAILED : EXIT_DONE;
}

static int set_or_show(struct tune *t)
{
    const struct snapshot_place place = place_of(t->options);
    struct snapshot *snapshot;

    if (!t->options->dry_run && t->plan.writes.n && geteuid() != 0)
        return needs_root(t);
    if (snapshot_look(&place, &t->plan.writes, &snapshot))
        return complain(t->command, "out of memory", EXIT_ROW_FAILED);
    int status = EXIT_DONE;
    if (t->options->dry_run) {
        snapshot_preview(snapshot, put_report, &t->outcome);
        if (finish_outcome(&t->outcome, t->options->quiet, "Nothing was written."))
            status = EXIT_ROW_FAILED;
    } else {
        status = apply(t, snapshot);
    }
    snapshot_close(snapshot);
    return status;
}

static int prepare_and_set(struct tune *t, const struct command_call *call)
{
    char error[512];
    int status = choose(t, call->operands, call->n);

    if (status)
        return status;
    machine_read("", &t->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &t->options->cpus : NULL, &t->machine, &t->bench, error,
                   sizeof(error)))
        return complain(t->command, error, EXIT_USAGE);
    t->view = (struct settings_view){.root = "", .machine = &t->machine, .bench = &t->bench};
    t->outcome = (struct outcome){.command = t->command, .plan = &t->plan, .dry_run = t->options->dry_run};
    if ((status = make_plan(t)))
        return status;
    return set_or_show(t);
}

static int tune(const struct command_call *call)
{
    struct tune *t = calloc(1, sizeof(*t));

    if (!t)
        return complain(call->command, "out of memory", EXIT_ROW_FAILED);
    signals_init(); /* a signal must not end it between two files */
    t->command = call->command;
    t->options = call->options;
    const int status = prepare_and_set(t, call);
    free(t->outcome.line); /* lines of a plan that was not carried out */
    free(t->chosen);
    tuned_plan_free(&t->plan);
    free(t);
    return status;
}

/* --- untune --- */

static int untune(const struct command_call *call)
{
    const struct command *command = call->command;
    const struct tune_options *options = call->options;
    const struct snapshot_place place = place_of(options);
    struct outcome outcome = {.command = command};
    struct snapshot *snapshot;
    char error[1200], summary[64];

    if (call->n) {
        (void)snprintf(error, sizeof(error), "takes no operands, but '%.80s' was given", call->operands[0]);
        return complain(command, error, EXIT_USAGE);
    }
    signals_init(); /* a signal must not end it between two files */
    if (snapshot_open(&place, &snapshot, error, sizeof(error)))
        return complain(command, error, EXIT_ROW_FAILED);
    if (error[0])
        (void)complain(command, error, EXIT_DONE);
    int failed = snapshot_restore(snapshot, put_report, &outcome, error, sizeof(error));
    snapshot_close(snapshot);
    (void)snprintf(summary, sizeof(summary), "%zu file%s restored.", outcome.changed, plural(outcome.changed));
    int unprinted = finish_outcome(&outcome, options->quiet, summary);
    if (failed)
        return complain(command, error, EXIT_ROW_FAILED);
    return unprinted ? EXIT_ROW_FAILED : EXIT_DONE;
}

const struct command command_tune = {
    .name = "tune",
    .operands = "[ITEM...]",
    .title = "sets the machine's settings for measuring; untune restores them",
    .description = "Changes the settings that disturb measurements to good values: those that 'jitbench check' shows "
                   "and a program can write, except those that could lock somebody out, or only the items named. The "
                   "old values are kept, and 'jitbench untune' restores them to the byte. Needs root.",
    .run = command_main,
    COMMAND_TABLE(struct tune_options, tune_rows, .heading = "Options"),
    .call = tune,
    .takes = &setting_names,
};
const struct command command_untune = {
    .name = "untune",
    .operands = "",
    .title = "restores the settings as they were before tune",
    .description = "Restores what 'jitbench tune', or a run with --tuned that was killed, has changed.",
    .run = command_main,
    COMMAND_TABLE(struct tune_options, untune_rows, .heading = "Options"),
    .call = untune,
};
