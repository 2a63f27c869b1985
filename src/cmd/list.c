/* SPDX-License-Identifier: MIT */
/* jitbench list: prints the suites, their tests and their metrics. */
#include <string.h>

#include "cmd/cmd.h"

struct list_options {
    bool metrics, help;
};

static const struct option rows[] = {
    {OPTION("metrics", 0, struct list_options, metrics,
            "list the metrics of each test too: id, unit, which direction is better")},
    COMMAND_HELP_ROW(struct list_options),
};

static void put_test(const struct metrics_test *test, bool metrics, struct text *out)
{
    text_printf(out, "  %-12s %s\n", test->name, test->title);
    for (size_t i = 0; metrics && i < test->n; i++) {
        const struct metrics_metric *m = &test->metric[i];
        text_printf(out, "    %-20s %-8s %-7s %s\n", m->id, m->unit ? m->unit : "ticks", m->better[0] ? m->better : "-",
                    m->title);
    }
}

static const struct suite *suite_at(size_t i)
{
    for (size_t c = 0; command_list[c]; c++)
        if (command_list[c]->suite && i-- == 0)
            return command_list[c]->suite;
    return NULL;
}

static bool suite_word(const struct command *command, size_t i, struct operand_word *out)
{
    const struct suite *suite = suite_at(i);

    (void)command;
    if (!suite)
        return false;
    *out = (struct operand_word){.name = suite->command.name, .help = suite->command.title};
    return true;
}

static const struct operands suite_names = {.kind = OPERANDS_WORDS, .most = 1, .noun = "suite", .word = suite_word};

static int list(const struct command_call *call)
{
    const struct list_options *options = call->options;
    const struct metrics *metrics = metrics_table();
    const struct suite *suite;
    struct text out = {0};

    if (call->n > 1)
        return command_complain("list", "takes at most one name of a suite", EXIT_USAGE);
    for (size_t i = 0; (suite = suite_at(i)); i++) {
        if (call->n && strcmp(suite->command.name, call->operands[0]) != 0)
            continue;
        text_printf(&out, "%s: %s\n", suite->command.name, suite->command.title);
        for (size_t t = 0; t < metrics->n_tests; t++)
            if (metrics->test[t].metric && !strcmp(metrics->test[t].suite, suite->command.name))
                put_test(&metrics->test[t], options->metrics, &out);
        for (size_t t = 0; options->metrics && t < metrics->n_made; t++)
            if (!strcmp(metrics->made[t].suite, suite->command.name))
                put_test(&metrics->made[t], true, &out);
    }
    if (!out.length)
        return command_unknown_operand(call->command, call->operands[0]);
    return command_output(call->command, 1, true, &out);
}

const struct command command_list_ = {
    .name = "list",
    .operands = "[SUITE]",
    .title = "lists the suites, their tests and metrics",
    COMMAND_CALLS(list, struct list_options, rows, .heading = "Options"),
    .takes = &suite_names,
};
