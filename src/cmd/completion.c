/* SPDX-License-Identifier: MIT */
/* jitbench completion SHELL: prints the script that completes jitbench's command line in bash, zsh or fish. The scripts
 * do not call jitbench, so that completion is fast and works for a program built for another machine.
 * completion/jitbench.SHELL has the script in the shell's language with placeholders, into which this file inserts the
 * commands, options and operands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/suites.h"
#include "rows/text.h"

/* Strings made from the files by the Makefile. */
static const char bash_script[] =
#include "completion_bash.h"
    ;
static const char zsh_script[] =
#include "completion_zsh.h"
    ;
static const char fish_script[] =
#include "completion_fish.h"
    ;

/* --- The options offered. --- */

enum value {
    VALUE_FLAG,
    VALUE_FREE,  /* no candidates */
    VALUE_FREES, /* no candidates, and the option may be repeated */
    VALUE_OPTIONAL,
    VALUE_WORDS, /* one of the choices; for --cpus besides lists */
    VALUE_LIST,  /* comma-separated choices; the option may be repeated */
    VALUE_FILE,
    VALUE_FOLDER,
};

#define ROWS_MAX (TABLES_MAX * OPTION_ROWS_MAX)

/* An option of a command, with the names that refer to it in that command. */
struct offer {
    const struct option *row;
    char letter;
    const char *help;
    enum value value;
};

struct offers {
    struct offer offer[ROWS_MAX];
    size_t n;
};

static enum value value_of(const struct option *row)
{
    switch (row->type) {
    case OPTION_FLAG:
        return VALUE_FLAG;
    case OPTION_CHOICE:
    case OPTION_CPUS:
        return VALUE_WORDS;
    case OPTION_NAMES:
        return VALUE_LIST;
    case OPTION_COUNTS:
        return VALUE_FREES;
    case OPTION_TEXT: {
        enum operands_kind kind = operands_named(row->value_name ? row->value_name : "");
        return kind == OPERANDS_FILES ? VALUE_FILE : kind == OPERANDS_FOLDERS ? VALUE_FOLDER : VALUE_FREE;
    }
    default:
        return row->optional ? VALUE_OPTIONAL : VALUE_FREE;
    }
}

/* Adds an option. If two entries have the same name, it belongs to the first one, as in the parser. */
static void add_offer(struct offers *offers, const struct option *row)
{
    struct offer offer = {
        .row = row, .letter = row->letter, .help = row->help ? row->help : "", .value = value_of(row)};

    for (size_t i = 0; i < offers->n; i++) {
        if (!strcmp(offers->offer[i].row->name, row->name))
            return;
        if (offers->offer[i].letter == offer.letter)
            offer.letter = 0;
    }
    offers->offer[offers->n++] = offer;
}

/* Commands without tables accept --help too. */
static const struct option help_row = {
    .name = "help", .letter = 'h', .type = OPTION_FLAG, .size = sizeof(bool), .help = "print this help"};

static void find_offers(const struct command *command, struct offers *offers)
{
    struct option_table tables[TABLES_MAX];

    offers->n = 0;
    memset(tables, 0, sizeof(tables));
    size_t n = command->tables ? command->tables(command, tables) : 0;
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            add_offer(offers, &tables[t].rows[r]);
    if (!n)
        add_offer(offers, &help_row);
}

/* Returns the next of an entry's aliases; NULL when there is none. */
static const char *next_alias(const char *at, size_t *length)
{
    at += strspn(at, " ");
    *length = strcspn(at, " ");
    return *length ? at : NULL;
}

/* Appends each spelling of the option with its dashes: "-t --time --seconds". */
static void put_spellings(const struct offer *offer, struct text *out)
{
    size_t length;

    if (offer->letter)
        text_printf(out, "-%c ", offer->letter);
    text_printf(out, "--%s", offer->row->name);
    for (const char *at = offer->row->aliases; at && (at = next_alias(at, &length)); at += length)
        text_printf(out, " --%.*s", (int)length, at);
}

/* Appends the choices: "one range none". */
static void put_choices(const struct option *row, struct text *out)
{
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        text_printf(out, "%s%s", i ? " " : "", row->choices[i]);
}

/* Appends the text for use within '...': a backslash before each character of special, and `quoted` for each '. */
static void put_quoted(const char *text, const char *special, const char *quoted, struct text *out)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            text_append(out, "\\", 1);
        if (*text == '\'')
            text_printf(out, "%s", quoted);
        else
            text_append(out, text, 1);
    }
}

/* --- bash --- */

static const char *const bash_values[] = {
    [VALUE_FLAG] = "flag",   [VALUE_FREE] = "value", [VALUE_FREES] = "values", [VALUE_OPTIONAL] = "optional",
    [VALUE_WORDS] = "words", [VALUE_LIST] = "list",  [VALUE_FILE] = "file",    [VALUE_FOLDER] = "folder",
};

static const char *const bash_operands[] = {
    [OPERANDS_NONE] = "none",      [OPERANDS_WORDS] = "words",     [OPERANDS_FILES] = "files",
    [OPERANDS_FOLDERS] = "folder", [OPERANDS_COMMAND] = "command",
};

static void put_bash_operands(const struct command *command, struct text *out)
{
    const struct operands *operands = command_operands(command);
    struct operand_word word;

    text_printf(out, "        operands=(%s %u", bash_operands[operands->kind], operands->most);
    for (size_t i = 0; operands->word && operands->word(command, i, &word); i++)
        if (!word.old)
            text_printf(out, " %s", word.name);
    text_printf(out, ")\n");
}

static void put_bash_tables(const struct command *command, const struct offers *offers, struct text *out)
{
    text_printf(out, "    %s)\n        options=(\n", command->name);
    for (size_t i = 0; i < offers->n; i++) {
        const struct offer *offer = &offers->offer[i];
        text_printf(out, "            '");
        put_spellings(offer, out);
        text_printf(out, " %s%s", bash_values[offer->value], offer->row->choices ? " " : "");
        put_choices(offer->row, out);
        text_printf(out, "'\n");
    }
    text_printf(out, "        )\n");
    put_bash_operands(command, out);
    text_printf(out, "        ;;\n");
}

/* --- zsh --- */

#define ZSH_QUOTE "'\\''"

static void put_zsh_value(const struct offer *offer, struct text *out)
{
    text_printf(out, offer->value == VALUE_OPTIONAL ? "::" : ":");
    put_quoted(offer->row->value_name ? offer->row->value_name : "VALUE", ":\\", ZSH_QUOTE, out);
    text_append(out, ":", 1);
    switch (offer->value) {
    case VALUE_WORDS:
        text_append(out, "(", 1);
        put_choices(offer->row, out);
        text_append(out, ")", 1);
        break;
    case VALUE_LIST:
        text_printf(out, "_sequence compadd - ");
        put_choices(offer->row, out);
        break;
    case VALUE_FILE:
        text_printf(out, "_files");
        break;
    case VALUE_FOLDER:
        text_printf(out, "_files -/");
        break;
    default:
        text_append(out, " ", 1);
    }
}

/* Appends one spelling. hidden: accepted, but not offered. */
static void put_zsh_spelling(const struct offer *offer, const char *spelling, size_t length, bool hidden,
                             struct text *out)
{
    bool again = offer->value == VALUE_LIST || offer->value == VALUE_FREES;
    const char *letter_ends = offer->value == VALUE_FLAG ? "" : offer->value == VALUE_OPTIONAL ? "-" : "+";
    const char *name_ends = offer->value == VALUE_FLAG ? "" : offer->value == VALUE_OPTIONAL ? "=-" : "=";

    text_printf(out, "            '%s", hidden ? "!" : "");
    if (again) {
        text_append(out, "*", 1);
    } else {
        text_append(out, "(", 1);
        put_spellings(offer, out);
        text_append(out, ")", 1);
    }
    text_printf(out, "%.*s%s", (int)length, spelling, spelling[1] == '-' ? name_ends : letter_ends);
    if (!hidden) {
        text_append(out, "[", 1);
        put_quoted(offer->help, "[]\\", ZSH_QUOTE, out);
        text_append(out, "]", 1);
    }
    if (offer->value != VALUE_FLAG)
        put_zsh_value(offer, out);
    text_printf(out, "' \\\n");
}

static void put_zsh_option(const struct offer *offer, struct text *out)
{
    struct text spellings = {0};
    size_t length, i = 0;

    put_spellings(offer, &spellings);
    /* The letter and the name are offered, the aliases are hidden. */
    for (const char *at = spellings.data; at && (at = next_alias(at, &length)); at += length, i++)
        put_zsh_spelling(offer, at, length, i > (offer->letter ? 1u : 0u), out);
    out->failed |= spellings.failed;
    text_free(&spellings);
}

/* Appends the array of the operands that are words. */
static void put_zsh_words(const struct command *command, const struct operands *operands, struct text *out)
{
    struct operand_word word;

    text_printf(out, "        operands=(\n");
    for (size_t i = 0; operands->word(command, i, &word); i++) {
        if (word.old)
            continue;
        text_printf(out, "            '%s", word.name);
        if (word.help) {
            text_append(out, ":", 1);
            put_quoted(word.help, "\\", ZSH_QUOTE, out);
        }
        text_printf(out, "'\n");
    }
    text_printf(out, "        )\n");
}

static void put_zsh_arguments(const struct command *command, const struct offers *offers, struct text *out)
{
    const struct operands *operands = command_operands(command);

    text_printf(out, "    %s)\n", command->name);
    if (operands->kind == OPERANDS_WORDS)
        put_zsh_words(command, operands, out);
    text_printf(out, "        _arguments -s -S : \\\n");
    for (size_t i = 0; i < offers->n; i++)
        put_zsh_option(&offers->offer[i], out);
    switch (operands->kind) {
    case OPERANDS_WORDS:
        text_printf(out, "            '%s:%s: _jitbench_words %s' \\\n", operands->most == 1 ? "" : "*", operands->noun,
                    operands->noun);
        break;
    case OPERANDS_FILES:
        text_printf(out, "            '*:file:_files' \\\n");
        break;
    case OPERANDS_FOLDERS:
        text_printf(out, "            '*:folder:_files -/' \\\n");
        break;
    case OPERANDS_COMMAND:
        text_printf(out, "            '(-)*::command: _jitbench_command' \\\n");
        break;
    case OPERANDS_NONE:
        break;
    }
    text_printf(out, "            && ret=0\n        ;;\n");
}

static void put_zsh_command(const struct command *command, const struct offers *offers, struct text *out)
{
    (void)offers;
    text_printf(out, "        '%s:", command->name);
    put_quoted(command->title, "\\", ZSH_QUOTE, out);
    text_printf(out, "'\n");
}

/* --- fish --- */

#define FISH_SPECIAL "\\"
#define FISH_QUOTE   "\\'"

static void put_fish_valued(const struct command *command, const struct offers *offers, struct text *out)
{
    text_printf(out, "        case %s\n            printf '%%s\\n'", command->name);
    for (size_t i = 0; i < offers->n; i++)
        if (offers->offer[i].value != VALUE_FLAG && offers->offer[i].value != VALUE_OPTIONAL) {
            text_append(out, " ", 1);
            put_spellings(&offers->offer[i], out);
        }
    text_append(out, "\n", 1);
}

static void put_fish_value(const struct offer *offer, struct text *out)
{
    switch (offer->value) {
    case VALUE_FLAG:
    case VALUE_OPTIONAL:
        break;
    case VALUE_WORDS:
        text_printf(out, " -x -a '");
        put_choices(offer->row, out);
        text_append(out, "'", 1);
        break;
    case VALUE_LIST:
        text_printf(out, " -x -a '(__jitbench_list ");
        put_choices(offer->row, out);
        text_printf(out, ")'");
        break;
    case VALUE_FILE:
        text_printf(out, " -r -F");
        break;
    case VALUE_FOLDER:
        text_printf(out, " -x -a '(__fish_complete_directories)'");
        break;
    default:
        text_printf(out, " -x");
    }
}

/* Begins a line. condition: the shell function to which the command's name is appended. */
static void put_fish_begin(const char *condition, const struct command *command, struct text *out)
{
    const char *before = command_operands(command)->kind == OPERANDS_COMMAND ? "not __jitbench_started; and " : "";

    text_printf(out, "complete -c jitbench -n '%s%s %s", before, condition, command->name);
}

static void put_fish_option(const struct command *command, const struct offer *offer, struct text *out)
{
    size_t length;

    put_fish_begin("__jitbench_new", command, out);
    if (offer->value == VALUE_LIST || offer->value == VALUE_FREES)
        text_printf(out, " --again");
    else if (offer->value != VALUE_FLAG && offer->value != VALUE_OPTIONAL)
        text_printf(out, " --value");
    text_append(out, " ", 1);
    put_spellings(offer, out);
    text_append(out, "'", 1);
    if (offer->letter)
        text_printf(out, " -s %c", offer->letter);
    text_printf(out, " -l %s", offer->row->name);
    put_fish_value(offer, out);
    text_printf(out, " -d '");
    put_quoted(offer->help, FISH_SPECIAL, FISH_QUOTE, out);
    text_printf(out, "'\n");
    for (const char *at = offer->row->aliases; at && (at = next_alias(at, &length)); at += length) {
        put_fish_begin("__jitbench_typed", command, out);
        text_printf(out, " --%.*s' -l %.*s", (int)length, at, (int)length, at);
        put_fish_value(offer, out);
        text_append(out, "\n", 1);
    }
}

static void put_fish_words(const struct command *command, const struct operands *operands, struct text *out)
{
    struct operand_word word;

    text_printf(out, "complete -c jitbench -n '");
    if (operands->most)
        text_printf(out, "__jitbench_room %s %u", command->name, operands->most);
    else
        text_printf(out, "__jitbench_in %s", command->name);
    text_printf(out, "' -a \"(__jitbench_words");
    for (size_t i = 0; operands->word(command, i, &word); i++) {
        if (word.old)
            continue;
        text_printf(out, " %s", word.name);
        if (word.help) {
            text_printf(out, "\\\\t'");
            put_quoted(word.help, "\"$\\", "\\\\'", out);
            text_append(out, "'", 1);
        }
    }
    text_printf(out, ")\"\n");
}

static void put_fish_complete(const struct command *command, const struct offers *offers, struct text *out)
{
    const struct operands *operands = command_operands(command);

    text_printf(out, "\ncomplete -c jitbench -n __fish_is_first_token -a %s -d '", command->name);
    put_quoted(command->title, FISH_SPECIAL, FISH_QUOTE, out);
    text_printf(out, "'\n");
    for (size_t i = 0; i < offers->n; i++)
        put_fish_option(command, &offers->offer[i], out);
    switch (operands->kind) {
    case OPERANDS_WORDS:
        put_fish_words(command, operands, out);
        break;
    case OPERANDS_FILES:
        text_printf(out, "complete -c jitbench -n '__jitbench_in %s' -F\n", command->name);
        break;
    case OPERANDS_FOLDERS:
        text_printf(out, "complete -c jitbench -n '__jitbench_in %s' -a '(__fish_complete_directories)'\n",
                    command->name);
        break;
    case OPERANDS_COMMAND:
        text_printf(out, "complete -c jitbench -n '__jitbench_in %s' -a '(__jitbench_command)'\n", command->name);
        break;
    case OPERANDS_NONE:
        break;
    }
}

/* --- The scripts. --- */

typedef void put_command(const struct command *command, const struct offers *offers, struct text *out);

#define PLACES_MAX 2
static const struct shell {
    const char *name, *help, *script;
    /* Lines of the script that are replaced by each command's part. */
    struct {
        const char *line;
        put_command *put;
    } place[PLACES_MAX];
} shells[] = {
    {"bash", "source <(jitbench completion bash)", bash_script, {{"#@tables\n", put_bash_tables}}},
    {"zsh",
     "source <(jitbench completion zsh)",
     zsh_script,
     {{"#@commands\n", put_zsh_command}, {"#@arguments\n", put_zsh_arguments}}},
    {"fish",
     "jitbench completion fish | source",
     fish_script,
     {{"#@valued\n", put_fish_valued}, {"#@complete\n", put_fish_complete}}},
};
enum { N_SHELLS = sizeof(shells) / sizeof(shells[0]) };

static void put_part(put_command *put, struct offers *offers, struct text *out)
{
    for (size_t i = 0; command_list[i]; i++) {
        find_offers(command_list[i], offers);
        put(command_list[i], offers, out);
    }
}

static void put_script(const struct shell *shell, struct offers *offers, struct text *out)
{
    for (const char *line = shell->script; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        put_command *put = NULL;
        for (size_t p = 0; p < PLACES_MAX; p++)
            if (shell->place[p].line && !strncmp(line, shell->place[p].line, length))
                put = shell->place[p].put;
        if (put)
            put_part(put, offers, out);
        else
            text_append(out, line, length);
        line += length;
    }
}

static bool shell_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (i >= N_SHELLS)
        return false;
    *out = (struct operand_word){.name = shells[i].name, .help = shells[i].help};
    return true;
}

static int print_script(const struct command *command, const struct shell *shell)
{
    struct offers *offers = malloc(sizeof(*offers));
    struct text out = {0};

    if (offers)
        put_script(shell, offers, &out);
    free(offers);
    if (!offers || out.failed) {
        text_free(&out);
        (void)fprintf(stderr, "jitbench %s: out of memory\n", command->name);
        return EXIT_ROW_FAILED;
    }
    return command_output(command, 1, true, &out);
}

static int run(const struct command *command, int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "jitbench %s: takes one shell's name: bash, zsh or fish\n", command->name);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < N_SHELLS; i++)
        if (!strcmp(shells[i].name, argv[1]))
            return print_script(command, &shells[i]);
    return command_unknown_operand(command, argv[1]);
}

static const struct operands operands = {.kind = OPERANDS_WORDS, .most = 1, .noun = "shell", .word = shell_word};

const struct command command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .title = "prints the completion script for a shell",
    .description =
        "Prints the script that makes bash, zsh or fish complete the command lines of jitbench. To use it now: "
        "'source <(jitbench completion bash)', the same with zsh, or 'jitbench completion fish | source'. "
        "'make install' and the Debian package put the scripts where the shells find them.",
    .run = run,
    .takes = &operands,
};
