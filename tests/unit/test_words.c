/* SPDX-License-Identifier: MIT */
/* Command lines as words: split, quoted, shortened. */

#include "../test.h"
#include "cmd/cmd.h"

/* The words of the line are those, '|' between. */
static void assert_split(const char *line, const char *expected)
{
    struct text got = {0};
    struct words words;

    assert_null(words_of_command(line, true, &words));
    assert_null(words.word[words.n]);
    for (size_t i = 0; i < words.n; i++)
        text_printf(&got, "%s%s", i ? "|" : "", words.word[i]);
    assert_string_equal(got.data ? got.data : "", expected);
    text_free(&got);
    words_free(&words);
}

static void assert_not_split(const char *line, const char *expected)
{
    struct words words;

    assert_string_equal(words_of_command(line, true, &words), expected);
    assert_null(words.word);
}

TEST(test_words_split_at_blanks)
{
    assert_split("", "");
    assert_split(" \t\n ", "");
    assert_split("a", "a");
    assert_split("  make  -j2\tclean\n", "make|-j2|clean");
}

TEST(test_words_split_keeps_what_is_quoted_together)
{
    assert_split("sh -c 'echo a  b' x", "sh|-c|echo a  b|x");
    assert_split("a\"b c\"d'e f'g", "ab cde fg");
    assert_split("'' \"\" a", "||a");
    assert_split("\"it's\" '\"'", "it's|\"");
    assert_split("a\\ b \\'c \"d\\\"e\" 'f\\g'", "a b|'c|d\"e|f\\g");
    /* Nothing else has a meaning. */
    assert_split("a;b $HOME *|c >x", "a;b|$HOME|*|c|>x");
}

TEST(test_words_split_says_what_is_wrong)
{
    assert_not_split("a 'b c", "a quote is not closed");
    assert_not_split("\"", "a quote is not closed");
    assert_not_split("a \\", "ends with a backslash");
    assert_not_split("\"a\\", "ends with a backslash");
}

static void assert_quoted(const char *word, const char *expected)
{
    char *words[] = {(char *)"a", (char *)word};
    struct text got = {0};

    words_quote(words, 2, &got);
    assert_int_equal(strncmp(got.data, "a ", 2), 0);
    assert_string_equal(got.data + 2, expected);
    text_free(&got);
}

TEST(test_words_quote_as_a_shell_takes_them_back)
{
    assert_quoted("b", "b");
    assert_quoted("--x=1,2:/./y_z+@%", "--x=1,2:/./y_z+@%");
    assert_quoted("", "''");
    assert_quoted("b c", "'b c'");
    assert_quoted("$x", "'$x'");
    assert_quoted("it's", "'it'\\''s'");
    assert_quoted("gr\xc3\xb6\xc3\x9f", "gr\xc3\xb6\xc3\x9f");
    assert_quoted("a\nb\t\x1b'\\", "$'a\\nb\\t\\x1b\\'\\\\'");
}

TEST(test_words_shorten_tells_long_lines_apart)
{
    char one[32], other[32], line[64];

    memset(line, 'x', sizeof(line));
    line[31] = 0;
    words_shorten(line, one, sizeof(one));
    assert_string_equal(one, line);
    line[31] = 'x';
    line[40] = 0;
    words_shorten(line, one, sizeof(one));
    assert_int_equal(strlen(one), 31);
    assert_memory_equal(one, "xxxxxxxxxxxxxxxxxxx...#", 23);
    line[39] = 'y';
    words_shorten(line, other, sizeof(other));
    assert_string_not_equal(one, other);
    assert_memory_equal(one, other, 23);
}

TEST(test_words_shorten_keeps_characters_whole)
{
    char got[16];

    /* Three bytes are kept, of which the last would be half of one. */
    words_shorten("ab\xc3\xb6 and more than that", got, sizeof(got));
    assert_memory_equal(got, "ab...#", 6);
    assert_int_equal(strlen(got), 14);
    words_shorten("abcd and more than that", got, sizeof(got));
    assert_memory_equal(got, "abc...#", 7);
}
