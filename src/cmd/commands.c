/* SPDX-License-Identifier: MIT */
/* The list of commands, and what they have in common. */
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "cmd/cmd.h"

const struct command *const command_list[] = {
    &command_all,          &suite_noise.command, &suite_wakeup.command,  &suite_prime.command, &suite_memory.command,
    &suite_stream.command, &suite_unix.command,  &suite_latency.command, &suite_run.command,   &command_show,
    &command_compare,      &command_history,     &command_fleet,         &command_report,      &command_export,
    &command_project,      &command_check,       &command_tune,          &command_untune,      &command_init,
    &command_list_,        &command_completion,  &command_help_,         &command_version,     NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (!strcmp(command_list[i]->name, name))
            return command_list[i];
    return strcmp(name, command_complete.name) ? NULL : &command_complete;
}

const struct command *command_now;
char command_said[512];
bool notes_off;

int fail_as(bool named, int status, const char *format, ...)
{
    FREED char *line = NULL;
    va_list args;

    if (!status && notes_off)
        return status;
    va_start(args, format);
    const bool whole = vasprintf(&line, format, args) >= 0;
    va_end(args);
    line = whole ? line : NULL;
    if (line)
        text_sanitize(line);
    named = named && command_now;
    message_print("jitbench%s%s: %s\n", named ? " " : "", named ? command_now->name : "",
                  line ? line : "out of memory");
    if (status)
        TEXT_SET(command_said, line ? line : "out of memory");
    return status;
}

static int nagios_fd = -1; /* standard output; -1: none */

int nagios_end(int status)
{
    static const char *const lines[][2] = {{"OK", "nothing was found"},
                                           {"WARNING", "a figure is degraded, skipped or unstable"},
                                           {"CRITICAL", "what --fail-on names was found"},
                                           {"UNKNOWN", "a test failed, or was ended"}};
    const int code = !status ? 0 : status == EXIT_STRICT ? 1 : status == EXIT_FINDING ? 2 : 3, fd = nagios_fd;

    if (fd < 0)
        return status;
    nagios_fd = -1;
    return dprintf(fd, "jitbench %s: %s\n", lines[code][0], command_said[0] ? command_said : lines[code][1]) < 0 ? 3
                                                                                                                 : code;
}

/* Out of memory. */
static void end_early(void)
{
    if (nagios_fd >= 0)
        _exit(nagios_end(EXIT_ROW_FAILED));
}

void nagios_begin(int argc, char **argv)
{
    for (int i = 2; i < argc && (strcmp(argv[i], "--") || strcmp(argv[1], "run")); i++)
        if (nagios_fd < 0 && starts_with(argv[i], "--nag")) {
            const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
            nagios_fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
            dup2(null, 1);
            dup2(null, 2);
            (void)atexit(end_early);
        }
}

/* Names of other programs and of their tests. NULL: none. */
static const char *ours(const char *what, const char *word)
{
    static const struct {
        const char *what, *theirs, *ours;
    } known[] = {
        {"command", "cyclictest", "wakeup"},      {"command", "oslat", "noise"},
        {"command", "osnoise", "noise"},          {"command", "hwlatdetect", "noise"},
        {"command", "lmbench", "memory"},         {"command", "unixbench", "unix"},
        {"command", "interbench", "latency"},     {"command", "schbench", "latency"},
        {"command", "hyperfine", "run"},          {"option", "--quick", "all --quick"},
        {"option", "--classic", "all --classic"}, {"test", "dhrystone", "dhry2reg"},
        {"test", "triad", "bandwidth"},           {"test", "game", "gaming"},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        if (!strcmp(known[i].what, what) && !strcasecmp(known[i].theirs, word))
            return known[i].ours;
    return NULL;
}

/* option: before a colon and a blank; "": none */
static int unknown(const char *option, const char *what, const char *word, const char *const *candidates, size_t n)
{
    const char *known = ours(what, word), *nearest = known ? known : text_nearest(word, candidates, n);
    const char *shows = !strcmp(what, "test") ? "list" : !strcmp(what, "setting") ? "check -v" : "help";

    if (nearest)
        return fail_as(false, EXIT_USAGE, "%sunknown %s '%.80s'; did you mean '%s'?", option, what, word, nearest);
    return fail_as(false, EXIT_USAGE, "%sunknown %s '%.80s'; 'jitbench %s' shows them", option, what, word, shows);
}

int command_unknown_command(const char *word)
{
    const char *names[COUNT(command_list)];
    size_t n = 0;

    for (; command_list[n]; n++)
        names[n] = command_list[n]->name;
    return unknown("", word[0] == '-' ? "option" : "command", word, names, n);
}

int command_output(int fd, bool only, struct text *text)
{
    if (text->left_out)
        text_printf(text, "Left out: columns, tables, warnings; -v shows them\n");
    errno = ENOMEM;
    const bool whole = !text->failed && signals_write(fd, text->data, text->length) == text->length;
    const int why = whole ? 0 : errno;

    text_free(text);
    /* when a session leader on a terminal ends, the kernel discards what has not been sent; and a serial line that
     * still sends would disturb the next measurement */
    if (whole && getsid(0) == getpid() && isatty(fd))
        tcdrain(fd);
    if (whole || why == EPIPE || why == EINTR || (why == EBADF && !only))
        return EXIT_DONE;
    return command_fail(EXIT_ROW_FAILED, "standard %s cannot be written: %s", fd == 1 ? "output" : "error",
                        strerror(why));
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

void command_wrap(struct text *text, size_t indent, unsigned width)
{
    struct text out = {.failed = text->failed, .color = text->color, .left_out = text->left_out};

    if (!width || !text->length)
        return;
    for (char *next = text->data, *at; (at = strsep(&next, "\n")) && (*at || next);) {
        const size_t label = strnlen(at, indent);
        text_append(&out, at, label);
        text_wrap(&out, at + label, indent, width);
        text_append(&out, "\n", !at[label]);
    }
    text_free(text);
    *text = out;
}

void command_put_unmounted(const struct machine *machine, const char *what, struct text *out)
{
    const bool proc = machine->have_proc, sys = machine->have_sys;

    if (!proc || !sys)
        text_printf(out, "Unknown   %s%s%s not mounted: %s cannot be known\n", proc ? "" : "/proc",
                    proc || sys ? "" : " and ", sys ? "" : "/sys", what);
}

enum option_preset command_preset(const struct option_table *tables, size_t n)
{
    return option_given(tables, n, "quick")     ? PRESET_QUICK
           : option_given(tables, n, "classic") ? PRESET_CLASSIC
           : option_given(tables, n, "thesis")  ? PRESET_THESIS
                                                : PRESET_DEFAULT;
}

int command_parse(struct option_table *tables, size_t n, int argc, char **argv, const char **operands,
                  size_t *n_operands)
{
    struct error error;
    int parsed = option_parse(argc, argv, tables, n, operands, &error);

    if (parsed >= 0 && error.text[0])
        command_complain(error.text, 0);
    if (parsed >= 0 && option_given(tables, n, "help"))
        return command_print_help(command_now) ? EXIT_ROW_FAILED : -1;
    if (parsed < 0 || option_defaults(tables, n, command_preset(tables, n), &error))
        return usage_error("%s", error.text);
    *n_operands = (size_t)parsed;
    return 0;
}

size_t command_tables(const struct command *command, struct option_table *tables)
{
    if (command->run == measure_main)
        return measure_tables(command->suite, NULL, NULL, tables);
    if (command->options)
        tables[0] = *command->options;
    return command->options != NULL;
}

int command_main(int argc, char **argv)
{
    const struct command *command = command_now;
    FREED const char **operands = memory_get((size_t)argc + 1, sizeof(*operands));
    FREED struct command_call *call = memory_get(1, sizeof(*call));

    call->table = *command->options;
    call->table.target = &call->options;
    call->operands = operands;
    int status = command_parse(&call->table, 1, argc, argv, operands, &call->n);
    if (!status && !call->n && command->needs)
        status = usage_error("%s", command->needs);
    if (!status)
        status = command->call(call);
    return status < 0 ? EXIT_DONE : status;
}

int command_print_help(const struct command *command)
{
    struct option_table tables[TABLES_MAX];
    const unsigned width = command_width(1, 80, 120);
    const size_t n = command_tables(command, tables);
    const char *heading = TEXT_LINE("Options of %s", command->name);
    struct text out = {0};

    if (n && !tables[0].heading)
        tables[0].heading = heading;
    text_printf(&out, "Usage: jitbench %s%s%s%s\n\n", command->name, n ? " [OPTION...]" : "",
                command->operands[0] ? " " : "", command->operands);
    text_wrap(&out, command->description ? command->description : command->title, 0, width);
    for (size_t i = 0; i < n; i++) {
        text_append(&out, "\n", tables[i].heading ? 1 : 0);
        option_help(&tables[i], width, &out);
    }
    if (command->run == measure_main)
        help_sampling(command->suite, &out);
    return command_output(1, true, &out);
}

/* --- Operands. --- */

static bool suite_word(const struct command *command, size_t i, struct operand_word *out)
{
    const struct suite *suite = command->suite;

    if (!measure_test(suite, i, out))
        return false;
    if (!out->help && !out->old) {
        const struct metrics_test *test = metrics_test(metrics_table(), suite->command.name, out->name);
        out->help = test ? test->title : NULL;
    }
    return true;
}

enum operands_kind operands_named(const char *shown)
{
    return strstr(shown, "FILE") || strstr(shown, "csv") ? OPERANDS_FILES
           : strstr(shown, "DIR")                        ? OPERANDS_FOLDERS
           : strstr(shown, "COMMAND")                    ? OPERANDS_COMMAND
                                                         : OPERANDS_NONE;
}

const struct operands *command_operands(const struct command *command)
{
    static const struct operands tests = {.kind = OPERANDS_WORDS, .noun = "test", .word = suite_word};
    static const struct operands shown[] = {[OPERANDS_FILES] = {.kind = OPERANDS_FILES},
                                            [OPERANDS_FOLDERS] = {.kind = OPERANDS_FOLDERS},
                                            [OPERANDS_COMMAND] = {.kind = OPERANDS_COMMAND}};

    if (command->takes)
        return command->takes;
    if (command->suite && (command->suite->test || command->suite->tests))
        return &tests;
    return &shown[operands_named(command->operands)];
}

int command_unknown_operand(const char *option, const char *word)
{
    const struct command *command = command_now;
    const struct operands *operands = command_operands(command);
    struct operand_word candidate;
    size_t n = 0;

    while (operands->word && operands->word(command, n, &candidate))
        n++;
    FREED const char **names = memory_get(n, sizeof(*names));
    for (size_t i = 0; i < n && operands->word(command, i, &candidate); i++)
        names[i] = candidate.name;
    return unknown(option, operands->noun ? operands->noun : "operand", word, names, n);
}

/* --- jitbench all --- */

/* Quiet suites first: those that measure noise must not run just after those that make it. */
const struct suite *const suite_list[] = {&suite_noise,  &suite_wakeup, &suite_prime,   &suite_memory,
                                          &suite_stream, &suite_unix,   &suite_latency, NULL};

const struct command command_all = {
    .name = "all",
    .operands = "",
    .title = "every suite in a few minutes; --quick: in one minute",
    .description =
        "Runs every suite with its default options, the quietest suite first, and prints a summary at the end.",
    .run = measure_main,
};
