/* SPDX-License-Identifier: MIT */
/* Opens directories and files where other users may write: links planted by them are not followed. Functions return
 * -errno on failure. */
#ifndef SYS_DIRECTORY_H
#define SYS_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct stat;

/* Opens a directory with O_PATH, close-on-exec. A symbolic link in a world-writable directory is followed only when
 * it is ours or the directory owner's, as with fs.protected_symlinks; else -ELOOP. */
int directory_open(const char *path);

/* Opens the directory that contains the path's last component, name. -EISDIR for a path that ends in '/'. */
int directory_of(const char *path, const char **name);

/* Makes a new file, mode 0644 minus the umask, open for appending and reading, close-on-exec. Follows no link;
 * -EEXIST when the name exists. */
int directory_create(const char *path);

/* Removes a regular file, so that directory_create() can make another one; leaves anything else. Returns 0, also
 * when nothing was removed. */
int directory_clear(const char *path);

/* Opens an existing pipe, terminal or character device for appending, and waits until a pipe has a reader. A link is
 * followed when it is ours or root's and nobody else could have put it there. -EINTR after a signal that asks the
 * program to end, -EEXIST for a regular file or a dangling link, -ENOTBLK, -ELOOP for a link not followed, -EACCES
 * for another user's pipe in a world-writable directory. */
int directory_open_existing(const char *path);

bool directory_is_same(const struct stat *a, const struct stat *b);

/* Returns the message for an error of a function declared here. */
const char *directory_why_not(int error);

/* Writes the line for a file of -o that could not be opened for this reason (-errno). Returns -1. */
int directory_refused(const char *path, int reason, char *error, size_t error_size);

/* Otherwise a new file's name may be lost in a power cut. */
void directory_flush(const char *path);

/* Removes a file of directory_create(), unless another one has its name by now. Preserves errno. */
void directory_remove(const char *path, int fd);

#endif
