/* SPDX-License-Identifier: MIT */
/* Block devices: named by a user, found mounted or mounted for a while, and unmounted clean. */
#ifndef SYS_DEVICE_MOUNT_H
#define SYS_DEVICE_MOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Splits "DEVICE:PATH" at its first colon behind a '/': device and path have room for size bytes each, a device without
 * a folder is one of /dev, and a path gets a '/' in front. 0; or -1 when a part is missing or too long, or names "..".
 */
int device_split(const char *text, char *device, char *path, size_t size);

/* 0 when that is a block device; -errno, -ENOTBLK when it is something else. */
int device_check(const char *device);

struct device_mount {
    char place[PATH_MAX]; /* where its file system is, without '/' at the end unless it is the root */
    bool mounted;         /* by device_mount() */
    bool remounted;       /* it was mounted there read-only, and is to be so again */
    unsigned long flags;  /* of that remount; one that is left out would be lost */
};

/* Finds the file system's type by trying those that the kernel has, and mounts it for writing on the empty folder at;
 * flags are further ones of mount(2). Where it is mounted read-only already (the root, say), it is made read-write
 * there, with all other flags as they are; where only that place is read-only, it is left alone, and mounted once more.
 * 0 or -errno: -EMEDIUMTYPE when there is no file system that the kernel knows. */
int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted);

/* Undoes that; on a device that is in use it waits for three seconds. 0 or -errno. detached: others still use it; all
 * is flushed, and it is unmounted when they end. */
int device_unmount(const struct device_mount *mounted, bool *detached);
#define DEVICE_DETACHED ": still in use by other processes: flushed, and unmounted when they end"

/* Makes the folder path, and those above it, in the file system mounted at place, where they are missing (mode 0755
 * less the umask). No symbolic link is followed, and nothing is made in a file system that is mounted on the way. 0,
 * and then files can be made there, or -errno: -EXDEV when the path leads to another file system, -ENOTDIR for a link
 * or file. */
int device_folder(const char *place, const char *path);

/* Describes an error that one of these functions returned, in words. */
const char *device_why_not(int error);

/* The flags of mount(2) that a remount must repeat to keep them, from f_flag of statvfs(3): all but read-only. */
unsigned long device_mount_flags(unsigned long statvfs_flags);

/* The place where the device with that number is mounted, as /proc/self/mountinfo (its text) says; the first of
 * several. 0 or -1. */
int device_mounted(const char *mountinfo, unsigned major, unsigned minor, char *buf, size_t size);

#endif
