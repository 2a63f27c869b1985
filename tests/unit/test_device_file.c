/* SPDX-License-Identifier: MIT */
/* A file on a device. Writing is tested on real disks by tests/boot. */

#include "../test.h"
#include "sys/file.h"

static void expect_choice(const char *name, unsigned n, const char *expected)
{
    char buf[32];

    assert_true(device_file_choice(name, n, buf, sizeof(buf)));
    assert_string_equal(buf, expected);
}

TEST(test_device_file_choice)
{
    char buf[8];

    expect_choice("a.csv", 1, "a.csv");
    expect_choice("a.csv", 2, "a-2.csv");
    expect_choice("a.b.csv", 12, "a.b-12.csv");
    expect_choice("a", 3, "a-3");
    expect_choice(".a", 3, ".a-3");
    assert_true(device_file_choice("abc.csv", 1, buf, sizeof(buf)));
    assert_false(device_file_choice("abc.csv", 2, buf, sizeof(buf)));
}

TEST(test_device_file_write_needs_a_block_device)
{
    const struct device_file file = {.device = "/dev/null", .path = "/a", .name = "a", .at = "/tmp"};
    char written[64], error[128];

    assert_int_equal(device_file_write(&file, "x", 1, written, sizeof(written), error, sizeof(error)), -1);
    assert_string_equal(error, "/dev/null: Block device required");
}
