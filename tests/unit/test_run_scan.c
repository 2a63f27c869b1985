/* SPDX-License-Identifier: MIT */
/* Parameters of commands: lists and scans of numbers, all combinations, and what is refused. */

#include "../test.h"
#include "cmd/run.h"
#include "said.h"

static struct run_options options;
static struct commands commands;

/* Combines the commands, words separated by blanks and commands by '|', with the options as they are typed: '/'
 * separates words of an option and ';' its uses. */
static int combine(const char *lists, const char *scans, const char *step, const char *line)
{
    static const struct measure m;
    static char typed[256], *words[64], **of[16];
    size_t n = 0;

    memset(&commands, 0, sizeof(commands));
    text_copy(options.command.lists, sizeof(options.command.lists), lists);
    text_copy(options.command.scans, sizeof(options.command.scans), scans);
    text_copy(options.command.step, sizeof(options.command.step), step);
    for (int k = 0; k < 2; k++)
        for (char *at = k ? options.command.scans : options.command.lists; *at; at++)
            *at = *at == '/' ? OPTION_WORD_END : *at == ';' ? OPTION_USE_END : *at;
    text_copy(typed, sizeof(typed), line);
    commands = (struct commands){.m = &m, .options = &options, .typed = of, .n_typed = 0};
    for (char *command = strtok(typed, "|"), *next; command; command = next) {
        char *rest = NULL;
        next = strtok(NULL, "|");
        of[commands.n_typed++] = &words[n];
        for (char *word = strtok_r(command, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            words[n++] = word;
        words[n++] = NULL;
    }
    return run_combine(&commands);
}

static void end(void)
{
    run_free_parameters(&commands);
    memset(&options, 0, sizeof(options));
}

/* The commands that come of it, each in brackets. */
static void expect(const char *lists, const char *scans, const char *step, const char *line, const char *expected)
{
    char got[1024] = "";

    assert_int_equal(combine(lists, scans, step, line), 0);
    for (size_t i = 0; i < commands.n; i++)
        for (char **word = commands.argv[i]; *word; word++) {
            const size_t used = strlen(got);
            (void)snprintf(got + used, sizeof(got) - used, "%s%s%s", word == commands.argv[i] ? "<" : " ", *word,
                           word[1] ? "" : ">");
        }
    assert_string_equal(got, expected);
    end();
}

static void refuse(const char *lists, const char *scans, const char *step, const char *line, const char *expected)
{
    assert_true(combine(lists, scans, step, line));
    assert_string_equal(said.text, expected);
    end();
}

TEST(test_run_scan_lists)
{
    expect("", "", "", "a {n}", "<a {n}>");
    expect("n/1,2,x y", "", "", "a {n} -{n}{n}", "<a 1 -11><a 2 -22><a x y -x yx y>");
    expect("n/1\\,2,\\\\", "", "", "a {n}", "<a 1,2><a \\>");
    /* A value is not looked at again, and other braces stay. */
    expect("n/{m},2;m/3", "", "", "a {n} {m} {} {k} {n", "<a {m} 3 {} {k} {n><a 2 3 {} {k} {n>");
}

TEST(test_run_scan_numbers)
{
    expect("", "n/1/4", "", "a {n}", "<a 1><a 2><a 3><a 4>");
    expect("", "n/0.5/1", "0.25", "a {n}", "<a 0.50><a 0.75><a 1.00>");
    expect("", "n/-1/1.5", "1", "a {n}", "<a -1.0><a 0.0><a 1.0>");
    expect("", "n/-0.05/0.05", "0.05", "a {n}", "<a -0.05><a 0.00><a 0.05>");
    expect("", "n/3/3", "7", "a {n}", "<a 3>");
}

/* The last parameter changes first; a command has the combinations of those that it has. */
TEST(test_run_scan_combinations)
{
    expect("m/x,y", "n/1/2", "", "a {m} {n}", "<a x 1><a x 2><a y 1><a y 2>");
    expect("m/x,y", "n/1/2", "", "base|a {n}|b {m}", "<base><a 1><a 2><b x><b y>");
    assert_int_equal(combine("m/x,y", "", "", "base|a {m}"), 0);
    assert_null(commands.value_of[0][0]);
    assert_string_equal(commands.value_of[2][0], "y");
    assert_int_equal(commands.typed_of[2], 1);
    end();
    /* A command has a parameter that only its preparation names. */
    text_copy(options.command.prepare, sizeof(options.command.prepare), "make {m}");
    expect("m/x,y", "", "", "a", "<a><a>");
}

TEST(test_run_scan_of_a_command_with_itself)
{
    options.command.aa = true;
    expect("", "", "", "a 1", "<a 1><a 1>");
    options.command.aa = true;
    refuse("m/x,y", "", "", "a {m}", "--aa runs one command against itself, and 2 are given");
}

TEST(test_run_scan_refuses)
{
    static const char name[] = "--parameter-list: '%s' is not a name of 1 to 31 letters, digits, '_' and '-'";
    char expected[256];

    (void)snprintf(expected, sizeof(expected), name, "a b");
    refuse("a b/1", "", "", "a", expected);
    (void)snprintf(expected, sizeof(expected), name, "");
    refuse("/1", "", "", "a", expected);
    refuse("n/1,,2", "", "", "a {n}", "--parameter-list: a value of 'n' is empty");
    refuse("n/", "", "", "a {n}", "--parameter-list: a value of 'n' is empty");
    refuse("n/1;n/2", "", "", "a {n}", "--parameter-list: 'n' is given twice");
    refuse("a/1;b/1;c/1;d/1;e/1", "", "", "a", "--parameter-list: more than 4 parameters");
    refuse("n/1", "", "", "a", "no command has {n}");
    refuse("", "n/2/1", "", "a {n}", "--parameter-scan: n: MIN 2 is above MAX 1");
    refuse("", "n/1/2", "0", "a {n}", "--parameter-step-size: '0' is not above 0");
    refuse("", "n/1/2", "-1", "a {n}", "--parameter-step-size: '-1' is not above 0");
    refuse("", "n/1/1e9", "", "a {n}", "--parameter-scan: '1e9' is not a decimal number of at most 15 digits");
    refuse("", "n/./2", "", "a {n}", "--parameter-scan: '.' is not a decimal number of at most 15 digits");
    refuse("", "n/1/2", "1..5", "a {n}", "--parameter-step-size: '1..5' is not a decimal number of at most 15 digits");
    refuse("", "n/1/999999999999999", "0.00000000000001", "a {n}",
           "--parameter-scan: '999999999999999' has too many digits beside the other numbers");
    refuse("", "n/1/65", "", "a {n}", "--parameter-scan: n has more than 64 values");
    refuse("m/x,y", "n/1/33", "", "a {n} {m}",
           "--parameter-list and --parameter-scan: more than 64 commands with all combinations of values");
    refuse("", "", "1", "a {n}", "--parameter-step-size without --parameter-scan");
    refuse("", "n/1/9;m/1/9", "", "a {n} {m}",
           "--parameter-scan: more than 64 commands with all combinations of values");
}

/* A setup whose result another one replaces before the command runs. */
TEST(test_run_scan_refuses_a_setup_that_commands_share)
{
    text_copy(options.command.setup, sizeof(options.command.setup), "make {n}");
    refuse("n/1,2", "", "", "a",
           "{n} is in --setup or --cleanup, and neither in command 1 nor in --prepare: commands take turns, so all "
           "would find what the last setup left");
    text_copy(options.command.setup, sizeof(options.command.setup), "make {n}");
    expect("n/1,2", "", "", "a {n}", "<a 1><a 2>");
}
