/* SPDX-License-Identifier: MIT */
/* Reads the orders of init from the kernel's command line and from its arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/init.h"
#include "rows/text.h"
#include "sys/device_mount.h"

#define PREFIX     "jitbench."
#define PREFIX_LEN (sizeof(PREFIX) - 1)

static const char *const end_choices[] = {"stay", "poweroff", "reboot", "shell", "halt", NULL};
static const char *const tune_choices[] = {"no", "yes", NULL};

const struct option init_rows[] = {
    {OPTION("run", 0, struct init_orders, run, "command to run, with its options; quotes keep words together"),
     OPTION_WORD("COMMAND"), .preset = {INIT_RUN_DEFAULT}},
    {OPTION("out", 0, struct init_orders, out,
            "where to write the CSV: a new file, or a directory, on that device; default: the console"),
     OPTION_WORD("DEVICE:PATH")},
    {OPTION("scratch", 0, struct init_orders, scratch,
            "directory for scratch files, on a device that is mounted for the run; default: memory, as a rule"),
     OPTION_WORD("DEVICE:/DIR")},
    {OPTION("end", 0, struct init_orders, end, "what to do after the run; stay: wait for Ctrl-Alt-Del"),
     OPTION_ONE_OF("stay|poweroff|reboot|shell|halt", end_choices), .preset = {"stay"}},
    {OPTION("tune", 0, struct init_orders, tune, "run with --tuned"), OPTION_ONE_OF("no|yes", tune_choices),
     .preset = {"no"}},
    {OPTION("modules", 0, struct init_orders, modules, "directory of kernel modules to load before the run"),
     OPTION_WORD("DIR")},
    {OPTION("help", 'h', struct init_orders, help, "print this help")},
};
const size_t init_n_rows = sizeof(init_rows) / sizeof(init_rows[0]);

/* --- Orders. --- */

struct reading {
    struct init_orders *orders;
    struct text wrong; /* all errors, with "; " between */
};

static bool is_order(const char *word)
{
    return !strncmp(word, PREFIX, PREFIX_LEN);
}

static void complain(struct reading *reading, const char *message)
{
    text_printf(&reading->wrong, "%s%s", reading->wrong.length ? "; " : "", message);
}

static const struct option *find_row(const char *name, size_t length)
{
    for (size_t i = 0; i < init_n_rows; i++)
        if (init_rows[i].type != OPTION_FLAG && strlen(init_rows[i].name) == length &&
            !strncmp(init_rows[i].name, name, length))
            return &init_rows[i];
    return NULL;
}

static void unknown_order(struct reading *reading, const char *word, size_t length)
{
    const char *names[sizeof(init_rows) / sizeof(init_rows[0])];
    char name[64], message[256];
    size_t n = 0;

    for (size_t i = 0; i < init_n_rows; i++)
        if (init_rows[i].type != OPTION_FLAG)
            names[n++] = init_rows[i].name;
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, word);
    const char *nearest = text_nearest(name, names, n);
    (void)snprintf(message, sizeof(message), "unknown order '" PREFIX "%s'%s%s%s", name,
                   nearest ? "; did you mean '" PREFIX : "", nearest ? nearest : "", nearest ? "'?" : "");
    complain(reading, message);
}

static void read_order(struct reading *reading, const char *word)
{
    char error[512], message[600];
    const char *name = word + PREFIX_LEN;
    size_t length = strcspn(name, "=");
    const struct option *row = find_row(name, length);

    if (!row) {
        unknown_order(reading, name, length);
        return;
    }
    const char *value = name[length] ? name + length + 1 : "";
    if (option_set(row, value, reading->orders, false, error, sizeof(error)) == 0)
        return;
    (void)snprintf(message, sizeof(message), PREFIX "%s", error + strspn(error, "-"));
    complain(reading, message);
}

/* Returns the number of words before "--". */
static size_t own_words(const struct words *line)
{
    size_t n = 0;

    while (n < line->n && strcmp(line->word[n], "--") != 0)
        n++;
    return n;
}

static bool stands_in(const struct words *line, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(line->word[i], word))
            return true;
    return false;
}

/* Returns whether a word is one that the kernel did not know and passed to init; such words are ignored. */
static bool is_kernels(const struct words *line, const char *word)
{
    if (line->word)
        return stands_in(line, own_words(line), word);
    return !command_find(word);
}

int init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                     const char **words, size_t *n_words, char *error, size_t error_size)
{
    struct reading reading = {.orders = orders};
    FREED_BY(words_free) struct words line = {.text = NULL};

    *n_words = 0;
    if (kernel_line && words_of_kernel(kernel_line, &line))
        complain(&reading, "out of memory");
    for (size_t i = 0; i < line.n && i < own_words(&line); i++)
        if (is_order(line.word[i]))
            read_order(&reading, line.word[i]);
    for (int i = 0; i < argc; i++) {
        if (is_order(argv[i]))
            read_order(&reading, argv[i]);
        else if (*n_words || !is_kernels(&line, argv[i]))
            words[(*n_words)++] = argv[i];
    }
    int failed = reading.wrong.length || reading.wrong.failed;
    text_copy(error, error_size, reading.wrong.data ? reading.wrong.data : failed ? "out of memory" : "");
    text_free(&reading.wrong);
    return failed ? -1 : 0;
}

/* --- The command. --- */

static bool has_option(const struct command *command, const char *name)
{
    struct option_table tables[TABLES_MAX];

    memset(tables, 0, sizeof(tables));
    size_t n = command->tables ? command->tables(command, tables) : 0;
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            if (!strcmp(tables[t].rows[r].name, name))
                return true;
    return false;
}

static int check_command(const char *name, bool tune, char *error, size_t error_size)
{
    const struct command *command = command_find(name);

    if (!command)
        return fail_because(-1, error, error_size, "unknown command '%.80s'; 'jitbench help' shows them", name);
    if (!strcmp(name, "init"))
        return fail_because(-1, error, error_size, "init does not run itself");
    if (tune && !has_option(command, "tuned"))
        return fail_because(-1, error, error_size, "tune: '%s' has no --tuned", name);
    return 0;
}

static int fill_argv(struct init_command *command, const char *const *words, size_t n, bool tune)
{
    size_t at = 0;

    command->argv = calloc(n + 3, sizeof(*command->argv));
    if (!command->argv)
        return -1;
    command->argv[at++] = (char *)"jitbench";
    command->argv[at++] = (char *)words[0];
    if (tune)
        command->argv[at++] = (char *)"--tuned";
    for (size_t i = 1; i < n; i++)
        command->argv[at++] = (char *)words[i];
    return 0;
}

static bool is_place(const char *text)
{
    char device[sizeof(((struct init_orders *)0)->out) + 8], path[sizeof(device)];

    return !text[0] || device_split(text, device, path, sizeof(device)) == 0;
}

/* Sets the words of the command to those of the order `run`, unless words were given. Returns 0; or -1 with a line in
 * error. */
static int split_run(const struct init_orders *orders, const char *const **words, size_t *n,
                     struct init_command *command, char *error, size_t error_size)
{
    if (*n)
        return 0;
    const char *wrong = words_of_command(orders->run, false, &command->words);
    *words = (const char *const *)command->words.word;
    *n = command->words.n;
    if (*n)
        return 0;
    return fail_because(-1, error, error_size, "run: %s", wrong ? wrong : "names no command");
}

int init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                      struct init_command *command, char *error, size_t error_size)
{
    const char *out = is_place(orders->out) ? "" : "out must be DEVICE:PATH, as in /dev/sda1:/result.csv";
    const char *scratch = is_place(orders->scratch) ? "" : "scratch must be DEVICE:/DIR, as in /dev/sda1:/var/tmp";
    char wrong[256] = "";

    *command = (struct init_command){.argv = NULL};
    if (split_run(orders, &words, &n_words, command, wrong, sizeof(wrong)) == 0 &&
        check_command(words[0], orders->tune, wrong, sizeof(wrong)) == 0 &&
        fill_argv(command, words, n_words, orders->tune))
        text_copy(wrong, sizeof(wrong), "out of memory");
    if (!wrong[0] && !out[0] && !scratch[0])
        return 0;
    (void)snprintf(error, error_size, "%s%s%s%s%s", out, out[0] && (scratch[0] || wrong[0]) ? "; " : "", scratch,
                   scratch[0] && wrong[0] ? "; " : "", wrong);
    init_command_free(command);
    return -1;
}

void init_command_free(struct init_command *command)
{
    words_free(&command->words);
    free(command->argv);
    command->argv = NULL;
}
