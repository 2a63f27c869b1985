/* SPDX-License-Identifier: MIT */
/* Opens directories and files safely where other users may write: links planted by another user are not followed. */
#ifndef SYS_DIRECTORY_H
#define SYS_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct stat;

/* Opens a directory with O_PATH, for use as the first argument of openat() and similar calls. A symbolic link in a
 * world-writable directory is followed only when it belongs to us or to the directory's owner, as Linux does when
 * fs.protected_symlinks is 1. Returns a descriptor (close-on-exec) or -errno: -ELOOP for a link that is not
 * followed. */
int directory_open(const char *path);

/* Opens the directory that contains the last component of a path, as directory_open() does; name is set to that
 * component. Returns the descriptor or -errno: also -EISDIR for a path that ends in '/'. */
int directory_of(const char *path, const char **name);

/* Makes a new file, mode 0644 minus the umask, open for appending and reading. Never follows a link of that name.
 * Returns the descriptor (close-on-exec) or -errno: -EEXIST when the name exists. */
int directory_create(const char *path);

/* Removes a regular file, so that directory_create() can make another one. Anything else of that name (a symbolic link,
 * a directory) is neither followed nor removed. Returns 0, also when nothing was removed, or -errno. */
int directory_clear(const char *path);

/* Opens an existing pipe, terminal or character device for appending. A symbolic link is followed when it belongs to
 * us or root and nobody else could have put it there; a pipe of another user in a world-writable directory is not
 * opened. Waits until a pipe has a reader. Returns the descriptor or -errno: -EINTR if a signal asked the program to
 * end meanwhile, -EEXIST for a regular file and for a dangling link, -ENOTBLK for a block device, -ELOOP for a link
 * that is not followed, -EACCES for such a pipe. */
int directory_open_existing(const char *path);

/* Returns whether a and b describe the same file: equal device and inode. */
bool directory_is_same(const struct stat *a, const struct stat *b);

/* Returns the message for an error (-errno) that a function declared here has returned. */
const char *directory_why_not(int error);

/* Writes the line for a file of -o that could not be made or opened for this reason (-errno). Returns -1. */
int directory_refused(const char *path, int reason, char *error, size_t error_size);

/* Flushes the directory of a new file to disk, if that is possible: otherwise the file's name may be lost in a power
 * cut. */
void directory_flush(const char *path);

/* Removes a file that directory_create() made and fd is open on, unless another file has its name by now. Preserves
 * errno. */
void directory_remove(const char *path, int fd);

#endif
