/* SPDX-License-Identifier: MIT */
/* Mounts the file systems that a bare machine lacks: /proc, /sys, /dev, /dev/shm, /tmp. */
#include "sys/mounts.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* From linux/magic.h, which some C libraries lack. */
#define PROC_SUPER_MAGIC 0x9fa0
#define SYSFS_MAGIC      0x62656572

static bool is_mounted(const char *path, long magic)
{
    struct statfs status;

    return statfs(path, &status) == 0 && (long)status.f_type == magic;
}

static bool has_proc(const char *path)
{
    return is_mounted(path, PROC_SUPER_MAGIC);
}

static bool has_sys(const char *path)
{
    return is_mounted(path, SYSFS_MAGIC);
}

/* Returns whether /dev has a null device. Then nothing is mounted there, even if /dev is an ordinary directory. */
static bool has_devices(const char *path)
{
    struct stat status;

    (void)path;
    return stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

static bool is_writable_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0;
}

static const struct {
    const char *path, *type, *data;
    unsigned long flags;
    mode_t mode;
    bool (*there)(const char *path);
} wanted[MOUNTS_MAX] = {
    {"/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555, has_proc},
    {"/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555, has_sys},
    {"/dev", "devtmpfs", "mode=0755", MS_NOSUID, 0755, has_devices},
    {"/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, 01777, is_writable_folder},
    {"/tmp", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, 01777, is_writable_folder},
};

void mounts_make(struct mounts *mounts)
{
    *mounts = (struct mounts){.n_made = 0};
    for (size_t i = 0; i < MOUNTS_MAX; i++) {
        if (wanted[i].there(wanted[i].path))
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
            (void)rmdir(wanted[i].path);
    }
}

void mounts_undo(const struct mounts *mounts)
{
    for (size_t i = mounts->n_made; i-- > 0;) {
        /* Lazily, since a process may still have its working directory there. */
        (void)umount2(mounts->made[i], MNT_DETACH);
        if (mounts->folder[i])
            (void)rmdir(mounts->made[i]);
    }
}

/* MS_SLAVE: mounts that are unmounted elsewhere vanish here too, so that none is kept busy. EINVAL is ignored: in a
 * chroot the root is no mount point, and its mounts stay shared if the caller shared them. */
int mounts_for_oneself(void)
{
    if (unshare(CLONE_NEWNS))
        return -errno;
    return mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) && errno != EINVAL ? -errno : 0;
}
