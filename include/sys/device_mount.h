/* SPDX-License-Identifier: MIT */
/* Block devices: parses their names, finds where they are mounted or mounts them, and unmounts them with all data on
 * disk. */
#ifndef SYS_DEVICE_MOUNT_H
#define SYS_DEVICE_MOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Splits "DEVICE:PATH" at its first colon. device and path have room for size bytes each; a device name without a
 * leading '/' is taken to be in /dev, and path gets a leading '/'. Returns 0; or -1 when a part is missing or too long,
 * or path has a component "..". */
int device_split(const char *text, char *device, char *path, size_t size);

/* Returns 0 when device is a block device; -ENOTBLK when it is something else; or -errno. */
int device_check(const char *device);

struct device_mount {
    char place[PATH_MAX]; /* mount point, without a trailing '/' unless it is the root */
    bool mounted;         /* device_mount() has mounted it */
    bool remounted;       /* it was mounted read-only, and device_unmount() must make it read-only again */
    unsigned long flags;  /* flags to repeat in the remount that makes it read-only again, since one that is omitted
                           * would be lost */
};

/* Mounts the device for writing on the empty directory `at`, trying the file system types that the kernel has; flags
 * are additional flags of mount(2). If the device is already mounted read-only (as the root file system may be), it is
 * remounted read-write in place, with all other flags kept; if only that mount point is read-only, it is left alone and
 * the device is mounted a second time. Returns 0 or -errno: -EMEDIUMTYPE when the kernel knows no file system on it. */
int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted);

/* Undoes device_mount(); waits up to three seconds for a device that is in use. Returns 0 or -errno. detached is set
 * when other processes still use it: its data are flushed, and the kernel unmounts it when they end. */
int device_unmount(const struct device_mount *mounted, bool *detached);
#define DEVICE_DETACHED ": still in use by other processes: flushed, and unmounted when they end"

/* Makes the directory `path`, and missing directories above it, in the file system mounted at `place` (mode 0755 minus
 * the umask). Follows no symbolic link, and makes nothing in a file system that is mounted below. Returns 0 when the
 * process may create files there, or -errno: -EXDEV when the path leads to another file system, -ENOTDIR for a link or
 * file. */
int device_folder(const char *place, const char *path);

/* Returns the message for an error (-errno) that a function declared here has returned. */
const char *device_why_not(int error);

/* Converts flags of statvfs(3) (f_flag) to those of mount(2) that a remount must repeat to keep them: all but
 * read-only. */
unsigned long device_mount_flags(unsigned long statvfs_flags);

/* Finds the first mount point of the device major:minor in mountinfo, the text of /proc/self/mountinfo, and writes it
 * to buf. Returns 0, or -1 when there is none or it does not fit. */
int device_mounted(const char *mountinfo, unsigned major, unsigned minor, char *buf, size_t size);

#endif
