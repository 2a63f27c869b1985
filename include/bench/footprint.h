/* SPDX-License-Identifier: MIT */
/* Mappings of a dynamically linked process that a static one lacks. */
#ifndef BENCH_FOOTPRINT_H
#define BENCH_FOOTPRINT_H

#include <stdint.h>

/* Minimum size in bytes of footprint_map()'s file. */
uint64_t footprint_file_bytes(void);

/* Maps, protects and touches memory by the system calls of a dynamic loader and a shared C library, with the file
 * `path` in place of theirs, and keeps it. Returns 0, or -errno: -ENOEXEC when the file is too small. */
int footprint_map(const char *path);

#endif
