/* SPDX-License-Identifier: MIT */
#include "sys/file.h"
#include "sys/scratch_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/clock.h"

/* Pause in ns: scripts of a killed process may still write for a moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

static bool is_same(int a, int b)
{
    struct stat one, other;

    return fstat(a, &one) == 0 && fstat(b, &other) == 0 && directory_is_same(&one, &other);
}

int scratch_named_file(int folder, int mode, int *read_fd)
{
    char name[NEW_FILE_NAME_SIZE];
    int fd = new_file_random(folder, name, O_CLOEXEC, (mode_t)mode);

    if (fd < 0)
        return fd;
    if (read_fd) {
        (void)fchmod(fd, (mode_t)mode); /* whatever the umask */
        *read_fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        *read_fd = *read_fd < 0 ? -errno : *read_fd;
        if (*read_fd >= 0 && !is_same(fd, *read_fd)) { /* the owner of `folder` has replaced the file */
            (void)close(*read_fd);
            *read_fd = -EPERM;
        }
    }
    (void)unlinkat(folder, name, 0);
    return fd;
}

int scratch_file(const char *dir)
{
    FREED_BY(fd_close) int folder = directory_open(dir);

    if (folder < 0)
        return folder;
    int fd = new_file_nameless(folder, 0600);
    return fd < 0 ? scratch_named_file(folder, 0600, NULL) : fd;
}

/* Returns 0 or -ENAMETOOLONG. */
static int name_path(const char *dir, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s", dir, name);

    return (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Mode 0700 whatever the umask. Returns 0 or -errno. */
static int make_folder(int parent, const char *name)
{
    const mode_t before = umask(077); /* it may take the owner's permissions; no other thread runs */
    int error = mkdirat(parent, name, 0700) ? -errno : 0;

    (void)umask(before);
    return error;
}

int scratch_folder(const char *dir, char *path, size_t size)
{
    char name[NEW_FILE_NAME_SIZE];
    FREED_BY(fd_close) int parent = directory_open(dir);
    int error = parent < 0 ? parent : -EEXIST;

    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        new_file_random_name(name);
        error = name_path(dir, name, path, size);
        if (!error)
            error = make_folder(parent, name);
    }
    return error;
}

static void remove_files(int folder_fd)
{
    DIR *folder = fdopendir(folder_fd);

    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        (void)unlinkat(folder_fd, entry->d_name, 0); /* unlinkat() refuses "." and ".." */
    if (folder)
        (void)closedir(folder);
    else
        (void)close(folder_fd);
}

int scratch_open_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Tries once to remove the files in the directory (open as folder), then the directory, unless the name belongs to
 * another one by now. A file system may skip names while others are removed, and a failure (a signal, no memory) may
 * pass: further tries may be needed. Returns 0 or -errno. */
static int remove_folder(int parent, const char *name, int folder)
{
    struct stat status, named;
    int fd = scratch_open_folder(folder, "."); /* begins at the start of the directory */

    if (fd < 0)
        return fd;
    remove_files(fd);
    if (fstat(folder, &status) || fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (!directory_is_same(&status, &named))
        return -ESTALE;
    return unlinkat(parent, name, AT_REMOVEDIR) ? -errno : 0;
}

/* Removes the directory at path; with a note, only the one that it describes, or an empty one where it does not say
 * which. Returns 0 or -errno: -ESTALE for another directory. */
static int remove_path(const char *path, const struct scratch_note *note)
{
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int parent = directory_of(path, &name);

    if (parent < 0)
        return parent;
    if (note && !note->inode)
        return unlinkat(parent, name, AT_REMOVEDIR) ? -errno : 0;
    FREED_BY(fd_close) int folder = scratch_open_folder(parent, name);
    if (folder >= 0 && note &&
        (fstat(folder, &status) || status.st_dev != note->device || status.st_ino != note->inode))
        return -ESTALE;
    return folder < 0 ? folder : remove_folder(parent, name, folder);
}

/* Returns whether to try again after this error (0: no). */
static bool is_still_there(int error)
{
    return error && error != -ENOENT && error != -ENOTDIR && error != -ELOOP && error != -ESTALE && error != -EROFS;
}

int scratch_remove(const char *path)
{
    int error, tries = 4;

    do
        error = remove_path(path, NULL);
    while (is_still_there(error) && --tries);
    return error;
}

void scratch_remove_noted(const struct scratch_note *note)
{
    for (int tries = 0; note->path[0] && tries < REMOVE_TRIES; tries++) {
        if (!is_still_there(remove_path(note->path, note)))
            return;
        clock_sleep_ns(REMOVE_PAUSE_NS);
    }
}

uint64_t scratch_free_bytes(const char *dir)
{
    struct statvfs fs;

    if (statvfs(dir, &fs) || fs.f_blocks == 0)
        return 0;
    return fs.f_bavail ? (uint64_t)fs.f_bavail * fs.f_frsize : 1;
}

int scratch_may_exec(const char *dir)
{
    struct statvfs fs;

    if (statvfs(dir, &fs))
        return -errno;
    return !(fs.f_flag & ST_NOEXEC);
}
