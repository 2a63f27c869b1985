/* SPDX-License-Identifier: MIT */
/* A file written to a block device that is mounted only for that moment. */
#include "sys/device_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "sys/tree.h"

#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_SILENT)
#define MOST_NAMES  999u
/* Somebody may be looking at a file system that has just come up: for three seconds. */
#define BUSY_TRIES    60u
#define BUSY_PAUSE_NS 50000000
/* Since Linux 5.10; C libraries lack the names. */
#define SHOWN_NOSYMFOLLOW 0x2000u
#define FLAG_NOSYMFOLLOW  0x100u

/* --- What was asked for. --- */

/* A component that is "..". */
static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || !at[2]))
            return true;
    return false;
}

static bool fits(int printed, size_t size)
{
    return printed > 0 && (size_t)printed < size;
}

int device_file_split(const char *text, char *device, char *path, size_t size)
{
    const char *colon = strchr(text, ':');

    if (!colon || colon == text || !colon[1] || climbs(colon + 1))
        return -1;
    int n = snprintf(device, size, "%s%.*s", text[0] == '/' ? "" : "/dev/", (int)(colon - text), text);
    int m = snprintf(path, size, "%s%s", colon[1] == '/' ? "" : "/", colon + 1);
    return fits(n, size) && fits(m, size) ? 0 : -1;
}

int device_file_check(const char *device)
{
    struct stat status;

    if (stat(device, &status))
        return -errno;
    return S_ISBLK(status.st_mode) ? 0 : -ENOTBLK;
}

int device_file_choice(const char *name, unsigned n, char *buf, size_t size)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);

    if (n < 2)
        return fits(snprintf(buf, size, "%s", name), size);
    return fits(snprintf(buf, size, "%.*s-%u%s", (int)stem, name, n, name + stem), size);
}

/* --- Mounting. --- */

struct mounting {
    char place[PATH_MAX];
    bool mounted;        /* by us */
    bool remounted;      /* it was mounted there read-only, and is to be so again */
    unsigned long flags; /* with which that was done; one that is left out would be lost */
};

/* "\040" of mountinfo is a space. */
static void unescape(char *text)
{
    char *to = text;

    for (; *text; text++) {
        unsigned byte;
        if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3 && sscanf(text + 1, "%3o", &byte) == 1) {
            *to++ = (char)byte;
            text += 3;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

int device_file_mounted(const char *mountinfo, unsigned major_number, unsigned minor_number, char *buf, size_t size)
{
    for (const char *line = mountinfo; line; line = tree_next_line(line)) {
        unsigned a, b;
        int root = 0, place = 0, end = 0;
        /* ID, parent, major:minor, root within the file system, mount point. */
        if (sscanf(line, "%*u %*u %u:%u %n%*s %n%*s%n", &a, &b, &root, &place, &end) < 2 || !end)
            continue;
        if (a != major_number || b != minor_number || line[root] != '/' || line[root + 1] != ' ')
            continue;
        if (!fits(snprintf(buf, size, "%.*s", end - place, line + place), size))
            return -1;
        unescape(buf);
        return 0;
    }
    return -1;
}

/* The next file system type of /proc/filesystems that is for devices. NULL at the end. */
static const char *next_type(const char *list, char *type, size_t size)
{
    for (; list && *list; list = tree_next_line(list)) {
        if (list[0] != '\t')
            continue;
        size_t length = strcspn(list + 1, "\n");
        if (fits(snprintf(type, size, "%.*s", (int)length, list + 1), size))
            return list;
    }
    return NULL;
}

/* 0 or -errno. */
static int try_types(const char *device, const char *at)
{
    static const char usual[] = "\text4\n\text3\n\text2\n\tvfat\n\txfs\n\tbtrfs\n\texfat\n\tf2fs\n";
    char *list = tree_read_all("", "/proc/filesystems"), type[64];
    int error = -EINVAL;

    for (const char *line = list ? list : usual; (line = next_type(line, type, sizeof(type)));
         line = tree_next_line(line)) {
        if (mount(device, at, type, MOUNT_FLAGS, NULL) == 0) {
            error = 0;
            break;
        }
        /* EINVAL: not of this type; ENODEV: this kernel has no such type. */
        if (errno != EINVAL && errno != ENODEV)
            error = -errno;
    }
    free(list);
    return error;
}

/* Whether the device is mounted already, and where. Something else may be mounted on top of it there. */
static bool find_mounted(const char *device, struct mounting *mounting)
{
    struct stat status, there;
    char *mountinfo = tree_read_all("", "/proc/self/mountinfo");
    bool found = mountinfo && stat(device, &status) == 0 &&
                 device_file_mounted(mountinfo, major(status.st_rdev), minor(status.st_rdev), mounting->place,
                                     sizeof(mounting->place)) == 0 &&
                 stat(mounting->place, &there) == 0 && there.st_dev == status.st_rdev;

    free(mountinfo);
    return found;
}

unsigned long device_file_flags(unsigned long statvfs_flags)
{
    static const struct {
        unsigned long shown, flag;
    } kept[] = {{ST_NOSUID, MS_NOSUID},           {ST_NODEV, MS_NODEV},       {ST_NOEXEC, MS_NOEXEC},
                {ST_SYNCHRONOUS, MS_SYNCHRONOUS}, {ST_MANDLOCK, MS_MANDLOCK}, {ST_NOATIME, MS_NOATIME},
                {ST_NODIRATIME, MS_NODIRATIME},   {ST_RELATIME, MS_RELATIME}, {SHOWN_NOSYMFOLLOW, FLAG_NOSYMFOLLOW}};
    unsigned long flags = 0;

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (statvfs_flags & kept[i].shown)
            flags |= kept[i].flag;
    return flags;
}

static int mount_anew(const struct device_file *file, struct mounting *mounting)
{
    int error = try_types(file->device, file->at);

    if (error)
        return error;
    (void)snprintf(mounting->place, sizeof(mounting->place), "%s", file->at);
    mounting->mounted = true;
    return 0;
}

static int make_writable(const struct device_file *file, struct mounting *mounting)
{
    struct statvfs status;

    if (statvfs(mounting->place, &status))
        return -errno;
    if (!(status.f_flag & ST_RDONLY))
        return 0;
    /* Read-only there, but written elsewhere: changing that place would change the others. The kernel refuses this
     * where the file system itself is read-only. */
    if (mount_anew(file, mounting) == 0)
        return 0;
    mounting->flags = MS_REMOUNT | MS_SILENT | device_file_flags(status.f_flag);
    mounting->remounted = mount(NULL, mounting->place, NULL, mounting->flags, NULL) == 0;
    return mounting->remounted ? 0 : -errno;
}

static int mount_device(const struct device_file *file, struct mounting *mounting)
{
    *mounting = (struct mounting){.remounted = false};
    return find_mounted(file->device, mounting) ? make_writable(file, mounting) : mount_anew(file, mounting);
}

static int unmount_once(const struct mounting *mounting)
{
    if (mounting->remounted)
        return mount(NULL, mounting->place, NULL, mounting->flags | MS_RDONLY, NULL) ? -errno : 0;
    return mounting->mounted && umount2(mounting->place, 0) ? -errno : 0;
}

/* All of its file system, on the disk. */
static void sync_place(const char *place)
{
    int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)syncfs(fd);
    (void)close(fd);
}

/* detached: others still use it; it is unmounted when they end. */
static int unmount_device(const struct mounting *mounting, bool *detached)
{
    const struct timespec pause = {.tv_nsec = BUSY_PAUSE_NS};
    int error = unmount_once(mounting);

    *detached = false;
    for (unsigned i = 0; error == -EBUSY && i < BUSY_TRIES; i++) {
        (void)nanosleep(&pause, NULL);
        error = unmount_once(mounting);
    }
    if (error != -EBUSY || !mounting->mounted)
        return error;
    sync_place(mounting->place);
    *detached = umount2(mounting->place, MNT_DETACH) == 0;
    return *detached ? 0 : -errno;
}

/* --- Writing. --- */

/* The folder of a path. Returns the descriptor or -errno. */
static int open_folder(char *path)
{
    char *slash = strrchr(path, '/'), kept = slash[1];

    slash[1] = '\0';
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 ? -errno : fd;
    slash[1] = kept;
    return error;
}

/* A new file, on that device and nowhere else, not even for a moment. Returns the descriptor or -errno. */
static int create(char *path, const char *place)
{
    struct stat device, status;
    int folder = open_folder(path), fd = -EXDEV;

    if (folder < 0)
        return folder;
    if (stat(place, &device) == 0 && fstat(folder, &status) == 0 && device.st_dev == status.st_dev) {
        fd = openat(folder, strrchr(path, '/') + 1, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        fd = fd < 0 ? -errno : fd;
    }
    (void)close(folder);
    return fd;
}

/* path: of the file made, or of the last that was tried. */
static int create_any(const struct device_file *file, const char *place, char *path, size_t size)
{
    struct stat status;
    size_t length = strlen(file->path);
    char name[NAME_MAX + 1];
    int fd = -EEXIST;

    if (!fits(snprintf(path, size, "%s%s", place, file->path), size))
        return -ENAMETOOLONG;
    bool folder = file->path[length - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    if (!folder)
        return create(path, place);
    for (unsigned n = 1; fd == -EEXIST && n <= MOST_NAMES; n++) {
        if (!device_file_choice(file->name, n, name, sizeof(name)) ||
            !fits(snprintf(path, size, "%s%s%s%s", place, file->path, file->path[length - 1] == '/' ? "" : "/", name),
                  size))
            return -ENAMETOOLONG;
        fd = create(path, place);
    }
    return fd;
}

static int write_all(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        data += n;
        length -= (size_t)n;
    }
    return fsync(fd) ? -errno : 0;
}

/* The new name must be on disk too. */
static void sync_folder(char *path)
{
    int fd = open_folder(path);

    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

static int write_file(const struct device_file *file, const char *place, const char *data, size_t length, char *path,
                      size_t size)
{
    int fd = create_any(file, place, path, size);

    if (fd < 0)
        return fd;
    int error = write_all(fd, data, length);
    (void)close(fd);
    if (error)
        (void)unlink(path);
    sync_folder(path);
    return error;
}

static const char *explain(int error)
{
    switch (-error) {
    case EEXIST:
        return "the file exists; jitbench never overwrites";
    case EXDEV:
        return "leads away from that device";
    default:
        return strerror(-error);
    }
}

int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size)
{
    struct mounting mounting;
    char path[PATH_MAX];
    int result = device_file_check(file->device);

    if (result == 0)
        result = mount_device(file, &mounting);
    if (result) {
        (void)snprintf(error, error_size, "%s: %s", file->device,
                       result == -EINVAL ? "no file system that this kernel knows" : strerror(-result));
        return -1;
    }
    result = write_file(file, mounting.place, data, length, path, sizeof(path));
    size_t root = strlen(mounting.place);
    (void)snprintf(written, written_size, "%s", path + root);
    bool detached;
    int unmounted = unmount_device(&mounting, &detached);
    (void)snprintf(error, error_size, "%s%s", detached ? file->device : "",
                   detached ? ": still in use by others: flushed, and unmounted when they end" : "");
    if (result)
        (void)snprintf(error, error_size, "%s:%s: %s", file->device, written, explain(result));
    else if (unmounted)
        (void)snprintf(error, error_size, "%s: written, but cannot be unmounted: %s", file->device,
                       strerror(-unmounted));
    return result || unmounted ? -1 : 0;
}
