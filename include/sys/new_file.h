/* SPDX-License-Identifier: MIT */
/* Creates files that did not exist before, and writes them. All functions return -errno on failure. folder is the
 * descriptor of an open directory. */
#ifndef SYS_NEW_FILE_H
#define SYS_NEW_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Creates a file in folder and opens it for reading and writing, with additional flags of open(). Never follows a link.
 * Returns the descriptor; -EEXIST when the name exists. */
int new_file(int folder, const char *name, int flags, mode_t mode);

/* Maximum number of random names that are tried before a function fails with -EEXIST. */
#define NAME_TRIES 16
/* Writes a random name: ".jitbench-0123456789abcdef". */
#define NEW_FILE_NAME_SIZE sizeof(".jitbench-0123456789abcdef")
void new_file_random_name(char name[NEW_FILE_NAME_SIZE]);
/* As new_file(), under a random name. */
int new_file_random(int folder, char name[NEW_FILE_NAME_SIZE], int flags, mode_t mode);

/* Creates a file without a name, which is removed when it is closed, and opens it for reading and writing
 * (close-on-exec). Not all file systems support that. */
int new_file_nameless(int folder, mode_t mode);
/* Gives a name in folder to a file of new_file_nameless(). Never replaces another file. Returns 0. */
int new_file_give_name(int fd, int folder, const char *name);

/* Creates a file for reading and writing (close-on-exec) that gets its name by new_file_publish() when it is complete:
 * a nameless one, hidden is then "", else one of the random name in hidden, which the caller removes if it is not
 * published. */
int new_file_hidden(int folder, mode_t mode, char hidden[NEW_FILE_NAME_SIZE]);
/* Gives a file of new_file_hidden() its name. Never replaces another file. Returns 0. */
int new_file_publish(int fd, int folder, const char hidden[NEW_FILE_NAME_SIZE], const char *name);

/* Creates a file in memory with the flags `flags | newer` of memfd_create(), or with `flags` alone when the kernel does
 * not know those in `newer`. Returns the descriptor. */
int new_file_in_memory(unsigned flags, unsigned newer);

/* Writes all of the data. Returns 0. */
int new_file_write(int fd, const void *data, size_t size);

#endif
