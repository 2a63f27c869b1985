/* SPDX-License-Identifier: MIT */
/* Kinds of the commands' operands. */

#include "../test.h"
#include "cmd/cmd.h"

TEST(test_operands_named_by_what_is_shown)
{
    static const struct {
        const char *shown;
        enum operands_kind kind;
    } cases[] = {
        {"", OPERANDS_NONE},
        {"FILE", OPERANDS_FILES},
        {"FILE|-", OPERANDS_FILES},
        {"N|FILE", OPERANDS_FILES},
        {"A.csv B.csv", OPERANDS_FILES},
        {"[FILE...]", OPERANDS_FILES},
        {"DIR", OPERANDS_FOLDERS},
        {"-- COMMAND [ARG...]", OPERANDS_COMMAND},
        {"file", OPERANDS_NONE},
        {"[TEST|GROUP...]", OPERANDS_NONE},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        if (operands_named(cases[i].shown) != cases[i].kind)
            fail_msg("'%s' is kind %d", cases[i].shown, (int)operands_named(cases[i].shown));
}

TEST(test_operands_follow_descriptor_then_suite_then_usage_line)
{
    static const struct operands own = {.kind = OPERANDS_FOLDERS};
    const struct command described = {.operands = "FILE", .suite = &suite_stream, .takes = &own};
    const struct command tested = {.operands = "FILE", .suite = &suite_stream};
    const struct command shown = {.operands = "FILE", .suite = &suite_prime};
    struct operand_word word, own_word;

    assert_ptr_equal(command_operands(&described), &own);
    const struct operands *tests = command_operands(&tested);
    assert_int_equal(tests->kind, OPERANDS_WORDS);
    size_t n = 0;
    for (; measure_test(&suite_stream, n, &own_word); n++) {
        assert_true(tests->word(&tested, n, &word));
        assert_string_equal(word.name, own_word.name);
        assert_false(word.old);
        assert_true(word.help && word.help[0]);
    }
    assert_true(n > 1);
    assert_false(tests->word(&tested, n, &word));
    assert_int_equal(command_operands(&shown)->kind, OPERANDS_FILES);
}

/* The shells' scripts hold names between quotes, blanks and colons. */
static void check_word(const struct command *command, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (!name[0] || name[strspn(name, plain)] || name[0] == '-')
        fail_msg("%s: '%s' is no word that a script can hold", command->name, name);
}

TEST(test_operands_are_words_that_scripts_can_hold)
{
    for (size_t c = 0; command_list[c]; c++) {
        const struct command *command = command_list[c];
        const struct operands *operands = command_operands(command);
        struct operand_word word;
        size_t n = 0;
        check_word(command, command->name);
        assert_int_equal(operands->kind == OPERANDS_WORDS, operands->word != NULL);
        assert_int_equal(operands->kind == OPERANDS_WORDS, operands->noun != NULL);
        for (; operands->word && operands->word(command, n, &word); n++)
            check_word(command, word.name);
        assert_true(n > 0 || operands->kind != OPERANDS_WORDS);
    }
}

TEST(test_operands_choices_are_words_that_scripts_can_hold)
{
    struct option_table tables[TABLES_MAX];

    for (size_t c = 0; command_list[c]; c++) {
        memset(tables, 0, sizeof(tables));
        size_t n = command_tables(command_list[c], tables);
        for (size_t t = 0; t < n; t++)
            for (size_t r = 0; r < tables[t].n; r++)
                for (size_t i = 0; tables[t].rows[r].choices && tables[t].rows[r].choices[i]; i++)
                    check_word(command_list[c], tables[t].rows[r].choices[i]);
    }
}
