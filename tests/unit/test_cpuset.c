/* SPDX-License-Identifier: MIT */
/* CPU lists: expected sets are worked out by hand. */

#include "../test.h"
#include "sys/cpu.h"

static void assert_parses(const char *text, const char *shortest)
{
    struct cpuset set;
    struct error why;
    char buf[256];
    if (cpuset_parse(text, &set, &why) != 0)
        fail_msg("'%s': %s", text, why.text);
    assert_int_equal(cpuset_format(&set, buf, sizeof buf), strlen(shortest));
    assert_string_equal(buf, shortest);
}

static void assert_rejects(const char *text, const char *reason)
{
    struct cpuset set;
    struct error why;
    cpuset_clear(&set);
    cpuset_add(&set, 77);
    assert_int_equal(cpuset_parse(text, &set, &why), -1);
    assert_string_equal(why.text, reason);
    assert_true(cpuset_has(&set, 77));
    assert_int_equal(cpuset_count(&set), 1);
}

TEST(test_cpuset_parses_lists_and_ranges)
{
    assert_parses("0", "0");
    assert_parses("0,2-5", "0,2-5");
    assert_parses("5,4,3,0", "0,3-5");
    assert_parses("7-7", "7");
    assert_parses("0-1\n", "0-1");
    assert_parses("3 \t\r\n", "3");
    assert_parses("0007", "7");
    assert_parses("63,64", "63-64");
    assert_parses("8191", "8191");
    assert_parses("0-8191", "0-8191");
}

TEST(test_cpuset_parses_strides)
{
    assert_parses("0,2-5,8-14:2", "0,2-5,8,10,12,14");
    assert_parses("8-13:2", "8,10,12");
    assert_parses("0-3:1", "0-3");
    assert_parses("0-3:8192", "0");
    assert_parses("0-15:2/4", "0-1,4-5,8-9,12-13");
    assert_parses("0-9:3/4", "0-2,4-6,8-9");
    assert_parses("0-5:2/2", "0-5");
}

TEST(test_cpuset_rejects_empty_list)
{
    assert_rejects("", "the list is empty");
    assert_rejects("\n", "the list is empty");
    assert_rejects("  ", "the list is empty");
}

TEST(test_cpuset_rejects_bad_strides)
{
    assert_rejects("0-3:0", "a stride of 0 ends at character 6");
    assert_rejects("0-3:0/2", "a stride of 0 ends at character 8");
    assert_rejects("0-3:3/2", "a group smaller than its used part ends at character 8");
    assert_rejects("3:2", "unexpected text at character 2");
}

TEST(test_cpuset_rejects_junk)
{
    assert_rejects("0,", "a number is expected at character 3");
    assert_rejects(",0", "a number is expected at character 1");
    assert_rejects("0-", "a number is expected at character 3");
    assert_rejects("-1", "a number is expected at character 1");
    assert_rejects(" 0", "a number is expected at character 1");
    assert_rejects("0, 1", "a number is expected at character 3");
    assert_rejects("0,a", "a number is expected at character 3");
    assert_rejects("0 1", "unexpected text at character 2");
    assert_rejects("+1", "a number is expected at character 1");
    assert_rejects("0x3", "unexpected text at character 2");
    assert_rejects("\x80\xff", "a number is expected at character 1");
    assert_rejects("all", "a number is expected at character 1");
}

TEST(test_cpuset_format_answers_the_whole_length)
{
    struct cpuset set;
    char buf[8] = "unset..";
    struct error why;
    assert_int_equal(cpuset_parse("0,2-5,100", &set, &why), 0);
    assert_int_equal(cpuset_format(&set, NULL, 0), 9);
    assert_int_equal(cpuset_format(&set, buf, 1), 9);
    assert_string_equal(buf, "");
    assert_int_equal(cpuset_format(&set, buf, sizeof buf), 9);
    assert_string_equal(buf, "0,2-5,1");
}

TEST(test_cpuset_next_walks_all_members)
{
    struct cpuset set;
    cpuset_clear(&set);
    assert_int_equal(cpuset_next(&set, 0), CPUSET_NONE);
    cpuset_add(&set, 3);
    cpuset_add(&set, 64);
    cpuset_add(&set, 8191);
    assert_int_equal(cpuset_next(&set, 0), 3);
    assert_int_equal(cpuset_next(&set, 3), 3);
    assert_int_equal(cpuset_next(&set, 4), 64);
    assert_int_equal(cpuset_next(&set, 65), 8191);
    assert_int_equal(cpuset_next(&set, 8192), CPUSET_NONE);
    cpuset_remove(&set, 8191);
    assert_int_equal(cpuset_next(&set, 65), CPUSET_NONE);
}

TEST(test_cpuset_algebra)
{
    struct cpuset a, b, c;
    char buf[32];
    struct error why;
    assert_int_equal(cpuset_parse("0-3", &a, &why), 0);
    assert_int_equal(cpuset_parse("2-5", &b, &why), 0);
    c = a;
    cpuset_union(&c, &b);
    cpuset_format(&c, buf, sizeof buf);
    assert_string_equal(buf, "0-5");
    assert_true(cpuset_subset(&a, &c));
    assert_false(cpuset_subset(&c, &a));
    c = a;
    cpuset_intersect(&c, &b);
    cpuset_format(&c, buf, sizeof buf);
    assert_string_equal(buf, "2-3");
    assert_false(cpuset_equal(&a, &c));
    cpuset_clear(&c);
    assert_true(cpuset_subset(&c, &a));
    assert_true(cpuset_subset(&a, &a));
    assert_true(cpuset_is_empty(&c));
    cpuset_add(&c, 0);
    assert_false(cpuset_is_empty(&c));
    cpuset_intersect(&c, &b);
    assert_true(cpuset_is_empty(&c));
}

static void assert_mask(const char *text, int digits, const char *list)
{
    struct cpuset set;
    char buf[256];
    if (cpuset_parse_mask(text, &set) != digits)
        fail_msg("'%s'", text);
    cpuset_format(&set, buf, sizeof buf);
    assert_string_equal(buf, list);
    /* With its own digits it comes out as it went in. */
    assert_int_equal(cpuset_format_mask(&set, (size_t)digits, buf, sizeof buf), strcspn(text, "\n"));
    assert_int_equal(strncmp(buf, text, strlen(buf)), 0);
}

TEST(test_cpuset_masks)
{
    assert_mask("3\n", 1, "0-1");
    assert_mask("0", 1, "");
    assert_mask("ff", 2, "0-7");
    assert_mask("8000000a\n", 8, "1,3,31");
    assert_mask("1,00000000\n", 9, "32");
    assert_mask("00000000,00000001", 16, "0");
    assert_mask("80000000,00000000,00000000,00000001", 32, "0,127");
    struct cpuset set;
    assert_int_equal(cpuset_parse_mask("Ff", &set), 2);
    assert_int_equal(cpuset_count(&set), 8);
}

TEST(test_cpuset_rejects_bad_masks)
{
    static const char *const bad[] = {"",  "\n",  ",",   "1,",        ",00000001",   "1,1", "1,000000001",
                                      "x", "0x1", "1 2", "000000001", "1,,00000001", "-1",  " 1"};
    struct cpuset set;
    cpuset_clear(&set);
    cpuset_add(&set, 77);
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (cpuset_parse_mask(bad[i], &set) != -1)
            fail_msg("'%s' was taken", bad[i]);
    }
    assert_true(cpuset_has(&set, 77) && cpuset_count(&set) == 1);
}

TEST(test_cpuset_masks_of_the_largest_machine)
{
    static char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 16], again[sizeof text + 2];
    struct cpuset set, back;
    cpuset_clear(&set);
    cpuset_add(&set, CPUSET_MAX - 1);
    cpuset_add(&set, 4096);
    size_t length = cpuset_format_mask(&set, 1, text, sizeof text);
    assert_int_equal(length, CPUSET_MAX / 4 + CPUSET_MAX / 32 - 1);
    assert_int_equal(cpuset_parse_mask(text, &back), CPUSET_MAX / 4);
    assert_true(cpuset_equal(&set, &back));
    /* A kernel for more CPUs than these writes more digits, which are zero. */
    snprintf(again, sizeof again, "0,%s", text);
    assert_int_equal(cpuset_parse_mask(again, &back), CPUSET_MAX / 4 + 1);
    assert_true(cpuset_equal(&set, &back));
    snprintf(again, sizeof again, "1,%s", text);
    assert_int_equal(cpuset_parse_mask(again, &back), -1);
}
