/* SPDX-License-Identifier: MIT */
/* The operands that a command takes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

static bool suite_word(const struct command *command, size_t i, struct operand_word *out)
{
    const struct suite *suite = command->suite;

    if (!measure_test(suite, i, out))
        return false;
    if (!out->help && !out->old) {
        const struct metrics_test *test = metrics_test(metrics_table(), suite->name, out->name);
        out->help = test ? test->title : NULL;
    }
    return true;
}

enum operands_kind operands_named(const char *shown)
{
    static const struct {
        const char *word;
        enum operands_kind kind;
    } known[] = {
        {"FILE", OPERANDS_FILES}, {"csv", OPERANDS_FILES}, {"DIR", OPERANDS_FOLDERS}, {"COMMAND", OPERANDS_COMMAND}};

    while (*shown) {
        size_t length = 0;
        while (isalpha((unsigned char)shown[length]))
            length++;
        for (size_t i = 0; i < COUNT(known); i++)
            if (strlen(known[i].word) == length && !memcmp(known[i].word, shown, length))
                return known[i].kind;
        shown += length ? length : 1;
    }
    return OPERANDS_NONE;
}

const struct operands *command_operands(const struct command *command)
{
    static const struct operands tests = {.kind = OPERANDS_WORDS, .noun = "test", .word = suite_word};
    static const struct operands shown[] = {[OPERANDS_NONE] = {.kind = OPERANDS_NONE},
                                            [OPERANDS_FILES] = {.kind = OPERANDS_FILES},
                                            [OPERANDS_FOLDERS] = {.kind = OPERANDS_FOLDERS},
                                            [OPERANDS_COMMAND] = {.kind = OPERANDS_COMMAND}};

    if (command->takes)
        return command->takes;
    if (command->suite && (command->suite->test || command->suite->tests))
        return &tests;
    return &shown[operands_named(command->operands)];
}

int command_unknown_operand(const struct command *command, const char *word)
{
    const struct operands *operands = command_operands(command);
    struct operand_word candidate;
    size_t n = 0;

    while (operands->word && operands->word(command, n, &candidate))
        n++;
    FREED_BY(memory_free) const char **names = memory_get(n, sizeof(*names));
    for (size_t i = 0; i < n && operands->word(command, i, &candidate); i++)
        names[i] = candidate.name;
    return command_unknown(operands->noun ? operands->noun : "operand", word, names, n);
}

/* --- The names of the settings. --- */

static bool setting_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (i >= settings_count)
        return false;
    *out = (struct operand_word){.name = settings_list[i].name, .help = settings_list[i].title};
    return true;
}

const struct operands setting_names = {.kind = OPERANDS_WORDS, .noun = "setting", .word = setting_word};

int command_mark_settings(const struct command *command, const char *const *operands, size_t n, bool *marked)
{
    for (size_t i = 0; i < n; i++) {
        const struct setting *setting = setting_find(operands[i]);
        if (!setting)
            return command_unknown_operand(command, operands[i]);
        marked[setting - settings_list] = true;
    }
    return 0;
}
