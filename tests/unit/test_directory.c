/* SPDX-License-Identifier: MIT */
/* Folders by descriptor: which links are followed, which files are made, and what is never written. */

#include "fixture.h"
#include "sys/file.h"

#define NOBODY 65534

static char dir[] = "/tmp/test_directory_XXXXXX";
static char text[PATH_MAX];

/* A path in the scratch directory, good until the next call. */
static const char *in(const char *name)
{
    (void)snprintf(text, sizeof(text), "%s/%s", dir, name);
    return text;
}

static void put_link(const char *name, const char *to, uid_t owner)
{
    assert_int_equal(symlink(to, in(name)), 0);
    if (geteuid() == 0)
        assert_int_equal(lchown(in(name), owner, owner), 0);
}

static int set_up(void **state)
{
    if (!mkdtemp(dir) || mkdir(in("sticky"), 0700) || chmod(in("sticky"), 01777) || mkdir(in("real"), 0755))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

/* The inode of the folder; 0 with the error in errno. */
static ino_t inode_of(const char *path)
{
    struct stat status;
    int fd = directory_open(path);

    if (fd < 0) {
        errno = -fd;
        return 0;
    }
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fstatat(fd, ".", &status, 0), 0);
    assert_int_equal(close(fd), 0);
    return status.st_ino;
}

static ino_t inode_by_name(const char *path)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_ino;
}

TEST(test_directory_open_goes_where_the_kernel_goes)
{
    static const char *const paths[] = {"/",
                                        ".",
                                        "..",
                                        "/tmp/",
                                        "//tmp//.",
                                        "/proc/self/cwd",
                                        "/proc/self/../self/root/tmp",
                                        "/proc/thread-self",
                                        "/dev/fd/."};

    for (size_t i = 0; i < COUNT(paths); i++)
        if (inode_of(paths[i]) != inode_by_name(paths[i]))
            fail_msg("%s leads elsewhere", paths[i]);
    put_link("absolute", dir, NOBODY);
    put_link("relative", "absolute/./real/..//real", NOBODY);
    assert_true(inode_of(in("relative/../sticky")) == inode_by_name(in("sticky")));
}

static void assert_no_folder(const char *path, int error)
{
    if (inode_of(path) != 0 || errno != error)
        fail_msg("%s: %s, not %s", path, strerror(errno), strerror(error));
}

TEST(test_directory_open_says_why_not)
{
    static char long_name[NAME_MAX + 3] = "/";

    memset(long_name + 1, 'x', NAME_MAX + 1);
    assert_no_folder("", ENOENT);
    assert_no_folder("/nonexistent/x", ENOENT);
    assert_no_folder("/dev/null", ENOTDIR);
    assert_no_folder("/dev/null/x", ENOTDIR);
    assert_no_folder(long_name, ENAMETOOLONG);
    put_link("circle", "circle/x", 0);
    assert_no_folder(in("circle"), ELOOP);
    put_link("nowhere", "none", 0);
    assert_no_folder(in("nowhere"), ENOENT);
}

/* As with fs.protected_symlinks=1, whatever it is here. */
TEST(test_directory_open_follows_no_strangers_link_where_all_may_write)
{
    if (geteuid() != 0)
        skip_because("needs root, to make links of another user");
    put_link("sticky/planted", dir, NOBODY);
    put_link("sticky/own", dir, 0);
    put_link("real/planted", dir, NOBODY); /* a folder that only its owner writes */
    assert_no_folder(in("sticky/planted"), ELOOP);
    assert_no_folder(in("sticky/planted/real"), ELOOP);
    assert_no_folder(in("sticky/own/sticky/planted"), ELOOP);
    assert_true(inode_of(in("sticky/own/real")) == inode_by_name(in("real")));
    assert_true(inode_of(in("real/planted")) == inode_by_name(dir));
    put_link("hop", "sticky/planted", 0); /* one's own leads to it */
    assert_no_folder(in("hop"), ELOOP);
    assert_int_equal(chmod(in("sticky"), 0777), 0);
    assert_no_folder(in("sticky/planted"), ELOOP);
    assert_int_equal(chown(in("sticky"), NOBODY, NOBODY), 0); /* the folder's owner's */
    assert_true(inode_of(in("sticky/planted")) == inode_by_name(dir));
    assert_int_equal(chown(in("sticky"), 0, 0), 0);
    assert_int_equal(chmod(in("sticky"), 01777), 0);
}

TEST(test_directory_create_makes_new_files_only)
{
    struct stat status;

    mode_t before = umask(0);
    int fd = directory_create(in("new"));
    (void)umask(before);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0644);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_true(fcntl(fd, F_GETFL) & O_APPEND);
    assert_int_equal(directory_create(in("new")), -EEXIST);
    assert_int_equal(directory_open_existing(in("new")), -EEXIST);
    put_link("dangling", "none", 0);
    assert_int_equal(directory_create(in("dangling")), -EEXIST);
    assert_int_equal(directory_open_existing(in("dangling")), -EEXIST);
    assert_int_equal(access(in("none"), F_OK), -1);
    assert_int_equal(directory_create(in("real/")), -EISDIR);
    assert_int_equal(directory_create(""), -ENOENT);
    assert_int_equal(directory_create(in("nowhere-at-all/x")), -ENOENT);
    /* The name is another file's by now. */
    assert_int_equal(unlink(in("new")), 0);
    int other = directory_create(in("new"));
    directory_remove(in("new"), fd);
    assert_int_equal(access(in("new"), F_OK), 0);
    directory_remove(in("new"), other);
    assert_int_equal(access(in("new"), F_OK), -1);
    assert_int_equal(close(fd) | close(other), 0);
}

TEST(test_directory_open_existing_takes_what_is_no_data)
{
    int fd = directory_open_existing("/dev/null");
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(directory_open_existing("/tmp"), -EISDIR);
    assert_int_equal(directory_open_existing("/nonexistent"), -ENOENT);
}

/* Links of a user's own would be followed, of others not: only root can make both. */
TEST(test_directory_open_existing_trusts_no_link_of_others)
{
    if (geteuid() != 0)
        skip_because("needs root");
    put_link("device", "/dev/null", 0);
    int fd = directory_open_existing(in("device"));
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    put_link("planted", "/dev/null", NOBODY);
    assert_int_equal(directory_open_existing(in("planted")), -ELOOP);
    assert_int_equal(chown(in("real"), NOBODY, NOBODY), 0); /* root's link, but nobody can put another one there */
    put_link("real/device", "/dev/null", 0);
    assert_int_equal(directory_open_existing(in("real/device")), -ELOOP);
    assert_int_equal(mkfifo(in("sticky/pipe"), 0666), 0);
    assert_int_equal(chown(in("sticky/pipe"), NOBODY, NOBODY), 0);
    assert_int_equal(directory_open_existing(in("sticky/pipe")), -EACCES);
}

GROUP(set_up, tear_down);
