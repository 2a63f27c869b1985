/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/process.h"

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
    while (n < 0 && waits && errno == EAGAIN);
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
