/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/process.h"

#define NO_REPLACE 1u /* RENAME_NOREPLACE, which older headers lack */

int new_file(int folder, const char *name, int flags, mode_t mode)
{
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | flags, mode);

    return fd < 0 ? -errno : fd;
}

void new_file_random_name(char name[NEW_FILE_NAME_SIZE])
{
    uint64_t random;

    process_random(&random, sizeof(random));
    (void)snprintf(name, NEW_FILE_NAME_SIZE, ".jitbench-%016llx", (unsigned long long)random);
}

int new_file_random(int folder, char name[NEW_FILE_NAME_SIZE], int flags, mode_t mode)
{
    int fd = -EEXIST;

    for (int tries = 0; fd == -EEXIST && tries < NAME_TRIES; tries++) {
        new_file_random_name(name);
        fd = new_file(folder, name, flags, mode);
    }
    return fd;
}

int new_file_nameless(int folder, mode_t mode)
{
#ifdef O_TMPFILE
    int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);

    return fd < 0 ? -errno : fd;
#else
    (void)folder;
    (void)mode;
    return -ENOSYS;
#endif
}

int new_file_give_name(int fd, int folder, const char *name)
{
    if (linkat(fd, "", folder, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno == EEXIST)
        return -EEXIST;
    /* Needs no privilege, as AT_EMPTY_PATH does. */
    return linkat(AT_FDCWD, PROCFS_PATH("/proc/self/fd/%d", fd), folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

int new_file_hidden(int folder, mode_t mode, char hidden[NEW_FILE_NAME_SIZE])
{
    /* without /proc only root can name a nameless file */
    const bool nameable = geteuid() == 0 || access("/proc/self/fd", X_OK) == 0;
    int fd = nameable ? new_file_nameless(folder, mode) : -EOPNOTSUPP;

    hidden[0] = '\0';
    return fd < 0 ? new_file_random(folder, hidden, O_CLOEXEC, mode) : fd;
}

int new_file_publish(int fd, int folder, const char hidden[NEW_FILE_NAME_SIZE], const char *name)
{
    if (!hidden[0])
        return new_file_give_name(fd, folder, name);
    if (linkat(folder, hidden, folder, name, 0) == 0)
        return unlinkat(folder, hidden, 0) ? -errno : 0;
    const int error = -errno; /* FAT has no links */
    if (error == -EEXIST || syscall(SYS_renameat2, folder, hidden, folder, name, NO_REPLACE) == 0)
        return error == -EEXIST ? error : 0;
    return errno == EEXIST ? -EEXIST : error;
}

int new_file_in_memory(unsigned flags, unsigned newer)
{
    long fd = syscall(SYS_memfd_create, "jitbench", flags | newer);

    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_memfd_create, "jitbench", flags);
    return fd < 0 ? -errno : (int)fd;
}

int new_file_write(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}
