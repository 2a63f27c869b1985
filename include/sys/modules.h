/* SPDX-License-Identifier: MIT */
#ifndef SYS_MODULES_H
#define SYS_MODULES_H

#include <stddef.h>

/* Loads every NAME.ko of the directory (and .ko.gz, .xz, .zst where the kernel unpacks them); the order of
 * dependencies is found by trying. A module already loaded is no failure. Returns how many could not be loaded, with
 * one of them and the reason in error, or -errno when the directory cannot be read. */
int modules_load(const char *folder, char *error, size_t error_size);

#endif
