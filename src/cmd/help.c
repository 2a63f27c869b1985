/* SPDX-License-Identifier: MIT */
/* jitbench help: lists the commands, or describes one of them. */
#include <string.h>

#include "bench/list.h"
#include "cmd/cmd.h"

static void put_overview(struct text *out)
{
    const size_t columns = command_width(1, 80, 120);
    size_t width = 0;

    text_printf(out, "jitbench - how fast is this machine, and how much does it jitter\n\n"
                     "Usage: jitbench COMMAND [OPTION...]\n\nCommands:\n");
    for (size_t i = 0; command_list[i]; i++)
        if (strlen(command_list[i]->name) > width)
            width = strlen(command_list[i]->name);
    for (size_t i = 0; command_list[i]; i++) {
        text_printf(out, "  %-*s  ", (int)width, command_list[i]->name);
        text_wrap(out, command_list[i]->title, width + 4, columns);
    }
    text_append(out, "\n", 1);
    text_wrap(out, "'jitbench help COMMAND' or 'jitbench COMMAND --help' shows a command's options.", 0, columns);
    text_wrap(out, "'jitbench all --quick' is a good start: it takes less than a minute.", 0, columns);
}

/* --- The number and length of a suite's samples. --- */

/* "1 s to 5 s", or one value when both are formatted alike. */
static void put_range(const struct range *range, char *(*format)(uint64_t value, char *buf, size_t size),
                      struct text *out)
{
    const char *least = format(range->least, (char[32]){0}, 32), *most = format(range->most, (char[32]){0}, 32);

    text_printf(out, strcmp(least, most) ? "%s to %s" : "%s", least, most);
}

static char *count_text(uint64_t value, char *buf, size_t size)
{
    return text_line(buf, size, "%llu", (unsigned long long)value);
}

static bool is_of(const struct bench *bench, const struct suite *suite)
{
    bool named = !suite->test && !suite->tests;
    struct operand_word word;

    for (size_t i = 0; !named && measure_test(suite, i, &word); i++)
        named = !strcmp(word.name, bench->name);
    return named && !strcmp(bench->suite, suite->command.name);
}

static bool is_of_any(const struct bench *bench, const struct suite *suite)
{
    bool any = suite && is_of(bench, suite);

    for (size_t i = 0; !suite && !any && suite_list[i]; i++)
        any = is_of(bench, suite_list[i]);
    return any;
}

static void put_sampling(const struct suite *suite, enum option_preset preset, const char *name, struct text *out)
{
    struct range samples = {UINT64_MAX, 0}, time = samples, cap = samples;
    double precision = 0;
    FREED_BY(text_free) struct text line = {0};
    bool more = false;

    for (size_t b = 0; bench_list[b]; b++) {
        const struct sampling *s = &bench_list[b]->sampling[preset];
        if (!is_of_any(bench_list[b], suite))
            continue;
        range_add(&samples, s->min_samples);
        if (s->time_ns) /* 0: a sample takes as long as its work */
            range_add(&time, s->time_ns);
        if (s->max_samples == s->min_samples)
            continue;
        more = true;
        precision = s->precision_pct;
        range_add(&cap, s->max_ns);
    }
    text_printf(&line, "--samples ");
    put_range(&samples, count_text, &line);
    if (more) {
        text_printf(&line, " or more, --precision %g%%, --max-time ", precision);
        put_range(&cap, text_duration, &line);
    }
    if (time.most) {
        text_printf(&line, ", --time ");
        put_range(&time, text_duration, &line);
    }
    text_printf(out, "  %-14s  ", name);
    if (line.failed)
        out->failed = 1;
    else
        text_wrap(out, line.data, 18, command_width(1, 80, 120));
}

void help_sampling(const struct suite *suite, struct text *out)
{
    text_printf(out, "\nUnless these options are given, each test is measured with:\n");
    put_sampling(suite, PRESET_DEFAULT, "", out);
    put_sampling(suite, PRESET_QUICK, "with --quick", out);
    put_sampling(suite, PRESET_CLASSIC, "with --classic", out);
}

/* --- The command. --- */

static int run(const struct command *command, int argc, char **argv)
{
    struct text out = {0};

    if (argc > 2)
        return command_complain(command->name, "takes at most one command's name", EXIT_USAGE);
    if (argc < 2) {
        put_overview(&out);
        return command_output(command, 1, true, &out);
    }
    const struct command *about = command_find(argv[1]);
    return about ? command_print_help(command, about) : command_unknown_command(argv[1]);
}

static bool command_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (!command_list[i])
        return false;
    *out = (struct operand_word){.name = command_list[i]->name, .help = command_list[i]->title};
    return true;
}

const struct operands command_names = {.kind = OPERANDS_WORDS, .most = 1, .noun = "command", .word = command_word};

const struct command command_help_ = {
    .name = "help",
    .operands = "[COMMAND]",
    .title = "lists the commands, or the options of one command",
    .run = run,
    .takes = &command_names,
};
