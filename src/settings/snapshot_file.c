/* SPDX-License-Identifier: MIT */
/* Written completely or not at all; nothing that is read is trusted. */
#include "settings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows/text.h"
#include "settings/settings_read.h"
#include "sys/base.h"
#include "sys/file.h"

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
#define FIRST     "# jitbench snapshot of boot "
#define LAST      "# end\n"

bool snapshot_path_allowed(const char *path)
{
    static const char *const folders[] = {"/proc/sys/", "/proc/irq/", "/sys/"};
    bool below = false;

    for (size_t i = 0; i < COUNT(folders); i++)
        below = below || !strncmp(path, folders[i], strlen(folders[i]));
    return below && !strstr(path, "/../") && !strpbrk(path, "=\n");
}

int snapshot_check_value(const char *value)
{
    for (const char *c = value; *c; c++)
        if (*c != '\t' && (*c < ' ' || *c > '~'))
            return -EILSEQ;
    return strchr(value, '/') ? -EINVAL : 0;
}

int snapshot_read_list(char *text, struct setting_writes *settings, size_t *line)
{
    *line = 0;
    for (char *end, *value; *text; text = end) {
        end = text + strcspn(text, "\n");
        if (*end)
            *end++ = '\0';
        (*line)++;
        if (!text[0] || text[0] == '#')
            continue;
        if (!(value = strchr(text, '=')))
            return -EINVAL;
        *value++ = '\0';
        if (!snapshot_path_allowed(text) || snapshot_check_value(value))
            return -EINVAL;
        if (setting_writes_add(settings, text, value))
            return -ENOMEM;
    }
    return 0;
}

/* Returns 0 when the lock is ours now, the ID of its holder, or -errno. */
static pid_t lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_SETLK, &whole) == 0)
        return 0;
    int code = -errno;
    if (code != -EACCES && code != -EAGAIN)
        return code;
    return fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK && whole.l_pid > 0 ? whole.l_pid : -EBUSY;
}

/* EINVAL: nothing to flush. */
static int sync_folder(int folder)
{
    return fsync(folder) && errno != EINVAL ? -errno : 0;
}

/* Locks the file before it gets its name: no process finds it unlocked. Never replaces another file. */
static int publish(int folder, const char *name, const struct text *text)
{
    char temporary[NEW_FILE_NAME_SIZE] = "";
    int fd = new_file_nameless(folder, 0600);

    if (fd < 0) /* no nameless files in this file system */
        fd = new_file_random(folder, temporary, O_CLOEXEC, 0600);
    if (fd < 0)
        return fd;
    int code = new_file_write(fd, text->data, text->length);
    if (code == 0)
        code = fsync(fd) ? -errno : lock(fd);
    if (code == 0 && temporary[0])
        code = linkat(folder, temporary, folder, name, 0) ? -errno : 0;
    else if (code == 0)
        code = new_file_give_name(fd, folder, name);
    if (temporary[0])
        unlinkat(folder, temporary, 0);
    if (code == 0 && (code = sync_folder(folder)) != 0)
        unlinkat(folder, name, 0);
    if (code)
        fd_close(&fd);
    return code ? code : fd;
}

/* *name: the last component. */
static int open_folder(const char *file, const char **name)
{
    FREED_BY(fd_close) int at = directory_of(file, name);

    if (at < 0)
        return at;
    int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* can be flushed */
    return fd < 0 ? -errno : fd;
}

/* Returns 0, or -ENOENT with a line in error. */
static int read_boot(const char *root, char boot[64], char *error, size_t size)
{
    const int code = setting_read_line(root, BOOT_FILE, boot, 64);

    return code ? fail_because(-ENOENT, error, size, "cannot identify this boot: %s cannot be read: %s", BOOT_FILE,
                               strerror(-code))
                : 0;
}

int snapshot_file_create(const char *root, const char *file, const struct setting_writes *saved, char *error,
                         size_t error_size)
{
    FREED_BY(text_free) struct text text = {0};
    char boot[64];
    const char *name;

    if (read_boot(root, boot, error, error_size))
        return -ENOENT;
    text_printf(&text, FIRST "%s\n", boot);
    for (size_t i = 0; i < saved->n; i++)
        text_printf(&text, "%s=%s\n", saved->write[i].path, saved->write[i].value);
    text_printf(&text, LAST);
    if (text.failed)
        return fail_because(-ENOMEM, error, error_size, "out of memory");
    FREED_BY(fd_close) int folder = open_folder(file, &name);
    int fd = folder < 0 ? folder : publish(folder, name, &text);
    if (fd == -EEXIST)
        return fail_because(fd, error, error_size, "'%s' is there already; 'jitbench untune' restores what it holds",
                            file);
    return fd < 0 ? fail_because(fd, error, error_size, "snapshot '%s': %s", file, strerror(-fd)) : fd;
}

/* Locks the file, and refuses one that others could have written: through it they could change any setting. */
static int check_trust(int fd, const char *file, char *error, size_t size)
{
    struct stat status;
    pid_t owner = lock(fd);

    if (owner > 0)
        return fail_because(-EBUSY, error, size, "'%s' is in use: process %ld is tuning or measuring", file,
                            (long)owner);
    if (owner < 0)
        return fail_because(owner, error, size, "'%s' cannot be locked: %s", file, strerror(-owner));
    if (fstat(fd, &status))
        return fail_because(-errno, error, size, "snapshot '%s': %s", file, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail_because(-EPERM, error, size, "'%s' is not a regular file: not trusted", file);
    if (status.st_uid != geteuid())
        return fail_because(-EPERM, error, size, "'%s' belongs to user %lu: not trusted", file,
                            (unsigned long)status.st_uid);
    if (status.st_mode & 022)
        return fail_because(-EPERM, error, size, "'%s' can be written by others: not trusted", file);
    if (status.st_nlink > 1)
        return fail_because(-EPERM, error, size, "'%s' has %lu names (hard links): not trusted; remove the others",
                            file, (unsigned long)status.st_nlink);
    /* Its holder may have restored the settings and removed the file before it released the lock. */
    if (status.st_nlink == 0)
        return fail_because(-ENOENT, error, size, "there is no snapshot '%s': nothing to restore", file);
    return 0;
}

static int parse(const char *boot, const char *file, char *text, struct setting_writes *saved, char *error, size_t size)
{
    const size_t length = strlen(text), last = sizeof(LAST) - 1, first = sizeof(FIRST) - 1;
    char *line = text + first;
    size_t number;

    if (length < first + last || strncmp(text, FIRST, first) != 0 || strcmp(text + length - last, LAST) != 0 ||
        text[length - last - 1] != '\n')
        return fail_because(-EBADMSG, error, size, "'%s' is not a whole snapshot of this jitbench: remove the file",
                            file);
    const size_t boot_length = strcspn(line, "\n");
    if (strlen(boot) != boot_length || strncmp(line, boot, boot_length) != 0)
        return fail_because(-ESTALE, error, size,
                            "'%s' is from before the last boot, which undid the settings too, or of another host: "
                            "remove the file",
                            file);
    const int code = snapshot_read_list(text, saved, &number);
    if (code == -ENOMEM)
        return fail_because(code, error, size, "out of memory");
    return code ? fail_because(-EBADMSG, error, size, "'%s': line %zu: not as jitbench writes it", file, number) : 0;
}

static int load(int fd, const char *root, const char *file, struct setting_writes *saved, char *error, size_t size)
{
    char boot[64];
    const char *why;
    int code = check_trust(fd, file, error, size);

    if (code || (code = read_boot(root, boot, error, size)))
        return code;
    FREED_BY(memory_free) char *text = text_file_rest(fd, false, &why);
    if (!text)
        return fail_because(-EIO, error, size, "snapshot '%s' cannot be read: %s", file, why);
    return parse(boot, file, text, saved, error, size);
}

int snapshot_file_open(const char *root, const char *file, struct setting_writes *saved, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s", "");
    *saved = (struct setting_writes){.n = 0};
    /* O_NONBLOCK: a FIFO must not hang the program. O_RDWR: a lock needs it. */
    int fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        return fail_because(-ENOENT, error, error_size, "there is no snapshot '%s': nothing to restore", file);
    if (fd < 0 && errno == ELOOP)
        return fail_because(-EPERM, error, error_size, "'%s' is a symbolic link: not trusted", file);
    if (fd < 0)
        return fail_because(-errno, error, error_size, "snapshot '%s': %s", file, strerror(errno));
    int code = load(fd, root, file, saved, error, error_size);
    if (code == 0)
        return fd;
    setting_writes_free(saved);
    close(fd);
    return code;
}

int snapshot_file_remove(int fd, const char *file)
{
    struct stat ours, named;
    const char *name;
    FREED_BY(fd_close) int folder = open_folder(file, &name);

    if (folder < 0)
        return folder;
    if (fstat(fd, &ours) || fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    if (!directory_is_same(&ours, &named))
        return 0;
    return unlinkat(folder, name, 0) ? -errno : sync_folder(folder);
}
