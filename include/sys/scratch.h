/* SPDX-License-Identifier: MIT */
/* Scratch files that vanish whatever happens. */
#ifndef SYS_SCRATCH_H
#define SYS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Folders are opened as folder_open() does. */

/* An open, nameless read-write file in dir: O_TMPFILE, else O_CREAT|O_EXCL|O_NOFOLLOW under a random name and unlinked
 * at once. Returns the descriptor (close-on-exec) or -errno. */
int scratch_file(const char *dir);

/* Makes a folder of our own, mode 0700, under a random name in dir; path gets its name. 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes the folder and the plain files in it (no subfolders, no links followed). 0 or -errno. */
int scratch_remove(const char *path);

/* A folder that vanishes with the process that asked for it, even when that is killed: a process of its own in a
 * session of its own, the keeper, makes it, waits for the end of file of a pipe, and removes it with the files in it.
 */
#define SCRATCH_PATH_MAX 600
struct scratch_keeper {
    pid_t pid;
    int fd;
    int folder; /* use this and not the path: where dir is another user's, he can put his own folder in its place */
    char path[SCRATCH_PATH_MAX];
};
/* 0 or -errno; -EPERM when another user's folder is there at once, or the file system says that ours is not ours. */
int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper);
/* Returns when the folder is gone. Does nothing for a keeper that is all zero or has ended. */
void scratch_keeper_end(struct scratch_keeper *keeper);

/* Bytes free in dir for a user without privileges: 1 when it is full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Whether programs may be executed from dir (not mounted noexec): 1, 0, or -errno. */
int scratch_may_exec(const char *dir);

/* A copy of this program that is an inode of its own: a memfd, else a file in dir (unlinked; dir "": none). Returns a
 * descriptor (close-on-exec) to be executed with scratch_exec(), or -errno: -EACCES when dir is mounted noexec. */
int scratch_own_image(const char *dir);
/* Whether scratch_exec() has a way: before Linux 3.19, or where execveat is forbidden, it needs /proc. */
bool scratch_can_exec(int fd);
/* Replaces the process by the image behind the descriptor: execveat, else /proc/self/fd. Returns -errno. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
