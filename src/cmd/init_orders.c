/* SPDX-License-Identifier: MIT */
/* Reads the orders of init from the kernel's command line and from its arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

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
const size_t init_n_rows = COUNT(init_rows);

/* --- Orders. --- */

static bool is_order(const char *word)
{
    return !strncmp(word, PREFIX, PREFIX_LEN);
}

/* Returns the text, to which the caller appends another error. */
static struct text *another(struct text *wrong)
{
    text_append(wrong, "; ", wrong->length ? 2 : 0);
    return wrong;
}

static const struct option *find_row(const char *name, size_t length)
{
    for (size_t i = 0; i < init_n_rows; i++)
        if (init_rows[i].type != OPTION_FLAG && strlen(init_rows[i].name) == length &&
            !strncmp(init_rows[i].name, name, length))
            return &init_rows[i];
    return NULL;
}

static void unknown_order(const char *word, size_t length, struct text *wrong)
{
    const char *names[COUNT(init_rows)];
    char name[64];
    size_t n = 0;

    for (size_t i = 0; i < init_n_rows; i++)
        if (init_rows[i].type != OPTION_FLAG)
            names[n++] = init_rows[i].name;
    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    const char *nearest = text_nearest(name, names, n);
    text_printf(another(wrong), "unknown order '" PREFIX "%s'%s%s%s", name, nearest ? "; did you mean '" PREFIX : "",
                nearest ? nearest : "", nearest ? "'?" : "");
}

static void read_order(const char *word, struct init_orders *orders, struct text *wrong)
{
    struct error error;
    const char *name = word + PREFIX_LEN;
    const size_t length = strcspn(name, "=");
    const struct option *row = find_row(name, length);

    if (!row)
        unknown_order(name, length, wrong);
    else if (option_set(row, name[length] ? name + length + 1 : "", orders, false, &error))
        text_printf(another(wrong), PREFIX "%s", error.text + strspn(error.text, "-"));
}

/* Before "--". */
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

/* The kernel did not know it and passed it to init. */
static bool is_kernels(const struct words *line, const char *word)
{
    if (line->word)
        return stands_in(line, own_words(line), word);
    return !command_find(word);
}

void init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                      const char **words, size_t *n_words, struct text *wrong)
{
    FREED_BY(words_free) struct words line = {.text = NULL};

    *n_words = 0;
    if (kernel_line && words_of_kernel(kernel_line, &line))
        text_printf(another(wrong), "out of memory");
    for (size_t i = 0; i < line.n && i < own_words(&line); i++)
        if (is_order(line.word[i]))
            read_order(line.word[i], orders, wrong);
    for (int i = 0; i < argc; i++) {
        if (is_order(argv[i]))
            read_order(argv[i], orders, wrong);
        else if (*n_words || !is_kernels(&line, argv[i]))
            words[(*n_words)++] = argv[i];
    }
}

/* --- The command to run. --- */

static bool has_option(const struct command *command, const char *name)
{
    struct option_table tables[TABLES_MAX];
    const size_t n = command->tables ? command->tables(command, tables) : 0;

    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            if (!strcmp(tables[t].rows[r].name, name))
                return true;
    return false;
}

/* Appends the reason why not. */
static bool check_command(const char *name, bool tune, struct text *wrong)
{
    const struct command *command = command_find(name);

    if (!command)
        text_printf(another(wrong), "unknown command '%.80s'; 'jitbench help' shows them", name);
    else if (!strcmp(name, "init"))
        text_printf(another(wrong), "init does not run itself");
    else if (tune && !has_option(command, "tuned"))
        text_printf(another(wrong), "tune: '%s' has no --tuned", name);
    else
        return true;
    return false;
}

static bool is_place(const char *text)
{
    char device[sizeof(((struct init_orders *)0)->out) + 8], path[sizeof(device)];

    return !text[0] || device_split(text, device, path, sizeof(device)) == 0;
}

void init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                       struct init_command *command, struct text *wrong)
{
    const char *why = NULL;
    size_t n = 0;

    *command = (struct init_command){.argv = NULL};
    if (!is_place(orders->out))
        text_printf(another(wrong), "out must be DEVICE:PATH, as in /dev/sda1:/result.csv");
    if (!is_place(orders->scratch))
        text_printf(another(wrong), "scratch must be DEVICE:/DIR, as in /dev/sda1:/var/tmp");
    if (!n_words) {
        why = words_of_command(orders->run, false, &command->words);
        words = (const char *const *)command->words.word;
        n_words = command->words.n;
    }
    if (!n_words)
        text_printf(another(wrong), "run: %s", why ? why : "names no command");
    if (!n_words || !check_command(words[0], orders->tune, wrong))
        return;
    command->argv = calloc(n_words + 3, sizeof(*command->argv));
    if (!command->argv) {
        text_printf(another(wrong), "out of memory");
        return;
    }
    command->argv[n++] = (char *)"jitbench";
    command->argv[n++] = (char *)words[0];
    if (orders->tune)
        command->argv[n++] = (char *)"--tuned";
    memcpy(command->argv + n, words + 1, (n_words - 1) * sizeof(*words));
}

void init_command_free(struct init_command *command)
{
    words_free(&command->words);
    free(command->argv);
    command->argv = NULL;
}
