/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/file.h"
#include "sys/process.h"

#define READER_WAIT_NS 20000000u /* ns between attempts to open a pipe that nobody reads */
#define LINKS_MOST     40u       /* as in the kernel */
/* Opens a directory only for other calls. Before Linux 3.6 fstat() does not work on it. */
#define WALK   (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define APPEND (O_APPEND | O_CLOEXEC | O_NOCTTY)

/* In a world-writable directory the link's owner shows who made it; elsewhere a user who names a path trusts the
 * directory's owner. */
static bool may_follow(const struct stat *folder, const struct stat *link)
{
    return !(folder->st_mode & S_IWOTH) || link->st_uid == geteuid() || link->st_uid == folder->st_uid;
}

static int walk(int at, const char *path, unsigned *links);

/* Follows the link `name` in `at`. Returns the descriptor of the directory that it leads to, or -errno. Where
 * may_follow() checks owners, nobody else can replace the link meanwhile. */
static int follow(int at, const char *name, const struct stat *link, unsigned *links)
{
    char text[PATH_MAX];
    struct stat folder, proc;

    if (fstatat(at, ".", &folder, 0))
        return -errno;
    if (!may_follow(&folder, link) || ++*links > LINKS_MOST)
        return -ELOOP;
    /* Links of /proc cannot be followed by their text, which need not be a path. */
    if (stat("/proc/self", &proc) == 0 && proc.st_dev == folder.st_dev)
        return sys_result(openat(at, name, WALK));
    ssize_t length = readlinkat(at, name, text, sizeof(text) - 1);
    if (length < 0)
        return -errno;
    text[length] = 0;
    return walk(at, text, links);
}

/* Opens the directory `name` in `at`, or the one that a link of that name leads to. Returns the descriptor or
 * -errno. *links counts the links followed so far. */
static int step(int at, const char *name, unsigned *links)
{
    struct stat status;

    if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (S_ISLNK(status.st_mode))
        return follow(at, name, &status, links);
    return sys_result(openat(at, name, WALK | O_NOFOLLOW));
}

/* Opens a path by components from the directory `at`, which stays open. Returns the descriptor or -errno. */
static int walk(int at, const char *path, unsigned *links)
{
    char name[NAME_MAX + 1];
    int fd = path[0] ? openat(at, path[0] == '/' ? "/" : ".", WALK) : -1;

    if (fd < 0)
        return path[0] ? -errno : -ENOENT;
    while (path += strspn(path, "/"), *path) {
        const int length = (int)strcspn(path, "/");
        const bool fits = (size_t)snprintf(name, sizeof(name), "%.*s", length, path) < sizeof(name);
        const int next = fits ? step(fd, name, links) : -ENAMETOOLONG;
        close(fd);
        if (next < 0)
            return next;
        fd = next;
        path += length;
    }
    return fd;
}

bool directory_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int directory_open(const char *path)
{
    unsigned links = 0;

    return walk(AT_FDCWD, path, &links);
}

int directory_of(const char *path, const char **name)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');

    *name = slash ? slash + 1 : path;
    if (!**name)
        return path[0] ? -EISDIR : -ENOENT;
    const int length = (int)(*name - path);
    if ((size_t)snprintf(folder, sizeof(folder), "%.*s", length, path) >= sizeof(folder))
        return -ENAMETOOLONG;
    return directory_open(length ? folder : ".");
}

int directory_create(const char *path)
{
    const char *name;
    FREED_BY(fd_close) int folder = directory_of(path, &name);

    return folder < 0 ? folder : new_file(folder, name, APPEND, 0644);
}

int directory_clear(const char *path)
{
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int folder = directory_of(path, &name);

    if (folder < 0)
        return folder;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    return S_ISREG(status.st_mode) && unlinkat(folder, name, 0) ? -errno : 0;
}

/* Returns whether only this user or root can have made, or can replace, this link. */
static bool is_ours(const struct stat *folder, const struct stat *link)
{
    const bool kept = folder->st_mode & S_ISVTX || !(folder->st_mode & (S_IWGRP | S_IWOTH));

    return kept && (folder->st_uid == 0 || folder->st_uid == geteuid()) &&
           (link->st_uid == 0 || link->st_uid == geteuid());
}

/* Opens for appending; waits for a pipe's reader unless a signal asks the program to end. Returns the descriptor or
 * -errno. */
static int open_writing(int folder, const char *name, int flags)
{
    int fd;

    while ((fd = openat(folder, name, O_WRONLY | O_NONBLOCK | APPEND | flags)) < 0 && errno == ENXIO) {
        if (signals_pending())
            return -ENXIO;
        signals_sleep_ns(READER_WAIT_NS);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, APPEND); /* not O_NONBLOCK */
    return sys_result(fd);
}

/* Opens for appending, but no regular file or block device: inspected first, as opening alone can affect a device,
 * and again when open. refused: 0, or the -errno to return instead. */
static int open_as_seen(int folder, const char *name, int flags, int refused)
{
    struct stat before, now;

    if (fstatat(folder, name, &before, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
        return errno == ENOENT ? -EEXIST : -errno; /* ENOENT: a dangling link */
    if (S_ISREG(before.st_mode) || S_ISBLK(before.st_mode))
        return S_ISREG(before.st_mode) ? -EEXIST : -ENOTBLK;
    int fd = refused ? refused : open_writing(folder, name, flags);
    if (fd < 0)
        return fd;
    if (fstat(fd, &now) == 0 && directory_is_same(&now, &before))
        return fd;
    close(fd);
    return -EEXIST;
}

int directory_open_existing(const char *path)
{
    struct stat there, itself;
    const char *name;
    FREED_BY(fd_close) int folder = directory_of(path, &name);

    if (folder < 0)
        return folder;
    if (fstatat(folder, ".", &there, 0) || fstatat(folder, name, &itself, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (S_ISLNK(itself.st_mode))
        return open_as_seen(folder, name, 0, is_ours(&there, &itself) ? 0 : -ELOOP);
    return open_as_seen(folder, name, O_NOFOLLOW,
                        S_ISFIFO(itself.st_mode) && !may_follow(&there, &itself) ? -EACCES : 0);
}

const char *directory_why_not(int error)
{
    return error == -EEXIST    ? "the file exists; jitbench never overwrites"
           : error == -ENOTBLK ? "is a block device; jitbench never overwrites"
           : error == -ENXIO   ? "a pipe that no process reads from"
           : error == -ELOOP   ? "leads through a symbolic link that another user may have put there"
                               : strerror(-error);
}

int directory_refused(const char *path, int reason, char *error, size_t error_size)
{
    struct stat st;
    const bool replaceable = reason == -EEXIST && lstat(path, &st) == 0 && S_ISREG(st.st_mode);

    snprintf(error, error_size, "-o '%.4000s': %s%s", path, directory_why_not(reason),
             replaceable ? " without --force" : "");
    return -1;
}

void directory_remove(const char *path, int fd)
{
    struct stat ours, named;
    const char *name;
    const int error = errno;
    FREED_BY(fd_close) int folder = directory_of(path, &name);

    if (folder >= 0 && fstat(fd, &ours) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        directory_is_same(&ours, &named))
        unlinkat(folder, name, 0);
    errno = error;
}

void directory_flush(const char *path)
{
    const char *name;
    FREED_BY(fd_close) int folder = directory_of(path, &name);
    FREED_BY(fd_close) int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* O_PATH cannot be flushed */

    fsync(fd);
}

#define PART  ((size_t)4096)
#define LIMIT ((size_t)64 << 20)

/* Returns false, with errno: EINTR when a signal asked the program to end. */
static bool wait_readable(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    while (!signals_pending()) {
        const int n = ppoll(&wait, 1, NULL, signals_wait_mask());
        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0;
        if (signals_stop_wanted())
            signals_stop();
    }
    errno = EINTR;
    return false;
}

/* Returns the number of bytes, 0 at the end, or -1 with the reason in why. */
static ssize_t read_part(int fd, bool waits, char *to, size_t size, const char **why)
{
    ssize_t n;

    do
        n = !waits || wait_readable(fd) ? read(fd, to, size) : -1;
    while (n < 0 && (errno == EINTR ? !signals_pending() : waits && errno == EAGAIN));
    if (n < 0)
        *why = errno == EINTR ? "ended by a signal" : strerror(errno);
    else if (n > 0 && memchr(to, 0, (size_t)n))
        *why = "it is no text";
    return *why ? -1 : n;
}

char *text_file_rest(int fd, bool streams, const char **why)
{
    struct stat status;
    char *text = NULL;
    size_t size = 0, length = 0;
    ssize_t n = 1;

    *why = fstat(fd, &status) ? strerror(errno) : NULL;
    if (!*why && S_ISDIR(status.st_mode))
        *why = strerror(EISDIR);
    else if (!*why && !S_ISREG(status.st_mode) && !(streams && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))))
        *why = "it is not a regular file";
    while (!*why && n > 0) {
        if (length > LIMIT)
            *why = "it is larger than 64 MiB";
        else if (!grow_array(&text, &size, length + PART, 1))
            *why = "out of memory";
        else if ((n = read_part(fd, !S_ISREG(status.st_mode), text + length, size - 1 - length, why)) > 0)
            length += (size_t)n;
    }
    if (!*why) {
        text[length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *text_file_read(const char *path, bool streams, const char **why)
{
    FREED_BY(fd_close) int fd = procfs_open("", path);

    if (fd >= 0)
        return text_file_rest(fd, streams, why);
    *why = strerror(-fd);
    return NULL;
}
