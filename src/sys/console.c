/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/clock.h"
#include "sys/process.h"

#define STALL_NS 1000000000u

static bool lost;

static void put(const char *format, va_list args)
{
    char line[512];
    FREED_BY(memory_free) char *longer = NULL;
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(line, sizeof(line), format, args);
    if (length >= (int)sizeof(line) && vasprintf(&longer, format, again) < 0) {
        longer = NULL; /* without memory, the message is cut */
        line[sizeof(line) - 2] = '\n';
    }
    va_end(again);
    const char *text = longer ? longer : line;
    /* after a stall it gets no further second */
    if (signals_write_within(STDERR_FILENO, text, strlen(text), lost ? 0 : STALL_NS) < strlen(text))
        lost = lost || errno == ETIMEDOUT;
}

void message_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(format, args);
    va_end(args);
}

void message_hint(const char *format, ...)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    const bool before = lost;
    va_list args;

    if (poll(&ready, 1, 0) <= 0)
        return;
    lost = true; /* it gets no second */
    va_start(args, format);
    put(format, args);
    va_end(args);
    lost = before;
}

bool message_lost(void)
{
    return lost;
}

/* syslog(2), for which the C library has no names */
enum { KERNEL_LOG_CONSOLE_OFF = 6, KERNEL_LOG_CONSOLE_ON = 7 };

/* Major numbers of pseudo-terminals: Documentation/admin-guide/devices.txt. */
#define PSEUDO_FIRST 136u
#define PSEUDO_LAST  143u

#define POLL_MS 100
/* A pipe or terminal takes so many bytes without blocking when poll() says that it is ready. */
#define CHUNK PIPE_BUF

void console_take(bool blocking)
{
    int fd = open("/dev/console", O_RDWR | O_NOCTTY | (blocking ? 0 : O_NONBLOCK));

    if (fd < 0)
        return;
    for (int standard = 0; standard <= 2; standard++)
        if (fd != standard)
            dup2(fd, standard);
    if (fd > 2)
        close(fd);
}

void console_own_session(void)
{
    setsid();
    ioctl(0, TIOCSCTTY, 1);
}

bool console_is_shared(int fd)
{
    struct stat status;

    return isatty(fd) && fstat(fd, &status) == 0 &&
           (major(status.st_rdev) < PSEUDO_FIRST || major(status.st_rdev) > PSEUDO_LAST);
}

void console_quiet(bool quiet)
{
    klogctl(quiet ? KERNEL_LOG_CONSOLE_OFF : KERNEL_LOG_CONSOLE_ON, NULL, 0);
}

int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, bool (*stop)(void))
{
    uint64_t moved = clock_raw_ns();

    while (length) {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        ssize_t n = 0;
        if (stop && stop())
            return -EINTR;
        if (poll(&ready, 1, POLL_MS) > 0)
            n = write(fd, data, length < CHUNK ? length : CHUNK);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (n > 0) {
            data += n;
            length -= (size_t)n;
            moved = clock_raw_ns();
        } else if (clock_raw_ns() - moved > stall_ns) {
            return -ETIMEDOUT;
        }
    }
    return 0;
}

void console_drain(int fd, uint64_t stall_ns)
{
    uint64_t moved = clock_raw_ns();
    int left, before = 0;

    while (ioctl(fd, TIOCOUTQ, &left) == 0 && left > 0) {
        if (left != before)
            moved = clock_raw_ns();
        if (clock_raw_ns() - moved > stall_ns)
            return;
        before = left;
        clock_sleep_ns(POLL_MS * 1000000u / 10);
    }
}
