/* SPDX-License-Identifier: MIT */
/* Folders and the names in them, in places where others may write: what another user planted there is not followed. */
#ifndef SYS_FOLDER_H
#define SYS_FOLDER_H

#include <stdbool.h>

struct stat;

/* Opens a folder as O_PATH does: for use as the first argument of openat() and its kin. A symbolic link on the way that
 * lies in a folder which everybody may write to is followed only when it is ours or the folder's owner's, as Linux does
 * where fs.protected_symlinks is 1. Returns a descriptor (close-on-exec) or -errno: -ELOOP for such a link. */
int folder_open(const char *path);

/* Opens the folder that the last component of a path is in; name gets where that begins. Returns as folder_open(), and
 * -EISDIR for a path that ends in '/'. */
int folder_of(const char *path, const char **name);

/* Makes a new file, mode 0644 less the umask, open for appending and reading. A link of that name is never followed.
 * Returns the descriptor (close-on-exec) or -errno, -EEXIST when there is anything of that name. */
int folder_create(const char *path);

/* Removes a plain file of that name, so that folder_create() can make another one. A symbolic link is neither followed
 * nor removed, and neither is anything else. 0, also when there is nothing of that name, or -errno. */
int folder_clear(const char *path);

/* Opens what is there already and is no file of data: a pipe, a terminal, a character device; for appending. A
 * symbolic link of that name is followed when it is ours or root's and nobody else could have put it there; a pipe of
 * another user is not opened where everybody may make one. Returns the descriptor or -errno: -EEXIST for a plain file
 * and for a link to nothing, -ENOTBLK for a block device, -ELOOP for a link that is not followed, -EACCES for such a
 * pipe. */
int folder_open_existing(const char *path);

/* Whether both are of one file. */
bool folder_is_same(const struct stat *a, const struct stat *b);

/* What went wrong, in words, for the errors of all of these. */
const char *folder_why_not(int error);

/* Removes the name of a file that folder_create() made, unless it is another file's by now. errno is kept. */
void folder_remove(const char *path, int fd);

#endif
