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

/* Makes a new file in the directory of path, open for writing, mode 0644 minus the umask, but without a name yet: if
 * the process is killed nothing is left. Returns the descriptor or -errno: an error when the file system or the kernel
 * has no such files, -EEXIST when path exists. */
int scratch_unnamed(const char *path);
/* Gives a file of scratch_unnamed() its name, unless the name is taken. Returns 0 or -errno: -EEXIST, or an error
 * because /proc or privileges are missing. */
int scratch_give_name(int fd, const char *path);

/* Makes a directory, mode 0700, with a random name in dir; path gets its name. Returns 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes a directory and the files in it (no subdirectories; follows no links). Returns 0 or -errno. */
int scratch_remove(const char *path);

/* A directory that is removed when the process that asked for it, its owner, ends, even when it is killed. The keeper,
 * a process in a session of its own, waits until the owner's end closes a pipe, then removes the directory with its
 * files. The keeper can be killed too. Therefore a note with the directory's name is written before the directory is
 * made, in memory that other processes share with the owner, so that any of them can remove it with
 * scratch_remove_noted(). */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* path of the directory; "": none */
    bool ended;                  /* the owner called scratch_keeper_end(), and was not killed */
    dev_t device;                /* device and inode number of the directory, once known */
    ino_t inode;
};
struct scratch_owner {
    struct scratch_note *note; /* where to store the directory's name for other processes; NULL: not needed */
    /* Called by the keeper (the process that removes the directory), after it has removed the directory, when the owner
     * was killed; may be NULL. */
    void (*orphaned)(void *context);
    void *context;
};
struct scratch_keeper {
    pid_t pid;
    int fd;
    int folder; /* descriptor of the directory: to be used instead of the path, since a user who owns the parent
                 * directory can replace what is there */
    struct scratch_owner owner;
    struct scratch_note *note, own_note; /* where the directory's name is stored: owner.note, or own_note if that is
                                          * NULL; the struct must not move */
};
/* Starts the keeper, which makes the directory in dir. Returns 0 with the path in keeper->note, or -errno: -EPIPE when
 * the keeper was killed; -EPERM when another user replaced the directory immediately, or the file system reports
 * another owner. */
int scratch_kept_folder(const char *dir, const struct scratch_owner *owner, struct scratch_keeper *keeper);
/* Ends the keeper, and returns when the directory is gone. Does nothing for a keeper that is all zero or has ended. */
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
