/* SPDX-License-Identifier: MIT */
/* jitbench untune: restores the settings as they were before tune. */
#include <stdio.h>

#include "cmd/suites.h"
#include "cmd/tune.h"
#include "sys/signals.h"

static const struct option untune_rows[] = {TUNE_SNAPSHOT_ROW, TUNE_COMMON_ROWS};

static int untune(const struct command_call *call)
{
    const struct command *command = call->command;
    const struct tune_options *options = call->options;
    const struct snapshot_place place = tune_place(options);
    struct outcome outcome = {.command = command};
    struct snapshot *snapshot;
    char error[1200], summary[64];

    if (call->n)
        return command_fail(command->name, EXIT_USAGE, "takes no operands, but '%.80s' was given", call->operands[0]);
    signals_init(); /* a signal must not end the program between two files that it writes */
    if (snapshot_open(&place, &snapshot, error, sizeof(error)))
        return command_complain(command->name, error, EXIT_ROW_FAILED);
    int failed = snapshot_restore(snapshot, tune_put_report, &outcome, error, sizeof(error));
    snapshot_close(snapshot);
    (void)snprintf(summary, sizeof(summary), "%zu file%s restored.", outcome.changed, tune_plural(outcome.changed));
    const int status = tune_finish(&outcome, options->quiet, summary);
    return failed ? command_complain(command->name, error, EXIT_ROW_FAILED) : status;
}

const struct command command_untune = {
    .name = "untune",
    .operands = "",
    .title = "restores the settings as they were before tune",
    .description = "Restores what 'jitbench tune', or a run with --tuned that was killed, has changed.",
    COMMAND_CALLS(untune, struct tune_options, untune_rows, .heading = "Options"),
};
