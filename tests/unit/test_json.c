/* SPDX-License-Identifier: MIT */
/* Values as JSON: what must be escaped is, and what is no number is null. */
#include <float.h>

#include "../test.h"
#include "out/out.h"

static void expect_text(const char *s, const char *expected)
{
    struct text out = {0};

    json_text(&out, s);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

TEST(test_json_escapes_text)
{
    expect_text("", "\"\"");
    expect_text("plain", "\"plain\"");
    expect_text("\"\\\"", "\"\\\"\\\\\\\"\"");
    expect_text("a\nb\r\t\x01\x1f\x7f", "\"a\\u000ab\\u000d\\u0009\\u0001\\u001f\x7f\"");
    expect_text("\xc3\xa9\xf0\x9d\x84\x9e/", "\"\xc3\xa9\xf0\x9d\x84\x9e/\"");
}

TEST(test_json_replaces_what_is_no_utf8)
{
    expect_text("a\xff"
                "b",
                "\"a\xef\xbf\xbd"
                "b\"");
    expect_text("\xc3", "\"\xef\xbf\xbd\"");
    expect_text("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_text("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void expect_number(double value, const char *expected)
{
    struct text out = {0};

    json_number(&out, value);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

TEST(test_json_numbers)
{
    expect_number(0, "0");
    expect_number(-12, "-12");
    expect_number(0.1, "0.10000000000000001");
    expect_number(1e300, "1.0000000000000001e+300");
    expect_number(NAN, "null");
    expect_number(INFINITY, "null");
    expect_number(-INFINITY, "null");
}
