/* SPDX-License-Identifier: MIT */
/* The list of commands, and what they have in common: messages, output, parsing of the command line, --help. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/cmd.h"

const struct command *const command_list[] = {
    &command_all,    &command_noise,      &command_wakeup,  &command_prime,   &command_memory,
    &command_stream, &command_unix,       &command_latency, &command_run,     &command_check,
    &command_tune,   &command_untune,     &command_show,    &command_compare, &command_history,
    &command_report, &command_export,     &command_fleet,   &command_project, &command_init,
    &command_list_,  &command_completion, &command_help_,   &command_version, NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (!strcmp(command_list[i]->name, name))
            return command_list[i];
    return strcmp(name, command_complete.name) ? NULL : &command_complete;
}

int command_fail(const char *command, int status, const char *format, ...)
{
    FREED_BY(memory_free) char *line = NULL;
    va_list args;

    va_start(args, format);
    const bool whole = vasprintf(&line, format, args) >= 0;
    va_end(args);
    line = whole ? line : NULL;
    if (line)
        text_sanitize(line);
    message_print("jitbench%s%s: %s\n", command ? " " : "", command ? command : "", line ? line : "out of memory");
    return status;
}

int command_unknown(const char *what, const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = text_nearest(word, candidates, n);
    const char *shows = !strcmp(what, "test") ? "list" : !strcmp(what, "setting") ? "check" : "help";

    if (nearest)
        return command_fail(NULL, EXIT_USAGE, "unknown %s '%.80s'; did you mean '%s'?", what, word, nearest);
    return command_fail(NULL, EXIT_USAGE, "unknown %s '%.80s'; 'jitbench %s' shows them", what, word, shows);
}

int command_unknown_command(const char *word)
{
    const char *names[COUNT(command_list)];
    size_t n = 0;

    for (; command_list[n]; n++)
        names[n] = command_list[n]->name;
    return command_unknown(word[0] == '-' ? "option" : "command", word, names, n);
}

/* When a session leader on a terminal ends, the kernel discards what has not been sent; and a serial line that still
 * sends would disturb the next measurement. */
static void wait_until_sent(int fd)
{
    if (getsid(0) == getpid() && isatty(fd))
        (void)tcdrain(fd);
}

/* A reader of the pipe that is gone and a signal that ends the writing are no errors; a closed fd is none if
 * may_be_closed. */
static int put_out(const char *command, int fd, bool may_be_closed, struct text *text)
{
    errno = ENOMEM;
    const bool whole = !text->failed && signals_write(fd, text->data, text->length) == text->length;
    const int why = whole ? 0 : errno;

    text_free(text);
    if (whole)
        wait_until_sent(fd);
    if (whole || why == EPIPE || why == EINTR || (why == EBADF && may_be_closed))
        return EXIT_DONE;
    return command_fail(command, EXIT_ROW_FAILED, "standard %s cannot be written: %s", fd == 1 ? "output" : "error",
                        strerror(why));
}

int command_print(int fd, struct text *text)
{
    return put_out(NULL, fd, true, text);
}

int command_output(const struct command *command, int fd, bool only, struct text *text)
{
    return put_out(command->name, fd, !only, text);
}

unsigned command_width(int fd, unsigned otherwise, unsigned most)
{
    const char *text = getenv("COLUMNS");
    struct winsize size;
    char *end;

    if (text && *text >= '1' && *text <= '9') {
        unsigned long columns = strtoul(text, &end, 10);
        if (!*end && columns >= 40 && columns <= INT_MAX)
            return (unsigned)columns;
    }
    if (ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 40)
        return otherwise;
    return size.ws_col < most ? size.ws_col : most;
}

int command_parse(const struct command *command, struct option_table *tables, size_t n, int argc, char **argv,
                  const char **operands, size_t *n_operands)
{
    char error[512];
    int parsed = option_parse(argc, argv, tables, n, operands, error, sizeof(error));

    if (parsed >= 0 && option_given(tables, n, "help"))
        return command_print_help(command, command) ? EXIT_ROW_FAILED : -1;
    if (parsed < 0 || option_defaults(tables, n, PRESET_DEFAULT, error, sizeof(error)))
        return command_complain(command->name, error, EXIT_USAGE);
    *n_operands = (size_t)parsed;
    return 0;
}

size_t command_table(const struct command *command, struct option_table *tables)
{
    tables[0] = *command->options;
    return 1;
}

int command_main(const struct command *command, int argc, char **argv)
{
    FREED_BY(memory_free) const char **operands = memory_get((size_t)argc + 1, sizeof(*operands));
    FREED_BY(memory_free) void *options = memory_get(1, command->options_size);
    struct command_call call = {
        .command = command, .options = options, .table = *command->options, .operands = operands};

    call.table.target = options;
    int status = command_parse(command, &call.table, 1, argc, argv, operands, &call.n);
    if (!status && !call.n && command->needs)
        status = command_complain(command->name, command->needs, EXIT_USAGE);
    if (!status)
        status = command->call(&call);
    return status < 0 ? EXIT_DONE : status;
}

int command_print_help(const struct command *by, const struct command *command)
{
    struct option_table tables[TABLES_MAX];
    const unsigned width = command_width(1, 80, 120);
    const size_t n = command->tables ? command->tables(command, tables) : 0;
    struct text out = {0};

    text_printf(&out, "Usage: jitbench %s%s%s%s\n\n", command->name, n ? " [OPTION...]" : "",
                command->operands[0] ? " " : "", command->operands);
    text_wrap(&out, command->description ? command->description : command->title, 0, width);
    for (size_t i = 0; i < n; i++) {
        text_append(&out, "\n", tables[i].heading ? 1 : 0);
        option_help(&tables[i], width, &out);
    }
    if (command->suite || command->tables == measure_tables)
        help_sampling(command->suite, &out);
    return command_output(by, 1, true, &out);
}
