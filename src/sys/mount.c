/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/process.h"

#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_SILENT)
/* Three seconds: other programs may inspect a file system that has just been mounted. */
#define BUSY_TRIES    60u
#define BUSY_PAUSE_NS 50000000u
/* nosymfollow in statvfs(3) and mount(2), since Linux 5.10; C libraries lack it */
#define SHOWN_NOSYMFOLLOW 0x2000u
#define FLAG_NOSYMFOLLOW  0x100u

int device_split(const char *text, char *device, char *path, size_t size)
{
    const char *colon = strchr(text, ':');

    if (!colon || colon == text || !colon[1])
        return -1;
    int n = snprintf(device, size, "%s%.*s", text[0] == '/' ? "" : "/dev/", (int)(colon - text), text);
    int m = snprintf(path, size, "%s%s", colon[1] == '/' ? "" : "/", colon + 1);
    const bool climbs = strstr(path, "/../") || !fnmatch("*/..", path, 0);
    return (size_t)n < size && (size_t)m < size && !climbs ? 0 : -1;
}

int device_check(const char *device)
{
    struct stat status;

    if (stat(device, &status))
        return -errno;
    return S_ISBLK(status.st_mode) ? 0 : -ENOTBLK;
}

/* Mounts with the first file system type that fits. Returns 0 or -errno: -EMEDIUMTYPE when none fits. */
static int try_types(const char *device, const char *at, unsigned long flags)
{
    char usual[] = "\text4\n\text3\n\text2\n\tvfat\n\txfs\n\tbtrfs\n\texfat\n\tf2fs";
    FREED char *list = procfs_read_all("/proc/filesystems");
    char *rest = list ? list : usual;
    int error = -EMEDIUMTYPE;

    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (line[0] != '\t') /* needs no block device */
            continue;
        if (mount(device, at, line + 1, flags, NULL) == 0)
            return 0;
        /* EINVAL: not of this type; ENODEV: unknown type. */
        if (errno != EINVAL && errno != ENODEV)
            error = -errno;
    }
    return error;
}

/* Finds the first mount point of the device's root. Returns false if it is not mounted, or something else is on top of
 * it.
 */
static bool find_mounted(const char *device, struct device_mount *mounted)
{
    struct stat status, there;
    FREED char *text = procfs_read_all("/proc/self/mountinfo");
    char *rest = text;

    if (stat(device, &status))
        return false;
    for (struct mountinfo mount; mountinfo_next(&rest, &mount);)
        if (makedev(mount.major, mount.minor) == status.st_rdev && !strcmp(mount.root, "/") && mount.point[0])
            return (size_t)TEXT_PRINT(mounted->place, "%s", mount.point) < sizeof(mounted->place) &&
                   stat(mounted->place, &there) == 0 && there.st_dev == status.st_rdev;
    return false;
}

unsigned long mount_flags_of_statvfs(unsigned long statvfs_flags)
{
    static const struct {
        unsigned long shown, flag;
    } kept[] = {{ST_NOSUID, MS_NOSUID},           {ST_NODEV, MS_NODEV},       {ST_NOEXEC, MS_NOEXEC},
                {ST_SYNCHRONOUS, MS_SYNCHRONOUS}, {ST_MANDLOCK, MS_MANDLOCK}, {ST_NOATIME, MS_NOATIME},
                {ST_NODIRATIME, MS_NODIRATIME},   {ST_RELATIME, MS_RELATIME}, {SHOWN_NOSYMFOLLOW, FLAG_NOSYMFOLLOW}};
    unsigned long flags = 0;

    for (size_t i = 0; i < COUNT(kept); i++)
        if (statvfs_flags & kept[i].shown)
            flags |= kept[i].flag;
    return flags;
}

static int mount_anew(const char *device, const char *at, unsigned long flags, struct device_mount *mounted)
{
    int error = try_types(device, at, MOUNT_FLAGS | flags);

    if (!error)
        TEXT_PRINT(mounted->place, "%s", at);
    mounted->mounted = !error;
    return error;
}

static int make_writable(const char *device, const char *at, unsigned long flags, struct device_mount *mounted)
{
    struct statvfs status;

    if (statvfs(mounted->place, &status))
        return -errno;
    if (!(status.f_flag & ST_RDONLY))
        return 0;
    /* If only this mount point is read-only, its users keep it so, and the device is mounted a second time, which
     * the kernel refuses when the file system itself is read-only. */
    if (mount_anew(device, at, flags, mounted) == 0)
        return 0;
    const unsigned long kept = MS_REMOUNT | MS_SILENT | mount_flags_of_statvfs(status.f_flag);
    if (mount(NULL, mounted->place, NULL, kept, NULL))
        return -errno;
    mounted->flags = kept;
    return 0;
}

int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted)
{
    int error = device_check(device);

    *mounted = (struct device_mount){0};
    if (error)
        return error;
    return find_mounted(device, mounted) ? make_writable(device, at, flags, mounted)
                                         : mount_anew(device, at, flags, mounted);
}

static int unmount_once(const struct device_mount *mounted)
{
    if (mounted->flags)
        return sys_result(mount(NULL, mounted->place, NULL, mounted->flags | MS_RDONLY, NULL));
    return mounted->mounted && umount2(mounted->place, 0) ? -errno : 0;
}

int device_unmount(const struct device_mount *mounted, bool *detached)
{
    int error;

    *detached = false;
    for (unsigned i = 0; (error = unmount_once(mounted)) == -EBUSY && i < BUSY_TRIES; i++)
        clock_sleep_ns(BUSY_PAUSE_NS);
    if (error != -EBUSY || !mounted->mounted)
        return error;
    int fd = open(mounted->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    syncfs(fd);
    fd_close(&fd);
    *detached = umount2(mounted->place, MNT_DETACH) == 0;
    return *detached ? 0 : -errno;
}

/* Opens the directory `name` in `at`, made when missing. -EXDEV when it is in another file system than `device`. */
static int enter(int at, const char *name, void *device)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat status;
    int fd = openat(at, name, flags);

    if (fd < 0 && errno == ENOENT && mkdirat(at, name, 0755) == 0)
        fd = openat(at, name, flags);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && status.st_dev == *(const dev_t *)device)
        return fd;
    close(fd);
    return -EXDEV;
}

int device_folder(const char *place, const char *path)
{
    struct stat status;
    const int top = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (top < 0 || fstat(top, &status))
        return -errno;
    FREED_BY(fd_close) int fd = directory_walk(top, path, enter, &status.st_dev);
    return fd < 0 ? fd : sys_result(faccessat(fd, ".", W_OK | X_OK, 0));
}

const char *device_why_not(int error)
{
    return error == -EMEDIUMTYPE ? "not a file system that this kernel knows"
           : error == -EXDEV     ? "leads away from that device"
                                 : strerror(-error);
}

#define MOST_NAMES 999u

int device_file_choice(const char *name, unsigned n, char *buf, size_t size)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);

    if (n < 2)
        return name[0] && (size_t)snprintf(buf, size, "%s", name) < size;
    return (size_t)snprintf(buf, size, "%.*s-%u%s", (int)stem, name, n, name + stem) < size;
}

/* Makes a new file if its directory is on the device mounted at place. Returns the descriptor or -errno. */
static int create(const char *path, const char *place)
{
    struct stat device, status;
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(path, &name);

    if (folder < 0)
        return folder;
    if (stat(place, &device) || fstatat(folder, ".", &status, 0) || device.st_dev != status.st_dev)
        return -EXDEV;
    return new_file(folder, name, O_CLOEXEC, 0644);
}

/* Makes file->path or, if that is a directory, the first free file of device_file_choice() in it. path gets the file
 * made, or the last one tried. Returns the descriptor or -errno. */
static int create_any(const struct device_file *file, const char *place, char *path, size_t size)
{
    struct stat status;
    size_t length = strlen(file->path);
    char name[NAME_MAX + 1];
    int fd = -EEXIST;

    if ((size_t)snprintf(path, size, "%s%s", place, file->path) >= size)
        return -ENAMETOOLONG;
    bool folder = file->path[length - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    if (!folder)
        return create(path, place);
    for (unsigned n = 1; fd == -EEXIST && n <= MOST_NAMES; n++) {
        if (!device_file_choice(file->name, n, name, sizeof(name)) ||
            (size_t)snprintf(path, size, "%s%s%s%s", place, file->path, file->path[length - 1] == '/' ? "" : "/",
                             name) >= size)
            return -ENAMETOOLONG;
        fd = create(path, place);
    }
    return fd;
}

static int write_file(const struct device_file *file, const char *place, const char *data, size_t length, char *path,
                      size_t size)
{
    int fd = create_any(file, place, path, size);

    if (fd < 0)
        return fd;
    int error = new_file_write(fd, data, length);
    if (!error && fsync(fd))
        error = -errno;
    close(fd);
    if (error)
        unlink(path);
    directory_flush(path);
    return error;
}

int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size)
{
    struct device_mount mounted;
    char path[PATH_MAX];
    bool detached;
    int result = device_mount(file->device, file->at, MS_NOEXEC, &mounted);

    if (result)
        return fail_because(-1, error, error_size, "%s: %s", file->device, device_why_not(result));
    result = write_file(file, mounted.place, data, length, path, sizeof(path));
    snprintf(written, written_size, "%s", path + strlen(mounted.place));
    int unmounted = device_unmount(&mounted, &detached);
    snprintf(error, error_size, "%s%s", detached ? file->device : "", detached ? DEVICE_DETACHED : "");
    if (result)
        snprintf(error, error_size, "%s:%s: %s", file->device, written,
                 result == -EEXIST ? "the file exists; jitbench never overwrites" : device_why_not(result));
    else if (unmounted)
        snprintf(error, error_size, "%s: written, but cannot be unmounted: %s", file->device, strerror(-unmounted));
    return result || unmounted ? -1 : 0;
}

bool power_is_first_process(void)
{
    return getpid() == 1 && reboot(RB_DISABLE_CAD) == 0;
}

int power_end(enum power_end how)
{
    static const int commands[] = {
        [POWER_OFF] = RB_POWER_OFF, [POWER_RESTART] = RB_AUTOBOOT, [POWER_HALT] = (int)RB_HALT_SYSTEM};

    sync();
    reboot(commands[how]);
    return -errno;
}

int power_protect_root(void)
{
    return sys_result(mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL));
}

/* of linux/magic.h, which some C libraries lack */
#define PROC_SUPER_MAGIC 0x9fa0
#define SYSFS_MAGIC      0x62656572

static const struct wanted {
    const char *path, *type, *data;
    unsigned long flags;
    mode_t mode;
    long magic;        /* type (statfs) when mounted; 0: `proof` is checked instead */
    const char *proof; /* null device or writable directory that makes a mount unnecessary */
} wanted[MOUNTS_MAX] = {
    {"/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555, PROC_SUPER_MAGIC, NULL},
    {"/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555, SYSFS_MAGIC, NULL},
    {"/dev", "devtmpfs", "mode=0755", MS_NOSUID, 0755, 0, "/dev/null"},
    {"/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, 01777, 0, "/dev/shm"},
    {"/tmp", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, 01777, 0, "/tmp"},
};

static bool is_there(const struct wanted *one)
{
    struct statfs fs;
    struct stat status;

    if (one->magic)
        return statfs(one->path, &fs) == 0 && (long)fs.f_type == one->magic;
    if (stat(one->proof, &status))
        return false;
    return S_ISDIR(status.st_mode) ? access(one->proof, W_OK | X_OK) == 0
                                   : S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

void mounts_make(struct mounts *mounts)
{
    *mounts = (struct mounts){{{.path = NULL}}};
    for (size_t i = 0; i < MOUNTS_MAX; i++) {
        const struct wanted *of = &wanted[i];
        struct mounts_one *one = &mounts->of[i];
        if (is_there(of))
            continue;
        one->path = of->path;
        one->folder = mkdir(of->path, of->mode) == 0;
        if (mount(of->type, of->path, of->type, of->flags, of->data) == 0)
            continue;
        one->error = -errno;
        if (one->folder)
            rmdir(of->path);
    }
}

void mounts_undo(const struct mounts *mounts)
{
    for (size_t i = MOUNTS_MAX; i-- > 0;) {
        if (!mounts->of[i].path || mounts->of[i].error)
            continue;
        /* A process may still have its working directory there. */
        umount2(mounts->of[i].path, MNT_DETACH);
        if (mounts->of[i].folder)
            rmdir(mounts->of[i].path);
    }
}

/* MS_SLAVE: what is unmounted elsewhere vanishes here too, so that nothing is kept busy. EINVAL: in a chroot the
 * root is no mount point, and its mounts stay shared if the caller shared them. */
int mounts_for_oneself(void)
{
    if (unshare(CLONE_NEWNS))
        return -errno;
    return mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) && errno != EINVAL ? -errno : 0;
}

/* of finit_module(): a compressed file; older headers lack it */
#define COMPRESSED_FILE 4

static bool is_compressed(const char *name)
{
    return !fnmatch("?*.ko.gz", name, 0) || !fnmatch("?*.ko.xz", name, 0) || !fnmatch("?*.ko.zst", name, 0);
}

static int load(const char *folder, const char *name)
{
    FREED_BY(fd_close) int fd = procfs_open(PROCFS_PATH("%s/%s", folder, name));

    if (fd < 0)
        return fd;
    int error = sys_result(syscall(SYS_finit_module, fd, "", is_compressed(name) ? COMPRESSED_FILE : 0));
    if (error == -ENOSYS && !is_compressed(name)) { /* before Linux 3.8 */
        size_t length;
        FREED char *image = procfs_read_rest(fd, &length);
        error = image ? sys_result(syscall(SYS_init_module, image, (unsigned long)length, "")) : -errno;
    }
    return error == -EEXIST ? 0 : error;
}

/* Tries all names once; those of loaded modules become "". Returns the number of failures, with the first in error. */
static int load_round(const char *folder, char **names, struct error *error)
{
    int failed = 0;

    for (size_t i = 0; names[i]; i++) {
        int result = names[i][0] ? load(folder, names[i]) : 0;
        if (result && !failed++)
            error_set(error, "%s: %s", names[i],
                      result == -ENOENT ? "missing, or needs a symbol that no module has" : strerror(-result));
        if (!result)
            names[i] = (char *)"";
    }
    return failed;
}

/* Loads the files of a line of modules.dep, the last one first: each needs those after it. */
static int load_line(const char *folder, char *line, struct error *error)
{
    char *file[] = {strsep(&line, ": "), NULL};
    const int failed = file[0] ? load_line(folder, line, error) : 0;

    return failed ? failed : load_round(folder, file, error);
}

static int load_by_names(const char *names, struct error *error)
{
    struct utsname kernel;
    int failed = 0;

    uname(&kernel);
    const char *folder = PROCFS_PATH("/lib/modules/%s", kernel.release);
    for (size_t length; *names; names += length + (names[length] == ',')) {
        FREED char *text = procfs_read_all(PROCFS_PATH("%s/modules.dep", folder));
        char *rest = text, *line, pattern[300];
        struct error why;
        length = strcspn(names, ",");
        TEXT_PRINT(pattern, "*/%.*s.ko*:*", (int)length, names);
        for (char *c = pattern; (c = strpbrk(c, "-_"));) /* the same in names of modules */
            *c = '?';
        while ((line = strsep(&rest, "\n")) && fnmatch(pattern, line, 0))
            ;
        error_set(&why, "%.*s: not in %s/modules.dep", (int)length, names, folder);
        if ((!line || load_line(folder, line, &why)) && !failed++)
            *error = why;
    }
    return failed;
}

int modules_load(const char *folder, struct error *error)
{
    int failed = INT_MAX, before;

    if (!strchr(folder, '/'))
        return load_by_names(folder, error);
    FREED char **names = procfs_names(folder);
    if (!names)
        return -errno;
    for (size_t i = 0; names[i]; i++)
        if (fnmatch("?*.ko", names[i], 0) && !is_compressed(names[i]))
            names[i] = (char *)"";
    /* Each round loads modules that depend on those of earlier rounds. */
    do {
        before = failed;
        failed = load_round(folder, names, error);
    } while (failed && failed < before);
    if (!failed)
        error->text[0] = '\0';
    return failed;
}
