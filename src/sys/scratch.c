/* SPDX-License-Identifier: MIT */
/* Scratch files and directories that are removed however the program ends, and copies of this program to be
 * executed. */
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
#include "sys/folder.h"
#include "sys/new_file.h"
#include "sys/process.h"

/* The headers of an older C library or of musl may lack them. */
#define MEMFD_CLOEXEC 0x0001u
#define MEMFD_EXEC    0x0010u
#define EMPTY_PATH    0x1000

#define NAME_TRIES 16
/* Highest descriptor that may be open: more than this program and its parent use. */
#define DESCRIPTORS 4096
/* Removal is retried, since scripts of a killed worker may still write into the directory for a moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

/* Returns whether both descriptors refer to the same file. */
static bool is_same(int a, int b)
{
    struct stat one, other;

    return fstat(a, &one) == 0 && fstat(b, &other) == 0 && folder_is_same(&one, &other);
}

/* Makes a file and opens it for writing, and also for reading unless read_fd is NULL. Its name is removed before
 * this returns. */
static int named_file(int folder, int mode, int *read_fd)
{
    char name[NEW_FILE_NAME_SIZE];
    int fd = new_file_random(folder, name, O_CLOEXEC, (mode_t)mode);

    if (fd < 0)
        return fd;
    if (read_fd) {
        (void)fchmod(fd, (mode_t)mode); /* permissions must not depend on the umask */
        *read_fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        *read_fd = *read_fd < 0 ? -errno : *read_fd;
        if (*read_fd >= 0 && !is_same(fd, *read_fd)) { /* the directory's owner has replaced the file */
            (void)close(*read_fd);
            *read_fd = -EPERM;
        }
    }
    (void)unlinkat(folder, name, 0);
    return fd;
}

int scratch_file(const char *dir)
{
    int folder = folder_open(dir);

    if (folder < 0)
        return folder;
    int fd = new_file_nameless(folder, 0600);
    if (fd < 0)
        fd = named_file(folder, 0600, NULL);
    (void)close(folder);
    return fd;
}

static int name_path(const char *dir, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s", dir, name);

    return (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int scratch_unnamed(const char *path)
{
    struct stat status;
    const char *name;
    int folder = folder_of(path, &name);

    if (folder < 0)
        return folder;
    int fd = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) ? 0 : -EEXIST;
    if (!fd && access("/proc/self/fd", X_OK) && geteuid() != 0)
        fd = -EOPNOTSUPP; /* scratch_give_name() could not work */
    if (!fd)
        fd = new_file_nameless(folder, 0644);
    (void)close(folder);
    return fd;
}

int scratch_give_name(int fd, const char *path)
{
    const char *name;
    int folder = folder_of(path, &name);

    if (folder < 0)
        return folder;
    int error = new_file_give_name(fd, folder, name);
    (void)close(folder);
    return error;
}

/* Makes a directory of our own in parent. */
static int make_folder(int parent, const char *name)
{
    const mode_t before = umask(077); /* the user's umask may remove the owner's permissions; no other thread runs
                                       * here */
    int error = mkdirat(parent, name, 0700) ? -errno : 0;

    (void)umask(before);
    return error;
}

int scratch_folder(const char *dir, char *path, size_t size)
{
    char name[NEW_FILE_NAME_SIZE];
    int error = -EEXIST, parent = folder_open(dir);

    if (parent < 0)
        return parent;
    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        new_file_random_name(name);
        error = name_path(dir, name, path, size);
        if (!error)
            error = make_folder(parent, name);
    }
    (void)close(parent);
    return error;
}

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

static int open_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Returns 0 when the name still belongs to the directory, or -errno: -ESTALE when it belongs to another one. */
static int check_name(int parent, const char *name, int folder)
{
    struct stat status, named;

    if (fstat(folder, &status) || fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW))
        return -errno;
    return folder_is_same(&status, &named) ? 0 : -ESTALE;
}

/* Removes the files, then the directory, in one pass. Further passes may be needed: a file system may skip names
 * while others are removed, and a temporary failure (a signal, no memory, no descriptor) may pass. When the name
 * belongs to another directory by now, only the files are removed. */
static int remove_folder(int parent, const char *name, int folder)
{
    int fd = open_folder(folder, "."); /* opened anew: each pass begins at the start of the directory */

    if (fd < 0)
        return fd;
    remove_files(fd);
    int error = check_name(parent, name, folder);
    if (error)
        return error;
    return unlinkat(parent, name, AT_REMOVEDIR) ? -errno : 0;
}

/* Removes a directory by its path, unless note says that it is another one; NULL: any. */
static int remove_path(const char *path, const struct scratch_note *note)
{
    struct stat status;
    const char *name;
    int parent = folder_of(path, &name);

    if (parent < 0)
        return parent;
    int folder = open_folder(parent, name), error = folder;
    if (folder >= 0) {
        bool other = note && note->inode &&
                     (fstat(folder, &status) || status.st_dev != note->device || status.st_ino != note->inode);
        error = other ? -ESTALE : remove_folder(parent, name, folder);
        (void)close(folder);
    }
    (void)close(parent);
    return error;
}

/* Returns whether another try makes sense. */
static bool is_still_there(int error)
{
    return error && error != -ENOENT && error != -ENOTDIR && error != -ELOOP && error != -ESTALE && error != -EROFS;
}

int scratch_remove(const char *path)
{
    int error = remove_path(path, NULL);

    for (int tries = 1; is_still_there(error) && tries < 4; tries++)
        error = remove_path(path, NULL);
    return error;
}

void scratch_remove_noted(const struct scratch_note *note)
{
    for (int tries = 0; note->path[0] && tries < REMOVE_TRIES; tries++) {
        if (!is_still_there(remove_path(note->path, note)))
            return;
        clock_sleep_ns(REMOVE_PAUSE_NS);
    }
}

/* --- The keeper, which removes the directory. --- */

/* Closes all descriptors that the keeper inherited, which would stay open as long as it lives. */
static void close_all_but(const int kept[3])
{
    /* The resource limit does not help: it may have been lowered, and musl makes one up where it cannot be read. */
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fd != kept[0] && fd != kept[1] && fd != kept[2])
            (void)close(fd);
}

struct keeper_answer {
    int error;
    dev_t device;
    ino_t inode;
};

/* Waits for end of file on a pipe, which comes when the other process is gone, for whatever reason. */
static void wait_for_end(int fd)
{
    char byte;
    ssize_t n;

    do
        n = read(fd, &byte, 1);
    while (n > 0 || (n < 0 && errno == EINTR));
}

/* Opens the new directory, and checks that it is ours: whoever may write to its parent directory can have replaced
 * it immediately. Returns the descriptor or -errno. */
static int open_own(int parent, const char *name, struct stat *status)
{
    int fd = open_folder(parent, name);

    if (fd < 0)
        return fd;
    int error = fstat(fd, status) ? -errno : status->st_uid == geteuid() ? 0 : -EPERM;
    if (!error)
        return fd;
    (void)close(fd);
    return error;
}

/* Makes the directory and sends the answer. Returns the descriptor or -errno. */
static int keeper_begin(int parent, const char *name, int answer_fd)
{
    struct keeper_answer answer;
    struct stat status = {.st_ino = 0};

    memset(&answer, 0, sizeof(answer));
    answer.error = make_folder(parent, name);
    int folder = answer.error ? answer.error : open_own(parent, name, &status);
    if (folder >= 0) {
        answer.device = status.st_dev;
        answer.inode = status.st_ino;
    } else if (!answer.error) {
        answer.error = folder;
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    (void)!write(answer_fd, &answer, sizeof(answer)); /* a failure is followed by end of file, since no reader is
                                                       * left */
    (void)close(answer_fd);
    return folder;
}

static void keeper_main(const struct scratch_keeper *keeper, int parent, const char *name, int answer_fd, int life_fd)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    const struct scratch_owner *owner = &keeper->owner;

    (void)setsid(); /* a signal to the worker's group must not reach this process */
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        (void)signal(ending[i], SIG_IGN);
    close_all_but((int[]){parent, answer_fd, life_fd});
    int folder = keeper_begin(parent, name, answer_fd);
    if (folder < 0)
        _exit(1);
    wait_for_end(life_fd);
    bool orphaned = !__atomic_load_n(&keeper->note->ended, __ATOMIC_ACQUIRE);
    int error = remove_folder(parent, name, folder);
    for (int tries = 1; is_still_there(error) && tries < REMOVE_TRIES; tries++) {
        clock_sleep_ns(REMOVE_PAUSE_NS);
        error = remove_folder(parent, name, folder);
    }
    if (orphaned && owner->orphaned)
        owner->orphaned(owner->context);
    _exit(0);
}

static void close_pair(const int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static int read_answer(int fd, struct keeper_answer *answer)
{
    ssize_t n;

    do
        n = read(fd, answer, sizeof(*answer)); /* the answer is short enough to be written and read at once */
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(*answer) ? answer->error : n < 0 ? -errno : -EPIPE;
}

/* Opens the directory that the keeper has made. */
static int open_kept(int parent, const char *name, const struct keeper_answer *answer, struct scratch_keeper *keeper)
{
    struct stat status;
    int fd = open_own(parent, name, &status);

    if (fd < 0)
        return fd;
    keeper->folder = fd;
    if (status.st_dev != answer->device || status.st_ino != answer->inode)
        return -EPERM;
    keeper->note->device = status.st_dev;
    keeper->note->inode = status.st_ino;
    return 0;
}

static int start_keeper(struct scratch_keeper *keeper, int parent, const char *name)
{
    struct keeper_answer answer;
    int answers[2], life[2], error;

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
        keeper_main(keeper, parent, name, answers[1], life[0]);
    (void)close(answers[1]);
    (void)close(life[0]);
    keeper->fd = life[1];
    error = read_answer(answers[0], &answer);
    (void)close(answers[0]);
    return error ? error : open_kept(parent, name, &answer, keeper);
}

/* Waits for the keeper, which leaves a directory behind only when it was killed itself. */
static void end_keeper(struct scratch_keeper *keeper)
{
    (void)close(keeper->fd);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    if (keeper->folder >= 0)
        (void)close(keeper->folder);
    keeper->pid = 0;
    keeper->fd = keeper->folder = -1;
}

int scratch_kept_folder(const char *dir, const struct scratch_owner *owner, struct scratch_keeper *keeper)
{
    char name[NEW_FILE_NAME_SIZE];
    int error = -EEXIST, parent = folder_open(dir);

    memset(keeper, 0, sizeof(*keeper));
    keeper->fd = keeper->folder = -1;
    keeper->owner = *owner;
    keeper->note = owner->note ? owner->note : &keeper->own_note;
    if (parent < 0)
        return parent;
    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        /* The name is noted before the directory exists, so that other processes can find it if this one is killed. */
        new_file_random_name(name);
        error = name_path(dir, name, keeper->note->path, sizeof(keeper->note->path));
        if (!error)
            error = start_keeper(keeper, parent, name);
        if (error && keeper->pid > 0)
            end_keeper(keeper);
    }
    if (error)
        keeper->note->path[0] = 0;
    (void)close(parent);
    return error;
}

void scratch_keeper_end(struct scratch_keeper *keeper)
{
    if (keeper->pid <= 0)
        return;
    __atomic_store_n(&keeper->note->ended, true, __ATOMIC_RELEASE);
    end_keeper(keeper);
    scratch_remove_noted(keeper->note);
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

/* Copies a file and appends zeros up to least_bytes. */
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

    if (fd < 0)
        return fd;
    int error = copy_file(self, fd, least_bytes);
    if (error) {
        (void)close(fd);
        return error;
    }
    return fd;
}

/* Makes the copy in a file. A file that is open for writing cannot be executed (ETXTBSY), so that only a second
 * descriptor, for reading, is kept. */
static int file_image(int self, const char *dir, uint64_t least_bytes)
{
    int read_fd = -1;
    int may_exec = scratch_may_exec(dir);

    if (may_exec <= 0)
        return may_exec < 0 ? may_exec : -EACCES;
    int folder = folder_open(dir), fd = folder < 0 ? folder : named_file(folder, 0700, &read_fd);
    if (folder >= 0)
        (void)close(folder);
    if (fd < 0)
        return fd;
    int error = read_fd < 0 ? read_fd : copy_file(self, fd, least_bytes);
    (void)close(fd);
    if (error) {
        if (read_fd >= 0)
            (void)close(read_fd);
        return error;
    }
    return read_fd;
}

int scratch_own_image(const char *dir, uint64_t least_bytes)
{
    int self = open_self();

    if (self < 0)
        return self;
    int fd = memory_image(self, least_bytes);
    if (fd < 0 && dir[0])
        fd = file_image(self, dir, least_bytes);
    (void)close(self);
    return fd;
}

/* Executes the image by execveat, which Linux before 3.19 lacks and a container may forbid. */
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
