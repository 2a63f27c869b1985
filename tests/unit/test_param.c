/* SPDX-License-Identifier: MIT */
/* Parameters of a row: added, read back, found by key, kind and word. */

#include "../test.h"
#include "row_fixture.h"

static struct row_params read_back(const char *text)
{
    struct row_params params = {.n = 0};

    text_copy(params.text, sizeof(params.text), text);
    row_params_read(&params);
    return params;
}

static void assert_value(const struct row_params *params, const char *key, const char *value)
{
    assert_string_equal(ROW_PARAM(params, key), value);
    assert_true(row_param_is(params, key, value));
    assert_false(row_param_is(params, key, "another"));
}

static void assert_kind(const char *text, enum row_param_kind kind)
{
    const struct row_params params = read_back(text);

    assert_int_equal(params.n, 1);
    assert_int_equal(params.of[0].kind, kind);
}

TEST(test_param_by_key)
{
    const struct row_params params = read_back("maxlimit=1 limit=22  experiments= last=x=y late=2.5us word");

    assert_int_equal(params.n, 6);
    assert_value(&params, "limit", "22");
    assert_value(&params, "experiments", "");
    assert_value(&params, "last", "x=y");
    assert_string_equal(ROW_PARAM(&params, "lim"), "");
    assert_string_equal(ROW_PARAM(&params, "word"), "");
    assert_true(row_param_number(&params, "limit") == 22 && row_param_number(&params, "late") == 2.5);
    assert_true(isnan(row_param_number(&params, "lim")));
    assert_false(row_param_is(&params, "limit", "2") || row_param_is(&params, "limit", "222") ||
                 row_param_is(&params, "limit", "23") || row_param_is(&params, "word", ""));
    assert_int_equal(read_back(" a=1  ").n, 1);
    assert_int_equal(read_back("  ").n, 0);
}

TEST(test_param_kinds_follow_from_keys)
{
    assert_kind("load=other", PARAM_PLACEMENT);
    assert_kind("clock=rdtsc", PARAM_CPU);
    assert_kind("relation=same-core", PARAM_CPU);
    assert_kind("resident=4K", PARAM_BUILD);
    assert_kind("load_written=3", PARAM_OUTCOME);
    assert_kind("loops_per_ms=9", PARAM_OUTCOME);
    assert_kind("loads=5", PARAM_WORK);
    assert_kind("lo=5", PARAM_WORK);
    assert_kind("=5", PARAM_WORK);
    assert_kind("load_interval_us=5", PARAM_WORK); /* a parameter of a load's own */
    assert_kind("command=x load=5", PARAM_COMMAND);
    assert_kind("{n}=5", PARAM_COMMAND);
    assert_kind("n}=5", PARAM_WORK);
    assert_kind("load", PARAM_WORK); /* a word that is no key */
    assert_kind("{n}", PARAM_WORK);
    assert_kind("command", PARAM_WORK);
}

TEST(test_param_added_is_the_same_as_read)
{
    struct row_params params = {.n = 0};

    row_param_add(&params, PARAM_WORK, "limit", "%d", 22);
    row_param_add(&params, PARAM_BUILD, "flags", "-O3,-g");
    row_param_add(&params, PARAM_COMMAND, "prepare", "'a, b'");
    row_param_add(&params, PARAM_COMMAND, "command", "%s", "cc -Wl,-z x");
    row_param_add(&params, PARAM_PLACEMENT, "control", "fifo:%d", 98);
    assert_string_equal(params.text, "limit=22 flags=-O3;-g prepare='a, b' command=cc -Wl,-z x control=fifo:98");
    const struct row_params back = read_back(params.text);
    assert_int_equal(params.n, 4); /* what follows a command line belongs to it */
    assert_int_equal(back.n, params.n);
    assert_memory_equal(back.of, params.of, params.n * sizeof(params.of[0]));
    assert_string_equal(row_command_line(&params), "cc -Wl,-z x control=fifo:98");
}

TEST(test_param_commas_of_older_files_are_semicolons)
{
    assert_string_equal(read_back("flags=-O3,-g layout=a,b command=cc -Wl,-z x").text,
                        "flags=-O3;-g layout=a;b command=cc -Wl,-z x");
}

/* With so many bytes left there is room for a blank and the first byte of a parameter, or for none of it. */
TEST(test_param_without_room_is_whole)
{
    for (int left = 0; left < 4; left++) {
        struct row_params params = {.n = 0};
        row_param_add(&params, PARAM_WORK, "a", "%0*d", ROW_PARAM_SIZE - 3 - left, 0);
        assert_int_equal(strlen(params.text), ROW_PARAM_SIZE - 1 - left);
        row_param_add(&params, PARAM_CPU, "b", "2");
        assert_int_equal(params.n, left < 2 ? 1 : 2);
        assert_int_equal(strlen(params.text), ROW_PARAM_SIZE - 1 - (left < 2 ? left : 0));
        assert_int_equal(params.of[0].length, ROW_PARAM_SIZE - 1 - left);
        assert_int_equal(params.of[1].length, left < 2 ? 0 : left - 1);
    }
}

/* A quote that is not closed does not hide the command line behind it. */
TEST(test_param_with_an_open_quote_ends_at_the_blank)
{
    const struct row_params params = read_back("input='a command=sleep 1");

    assert_int_equal(params.n, 2);
    assert_string_equal(row_command_line(&params), "sleep 1");
    const struct row_params alone = read_back("command='a b");
    assert_string_equal(row_command_line(&alone), "'a b");
}

/* Words beyond the last that has a place of its own are part of it. */
TEST(test_param_of_damaged_files_are_all_there)
{
    char text[ROW_PARAM_SIZE] = "";
    struct row_word word = {0};
    size_t words = 0;

    for (int i = 0; i < 2 * ROW_PARAMS_MAX; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), " pages=%c,", 'a' + i % 26);
    const struct row_params params = read_back(text);
    assert_int_equal(params.n, ROW_PARAMS_MAX);
    assert_int_equal(params.of[0].kind, PARAM_OUTCOME);
    assert_int_equal(params.of[ROW_PARAMS_MAX - 1].kind, PARAM_WORK);
    assert_null(strchr(params.text, ','));
    while (row_next_word(&params, &word)) {
        assert_memory_equal(word.text, "pages=", 6);
        assert_int_equal(word.length, 8);
        words++;
    }
    assert_int_equal(words, 2 * ROW_PARAMS_MAX);
}

TEST(test_param_words_of_a_command_are_one_by_one)
{
    static const char *const words[] = {"clock=rdtsc", "input=x", "command=./sim", "clock=5", "'a", "b'"};
    const struct row_params params = read_back("clock=rdtsc  input=x command=./sim clock=5 'a  b'"), none = {.n = 0};
    struct row_word word = {0};

    for (size_t i = 0; i < COUNT(words); i++) {
        assert_true(row_next_word(&params, &word));
        assert_int_equal(word.length, strlen(words[i]));
        assert_memory_equal(word.text, words[i], word.length);
        assert_int_equal(word.of->kind, i ? PARAM_COMMAND : PARAM_CPU);
    }
    assert_false(row_next_word(&params, &word));
    word = (struct row_word){0};
    assert_false(row_next_word(&none, &word));
    assert_int_equal(read_back("prepare=make flags=x command=a").of[1].kind, PARAM_COMMAND);
}

static void assert_command_line(const char *text, const char *line)
{
    const struct row_params params = read_back(text);
    const char *found = row_command_line(&params);

    if (line)
        assert_string_equal(found, line);
    else
        assert_null(found);
}

TEST(test_param_command_behind_quoted_words)
{
    assert_command_line("warmup=1 command=./sim a command=b", "./sim a command=b");
    assert_command_line("input='a command=no' prepare=$'\\'command=no \\'' command=yes", "yes");
    assert_command_line("prepare='it'\\'' command=no' command=yes 'x", "yes 'x");
    assert_command_line("prepare=sync\\ x command=yes", "yes");
    assert_command_line("prepare='command=no", NULL);
    assert_command_line("prepare='x", NULL);
    assert_command_line("prepare=x\\", NULL);
    assert_command_line("prepare=$'x\\", NULL);
    assert_command_line("prepare=$'x\\' command=no' command=yes", "yes");
    assert_command_line("prepare=$x' command=no' command=yes", "yes");
    assert_command_line("limit=22 recommand=no", NULL);
    assert_command_line("", NULL);
    const struct row_params params = read_back("a=1 input=x command=y");
    assert_string_equal(row_command(&params), "input=x command=y");
    const struct row_params none = read_back("a=1");
    assert_null(row_command(&none));
}

/* What stands for "{NAME}", each name once: two brackets around a byte at least, and 31 bytes at most. */
TEST(test_param_varied_names)
{
    char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE] = {"{b}"};
    struct row_params params = read_back("n=1 {a}=1 {}=2 {b}=3 {c=4 d}=5 {a}=6 {e}");

    assert_int_equal(row_params_varied(&params, keys, 1), 3);
    assert_string_equal(keys[0], "{b}");
    assert_string_equal(keys[1], "{a}");
    assert_string_equal(keys[2], "{e}");
    params = read_back("{1234567890123456789012345678901}=1 {12345678901234567890123456789012}=2 prepare=x");
    assert_int_equal(row_params_varied(&params, keys, 0), 1);
    assert_string_equal(keys[0], "{1234567890123456789012345678901}");
    params = read_back("{a}=1 {b}=2 {c}=3 {d}=4 {e}=5");
    assert_int_equal(row_params_varied(&params, keys, 0), 4);
    assert_string_equal(keys[3], "{d}");
    assert_int_equal(row_params_varied(&params, keys, 4), 4);
}
