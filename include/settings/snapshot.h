/* SPDX-License-Identifier: MIT */
/* Changes settings of the machine and restores them. The old contents of the files are saved in a snapshot,
 * completely and on disk, before the first file is written: after a kill at any moment either there is no snapshot
 * and nothing is changed, or the snapshot can restore everything. A snapshot belongs to one boot of one machine. */
#ifndef SETTINGS_SNAPSHOT_H
#define SETTINGS_SNAPSHOT_H

#include <stddef.h>

#include "settings/settings.h"

struct snapshot_place {
    const char *root; /* root directory of the files, as for settings */
    const char *file; /* file of the snapshot itself, not below the root */
    /* Writes a value to a file; returns 0 or -errno. NULL except in tests, which replace the kernel by this
     * function. */
    int (*write)(const char *root, const char *path, const char *value);
};

enum snapshot_result {
    SNAPSHOT_DONE,    /* the value was written, and reads back as intended */
    SNAPSHOT_ALREADY, /* the file had the value already and was not written */
    SNAPSHOT_OTHER,   /* the write succeeded, but the file reads back as something else */
    SNAPSHOT_REFUSED, /* the file could not be read or written: see error */
};

/* Report about one file. Values are in the form in which they are written: for "always [madvise] never" it is
 * "madvise". */
struct snapshot_report {
    size_t index; /* index into the writes, in reports of snapshot_apply() */
    const char *path;
    /* was and now are "" when they cannot be read. In reports of snapshot_restore(), was is cut to 63 bytes. */
    const char *was, *wanted, *now;
    enum snapshot_result result;
    int error; /* -errno of the read or write that failed */
};
typedef void snapshot_put(void *context, const struct snapshot_report *report);

/* Returns the default file of the snapshot: in /run, or in /dev/shm when /run cannot be written; if one of them
 * already has a snapshot, that one. */
const char *snapshot_default_file(void);

struct snapshot;

/* Reads the files that `writes` is to change, and the files that the kernel changes along with them; writes nothing.
 * Files that cannot be read are left out, and will not be written. writes must outlive the snapshot. Returns 0 or
 * -ENOMEM. */
int snapshot_look(const struct snapshot_place *place, const struct setting_writes *writes, struct snapshot **out);

/* Makes the snapshot's file, unless there is nothing to save. It is locked until snapshot_close(), so that no other
 * process restores it meanwhile. Returns 0; or -errno with a line in error, and then no file was made: -EEXIST when
 * there is one already, even if there is nothing to save. */
int snapshot_save(struct snapshot *snapshot, char *error, size_t error_size);

/* Writes the files in order, reads them back, and reports each. A write that is refused does not stop the rest. Without
 * snapshot_save() before, nothing is written: SNAPSHOT_OTHER then means that the file would be written. */
void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context);

/* Reads a snapshot and locks it. Returns 0, or -errno with a line in error: -ENOENT when there is none, -EBUSY when the
 * process that made it is still running, -EBADMSG when it is damaged, -ESTALE when it is of another boot, -EPERM when
 * it cannot be trusted: a symbolic link, a file with several names, not a regular file, owned by another user, or
 * writable by others. */
int snapshot_open(const struct snapshot_place *place, struct snapshot **out, char *error, size_t error_size);

/* Writes the old values in reverse order, reads them back, and then reports each file; a file that changed again
 * because another one was restored is written once more. Needs no memory. Returns 0 and removes the snapshot when all
 * files have their old values. Otherwise returns -1 with a line in error, and keeps the snapshot. */
int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, char *error, size_t error_size);

/* Frees the snapshot; NULL is allowed. Leaves its file as it is. */
void snapshot_close(struct snapshot *snapshot);

#endif
