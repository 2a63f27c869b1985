/* SPDX-License-Identifier: MIT */
/* Scratch files and directories that are removed however the program ends. */
#ifndef SYS_SCRATCH_H
#define SYS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All functions open directories as directory_open() does. */

/* Makes an open read-write file without a name in dir: O_TMPFILE, else O_CREAT|O_EXCL|O_NOFOLLOW under a random
 * name, unlinked at once. Returns the descriptor (close-on-exec) or -errno. */
int scratch_file(const char *dir);

/* Opens a new file for writing, mode 0644 minus the umask, in the directory of path but without a name yet: if the
 * process is killed nothing is left. Returns -errno when the file system or the kernel has no such files, or path
 * exists. */
int scratch_unnamed(const char *path);
/* Gives a file of scratch_unnamed() its name, unless the name is taken. Returns 0 or -errno: -EEXIST, or an error
 * because /proc or privileges are missing. */
int scratch_give_name(int fd, const char *path);

/* Makes a directory of our own, mode 0700, with a random name in dir; path gets its name. Returns 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes the directory and the regular files in it (no subdirectories; follows no links). Returns 0 or -errno. */
int scratch_remove(const char *path);

/* A directory that is removed when the process that asked for it ends, even when it is killed. The keeper, a process
 * in a session of its own, waits for end of file on a pipe, then removes the directory with its files. The keeper
 * can be killed too: so the directory's name is stored in a note before it is made, in memory that other processes
 * share with the owner, and any of them can remove it with scratch_remove_noted(). */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* path of the directory; "": none */
    bool ended;                  /* the owner ended normally */
    dev_t device;                /* device and inode number of the directory, once known */
    ino_t inode;
};
struct scratch_owner {
    struct scratch_note *note; /* note shared with other processes; NULL: none */
    /* Called last in the keeper when the owner vanished; may be NULL. */
    void (*orphaned)(void *context);
    void *context;
};
struct scratch_keeper {
    pid_t pid;
    int fd;
    int folder; /* the directory: use it instead of the path, since a user who owns the parent directory can replace
                 * what is there */
    struct scratch_owner owner;
    struct scratch_note *note, own_note; /* the struct must not move, since note may point to own_note */
};
/* Makes the directory. Returns 0 with the path in keeper->note, or -errno: -EPIPE when the keeper was killed; -EPERM
 * when another user replaced the directory immediately, or the file system reports another owner. */
int scratch_kept_folder(const char *dir, const struct scratch_owner *owner, struct scratch_keeper *keeper);
/* Ends the keeper, and returns when the directory is gone. Does nothing for a keeper that is all zero or has ended. */
void scratch_keeper_end(struct scratch_keeper *keeper);
/* Removes the noted directory. Retries for seconds, because killed processes may still be writing into it. */
void scratch_remove_noted(const struct scratch_note *note);

/* Returns the bytes free in dir for an unprivileged user: 1 when it is full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Returns 1 when programs may be executed from dir, 0 when not (mounted noexec), or -errno. */
int scratch_may_exec(const char *dir);

/* Makes a copy of this program with an inode of its own: a memfd, else an unlinked file in dir (dir "": none). It is
 * padded with zeros to at least least_bytes. Returns a descriptor (close-on-exec) for scratch_exec(), or -errno:
 * -EACCES when dir is mounted noexec. */
int scratch_own_image(const char *dir, uint64_t least_bytes);
/* Returns whether scratch_exec() can work: before Linux 3.19, or where execveat is forbidden, it needs /proc. */
bool scratch_can_exec(int fd);
/* Replaces the process by the image behind the descriptor: execveat, else /proc/self/fd. Returns -errno on failure. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
