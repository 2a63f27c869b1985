/* SPDX-License-Identifier: MIT */
/* Reads small files of /proc and /sys below a directory root ("" except in tests). The parsers accept any content. */
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

/* One byte more than the kernel accepts, so that a path that is cut fails with ENAMETOOLONG. */
#define PROCFS_PATH_SIZE (PATH_MAX + 1)
/* Writes a path as printf() does and returns it. The buffer of PROCFS_PATH() lasts until the end of the block. */
const char *procfs_path(char path[PROCFS_PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
#define PROCFS_PATH(...) procfs_path((char[PROCFS_PATH_SIZE]){0}, __VA_ARGS__)

/* Never blocks. Returns the descriptor or -errno. */
int procfs_open(const char *root, const char *path);

/* Reads at most size - 1 bytes, NUL-terminated; "" on error. Returns the length or -errno. */
ssize_t procfs_read(const char *root, const char *path, char *buf, size_t size);

/* Reads until buf is full, or to the end. Returns the number of bytes, or -errno. */
ssize_t procfs_read_fd(int fd, void *buf, size_t size);

/* Returns the whole file, NUL-terminated, which the caller frees; NULL, with errno, when unreadable or larger than
 * 64 MiB. */
char *procfs_read_all(const char *root, const char *path);
/* The same from an open file's current position on. */
char *procfs_read_rest(int fd, size_t *length);

/* Reads the first line, cut to size, as procfs_copy() does. Returns false (and "") when empty or unreadable. */
bool procfs_read_line(const char *root, const char *path, char *buf, size_t size);

/* Returns false unless the file is one unsigned decimal number. */
bool procfs_read_u64(const char *root, const char *path, uint64_t *out);

/* Returns false unless the file is a CPU list. */
bool procfs_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Returns a directory's names but those with a dot in front, in a NULL-terminated array, sorted with numbers by
 * value; the caller frees it by one free(). NULL with errno when it cannot be read. */
char **procfs_names(const char *root, const char *path);

/* Copies a text, cut to size, without white space around it and with unprintable bytes as '?'. Returns false (and
 * "") when nothing is left. */
bool procfs_copy(const char *text, size_t length, char *buf, size_t size);

/* Reads an unsigned decimal number after blanks, UINT64_MAX if larger. Returns the position after it, which is white
 * space or the end; NULL: no such number. */
const char *procfs_number(const char *text, uint64_t *out);

/* Returns NULL at the end of the text. */
const char *procfs_next_line(const char *text);

/* Copies the value of the first line "KEY: value" (blanks may precede the colon) as procfs_copy() does. Returns
 * false without one. */
bool procfs_value(const char *text, const char *key, char *buf, size_t size);

/* Returns the number at the start of that value; -1: none, or above INT64_MAX. */
int64_t procfs_count(const char *text, const char *key);

/* Returns the position after the colon of the line at text; NULL when it has another key. */
const char *procfs_line_value(const char *text, const char *key);

#endif
