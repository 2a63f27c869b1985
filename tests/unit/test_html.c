/* SPDX-License-Identifier: MIT */
/* Unit tests of what HTML pages have in common. */
#include <string.h>

#include "../test.h"
#include "report/report.h"

#define BAD "\xef\xbf\xbd"

static void expect(const char *s, size_t length, const char *escaped)
{
    struct text out = {0};
    html_escape(&out, s, length);
    assert_false(out.failed);
    assert_string_equal(out.data ? out.data : "", escaped);
    text_free(&out);
}

TEST(test_html_put_escapes_texts_and_no_markup)
{
    struct text out = {0};

    html_put(&out, "<b class=\"n%zu\">%s</b> 95 %% <i>%s", (size_t)12, "a<b", "&");
    assert_string_equal(out.data, "<b class=\"n12\">a&lt;b</b> 95 % <i>&amp;");
    text_free(&out);
    html_put(&out, "%.2s|%.*s|%c: %.1f %%, %+.1f, %.0f%s", "<bc", 1, "ab", 'A', 1.25, 0.5, 2.0, "");
    assert_string_equal(out.data, "&lt;b|a|A: 1.2 %, +0.5, 2");
    text_free(&out);
}

TEST(test_html_escapes_markup)
{
    expect("<script>alert('&\"')</script>", 28, "&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;");
    expect("", 0, "");
    expect("a\tb\nc", 5, "a\tb\nc");
}

TEST(test_html_keeps_utf8_and_replaces_what_is_none)
{
    expect("\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80", 12, "\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80");
    expect("a\x01\x1b\x7f\xff", 5, "a" BAD BAD BAD BAD);
    expect("a\0b", 3, "a" BAD "b");
    expect("\xe2\x80", 2, BAD BAD);         /* cut off */
    expect("\xc0\xbc", 2, BAD BAD);         /* '<' in two bytes */
    expect("\xed\xa0\x80", 3, BAD BAD BAD); /* half of a surrogate pair */
    expect("\xe2<b", 3, BAD "&lt;b");
}

TEST(test_html_page_has_no_script_and_forbids_it)
{
    struct text out = {0};
    html_begin(&out, "</title><script>x</script>");
    html_end(&out);
    assert_null(strstr(out.data, "<script"));
    assert_non_null(strstr(out.data, "default-src 'none'"));
    assert_null(strstr(out.data, "http://"));
    assert_null(strstr(out.data, "https://"));
    assert_non_null(strstr(out.data, "prefers-color-scheme:dark"));
    assert_non_null(strstr(out.data, "@media print"));
    assert_non_null(strstr(out.data, "</html>"));
    text_free(&out);
}
