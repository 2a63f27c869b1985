/* SPDX-License-Identifier: MIT */
/* Completion of the command line. `jitbench completion SHELL` prints the short script for a shell, which calls
 * `jitbench __complete -- WORD...` for what to offer. The words are those after the program's name; the last one is
 * completed and may be empty. The answer is a line "KIND NUMBER", then lines "CANDIDATE" or "CANDIDATE<TAB>HELP". The
 * shell drops those that do not match.
 *
 *   words    candidates for the current word behind its first NUMBER bytes
 *   list     the same for a comma-separated list: no blank follows the candidate
 *   files    names of files, and folders: names of directories, behind the first NUMBER bytes
 *   command  the command line of another program, which begins at word NUMBER, counted from 0 */

#include "cmd/cmd.h"

static const char bash_script[] =
#include "completion_bash.h"
    ;
static const char zsh_script[] =
#include "completion_zsh.h"
    ;
static const char fish_script[] =
#include "completion_fish.h"
    ;

/* Returns the number. */
static size_t find_tables(const struct command *command, struct option_table *tables)
{
    /* Commands without tables accept it too. */
    static const struct option help_row = {.name = "help", .letter = 'h', .help = "print this help"};
    const size_t n = command_tables(command, tables);

    if (!n)
        *tables = (struct option_table){.rows = &help_row, .n = 1};
    return n ? n : 1;
}

/* --- What is printed for the shell. --- */

static void put_head(const char *kind, size_t number, struct text *out)
{
    text_printf(out, "%s %zu\n", kind, number);
}

static void put_candidate(const char *word, const char *help, struct text *out)
{
    text_printf(out, help ? "%s\t%s\n" : "%s\n", word, help);
}

/* kept: bytes of the current word before what is completed. */
static void put_names(enum operands_kind kind, size_t kept, struct text *out)
{
    put_head(kind == OPERANDS_FILES ? "files" : kind == OPERANDS_FOLDERS ? "folders" : "words", kept, out);
}

static bool is_listed(const char *list, const char *end, const char *name)
{
    for (; list < end; list += strcspn(list, ",") + 1)
        if (strcspn(list, ",") == strlen(name) && !strncmp(list, name, strlen(name)))
            return true;
    return false;
}

static bool has_words(const struct option *row)
{
    return row->type == OPTION_NAMES || row->type == OPTION_FAIL_ON;
}

static void put_value(const struct option *row, const char *word, const char *value, struct text *out)
{
    const char *last = value;

    if (row->type == OPTION_TEXT || row->type == OPTION_LINES) {
        put_names(operands_named(row->value_name ? row->value_name : ""), (size_t)(value - word), out);
        return;
    }
    if (has_words(row) && strrchr(value, ','))
        last = strrchr(value, ',') + 1;
    put_head(has_words(row) ? "list" : "words", (size_t)(last - word), out);
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        if (!is_listed(value, last, row->choices[i]))
            put_candidate(row->choices[i], NULL, out);
}

/* By their first names; after a single dash also by their letters. */
static void put_options(struct option_table *tables, size_t n, const char *word, struct text *out)
{
    const char *value;

    put_head("words", 0, out);
    for_each_option(table, row, tables, n) {
        const bool repeats =
            has_words(row) || row->type == OPTION_COUNTS || row->type == OPTION_DURATIONS || row->type == OPTION_LINES;
        /* an entry of the same name belongs to the first, as in the parser */
        if ((table->given[row - table->rows] && !repeats) ||
            option_of_word(tables, n, TEXT_LINE("--%s", row->name), &value) != row)
            continue;
        const char letter[] = {'-', option_letter(table, row), '\0'}, *help = row->help ? row->help : "";
        text_printf(out, "--%s%s\t%s\n", row->name, row->type == OPTION_FLAG || row->optional ? "" : "=", help);
        if (!word[1] && letter[1] && option_of_word(tables, n, letter, &value) == row)
            text_printf(out, "%s\t%s\n", letter, help);
    }
}

static void put_operands(const struct command *command, char *const *given, size_t n, struct text *out)
{
    const struct operands *operands = command_operands(command);
    struct operand_word word;

    if (operands->most && n >= operands->most) {
        put_names(OPERANDS_NONE, 0, out);
        return;
    }
    put_names(operands->kind, 0, out);
    for (size_t i = 0; operands->word && operands->word(command, i, &word); i++) {
        bool again = word.old;
        for (size_t k = 0; k < n; k++)
            again = again || !strcmp(given[k], word.name);
        if (!again)
            put_candidate(word.name, word.help, out);
    }
}

static void put_program(char *const *words, size_t first, size_t last, struct text *out)
{
    for (size_t i = first; i < last; i++)
        if (!strcmp(words[i], "--"))
            first = i + 1;
    put_head("command", first, out);
}

/* Completes words[last]. Moves the operands to the front. */
static void put_completion(char **words, size_t last, struct text *out)
{
    const struct command *command = last ? command_find(words[0]) : NULL;
    const char *word = words[last], *value;
    const struct option *row, *wanted = NULL;
    struct option_table tables[TABLES_MAX];
    size_t n_given = 0;
    bool ended = false;

    if (!command) {
        if (last) {
            put_names(OPERANDS_NONE, 0, out);
        } else if (word[0] != '-') {
            put_operands(&command_help_, NULL, 0, out);
        } else { /* options that may take the place of a command */
            put_head("words", 0, out);
            put_candidate("--help", "print the commands", out);
            put_candidate("--version", "print what this program is", out);
        }
        return;
    }
    const size_t n = find_tables(command, tables);
    const bool runs = command_operands(command)->kind == OPERANDS_COMMAND;
    for (size_t i = 1; i < last; i++) {
        if (ended || words[i][0] != '-' || !words[i][1]) {
            if (runs) {
                put_program(words, i, last, out);
                return;
            }
            words[n_given++] = words[i];
        } else if (!strcmp(words[i], "--")) {
            ended = true;
        } else {
            row = option_of_word(tables, n, words[i], &value);
            if (row && row->type != OPTION_FLAG && !row->optional && !value && ++i == last)
                wanted = row;
        }
    }

    if (wanted) {
        put_value(wanted, word, word, out);
    } else if (!ended && word[0] == '-' && word[1] && (word[1] != '-' || strchr(word, '='))) {
        row = option_of_word(tables, n, word, &value);
        if (row && value)
            put_value(row, word, value, out);
        else
            put_head("words", 0, out);
        if (row && !value)
            put_candidate(word, NULL, out);
    } else if (!ended && word[0] == '-') {
        put_options(tables, n, word, out);
    } else if (runs) {
        put_program(words, last, last, out);
    } else {
        put_operands(command, words, n_given, out);
    }
}

static int run_complete(int argc, char **argv)
{
    struct text out = {0};

    if (argc > 2) /* argv[1] is "--" */
        put_completion(argv + 2, (size_t)argc - 3, &out);
    return command_output(1, true, &out);
}

const struct command command_complete = {.name = "__complete", .operands = "-- WORD...", .run = run_complete};

/* --- The scripts. --- */

static const struct shell {
    const char *name, *help, *script;
} shells[] = {
    {"bash", "source <(jitbench completion bash)", bash_script},
    {"zsh", "source <(jitbench completion zsh)", zsh_script},
    {"fish", "jitbench completion fish | source", fish_script},
};
enum { N_SHELLS = COUNT(shells) };

static bool shell_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (i >= N_SHELLS)
        return false;
    *out = (struct operand_word){.name = shells[i].name, .help = shells[i].help};
    return true;
}

static int run(int argc, char **argv)
{
    struct text out = {0};

    if (argc != 2)
        return usage_error("takes one shell's name: bash, zsh or fish");
    for (size_t i = 0; i < N_SHELLS; i++)
        if (!strcmp(shells[i].name, argv[1])) {
            text_append(&out, shells[i].script, strlen(shells[i].script));
            return command_output(1, true, &out);
        }
    return command_unknown_operand("", argv[1]);
}

static const struct operands operands = {.kind = OPERANDS_WORDS, .most = 1, .noun = "shell", .word = shell_word};

const struct command command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .title = "the completion script for a shell",
    .description =
        "Prints the script that makes bash, zsh or fish complete the command lines of jitbench. To use it now: 'source "
        "<(jitbench completion bash)', the same with zsh, or 'jitbench completion fish | source'.",
    .run = run,
    .takes = &operands,
};
