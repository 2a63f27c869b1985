/* SPDX-License-Identifier: MIT */
/* A file written to a block device that is mounted only for that moment. */
#ifndef SYS_DEVICE_FILE_H
#define SYS_DEVICE_FILE_H

#include <stddef.h>

struct device_file {
    const char *device; /* /dev/sdb1 */
    const char *path;   /* in its file system; when it ends in '/' or is a folder, name is added */
    const char *name;   /* of a new file; -2, -3 and so on are put before its '.' where that exists */
    const char *at;     /* an empty folder to mount on */
};

/* Splits "DEVICE:PATH" at its first colon behind a '/': device and path have room for size bytes each, a device without
 * a folder is one of /dev, and a path gets a '/' in front. 0; or -1 when a part is missing or too long, or names "..".
 */
int device_file_split(const char *text, char *device, char *path, size_t size);

/* 0 when that is a block device; -errno, -ENOTBLK when it is something else. */
int device_file_check(const char *device);

/* Finds the file system's type by trying those that the kernel has, mounts it, writes the new file, flushes it and
 * unmounts. Where it is mounted read-only already (the root, say), it is made read-write for that moment, with all
 * other flags as they are; where only that place is read-only, it is left alone, and mounted once more. A path that
 * exists is never overwritten, and no symbolic link leads out of the device. 0 with the path in the file system in
 * written, and in error "" or what else there is to say (others kept the device from being unmounted at once); or -1
 * with the reason in error, and then no file is left. */
int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size);

/* The path of the nth choice (from 1) of a name: "a.csv", "a-2.csv". False when it does not fit. */
int device_file_choice(const char *name, unsigned n, char *buf, size_t size);

/* The flags of mount(2) that a remount must repeat to keep them, from f_flag of statvfs(3): all but read-only. */
unsigned long device_file_flags(unsigned long statvfs_flags);

/* The place where the device with that number is mounted, as /proc/self/mountinfo (its text) says; the first of
 * several. 0 or -1. */
int device_file_mounted(const char *mountinfo, unsigned major, unsigned minor, char *buf, size_t size);

#endif
