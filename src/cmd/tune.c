/* SPDX-License-Identifier: MIT */
/* jitbench tune: sets settings for low noise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cpus.h"
#include "cmd/suites.h"
#include "cmd/tune.h"
#include "rows/text.h"
#include "sys/memory.h"
#include "sys/message.h"
#include "sys/signals.h"

static const struct option tune_rows[] = {
    {OPTION("cpus", 0, struct tune_options, cpus,
            "CPUs to measure on, kept free of interrupts and the kernel's work; default: the isolated CPUs, or all but "
            "the boot CPU; quiet: the CPU that loses the least speed now"),
     .type = OPTION_CPUS, .value_name = "LIST|all|quiet", .choices = cpus_choices},
    {OPTION("dry-run", 0, struct tune_options, dry_run, "show what would be written, and write nothing")},
    TUNE_SNAPSHOT_ROW,
    TUNE_COMMON_ROWS,
};
struct tune {
    const struct command *command;
    const struct tune_options *options;
    bool *chosen; /* whether to change the setting, for each entry of settings_list */
    struct machine machine;
    struct cpuset bench;
    struct settings_view view;
    struct setting_writes plan;
    struct outcome outcome;
};

/* Adds a line for a setting that tune does not write: because it is good already, because it cannot be set here, or
 * because it must be set in another way. */
static void put_state(struct tune *t, size_t i)
{
    const struct setting *setting = &settings_list[i];
    struct line line = {.more = 0};
    struct setting_state state;

    setting_look(setting, &t->view, &state);
    tune_name_line(&line, i);
    tune_show_value(state.now, line.was);
    tune_show_value(state.now, line.now);
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
    tune_put_line(&t->outcome, &line);
}

static void make_plan(struct tune *t)
{
    for (size_t i = 0; i < settings_count; i++) {
        const size_t before = t->plan.n;
        if (t->chosen[i] && setting_plan(&settings_list[i], &t->view, &t->plan))
            memory_out();
        if (t->chosen[i] && t->plan.n == before)
            put_state(t, i);
    }
}

static int needs_root(const struct tune *t)
{
    FREED_BY(text_free) struct text line = {0};

    for (size_t i = 0; i < t->plan.n; i++)
        if (i == 0 || t->plan.write[i].of != t->plan.write[i - 1].of)
            text_printf(&line, "%s%s", i ? ", " : "", t->plan.write[i].of->name);
    message_print("jitbench tune: only root may set %s; nothing was changed\n", line.data ? line.data : "them");
    return EXIT_ROW_FAILED;
}

/* Removes the snapshot when nothing was changed, because it would prevent the next tune. Returns the exit status. */
static int drop(const struct tune *t, struct snapshot *snapshot)
{
    struct outcome ignored = {.command = t->command};
    char error[512];

    const int failed = snapshot_restore(snapshot, tune_put_report, &ignored, error, sizeof(error));
    free(ignored.line);
    return failed ? command_complain(t->command->name, error, EXIT_ROW_FAILED) : EXIT_DONE;
}

static int apply(struct tune *t, struct snapshot *snapshot)
{
    char summary[1200] = "Nothing was changed.";
    int status = EXIT_DONE;

    if (t->options->snapshot[0] && tuned_has_snapshot())
        return command_fail(t->command->name, EXIT_ROW_FAILED,
                            "'%s' is there already; 'jitbench untune' restores what it holds", snapshot_default_file());
    if (snapshot_save(snapshot, summary, sizeof(summary)))
        return command_complain(t->command->name, summary, EXIT_ROW_FAILED);
    snapshot_apply(snapshot, tune_put_report, &t->outcome);
    if (t->outcome.changed)
        (void)snprintf(summary, sizeof(summary), "%zu file%s changed; 'jitbench untune%s%s' restores the old values.",
                       t->outcome.changed, tune_plural(t->outcome.changed),
                       t->options->snapshot[0] ? " --snapshot " : "", t->options->snapshot);
    else
        status = drop(t, snapshot);
    int unprinted = tune_finish(&t->outcome, t->options->quiet, summary);
    return t->outcome.failed || unprinted ? EXIT_ROW_FAILED : status;
}

static int set_or_show(struct tune *t)
{
    const struct snapshot_place place = tune_place(t->options);
    struct snapshot *snapshot;

    if (!t->options->dry_run && t->plan.n && geteuid() != 0)
        return needs_root(t);
    if (snapshot_look(&place, &t->plan, &snapshot))
        memory_out();
    if (t->options->dry_run)
        snapshot_apply(snapshot, tune_put_report, &t->outcome);
    const int status =
        t->options->dry_run ? tune_finish(&t->outcome, t->options->quiet, "Nothing was written.") : apply(t, snapshot);
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

static int tune(const struct command_call *call)
{
    FREED_BY(free_tune) struct tune *t = memory_get(1, sizeof(*t));
    char error[512];

    signals_init(); /* a signal must not end the program between two files that it writes */
    t->command = call->command;
    t->options = call->options;
    t->chosen = memory_get(settings_count, sizeof(*t->chosen));
    for (size_t i = 0; i < settings_count; i++)
        t->chosen[i] = call->n == 0 && settings_list[i].how == SETTING_WRITE;
    const int status = command_mark_settings(call->command, call->operands, call->n, t->chosen);
    if (status)
        return status;
    machine_read("", &t->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &t->options->cpus : NULL, &t->machine, &t->bench, error,
                   sizeof(error)))
        return command_complain(t->command->name, error, EXIT_USAGE);
    t->view = (struct settings_view){.root = "", .machine = &t->machine, .bench = &t->bench};
    t->outcome = (struct outcome){.command = t->command, .plan = &t->plan, .dry_run = t->options->dry_run};
    make_plan(t);
    return set_or_show(t);
}

const struct command command_tune = {
    .name = "tune",
    .operands = "[ITEM...]",
    .title = "sets the machine's settings for measuring; untune restores them",
    .description = "Changes the settings that disturb measurements to good values: those that 'jitbench check' shows "
                   "and a program can write, except those that could lock somebody out, or only the items named. The "
                   "old values are kept, and 'jitbench untune' restores them to the byte. Needs root.",
    COMMAND_CALLS(tune, struct tune_options, tune_rows, .heading = "Options"),
    .takes = &setting_names,
};
