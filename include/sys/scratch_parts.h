/* SPDX-License-Identifier: MIT */
/* Functions that the source files behind scratch.h share: they make and remove files and directories of random names.
 * folder and parent are descriptors of open directories; functions that return int return -errno on failure. */
#ifndef SYS_SCRATCH_PARTS_H
#define SYS_SCRATCH_PARTS_H

#include <stdbool.h>

#include "sys/scratch.h"

/* Removing a directory is retried (pause in ns), since scripts of a killed process may still write into it for a
 * moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

/* Functions of scratch.c. */
/* Makes a file with a random name in folder, and opens it for writing, and once more for reading in *read_fd unless
 * read_fd is NULL. The name is removed before this returns. Returns the descriptor for writing. */
int scratch_named_file(int folder, int mode, int *read_fd);
/* Writes the path dir/name. Returns 0 or -ENAMETOOLONG. */
int scratch_name_path(const char *dir, const char *name, char *path, size_t size);
/* Makes the directory `name` in `parent`, mode 0700 whatever the umask. Returns 0. */
int scratch_make_folder(int parent, const char *name);
/* Opens the directory `name` in `parent`, unless it is a symbolic link. Returns a descriptor or -errno. */
int scratch_open_folder(int parent, const char *name);
/* Tries once to remove the files in the directory (open as folder), then the directory. Further tries may be needed: a
 * file system may skip names while others are removed, and a temporary failure (a signal, no memory, no descriptor) may
 * pass. When the name belongs to another directory by now, only the files are removed. Returns 0 or -errno. */
int scratch_remove_folder(int parent, const char *name, int folder);
/* Returns whether scratch_remove_folder() should be tried again after it returned this error (0: no). */
bool scratch_is_still_there(int error);

#endif
