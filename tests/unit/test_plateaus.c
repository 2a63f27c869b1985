/* SPDX-License-Identifier: MIT */
/* The levels of made-up curves. */

#include "../test.h"
#include "analysis/analysis.h"

static void expect_level(const struct plateau *level, size_t first, size_t n, double value)
{
    assert_int_equal(level->first, first);
    assert_int_equal(level->n, n);
    assert_true(fabs(level->value - value) < 1e-9);
}

TEST(test_plateaus_of_caches_and_memory)
{
    static const double ns[] = {1.3, 1.3,  1.31, 1.29, 2.2, 3.7, 3.8, 3.75, 3.9, 7,
                                12,  12.5, 13,   14,   16,  40,  95,  99,   101};
    struct plateau level[5];

    assert_int_equal(plateaus_find(ns, COUNT(ns), level, 5), 4);
    expect_level(&level[0], 0, 4, 1.3);
    expect_level(&level[1], 5, 4, 3.775);
    expect_level(&level[2], 10, 4, 12.75);
    expect_level(&level[3], 16, 3, 99);
}

/* A cache that rises slowly is one level: 10 to 15.5 is less than a factor of 1.6. */
TEST(test_plateaus_of_a_slope_are_one)
{
    static const double ns[] = {10, 10, 10.5, 13, 13.2, 13.4, 15.5, 15.6, 15.7, 60, 60, 61};
    struct plateau level[3];

    assert_int_equal(plateaus_find(ns, COUNT(ns), level, 3), 2);
    assert_int_equal(level[0].n, 9);
    expect_level(&level[1], 9, 3, 60);
}

TEST(test_plateaus_none)
{
    static const double steep[] = {1, 2, 4, 8, 16, 32}, two[] = {5, 5};
    struct plateau level[1];

    assert_int_equal(plateaus_find(steep, COUNT(steep), level, 1), 0);
    assert_int_equal(plateaus_find(two, COUNT(two), level, 1), 0);
    assert_int_equal(plateaus_find(NULL, 0, level, 1), 0);
}

/* More levels than there is room for: the first ones. */
TEST(test_plateaus_room)
{
    static const double ns[] = {1, 1, 1, 9, 9, 9, 99, 99, 99};
    struct plateau level[2];

    assert_int_equal(plateaus_find(ns, COUNT(ns), level, 2), 2);
    expect_level(&level[1], 3, 3, 9);
}
