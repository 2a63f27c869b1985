/* SPDX-License-Identifier: MIT */
/* Writes the file of a snapshot completely or not at all, and trusts nothing that it reads. */
#include "settings/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rows/index.h"
#include "settings/settings_look.h"
#include "sys/directory.h"
#include "sys/fail.h"
#include "sys/memory.h"
#include "sys/new_file.h"
#include "sys/procfs.h"

#define MAGIC      "jitbench-snapshot 1\n"
#define CHECKSUM   "checksum "
#define TAIL       (sizeof(CHECKSUM) - 1 + 16 + 1) /* checksum line: 16 digits and the newline */
#define SIZE_LIMIT ((off_t)64 << 20)

/* Flag of renameat2(); the headers of an older C library or of musl may lack it. */
#define NO_REPLACE 1u

struct identity {
    char host[256], boot[64];
    int host_error, boot_error; /* 0, or -errno when host name or boot ID is not known */
};

/* --- Saved entries. --- */

int snapshot_entries_add(struct snapshot_entries *entries, const char *path, const char *value, const char *raw)
{
    if (!grow_array(&entries->entry, &entries->capacity, entries->n, sizeof(*entries->entry)))
        return -ENOMEM;
    struct snapshot_entry *entry = &entries->entry[entries->n];
    *entry = (struct snapshot_entry){.path = strdup(path), .value = strdup(value), .raw = strdup(raw)};
    entries->n++;
    return entry->path && entry->value && entry->raw ? 0 : -ENOMEM;
}

void snapshot_entries_free(struct snapshot_entries *entries)
{
    for (size_t i = 0; i < entries->n; i++) {
        free(entries->entry[i].path);
        free(entries->entry[i].value);
        free(entries->entry[i].raw);
    }
    free(entries->entry);
    memset(entries, 0, sizeof(*entries));
}

int snapshot_path_allowed(const char *path)
{
    static const char *const folders[] = {"/proc/sys/", "/proc/irq/", "/sys/"};
    bool below = false;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        below = below || !strncmp(path, folders[i], strlen(folders[i]));
    return below && !strstr(path, "/../");
}

int snapshot_value_allowed(const char *value)
{
    return !strchr(value, '/');
}

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
#define HOST_FILE "/proc/sys/kernel/hostname"

static void read_identity(const char *root, struct identity *out)
{
    out->boot_error = setting_read_line(root, BOOT_FILE, out->boot, sizeof(out->boot));
    out->host_error = setting_read_line(root, HOST_FILE, out->host, sizeof(out->host));
}

/* --- The text of a snapshot. --- */

static void put_tail(const char *text, char tail[TAIL + 1])
{
    (void)snprintf(tail, TAIL + 1, CHECKSUM "%016llx\n", (unsigned long long)index_hash(text));
}

/* Writes unprintable characters and the backslash as \xHH. */
static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= ' ' && c <= '~' && c != '\\')
            (void)fputc(c, out);
        else
            (void)fprintf(out, "\\x%02x", (unsigned)c);
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Unescapes in place. Returns false when an escape is invalid. */
static bool unescape(char *text)
{
    char *to = text;

    for (; *text; text++, to++) {
        *to = *text;
        if (*text != '\\')
            continue;
        int high = text[1] == 'x' ? hex_digit(text[2]) : -1, low = high < 0 ? -1 : hex_digit(text[3]);
        if (low < 0 || high + low == 0)
            return false;
        *to = (char)(high * 16 + low);
        text += 3;
    }
    *to = 0;
    return true;
}

/* Formats the whole file as text, which the caller frees; NULL when memory ran out. */
static char *format(const struct identity *identity, const struct snapshot_entries *entries, size_t *length)
{
    char *text = NULL, tail[TAIL + 1], utc[32] = "";
    FILE *out = open_memstream(&text, length);
    time_t now = time(NULL);
    struct tm broken_down;

    if (!out)
        return NULL;
    if (gmtime_r(&now, &broken_down))
        (void)strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &broken_down);
    (void)fprintf(out, MAGIC "host ");
    put_escaped(out, identity->host);
    (void)fprintf(out, "\nboot ");
    put_escaped(out, identity->boot);
    (void)fprintf(out, "\ntime %s\nentries %zu\n", utc, entries->n);
    for (size_t i = 0; i < entries->n; i++) {
        put_escaped(out, entries->entry[i].path);
        (void)fputc('\t', out);
        put_escaped(out, entries->entry[i].value);
        (void)fputc('\t', out);
        put_escaped(out, entries->entry[i].raw);
        (void)fputc('\n', out);
    }
    if (fflush(out) == 0) {
        put_tail(text, tail);
        (void)fputs(tail, out);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* Takes the text up to the next end of line, which is removed; NULL at the end. */
static char *take_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');

    if (!end)
        return NULL;
    *end = 0;
    *at = end + 1;
    return line;
}

/* Takes the value of the next line, which must be "key value". */
static char *take_value(char **at, const char *key)
{
    char *line = take_line(at);
    size_t length = strlen(key);

    if (!line || strncmp(line, key, length) != 0 || line[length] != ' ' || !unescape(line + length + 1))
        return NULL;
    return line + length + 1;
}

static int take_entry(char **at, struct snapshot_entries *entries)
{
    char *path = take_line(at), *value = path ? strchr(path, '\t') : NULL;
    char *raw = value ? strchr(value + 1, '\t') : NULL;

    if (!raw)
        return -EBADMSG;
    *value++ = 0;
    *raw++ = 0;
    if (!unescape(path) || !unescape(value) || !unescape(raw) || !snapshot_path_allowed(path) ||
        !snapshot_value_allowed(value))
        return -EBADMSG;
    return snapshot_entries_add(entries, path, value, raw);
}

struct head {
    const char *host, *boot, *time;
    uint64_t n;
};

static bool take_head(char **at, struct head *out)
{
    const char *n;

    if (strncmp(*at, MAGIC, sizeof(MAGIC) - 1) != 0)
        return false;
    *at += sizeof(MAGIC) - 1;
    return (out->host = take_value(at, "host")) && (out->boot = take_value(at, "boot")) &&
           (out->time = take_value(at, "time")) && (n = take_value(at, "entries")) && procfs_number(n, &out->n);
}

/* Checks that the snapshot is of this boot of this machine. The boot ID tells both, even if the host was renamed; if it
 * is not known, the host name is compared. */
static int check_identity(const struct identity *here, const char *file, const struct head *head, char *error,
                          size_t size)
{
    bool same_host = strcmp(head->host, here->host) == 0;

    if (here->boot[0] && strcmp(head->boot, here->boot) != 0)
        return fail_because(
            -ESTALE, error, size,
            "'%s' is from before the last boot (%.32s), which undid the settings too, or of another host "
            "('%.64s'): remove the file",
            file, head->time, head->host);
    if (!here->boot[0] && (!same_host || !here->host[0]))
        return fail_because(-ESTALE, error, size, "'%s' is of another host: '%.64s', of %.32s (%s cannot be read)",
                            file, head->host, head->time, BOOT_FILE);
    if (!same_host && here->host[0])
        (void)snprintf(error, size, "'%s' is of this boot, when the host was called '%.64s'", file, head->host);
    return 0;
}

/* Parses the file. text ends with the checksum, and is modified. */
static int parse(const struct identity *here, const char *file, char *text, size_t length,
                 struct snapshot_entries *entries, char *error, size_t size)
{
    char tail[TAIL + 1] = "", read[TAIL + 1] = "", *at = text;
    struct head head;

    if (length > TAIL && strlen(text) == length) {
        memcpy(read, text + length - TAIL, sizeof(read));
        text[length - TAIL] = 0;
        put_tail(text, tail);
    }
    if (!tail[0] || strcmp(read, tail) != 0)
        return fail_because(-EBADMSG, error, size, "'%s' is damaged: its checksum is not that of its content", file);
    if (!take_head(&at, &head))
        return fail_because(-EBADMSG, error, size, "'%s' is not a snapshot that this jitbench knows", file);
    int code = check_identity(here, file, &head, error, size);
    if (code)
        return code;
    for (uint64_t i = 0; i < head.n; i++) {
        code = take_entry(&at, entries);
        if (code)
            return fail_because(code, error, size, "'%s': entry %llu: %s", file, (unsigned long long)i + 1,
                                code == -ENOMEM ? "out of memory" : "not as jitbench writes it");
    }
    return *at ? fail_because(-EBADMSG, error, size, "'%s' has more entries than it says", file) : 0;
}

/* --- Making and opening the file. --- */

/* Locks the file. Returns 0 when the lock is ours now, the ID of the process that holds it, or -errno. */
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

/* Gives the file its name in the directory. Never replaces another file. */
static int give_name(int fd, int folder, const char *temporary, const char *name)
{
    if (!temporary[0])
        return new_file_give_name(fd, folder, name);
    if (syscall(SYS_renameat2, folder, temporary, folder, name, NO_REPLACE) == 0)
        return 0;
    /* Linux before 3.15 lacks renameat2(), a container may forbid it, a file system may not know the flag. */
    if ((errno != ENOSYS && errno != EPERM && errno != EINVAL) || linkat(folder, temporary, folder, name, 0))
        return -errno;
    (void)unlinkat(folder, temporary, 0);
    return 0;
}

/* Flushes the directory. EINVAL: the file system has nothing to flush. */
static int sync_folder(int folder)
{
    return fsync(folder) && errno != EINVAL ? -errno : 0;
}

/* Writes the file, locks it, and then gives it its name, so that no process finds it unlocked. */
static int publish(int folder, const char *name, const char *text, size_t length)
{
    char temporary[NEW_FILE_NAME_SIZE] = "";
    int fd = new_file_nameless(folder, 0600);

    if (fd < 0) /* the file system does not support files without a name */
        fd = new_file_random(folder, temporary, O_CLOEXEC, 0600);
    if (fd < 0)
        return fd;
    int code = new_file_write(fd, text, length);
    if (code == 0)
        code = fsync(fd) ? -errno : lock(fd);
    if (code == 0)
        code = give_name(fd, folder, temporary, name);
    if (code && temporary[0])
        (void)unlinkat(folder, temporary, 0);
    if (code == 0 && (code = sync_folder(folder)) != 0)
        (void)unlinkat(folder, name, 0);
    if (code)
        fd_close(&fd);
    return code ? code : fd;
}

/* Opens the directory of the file; *name is set to the last component. */
static int open_folder(const char *file, const char **name)
{
    FREED_BY(fd_close) int at = directory_of(file, name);

    if (at < 0)
        return at;
    int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* a descriptor that can be flushed */
    return fd < 0 ? -errno : fd;
}

int snapshot_file_create(const char *root, const char *file, const struct snapshot_entries *entries, char *error,
                         size_t error_size)
{
    struct identity identity;
    const char *name;
    size_t length = 0;

    /* The file contains boot ID and host name, so that a snapshot of another boot or host is recognised. */
    read_identity(root, &identity);
    if (!identity.boot[0])
        return fail_because(-ENOENT, error, error_size, "cannot identify this boot: %s cannot be read: %s", BOOT_FILE,
                            strerror(-identity.boot_error));
    if (!identity.host[0])
        return fail_because(-ENOENT, error, error_size, "cannot identify this host: %s cannot be read: %s", HOST_FILE,
                            strerror(-identity.host_error));
    FREED_BY(memory_free) char *text = format(&identity, entries, &length);
    if (!text)
        return fail_because(-ENOMEM, error, error_size, "out of memory");
    FREED_BY(fd_close) int folder = open_folder(file, &name);
    int fd = folder < 0 ? folder : publish(folder, name, text, length);
    if (fd == -EEXIST)
        return fail_because(fd, error, error_size, "'%s' is there already; 'jitbench untune' restores what it holds",
                            file);
    return fd < 0 ? fail_because(fd, error, error_size, "snapshot '%s': %s", file, strerror(-fd)) : fd;
}

/* Rejects a file that other users could have written: through it they could change any setting. */
static int check_trust(int fd, const char *file, char *error, size_t size)
{
    struct stat status;

    if (fstat(fd, &status))
        return fail_because(-errno, error, size, "snapshot '%s': %s", file, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail_because(-EPERM, error, size, "'%s' is not a regular file: not trusted", file);
    if (status.st_uid != geteuid())
        return fail_because(-EPERM, error, size, "'%s' belongs to user %lu: not trusted", file,
                            (unsigned long)status.st_uid);
    if (status.st_mode & 022)
        return fail_because(-EPERM, error, size, "'%s' can be written by others: not trusted", file);
    pid_t owner = lock(fd);
    if (owner > 0)
        return fail_because(-EBUSY, error, size, "'%s' is in use: process %ld is tuning or measuring", file,
                            (long)owner);
    if (owner < 0)
        return fail_because(owner, error, size, "'%s' cannot be locked: %s", file, strerror(-owner));
    /* Another process may have restored the settings and removed the file before it released the lock. */
    if (fstat(fd, &status))
        return fail_because(-errno, error, size, "snapshot '%s': %s", file, strerror(errno));
    if (status.st_nlink == 0)
        return fail_because(-ENOENT, error, size, "there is no snapshot '%s': nothing to restore", file);
    if (status.st_size > SIZE_LIMIT)
        return fail_because(-EBADMSG, error, size, "'%s' is too large to be a snapshot", file);
    return 0;
}

static int load(int fd, const char *root, const char *file, struct snapshot_entries *entries, char *error, size_t size)
{
    struct identity here;
    size_t length;
    int code = check_trust(fd, file, error, size);

    if (code)
        return code;
    read_identity(root, &here);
    FREED_BY(memory_free) char *text = procfs_read_rest(fd, &length);
    if (!text)
        return fail_because(-EIO, error, size, "snapshot '%s' cannot be read: %s", file, strerror(errno));
    return parse(&here, file, text, length, entries, error, size);
}

int snapshot_file_open(const char *root, const char *file, struct snapshot_entries *entries, char *error,
                       size_t error_size)
{
    (void)snprintf(error, error_size, "%s", "");
    memset(entries, 0, sizeof(*entries));
    /* O_NONBLOCK: a FIFO of that name must not hang the program. O_RDWR: a lock needs a file open for writing. */
    int fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        return fail_because(-ENOENT, error, error_size, "there is no snapshot '%s': nothing to restore", file);
    if (fd < 0 && errno == ELOOP)
        return fail_because(-EPERM, error, error_size, "'%s' is a symbolic link: not trusted", file);
    if (fd < 0)
        return fail_because(-errno, error, error_size, "snapshot '%s': %s", file, strerror(errno));
    int code = load(fd, root, file, entries, error, error_size);
    if (code == 0)
        return fd;
    snapshot_entries_free(entries);
    (void)close(fd);
    return code;
}

int snapshot_file_remove(int fd, const char *file)
{
    struct stat ours, named;
    const char *name;
    FREED_BY(fd_close) int folder = open_folder(file, &name);
    int code = 0;

    if (folder < 0)
        return folder;
    if (fstat(fd, &ours) || fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW))
        code = errno == ENOENT ? 0 : -errno;
    else if (directory_is_same(&ours, &named))
        code = unlinkat(folder, name, 0) ? -errno : sync_folder(folder);
    if (code == 0)
        (void)!ftruncate(fd, 0); /* empties the file, in case that it has another name (a hard link) */
    return code;
}
