/* SPDX-License-Identifier: MIT */
/* The list of commands, and what help shows of each. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/suites.h"
#include "engine/signals.h"
#include "engine/text.h"

const struct command *const command_list[] = {
    &command_all,    &command_noise,   &command_prime,
    &command_stream, &command_unix,    &command_latency,
    &command_run,    &command_check,   &command_tune,
    &command_untune, &command_compare, &command_report,
    &command_export, &command_fleet,   &command_project,
    &command_init,   &command_list_,   &command_completion,
    &command_help_,  &command_version, NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (!strcmp(command_list[i]->name, name))
            return command_list[i];
    return NULL;
}

int command_unknown(const char *what, const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = text_nearest(word, candidates, n);

    (void)fprintf(stderr, "jitbench: unknown %s '%.80s'", what, word);
    if (nearest)
        (void)fprintf(stderr, "; did you mean '%s'?\n", nearest);
    else
        (void)fprintf(stderr, "; 'jitbench %s' shows them\n",
                      !strcmp(what, "test")      ? "list"
                      : !strcmp(what, "setting") ? "check"
                                                 : "help");
    return EXIT_USAGE;
}

int command_unknown_command(const char *word)
{
    const char *names[sizeof(command_list) / sizeof(command_list[0])];
    size_t n = 0;

    for (; command_list[n]; n++)
        names[n] = command_list[n]->name;
    return command_unknown(word[0] == '-' ? "option" : "command", word, names, n);
}

int command_print(int fd, struct text *text)
{
    bool whole = signals_write(fd, text->data, text->length) == text->length;
    int error = text->failed ? ENOMEM : whole ? 0 : errno;

    text_free(text);
    /* Closed: the printing ends, the measuring goes on. EBADF: it was closed from the start. */
    if (!error || error == EPIPE || error == EINTR || error == EBADF)
        return EXIT_DONE;
    (void)fprintf(stderr, "jitbench: standard %s cannot be written: %s\n", fd == 1 ? "output" : "error",
                  strerror(error));
    return EXIT_ROW_FAILED;
}

unsigned command_width(int fd, unsigned otherwise, unsigned most)
{
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 40)
        return otherwise;
    return size.ws_col < most ? size.ws_col : most;
}

size_t command_break(const char *s, size_t width)
{
    size_t line = width;

    if (strlen(s) <= width)
        return strlen(s);
    while (line > 0 && s[line] != ' ')
        line--;
    return line ? line : width;
}

/* A paragraph, broken between words. */
static void put_paragraph(const char *s, unsigned width, struct text *out)
{
    while (*s) {
        size_t line = command_break(s, width);
        text_append(out, s, line);
        text_append(out, "\n", 1);
        s += line;
        s += *s == ' ';
    }
}

int command_parse(const struct command *command, struct option_table *tables, size_t n, const bool *help, int argc,
                  char **argv, const char **operands, size_t *n_operands)
{
    struct text text = {0};
    char error[512];
    int parsed = option_parse(argc, argv, tables, n, operands, error, sizeof(error));

    if (parsed >= 0 && *help) {
        command_help(command, &text);
        return command_print(1, &text) ? EXIT_ROW_FAILED : -1;
    }
    if (parsed < 0 || option_defaults(tables, n, PRESET_DEFAULT, error, sizeof(error))) {
        (void)fprintf(stderr, "jitbench %s: %s\n", command->name, error);
        return EXIT_USAGE;
    }
    *n_operands = (size_t)parsed;
    return 0;
}

void command_help(const struct command *command, struct text *out)
{
    struct option_table tables[TABLES_MAX];
    unsigned width = command_width(1, 80, 120);

    memset(tables, 0, sizeof(tables));
    size_t n = command->tables ? command->tables(command, tables) : 0;
    text_printf(out, "Usage: jitbench %s%s%s%s\n\n", command->name, n ? " [OPTION...]" : "",
                command->operands[0] ? " " : "", command->operands);
    put_paragraph(command->description ? command->description : command->title, width, out);
    for (size_t i = 0; i < n; i++) {
        text_append(out, "\n", tables[i].heading ? 1 : 0);
        option_help(&tables[i], width, out);
    }
}
