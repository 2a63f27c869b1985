/* SPDX-License-Identifier: MIT */
/* Reads text files that are not the kernel's: lists that a user names, and snapshots. */
#ifndef SYS_TEXT_FILE_H
#define SYS_TEXT_FILE_H

#include <stdbool.h>

/* Returns the whole text, which the caller frees; NULL with the reason in why: not a regular file, a NUL byte,
 * larger than 64 MiB, no memory. streams: a pipe, FIFO or terminal is also read to its end, unless a signal asks the
 * program to end. */
char *text_file_read(const char *path, bool streams, const char **why);
/* From an open file. */
char *text_file_rest(int fd, bool streams, const char **why);

#endif
