/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys under a root directory ("" in use, a made-up tree in tests), and the few shapes
 * of text that they have. What is read may be anything at all: nothing here trusts it. */
#ifndef SYS_TREE_H
#define SYS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

bool tree_exists(const char *root, const char *path);

/* Opens root+path for reading; never blocks. Returns the descriptor or -errno. */
int tree_open(const char *root, const char *path);

/* At most size-1 bytes of root+path, terminated ("" on error). Returns the length or -errno. */
ssize_t tree_read(const char *root, const char *path, char *buf, size_t size);

/* The whole file, terminated; NULL, with errno, when it cannot be read or is larger than 64 MiB. The caller frees it.
 */
char *tree_read_all(const char *root, const char *path);

/* The first line without white space around it, unprintable bytes as '?', cut to size. False (and "") when empty. */
bool tree_read_line(const char *root, const char *path, char *buf, size_t size);

/* A file that is one unsigned decimal number. */
bool tree_read_u64(const char *root, const char *path, uint64_t *out);

/* The names in the folder root+path but those that begin with a dot, sorted, numbers in them by size; ends with NULL.
 * NULL with errno when it cannot be read. The caller frees it, all in one. A name may be gone when it is looked at. */
char **tree_names(const char *root, const char *path);

/* Copies at most length bytes as tree_read_line() does. */
bool tree_copy(const char *text, size_t length, char *buf, size_t size);

/* The unsigned decimal number that follows blanks at text, kept at UINT64_MAX if larger. Returns what comes
 * after it, which is white space or the end; NULL when there is no such number. */
const char *tree_number(const char *text, uint64_t *out);

/* The start of the line after this one, or NULL at the end of the text. */
const char *tree_next_line(const char *text);

/* The value of the first line "key<blanks>: value" of a text, as tree_copy() writes it. False when there is none. */
bool tree_value(const char *text, const char *key, char *buf, size_t size);

/* The same for the line at text only: where the value begins, or NULL when the line has another key. */
const char *tree_line_value(const char *text, const char *key);

#endif
