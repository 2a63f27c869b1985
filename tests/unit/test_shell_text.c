/* SPDX-License-Identifier: MIT */
/* The made-up text of the shell tests, counted by other means than those that made it. */

#include <ctype.h>

#include "../test.h"
#include "bench/unix.h"

static char text[SHELL_TEXT_BYTES + 1];

static int make_text(void **state)
{
    memset(text, 'X', sizeof(text));
    shell_text(text);
    return 0;
}

TEST(test_shell_text_has_the_lines_words_and_bytes)
{
    int lines = 0, words = 0;
    bool in_word = false;

    assert_int_equal(strlen(text), 8546);
    for (const char *at = text; *at; at++) {
        lines += *at == '\n';
        words += !isspace((unsigned char)*at) && !in_word;
        in_word = !isspace((unsigned char)*at);
        assert_true(*at == '\n' || *at == ' ' || (*at >= 'a' && *at <= 'z'));
    }
    assert_int_equal(lines, 362);
    assert_int_equal(words, 1200);
    assert_int_equal(text[8545], '\n');
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

TEST(test_shell_text_lines_have_the_lengths)
{
    int lengths[362], n = 0;

    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        assert_true(n < 362);
        lengths[n++] = (int)strcspn(at, "\n");
        assert_int_not_equal(at[0], ' ');
        assert_int_not_equal(at[lengths[n - 1] - 1], ' ');
    }
    assert_int_equal(n, 362);
    qsort(lengths, 362, sizeof(lengths[0]), by_value);
    assert_int_equal(lengths[0], 1);
    assert_int_equal(lengths[361], 82);
    assert_int_equal(lengths[180], 18);
    assert_int_equal(lengths[181], 18);
}

TEST(test_shell_text_holds_the_in_35_lines_as_a_word)
{
    int lines = 0, found = 0;

    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        char one[128];
        size_t length = strcspn(line, "\n");
        memcpy(one, line, length);
        one[length] = 0;
        lines += strstr(one, "the") != NULL;
    }
    for (const char *at = text; (at = strstr(at, "the")); at += 3) {
        found++;
        assert_true(at == text || isspace((unsigned char)at[-1]));
        assert_true(isspace((unsigned char)at[3]));
    }
    assert_int_equal(lines, 35);
    assert_int_equal(found, 35);
}

/* A sort has something to do, and the next run the same. */
TEST(test_shell_text_is_unsorted_and_always_the_same)
{
    char again[SHELL_TEXT_BYTES + 1];
    int falls = 0;

    for (const char *line = text, *next; (next = strchr(line, '\n')) && next[1]; line = next + 1)
        falls += strncmp(line, next + 1, 4) > 0;
    assert_true(falls > 100);
    shell_text(again);
    assert_memory_equal(text, again, sizeof(text));
}

/* Published results are of this text. */
TEST(test_shell_text_is_that_of_all_versions)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, 64 bits */

    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    if (hash != UINT64_C(0x4f3618be81b07865))
        fail_msg("the text has the hash %016llx", (unsigned long long)hash);
}

TEST(test_shell_text_matches_counts_as_wc_does)
{
    struct shell_text_count count;

    shell_text_matches("the\nno\n  other  words \nth\ne", &count);
    assert_int_equal(count.lines, 2);
    assert_int_equal(count.words, 3);
    assert_int_equal(count.bytes, 4 + 16);
    shell_text_matches("", &count);
    assert_int_equal(count.lines, 0);
    assert_int_equal(count.words, 0);
    assert_int_equal(count.bytes, 0);
    shell_text_matches("no\nthe end\n", &count);
    assert_int_equal(count.lines, 1);
    assert_int_equal(count.words, 2);
    assert_int_equal(count.bytes, 8);
    /* LC_ALL=C grep the | wc, on the text written to a file */
    shell_text_matches(text, &count);
    assert_int_equal(count.lines, 35);
    assert_int_equal(count.words, 161);
    assert_int_equal(count.bytes, 1265);
}

GROUP(make_text, NULL);
