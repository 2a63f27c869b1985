/* SPDX-License-Identifier: MIT */
/* Kernel modules of a folder. */
#ifndef SYS_MODULES_H
#define SYS_MODULES_H

#include <stddef.h>

/* Loads every file NAME.ko of the folder (NAME.ko.gz, .xz and .zst where the kernel unpacks them), in the order that
 * their dependencies ask for, which is found by trying. One that is loaded already is no failure. Returns the number
 * that could not be loaded, with the first of them and the reason in error (""); or -errno when the folder cannot be
 * read. */
int modules_load(const char *folder, char *error, size_t error_size);

#endif
