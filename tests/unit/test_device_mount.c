/* SPDX-License-Identifier: MIT */
/* Block devices: what is asked for, where it is mounted, and folders in it. Mounting is tested by tests/boot. */

#include <sys/statvfs.h>

#include "../test.h"
#include "sys/file.h"

static void expect_split(const char *text, const char *device, const char *path)
{
    char got_device[64], got_path[64];

    assert_int_equal(device_split(text, got_device, got_path, sizeof(got_device)), 0);
    assert_string_equal(got_device, device);
    assert_string_equal(got_path, path);
}

static void expect_no_split(const char *text)
{
    char device[24], path[24];

    if (device_split(text, device, path, sizeof(device)) == 0)
        fail_msg("'%s' was taken", text);
}

TEST(test_device_split)
{
    expect_split("/dev/sda1:/a.csv", "/dev/sda1", "/a.csv");
    expect_split("sda1:a.csv", "/dev/sda1", "/a.csv");
    expect_split("mapper/vg-lv:/", "/dev/mapper/vg-lv", "/");
    expect_split("vda:/results/a:b.csv", "/dev/vda", "/results/a:b.csv");
    expect_split("vda:/a..b/..c/d..", "/dev/vda", "/a..b/..c/d..");
}

TEST(test_device_split_refuses)
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

    for (size_t i = 0; i < COUNT(wrong); i++)
        expect_no_split(wrong[i]);
}

TEST(test_device_check)
{
    assert_int_equal(device_check("/dev/null"), -ENOTBLK);
    assert_int_equal(device_check("/nowhere/at/all"), -ENOENT);
}

TEST(test_device_mount_flags)
{
    assert_int_equal(mount_flags_of_statvfs(0), 0);
    assert_int_equal(mount_flags_of_statvfs(ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC),
                     MS_NOSUID | MS_NODEV | MS_NOEXEC);
    assert_int_equal(mount_flags_of_statvfs(ST_RELATIME | ST_SYNCHRONOUS), MS_RELATIME | MS_SYNCHRONOUS);
    assert_int_equal(mount_flags_of_statvfs(ST_NOATIME | ST_NODIRATIME | ST_MANDLOCK),
                     MS_NOATIME | MS_NODIRATIME | MS_MANDLOCK);
    assert_int_equal(mount_flags_of_statvfs(0x2000), 0x100); /* nosymfollow */
    assert_int_equal(mount_flags_of_statvfs(0x20), 0);       /* ST_VALID, which some C libraries let through */
}

static void expect_folder(const char *place, const char *path, int error)
{
    int got = device_folder(place, path);

    if (got != error)
        fail_msg("'%s' in '%s': %d, not %d", path, place, got, error);
}

/* The path is in a ring of 4. */
static const char *in(const char *place, const char *name)
{
    static char paths[4][128];
    static unsigned at;
    char *path = paths[at++ % 4];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", place, name);
    return path;
}

TEST(test_device_folder_is_made_and_taken_as_it_is)
{
    char place[] = "/tmp/test_device_mount.XXXXXX";
    struct stat status;

    assert_non_null(mkdtemp(place));
    expect_folder(place, "/", 0);
    expect_folder(place, "/a//b/", 0);
    expect_folder(place, "/a/b", 0);
    assert_int_equal(stat(in(place, "a/b"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(status.st_mode & 022, 0);
    assert_int_equal(rmdir(in(place, "a/b")), 0);
    assert_int_equal(rmdir(in(place, "a")), 0);
    assert_int_equal(rmdir(place), 0);
    expect_folder(place, "/a", -ENOENT);
}

TEST(test_device_folder_follows_no_link_and_leaves_no_file_system)
{
    char place[] = "/tmp/test_device_mount.XXXXXX", name[300];
    FILE *file;

    assert_non_null(mkdtemp(place));
    assert_int_equal(symlink("/tmp", in(place, "link")), 0);
    file = fopen(in(place, "file"), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    expect_folder(place, "/link", -ENOTDIR);
    expect_folder(place, "/link/test_device_mount.not", -ENOTDIR);
    expect_folder(place, "/file", -ENOTDIR);
    assert_int_equal(access("/tmp/test_device_mount.not", F_OK), -1);
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    expect_folder(place, name, -ENAMETOOLONG);
    if (access("/proc/self", F_OK) == 0)
        expect_folder("/", "/proc/self/not", -EXDEV);
    assert_int_equal(unlink(in(place, "link")), 0);
    assert_int_equal(unlink(in(place, "file")), 0);
    assert_int_equal(rmdir(place), 0);
}

TEST(test_device_mount_needs_a_block_device)
{
    struct device_mount mounted;
    bool detached;

    assert_int_equal(device_mount("/dev/null", "/tmp", 0, &mounted), -ENOTBLK);
    assert_int_equal(device_unmount(&mounted, &detached), 0);
    assert_false(detached);
    assert_string_equal(device_why_not(-EMEDIUMTYPE), "not a file system that this kernel knows");
    assert_string_equal(device_why_not(-ENOENT), "No such file or directory");
}
