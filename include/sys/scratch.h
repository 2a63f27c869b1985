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

/* An open file for writing, mode 0644 but for the umask, in the folder where path is to be, without a name yet: who is
 * killed leaves nothing. -errno where the file system or the kernel has no such files, or path is there already. */
int scratch_unnamed(const char *path);
/* Gives it its name, which nobody else has. 0 or -errno: -EEXIST, or that it needs /proc, or rights, to do so. */
int scratch_give_name(int fd, const char *path);

/* Makes a folder of our own, mode 0700, under a random name in dir; path gets its name. 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes the folder and the plain files in it (no subfolders, no links followed). 0 or -errno. */
int scratch_remove(const char *path);

/* A folder that vanishes with the process that asked for it, even when that is killed: a process of its own in a
 * session of its own, the keeper, waits for the end of file of a pipe, and removes it with the files in it. The keeper
 * can be killed too: so the folder has its name in a note before it is made, in memory that others share with the
 * owner, and who is left removes it with scratch_remove_noted(). */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* "": none */
    bool ended;                  /* the owner did not just vanish */
    dev_t device;                /* which folder that is, once it is known */
    ino_t inode;
};
struct scratch_owner {
    struct scratch_note *note; /* NULL: nobody shares it */
    /* Called last in the keeper when the owner vanished; may be NULL. */
    void (*forsaken)(void *context);
    void *context;
};
struct scratch_keeper {
    pid_t pid;
    int fd;
    int folder; /* use this and not the path: where dir is another user's, he can put his own folder in its place */
    struct scratch_owner owner;
    struct scratch_note *note, own_note; /* must stay where it is */
};
/* 0 with the path in keeper->note, or -errno: -EPIPE when the keeper was killed; -EPERM when another user's folder is
 * there at once, or the file system says that ours is not ours. */
int scratch_kept_folder(const char *dir, const struct scratch_owner *owner, struct scratch_keeper *keeper);
/* Returns when the folder is gone. Does nothing for a keeper that is all zero or has ended. */
void scratch_keeper_end(struct scratch_keeper *keeper);
/* Tries for seconds, because who wrote into the folder may not be quite dead yet. */
void scratch_remove_noted(const struct scratch_note *note);

/* Bytes free in dir for a user without privileges: 1 when it is full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Whether programs may be executed from dir (not mounted noexec): 1, 0, or -errno. */
int scratch_may_exec(const char *dir);

/* A copy of this program that is an inode of its own: a memfd, else a file in dir (unlinked; dir "": none). Zeros
 * behind the program make it at least least_bytes long. Returns a descriptor (close-on-exec) to be executed with
 * scratch_exec(), or -errno: -EACCES when dir is mounted noexec. */
int scratch_own_image(const char *dir, uint64_t least_bytes);
/* Whether scratch_exec() has a way: before Linux 3.19, or where execveat is forbidden, it needs /proc. */
bool scratch_can_exec(int fd);
/* Replaces the process by the image behind the descriptor: execveat, else /proc/self/fd. Returns -errno. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
