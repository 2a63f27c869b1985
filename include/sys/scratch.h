/* SPDX-License-Identifier: MIT */
/* Scratch files that vanish whatever happens. */
#ifndef SYS_SCRATCH_H
#define SYS_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* An open, nameless read-write file in dir: O_TMPFILE, else O_CREAT|O_EXCL|O_NOFOLLOW under a random name and unlinked at once.
 * Returns the descriptor (close-on-exec) or -errno. */
int scratch_file(const char *dir);

/* Makes a folder of our own, mode 0700, under a random name in dir; path gets its name. 0 or -errno. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes the folder and the plain files in it (no subfolders, no links followed). 0 or -errno. */
int scratch_remove(const char *path);

/* Bytes free in dir for a user without privileges; 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Whether programs may be executed from dir (not mounted noexec): 1, 0, or -errno. */
int scratch_may_exec(const char *dir);

/* A copy of this program that is an inode of its own: a memfd, else a file in dir (unlinked). Returns a descriptor to be
 * executed with scratch_exec(), or -errno. */
int scratch_own_image(const char *dir);
/* Replaces the process by the image behind the descriptor: execveat, else /proc/self/fd. Returns -errno. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

#endif
