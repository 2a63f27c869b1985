/* SPDX-License-Identifier: MIT */
/* jitbench tune: sets settings for low noise. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

#define SHOWN_MAX 28 /* CPU masks can have 2 KiB */

#define TUNE_SNAPSHOT_ROW \
    { \
        OWN_OPTION("snapshot", 0, snapshot, "file that keeps the old state, instead of one in /run or /dev/shm"), \
            OPTION_WORD("FILE") \
    }
#define TUNE_COMMON_ROWS {OWN_OPTION("quiet", 'q', quiet, "print only errors")}, COMMAND_HELP_ROW

/* A line of the table: consecutive files with the same result. */
struct line {
    const struct setting *setting; /* NULL: untune */
    char path[200], was[SHOWN_MAX + 4], now[SHOWN_MAX + 4], result[120];
    bool failed, managed; /* managed: the kernel manages the interrupt itself; no failure */
    unsigned more;        /* files besides `path` */
};

struct outcome {
    const struct setting_writes *plan; /* NULL: untune */
    bool dry_run;
    struct line *line;
    size_t n, capacity;
    size_t changed, failed;
    bool incomplete; /* out of memory: lines are missing */
};

/* --- The table of what was done. --- */

static const char *file_of(const struct command_options *options)
{
    return options->snapshot[0] ? options->snapshot : snapshot_default_file();
}

static void show_value(const char *value, char *buf)
{
    snprintf(buf, SHOWN_MAX + 4, "%.*s%s", SHOWN_MAX, value[0] ? value : "-", strlen(value) > SHOWN_MAX ? "..." : "");
    text_sanitize(buf);
}

static void describe(const struct outcome *outcome, const struct snapshot_report *report, char *buf, size_t size)
{
    switch (report->result) {
    case SNAPSHOT_REFUSED:
        snprintf(buf, size, "refused: %.100s", tuned_refusal(report->path, report->error));
        break;
    case SNAPSHOT_OTHER:
        snprintf(buf, size,
                 outcome->dry_run ? "would be set to %.80s" : "not taken: the kernel keeps another value than %.40s",
                 report->wanted);
        break;
    case SNAPSHOT_DONE:
        text_copy(buf, size, outcome->plan ? "set" : "restored");
        break;
    default:
        text_copy(buf, size, outcome->plan ? "already good" : "unchanged");
    }
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') : path;
}

static void put_line(struct outcome *outcome, const struct line *line)
{
    struct line *last = outcome->n ? &outcome->line[outcome->n - 1] : NULL;

    if (last && line->path[0] && !last->managed && !line->managed && last->setting == line->setting &&
        !strcmp(last->was, line->was) && !strcmp(last->now, line->now) && !strcmp(last->result, line->result) &&
        !strcmp(file_name(last->path), file_name(line->path))) {
        last->more++;
        return;
    }
    if (!grow_array(&outcome->line, &outcome->capacity, outcome->n, sizeof(*outcome->line))) {
        outcome->incomplete = true;
        return;
    }
    outcome->line[outcome->n++] = *line;
}

/* For snapshot_apply() and snapshot_restore(). */
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
        return; /* it had its old value already */
    if (outcome->plan)
        line.setting = outcome->plan->write[report->index].of;
    TEXT_SET(line.path, report->path);
    show_value(report->was, line.was);
    show_value(report->now, line.now);
    describe(outcome, report, line.result, sizeof(line.result));
    put_line(outcome, &line);
}

/* Until the end of the block. */
#define PATH_CELL(line) \
    ((line)->more ? TEXT_LINE("%s and %u more", (line)->path, (line)->more) : (line)->path[0] ? (line)->path : "-")

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

    grid_columns(&grid, columns + first, COUNT(columns) - first);
    for (size_t s = 0; s < (first ? 1 : settings_count); s++)
        for (const struct line *line = outcome->line; line < outcome->line + outcome->n; line++) {
            const char *const cells[] = {first ? "" : settings_list[s].name, PATH_CELL(line), line->was, line->now,
                                         line->result};
            for (size_t c = first; c < COUNT(cells) && (first || line->setting == &settings_list[s]); c++)
                grid_text(&grid, cells[c]);
        }
    grid_print(&grid, command_width(1, 0, UINT_MAX), &out);
    if (outcome->incomplete)
        text_printf(&out, "(out of memory: not all lines are shown)\n");
    text_printf(&out, "%s\n", summary);
    return command_output(1, false, &out);
}

/* quiet: only the failures, on standard error. Frees the lines. */
static int print_outcome(struct outcome *outcome, bool quiet, const char *summary)
{
    const int status = quiet ? 0 : print_table(outcome, summary);

    for (const struct line *line = outcome->line; quiet && line < outcome->line + outcome->n; line++)
        if (line->failed)
            command_fail(0, "%s: %s", PATH_CELL(line), line->result);
    free(outcome->line);
    outcome->line = NULL;
    return status;
}

/* --- untune --- */

static const struct option untune_rows[] = {TUNE_SNAPSHOT_ROW, TUNE_COMMON_ROWS};

static int untune(struct command_call *call)
{
    const struct command_options *options = &call->options;
    struct outcome outcome = {.n = 0};
    struct snapshot *snapshot;
    struct error error;
    char summary[64];

    if (call->n)
        return usage_error("takes no operands, but '%.80s' was given", call->operands[0]);
    signals_init(); /* not between two files that it writes */
    if (snapshot_open(file_of(options), &snapshot, &error))
        return command_complain(error.text, EXIT_ROW_FAILED);
    int failed = snapshot_restore(snapshot, put_report, &outcome, &error);
    snapshot_close(snapshot);
    TEXT_PRINT(summary, "%zu file%s restored.", outcome.changed, PLURAL(outcome.changed));
    const int status = print_outcome(&outcome, options->quiet, summary);
    return failed ? command_complain(error.text, EXIT_ROW_FAILED) : status;
}

const struct command command_untune = {
    .name = "untune",
    .operands = "",
    .title = "restores the settings that tune changed",
    .description = "Restores what 'jitbench tune', or a run with --tuned that was killed, has changed.",
    COMMAND_CALLS_WITH(untune, untune_rows, .heading = "Options"),
};

static const struct option tune_rows[] = {
    {OWN_OPTION(
         "cpus", 0, cpus,
         "CPUs to measure on, kept free of interrupts and the kernel's work; default: the isolated CPUs, or all but "
         "the boot CPU; quiet: the CPU that loses the least speed now"),
     CPUS_LIST},
    {OWN_OPTION("dry-run", 0, dry_run, "show what would be written, and write nothing")},
    TUNE_SNAPSHOT_ROW,
    TUNE_COMMON_ROWS,
};
struct tune {
    const struct command_options *options;
    bool *chosen; /* of each entry of settings_list */
    struct machine machine;
    struct cpuset bench;
    struct settings_view view;
    struct setting_writes plan;
    struct outcome outcome;
};

/* It is good already, cannot be set here, or is set in another way. */
static void put_state(struct tune *t, const struct setting *setting, const struct setting_state *state)
{
    struct line line = {.setting = setting};

    show_value(state->now, line.was);
    show_value(state->now, line.now);
    if (!setting->how)
        TEXT_PRINT(line.result, "not by tune: %.100s", setting->set);
    else if (state->verdict == SETTING_NOISY)
        TEXT_PRINT(line.result, "cannot be set here%s%.90s", state->why[0] ? ": " : "", state->why);
    else if (state->verdict == SETTING_OK)
        TEXT_SET(line.result, "already good");
    else
        TEXT_PRINT(line.result, "%s%s%.100s", setting_verdict_names[state->verdict], state->why[0] ? ": " : "",
                   state->why);
    put_line(&t->outcome, &line);
}

/* A snapshot would prevent the next tune. */
static int drop(struct snapshot *snapshot)
{
    struct outcome ignored = {.n = 0};
    struct error error;
    const int failed = snapshot_restore(snapshot, put_report, &ignored, &error);

    free(ignored.line);
    return failed ? command_complain(error.text, EXIT_ROW_FAILED) : EXIT_DONE;
}

static int apply(struct tune *t, struct snapshot *snapshot)
{
    char summary[1200] = "Nothing was changed.";
    struct error error;
    int status = EXIT_DONE;

    if (t->options->snapshot[0] && tuned_has_snapshot())
        return command_fail(EXIT_ROW_FAILED, "'%s' is there already; 'jitbench untune' restores what it holds",
                            snapshot_default_file());
    if (snapshot_save(snapshot, &error))
        return command_complain(error.text, EXIT_ROW_FAILED);
    snapshot_apply(snapshot, put_report, &t->outcome);
    if (t->outcome.changed)
        TEXT_PRINT(summary, "%zu file%s changed; 'jitbench untune%s%s' restores the old values.", t->outcome.changed,
                   PLURAL(t->outcome.changed), t->options->snapshot[0] ? " --snapshot " : "", t->options->snapshot);
    else
        status = drop(snapshot);
    int unprinted = print_outcome(&t->outcome, t->options->quiet, summary);
    return t->outcome.failed || unprinted ? EXIT_ROW_FAILED : status;
}

static int set_or_show(struct tune *t)
{
    struct snapshot *snapshot;

    if (!t->options->dry_run && t->plan.n && geteuid() != 0) {
        FREED_BY(text_free) struct text names = {0};
        for (size_t i = 0; i < t->plan.n; i++)
            if (i == 0 || t->plan.write[i].of != t->plan.write[i - 1].of)
                text_printf(&names, "%s%s", i ? ", " : "", t->plan.write[i].of->name);
        return command_fail(EXIT_ROW_FAILED, "only root may set %s; nothing was changed",
                            names.data ? names.data : "them");
    }
    if (snapshot_look(file_of(t->options), &t->plan, &snapshot))
        memory_out();
    if (t->options->dry_run)
        snapshot_apply(snapshot, put_report, &t->outcome);
    const int status = t->options->dry_run ? print_outcome(&t->outcome, t->options->quiet, "Nothing was written.")
                                           : apply(t, snapshot);
    snapshot_close(snapshot);
    return status;
}

static void free_tune(struct tune **tune)
{
    free((*tune)->outcome.line); /* lines of a plan that was not carried out */
    free((*tune)->chosen);
    setting_writes_free(&(*tune)->plan);
    free(*tune);
}

static int tune(struct command_call *call)
{
    FREED_BY(free_tune) struct tune *t = memory_get(1, sizeof(*t));
    struct error error;

    signals_init(); /* not between two files that it writes */
    t->options = &call->options;
    t->chosen = memory_get(settings_count, sizeof(*t->chosen));
    for (size_t i = 0; i < settings_count; i++)
        t->chosen[i] = call->n == 0 && settings_list[i].how == SETTING_WRITE;
    for (size_t i = 0; i < call->n; i++)
        if (command_mark_setting(call->operands[i], true, t->chosen))
            return EXIT_USAGE;
    machine_read(&t->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &t->options->cpus : NULL, &t->machine, &t->bench, &error))
        return usage_error("%s", error.text);
    t->view = (struct settings_view){.machine = &t->machine, .bench = &t->bench};
    t->outcome = (struct outcome){.plan = &t->plan, .dry_run = t->options->dry_run};
    for (size_t i = 0; i < settings_count; i++) {
        const size_t before = t->plan.n;
        struct setting_state state;
        if (!t->chosen[i])
            continue;
        if (!setting_look(&settings_list[i], &t->view, &state, &t->plan))
            memory_out();
        if (t->plan.n == before)
            put_state(t, &settings_list[i], &state);
    }
    return set_or_show(t);
}

const struct command command_tune = {
    .name = "tune",
    .operands = "[ITEM...]",
    .title = "sets the machine for measuring",
    .description = "Sets what 'jitbench check' shows and a program can write, except what could lock somebody out, or "
                   "only the items named. 'jitbench untune' restores the old values to the byte. Needs root.",
    COMMAND_CALLS_WITH(tune, tune_rows, .heading = "Options"),
    .takes = &setting_names,
};
