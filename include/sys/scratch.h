/* SPDX-License-Identifier: MIT */
/* Scratch files and directories that are removed however the program ends. Functions return -errno on failure, and
 * open directories as directory_open() does. */
#ifndef SYS_SCRATCH_H
#define SYS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes a file without a name in dir, for reading and writing (close-on-exec): by O_TMPFILE, else under a random
 * name (O_EXCL, O_NOFOLLOW) that is removed at once. */
int scratch_file(const char *dir);

/* Makes a directory, mode 0700, with a random name in dir; path gets its name. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes a directory and the files in it (no subdirectories; follows no links). */
int scratch_remove(const char *path);

/* A directory that is removed when its owner, the process that asked for it, ends, even killed: the keeper, a
 * process in a group of its own, waits until the owner's end closes a pipe. As it can be killed too, the directory's
 * name is in memory that all processes of a trial share: any of them can remove it. */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* "": no directory */
    dev_t device;                /* of the directory, once known; it is empty before */
    ino_t inode;
};
struct scratch_keeper {
    /* Set by the caller: where to store the name, in shared memory; what the keeper calls when the owner was killed. */
    struct scratch_note *note;
    void (*orphaned)(void *context);
    void *context;
    /* Set by scratch_kept_folder(). */
    pid_t pid;
    int fd;
    int folder; /* to be used instead of the path: the parent directory's owner can replace what is there */
};
/* Starts the keeper and makes the directory in dir; its path is in keeper->note. -EPERM when another user replaced
 * it at once, or the file system reports another owner. */
int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper);
/* Removes the directory, then ends the keeper, if there is one. */
void scratch_keeper_end(struct scratch_keeper *keeper);
/* Removes the directory in the note, if it still exists. Retries for seconds: killed processes may still write into
 * it. */
void scratch_remove_noted(const struct scratch_note *note);

/* For an unprivileged user: 1 when full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Returns 1, or 0 when mounted noexec. */
int scratch_may_exec(const char *dir);

/* Makes a copy of this program with an inode of its own, padded with zeros to least_bytes: a memfd, else an unlinked
 * file in dir ("": not tried). Returns a descriptor (close-on-exec) for scratch_exec(); -EACCES when dir is mounted
 * noexec. */
int scratch_own_image(const char *dir, uint64_t least_bytes);
/* It needs execveat (Linux 3.19; may be forbidden) or /proc. */
bool scratch_can_exec(int fd);
/* Executes the copy in this process: by execveat, else through /proc/self/fd. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
