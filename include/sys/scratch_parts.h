/* SPDX-License-Identifier: MIT */
/* Functions that the source files behind scratch.h share: they make and remove files and directories of random names.
 * folder and parent are descriptors of open directories; functions that return int return -errno on failure. */
#ifndef SYS_SCRATCH_PARTS_H
#define SYS_SCRATCH_PARTS_H

#include "sys/file.h"

/* Functions of scratch.c. */
/* Makes a file with a random name in folder, and opens it for writing, and once more for reading in *read_fd unless
 * read_fd is NULL. The name is removed before this returns. Returns the descriptor for writing. */
int scratch_named_file(int folder, int mode, int *read_fd);
/* Opens the directory `name` in `parent`, unless it is a symbolic link. Returns a descriptor or -errno. */
int scratch_open_folder(int parent, const char *name);

#endif
