/* SPDX-License-Identifier: MIT */
/* The file of a snapshot: text, its first line magic and version, then host, boot, time and number of entries, a line
 * an entry, and a checksum (FNV-1a, 64 bits: Fowler, Noll, Vo) in the last line. It appears whole or not at all. */
#ifndef SYS_SNAPSHOT_FILE_H
#define SYS_SNAPSHOT_FILE_H

#include <stddef.h>

/* What a file held: raw as it reads, value as it would have to be written to read so again. */
struct snapshot_entry {
    char *path, *value, *raw;
};
struct snapshot_entries {
    struct snapshot_entry *entry;
    size_t n, capacity;
};
/* Copies the texts. 0 or -ENOMEM. */
int snapshot_entries_add(struct snapshot_entries *entries, const char *path, const char *value, const char *raw);
void snapshot_entries_free(struct snapshot_entries *entries);

/* Files may only be below /proc/sys, /proc/irq and /sys: /proc/self/root leads everywhere. */
int snapshot_path_allowed(const char *path);
/* No setting that tune writes names a file; those that do have the kernel run programs. */
int snapshot_value_allowed(const char *value);

/* Both return a descriptor, on which the lock of this process hangs (fcntl(2): it ends when the process closes any
 * descriptor of the file, or ends), or -errno with a line in error; see snapshot_save() and snapshot_open(). */
int snapshot_file_create(const char *root, const char *file, const struct snapshot_entries *entries, char *error,
                         size_t error_size);
int snapshot_file_open(const char *root, const char *file, struct snapshot_entries *entries, char *error,
                       size_t error_size);

/* Removes the file that the descriptor is of, unless the name is another's by now. 0 or -errno. */
int snapshot_file_remove(int fd, const char *file);

#endif
