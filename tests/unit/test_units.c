/* SPDX-License-Identifier: MIT */
/* Unit tests of figures with their units. */

#include "../test.h"
#include "rows/text.h"

#define NB     "\xc2\xa0"
#define NARROW "\xe2\x80\xaf"
#define DASH   "\xe2\x80\x93"
#define MINUS  "\xe2\x88\x92"

static void check_value(double value, const char *unit, const char *text)
{
    char buf[UNITS_SIZE];
    units_value(value, unit, buf, sizeof(buf));
    assert_string_equal(buf, text);
}

static void expect_range(double low, double high, const char *unit, const char *text)
{
    char buf[UNITS_SIZE];
    units_range(low, high, unit, buf, sizeof(buf));
    assert_string_equal(buf, text);
}

/* The factor from typed to unit; 0 when there is none. */
static double factor(const char *typed, const char *unit)
{
    double found;

    return units_factor(typed, unit, &found) ? found : 0;
}

TEST(test_units_factor_converts_within_a_family)
{
    assert_float_equal(factor("us", "ns"), 1e3, 0);
    assert_float_equal(factor("s", "ms"), 1e3, 0);
    assert_float_equal(factor("GHz", "Hz"), 1e9, 0);
    assert_float_equal(factor("MiB", "bytes"), 1048576, 0);
    assert_float_equal(factor("GB/s", "MB/s"), 1e3, 0);
    assert_float_equal(factor("", "cycles"), 1, 0);
    assert_float_equal(factor("%", "%"), 1, 0);
    assert_float_equal(factor("M", "lps"), 1e6, 0);
    assert_float_equal(factor("k lps", "lps"), 1e3, 0);
    assert_float_equal(factor("us", "cycles"), 0, 0);
    assert_float_equal(factor("MB", "ns"), 0, 0);
    assert_float_equal(factor("M", "ns"), 0, 0);
    assert_float_equal(factor("M", "%"), 0, 0);
    assert_float_equal(factor("Mrps", "lps"), 0, 0);
    assert_float_equal(factor("x", ""), 0, 0);
}

TEST(test_units_value_of_times_takes_the_unit_that_fits)
{
    check_value(155.384606, "ns", "155.4" NB "ns");
    check_value(1603.0, "ns", "1.603" NB "\xc2\xb5s");
    check_value(999, "ns", "999" NB "ns");
    check_value(1000, "ns", "1" NB "\xc2\xb5s");
    check_value(2.5e9, "ns", "2.500" NB "s");
    check_value(1602.627, "ms", "1.603" NB "s");
    check_value(0.25, "s", "250" NB "ms");
    check_value(2600000, "kHz", "2.600" NB "GHz");
    check_value(24694.6652, "MB/s", "24.69" NB "GB/s");
    check_value(2048, "KiB", "2.097" NB "MB");
    check_value(-1602.627, "ms", MINUS "1.603" NB "s");
    check_value(5e12, "ns", "5000" NB "s"); /* the largest unit */
}

TEST(test_units_value_of_nothing_zero_and_below)
{
    check_value(NAN, "ns", DASH);
    check_value(INFINITY, "ns", DASH);
    check_value(0, "ns", "0" NB "ns");
    check_value(-5, "cycles", MINUS "5" NB "cycles");
    check_value(-0.0, "%", "0" NB "%");
    check_value(0.000123456, "%", "0.0001235" NB "%");
    check_value(1.5e-12, "%", "1.5e-12" NB "%");
    check_value(1e300, "%", "1e+300" NB "%");
    check_value(1.25e20, "%", "1.25e+20" NB "%");
    check_value(1e15, "%", "1e+15" NB "%");
    check_value(-1.5e-12, "%", MINUS "1.5e-12" NB "%");
}

TEST(test_units_range_has_one_unit_and_the_same_decimals)
{
    expect_range(410.3486, 452.5256, "cycles", "410.3 to 452.5" NB "cycles");
    expect_range(900, 1100, "ns", "0.900 to 1.100" NB "\xc2\xb5s");
    expect_range(1.8, 10.07, "%", "1.80 to 10.07" NB "%");
    expect_range(-1100, 900, "ns", MINUS "1.100 to 0.900" NB "\xc2\xb5s"); /* the unit is that of the larger one */
    expect_range(-10.07, 1.8, "%", MINUS "10.07 to 1.80" NB "%");
    expect_range(1.5, 3, "%", "1.5 to 3.0" NB "%"); /* a whole number gets a decimal if the other one needs it */
    expect_range(2, 3, "%", "2 to 3" NB "%");
    expect_range(999.25, 1000, "%", "999 to 1000" NB "%");
    expect_range(998.25, 999, "%", "998.2 to 999.0" NB "%");
    expect_range(NAN, 3, "%", DASH);
    expect_range(3, INFINITY, "%", DASH);
}
