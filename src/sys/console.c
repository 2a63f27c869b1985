/* SPDX-License-Identifier: MIT */
/* The machine's console. */
#include "sys/console.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <termios.h>
#include <unistd.h>

/* Actions of syslog(2), for which the C library has no names. */
enum { KERNEL_LOG_CONSOLE_OFF = 6, KERNEL_LOG_CONSOLE_ON = 7 };

void console_take(void)
{
    int fd = open("/dev/console", O_RDWR | O_NOCTTY);

    if (fd < 0)
        return;
    for (int standard = 0; standard <= 2; standard++)
        if (fd != standard)
            (void)dup2(fd, standard);
    if (fd > 2)
        (void)close(fd);
}

void console_own_session(void)
{
    (void)setsid();
    (void)ioctl(0, TIOCSCTTY, 1);
}

void console_quiet(bool quiet)
{
    (void)klogctl(quiet ? KERNEL_LOG_CONSOLE_OFF : KERNEL_LOG_CONSOLE_ON, NULL, 0);
}

void console_drain(int fd)
{
    (void)tcdrain(fd);
}
