/* SPDX-License-Identifier: MIT */
/* The form of the columns settings and scratch_disk, written and read back. */

#include "../test.h"
#include "sys/machine.h"

static void expect_next(struct setting_items *items, const char *name, const char *value)
{
    assert_true(setting_items_next(items));
    assert_string_equal(items->name, name);
    assert_string_equal(items->value, value);
}

TEST(test_setting_items_hold_no_comma_blank_or_quote)
{
    char text[200] = "";

    setting_items_add(text, sizeof(text), "a", "x, y;z  \"q\": \x1b\xc3", 100);
    setting_items_add(text, sizeof(text), "b", "x,\t y\t!~\x7f ", 100);
    setting_items_add(text, sizeof(text), "none", "", 100);
    setting_items_add(text, sizeof(text), "x=1;smt=on\x1b", "y", 100);
    setting_items_add(text, sizeof(text), "cmdline", "quiet isolcpus=2,3", 100);
    assert_string_equal(text, "a=x+y+z__'q':_?;b=x+y_!~?_;x_1+smt_on_=y;cmdline=quiet|isolcpus=2+3");
}

TEST(test_setting_items_are_whole_or_left_out)
{
    char text[12] = "";

    setting_items_add(text, sizeof(text), "a", "1234", 100);
    setting_items_add(text, sizeof(text), "b", "1234", 100);
    setting_items_add(text, sizeof(text), "c", "12", 100);
    assert_string_equal(text, "a=1234;c=12");
    text[0] = '\0';
    setting_items_add(text, 11, "a", "1234", 100);
    setting_items_add(text, 11, "c", "12", 100); /* leaves no room for the NUL */
    assert_string_equal(text, "a=1234");
}

/* Values that differ only behind the cut still differ. */
TEST(test_setting_items_long_values_end_in_a_checksum)
{
    char a[100] = "", b[100] = "", again[100] = "";
    struct setting_items items;

    setting_items_add(a, sizeof(a), "n", "0123456789 123456789", 20); /* just not cut */
    assert_string_equal(a, "n=0123456789_123456789");
    a[0] = '\0';
    setting_items_add(a, sizeof(a), "n", "0123456789 0123456789 a", 20);
    setting_items_add(b, sizeof(b), "n", "0123456789 0123456789 b", 20);
    assert_string_equal(a, "n=0123456789_~e1a476e8"); /* FNV-1a of 0123456789_0123456789_a */
    assert_memory_equal(a, b, 14);
    assert_string_not_equal(a, b);
    setting_items_begin(&items, a, true);
    assert_true(setting_items_next(&items));
    setting_items_add(again, sizeof(again), items.name, items.value, 20);
    assert_string_equal(again, a);
}

TEST(test_setting_items_of_earlier_versions)
{
    struct setting_items items;

    setting_items_begin(&items,
                        "aslr=2 (stack, mappings, heap);thp=enabled madvise, defrag never;;=x;y;z=;"
                        "cmdline=mitigations=auto,x quiet",
                        true);
    expect_next(&items, "aslr", "2_(stack+mappings+heap)");
    expect_next(&items, "thp", "madvise");
    expect_next(&items, "thp_defrag", "never");
    expect_next(&items, "cmdline", "mitigations=auto+x|quiet");
    assert_false(setting_items_next(&items));
    assert_false(setting_items_next(&items));
}

TEST(test_setting_items_without_a_command_line)
{
    struct setting_items items;

    setting_items_begin(&items, "smt=off", true);
    expect_next(&items, "smt", "off");
    expect_next(&items, "cmdline", "(nothing that matters)");
    assert_false(setting_items_next(&items));
    setting_items_begin(&items, "mount=rw", false);
    expect_next(&items, "scratch_mount", "rw");
    assert_false(setting_items_next(&items));
    setting_items_begin(&items, "", true); /* nothing is recorded at all */
    assert_false(setting_items_next(&items));
}

TEST(test_setting_items_hostile_texts)
{
    char text[2000];
    struct setting_items items;
    size_t n = 0;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    setting_items_begin(&items, text, true); /* no name */
    expect_next(&items, "cmdline", "(nothing that matters)");
    text[SETTING_NAME - 1] = '=';
    setting_items_begin(&items, text, true);
    assert_true(setting_items_next(&items));
    assert_int_equal(strlen(items.name), SETTING_NAME - 1);
    assert_int_equal(strlen(items.value), SETTING_VALUE - 1);
    text[SETTING_NAME - 1] = 'x';
    text[SETTING_NAME] = '='; /* too long a name */
    setting_items_begin(&items, text, false);
    assert_false(setting_items_next(&items));
    for (const char *at = "thp=enabled ;thp=enabled ,;thp=enabled x,;defrag ;thp=enabled a,b,c=1;"; n < 1; n++) {
        setting_items_begin(&items, at, false);
        while (setting_items_next(&items))
            assert_true(items.name[0] && items.value[0]);
    }
}
