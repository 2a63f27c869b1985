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

/* Mounts the device as device_mount() does, writes the new file, flushes it and unmounts. A path that exists is never
 * overwritten, and no symbolic link leads out of the device. 0 with the path in the file system in
 * written, and in error "" or what else there is to say (others kept the device from being unmounted at once); or -1
 * with the reason in error, and then no file is left. */
int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size);

/* The path of the nth choice (from 1) of a name: "a.csv", "a-2.csv". False when it does not fit. */
int device_file_choice(const char *name, unsigned n, char *buf, size_t size);

#endif
