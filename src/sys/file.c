/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/process.h"

#define READER_WAIT_NS 20000000u /* ns between attempts to open a pipe that nobody reads */
#define LINKS_MOST     40u       /* as in the kernel */
/* Opens a directory only for other calls. Before Linux 3.6 fstat() does not work on it. */
#define WALK   (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define APPEND (O_APPEND | O_CLOEXEC | O_NOCTTY)

/* In a world-writable directory the link's owner shows who made it; elsewhere a user who names a path trusts the
 * directory's owner. */
static bool may_follow(const struct stat *folder, const struct stat *link)
{
    return !(folder->st_mode & S_IWOTH) || link->st_uid == geteuid() || link->st_uid == folder->st_uid;
}

static int walk(int at, const char *path, unsigned *links);

/* Returns the descriptor of the directory that the link leads to, or -errno. Where may_follow() checks owners,
 * nobody else can replace the link meanwhile. */
static int follow(int at, const char *name, const struct stat *link, unsigned *links)
{
    char text[PATH_MAX];
    struct stat folder, proc;

    if (fstatat(at, ".", &folder, 0))
        return -errno;
    if (!may_follow(&folder, link) || ++*links > LINKS_MOST)
        return -ELOOP;
    /* Links of /proc cannot be followed by their text, which need not be a path. */
    if (stat("/proc/self", &proc) == 0 && proc.st_dev == folder.st_dev)
        return sys_result(openat(at, name, WALK));
    ssize_t length = readlinkat(at, name, text, sizeof(text) - 1);
    if (length < 0)
        return -errno;
    text[length] = 0;
    return walk(at, text, links);
}

int directory_walk(int fd, const char *path, int (*enter)(int at, const char *name, void *context), void *context)
{
    char name[NAME_MAX + 1];

    while (fd >= 0 && (path += strspn(path, "/"), *path)) {
        const int length = (int)strcspn(path, "/");
        const bool fits = (size_t)TEXT_PRINT(name, "%.*s", length, path) < sizeof(name);
        const int next = fits ? enter(fd, name, context) : -ENAMETOOLONG;
        close(fd);
        fd = next;
        path += length;
    }
    return fd;
}

/* links counts those followed so far. Returns the descriptor or -errno. */
static int open_component(int at, const char *name, void *links)
{
    struct stat status;

    if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (S_ISLNK(status.st_mode))
        return follow(at, name, &status, links);
    return sys_result(openat(at, name, WALK | O_NOFOLLOW));
}

/* Opens a path from the directory `at`, which stays open. Returns the descriptor or -errno. */
static int walk(int at, const char *path, unsigned *links)
{
    const int fd = path[0] ? sys_result(openat(at, path[0] == '/' ? "/" : ".", WALK)) : -ENOENT;

    return directory_walk(fd, path, open_component, links);
}

int directory_open(const char *path)
{
    unsigned links = 0;

    return walk(AT_FDCWD, path, &links);
}

int directory_open_parent(const char *path, const char **name)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');

    *name = slash ? slash + 1 : path;
    if (!**name)
        return path[0] ? -EISDIR : -ENOENT;
    const int length = (int)(*name - path);
    if ((size_t)TEXT_PRINT(folder, "%.*s", length, path) >= sizeof(folder))
        return -ENAMETOOLONG;
    return directory_open(length ? folder : ".");
}

int directory_create(const char *path)
{
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);

    return folder < 0 ? folder : new_file(folder, name, APPEND, 0644);
}

int directory_clear(const char *path)
{
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);

    if (folder < 0)
        return folder;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    return S_ISREG(status.st_mode) && unlinkat(folder, name, 0) ? -errno : 0;
}

/* Opens for appending; waits for a pipe's reader unless a signal asks the program to end. Returns the descriptor or
 * -errno. */
static int open_writing(int folder, const char *name, int flags)
{
    int fd;

    while ((fd = openat(folder, name, O_WRONLY | O_NONBLOCK | APPEND | flags)) < 0 && errno == ENXIO) {
        if (signals_pending())
            return -ENXIO;
        signals_sleep_ns(READER_WAIT_NS);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, APPEND); /* not O_NONBLOCK */
    return sys_result(fd);
}

/* Opens for appending, but no regular file or block device: inspected first, as opening alone can affect a device,
 * and again when open. refused: 0, or the -errno to return instead. */
static int open_as_seen(int folder, const char *name, int flags, int refused)
{
    struct stat before, now;

    if (fstatat(folder, name, &before, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
        return errno == ENOENT ? -EEXIST : -errno; /* ENOENT: a dangling link */
    if (S_ISREG(before.st_mode) || S_ISBLK(before.st_mode))
        return S_ISREG(before.st_mode) ? -EEXIST : -ENOTBLK;
    int fd = refused ? refused : open_writing(folder, name, flags);
    if (fd < 0)
        return fd;
    if (fstat(fd, &now) == 0 && directory_is_same(&now, &before))
        return fd;
    close(fd);
    return -EEXIST;
}

int directory_open_existing(const char *path)
{
    struct stat there, itself;
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);

    if (folder < 0)
        return folder;
    if (fstatat(folder, ".", &there, 0) || fstatat(folder, name, &itself, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (S_ISLNK(itself.st_mode)) {
        /* Only this user or root can have made, or can replace, the link. */
        const bool ours = (there.st_mode & S_ISVTX || !(there.st_mode & (S_IWGRP | S_IWOTH))) &&
                          (there.st_uid == 0 || there.st_uid == geteuid()) &&
                          (itself.st_uid == 0 || itself.st_uid == geteuid());
        return open_as_seen(folder, name, 0, ours ? 0 : -ELOOP);
    }
    return open_as_seen(folder, name, O_NOFOLLOW,
                        S_ISFIFO(itself.st_mode) && !may_follow(&there, &itself) ? -EACCES : 0);
}

const char *directory_why_not(int error)
{
    return error == -EEXIST    ? "the file exists; jitbench never overwrites"
           : error == -ENOTBLK ? "is a block device; jitbench never overwrites"
           : error == -ENXIO   ? "a pipe that no process reads from"
           : error == -ELOOP   ? "leads through a symbolic link that another user may have put there"
                               : strerror(-error);
}

int directory_refused(const char *path, int reason, char *error, size_t error_size)
{
    struct stat st;
    const char *const slash = strrchr(path, '/');
    const mode_t kind = reason == -EEXIST && lstat(path, &st) == 0 ? st.st_mode & S_IFMT : 0;

    if (reason == -ENOENT && slash)
        snprintf(error, error_size, "-o '%.4000s': there is no folder '%.*s'", path, (int)(slash - path), path);
    else
        snprintf(error, error_size, "-o '%.4000s': %s%s", path,
                 kind == S_IFLNK ? "a symbolic link; jitbench makes only new files" : directory_why_not(reason),
                 kind == S_IFREG ? " without --force" : "");
    return -1;
}

int directory_remove(const char *path, int fd)
{
    struct stat ours, named;
    const char *name;
    const int error = errno;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);
    int result = folder;

    if (folder >= 0)
        result = sys_result(fstat(fd, &ours) ? -1 : fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW));
    if (result == 0 && directory_is_same(&ours, &named))
        result = sys_result(unlinkat(folder, name, 0));
    errno = error;
    return result == -ENOENT ? 0 : result;
}

int directory_flush(const char *path)
{
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);

    if (folder < 0)
        return folder;
    FREED_BY(fd_close) int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* O_PATH cannot be flushed */
    return fd < 0 || (fsync(fd) && errno != EINVAL) ? -errno : 0;                        /* EINVAL: nothing to flush */
}

#define NO_REPLACE 1u /* RENAME_NOREPLACE, which older headers lack */

int new_file(int folder, const char *name, int flags, mode_t mode)
{
    return sys_result(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | flags, mode));
}

static void new_file_random_name(char name[NEW_FILE_NAME_SIZE])
{
    uint64_t random;

    process_random(&random, sizeof(random));
    snprintf(name, NEW_FILE_NAME_SIZE, ".jitbench-%016llx", (unsigned long long)random);
}

int new_file_with_random_name(int folder, char name[NEW_FILE_NAME_SIZE], int flags, mode_t mode)
{
    int fd = -EEXIST;

    for (int tries = 0; fd == -EEXIST && tries < NAME_TRIES; tries++) {
        new_file_random_name(name);
        fd = new_file(folder, name, flags, mode);
    }
    return fd;
}

/* A file without a name, removed when closed. Not all file systems can. */
static int new_file_nameless(int folder, mode_t mode)
{
    return sys_result(openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
}

int new_file_hidden(int folder, mode_t mode, char hidden[NEW_FILE_NAME_SIZE])
{
    /* without /proc only root can name a nameless file */
    const bool nameable = geteuid() == 0 || access("/proc/self/fd", X_OK) == 0;
    int fd = nameable ? new_file_nameless(folder, mode) : -EOPNOTSUPP;

    hidden[0] = '\0';
    return fd < 0 ? new_file_with_random_name(folder, hidden, O_CLOEXEC, mode) : fd;
}

int new_file_publish(int fd, int folder, const char hidden[NEW_FILE_NAME_SIZE], const char *name)
{
    if (!hidden[0]) {
        int code = sys_result(linkat(fd, "", folder, name, AT_EMPTY_PATH));
        if (code && code != -EEXIST) /* without that privilege */
            code = sys_result(linkat(AT_FDCWD, PROCFS_PATH("/proc/self/fd/%d", fd), folder, name, AT_SYMLINK_FOLLOW));
        return code;
    }
    if (linkat(folder, hidden, folder, name, 0) == 0)
        return sys_result(unlinkat(folder, hidden, 0));
    const int error = -errno; /* FAT has no links */
    if (error == -EEXIST || syscall(SYS_renameat2, folder, hidden, folder, name, NO_REPLACE) == 0)
        return error == -EEXIST ? error : 0;
    return errno == EEXIST ? -EEXIST : error;
}

int new_file_in_memory(unsigned flags, unsigned newer)
{
    long fd = syscall(SYS_memfd_create, "jitbench", flags | newer);

    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_memfd_create, "jitbench", flags);
    return sys_result(fd);
}

int new_file_write(int fd, const void *data, size_t size)
{
    return signals_write(fd, data, size) == size ? 0 : -errno;
}

/* Pause in ns: scripts of a killed process may still write for a moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

/* Makes a file without a name, and opens it for writing, and once more for reading in *read_fd unless read_fd is
 * NULL. Returns the descriptor for writing. */
static int scratch_named_file(int folder, int mode, int *read_fd)
{
    char name[NEW_FILE_NAME_SIZE];
    struct stat made, opened;
    int fd = new_file_with_random_name(folder, name, O_CLOEXEC, (mode_t)mode);

    if (fd < 0)
        return fd;
    if (read_fd) {
        fchmod(fd, (mode_t)mode); /* whatever the umask */
        *read_fd = sys_result(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        /* the owner of `folder` may have replaced the file */
        if (*read_fd >= 0 && (fstat(fd, &made) || fstat(*read_fd, &opened) || !directory_is_same(&made, &opened))) {
            close(*read_fd);
            *read_fd = -EPERM;
        }
    }
    unlinkat(folder, name, 0);
    return fd;
}

int scratch_file(const char *dir)
{
    FREED_BY(fd_close) int folder = directory_open(dir);

    if (folder < 0)
        return folder;
    int fd = new_file_nameless(folder, 0600);
    return fd < 0 ? scratch_named_file(folder, 0600, NULL) : fd;
}

int scratch_folder(const char *dir, char *path, size_t size)
{
    char name[NEW_FILE_NAME_SIZE];
    FREED_BY(fd_close) int parent = directory_open(dir);
    int error = parent < 0 ? parent : -EEXIST;
    const mode_t before = umask(077); /* it may take the owner's permissions; no other thread runs */

    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        new_file_random_name(name);
        const bool fits = (size_t)snprintf(path, size, "%s/%s", dir, name) < size;
        error = fits ? sys_result(mkdirat(parent, name, 0700)) : -ENAMETOOLONG;
    }
    umask(before);
    if (error)
        path[0] = '\0';
    return error;
}

/* Opens the directory `name` in `parent`, unless it is a symbolic link. Returns a descriptor or -errno. */
static int scratch_open_folder(int parent, const char *name)
{
    return sys_result(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/* Tries once to remove the files in the directory (open as folder), then the directory, unless the name belongs to
 * another one by now. Returns 0 or -errno; after a signal, or if the file system skipped names, another try may
 * succeed. */
static int remove_folder(int parent, const char *name, int folder)
{
    struct stat status, named;
    int fd = scratch_open_folder(folder, "."); /* begins at the start of the directory */

    if (fd < 0)
        return fd;
    DIR *files = fdopendir(fd);
    for (const struct dirent *entry; files && (entry = readdir(files));)
        unlinkat(fd, entry->d_name, 0); /* unlinkat() refuses "." and ".." */
    if (files)
        closedir(files);
    else
        close(fd);
    if (fstat(folder, &status) || fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (!directory_is_same(&status, &named))
        return -ESTALE;
    return sys_result(unlinkat(parent, name, AT_REMOVEDIR));
}

/* Removes the directory at path; with a note, only the one that it describes, or an empty one where it does not say
 * which. Returns 0 or -errno: -ESTALE for another directory. */
static int remove_path(const char *path, const struct scratch_note *note)
{
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int parent = directory_open_parent(path, &name);

    if (parent < 0)
        return parent;
    if (note && !note->inode)
        return sys_result(unlinkat(parent, name, AT_REMOVEDIR));
    FREED_BY(fd_close) int folder = scratch_open_folder(parent, name);
    if (folder >= 0 && note && fstat(folder, &status))
        return -errno;
    if (folder >= 0 && note && (status.st_dev != note->device || status.st_ino != note->inode))
        return -ESTALE;
    return folder < 0 ? folder : remove_folder(parent, name, folder);
}

/* Returns whether to try again after this error (0: no). */
static bool is_still_there(int error)
{
    return error && error != -ENOENT && error != -ENOTDIR && error != -ELOOP && error != -ESTALE && error != -EROFS;
}

int scratch_remove(const char *path)
{
    int error, tries = 4;

    do
        error = remove_path(path, NULL);
    while (is_still_there(error) && --tries);
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

uint64_t scratch_free_bytes(const char *dir)
{
    struct statvfs fs;

    if (statvfs(dir, &fs) || fs.f_blocks == 0)
        return 0;
    return fs.f_bavail ? (uint64_t)fs.f_bavail * fs.f_frsize : 1;
}

/* --- Copies of this program. --- */

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
            n = (ssize_t)smaller(least_bytes - size, sizeof(buffer));
            memset(buffer, 0, (size_t)n);
        }
        size += (uint64_t)n;
        int error = new_file_write(to, buffer, (size_t)n);
        if (error)
            return error;
    }
}

/* In an unlinked file in dir. What is open for writing cannot be executed (ETXTBSY): only a second descriptor is
 * kept. Returns it or -errno. */
static int file_image(int self, const char *dir, uint64_t least_bytes)
{
    int read_fd = -1;
    struct statvfs fs;

    if (statvfs(dir, &fs))
        return -errno;
    if (fs.f_flag & ST_NOEXEC)
        return -EACCES;
    FREED_BY(fd_close) int folder = directory_open(dir);
    FREED_BY(fd_close) int fd = folder < 0 ? folder : scratch_named_file(folder, 0700, &read_fd);
    const int error = fd < 0 ? fd : read_fd < 0 ? read_fd : copy_file(self, fd, least_bytes);
    if (error)
        fd_close(&read_fd);
    return error ? error : read_fd;
}

int scratch_own_image(const char *dir, uint64_t least_bytes)
{
    FREED_BY(fd_close) int self = process_open_self();

    if (self < 0)
        return self;
    /* Linux before 6.3 does not know MFD_EXEC; vm.memfd_noexec=2 refuses every executable memfd. */
    int fd = new_file_in_memory(MEMFD_CLOEXEC, MEMFD_EXEC);
    const int error = fd < 0 ? fd : copy_file(self, fd, least_bytes);
    if (!error)
        return fd;
    fd_close(&fd);
    return dir[0] ? file_image(self, dir, least_bytes) : error;
}

/* Returns -errno: -ENOSYS before Linux 3.19, or where a container forbids it. */
static int execveat_image(int fd, char *const argv[], char *const envp[])
{
    syscall(SYS_execveat, fd, "", argv, envp, EMPTY_PATH);
    return errno == EPERM ? -ENOSYS : -errno;
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
    execve(PROCFS_PATH("/proc/self/fd/%d", fd), argv, envp);
    return -errno;
}

/* --- Scratch directories that a keeper removes. --- */

static void keeper_main(const struct scratch_keeper *keeper, int life_fd)
{
    char byte;

    process_ignore_ending();
    dup2(life_fd, 0);
    process_close_from(1);       /* what it inherited would stay open as long as it lives */
    procfs_read_fd(0, &byte, 1); /* end of file: the owner has been killed, or could not kill this process */
    if (keeper->note->path[0])
        keeper->orphaned(keeper->context);
    _exit(0);
}

/* Checks that the new directory is ours: who may write to its parent can have replaced it. Returns 0 or -errno. */
static int open_own(struct scratch_keeper *keeper)
{
    struct scratch_note *note = keeper->note;
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int parent = directory_open_parent(note->path, &name);

    keeper->folder = parent < 0 ? parent : scratch_open_folder(parent, name);
    if (keeper->folder < 0)
        return keeper->folder;
    if (fstat(keeper->folder, &status))
        return -errno;
    if (status.st_uid != geteuid())
        return -EPERM;
    note->device = status.st_dev;
    note->inode = status.st_ino;
    return 0;
}

int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper)
{
    struct scratch_note *note = keeper->note;
    int life[2];

    memset(note, 0, sizeof(*note));
    if (pipe2(life, O_CLOEXEC))
        return -errno;
    keeper->folder = -1;
    keeper->fd = life[1];
    keeper->pid = fork();
    int error = keeper->pid < 0 ? -errno : 0;
    if (keeper->pid == 0)
        keeper_main(keeper, life[0]);
    if (!error)
        setpgid(keeper->pid, keeper->pid); /* signals to the owner's group must not reach it */
    close(life[0]);
    /* The name is stored before the directory exists, for those who find it after this process was killed. */
    if (!error && (error = scratch_folder(dir, note->path, sizeof(note->path))))
        note->path[0] = 0;
    if (!error)
        error = open_own(keeper);
    if (error)
        scratch_keeper_end(keeper);
    return error;
}

void scratch_keeper_end(struct scratch_keeper *keeper)
{
    if (!keeper->pid)
        return;
    scratch_remove_noted(keeper->note);
    keeper->note->path[0] = 0;
    if (keeper->pid > 0)
        kill(keeper->pid, SIGKILL);
    close(keeper->fd);
    if (keeper->pid > 0)
        process_await(keeper->pid);
    fd_close(&keeper->folder);
    keeper->pid = 0;
}
