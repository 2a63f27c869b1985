/* SPDX-License-Identifier: MIT */
/* Makes scratch files and directories that are removed however the program ends. */
#ifndef SYS_SCRATCH_H
#define SYS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The functions below open directories as directory_open() does. */

/* Makes a file without a name in dir, open for reading and writing: by O_TMPFILE, else under a random name (O_EXCL,
 * O_NOFOLLOW) that is removed at once. Returns the descriptor (close-on-exec) or -errno. */
int scratch_file(const char *dir);

/* Makes a directory, mode 0700, with a random name in dir; path gets its name. Returns 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes a directory and the files in it (no subdirectories; follows no links). Returns 0 or -errno. */
int scratch_remove(const char *path);

/* A directory that is removed when the process that asked for it, its owner, ends, even when it is killed. The keeper,
 * a process in a process group of its own, waits until the owner's end closes a pipe. It can be killed too; therefore
 * the directory's name is in memory that all processes of a trial share, so that any of them can remove it. */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* path of the directory; "": none */
    dev_t device;                /* device and inode number of the directory, once known; it is empty before */
    ino_t inode;
};
struct scratch_keeper {
    /* Set by the caller: where to store the name, in shared memory; what the keeper calls when the owner was killed, to
     * remove the directory. */
    struct scratch_note *note;
    void (*orphaned)(void *context);
    void *context;
    /* Set by scratch_kept_folder(). */
    pid_t pid;
    int fd;
    int folder; /* descriptor of the directory: to be used instead of the path, since a user who owns the parent
                 * directory can replace what is there */
};
/* Starts the keeper and makes the directory in dir. Returns 0 with the path in keeper->note, or -errno: -EPERM when
 * another user replaced the directory immediately, or the file system reports another owner. */
int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper);
/* Removes the directory, then ends the keeper. Does nothing for a keeper that is all zero or has ended. */
void scratch_keeper_end(struct scratch_keeper *keeper);
/* Removes the directory whose name is in the note, if it still exists. Retries for seconds, because killed processes
 * may still be writing into it. */
void scratch_remove_noted(const struct scratch_note *note);

/* Returns how many bytes an unprivileged user can still write in dir: 1 when it is full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Returns 1 when programs may be executed from dir, 0 when not (mounted noexec), or -errno. */
int scratch_may_exec(const char *dir);

/* Makes a copy of this program with an inode of its own: a memfd, else an unlinked file in dir ("": no file is tried).
 * It is padded with zeros to at least least_bytes. Returns a descriptor (close-on-exec) for scratch_exec(), or -errno:
 * -EACCES when dir is mounted noexec. */
int scratch_own_image(const char *dir, uint64_t least_bytes);
/* Returns whether scratch_exec() can work here: it needs execveat, which came with Linux 3.19 and may be forbidden, or
 * /proc. */
bool scratch_can_exec(int fd);
/* Executes the copy of the program behind the descriptor in this process: by execveat, else through /proc/self/fd.
 * Returns -errno on failure. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
