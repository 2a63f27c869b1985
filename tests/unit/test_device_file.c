/* SPDX-License-Identifier: MIT */
/* A file on a device: what is asked for, and where it is mounted. Writing is tested on real disks by tests/boot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cmocka.h>

#include "sys/device_file.h"

static void expect_split(const char *text, const char *device, const char *path)
{
    char got_device[64], got_path[64];

    assert_int_equal(device_file_split(text, got_device, got_path, sizeof(got_device)), 0);
    assert_string_equal(got_device, device);
    assert_string_equal(got_path, path);
}

static void expect_no_split(const char *text)
{
    char device[24], path[24];

    if (device_file_split(text, device, path, sizeof(device)) == 0)
        fail_msg("'%s' was taken", text);
}

static void test_device_file_split(void **state)
{
    (void)state;
    expect_split("/dev/sda1:/a.csv", "/dev/sda1", "/a.csv");
    expect_split("sda1:a.csv", "/dev/sda1", "/a.csv");
    expect_split("mapper/vg-lv:/", "/dev/mapper/vg-lv", "/");
    expect_split("vda:/results/a:b.csv", "/dev/vda", "/results/a:b.csv");
    expect_split("vda:/a..b/..c/d..", "/dev/vda", "/a..b/..c/d..");
}

static void test_device_file_split_refuses(void **state)
{
    static const char *const wrong[] = {"",
                                        ":",
                                        "/dev/sda1",
                                        "/dev/sda1:",
                                        ":/a.csv",
                                        "vda:..",
                                        "vda:/../a",
                                        "vda:/a/../b",
                                        "vda:/a/..",
                                        "vda:/12345678901234567890123",
                                        "123456789012345678901234:/a"};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect_no_split(wrong[i]);
}

static void test_device_file_check(void **state)
{
    (void)state;
    assert_int_equal(device_file_check("/dev/null"), -ENOTBLK);
    assert_int_equal(device_file_check("/nowhere/at/all"), -ENOENT);
}

static void expect_choice(const char *name, unsigned n, const char *expected)
{
    char buf[32];

    assert_true(device_file_choice(name, n, buf, sizeof(buf)));
    assert_string_equal(buf, expected);
}

static void test_device_file_choice(void **state)
{
    char buf[8];

    (void)state;
    expect_choice("a.csv", 1, "a.csv");
    expect_choice("a.csv", 2, "a-2.csv");
    expect_choice("a.b.csv", 12, "a.b-12.csv");
    expect_choice("a", 3, "a-3");
    expect_choice(".a", 3, ".a-3");
    assert_true(device_file_choice("abc.csv", 1, buf, sizeof(buf)));
    assert_false(device_file_choice("abc.csv", 2, buf, sizeof(buf)));
}

static const char mountinfo[] = "21 1 8:1 /sub /elsewhere rw - ext4 /dev/sda1 rw\n"
                                "22 1 0:20 / /sys rw,nosuid shared:2 - sysfs sysfs rw\n"
                                "23 1 8:1 / / ro,relatime shared:1 - ext4 /dev/root ro\n"
                                "24 23 8:17 / /mnt/my\\040disk\\134x rw - vfat /dev/sdb1 rw\n"
                                "broken line\n"
                                "\n"
                                "25 23 259:3 / /data";

static void expect_mounted(unsigned major, unsigned minor, const char *place)
{
    char buf[32];

    assert_int_equal(device_file_mounted(mountinfo, major, minor, buf, sizeof(buf)), 0);
    assert_string_equal(buf, place);
}

static void test_device_file_mounted(void **state)
{
    char buf[32];

    (void)state;
    expect_mounted(8, 1, "/");
    expect_mounted(8, 17, "/mnt/my disk\\x");
    expect_mounted(259, 3, "/data");
    assert_int_equal(device_file_mounted(mountinfo, 8, 2, buf, sizeof(buf)), -1);
    assert_int_equal(device_file_mounted(mountinfo, 20, 0, buf, sizeof(buf)), -1);
    assert_int_equal(device_file_mounted("", 8, 1, buf, sizeof(buf)), -1);
    assert_int_equal(device_file_mounted(mountinfo, 8, 17, buf, 6), -1);
}

static void test_device_file_flags(void **state)
{
    (void)state;
    assert_int_equal(device_file_flags(0), 0);
    assert_int_equal(device_file_flags(ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC), MS_NOSUID | MS_NODEV | MS_NOEXEC);
    assert_int_equal(device_file_flags(ST_RELATIME | ST_SYNCHRONOUS), MS_RELATIME | MS_SYNCHRONOUS);
    assert_int_equal(device_file_flags(ST_NOATIME | ST_NODIRATIME | ST_MANDLOCK),
                     MS_NOATIME | MS_NODIRATIME | MS_MANDLOCK);
    assert_int_equal(device_file_flags(0x2000), 0x100); /* nosymfollow */
    assert_int_equal(device_file_flags(0x20), 0);       /* ST_VALID, which some C libraries let through */
}

static void test_device_file_write_needs_a_block_device(void **state)
{
    const struct device_file file = {.device = "/dev/null", .path = "/a", .name = "a", .at = "/tmp"};
    char written[64], error[128];

    (void)state;
    assert_int_equal(device_file_write(&file, "x", 1, written, sizeof(written), error, sizeof(error)), -1);
    assert_string_equal(error, "/dev/null: Block device required");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_file_split),
        cmocka_unit_test(test_device_file_split_refuses),
        cmocka_unit_test(test_device_file_check),
        cmocka_unit_test(test_device_file_choice),
        cmocka_unit_test(test_device_file_mounted),
        cmocka_unit_test(test_device_file_flags),
        cmocka_unit_test(test_device_file_write_needs_a_block_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
