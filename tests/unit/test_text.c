/* SPDX-License-Identifier: MIT */
/* Near misses, text that grows, numbers and durations as a person reads them. */
#include <float.h>

#include "../test.h"
#include "rows/text.h"

/* Distances worked out by hand, and checked with a table-filling program in Python. */
TEST(test_text_distance_counts_edits)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"limit", "limit", 0},
        {"limt", "limit", 1},
        {"limiit", "limit", 1},
        {"lomit", "limit", 1},
        {"lmiit", "limit", 1},
        {"LIMIT", "limit", 0},
        {"kitten", "sitting", 3},
        /* 2 with unrestricted swaps: a swapped pair may not be edited again. */
        {"ca", "abc", 3},
        {"abcdef", "badcfe", 3},
        {"prime", "stream", 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(text_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(text_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

TEST(test_text_nearest_finds_what_was_meant)
{
    static const char *const names[] = {"limit", "samples", "series", "time", "nice"};
    assert_string_equal(text_nearest("limt", names, 5), "limit");
    assert_string_equal(text_nearest("smaples", names, 5), "samples");
    assert_string_equal(text_nearest("Time", names, 5), "time");
    /* One is the beginning of the other, in both directions. */
    assert_string_equal(text_nearest("sam", names, 5), "samples");
    assert_string_equal(text_nearest("timeout", names, 5), "time");
    /* Seven letters may differ in two. */
    assert_string_equal(text_nearest("sumplas", names, 5), "samples");
    assert_null(text_nearest("sumplot", names, 5));
}

TEST(test_text_nearest_finds_nothing_when_none_is_near)
{
    static const char *const names[] = {"limit", "", "x"};
    assert_null(text_nearest("qqqq", names, 3));
    assert_null(text_nearest("", names, 3));
    assert_null(text_nearest("y", names, 3));
    assert_null(text_nearest("limit", names, 0));
    assert_null(text_nearest("limit", NULL, 0));
}

TEST(test_text_failure_stays)
{
    struct text t = {0};
    text_append(&t, "kept", 4);
    text_append(&t, "x", SIZE_MAX - 2);
    assert_int_equal(t.failed, 1);
    text_append(&t, "y", 1);
    text_printf(&t, "%d", 1);
    assert_int_equal(t.failed, 1);
    assert_string_equal(t.data, "kept");
    text_free(&t);
    assert_int_equal(t.failed, 0);
}

TEST(test_text_duration_rounds_to_three_digits)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {1234, "1.23 us"},
        {1235, "1.24 us"},
        {1004, "1 us"},
        {9996, "10 us"},
        {12340, "12.3 us"},
        {99960, "100 us"},
        {123456, "123 us"},
        /* Rounding that reaches the next unit takes it. */
        {999500, "1 ms"},
        {999499, "999 us"},
        {59960000000, "1 min"},
        {UINT64_C(1234) * 3600000000000, "1230 h"},
        /* 2^64 - 1 ns are 5124095.6 h. */
        {UINT64_MAX, "5120000 h"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[32];
        text_duration(cases[i].ns, buf, sizeof(buf));
        assert_string_equal(buf, cases[i].text);
    }
}

TEST(test_text_bytes_takes_the_largest_unit)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {1536, "1.5 KiB"},
        {UINT64_C(384) << 20, "384 MiB"},
        /* 1023.6 KiB rounds to 1024 KiB. */
        {1048166, "1 MiB"},
        {1047900, "1023 KiB"},
        {UINT64_C(24) << 30, "24 GiB"},
        {UINT64_C(1) << 40, "1 TiB"},
        {UINT64_C(5) << 49, "2.5 PiB"},
        {UINT64_MAX, "16 EiB"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[32];
        text_bytes(cases[i].bytes, buf, sizeof(buf));
        assert_string_equal(buf, cases[i].text);
    }
}

TEST(test_text_real_is_as_printf_has_it)
{
    static const double values[] = {0,    -0.0, 1,     -1,      10,       123456789012345,  999999999999999, 1e15,
                                    1e16, 1e17, -1e15, 1.5e-10, 0.1,      DBL_MAX,          -DBL_MIN,        5e-324,
                                    1.5,  2e5,  -7e9,  1e-1,    1234567., 9007199254740992, -999999999999999};

    for (size_t i = 0; i < COUNT(values); i++) {
        struct text t = {0};
        char expected[64];
        snprintf(expected, sizeof expected, "%.17g", values[i]);
        text_real(&t, values[i]);
        assert_string_equal(t.data, expected);
        text_free(&t);
    }
    struct text none = {0};
    text_real(&none, NAN);
    text_real(&none, INFINITY);
    assert_int_equal(none.length, 0);
}

TEST(test_text_short_decimal_is_strtods_number)
{
    uint64_t random = 3;
    char text[40], *end;

    for (int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t digits = random >> 14;
        int length = snprintf(text, sizeof text, "%s%llu", random % 3 ? "" : "-", (unsigned long long)digits);
        text[1 + random % (unsigned)(length - 1) + 1] = '\0';
        size_t whole = strlen(text), point = 2 + (random >> 7) % whole;
        if (point < whole)
            text[point] = '.';
        const char *at = text;
        double value;
        if (text_short_decimal(&at, &value)) {
            double expected = strtod(text, &end);
            assert_memory_equal(&value, &expected, sizeof value);
            assert_ptr_equal(at, end);
        } else {
            assert_ptr_equal(at, text);
            assert_true(strlen(text) > 15 || (FLT_EVAL_METHOD != 0 && strchr(text, '.')));
        }
    }
}

TEST(test_text_short_decimal_leaves_the_rest)
{
    static const char *const not_short[] = {"",
                                            "-",
                                            ".",
                                            "+1",
                                            "x",
                                            ".5",
                                            "1e5",
                                            "1.5E2",
                                            "-x",
                                            "1.e",
                                            "- 1",
                                            " 1",
                                            "nan",
                                            "inf",
                                            "1234567890123456",
                                            "0.1234567890123456",
                                            "123456789.12345678"};
    static const struct {
        const char *text, *rest;
        double value;
    } ends[] = {{"12;3", ";3", 12}, {"1.5:2", ":2", 1.5}, {"-0", "", -0.0},
                {"7.", "", 7},      {"0x10", "x10", 0},   {"1.2.3", ".3", 1.2}};

    for (size_t i = 0; i < COUNT(not_short); i++) {
        const char *at = not_short[i];
        double value = 42;
        assert_false(text_short_decimal(&at, &value));
        assert_ptr_equal(at, not_short[i]);
        assert_true(value == 42);
    }
    for (size_t i = 0; i < COUNT(ends); i++) {
        const char *at = ends[i].text;
        double value;
        /* Where doubles are computed in a wider format, numbers with a fraction are parsed by strtod(). */
        if (FLT_EVAL_METHOD != 0 && ends[i].value != trunc(ends[i].value)) {
            assert_false(text_short_decimal(&at, &value));
            continue;
        }
        assert_true(text_short_decimal(&at, &value));
        assert_string_equal(at, ends[i].rest);
        assert_memory_equal(&value, &ends[i].value, sizeof value);
    }
}

TEST(test_text_sanitize_leaves_no_control_characters)
{
    static const struct {
        const char *from, *to;
    } texts[] = {
        {"", ""},
        {"plain (2) \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "plain (2) \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x1b[31m\n\t\x7f", "?[31m???"},
        {"a\xc2\x9b"
         "b",
         "a??b"},                          /* C1: what some terminals take for ESC [ */
        {"\x9b\xff\xc3", "???"},           /* no UTF-8, and half of a character */
        {"\xc0\x9b\xe0\x82\x9b", "?????"}, /* longer forms of them */
        {"\xc2\xa0", "\xc2\xa0"},
        /* characters that change the direction of text, and their neighbours */
        {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "????????????????????"},
        {"\xd8\x9b\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
         "\xd8\x9b\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
        {"\xf4\x90\x80\x80", "????"},
        {"\xed\xa0\x80\xed\x9f\xbf", "???\xed\x9f\xbf"}, /* half of a pair of UTF-16 */
    };
    char text[64];

    for (size_t i = 0; i < COUNT(texts); i++) {
        text_copy(text, sizeof(text), texts[i].from);
        text_sanitize(text);
        assert_string_equal(text, texts[i].to);
    }
}

TEST(test_text_sanitize_name_damages_no_list)
{
    static const char *const names[][2] = {
        {"=1+2", "_1+2"},
        {"+a", "_a"},
        {"-a-b", "_a-b"},
        {"@a", "_a"},
        {"", ""},
        {"a b;c=d,e\"f\x1b", "a_b_c_d_e_f?"},
        {"kworker/0:1", "kworker/0:1"},
    };
    char text[64];

    for (size_t i = 0; i < COUNT(names); i++) {
        text_copy(text, sizeof(text), names[i][0]);
        text_sanitize_name(text);
        assert_string_equal(text, names[i][1]);
    }
}

TEST(test_text_wraps_between_words)
{
    struct text out = {0};

    text_wrap(&out,
              "a b\xc3\xa4"
              "d incomprehensibility",
              2, 7);
    assert_string_equal(out.data, "a b\xc3\xa4"
                                  "d\n  incom\n  prehe\n  nsibi\n  lity\n");
    text_free(&out);
    text_wrap(&out, "", 2, 7);
    assert_int_equal(out.length, 0);
}
