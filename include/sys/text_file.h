/* SPDX-License-Identifier: MIT */
/* Reads small text files that are not the kernel's: lists that a user names, and snapshots. */
#ifndef SYS_TEXT_FILE_H
#define SYS_TEXT_FILE_H

#include <stdbool.h>

/* Returns the whole text of a regular file, NUL-terminated, which the caller frees; NULL with the reason in why: the
 * file cannot be read, is not a regular file, has a NUL byte, or is larger than 64 MiB; or memory ran out.
 * streams: a pipe, FIFO or terminal is also read, until its end; the wait for it ends when a signal asks the program to
 * end (signals_pending()). */
char *text_file_read(const char *path, bool streams, const char **why);
/* As text_file_read(), from an open file. */
char *text_file_rest(int fd, bool streams, const char **why);

#endif
