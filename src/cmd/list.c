/* SPDX-License-Identifier: MIT */
/* jitbench list: suites, their tests, their metrics. */
#include <stdio.h>
#include <string.h>

#include "cmd/suites.h"
#include "rows/text.h"

struct list_options {
    bool metrics, help;
};

static const struct option rows[] = {
    {.name = "metrics",
     .type = OPTION_FLAG,
     OPTION_AT(struct list_options, metrics),
     .help = "list the metrics of each test too: id, unit, which direction is better"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct list_options, help),
     .help = "print this help"},
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};
    return 1;
}

static void put_test(const struct metrics_test *test, bool metrics, struct text *out)
{
    text_printf(out, "  %-12s %s\n", test->name, test->title);
    for (size_t i = 0; metrics && i < test->n; i++) {
        const struct metrics_metric *m = &test->metric[i];
        text_printf(out, "    %-20s %-8s %-7s %s\n", m->id, m->unit ? m->unit : "ticks", m->better[0] ? m->better : "-",
                    m->title);
    }
}

/* Returns the ith suite; NULL when there is none. */
static const struct suite *suite_at(size_t i)
{
    for (size_t c = 0; command_list[c]; c++)
        if (command_list[c]->suite && i-- == 0)
            return command_list[c]->suite;
    return NULL;
}

static bool find_suite(const char *name)
{
    const struct suite *suite;

    for (size_t i = 0; (suite = suite_at(i)); i++)
        if (!strcmp(suite->name, name))
            return true;
    return false;
}

static bool suite_word(const struct command *command, size_t i, struct operand_word *out)
{
    const struct suite *suite = suite_at(i);

    (void)command;
    if (!suite)
        return false;
    *out = (struct operand_word){.name = suite->name, .help = suite->title};
    return true;
}

static const struct operands suite_names = {.kind = OPERANDS_WORDS, .most = 1, .noun = "suite", .word = suite_word};

static int run(const struct command *command, int argc, char **argv)
{
    struct list_options options = {0};
    struct option_table table;
    const char *operands[64];
    struct text out = {0};
    char error[512];

    memset(&table, 0, sizeof(table));
    (void)tables(command, &table);
    table.target = &options;
    int n = argc <= 64 ? option_parse(argc, argv, &table, 1, operands, error, sizeof(error)) : 2;
    if (n < 0 || n > 1) {
        if (n >= 0)
            (void)snprintf(error, sizeof(error), "takes at most one name of a suite");
        return command_complain("list", error, EXIT_USAGE);
    }
    if (n == 1 && !find_suite(operands[0]))
        return command_unknown_operand(command, operands[0]);
    if (options.help)
        command_help(command, &out);
    for (size_t c = 0; !options.help && command_list[c]; c++) {
        const struct suite *suite = command_list[c]->suite;
        if (!suite || (n == 1 && strcmp(suite->name, operands[0]) != 0))
            continue;
        text_printf(&out, "%s: %s\n", suite->name, suite->title);
        const struct metrics *metrics = metrics_table();
        for (size_t t = 0; t < metrics->n_tests; t++)
            if (metrics->test[t].metric && !strcmp(metrics->test[t].suite, suite->name))
                put_test(&metrics->test[t], options.metrics, &out);
    }
    return command_output(command, 1, true, &out);
}

const struct command command_list_ = {
    .name = "list",
    .operands = "[SUITE]",
    .title = "lists the suites, their tests and metrics",
    .run = run,
    .tables = tables,
    .takes = &suite_names,
};
