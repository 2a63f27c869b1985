/* SPDX-License-Identifier: MIT */
/* Writes and reads the file of a snapshot (see snapshot.h), and other lists of settings. A list has lines PATH=VALUE;
 * empty lines and those that begin with '#' are comments. The first line of a snapshot names the boot, the last one is
 * "# end". */
#ifndef SETTINGS_SNAPSHOT_FILE_H
#define SETTINGS_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"

/* Returns whether a list may have the path. Only files below /proc/sys, /proc/irq and /sys are allowed, since a path
 * such as /proc/self/root/... leads to any file. */
bool snapshot_path_allowed(const char *path);
/* Returns 0 when a list may have the value; -EINVAL when it contains '/': tune never writes a path, and where a setting
 * holds one, the kernel may run it as a program; -EILSEQ when it is not one line of printable ASCII characters and
 * tabs, so that a list cannot hold it. */
int snapshot_check_value(const char *value);

/* Adds the settings of a list, whose text is modified. Returns 0; -ENOMEM; or -EINVAL at the first line that is
 * neither a setting that is allowed nor a comment, with its number in line. */
int snapshot_read_list(char *text, struct setting_writes *settings, size_t *line);

/* Create or open the file of a snapshot. Both return a descriptor that holds the lock of this process (fcntl(2): it is
 * released when the process closes any descriptor of the file, or ends), or -errno with a line in error; see
 * snapshot_save() and snapshot_open(). */
int snapshot_file_create(const char *root, const char *file, const struct setting_writes *saved, char *error,
                         size_t error_size);
int snapshot_file_open(const char *root, const char *file, struct setting_writes *saved, char *error,
                       size_t error_size);

/* Removes the file of the descriptor, unless the name belongs to another file by now. Returns 0 or -errno. */
int snapshot_file_remove(int fd, const char *file);

#endif
