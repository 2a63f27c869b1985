/* SPDX-License-Identifier: MIT */
/* jitbench fleet: compares the results of many machines: finds outliers, the metrics in which they are, and settings
 * that differ. */

#include "cmd/cmd.h"

#define NAMESAKES_TOLD 5u
#define CSV_PIECE      65536u

static const struct option rows[] = {
    FILES_MIN_EFFECT_ROW(0.01, "2", "ignore machines that deviate by less"),
    {OWN_OPTION("by", 0, by, "unit that is judged: a machine, or each rank of a job by itself"),
     OPTION_EITHER("host|rank", "host", "rank"), .preset = {"host"}},
    FAIL_ON_ROW(struct options, fail_on),
    FILES_OUTPUT_ROWS(
        "write every figure of every machine to this CSV file; '-' is standard output, and the table goes to "
        "standard error"),
    {OWN_OPTION("verbose", 'v', verbose, "print a line for every machine, with all figures that are far off")},
    NAGIOS_ROW,
    COMMAND_HELP_ROW,
};

/* Piece by piece: there is a line for each machine and result. */
static int write_csv(const struct judgement *judgement, const struct options *options)
{
    struct files_output file;
    FREED_BY(text_free) struct text out = {0};
    const int status = files_begin(options->output, options->force, &file);

    if (status)
        return status;
    for (size_t i = 0; i == 0 || i < judgement->g->machines.n; i++) {
        fleet_put_csv(judgement, i, &out);
        if (out.length >= CSV_PIECE)
            files_put(&file, &out);
    }
    files_put(&file, &out);
    return files_end(&file);
}

static void take_row(void *context, const struct row *row)
{
    gather_row(context, row);
}

static void complain(const struct gather *g)
{
    FREED_BY(text_free) struct text namesakes = {0};
    size_t n = 0;

    files_count_once(g->doubles);
    if (g->without_rank)
        command_fail(0, "%" PRIu64 " row%s without a rank number: judged by host", g->without_rank,
                     PLURAL(g->without_rank));
    for (size_t m = 0; m < g->machines.n; m++)
        if (g->machine[m].namesake && n++ < NAMESAKES_TOLD)
            text_printf(&namesakes, "%s'%s'", n > 1 ? ", " : "", g->machines.name[m]);
    if (n > NAMESAKES_TOLD)
        text_printf(&namesakes, " and %zu more", n - NAMESAKES_TOLD);
    if (n)
        command_fail(0, "machines with different CPUs have the same name; they are called here: %s",
                     namesakes.data ? namesakes.data : "");
}

static bool machine_fails(const struct judgement *j, const struct judged *judged, const struct fail_on *fail_on)
{
    bool found = (judged->broke && fail_on_finds(fail_on, FAIL_ON_SLOWER, NAN)) ||
                 (judged->often && fail_on_finds(fail_on, FAIL_ON_SLOWER, 100 * judged->median_effect)) ||
                 (judged->differences && fail_on_finds(fail_on, FAIL_ON_SETTINGS, NAN)) ||
                 (!judged->results && j->n_results && fail_on_finds(fail_on, FAIL_ON_UNDECIDED, NAN));

    for (size_t k = 0; judged->far && !found && k < j->g->results.n; k++) {
        const double value = j->metric[k].n ? gather_value(j->g, k, judged->machine) : NAN;
        const double worse = isnan(value) ? value : judge_worse_by(j, k, value);
        found = !isnan(value) && judge_is_far(j, k, judged->machine, value) &&
                fail_on_finds(fail_on, worse > 0 ? FAIL_ON_SLOWER : FAIL_ON_FASTER, 100 * fabs(worse));
    }
    return found;
}

static int fleet(struct command_call *call)
{
    const struct options *options = &call->options;
    FREED_BY(gather_free) struct gather g = {.by_rank = options->by == 1, .metrics = metrics_table()};
    FREED_BY(judge_free) struct judgement judgement = {.g = &g};
    struct text out = {0};
    int status = files_each(call->operands, call->n, 0, take_row, &g);

    if (status)
        return status;
    gather_finish(&g);
    judge(&judgement, &g, options->min_effect_pct / 100);
    complain(&g);
    /* first, so that a wrong file name is reported before anything is printed */
    const int written = options->output[0] ? write_csv(&judgement, options) : EXIT_DONE;
    if (written == EXIT_USAGE)
        return written;
    const int fd = !strcmp(options->output, "-") ? 2 : 1;
    const struct doc doc = {.out = &out, .width = options->verbose ? 0 : command_width(fd, 0, UINT_MAX)};
    fleet_put_table(&judgement, options->verbose, &doc);
    doc_gap(&doc);
    fleet_put_summary(&judgement, &doc);
    const int printed = command_output(fd, !options->output[0], &out);
    status = written ? written : printed;
    if (status || !options->fail_on.kinds)
        return status;
    for (size_t i = 0; i < g.machines.n; i++)
        if (machine_fails(&judgement, &judgement.judged[i], &options->fail_on))
            return EXIT_FINDING;
    if (judgement.n_results)
        return EXIT_DONE;
    /* a check that cannot judge must not pass */
    return command_fail(EXIT_ROW_FAILED, "--fail-on: there is no figure to judge by");
}

const struct command command_fleet = {
    .name = "fleet",
    .operands = "FILE...",
    .title = "which of many machines stand out, and in what",
    .description = "A line for each host with its headline figures, those that stand out first. " FILES_ARE,
    COMMAND_CALLS(fleet, rows),
    .needs = FILES_NEEDED,
};
