/* SPDX-License-Identifier: MIT */
#include "sys/cpu.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOEXEC 8ul

int perf_open(const struct perf_event *event, pid_t pid, int cpu)
{
#ifdef SYS_perf_event_open
    const long fd = syscall(SYS_perf_event_open, event, pid, cpu, -1, CLOEXEC);
#else
    const long fd = -1;
    (void)event;
    (void)pid;
    (void)cpu;
    errno = ENOSYS;
#endif

    return fd < 0 ? -errno : (int)fd;
}
