/* SPDX-License-Identifier: MIT */
/* Creates files that did not exist before. Functions return -errno on failure. folder is an open directory. */
#ifndef SYS_NEW_FILE_H
#define SYS_NEW_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Opens it for reading and writing, with further flags of open(). Never follows a link. -EEXIST when the name
 * exists. */
int new_file(int folder, const char *name, int flags, mode_t mode);

/* Random names tried before -EEXIST. */
#define NAME_TRIES         16
#define NEW_FILE_NAME_SIZE sizeof(".jitbench-0123456789abcdef")
void new_file_random_name(char name[NEW_FILE_NAME_SIZE]);
/* As new_file(), under a random name. */
int new_file_random(int folder, char name[NEW_FILE_NAME_SIZE], int flags, mode_t mode);

/* A file without a name, removed when closed, for reading and writing (close-on-exec). Not all file systems can. */
int new_file_nameless(int folder, mode_t mode);
/* Never replaces another file. */
int new_file_give_name(int fd, int folder, const char *name);

/* Creates a file for reading and writing (close-on-exec) that gets its name by new_file_publish() when complete:
 * nameless, and hidden is "", else of the random name in hidden, which the caller removes if it is not published. */
int new_file_hidden(int folder, mode_t mode, char hidden[NEW_FILE_NAME_SIZE]);
/* Never replaces another file. */
int new_file_publish(int fd, int folder, const char hidden[NEW_FILE_NAME_SIZE], const char *name);

/* Calls memfd_create() with flags | newer, or with flags alone when the kernel does not know those in newer. */
int new_file_in_memory(unsigned flags, unsigned newer);

int new_file_write(int fd, const void *data, size_t size);

#endif
