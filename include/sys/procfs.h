/* SPDX-License-Identifier: MIT */
/* Reads small files of /proc and /sys below a root directory ("" except in tests), and parses their usual forms. No
 * content is trusted. */
#ifndef SYS_PROCFS_H
#define SYS_PROCFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpuset.h"
#include "sys/memory.h"

bool procfs_exists(const char *root, const char *path);

/* Room for a path that is longer than the kernel takes: a path that is cut to this size fails with ENAMETOOLONG. */
#define PROCFS_PATH_SIZE (PATH_MAX + 1)
/* Writes a path as printf() does, for example "/proc/%d/stat", and returns it; PROCFS_PATH() with room that lasts until
 * the end of the block. */
const char *procfs_path(char path[PROCFS_PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
#define PROCFS_PATH(...) procfs_path((char[PROCFS_PATH_SIZE]){0}, __VA_ARGS__)

/* Opens root+path for reading; never blocks. Returns the descriptor or -errno. */
int procfs_open(const char *root, const char *path);

/* Reads at most size-1 bytes of root+path into buf, terminated; "" on error. Returns the length or -errno. */
ssize_t procfs_read(const char *root, const char *path, char *buf, size_t size);

/* Reads from a file or pipe until buf is full, or to the end. Returns the number of bytes, or -errno. */
ssize_t procfs_read_fd(int fd, void *buf, size_t size);

/* Returns the whole file, terminated; NULL, with errno, when it cannot be read or is larger than 64 MiB. The caller
 * frees it. */
char *procfs_read_all(const char *root, const char *path);
/* As procfs_read_all(), but reads an open file from its position on. *length is without the terminator. */
char *procfs_read_rest(int fd, size_t *length);

/* Reads the first line without white space around it, with unprintable bytes as '?', cut to size. Returns false (and
 * "") when it is empty. */
bool procfs_read_line(const char *root, const char *path, char *buf, size_t size);

/* Reads a file that is one unsigned decimal number. Returns false when it is anything else or cannot be read. */
bool procfs_read_u64(const char *root, const char *path, uint64_t *out);

/* Reads a file that is a CPU list. Returns false when it is anything else or cannot be read. */
bool procfs_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Returns the names in the directory root+path, except those that begin with a dot; sorted, with numbers in them by
 * value; NULL-terminated. NULL with errno when it cannot be read. The caller frees the result with one free(). A
 * file may be gone by the time it is opened. */
char **procfs_names(const char *root, const char *path);

/* Copies at most length bytes of a text without white space around them, with unprintable bytes as '?', cut to size.
 * Returns false (and "") when nothing is left. */
bool procfs_copy(const char *text, size_t length, char *buf, size_t size);

/* Reads the unsigned decimal number after spaces at text, limited to UINT64_MAX. Returns the text after it, which is
 * white space or the end; NULL when there is no number. */
const char *procfs_number(const char *text, uint64_t *out);

/* Returns the start of the next line, or NULL at the end of the text. */
const char *procfs_next_line(const char *text);

/* Finds the first line "key<blanks>: value" of a text and copies the value as procfs_copy() does. Returns false when
 * there is none. */
bool procfs_value(const char *text, const char *key, char *buf, size_t size);

/* Returns the number in such a line; -1 when there is none, or it is larger than INT64_MAX. */
int64_t procfs_count(const char *text, const char *key);

/* Returns where the value begins in the line at text, or NULL when the line has another key. */
const char *procfs_line_value(const char *text, const char *key);

#endif
