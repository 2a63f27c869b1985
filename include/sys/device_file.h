/* SPDX-License-Identifier: MIT */
/* Writes a file to a block device that is mounted only while it is written. */
#ifndef SYS_DEVICE_FILE_H
#define SYS_DEVICE_FILE_H

#include <stddef.h>

struct device_file {
    const char *device; /* "/dev/sdb1" */
    const char *path;   /* in the device's file system; name is appended when it ends in '/' or is a directory */
    const char *name;   /* if it exists, -2, -3 and so on are inserted before its '.' */
    const char *at;     /* empty directory to mount on */
};

/* Mounts, writes the new file, flushes and unmounts. Never overwrites, and follows no symbolic link to another file
 * system. Returns 0 with the file's path in written, and in error "" or a remark (other processes still use the
 * device); or -1 with the reason in error, and no file is left unless the error says that it was written. */
int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size);

/* Writes the nth name (from 1) to try: "a.csv", "a-2.csv". Returns false when it does not fit. */
int device_file_choice(const char *name, unsigned n, char *buf, size_t size);

#endif
