/* SPDX-License-Identifier: MIT */
/* Names and their numbers. */

#include "../test.h"
#include "rows/text.h"

TEST(test_index_numbers_names_as_they_come)
{
    struct index index = {0};

    assert_int_equal(index_enter(&index, "b"), 0);
    assert_int_equal(index_enter(&index, ""), 1);
    assert_int_equal(index_enter(&index, "a"), 2);
    assert_int_equal(index_enter(&index, "b"), 0);
    assert_int_equal(index.n, 3);
    assert_string_equal(index.name[2], "a");
    index_free(&index);
    assert_int_equal(index.n, 0);
}

TEST(test_index_of_many)
{
    struct index index = {0};
    char name[24];

    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 20000; i++) {
            (void)snprintf(name, sizeof(name), "host-%u", i);
            assert_int_equal(index_enter(&index, name), i);
        }
    assert_int_equal(index.n, 20000);
    assert_string_equal(index.name[12345], "host-12345");
    index_free(&index);
}
