/* SPDX-License-Identifier: MIT */
/* Copies of this program. */
#include "sys/scratch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/process.h"

/* Constants of memfd_create() and execveat(): an older C library or musl may lack them. */
#define MEMFD_CLOEXEC 0x0001u
#define MEMFD_EXEC    0x0010u
#define EMPTY_PATH    0x1000

/* Appends zeros up to least_bytes. Returns 0 or -errno. */
static int copy_file(int from, int to, uint64_t least_bytes)
{
    char buffer[16384];
    uint64_t size = 0;

    if (lseek(from, 0, SEEK_SET) < 0)
        return -errno;
    for (;;) {
        ssize_t n = read(from, buffer, sizeof(buffer));
        if (n < 0)
            return -errno;
        if (n == 0 && size >= least_bytes)
            return 0;
        if (n == 0) {
            n = least_bytes - size < sizeof(buffer) ? (ssize_t)(least_bytes - size) : (ssize_t)sizeof(buffer);
            memset(buffer, 0, (size_t)n);
        }
        size += (uint64_t)n;
        int error = new_file_write(to, buffer, (size_t)n);
        if (error)
            return error;
    }
}

static int open_self(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        const char *started_as = (const char *)getauxval(AT_EXECFN);
        fd = started_as ? open(started_as, O_RDONLY | O_CLOEXEC) : -1;
    }
    return fd < 0 ? -errno : fd;
}

static int memory_image(int self, uint64_t least_bytes)
{
    /* Linux before 6.3 does not know MFD_EXEC; vm.memfd_noexec=2 refuses every executable memfd. */
    int fd = new_file_in_memory(MEMFD_CLOEXEC, MEMFD_EXEC);
    const int error = fd < 0 ? fd : copy_file(self, fd, least_bytes);

    if (error)
        fd_close(&fd);
    return error ? error : fd;
}

/* In an unlinked file in dir. What is open for writing cannot be executed (ETXTBSY): only a second descriptor is
 * kept. Returns it or -errno. */
static int file_image(int self, const char *dir, uint64_t least_bytes)
{
    int read_fd = -1;
    int may_exec = scratch_may_exec(dir);

    if (may_exec <= 0)
        return may_exec < 0 ? may_exec : -EACCES;
    FREED_BY(fd_close) int folder = directory_open(dir);
    FREED_BY(fd_close) int fd = folder < 0 ? folder : scratch_named_file(folder, 0700, &read_fd);
    const int error = fd < 0 ? fd : read_fd < 0 ? read_fd : copy_file(self, fd, least_bytes);
    if (error)
        fd_close(&read_fd);
    return error ? error : read_fd;
}

int scratch_own_image(const char *dir, uint64_t least_bytes)
{
    FREED_BY(fd_close) int self = open_self();

    if (self < 0)
        return self;
    int fd = memory_image(self, least_bytes);
    return fd < 0 && dir[0] ? file_image(self, dir, least_bytes) : fd;
}

/* Returns -errno: -ENOSYS before Linux 3.19, or where a container forbids it. */
static int execveat_image(int fd, char *const argv[], char *const envp[])
{
#ifdef SYS_execveat
    (void)syscall(SYS_execveat, fd, "", argv, envp, EMPTY_PATH);
    return errno == EPERM ? -ENOSYS : -errno;
#else
    (void)fd;
    (void)argv;
    (void)envp;
    return -ENOSYS;
#endif
}

bool scratch_can_exec(int fd)
{
    return execveat_image(-1, NULL, NULL) != -ENOSYS || access(PROCFS_PATH("/proc/self/fd/%d", fd), X_OK) == 0;
}

int scratch_exec(int fd, char *const argv[], char *const envp[])
{
    int error = execveat_image(fd, argv, envp);

    if (error != -ENOSYS)
        return error;
    (void)execve(PROCFS_PATH("/proc/self/fd/%d", fd), argv, envp);
    return -errno;
}
