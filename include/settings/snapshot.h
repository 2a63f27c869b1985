/* SPDX-License-Identifier: MIT */
/* Changes settings of the machine and restores them. The old contents are saved in a snapshot, completely and on
 * disk, before the first file is written: after a kill at any moment either nothing is changed and there is no
 * snapshot, or it can restore everything. A snapshot belongs to one boot of one machine. */
#ifndef SETTINGS_SNAPSHOT_H
#define SETTINGS_SNAPSHOT_H

#include <stddef.h>

#include "settings/settings.h"

struct snapshot_place {
    const char *root; /* of the files, as for settings */
    const char *file; /* the snapshot itself, not below the root */
    /* Returns 0 or -errno. NULL except in tests, where it replaces the kernel. */
    int (*write)(const char *root, const char *path, const char *value);
};

enum snapshot_result {
    SNAPSHOT_DONE,    /* written, and reads back as intended */
    SNAPSHOT_ALREADY, /* had the value already, not written */
    SNAPSHOT_OTHER,   /* written, but reads back as something else */
    SNAPSHOT_REFUSED, /* not read or written: see error */
};

/* Values are in the form in which they are written: for "always [madvise] never" "madvise". */
struct snapshot_report {
    size_t index; /* into the writes, from snapshot_apply() */
    const char *path;
    /* was and now are "" when they cannot be read. From snapshot_restore(), was is cut to 63 bytes. */
    const char *was, *wanted, *now;
    enum snapshot_result result;
    int error; /* -errno of the read or write */
};
typedef void snapshot_put(void *context, const struct snapshot_report *report);

/* In /run, or in /dev/shm when /run cannot be written; if one of them has a snapshot already, that one. */
const char *snapshot_default_file(void);

struct snapshot;

/* Reads the files that `writes` (which must outlive the snapshot) is to change, and those that the kernel changes
 * with them. Files that cannot be read will not be written. Returns 0 or -ENOMEM. */
int snapshot_look(const struct snapshot_place *place, const struct setting_writes *writes, struct snapshot **out);

/* Makes the snapshot's file, locked until snapshot_close(), unless there is nothing to save. Returns 0; or -errno
 * with a line in error, and no file: -EEXIST when there is one already, even with nothing to save. */
int snapshot_save(struct snapshot *snapshot, char *error, size_t error_size);

/* Writes the files in order, reads them back, and reports each; one that is refused does not stop the rest. Without
 * snapshot_save(), nothing is written: SNAPSHOT_OTHER then means that the file would be. */
void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context);

/* Reads a snapshot and locks it. Returns 0, or -errno with a line in error: -ENOENT when there is none, -EBUSY when
 * the process that made it still runs, -EBADMSG when it is damaged, -ESTALE when it is of another boot, -EPERM when
 * it cannot be trusted: no regular file, with several names, another user's, or writable by others. */
int snapshot_open(const struct snapshot_place *place, struct snapshot **out, char *error, size_t error_size);

/* Writes the old values in reverse order, reads them back, and reports each file; one that changed again because
 * another was restored is written once more. Needs no memory. Returns 0 and removes the snapshot when all have their
 * old values; otherwise -1 with a line in error, and keeps it. */
int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, char *error, size_t error_size);

/* NULL is allowed. Leaves the file as it is. */
void snapshot_close(struct snapshot *snapshot);

#endif
