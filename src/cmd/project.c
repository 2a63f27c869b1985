/* SPDX-License-Identifier: MIT */
/* jitbench project: how much longer noise makes work of many ranks in steps that end in a barrier. */

#include "cmd/cmd.h"

/* Without STEP: each number if there are so few; otherwise decades from this ratio on, or powers of two. */
#define EACH_MOST    8u
#define DECADES_FROM 100u

static const struct option rows[] = {
    {OWN_OPTION("step", 0, steps, "work of a rank between two barriers"),
     OPTION_NUMBER(DURATIONS, "TIME,...", 1e3, 3600e9), .preset = {"100us,1ms,10ms"}},
    {OWN_OPTION("ranks", 0, ranks, "numbers of ranks: decades or powers of two, or by STEP"),
     OPTION_NUMBER(SWEEP, "FIRST:LAST[:STEP]", 1, 1e7), .preset = {"10:1000000"}},
    FILES_OUTPUT_ROWS("CSV file; '-' is standard output, and the tables go to standard error"),
    {OWN_OPTION("verbose", 'v', verbose, "print a line for every host, not only for the slowest ten")},
    COMMAND_HELP_ROW,
};

/* Without STEP, decades and powers of two end with LAST. */
static uint64_t next_ranks(const struct option_sweep *sweep, uint64_t ranks)
{
    uint64_t next = ranks + sweep->step;

    if (sweep->step > 1 || sweep->last - sweep->first < EACH_MOST)
        return next;
    next = sweep->last / sweep->first >= DECADES_FROM ? 10 * ranks : 2 * ranks;
    return ranks < sweep->last && next > sweep->last ? sweep->last : next;
}

static void take_row(void *context, const struct row *row)
{
    project_enter(context, row->run->host, row);
}

static int project(struct command_call *call)
{
    const struct options *options = &call->options;
    FREED_BY(project_free) struct project p = {0};
    struct text out = {0};
    const struct option_sweep *sweep = &options->ranks;
    int status, written = EXIT_DONE;

    for (uint64_t ranks = sweep->first; ranks <= sweep->last; ranks = next_ranks(sweep, ranks)) {
        if (p.n_ranks == PROJECT_RANKS_MAX)
            return usage_error("--ranks: at most %d numbers of ranks; a larger STEP makes fewer", PROJECT_RANKS_MAX);
        p.ranks[p.n_ranks++] = (double)ranks;
    }
    for (; p.n_steps < options->steps.n; p.n_steps++)
        p.step_ns[p.n_steps] = (double)options->steps.value[p.n_steps];
    if ((status = files_each(call->operands, call->n, ROWS_HIST | ROWS_SERIES, take_row, &p)))
        return status;
    for (size_t h = 0; h < p.n; h++)
        if (!detours_known(p.hosts[h]))
            command_fail(0, "%s has no rows of noise: left out",
                         p.hosts[h]->name[0] ? p.hosts[h]->name : "a host without a name");
    project_compute(&p);
    if (!p.n)
        return usage_error("no rows of noise");
    const bool to_stdout = !strcmp(options->output, "-");
    /* first, so that a wrong file name is reported before anything is printed */
    if (options->output[0]) {
        project_put_csv(&p, &out);
        written = files_write(options->output, options->force, &out);
    }
    if (written == EXIT_USAGE)
        return written;
    const struct doc doc = {.out = &out, .width = options->verbose ? 0 : command_width(to_stdout ? 2 : 1, 100, 100)};
    project_put_table(&p, options->verbose, &doc);
    project_put_costs(&p, &doc);
    const int printed = command_output(to_stdout ? 2 : 1, !options->output[0], &out);
    return written ? written : printed;
}

const struct command command_project = {
    .name = "project",
    .operands = "FILE...",
    .title = "what this noise costs parallel work on many ranks",
    .description = "Work that ends in a barrier takes as long as its slowest rank. From measured detours this computes "
                   "how long steps of such work take on many ranks, and which detours cost most. " FILES_ARE,
    COMMAND_CALLS(project, rows),
    .needs = FILES_NEEDED,
};
