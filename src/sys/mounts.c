/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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
            (void)rmdir(wanted[i].path);
    }
}

void mounts_undo(const struct mounts *mounts)
{
    for (size_t i = mounts->n_made; i-- > 0;) {
        /* A process may still have its working directory there. */
        (void)umount2(mounts->made[i], MNT_DETACH);
        if (mounts->folder[i])
            (void)rmdir(mounts->made[i]);
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
