/* SPDX-License-Identifier: MIT */
/* Writes a file to a block device that is mounted only while it is written. */
#ifndef SYS_DEVICE_FILE_H
#define SYS_DEVICE_FILE_H

#include <stddef.h>

struct device_file {
    const char *device; /* block device: "/dev/sdb1" */
    const char *path;   /* path in the device's file system; when it ends in '/' or is a directory, name is appended */
    const char *name;   /* name of a new file; -2, -3 and so on are inserted before its '.' when the name exists */
    const char *at;     /* empty directory to mount on */
};

/* Mounts the device as device_mount() does, writes the new file, flushes it and unmounts. Never overwrites an
 * existing path, and follows no symbolic link out of the device. Returns 0 with the path in the file system in
 * written, and in error "" or a remark (the device is still in use by others); or -1 with the reason in error, and
 * no file is left. */
int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size);

/* Writes the nth candidate (from 1) for the name of a new file: "a.csv", "a-2.csv". Returns false when it does not
 * fit. */
int device_file_choice(const char *name, unsigned n, char *buf, size_t size);

#endif
