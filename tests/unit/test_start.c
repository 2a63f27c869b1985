/* SPDX-License-Identifier: MIT */
/* --start-at: moments, as a user writes them. */

#include "../test.h"
#include "said.h"

#define SECOND UINT64_C(1000000000)
/* 2026-11-21 18:30:00 UTC. */
#define NOW (UINT64_C(1795285800) * SECOND)

static void expect(const char *text, uint64_t expected)
{
    uint64_t at = 0;

    assert_int_equal(start_parse(text, NOW, &at), 0);
    assert_int_equal(at, expected);
}

static void refuse(const char *text, const char *says)
{
    uint64_t at;

    assert_int_equal(start_parse(text, NOW, &at), EXIT_USAGE);
    assert_non_null(strstr(said.text, says));
    assert_non_null(strstr(said.text, "--start-at"));
}

TEST(test_start_from_now)
{
    expect("+30", NOW + 30 * SECOND);
    expect("+250ms", NOW + SECOND / 4);
    expect("+0", NOW);
    expect("+24h", NOW + 24 * 3600 * SECOND);
    refuse("+24h1s", "24h1s");
    refuse("+", "needs a value");
    refuse("+-3", "-3");
    refuse("30", "'+TIME'");
}

TEST(test_start_at_seconds_since_1970)
{
    expect("@1795285830", NOW + 30 * SECOND);
    expect("@1795285830.25", NOW + 30 * SECOND + SECOND / 4);
    expect("@1795285830.000000001", NOW + 30 * SECOND + 1);
    expect("@1795280000", NOW - 5800 * SECOND); /* has passed: the caller says so */
    refuse("@1795372201", "more than a day away");
    refuse("@1795285830.0000000001", "'+TIME'");
    refuse("@", "'+TIME'");
    refuse("@12x", "'+TIME'");
    refuse("@99999999999", "'+TIME'");
}

TEST(test_start_at_the_nearest_time_of_day)
{
    expect("18:30:05", NOW + 5 * SECOND);
    expect("18:29:55", NOW - 5 * SECOND);
    expect("06:00:00", NOW + 11 * 3600 * SECOND + 1800 * SECOND); /* tomorrow */
    expect("07:00:00", NOW - 11 * 3600 * SECOND - 1800 * SECOND);
    refuse("24:00:00", "'24:00:00'");
    refuse("12:60:00", "HH:MM:SS");
    refuse("1:00:00", "HH:MM:SS");
    refuse("12:00", "HH:MM:SS");
    refuse("ab:cd:ef", "HH:MM:SS");
    refuse("", "HH:MM:SS");
}

/* The local day is another one there. */
TEST(test_start_at_is_local_time)
{
    (void)setenv("TZ", "XYZ-10:30", 1); /* 05:00 of the next day */
    tzset();
    expect("05:00:10", NOW + 10 * SECOND);
    expect("23:00:00", NOW - 6 * 3600 * SECOND);
    (void)setenv("TZ", "UTC0", 1);
    tzset();
}

int main(void)
{
    (void)setenv("TZ", "UTC0", 1);
    tzset();
    return run_all_tests();
}
