/* SPDX-License-Identifier: MIT */
/* Functions shared by the source files behind scratch.h: files and directories of random names. */
#ifndef SYS_SCRATCH_PARTS_H
#define SYS_SCRATCH_PARTS_H

#include <stdbool.h>

#include "sys/scratch.h"

/* Removal is retried, since scripts of a killed worker may still write into the directory for a moment. */
#define REMOVE_TRIES    500
#define REMOVE_PAUSE_NS 20000000u

/* Functions of scratch.c. */
/* Makes a file and opens it for writing, and also for reading unless read_fd is NULL. Its name is removed before
 * this returns. */
int scratch_named_file(int folder, int mode, int *read_fd);
/* Writes dir/name. Returns 0 or -ENAMETOOLONG. */
int scratch_name_path(const char *dir, const char *name, char *path, size_t size);
/* Makes a directory of our own in parent. */
int scratch_make_folder(int parent, const char *name);
/* Opens the directory itself, not through a symbolic link. Returns a descriptor or -errno. */
int scratch_open_folder(int parent, const char *name);
/* Removes the files, then the directory, in one pass. Further passes may be needed: a file system may skip names
 * while others are removed, and a temporary failure (a signal, no memory, no descriptor) may pass. When the name
 * belongs to another directory by now, only the files are removed. */
int scratch_remove_folder(int parent, const char *name, int folder);
/* Returns whether another try makes sense after this error (0: none) of scratch_remove_folder(). */
bool scratch_is_still_there(int error);

#endif
