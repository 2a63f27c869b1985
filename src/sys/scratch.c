/* SPDX-License-Identifier: MIT */
/* Scratch files and folders that vanish whatever happens, and copies of this program to be executed. */
#include "sys/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/process.h"

/* The headers of an older C library or of musl may lack them. */
#define MEMFD_CLOEXEC 0x0001u
#define MEMFD_EXEC    0x0010u
#define EMPTY_PATH    0x1000

#define NAME_TRIES 16
/* More than this program and who started it have open. */
#define DESCRIPTORS 4096
/* Scripts of a worker that was killed may still write into the folder for a moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

static int random_name(const char *dir, char *path, size_t size)
{
    uint64_t random;

    process_random(&random, sizeof(random));
    int n = snprintf(path, size, "%s/.jitbench-%016llx", dir, (unsigned long long)random);
    return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* A file with two descriptors, one for writing, and one for reading unless read_fd is NULL; its name is gone when this
 * returns. */
static int named_file(const char *dir, int mode, int *read_fd)
{
    char path[PATH_MAX];
    int fd = -EEXIST;

    for (int tries = 0; fd == -EEXIST && tries < NAME_TRIES; tries++) {
        int error = random_name(dir, path, sizeof(path));
        if (error)
            return error;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        fd = fd < 0 ? -errno : fd;
    }
    if (fd < 0)
        return fd;
    if (read_fd) {
        (void)fchmod(fd, (mode_t)mode); /* whatever the umask left of it */
        *read_fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        *read_fd = *read_fd < 0 ? -errno : *read_fd;
    }
    (void)unlink(path);
    return fd;
}

int scratch_file(const char *dir)
{
#ifdef O_TMPFILE
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
#endif
    return named_file(dir, 0600, NULL);
}

int scratch_folder(const char *dir, char *path, size_t size)
{
    int error = -EEXIST;

    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        error = random_name(dir, path, size);
        if (!error && mkdir(path, 0700)) {
            error = -errno;
        } else if (!error && chmod(path, 0700)) { /* the umask may take what the owner needs */
            error = -errno;
            (void)rmdir(path);
        }
    }
    return error;
}

/* One pass: a file system may skip names while others are removed. */
static void remove_files(int folder_fd)
{
    const struct dirent *entry;
    DIR *folder = fdopendir(folder_fd);

    if (!folder) {
        (void)close(folder_fd);
        return;
    }
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    (void)closedir(folder);
}

int scratch_remove(const char *path)
{
    int error = -ENOTEMPTY;

    /* What is refused once (a signal, no memory, no descriptor) may be granted the next time. */
    for (int tries = 0; error && error != -ENOENT && tries < 4; tries++) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            remove_files(fd);
        error = fd < 0 || rmdir(path) ? -errno : 0;
    }
    return error;
}

/* --- The keeper. --- */

/* Everything that the keeper inherited would stay open as long as it lives. */
static void close_all_but(int first, int second)
{
    /* The limit says nothing: it may have been lowered since, and musl makes one up where it cannot be read. */
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fd != first && fd != second)
            (void)close(fd);
}

struct keeper_answer {
    int error;
    char path[SCRATCH_PATH_MAX];
};

/* A pipe's end of file says that the other process is gone, whatever ended it. */
static void wait_for_end(int fd)
{
    char byte;
    ssize_t n;

    do
        n = read(fd, &byte, 1);
    while (n > 0 || (n < 0 && errno == EINTR));
}

static void keeper_main(const char *dir, int answer_fd, int life_fd)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct keeper_answer answer;

    (void)setsid(); /* what kills the worker's group must not reach this process */
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        (void)signal(ending[i], SIG_IGN);
    close_all_but(answer_fd, life_fd);
    memset(&answer, 0, sizeof(answer));
    answer.error = scratch_folder(dir, answer.path, sizeof(answer.path));
    ssize_t ignored =
        write(answer_fd, &answer, sizeof(answer)); /* nobody left to read it: the end of file comes next */
    (void)ignored;
    (void)close(answer_fd);
    if (answer.error)
        _exit(1);
    wait_for_end(life_fd);
    for (int tries = 0; scratch_remove(answer.path) && tries < REMOVE_TRIES && access(answer.path, F_OK) == 0; tries++)
        clock_sleep_ns(REMOVE_PAUSE_NS);
    _exit(0);
}

static void close_pair(const int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static int read_answer(int fd, struct keeper_answer *answer)
{
    size_t length = 0;

    while (length < sizeof(*answer)) {
        ssize_t n = read(fd, (char *)answer + length, sizeof(*answer) - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EPIPE;
        length += (size_t)n;
    }
    return answer->error;
}

int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper)
{
    struct keeper_answer answer;
    int answers[2], life[2], error;

    memset(keeper, 0, sizeof(*keeper));
    keeper->fd = -1;
    if (pipe2(answers, O_CLOEXEC))
        return -errno;
    if (pipe2(life, O_CLOEXEC)) {
        error = -errno;
        close_pair(answers);
        return error;
    }
    keeper->pid = fork();
    if (keeper->pid < 0) {
        error = -errno;
        keeper->pid = 0;
        close_pair(answers);
        close_pair(life);
        return error;
    }
    if (keeper->pid == 0)
        keeper_main(dir, answers[1], life[0]);
    (void)close(answers[1]);
    (void)close(life[0]);
    keeper->fd = life[1];
    error = read_answer(answers[0], &answer);
    (void)close(answers[0]);
    if (error)
        scratch_keeper_end(keeper);
    else
        memcpy(keeper->path, answer.path, sizeof(keeper->path));
    return error;
}

void scratch_keeper_end(struct scratch_keeper *keeper)
{
    if (keeper->pid <= 0)
        return;
    (void)close(keeper->fd);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    keeper->pid = 0;
    keeper->fd = -1;
}

/* --- File systems. --- */

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

/* --- Copies of this program. --- */

static int copy_file(int from, int to)
{
    char buffer[16384];

    if (lseek(from, 0, SEEK_SET) < 0)
        return -errno;
    for (;;) {
        ssize_t n = read(from, buffer, sizeof(buffer));
        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        for (ssize_t done = 0; done < n;) {
            ssize_t written = write(to, buffer + done, (size_t)(n - done));
            if (written < 0)
                return -errno;
            done += written;
        }
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

static int memory_image(int self)
{
    /* Linux before 6.3 does not know the flag; with vm.memfd_noexec=2 it is refused. */
    long fd = syscall(SYS_memfd_create, "jitbench", MEMFD_CLOEXEC | MEMFD_EXEC);

    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_memfd_create, "jitbench", MEMFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = copy_file(self, (int)fd);
    if (error) {
        (void)close((int)fd);
        return error;
    }
    return (int)fd;
}

/* What is open for writing cannot be executed (ETXTBSY): a second descriptor, for reading, is what stays. */
static int file_image(int self, const char *dir)
{
    int read_fd = -1;
    int may_exec = scratch_may_exec(dir);

    if (may_exec <= 0)
        return may_exec < 0 ? may_exec : -EACCES;
    int fd = named_file(dir, 0700, &read_fd);
    if (fd < 0)
        return fd;
    int error = read_fd < 0 ? read_fd : copy_file(self, fd);
    (void)close(fd);
    if (error) {
        if (read_fd >= 0)
            (void)close(read_fd);
        return error;
    }
    return read_fd;
}

int scratch_own_image(const char *dir)
{
    int self = open_self();

    if (self < 0)
        return self;
    int fd = memory_image(self);
    if (fd < 0 && dir[0])
        fd = file_image(self, dir);
    (void)close(self);
    return fd;
}

/* Linux before 3.19 lacks the call, and a container may forbid it. */
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
    char path[32];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return execveat_image(-1, NULL, NULL) != -ENOSYS || access(path, X_OK) == 0;
}

int scratch_exec(int fd, char *const argv[], char *const envp[])
{
    char path[32];
    int error = execveat_image(fd, argv, envp);

    if (error != -ENOSYS)
        return error;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)execve(path, argv, envp);
    return -errno;
}
