/* SPDX-License-Identifier: MIT */
/* Mounts block devices, and unmounts them with all data on disk. Functions return 0 or -errno unless they say
 * otherwise. */
#ifndef SYS_DEVICE_MOUNT_H
#define SYS_DEVICE_MOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Splits "DEVICE:PATH" at its first colon, for buffers of size bytes. A device without '/' in front is in /dev; path
 * gets a leading '/'. Returns -1 when a part is missing or too long, or path has a component "..". */
int device_split(const char *text, char *device, char *path, size_t size);

/* -ENOTBLK when it is no block device. */
int device_check(const char *device);

struct device_mount {
    char place[PATH_MAX]; /* no '/' at its end unless it is the root */
    bool mounted;         /* device_mount() has mounted it */
    bool remounted;       /* it was read-only, and device_unmount() makes it so again */
    unsigned long flags;  /* flags to repeat in that remount, since one that is omitted would be lost */
};

/* Mounts the device for writing on the empty directory `at`, trying the file system types that the kernel has; flags
 * are further ones of mount(2). A device mounted read-only (as the root may be) is remounted read-write in place; if
 * only that mount point is read-only, it is mounted a second time. -EMEDIUMTYPE: no file system that the kernel
 * knows. */
int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted);

/* Undoes device_mount(); waits up to three seconds for a device in use. detached: it still is; its data are flushed,
 * and the kernel unmounts it later. */
int device_unmount(const struct device_mount *mounted, bool *detached);
#define DEVICE_DETACHED ": still in use by other processes: flushed, and unmounted when they end"

/* Makes the directory and missing ones above it (mode 0755 minus the umask) in the file system mounted at `place`,
 * following no symbolic link. -EXDEV when the path leads to another file system, -ENOTDIR for a link or file. */
int device_folder(const char *place, const char *path);

/* Returns the message for an error of a function declared here. */
const char *device_why_not(int error);

/* Converts f_flag of statvfs(3) to the flags of mount(2) that a remount must repeat: all but read-only. */
unsigned long device_mount_flags(unsigned long statvfs_flags);

/* Finds the first mount point of a device in the text of /proc/self/mountinfo. Returns -1 when there is none or it
 * does not fit. */
int device_mounted(const char *mountinfo, unsigned major, unsigned minor, char *buf, size_t size);

#endif
