/* SPDX-License-Identifier: MIT */
/* Loads the kernel modules in a directory. */
#ifndef SYS_MODULES_H
#define SYS_MODULES_H

#include <stddef.h>

/* Loads every file NAME.ko of the directory (and NAME.ko.gz, .xz, .zst where the kernel unpacks them). The order that
 * their dependencies need is found by trying. A module that is already loaded is not a failure. Returns the number of
 * modules that could not be loaded, or -errno when the directory cannot be read. error is "" when all were loaded,
 * otherwise the name of one that was not, and the reason. */
int modules_load(const char *folder, char *error, size_t error_size);

#endif
