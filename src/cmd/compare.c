/* SPDX-License-Identifier: MIT */
/* jitbench compare: tells whether results have changed, by how much, and with what confidence. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/require.h"
#include "cmd/suites.h"
#include "out/color.h"
#include "out/compare.h"
#include "out/require.h"
#include "sys/memory.h"

enum fail_on { FAIL_SLOWER, FAIL_CHANGED, FAIL_APART };
static const char *const fail_choices[] = {"slower", "changed", "not-comparable", NULL};
static const char *const format_choices[] = {"table", "markdown", "csv", NULL};
static const char *const by_choices[] = {"all", "host", NULL};

struct compare_options {
    double min_effect_pct;
    uint64_t fail_on, across;
    int by, format, color;
    char output[1024];
    struct require_options require;
    bool within, all, quiet, force, help;
};

static const struct option rows[] = {
    {.name = "min-effect",
     .type = OPTION_PERCENT,
     .value_name = "PCT",
     .min = 0,
     .max = 1000,
     .preset = {"1"},
     OPTION_AT(struct compare_options, min_effect_pct),
     .help = "ignore smaller changes, even those that are statistically significant"},
    {.name = "across",
     .type = OPTION_NAMES,
     .value_name = "WHAT,...",
     .choices = pair_across_names,
     OPTION_AT(struct compare_options, across),
     .help = "compare rows even if they differ in this"},
    {.name = "within",
     OPTION_AT(struct compare_options, within),
     .help = "compare rows of the same files with each other: commands of `run`, loads, numbers of copies, CPUs"},
    {.name = "by",
     .type = OPTION_CHOICE,
     .value_name = "all|host",
     .choices = by_choices,
     .preset = {"all"},
     OPTION_AT(struct compare_options, by),
     .help = "pool all hosts of a side, or compare each host by itself and name those that stand out"},
    {.name = "all",
     .letter = 'v',
     .aliases = "verbose",
     OPTION_AT(struct compare_options, all),
     .help = "show all metrics, not only the one that a test is judged by, and name all rows that cannot be compared"},
    {.name = "fail-on",
     .type = OPTION_NAMES,
     .value_name = "WHAT,...",
     .choices = fail_choices,
     OPTION_AT(struct compare_options, fail_on),
     .help = "exit 4 when a row or a mean is slower, has changed at all, or when a row is not comparable"},
    REQUIRE_ROWS(struct compare_options),
    {.name = "format",
     .type = OPTION_CHOICE,
     .value_name = "table|markdown|csv",
     .choices = format_choices,
     .preset = {"table"},
     OPTION_AT(struct compare_options, format),
     .help = "format of standard output"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct compare_options, output),
     .help = "write the comparison as CSV too; '-' is standard output, and the table goes to standard error"},
    FILES_FORCE_ROW(struct compare_options),
    COLOR_ROW(struct compare_options),
    {.name = "quiet",
     .letter = 'q',
     OPTION_AT(struct compare_options, quiet),
     .help = "print only the tables: no header or warnings"},
    COMMAND_HELP_ROW(struct compare_options),
};

/* The operands of the two sides; separated is true if "--" stood between them. */
struct sides {
    size_t n_base;
    bool separated;
};

struct comparing {
    const struct compare_options *options;
    struct row_set base, changed;
    struct requirements requirements;
    struct pairs pairs;
    struct compared compared;
};

static int complain(const char *error, int status)
{
    return command_complain("compare", error, status);
}

/* --- The command line. --- */

/* Finds the `--` between the sides; options may be on both. Returns the number of arguments before it: argc when there
 * is none. */
static int find_separator(int argc, char *const *argv)
{
    int at = 1;

    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

/* Checks the operands. Returns 0 with the number of files of the base, or EXIT_USAGE. */
static int split_sides(const struct command_call *call, size_t *n_base)
{
    const struct compare_options *options = call->options;
    const struct sides *sides = call->context;
    char error[200];

    *n_base = sides->separated ? sides->n_base : 1;
    if (options->within) {
        if (options->by == 1)
            return complain("--within and --by host exclude each other", EXIT_USAGE);
        if (sides->separated || call->n == 0)
            return complain("--within takes one or more files, without '--'", EXIT_USAGE);
        *n_base = call->n;
        return 0;
    }
    if (!sides->separated && call->n == 1 && (options->require.require[0] || options->require.requirements[0]))
        return options->output[0] ? complain("--output: one file is not compared", EXIT_USAGE) : 0;
    if (!sides->separated && call->n > 2) {
        (void)snprintf(error, sizeof(error),
                       "%zu files: put '--' between those before and those after (BASE... -- NEW...)", call->n);
        return complain(error, EXIT_USAGE);
    }
    if (call->n < 2 || *n_base == 0 || *n_base == call->n)
        return complain("needs a file before and a file after (BASE NEW, or BASE... -- NEW...)", EXIT_USAGE);
    return 0;
}

/* Reads both sides, of which only one may name standard input. Returns 0 or EXIT_USAGE. */
static int read_sides(const struct command_call *call, size_t n_base, struct comparing *c)
{
    size_t inputs = 0;

    for (size_t i = 0; i < call->n; i++)
        inputs += !strcmp(call->operands[i], "-");
    if (inputs > 1)
        return complain("standard input ('-') can be read only once", EXIT_USAGE);
    int status = files_read("compare", call->operands, n_base, ROWS_SAMPLES | ROWS_CAUSES, &c->base);
    if (!status && call->n > n_base)
        status =
            files_read("compare", call->operands + n_base, call->n - n_base, ROWS_SAMPLES | ROWS_CAUSES, &c->changed);
    row_set_sanitize(&c->base);
    row_set_sanitize(&c->changed);
    return status;
}

/* --- The command. --- */

static bool finding(const struct compared *compared, uint64_t fail_on)
{
    const struct compared_counts counts = compared_count(compared);

    return (fail_on >> FAIL_SLOWER & 1 && counts.slower) || (fail_on >> FAIL_CHANGED & 1 && counts.changed) ||
           (fail_on >> FAIL_APART & 1 && counts.not_comparable);
}

static int write_out(const struct comparing *c)
{
    const struct compare_options *options = c->options;
    const int fd = !strcmp(options->output, "-") ? 2 : 1;
    struct compared_print how = {
        .format = COMPARED_CSV, .verbose = options->all, .min_effect = options->min_effect_pct / 100};
    struct text out = {0};

    if (options->output[0]) {
        if (options->force && files_clear("compare", options->output))
            return EXIT_USAGE;
        compared_put(&c->compared, &how, &out);
        int status = files_write("compare", options->output, &out);
        if (status)
            return status;
    }
    how.format = (enum compared_format)options->format;
    how.width = options->all ? 0 : command_width(fd, 0, UINT_MAX);
    out.color = how.format == COMPARED_TABLE && color_wanted(options->color, fd);
    const bool words = how.format == COMPARED_TABLE && !options->quiet;
    if (words)
        compared_put_header(&c->compared, &c->base, options->within ? NULL : &c->changed, &out);
    compared_put(&c->compared, &how, &out);
    if (words)
        compared_put_warnings(&c->compared, &c->pairs, &out);
    return command_output(&command_compare, fd, !options->output[0], &out);
}

static int compare_sides(struct comparing *c)
{
    const struct compare_options *options = c->options;
    const int made = options->within ? pairs_within(&c->base, options->across, &c->pairs)
                                     : pairs_make(&c->base, &c->changed, options->across, options->by == 1, &c->pairs);

    if (made || compared_make(&c->pairs, metrics_table(), options->all, options->min_effect_pct / 100, &c->compared))
        return complain("out of memory", EXIT_ROW_FAILED);
    int status = write_out(c);
    if (status)
        return status;
    if (!c->compared.n_rows)
        return complain("no row can be compared", EXIT_ROW_FAILED);
    return finding(&c->compared, options->fail_on) ? EXIT_FINDING : EXIT_DONE;
}

/* Judges the rows of the side after the change, or of the only one, by the requirements. Returns 0 or EXIT_USAGE. */
static int judge(struct comparing *c)
{
    const struct row_set *set = c->changed.n ? &c->changed : &c->base;
    struct require_name *names = memory_get(set->n, sizeof(*names));

    for (size_t i = 0; i < set->n; i++)
        names[i] = (struct require_name){set->rows[i].suite, set->rows[i].test, set->rows[i].metric, set->rows[i].unit};
    c->requirements = (struct requirements){
        .metrics = metrics_table(), .names = names, .n_names = set->n, .several_runs = set->n_runs > 1};
    const int status = require_read("compare", &c->options->require, &c->requirements);
    free(names);
    for (size_t i = 0; i < set->n && !status; i++)
        requirements_row(&c->requirements, &set->rows[i]);
    return status;
}

/* Prints the requirements below what was compared. Returns the exit status. */
static int put_requirements(const struct comparing *c, bool alone, int status)
{
    const struct compare_options *options = c->options;
    const int fd = options->format == COMPARED_CSV || !strcmp(options->output, "-") ? 2 : 1;
    struct text out = {.color = color_wanted(options->color, fd)};

    text_append(&out, "\n", !alone);
    require_put(&c->requirements, options->format == COMPARED_MARKDOWN,
                options->all ? 0 : command_width(fd, 0, UINT_MAX), &out);
    const int printed = command_output(&command_compare, fd, alone, &out);
    if (printed || status)
        return status ? status : printed;
    return requirements_failed(&c->requirements) ? EXIT_FINDING : EXIT_DONE;
}

static int compare(const struct command_call *call)
{
    struct comparing c = {.options = call->options};
    size_t n_base;
    int status = split_sides(call, &n_base);

    if (!status)
        status = read_sides(call, n_base, &c);
    if (!status)
        status = judge(&c);
    const bool alone = call->n == 1 && !c.options->within;
    if (!status && !alone)
        status = compare_sides(&c);
    if (c.requirements.n && status != EXIT_USAGE)
        status = put_requirements(&c, alone, status);
    requirements_free(&c.requirements);
    compared_free(&c.compared);
    pairs_free(&c.pairs);
    row_set_free(&c.base);
    row_set_free(&c.changed);
    return status;
}

/* Takes out the `--` between the sides, because options may be on both; counts the files before it. */
static int run(const struct command *command, int argc, char **argv)
{
    const int at = find_separator(argc, argv);
    struct sides sides = {.separated = at < argc};
    char **args = calloc((size_t)argc + 1, sizeof(*args));
    const char **files = calloc((size_t)argc + 1, sizeof(*files));
    struct option_table table = *command->options;
    struct compare_options ignored = {0};
    char error[512];
    int n = 0, status;

    for (int i = 0; args && i < argc; i++)
        if (i != at)
            args[n++] = argv[i];
    table.target = &ignored;
    if (!args || !files) {
        status = complain("out of memory", EXIT_ROW_FAILED);
    } else if (find_separator(n, args) < n) {
        status = complain("'--' is given once, between the files from before and those from after", EXIT_USAGE);
    } else {
        const int before = option_parse(at, argv, &table, 1, files, error, sizeof(error));
        sides.n_base = (size_t)before;
        status = before < 0 ? complain(error, EXIT_USAGE) : command_main_with(command, n, args, &sides);
    }
    free(args);
    free(files);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "BASE.csv... [--] NEW.csv... | --within FILE.csv...",
    .title = "tells whether results changed, by how much and how sure that is",
    .description = "Compares the rows of two sets of result files: ratio of medians with its 95 % interval, tests "
                   "corrected for all rows shown, and a verdict in words. Rows that are not comparable (another CPU "
                   "model, another build of jitbench, another policy) are refused with the reason. Two files need no "
                   "'--'; each may be a directory of them, a pattern, or '-' for standard input.",
    .run = run,
    COMMAND_TABLE(struct compare_options, rows, .heading = "Options of compare"),
    .call = compare,
};
