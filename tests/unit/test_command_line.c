/* SPDX-License-Identifier: MIT */
/* Words of the kernel's command line and of a command. */

#include "../test.h"
#include "sys/process.h"

static const char *split_kernel(const char *line, struct words *words)
{
    return words_of_kernel(line, words) ? "out of memory" : NULL;
}

static const char *split_command(const char *line, struct words *words)
{
    return words_of_command(line, false, words);
}

typedef const char *splitter(const char *, struct words *);

/* expected: the words with '|' behind each. */
static void expect(splitter *split, const char *line, const char *expected)
{
    struct words words;
    char got[256] = "";

    assert_null(split(line, &words));
    for (size_t i = 0; i < words.n; i++) {
        strncat(got, words.word[i], sizeof(got) - strlen(got) - 1);
        strncat(got, "|", sizeof(got) - strlen(got) - 1);
    }
    assert_string_equal(got, expected);
    assert_null(words.word[words.n]);
    words_free(&words);
    assert_null(words.word);
}

TEST(test_command_line_kernel_words)
{
    expect(split_kernel, "", "");
    expect(split_kernel, " \n\t", "");
    expect(split_kernel, "a", "a|");
    expect(split_kernel, "  a  b=c\n", "a|b=c|");
    expect(split_kernel, "ro -- all --quick", "ro|--|all|--quick|");
}

TEST(test_command_line_kernel_quotes_protect_spaces)
{
    expect(split_kernel, "x jitbench.run=\"all --quick\" y", "x|jitbench.run=all --quick|y|");
    /* As GRUB writes a word that has a space in it. */
    expect(split_kernel, "\"jitbench.run=all --quick\" y", "jitbench.run=all --quick|y|");
    expect(split_kernel, "\"a b\" \"c\"", "a b|c|");
    expect(split_kernel, "a=\"\" b=", "a=|b=|");
    expect(split_kernel, "\"\"", "|");
}

TEST(test_command_line_kernel_keeps_other_quotes)
{
    expect(split_kernel, "a\"b c\"d", "a\"b c\"d|");
    expect(split_kernel, "a=b\"c d\"", "a=b\"c d\"|");
    expect(split_kernel, "run=\"prime -m 'two words'\"", "run=prime -m 'two words'|");
    expect(split_kernel, "run='a b'", "run='a|b'|");
    expect(split_kernel, "a=\\\"b", "a=\\\"b|");
}

TEST(test_command_line_kernel_open_quote_goes_to_the_end)
{
    expect(split_kernel, "a=\"b c", "a=b c|");
    expect(split_kernel, "\"b c", "b c|");
    expect(split_kernel, "\"", "|");
    expect(split_kernel, "a=\"", "a=|");
}

TEST(test_command_line_command_words)
{
    expect(split_command, "", "");
    expect(split_command, "  all   --quick\t", "all|--quick|");
    expect(split_command, "prime -m 'two words' -i 1", "prime|-m|two words|-i|1|");
    expect(split_command, "prime -m \"it's\"", "prime|-m|it's|");
    expect(split_command, "a'b c'd\"e\"", "ab cde|");
    expect(split_command, "-m ''", "-m||");
    expect(split_command, "$(reboot) `x` a;b *", "$(reboot)|`x`|a;b|*|");
    expect(split_command, "a\\ b", "a\\|b|");
}

TEST(test_command_line_command_refuses_an_open_quote)
{
    struct words words;

    assert_string_equal(words_of_command("prime -m 'two", false, &words), "a quote is not closed");
    assert_null(words.word);
    assert_string_equal(words_of_command("\"", false, &words), "a quote is not closed");
    words_free(&words);
}

/* Whatever stands there: no byte beyond its room (the sanitizers look), no word that never ends. */
TEST(test_command_line_takes_anything)
{
    static const char bytes[] = "ab= \"'\n\\-\xff";
    uint32_t random = 1;
    char line[24];

    for (int round = 0; round < 20000; round++) {
        struct words words;
        size_t length = 0;
        for (random = random * 1664525u + 1013904223u; length < (random >> 8) % sizeof(line); length++)
            line[length] = bytes[(random >> (length % 24)) % (sizeof(bytes) - 1)];
        line[length] = '\0';
        assert_int_equal(words_of_kernel(line, &words), 0);
        for (size_t i = 0; i < words.n; i++)
            assert_true(strlen(words.word[i]) <= length);
        words_free(&words);
        (void)words_of_command(line, round & 1, &words);
        words_free(&words);
    }
}
