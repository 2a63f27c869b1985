/* SPDX-License-Identifier: MIT */
/* jitbench export: results in other tools' formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/suites.h"
#include "out/export.h"

struct export_options {
    int format; /* index in export_formats */
    char output[1024];
    bool force, help;
};

static const struct option_foreign formats[] = {
    {"prometheus", "did you mean 'openmetrics'?"},
    {"prom", "did you mean 'openmetrics'?"},
    {"google-benchmark", "did you mean 'gbench'?"},
    {NULL, NULL},
};
static const struct option_foreign foreign[] = {
    {"json", "did you mean '--format json'?"},
    {"prometheus", "did you mean '--format openmetrics'?"},
    {"openmetrics", "did you mean '--format openmetrics'?"},
    {NULL, NULL},
};

static const struct option rows[] = {
    {.name = "format",
     .letter = 'f',
     .type = OPTION_CHOICE,
     .value_name = "FORMAT",
     .choices = export_names,
     .foreign = formats,
     .preset = {"json"},
     OPTION_AT(struct export_options, format),
     .help = "what to write"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     .preset = {"-"},
     OPTION_AT(struct export_options, output),
     .help = "the file to make; '-' is standard output"},
    FILES_FORCE_ROW(struct export_options),
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct export_options, help),
     .help = "print this help"},
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){
        .heading = "Options of export", .rows = rows, .n = sizeof(rows) / sizeof(rows[0]), .foreign = foreign};
    return 1;
}

static int complain(const struct command *command, const char *what, int status)
{
    return command_complain(command->name, what, status);
}

/* Exports the rows of the set, and frees it. */
static int convert(const struct command *command, const struct export_options *options, struct row_set *set)
{
    const struct export_format *format = export_formats[options->format];
    struct export_left_out left_out;
    struct text out = {0}, message = {0};

    if (format->for_people)
        row_set_sanitize(set);
    const size_t taken = export_write(format, set->rows, set->n, metrics_table(), &out, &left_out);
    export_describe(&left_out, format->name, set->n, &message);
    row_set_free(set);
    if (message.length)
        (void)complain(command, message.data, 0);
    text_free(&message);
    if ((taken || out.failed) && options->force && files_clear(command->name, options->output)) {
        text_free(&out);
        return EXIT_USAGE;
    }
    if (taken || out.failed)
        return files_write(command->name, options->output, &out);
    text_free(&out);
    return complain(command, "nothing is left to write", EXIT_USAGE);
}

static int run_files(const struct command *command, const struct export_options *options, const char *const *paths,
                     size_t n)
{
    struct row_set set = {0};

    if (n == 0)
        return complain(command, "FILE is missing: give the CSV of a run, or '-' for standard input", EXIT_USAGE);
    const int status = files_read(command->name, paths, n, export_formats[options->format]->wanted, &set);
    if (!status)
        return convert(command, options, &set);
    row_set_free(&set);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct export_options options = {0};
    struct option_table table;
    const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    size_t n = 0;

    if (!operands)
        return complain(command, "out of memory", EXIT_ROW_FAILED);
    (void)tables(command, &table);
    table.target = &options;
    int status = command_parse(command, &table, 1, &options.help, argc, argv, operands, &n);
    if (!status)
        status = run_files(command, &options, operands, n);
    free(operands);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_export = {
    .name = "export",
    .operands = "FILE...",
    .title = "writes results in the formats of other tools",
    .description = "Writes the rows of result files for pyperf, hyperfine's and Google Benchmark's tools, Prometheus, "
                   "UnixBench, or as JSON. What a format cannot carry is left out, with one line on standard error "
                   "that says how much and why. FILE is a result file, a directory of them, a pattern, or '-'.",
    .run = run,
    .tables = tables,
};
