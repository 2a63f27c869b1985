/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/process.h"

/* of finit_module(): a compressed file; older headers lack it */
#define COMPRESSED_FILE 4

static bool is_compressed(const char *name)
{
    return !fnmatch("?*.ko.gz", name, 0) || !fnmatch("?*.ko.xz", name, 0) || !fnmatch("?*.ko.zst", name, 0);
}

/* By init_module(), before Linux 3.8. Returns 0 or -errno. */
static int load_image(int fd)
{
    size_t length;
    FREED_BY(memory_free) char *image = procfs_read_rest(fd, &length);

    return !image || syscall(SYS_init_module, image, (unsigned long)length, "") ? -errno : 0;
}

static int load(const char *folder, const char *name)
{
    FREED_BY(fd_close) int fd = open(PROCFS_PATH("%s/%s", folder, name), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    int error = syscall(SYS_finit_module, fd, "", is_compressed(name) ? COMPRESSED_FILE : 0) ? -errno : 0;
    if (error == -ENOSYS && !is_compressed(name))
        error = load_image(fd);
    return error == -EEXIST ? 0 : error;
}

/* Tries all names once; those of loaded modules become "". Returns the number of failures, with the first one in
 * error. */
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
    int failed = INT_MAX, before;

    if (!names)
        return -errno;
    for (size_t i = 0; names[i]; i++)
        if (fnmatch("?*.ko", names[i], 0) && !is_compressed(names[i]))
            names[i] = (char *)"";
    /* Each round loads modules that depend on those of earlier rounds. */
    do {
        before = failed;
        failed = load_round(folder, names, error, error_size);
    } while (failed && failed < before);
    if (!failed)
        error[0] = '\0';
    return failed;
}
