/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/process.h"

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
    *mounts = (struct mounts){.n_made = 0};
    for (size_t i = 0; i < MOUNTS_MAX; i++) {
        if (is_there(&wanted[i]))
            continue;
        bool folder = mkdir(wanted[i].path, wanted[i].mode) == 0;
        if (mount(wanted[i].type, wanted[i].path, wanted[i].type, wanted[i].flags, wanted[i].data) == 0) {
            mounts->folder[mounts->n_made] = folder;
            mounts->made[mounts->n_made++] = wanted[i].path;
            continue;
        }
        mounts->error[mounts->n_refused] = -errno;
        mounts->refused[mounts->n_refused++] = wanted[i].path;
        if (folder)
            rmdir(wanted[i].path);
    }
}

void mounts_undo(const struct mounts *mounts)
{
    for (size_t i = mounts->n_made; i-- > 0;) {
        /* A process may still have its working directory there. */
        umount2(mounts->made[i], MNT_DETACH);
        if (mounts->folder[i])
            rmdir(mounts->made[i]);
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

/* By init_module(), before Linux 3.8. Returns 0 or -errno. */
static int load_image(int fd)
{
    size_t length;
    FREED_BY(memory_free) char *image = procfs_read_rest(fd, &length);

    return !image || syscall(SYS_init_module, image, (unsigned long)length, "") ? -errno : 0;
}

static int load(const char *folder, const char *name)
{
    FREED_BY(fd_close) int fd = open(PROCFS_PATH("%s/%s", folder, name), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    int error = sys_result(syscall(SYS_finit_module, fd, "", is_compressed(name) ? COMPRESSED_FILE : 0));
    if (error == -ENOSYS && !is_compressed(name))
        error = load_image(fd);
    return error == -EEXIST ? 0 : error;
}

/* Tries all names once; those of loaded modules become "". Returns the number of failures, with the first one in
 * error. */
static int load_round(const char *folder, char **names, char *error, size_t error_size)
{
    int failed = 0;

    for (size_t i = 0; names[i]; i++) {
        int result = names[i][0] ? load(folder, names[i]) : 0;
        if (result && !failed++)
            snprintf(error, error_size, "%s: %s", names[i],
                     result == -ENOENT ? "needs a symbol that no module has" : strerror(-result));
        if (!result)
            names[i] = (char *)"";
    }
    return failed;
}

int modules_load(const char *folder, char *error, size_t error_size)
{
    FREED_BY(memory_free) char **names = procfs_names("", folder);
    int failed = INT_MAX, before;

    if (!names)
        return -errno;
    for (size_t i = 0; names[i]; i++)
        if (fnmatch("?*.ko", names[i], 0) && !is_compressed(names[i]))
            names[i] = (char *)"";
    /* Each round loads modules that depend on those of earlier rounds. */
    do {
        before = failed;
        failed = load_round(folder, names, error, error_size);
    } while (failed && failed < before);
    if (!failed)
        error[0] = '\0';
    return failed;
}
