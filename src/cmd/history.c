/* SPDX-License-Identifier: MIT */
/* jitbench history: tells when and in which metrics the results of one machine changed in the course of many runs. */

#include "cmd/cmd.h"

/* Columns of the CSV. */
static const char *const stat_choices[] = {"value", "mean", "sd", "min", "median", "p90", "p99", "p999", "max", NULL};

static const struct option rows[] = {
    FILES_MIN_EFFECT_ROW(0, "1", "leave out smaller changes"),
    {OWN_OPTION(
         "stat", 0, stat,
         "judge this column of the CSV. Default: the figure with the core free where all runs have it, otherwise "
         "value"),
     OPTION_ONE_OF("STAT", stat_choices)},
    {OWN_OPTION("recent", 0, recent,
                "show only changes in the last N runs, which are judged together with all earlier ones"),
     OPTION_NUMBER(COUNT, "N", 1, 1e6)},
    FAIL_ON_ROW(struct options, fail_on),
    {OWN_OPTION("judge", 0, judge, "of commands that 'run' measured, judge only this, and nothing else"),
     OPTION_ONE_OF("WHAT", judged_words)},
    {OWN_OPTION("verbose", 'v', verbose, "print a line for each figure that did not change as well")},
    NAGIOS_ROW,
    COMMAND_HELP_ROW,
};

struct reading {
    struct history *h;
    const char *metric; /* of commands, the only one that is judged; NULL: all of all tests */
};

static void take_row(void *context, const struct row *row)
{
    const struct reading *reading = context;

    if (!reading->metric || (!strcmp(row->suite, "run") && !strcmp(row->metric, reading->metric)))
        history_row(reading->h, row);
}

static void complain(const struct history *h)
{
    files_count_once(h->gather.doubles);
    if (h->without_time)
        command_fail(0, "%" PRIu64 " row%s left out: the time of their run is not known", h->without_time,
                     PLURAL(h->without_time));
    if (h->same_time)
        command_fail(0, "%zu run%s began in the same second as the one before; they stand in the order of the files",
                     h->same_time, PLURAL(h->same_time));
}

/* A check that cannot judge must not pass. */
static int finding(const struct history *h, const struct options *options)
{
    bool found = h->n_short && fail_on_finds(&options->fail_on, FAIL_ON_UNDECIDED, NAN);

    if (h->n_results <= h->n_short)
        return command_fail(EXIT_ROW_FAILED, "--fail-on: there is no figure to judge by");
    for (size_t i = 0; !found && i < h->n_changes; i++) {
        const struct history_change *c = &h->change[i];
        const double by = isnan(c->low) ? fabs(c->effect) : c->effect > 0 ? c->low : -c->high;
        /* A neighbour on the core explains results, but is no fault of what is measured. */
        const bool of_share = h->result[c->result].result + 1 == h->gather.share;
        found = !of_share && history_is_recent(h, c, options->recent) &&
                fail_on_finds(&options->fail_on, c->worse ? FAIL_ON_SLOWER : FAIL_ON_FASTER, 100 * by);
    }
    return found ? EXIT_FINDING : EXIT_DONE;
}

static int history(struct command_call *call)
{
    const struct options *options = &call->options;
    FREED_BY(history_free)
    struct history h = {.gather = {.every = true, .metrics = metrics_table()},
                        .least_effect = options->min_effect_pct / 100};
    struct text out = {0};

    if (option_given(&call->table, 1, "stat"))
        h.gather.stat = row_column(stat_choices[options->stat]);
    const bool judge = option_given(&call->table, 1, "judge");
    struct reading reading = {.h = &h, .metric = judge ? judged_metrics[options->judge] : NULL};
    int status = files_each(call->operands, call->n, 0, take_row, &reading);
    if (status)
        return status;
    history_finish(&h);
    if (h.mixed)
        return usage_error("the files are of different machines, %s and %s: "
                           "a history is of one; 'fleet' compares many",
                           h.machine, h.other);
    complain(&h);
    if (!h.n_runs)
        return judge ? usage_error("--judge %s: no file has it of a command", judged_words[options->judge])
                     : usage_error("no run to judge");
    const struct doc doc = {.out = &out, .width = options->verbose ? 0 : command_width(1, 0, UINT_MAX)};
    history_put_table(&h, options->recent, options->verbose, &doc);
    doc_gap(&doc);
    history_put_summary(&h, options->recent, &doc);
    status = command_output(1, true, &out);
    return status || !options->fail_on.kinds ? status : finding(&h, options);
}

const struct command command_history = {
    .name = "history",
    .operands = "FILE...",
    .title = "since when a machine is faster or slower",
    .description = "Sorts the runs of one machine by time and prints a line for each change: since when, in which "
                   "figure, by how much. " FILES_ARE,
    COMMAND_CALLS(history, rows),
    .needs = FILES_NEEDED,
};
