/* SPDX-License-Identifier: MIT */
/* Loads the kernel modules in a directory. */
#include "sys/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/procfs.h"

/* Flag of finit_module() for compressed files; the headers of older kernels lack it. */
#define COMPRESSED_FILE 4

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && !strcmp(name + n - m, end);
}

static bool is_compressed(const char *name)
{
    return ends_with(name, ".ko.gz") || ends_with(name, ".ko.xz") || ends_with(name, ".ko.zst");
}

/* Loads a module from memory: Linux before 3.8 has no finit_module(). */
static int load_image(int fd)
{
    struct stat status;
    int error = -EIO;

    if (fstat(fd, &status) || status.st_size <= 0)
        return -errno;
    FREED_BY(memory_free) char *image = malloc((size_t)status.st_size);
    if (!image)
        return -ENOMEM;
    if (read(fd, image, (size_t)status.st_size) == status.st_size)
        error = syscall(SYS_init_module, image, (unsigned long)status.st_size, "") ? -errno : 0;
    return error;
}

static int load(const char *folder, const char *name)
{
    char path[PROCFS_PATH];
    FREED_BY(fd_close) int fd = open(procfs_path(path, "%s/%s", folder, name), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    int error = syscall(SYS_finit_module, fd, "", is_compressed(name) ? COMPRESSED_FILE : 0) ? -errno : 0;
    if (error == -ENOSYS && !is_compressed(name))
        error = load_image(fd);
    return error == -EEXIST ? 0 : error;
}

/* Tries all remaining modules; the names of loaded ones become "". Returns the number of failures, with the first
 * one in error. */
static int load_round(const char *folder, char **names, char *error, size_t error_size)
{
    int failed = 0;

    for (size_t i = 0; names[i]; i++) {
        int result = names[i][0] ? load(folder, names[i]) : 0;
        if (result && !failed++)
            (void)snprintf(error, error_size, "%s: %s", names[i],
                           result == -ENOENT ? "needs a symbol that no module has" : strerror(-result));
        if (!result)
            names[i] = (char *)"";
    }
    return failed;
}

int modules_load(const char *folder, char *error, size_t error_size)
{
    FREED_BY(memory_free) char **names = procfs_names("", folder);
    int failed, before;

    if (!names)
        return -errno;
    for (size_t i = 0; names[i]; i++)
        if (!ends_with(names[i], ".ko") && !is_compressed(names[i]))
            names[i] = (char *)"";
    /* Each round loads the modules whose dependencies were loaded in earlier rounds. */
    failed = load_round(folder, names, error, error_size);
    do {
        before = failed;
        failed = failed ? load_round(folder, names, error, error_size) : 0;
    } while (failed && failed < before);
    if (!failed)
        error[0] = '\0';
    return failed;
}
