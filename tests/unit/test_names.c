/* SPDX-License-Identifier: MIT */
/* File names from templates. */

#include "../test.h"
#include "out/out.h"

static const struct row_run run = {
    .host = "box/1.example", .utc = "2026-01-31T23:59:59Z", .job = "77", .rank = "3", .kernel = "6.1.0-9/x #1 SMP"};

static void expect(const char *template, const struct row_run *of, int alone, const char *expected)
{
    char name[64];
    struct error error;

    assert_int_equal(names_expand("--output", template, of, alone, name, sizeof(name), &error), 0);
    assert_string_equal(name, expected);
}

TEST(test_names_letters)
{
    expect("%h_%j_%r_%t%%.csv", &run, 0, "box_1.example_77_3_20260131T235959Z%.csv");
    expect("%k-1.csv", &run, 1, "6.1.0-9_x-1.csv");
    expect("plain.csv", &run, 1, "plain.csv");
    expect("", &run, 0, "");
}

TEST(test_names_what_is_not_known)
{
    static const struct row_run nobody = {.host = "..", .utc = "2026-01-31T23:59:59Z"};

    expect("%j-%r-%k.csv", &nobody, 1, "unknown-unknown-unknown.csv");
    expect("%h/x", &nobody, 1, "_./x"); /* not the folder above */
}

TEST(test_names_ranks_have_their_own)
{
    expect("r.csv", &run, 0, "r-3.csv");
    expect("out.d/r", &run, 0, "out.d/r-3");
    expect("out.d/.hidden", &run, 0, "out.d/.hidden-3");
    expect("a.tar.gz", &run, 0, "a.tar-3.gz");
    expect("r-%h.csv", &run, 0, "r-box_1.example-3.csv");
    expect("%r.csv", &run, 0, "3.csv");
    expect("r.csv", &run, 1, "r.csv");
}

static void refuse(const char *template, const char *says)
{
    char name[32];
    struct error error;

    assert_int_equal(names_expand("--output", template, &run, 0, name, sizeof(name), &error), -1);
    assert_non_null(strstr(error.text, says));
    assert_non_null(strstr(error.text, "--output"));
}

TEST(test_names_wrong_templates)
{
    refuse("r-%x.csv", "'r-%x.csv'");
    refuse("100%", "after '%'");
    refuse("a-name-that-is-longer-than-the-room-for-it.csv", "at most 31 bytes");
}
