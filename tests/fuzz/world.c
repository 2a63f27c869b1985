/* SPDX-License-Identifier: MIT */
/* A machine in memory: the calls by which jitbench reaches files, its outputs and other processes, answered without a
 * system call. Linked with --wrap=NAME for each call below (tests/Makefile takes the list from here), so the
 * program is as it is. Outside of world_enter() and world_leave() calls go where they always go. */
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define FIRST_FD 100000
#define FDS_MAX  64

struct file {
    char *path;
    const char *data;
    char *owned; /* what the program wrote; NULL: data is the caller's */
    size_t size;
    size_t order; /* of files of one path the last counts */
};

static struct {
    bool inside, sorted;
    struct file *file;
    size_t n, capacity;
    struct {
        bool open;
        char *path; /* of a file or folder */
        size_t at;
    } fd[FDS_MAX];
    size_t input_at; /* what was read of standard input, the file "-" */
    FILE *out, *err, *real_out, *real_err;
} world;

struct text world_out, world_err;

/* --- Files. --- */

static int by_path(const void *a, const void *b)
{
    const struct file *one = a, *other = b;
    int order = strcmp(one->path, other->path);

    return order ? order : (one->order < other->order) - (one->order > other->order);
}

static void sort(void)
{
    if (world.sorted)
        return;
    if (world.n)
        qsort(world.file, world.n, sizeof(*world.file), by_path);
    world.sorted = true;
}

/* The first file whose path is not before this one. */
static size_t lower_bound(const char *path)
{
    size_t low = 0, high = world.n;

    sort();
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(world.file[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct file *find(const char *path)
{
    size_t i = lower_bound(path);

    return i < world.n && !strcmp(world.file[i].path, path) ? &world.file[i] : NULL;
}

static struct file *add(const char *path, const char *data, size_t size)
{
    if (world.n == world.capacity) {
        world.capacity = world.capacity ? 2 * world.capacity : 64;
        world.file = realloc(world.file, world.capacity * sizeof(*world.file));
        if (!world.file)
            abort();
    }
    world.file[world.n] = (struct file){.path = strdup(path), .data = data, .size = size, .order = world.n};
    world.sorted = false;
    return &world.file[world.n++];
}

static void remove_file(struct file *file)
{
    size_t i = (size_t)(file - world.file);

    free(file->path);
    free(file->owned);
    memmove(file, file + 1, (world.n - i - 1) * sizeof(*file));
    world.n--;
}

void world_put(const char *path, const void *data, size_t size)
{
    (void)add(path, data, size);
}

const char *world_get(const char *path, size_t *size)
{
    const struct file *file = find(path);

    *size = file ? file->size : 0;
    return file ? (file->data ? file->data : "") : NULL;
}

void world_reset(void)
{
    while (world.n)
        remove_file(&world.file[world.n - 1]);
    world.sorted = true;
    world.input_at = 0;
    text_free(&world_out);
    text_free(&world_err);
    text_append(&world_out, "", 0);
    text_append(&world_err, "", 0);
}

/* Whether files lie in it. */
static bool is_folder(const char *path)
{
    char with_slash[4200];
    int n = snprintf(with_slash, sizeof(with_slash), "%s%s", path, path[0] && path[strlen(path) - 1] == '/' ? "" : "/");

    if (!strcmp(path, ".") || !strcmp(path, "/"))
        return true;
    if (n < 0 || (size_t)n >= sizeof(with_slash))
        return false;
    size_t i = lower_bound(with_slash);
    return i < world.n && !strncmp(world.file[i].path, with_slash, (size_t)n);
}

/* --- In and out. --- */

static ssize_t put_out(void *cookie, const char *data, size_t size)
{
    text_append(cookie, data, size);
    return (ssize_t)size;
}

static FILE *stream(struct text *text)
{
    const cookie_io_functions_t io = {.write = put_out};
    FILE *file = fopencookie(text, "w", io);

    if (!file)
        abort();
    return file;
}

void world_enter(void)
{
    if (!world.out) {
        world.out = stream(&world_out);
        world.err = stream(&world_err);
    }
    world.real_out = stdout;
    world.real_err = stderr;
    stdout = world.out;
    stderr = world.err;
    world.inside = true;
}

void world_leave(void)
{
    (void)fflush(world.out);
    (void)fflush(world.err);
    world.inside = false;
    stdout = world.real_out;
    stderr = world.real_err;
    for (int i = 0; i < FDS_MAX; i++) {
        FUZZ_CHECK(!world.fd[i].open); /* a descriptor that nobody closed */
    }
}

void fuzz_fail(const char *what, const char *file, int line, const char *text, size_t length)
{
    if (world.inside) {
        world.inside = false;
        stdout = world.real_out;
        stderr = world.real_err;
    }
    (void)fprintf(stderr, "\n==FUZZ== does not hold: %s (%s:%d)\n", what, file, line);
    if (text)
        (void)fprintf(stderr, "of: <<<%.*s>>>\n", (int)(length < 65536 ? length : 65536), text);
    (void)fflush(stderr);
    abort();
}

char *fuzz_string(const uint8_t *data, size_t size)
{
    char *s = malloc(size + 1);

    if (!s)
        abort();
    if (size)
        memcpy(s, data, size);
    s[size] = 0;
    return s;
}

/* --- The calls. --- */

#define REAL(type, name, ...) \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)
/* A call that is answered by one expression. */
#define CALL(type, name, answer, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        return world.inside ? (type)(answer) : __real_##name arguments; \
    }

static int refuse(int error)
{
    errno = error;
    return -1;
}

static bool ours(int fd)
{
    return fd >= FIRST_FD && fd < FIRST_FD + FDS_MAX && world.fd[fd - FIRST_FD].open;
}

static int new_fd(const char *path)
{
    for (int i = 0; i < FDS_MAX; i++)
        if (!world.fd[i].open) {
            world.fd[i].open = true;
            world.fd[i].path = strdup(path);
            world.fd[i].at = 0;
            return FIRST_FD + i;
        }
    return refuse(EMFILE);
}

static int open_path(const char *path, int flags)
{
    struct file *file = find(path);

    if (strlen(path) >= 4096)
        return refuse(ENAMETOOLONG);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return refuse(EOPNOTSUPP);
    if (!file && is_folder(path))
        return flags & (O_WRONLY | O_RDWR) ? refuse(EISDIR) : new_fd(path);
    if (flags & O_DIRECTORY)
        return refuse(file ? ENOTDIR : ENOENT);
    if (file && flags & O_CREAT && flags & O_EXCL)
        return refuse(EEXIST);
    if (!file && (!(flags & O_CREAT) || !path[0] || path[strlen(path) - 1] == '/'))
        return refuse(ENOENT);
    if (!file)
        file = add(path, NULL, 0);
    if (flags & O_TRUNC) {
        free(file->owned);
        file->owned = NULL;
        file->data = NULL;
        file->size = 0;
    }
    return new_fd(path);
}

REAL(int, open64, const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return world.inside ? open_path(path, flags) : __real_open64(path, flags, mode);
}

/* The path of a name in the folder of a descriptor; the one before the last is overwritten. */
static const char *path_at(int folder, const char *name)
{
    static char bufs[2][8400];
    static unsigned turn;
    char *buf = bufs[turn++ % 2];

    if (folder == AT_FDCWD || name[0] == '/')
        return name;
    const char *base = ours(folder) ? world.fd[folder - FIRST_FD].path : "?";
    if (!name[0] || !strcmp(name, "."))
        return base;
    (void)snprintf(buf, sizeof(bufs[0]), "%s%s%s", strcmp(base, ".") ? base : "",
                   strcmp(base, ".") && strcmp(base, "/") ? "/" : "", name);
    return buf;
}

REAL(int, openat64, int folder, const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return world.inside ? open_path(path_at(folder, path), flags) : __real_openat64(folder, path, flags, mode);
}

REAL(int, close, int fd)
{
    if (!world.inside || (fd >= 0 && fd <= 2))
        return world.inside ? 0 : __real_close(fd);
    if (!ours(fd))
        return fd < 0 ? refuse(EBADF) : __real_close(fd);
    world.fd[fd - FIRST_FD].open = false;
    free(world.fd[fd - FIRST_FD].path);
    return 0;
}

static ssize_t read_at(int fd, void *buf, size_t size, size_t at)
{
    const struct file *file = find(world.fd[fd - FIRST_FD].path);

    if (!file && is_folder(world.fd[fd - FIRST_FD].path))
        return refuse(EISDIR);
    if (!file || at >= file->size)
        return 0;
    if (size > file->size - at)
        size = file->size - at;
    memcpy(buf, file->data + at, size);
    return (ssize_t)size;
}

REAL(ssize_t, read, int fd, void *buf, size_t size)
{
    if (!world.inside)
        return __real_read(fd, buf, size);
    if (fd == 0) {
        size_t length;
        const char *input = world_get("-", &length);
        size = size < length - world.input_at ? size : length - world.input_at;
        if (size)
            memcpy(buf, input + world.input_at, size);
        world.input_at += size;
        return (ssize_t)size;
    }
    if (!ours(fd))
        return refuse(EBADF);
    ssize_t n = read_at(fd, buf, size, world.fd[fd - FIRST_FD].at);
    world.fd[fd - FIRST_FD].at += n > 0 ? (size_t)n : 0;
    return n;
}

CALL(ssize_t, pread64, ours(fd) ? read_at(fd, buf, size, (size_t)at) : refuse(EBADF),
     (int fd, void *buf, size_t size, off_t at), (fd, buf, size, at))

/* Files of /proc and /sys are written whole; others grow. */
static ssize_t write_file(int fd, const char *data, size_t size)
{
    struct file *file = find(world.fd[fd - FIRST_FD].path);
    const bool whole = file && (!strncmp(file->path, "/proc/", 6) || !strncmp(file->path, "/sys/", 5));

    if (!file)
        return refuse(EBADF);
    const size_t before = whole ? 0 : file->size;
    char *larger = malloc(before + size + 1);
    if (!larger)
        return refuse(ENOSPC);
    if (before)
        memcpy(larger, file->data, before);
    memcpy(larger + before, data, size);
    larger[before + size] = 0;
    free(file->owned);
    file->data = file->owned = larger;
    file->size = before + size;
    return (ssize_t)size;
}

REAL(ssize_t, write, int fd, const void *data, size_t size)
{
    if (!world.inside)
        return __real_write(fd, data, size);
    if (fd == 1 || fd == 2) {
        (void)fflush(fd == 1 ? world.out : world.err);
        text_append(fd == 1 ? &world_out : &world_err, data, size);
        return (ssize_t)size;
    }
    return ours(fd) ? write_file(fd, data, size) : refuse(EBADF);
}

static int stat_path(const char *path, struct stat *out)
{
    const struct file *file = find(path);

    memset(out, 0, sizeof(*out));
    if (!file && !is_folder(path))
        return refuse(ENOENT);
    out->st_mode = file ? S_IFREG | 0600 : S_IFDIR | 0755;
    out->st_uid = geteuid();
    out->st_nlink = 1;
    out->st_ino = file ? file->order + 2 : 1;
    out->st_size = file ? (off_t)file->size : 0;
    return 0;
}

static bool is_there(const char *path)
{
    return find(path) || is_folder(path);
}

CALL(int, stat64, stat_path(path, out), (const char *path, struct stat *out), (path, out))
CALL(int, lstat64, stat_path(path, out), (const char *path, struct stat *out), (path, out))
CALL(int, fstatat64, stat_path(path_at(folder, path), out), (int folder, const char *path, struct stat *out, int flags),
     (folder, path, out, flags))
CALL(int, fstat64, ours(fd) ? stat_path(world.fd[fd - FIRST_FD].path, out) : refuse(EBADF), (int fd, struct stat *out),
     (fd, out))
CALL(int, access, is_there(path) ? 0 : refuse(ENOENT), (const char *path, int mode), (path, mode))
CALL(int, faccessat, is_there(path_at(folder, path)) ? 0 : refuse(ENOENT),
     (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))

/* A folder that is read: its path with a slash at the end, and the file that comes next. */
struct folder {
    char prefix[4200];
    char last[256];
    size_t next;
    struct dirent entry;
};

REAL(DIR *, opendir, const char *path)
{
    if (!world.inside)
        return __real_opendir(path);
    if (!is_folder(path)) {
        (void)refuse(find(path) ? ENOTDIR : ENOENT);
        return NULL;
    }
    struct folder *folder = calloc(1, sizeof(*folder));
    if (!folder)
        abort();
    if (strcmp(path, "."))
        (void)snprintf(folder->prefix, sizeof(folder->prefix), "%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/");
    folder->next = lower_bound(folder->prefix);
    return (DIR *)folder;
}

REAL(struct dirent *, readdir64, DIR *directory)
{
    struct folder *folder = (struct folder *)directory;

    if (!world.inside)
        return __real_readdir64(directory);
    const size_t length = strlen(folder->prefix);
    for (; folder->next < world.n; folder->next++) {
        const char *path = world.file[folder->next].path;
        if (strncmp(path, folder->prefix, length))
            return NULL;
        const size_t name = strcspn(path + length, "/");
        if (!name || name >= sizeof(folder->last) ||
            (strlen(folder->last) == name && !memcmp(folder->last, path + length, name)))
            continue;
        memcpy(folder->last, path + length, name);
        folder->last[name] = 0;
        memcpy(folder->entry.d_name, folder->last, name + 1);
        folder->next++;
        return &folder->entry;
    }
    return NULL;
}

REAL(int, closedir, DIR *directory)
{
    if (!world.inside)
        return __real_closedir(directory);
    free(directory);
    return 0;
}

/* The C library's own would read the real directory. */
REAL(int, scandir64, const char *path, struct dirent ***list, int (*choose)(const struct dirent *entry),
     int (*compare)(const struct dirent **a, const struct dirent **b))
{
    int n = 0;

    if (!world.inside)
        return __real_scandir64(path, list, choose, compare);
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    *list = NULL;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (choose && !choose(entry))
            continue;
        *list = realloc(*list, ((size_t)n + 1) * sizeof(**list));
        struct dirent *copy = *list ? malloc(sizeof(*copy)) : NULL;
        if (!copy)
            abort();
        *copy = *entry;
        (*list)[n++] = copy;
    }
    (void)closedir(directory);
    if (n)
        qsort(*list, (size_t)n, sizeof(**list), (int (*)(const void *, const void *))(void (*)(void))compare);
    return n;
}

static int unlink_path(const char *path)
{
    struct file *file = find(path);

    if (!file)
        return refuse(ENOENT);
    remove_file(file);
    return 0;
}

CALL(int, unlink, unlink_path(path), (const char *path), (path))
CALL(int, unlinkat, unlink_path(path_at(folder, path)), (int folder, const char *path, int flags),
     (folder, path, flags))

REAL(int, linkat, int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    if (!world.inside)
        return __real_linkat(from_folder, from, to_folder, to, flags);
    const char *path = path_at(to_folder, to);
    const struct file *file = find(path_at(from_folder, from));
    if (!file || find(path))
        return refuse(file ? EEXIST : ENOENT);
    const char *data = file->data;
    const size_t size = file->size;
    struct file *new_one = add(path, NULL, 0);
    new_one->data = new_one->owned = fuzz_string((const uint8_t *)data, size);
    new_one->size = size;
    return 0;
}

/* A system call by its number; how many arguments follow is not known, so more are read than may have been given. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
    long arg[6];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        arg[i] = va_arg(args, long);
    va_end(args);
    if (!world.inside || number == SYS_sched_getaffinity || number == SYS_getcpu || number == SYS_getrandom ||
        number == SYS_sched_setaffinity || number == SYS_getpriority || number == SYS_sched_getscheduler)
        return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
    return refuse(ENOSYS);
}

/* Time does not pass. */
CALL(int, clock_nanosleep, 0, (clockid_t clock, int flags, const struct timespec *request, struct timespec *left),
     (clock, flags, request, left))

/* Descriptors are plain files, and locks are ours. */
REAL(int, fcntl64, int fd, int command, ...)
{
    va_list args;

    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    return world.inside ? 0 : __real_fcntl64(fd, command, arg);
}

/* Calls that this world does not have: they return an error. */
CALL(pid_t, fork, refuse(EAGAIN), (void), ())
CALL(int, mkdir, refuse(EACCES), (const char *path, mode_t mode), (path, mode))
CALL(int, rmdir, refuse(ENOENT), (const char *path), (path))
CALL(int, chdir, refuse(ENOENT), (const char *path), (path))
CALL(int, chmod, refuse(EACCES), (const char *path, mode_t mode), (path, mode))
CALL(int, kill, refuse(ESRCH), (pid_t pid, int number), (pid, number))
CALL(int, reboot, refuse(EPERM), (int command), (command))
CALL(int, umount2, refuse(EPERM), (const char *path, int flags), (path, flags))
CALL(int, statfs64, refuse(ENOENT), (const char *path, struct statfs *out), (path, out))
CALL(int, statvfs64, refuse(ENOENT), (const char *path, struct statvfs *out), (path, out))
CALL(int, mount, refuse(EPERM),
     (const char *source, const char *target, const char *type, unsigned long flags, const void *data),
     (source, target, type, flags, data))
CALL(int, execve, refuse(EACCES), (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
CALL(int, unshare, refuse(EPERM), (int flags), (flags))
CALL(int, isatty, refuse(ENOTTY), (int fd), (fd))
CALL(int, dup2, refuse(EBADF), (int from, int to), (from, to))
CALL(int, glob64, GLOB_NOMATCH, (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *out),
     (pattern, flags, failed, out))

/* Calls that return at once. */
CALL(int, fsync, 0, (int fd), (fd))
CALL(int, fdatasync, 0, (int fd), (fd))
CALL(int, ftruncate64, 0, (int fd, off_t length), (fd, length))
CALL(int, poll, 0, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))

REAL(int, ioctl, int fd, unsigned long request, ...)
{
    va_list args;

    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    return world.inside ? refuse(ENOTTY) : __real_ioctl(fd, request, arg);
}
