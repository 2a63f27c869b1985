/* SPDX-License-Identifier: MIT */
/* Block devices: parses their names, finds or makes their mounts, and unmounts them cleanly. */
#ifndef SYS_DEVICE_MOUNT_H
#define SYS_DEVICE_MOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Splits "DEVICE:PATH" at its first colon after a '/'. device and path have room for size bytes each; a device
 * without a directory is in /dev, and path gets a leading '/'. Returns 0; or -1 when a part is missing, too long, or
 * contains "..". */
int device_split(const char *text, char *device, char *path, size_t size);

/* Returns 0 when device is a block device; -ENOTBLK when it is something else; or -errno. */
int device_check(const char *device);

struct device_mount {
    char place[PATH_MAX]; /* mount point, without a trailing '/' unless it is the root */
    bool mounted;         /* device_mount() has mounted it */
    bool remounted;       /* it was mounted read-only, and must be made read-only again */
    unsigned long flags;  /* flags of that remount; a flag that is omitted would be lost */
};

/* Mounts the device for writing on the empty directory at, trying the file system types that the kernel has; flags
 * are additional flags of mount(2). A device that is already mounted read-only (the root, say) is remounted
 * read-write in place, with all other flags kept; if only that mount point is read-only, it is left alone and the
 * device is mounted a second time. Returns 0 or -errno: -EMEDIUMTYPE when the kernel knows no file system on it. */
int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted);

/* Undoes device_mount(); waits up to three seconds for a device that is in use. Returns 0 or -errno. detached is set
 * when others still use it: everything is flushed, and the device is unmounted when they end. */
int device_unmount(const struct device_mount *mounted, bool *detached);
#define DEVICE_DETACHED ": still in use by other processes: flushed, and unmounted when they end"

/* Makes the directory path, and missing directories above it, in the file system mounted at place (mode 0755 minus
 * the umask). Follows no symbolic link, and makes nothing in a file system that is mounted below. Returns 0 when
 * files can be made there, or -errno: -EXDEV when the path leads to another file system, -ENOTDIR for a link or
 * file. */
int device_folder(const char *place, const char *path);

/* Returns the message for an error of these functions. */
const char *device_why_not(int error);

/* Returns the flags of mount(2) that a remount must repeat to keep them, from f_flag of statvfs(3): all but
 * read-only. */
unsigned long device_mount_flags(unsigned long statvfs_flags);

/* Finds the first mount point of the device major:minor in mountinfo, the text of /proc/self/mountinfo. Returns 0 or
 * -1. */
int device_mounted(const char *mountinfo, unsigned major, unsigned minor, char *buf, size_t size);

#endif
