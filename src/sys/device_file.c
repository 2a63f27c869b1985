/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/base.h"

#define MOST_NAMES 999u

int device_file_choice(const char *name, unsigned n, char *buf, size_t size)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);

    if (n < 2)
        return name[0] && (size_t)snprintf(buf, size, "%s", name) < size;
    return (size_t)snprintf(buf, size, "%.*s-%u%s", (int)stem, name, n, name + stem) < size;
}

static int open_folder(char *path)
{
    char *slash = strrchr(path, '/'), kept = slash[1];

    slash[1] = '\0';
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 ? -errno : fd;
    slash[1] = kept;
    return error;
}

/* Makes a new file if its directory is on the device mounted at place. Returns the descriptor or -errno. */
static int create(char *path, const char *place)
{
    struct stat device, status;
    FREED_BY(fd_close) int folder = open_folder(path);

    if (folder < 0)
        return folder;
    if (stat(place, &device) || fstat(folder, &status) || device.st_dev != status.st_dev)
        return -EXDEV;
    return new_file(folder, strrchr(path, '/') + 1, O_CLOEXEC, 0644);
}

/* Makes file->path; or, if that is a directory, the first file in it that is free under the names of
 * device_file_choice(). path gets the file made, or the last one tried. Returns the descriptor or -errno. */
static int create_any(const struct device_file *file, const char *place, char *path, size_t size)
{
    struct stat status;
    size_t length = strlen(file->path);
    char name[NAME_MAX + 1];
    int fd = -EEXIST;

    if ((size_t)snprintf(path, size, "%s%s", place, file->path) >= size)
        return -ENAMETOOLONG;
    bool folder = file->path[length - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    if (!folder)
        return create(path, place);
    for (unsigned n = 1; fd == -EEXIST && n <= MOST_NAMES; n++) {
        if (!device_file_choice(file->name, n, name, sizeof(name)) ||
            (size_t)snprintf(path, size, "%s%s%s%s", place, file->path, file->path[length - 1] == '/' ? "" : "/",
                             name) >= size)
            return -ENAMETOOLONG;
        fd = create(path, place);
    }
    return fd;
}

static int write_file(const struct device_file *file, const char *place, const char *data, size_t length, char *path,
                      size_t size)
{
    int fd = create_any(file, place, path, size);

    if (fd < 0)
        return fd;
    int error = new_file_write(fd, data, length);
    if (!error && fsync(fd))
        error = -errno;
    (void)close(fd);
    if (error)
        (void)unlink(path);
    FREED_BY(fd_close) int folder = open_folder(path);
    (void)fsync(folder); /* the new name too */
    return error;
}

int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size)
{
    struct device_mount mounted;
    char path[PATH_MAX];
    bool detached;
    int result = device_mount(file->device, file->at, MS_NOEXEC, &mounted);

    if (result)
        return fail_because(-1, error, error_size, "%s: %s", file->device, device_why_not(result));
    result = write_file(file, mounted.place, data, length, path, sizeof(path));
    (void)snprintf(written, written_size, "%s", path + strlen(mounted.place));
    int unmounted = device_unmount(&mounted, &detached);
    (void)snprintf(error, error_size, "%s%s", detached ? file->device : "", detached ? DEVICE_DETACHED : "");
    if (result)
        (void)snprintf(error, error_size, "%s:%s: %s", file->device, written,
                       result == -EEXIST ? "the file exists; jitbench never overwrites" : device_why_not(result));
    else if (unmounted)
        (void)snprintf(error, error_size, "%s: written, but cannot be unmounted: %s", file->device,
                       strerror(-unmounted));
    return result || unmounted ? -1 : 0;
}
