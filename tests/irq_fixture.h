/* SPDX-License-Identifier: MIT */
/* An interrupt of this machine that the kernel manages itself, for the tests of tune, below the command and of it. */
#ifndef IRQ_FIXTURE_H
#define IRQ_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* An interrupt with CPU 0 that even root cannot move; -1 when there is none. The same is written as it has. */
static inline int irq_find_managed(void)
{
    char path[64], list[64];
    int found = -1;

    for (int irq = 0; irq < 512 && found < 0; irq++) {
        (void)snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity_list", irq);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            continue;
        ssize_t n = read(fd, list, sizeof(list));
        if (n > 1 && list[0] == '0' && write(fd, list, (size_t)n) < 0 && (errno == EPERM || errno == EIO))
            found = irq;
        (void)close(fd);
    }
    return found;
}

/* Nothing but that one in /proc/irq. */
static inline int irq_show_only(int irq)
{
    char path[64], real[64];

    (void)snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity_list", irq);
    int fd = open(path, O_PATH);
    if (fd < 0 || mount("none", "/proc/irq", "tmpfs", 0, "size=64k"))
        return -1;
    (void)snprintf(path, sizeof(path), "/proc/irq/%d", irq);
    if (mkdir(path, 0755))
        return -1;
    (void)strcat(path, "/smp_affinity_list");
    (void)snprintf(real, sizeof(real), "/proc/self/fd/%d", fd);
    int file = open(path, O_WRONLY | O_CREAT, 0644);
    int status = file < 0 || mount(real, path, NULL, MS_BIND, NULL) ? -1 : 0;
    (void)close(file);
    (void)close(fd);
    return status;
}

#endif
