/* SPDX-License-Identifier: MIT */
/* The file of a snapshot (snapshot.h), and other lists of settings: lines PATH=VALUE, empty ones, and comments after
 * '#'. The first line of a snapshot names the boot, the last one is "# end". */
#ifndef SETTINGS_SNAPSHOT_FILE_H
#define SETTINGS_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"

/* Only files below /proc/sys, /proc/irq and /sys: a path such as /proc/self/root/... leads to any file. */
bool snapshot_path_allowed(const char *path);
/* Returns 0; -EINVAL for a value with '/': tune never writes a path, and the kernel may run one as a program;
 * -EILSEQ when it is not one line of printable ASCII characters and tabs. */
int snapshot_check_value(const char *value);

/* Adds the settings of a list, whose text is modified. Returns 0; -ENOMEM; or -EINVAL, with its number in line, at
 * the first line that is neither an allowed setting nor a comment. */
int snapshot_read_list(char *text, struct setting_writes *settings, size_t *line);

/* Both return a descriptor that holds this process's lock (fcntl(2): released when the process closes any descriptor
 * of the file, or ends), or -errno with a line in error; see snapshot_save() and snapshot_open(). */
int snapshot_file_create(const char *root, const char *file, const struct setting_writes *saved, char *error,
                         size_t error_size);
int snapshot_file_open(const char *root, const char *file, struct setting_writes *saved, char *error,
                       size_t error_size);

/* Removes the descriptor's file, unless another has the name by now. Returns 0 or -errno. */
int snapshot_file_remove(int fd, const char *file);

#endif
