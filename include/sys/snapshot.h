/* SPDX-License-Identifier: MIT */
/* Changes settings of the machine and takes the changes back. What the files held stands in a snapshot, whole and on
 * disk, before the first of them is written: a kill at any moment leaves either no snapshot and nothing changed, or a
 * snapshot by which all of it can be restored. A snapshot belongs to one boot of one machine. */
#ifndef SYS_SNAPSHOT_H
#define SYS_SNAPSHOT_H

#include <stddef.h>

#include "sys/settings.h"

struct snapshot_place {
    const char *root; /* of the files, as for settings */
    const char *file; /* of the snapshot itself, not below the root */
    /* Writes one file: 0 or -errno. NULL in use; tests put a made-up kernel here. */
    int (*write)(const char *root, const char *path, const char *value);
};

enum snapshot_result {
    SNAPSHOT_DONE,    /* written, and reads back as it should */
    SNAPSHOT_ALREADY, /* it was so: not written */
    SNAPSHOT_OTHER,   /* not refused, but it reads as something else */
    SNAPSHOT_REFUSED, /* could not be read or written: see error */
};

/* One file. Values are as they would be written: of "always [madvise] never" it is "madvise". */
struct snapshot_report {
    size_t index; /* snapshot_apply(): in the writes */
    const char *path;
    const char *was, *wanted, *now; /* was, now: "" when they cannot be read */
    enum snapshot_result result;
    int error; /* -errno */
};
typedef void snapshot_put(void *context, const struct snapshot_report *report);

/* Where the snapshot is unless the user says otherwise: /run, or /dev/shm where /run cannot be written; the one of them
 * that has a snapshot already, when there is one. */
const char *snapshot_default_file(void);

struct snapshot;

/* Reads what the files of the writes hold, and the files that the kernel changes along with them; writes nothing. What
 * cannot be read is left out, and will not be written. writes must live as long. 0 or -ENOMEM. */
int snapshot_look(const struct snapshot_place *place, const struct setting_writes *writes, struct snapshot **out);

/* Makes the file of what was read, unless that is nothing. It is locked until snapshot_close(), so that nobody else
 * restores it meanwhile. 0; or -errno with a line in error, and then there is none of ours: -EEXIST when there is one
 * already, even if there is nothing to keep. */
int snapshot_save(struct snapshot *snapshot, char *error, size_t error_size);

/* Reports each file of the writes as snapshot_apply() does, without writing: SNAPSHOT_OTHER is what it would write. */
void snapshot_preview(const struct snapshot *snapshot, snapshot_put *put, void *context);

/* Writes what was saved before, in order, reads back, and reports each file of the writes. What is refused does not
 * keep it from the rest. */
void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context);

/* Reads a snapshot back and locks it. 0, with a line in error when the host has got another name since, "" otherwise;
 * or -errno with a line in error: -ENOENT when there is none, -EBUSY when the process that took it is still at work,
 * -EBADMSG when it is damaged, -ESTALE when it is of another boot (where that is not known, of another host), -EPERM
 * when it may not be trusted: a link, no plain file, another user's, or others may write it. */
int snapshot_open(const struct snapshot_place *place, struct snapshot **out, char *error, size_t error_size);

/* Writes back what the files held, in reverse order, reads back, and reports each; a file that differs again because
 * another was restored is written once more. Removes the snapshot when all of them are as they were: 0. Otherwise it is
 * kept: -1 with a line in error. */
int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, char *error, size_t error_size);

/* NULL is nothing. The file stays as it is. */
void snapshot_close(struct snapshot *snapshot);

#endif
