/* SPDX-License-Identifier: MIT */
/* Reads small files of /proc and /sys below a directory root ("" except in tests), and parses their usual formats. The
 * parsers accept any content. */
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

/* Size for a path of one byte more than the kernel accepts, so that a path that is cut to it fails with
 * ENAMETOOLONG. */
#define PROCFS_PATH_SIZE (PATH_MAX + 1)
/* Writes a path as printf() does, for example "/proc/%d/stat", and returns it. PROCFS_PATH() provides a buffer that
 * lasts until the end of the block. */
const char *procfs_path(char path[PROCFS_PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
#define PROCFS_PATH(...) procfs_path((char[PROCFS_PATH_SIZE]){0}, __VA_ARGS__)

/* Opens the file root + path for reading; never blocks. Returns the descriptor or -errno. */
int procfs_open(const char *root, const char *path);

/* Reads at most size - 1 bytes of the file root + path into buf, NUL-terminated; "" on error. Returns the length or
 * -errno. */
ssize_t procfs_read(const char *root, const char *path, char *buf, size_t size);

/* Reads from a file or pipe until buf is full, or to the end. Returns the number of bytes, or -errno. */
ssize_t procfs_read_fd(int fd, void *buf, size_t size);

/* Returns the whole file, NUL-terminated; NULL, with errno, when it cannot be read or is larger than 64 MiB. The caller
 * frees it. */
char *procfs_read_all(const char *root, const char *path);
/* As procfs_read_all(), but reads an open file from its current position to its end. *length excludes the
 * terminator. */
char *procfs_read_rest(int fd, size_t *length);

/* Reads a file's first line, cut to size, without white space around it and with unprintable bytes as '?'. Returns
 * false (and "") when it is empty or cannot be read. */
bool procfs_read_line(const char *root, const char *path, char *buf, size_t size);

/* Reads a file that is one unsigned decimal number. Returns false when it is anything else or cannot be read. */
bool procfs_read_u64(const char *root, const char *path, uint64_t *out);

/* Reads a file that is a CPU list. Returns false when it is anything else or cannot be read. */
bool procfs_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Returns the names in the directory root + path, except those that begin with a dot, in a NULL-terminated array;
 * sorted, with numbers in them by value. NULL with errno when it cannot be read. The caller frees the array and its
 * names with one free(). A file may be gone by the time it is opened. */
char **procfs_names(const char *root, const char *path);

/* Copies the first length bytes of a text, cut to size, without white space around them and with unprintable bytes as
 * '?'. Returns false (and "") when nothing is left. */
bool procfs_copy(const char *text, size_t length, char *buf, size_t size);

/* Reads an unsigned decimal number at text, after blanks if any; a larger one than UINT64_MAX becomes UINT64_MAX.
 * Returns the position after it, which is white space or the end; NULL when there is no such number. */
const char *procfs_number(const char *text, uint64_t *out);

/* Returns the start of the next line, or NULL at the end of the text. */
const char *procfs_next_line(const char *text);

/* Finds the first line "KEY: value" (blanks may precede the colon) of a text and copies the value as procfs_copy()
 * does. Returns false when there is none or the value is empty. */
bool procfs_value(const char *text, const char *key, char *buf, size_t size);

/* Returns the number at the start of the value that procfs_value() finds; -1 when there is none, or it is larger than
 * INT64_MAX. */
int64_t procfs_count(const char *text, const char *key);

/* Returns the position after the colon in the line "KEY: value" at text, or NULL when the line has another key. */
const char *procfs_line_value(const char *text, const char *key);

#endif
