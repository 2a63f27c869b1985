/* SPDX-License-Identifier: MIT */
/* jitbench export: writes results in other tools' formats. */

#include "out/export.h"
#include "cmd/cmd.h"

static const struct option_foreign formats[] = {
    {"prometheus prom", "did you mean 'openmetrics'?", FOREIGN_REFUSED},
    {"google-benchmark", "did you mean 'gbench'?", FOREIGN_REFUSED},
    {.words = NULL},
};
static const struct option_foreign foreign[] = {
    {"json", "did you mean '--format json'?", FOREIGN_REFUSED},
    {"prometheus openmetrics", "did you mean '--format openmetrics'?", FOREIGN_REFUSED},
    {.words = NULL},
};

static const struct option rows[] = {
    {OWN_OPTION("format", 'f', format, "what to write"), OPTION_ONE_OF("FORMAT", export_names), .foreign = formats,
     .preset = {"json"}},
    {OWN_OPTION("output", 'o', output, "the file to make; '-' is standard output"), OPTION_WORD("FILE|-"),
     .preset = {"-"}},
    {OWN_OPTION("labels", 0, labels, "openmetrics: labels that differ from run to run, which begin new series"),
     OPTION_SOME_OF("LABEL,...", export_labels)},
    FILES_FORCE_ROW,
    COMMAND_HELP_ROW,
};

static int export(struct command_call *call)
{
    const struct options *options = &call->options;
    const struct export_format *format = export_formats[options->format];

    if (options->labels && format != &export_openmetrics)
        return usage_error("--labels goes with --format openmetrics");
    FREED_BY(row_set_free) struct row_set set = {0};
    FREED_BY(text_free) struct text message = {0}, out = {0};
    struct export_left_out left_out;
    const int status = files_read(call->operands, call->n, false, format->wanted, &set);

    if (status)
        return status;
    const size_t taken = export_write(format, set.rows, set.n, metrics_table(), options->labels, &out, &left_out);
    export_describe(&left_out, export_names[options->format], set.n, &message);
    if (message.length)
        command_complain(message.data, 0);
    if (!taken)
        return usage_error("nothing is left to write");
    return files_write(options->output, options->force, &out);
}

const struct command command_export = {
    .name = "export",
    .operands = "FILE...",
    .title = "results in the formats of other tools",
    .description = "Writes results for pyperf, hyperfine's and Google Benchmark's tools, Prometheus, UnixBench, "
                   "cyclictest, or as JSON. Standard error says what a format cannot carry. " FILES_ARE,
    COMMAND_CALLS_WITH(export, rows, .foreign = foreign),
    .needs = "FILE is missing: give the CSV of a run, or '-' for standard input",
};
