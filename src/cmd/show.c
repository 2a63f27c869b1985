/* SPDX-License-Identifier: MIT */
/* jitbench show: prints the tables of runs again. */
#include "cmd/show.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/suites.h"
#include "out/color.h"

void show_run(const struct row_run *run, struct text *out)
{
    text_printf(out, "jitbench%s%s, %s\n", run->build[0] ? " " : "", run->build,
                run->utc[0] ? run->utc : "time not known");
    text_printf(out, "Machine   %s, Linux %.*s %s, %s, ", run->host, (int)strcspn(run->kernel, " "), run->kernel,
                run->arch, run->cpu_model[0] ? run->cpu_model : "CPU model not known");
    if (run->cpus_online)
        text_printf(out, "%" PRIu64 " CPU%s online", run->cpus_online, run->cpus_online == 1 ? "" : "s");
    else
        text_printf(out, "number of CPUs not known");
}

struct show_options {
    bool counters, quiet, verbose, help;
    int color;
};

static const struct option rows[] = {
    {OPTION("counters", 0, struct show_options, counters,
            "print the event counts of each test too: cycles, instructions, misses, switches")},
    {OPTION("quiet", 'q', struct show_options, quiet, "print only the tables: no header and no warnings")},
    {OPTION("verbose", 'v', struct show_options, verbose,
            "print a line for each run and all columns in every table, and histograms even if standard output is not a "
            "terminal")},
    COLOR_ROW(struct show_options),
    COMMAND_HELP_ROW(struct show_options),
};

/* Returns the number of consecutive rows of the same run, and if by_suite is set of the same suite. */
static size_t count_alike(const struct row *first, size_t n, bool by_suite)
{
    size_t count = 0;

    while (count < n && first[count].run == first->run && (!by_suite || !strcmp(first[count].suite, first->suite)))
        count++;
    return count;
}

static void put_run(struct row *first, size_t n, const struct show_options *options, struct text *out)
{
    const struct row_run *run = first->run;
    const struct show_how how = {.fd = 1,
                                 .alone = count_alike(first, n, true) == n,
                                 .counters = options->counters,
                                 .verbose = options->verbose,
                                 .more = "--samples"};
    FREED_BY(text_free) struct text warnings = {0};

    if (!options->quiet) {
        show_run(run, out);
        text_append(out, "\n", 1);
        if (run->job[0])
            text_printf(out, "Job       %s%s%s\n", run->job, run->rank[0] ? ", rank " : "", run->rank);
        if (run->comment[0])
            text_printf(out, "Comment   %s\n", run->comment);
        text_append(out, "\n", 1);
    }
    for (size_t i = 0, count; i < n; i += count) {
        count = count_alike(first + i, n - i, true);
        show_rows(first + i, count, &how, out, &warnings);
    }
    text_append(out, warnings.data, options->quiet ? 0 : warnings.length);
}

/* Prints run by run, so that the output does not accumulate in memory. */
static int put_set(const struct command *command, const struct show_options *options, struct row_set *set)
{
    int status = 0;

    metrics_mark_headlines(metrics_table(), set->rows, set->n);
    for (size_t i = 0, count; i < set->n && !status; i += count) {
        struct text out = {.color = color_wanted(options->color, 1)};
        count = count_alike(set->rows + i, set->n - i, false);
        if (i > 0 && !options->quiet)
            text_append(&out, "\n", 1);
        put_run(set->rows + i, count, options, &out);
        status = command_output(command, 1, true, &out);
    }
    return status;
}

static int show(const struct command_call *call)
{
    FREED_BY(row_set_free) struct row_set set = {0};
    const int status = files_read_most(call->command->name, call->operands, call->n, ROWS_ALL | ROWS_UNKNOWN, &set);
    const int printed = put_set(call->command, call->options, &set);

    return printed ? printed : status;
}

const struct command command_show = {
    .name = "show",
    .operands = "FILE...",
    .title = "prints the tables of runs again, from their result files",
    .description =
        "Prints the tables of each run in the files as they were printed when it was measured, below the time, the "
        "machine and the comment, and followed by warnings. Standard error names what is damaged or cannot be read; "
        "the rest is shown. FILE is a result file, a directory of them, a pattern, or '-'.",
    COMMAND_CALLS(show, struct show_options, rows, .heading = "Options of show"),
    .needs = "FILE is missing: give the CSV of a run, or '-' for standard input",
};
