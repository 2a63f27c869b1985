/* SPDX-License-Identifier: MIT */
/* jitbench help [COMMAND] */
#include <stdio.h>
#include <string.h>

#include "cmd/suites.h"
#include "engine/text.h"

/* A line of words from that column on, as several where it is too long. */
static void put_wrapped(const char *title, size_t indent, size_t width, struct text *out)
{
    for (size_t length; *title; title += length) {
        length = command_break(title, width - indent);
        text_append(out, title, length);
        text_append(out, "\n", 1);
        length += title[length] == ' ';
        if (title[length])
            text_printf(out, "%*s", (int)indent, "");
    }
}

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
        put_wrapped(command_list[i]->title, width + 4, columns, out);
    }
    text_append(out, "\n", 1);
    put_wrapped("'jitbench help COMMAND' or 'jitbench COMMAND --help' shows a command's options.", 0, columns, out);
    put_wrapped("'jitbench all --quick' is a good start: it takes less than a minute.", 0, columns, out);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct text out = {0};

    if (argc > 2) {
        (void)fprintf(stderr, "jitbench %s: takes at most one command's name\n", command->name);
        return EXIT_USAGE;
    }
    if (argc < 2) {
        put_overview(&out);
    } else {
        const struct command *about = command_find(argv[1]);
        if (!about)
            return command_unknown_command(argv[1]);
        command_help(about, &out);
    }
    return command_output(command, 1, true, &out);
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
    .title = "what there is, or the options of a command",
    .run = run,
    .takes = &command_names,
};
