/* SPDX-License-Identifier: MIT */
/* Writes and reads the file of a snapshot (see snapshot.h). It is text: a line with magic and version, then host, boot,
 * time and number of entries, one line per entry, and a checksum (FNV-1a, 64 bits: Fowler, Noll, Vo). The file appears
 * complete or not at all. */
#ifndef SETTINGS_SNAPSHOT_FILE_H
#define SETTINGS_SNAPSHOT_FILE_H

#include <stddef.h>

/* The saved content of a file: raw is the text as read, value the text to write to restore it. */
struct snapshot_entry {
    char *path, *value, *raw;
};
struct snapshot_entries {
    struct snapshot_entry *entry;
    size_t n, capacity;
};
/* Copies the texts. Returns 0 or -ENOMEM. */
int snapshot_entries_add(struct snapshot_entries *entries, const char *path, const char *value, const char *raw);
void snapshot_entries_free(struct snapshot_entries *entries);

/* Returns whether the path of an entry is allowed. Only files below /proc/sys, /proc/irq and /sys are, since a path
 * such as /proc/self/root/... leads to any file. */
int snapshot_path_allowed(const char *path);
/* Returns whether the value of an entry is allowed: not if it contains '/'. tune never writes a path, and where a
 * setting holds one, the kernel may run it as a program. */
int snapshot_value_allowed(const char *value);

/* Create or open the file of a snapshot. Both return a descriptor that holds the lock of this process (fcntl(2): it is
 * released when the process closes any descriptor of the file, or ends), or -errno with a line in error; see
 * snapshot_save() and snapshot_open(). */
int snapshot_file_create(const char *root, const char *file, const struct snapshot_entries *entries, char *error,
                         size_t error_size);
int snapshot_file_open(const char *root, const char *file, struct snapshot_entries *entries, char *error,
                       size_t error_size);

/* Removes the file of the descriptor, unless the name belongs to another file by now. Returns 0 or -errno. */
int snapshot_file_remove(int fd, const char *file);

#endif
